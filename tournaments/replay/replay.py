"""One walk through a stored game: what the terminal and the browser show of it, and whether its row is true."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np

from sweepstakes.errors import IllegalMove
from sweepstakes.game.board import Board
from sweepstakes.game.cell import Cell
from sweepstakes.game.codes import WITHHELD
from sweepstakes.game.game import Game
from sweepstakes.game.result import Ending, GameResult
from sweepstakes.game.turn import Cells, Turn
from sweepstakes.game.view import View


class Frame(NamedTuple):
    """One turn, and the view before and after it; the first frame is the game before any turn."""

    number: int
    before: View
    after: View
    turn: Turn | None

    def cells(self, which: str) -> list[Cell]:
        """The cells that the turn names: to `open`, to `flag` or to `unflag`."""
        cells: Cells = getattr(self.turn, which) if self.turn is not None else ()
        if isinstance(cells, np.ndarray):
            return [Cell(*divmod(int(cell), self.before.cols)) for cell in cells]
        return [Cell(int(row), int(col)) for row, col in cells]

    def changed(self) -> list[Cell]:
        """The cells that show something else after the turn, floods included."""
        return [Cell(int(row), int(col)) for row, col in np.argwhere(self.before.shown != self.after.shown)]

    def detonated(self) -> list[Cell]:
        """The mines that the turn set off."""
        known = set(self.before.detonated())
        return [cell for cell in self.after.detonated() if cell not in known]

    def clues(self) -> list[Cell]:
        """The clues that the turn's proofs rest on."""
        evidence = (self.turn.evidence if self.turn is not None else None) or {}
        return sorted({Cell(*clue) for clues in evidence.values() for clue in clues})

    def headline(self) -> str:
        """Which turn this is, why it was taken, and what it did, in a line."""
        if self.turn is None:
            opened = len(self.after.open())
            return f"start: {opened} cells are open" if opened else "start"
        parts = [
            f"{verb} {_list(self.cells(which))}"
            for which, verb in (("unflag", "unflags"), ("flag", "flags"), ("open", "opens"))
            if self.cells(which)
        ]
        if not parts:
            return f"turn {self.number}: gives up"
        text = f"turn {self.number}: {self.reason()}: {', '.join(parts)}"
        more = len(self.after.open()) - len(self.before.open()) - len(self.cells("open")) + len(self.detonated())
        if more > 0:
            text += f", and {more} more by flooding"
        if self.detonated():
            text += f"; a mine goes off at {_list(self.detonated())}"
        return text

    def reason(self) -> str:
        """Why the turn was taken."""
        assert self.turn is not None
        weaker = ", by a weaker reasoning because its own was too hard" if self.turn.fallback else ""
        if self.turn.why == "guess" and self.turn.probability is not None:
            return f"guess, a mine with probability {self.turn.probability:.3f}{weaker}"
        return f"{self.turn.why}{weaker}"

    def reasons(self) -> list[str]:
        """A line for each proven cell: the clues that prove it."""
        if self.turn is None or not self.turn.evidence:
            return []
        mines = set(self.cells("flag"))
        return [
            f"{Cell(*cell)} is {'a mine' if cell in mines else 'safe'} because of "
            f"{_and([self._clue(Cell(*clue)) for clue in clues]) or 'the number of mines'}"
            for cell, clues in self.turn.evidence.items()
        ]

    def _clue(self, cell: Cell) -> str:
        code = int(self.before.shown[cell])
        return f"the {'withheld clue' if code == WITHHELD else code} at {cell}" if code >= 0 else f"{cell}"


class Replay(NamedTuple):
    """A finished game, turn by turn."""

    title: str
    frames: list[Frame]
    result: GameResult
    """As its row has it."""
    board: Board
    mismatch: str = ""
    """In which way the row is not what the turns give, in a sentence; empty if it is."""
    note: str = ""
    """Whose the reasons are, in a line, if they are not the agent's."""

    @classmethod
    def of(cls, game: Game, turns: Sequence[Turn], result: GameResult, title: str = "", note: str = "") -> Replay:
        """Take the turns again, in a game that has not begun, as far as they are those of one game."""
        frames: list[Frame] = []
        problem = ""
        try:
            frames.extend(iterate_frames(game, turns))
        except ValueError as error:
            problem = str(error)
        mismatch = _row_mismatch(game, result, result, problem)
        return cls(title, frames, result, game.board, mismatch, note)

    def ending(self) -> str:
        """How the game ended, in a line."""
        r = self.result
        text = f"{r.ending} after {r.turns} turns: {r.opened} of {r.safe} safe cells open"
        text += f", {r.right_flags} of {r.mines} mines flagged"
        if r.wrong_flags:
            text += f", {r.wrong_flags} wrong flags"
        return f"{text}, {r.detonated} detonated, {r.guesses} {'guess' if r.guesses == 1 else 'guesses'}"


def iterate_frames(game: Game, turns: Sequence[Turn]) -> Iterator[Frame]:
    """The game before the first turn, and after each. The last turn may be an illegal one, which ends the game.

    `ValueError`, with a sentence, at the turn from which on these are not the turns of one game.
    """
    view = game.view()
    yield Frame(0, view, view, None)
    for number, turn in enumerate(turns, 1):
        if game.over:
            raise ValueError(f"the game is over after {number - 1} of {len(turns)} turns")
        try:
            game.take(turn)
        except IllegalMove as broken:
            game.forfeit(Ending.ILLEGAL_MOVE, str(broken))
            if number < len(turns):
                raise ValueError(f"turn {number} of {len(turns)} is illegal") from None
            turn = turn._replace(evidence=None)  # which may be of cells that are on no board
        before, view = view, game.view()
        yield Frame(number, before, view, turn)


def find_mismatch(game: Game, turns: Sequence[Turn], stated: GameResult, row: GameResult) -> str:
    """In which way a row is not what the turns give, in a sentence; nothing if it is.

    The referee takes the turns again, in a game that has not begun; `stated` is what was said of these turns.
    """
    problem = ""
    try:
        for _ in iterate_frames(game, turns):
            pass
    except ValueError as error:
        problem = str(error)
    return _row_mismatch(game, stated, row, problem)


def _row_mismatch(game: Game, stated: GameResult, row: GameResult, problem: str) -> str:
    """The same, of a game whose turns have been taken, as far as there was no problem with them.

    Where an agent broke a game off, by an error or an answer that is no turn, the turns do not tell: then, and only
    then, the ending is the stated one.
    """
    ending = "" if game.over or stated.ending.is_fault else "not over"
    if not game.over:
        game.forfeit(stated.ending, stated.fault)
    if problem:
        return f"the row says {_counts(row)}; {problem}"
    found = game.result()
    if found.outcome == row.outcome and not ending:
        return ""
    return f"the row says {_counts(row)}; the turns give {_counts(found, ending)}"


def _counts(result: GameResult, ending: str = "") -> str:
    """How a game ended, and all that it counts, in a line."""
    r = result
    return (
        f"{ending or r.ending}, {r.opened} of {r.safe} safe cells open, {r.right_flags} of {r.mines} mines flagged, "
        f"{r.wrong_flags} wrong flags, {r.detonated} detonated, {r.turns} turns, {r.cells_clicked} cells clicked, "
        f"{r.guesses} guesses, {r.fallbacks} fallbacks"
    )


def _list(cells: list[Cell], most: int = 6) -> str:
    words = [str(cell) for cell in cells[:most]]
    return " ".join(words) + (f" and {len(cells) - most} more" if len(cells) > most else "")


def _and(words: list[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1] if words else ""
