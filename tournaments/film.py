"""A played game, turn by turn, with the reasons in words: what `watch` and `replay` show."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np

from sweepstakes.cell import Cell
from sweepstakes.errors import IllegalMove
from sweepstakes.game import Game
from sweepstakes.result import Ending, GameResult
from sweepstakes.shown import WITHHELD
from sweepstakes.turn import Cells, Turn
from sweepstakes.view import View


class Frame(NamedTuple):
    """One turn, and the view before and after it; the first frame is the game before any turn."""

    number: int
    before: View
    after: View
    turn: Turn | None

    def named(self, which: str) -> list[Cell]:
        """The cells that the turn names: to `open`, to `flag` or to `unflag`."""
        cells: Cells = getattr(self.turn, which) if self.turn is not None else ()
        if isinstance(cells, np.ndarray):
            return [Cell(*divmod(int(cell), self.before.cols)) for cell in cells]
        return [Cell(int(row), int(col)) for row, col in cells]

    def changed(self) -> list[Cell]:
        """The cells that show something else after the turn, floods included."""
        return [Cell(int(row), int(col)) for row, col in np.argwhere(self.before.shown != self.after.shown)]

    def set_off(self) -> list[Cell]:
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
            f"{verb} {_list(self.named(which))}"
            for which, verb in (("unflag", "unflags"), ("flag", "flags"), ("open", "opens"))
            if self.named(which)
        ]
        if not parts:
            return f"turn {self.number}: gives up"
        text = f"turn {self.number}: {self.reason()}: {', '.join(parts)}"
        more = len(self.after.open()) - len(self.before.open()) - len(self.named("open")) + len(self.set_off())
        if more > 0:
            text += f", and {more} more by flooding"
        if self.set_off():
            text += f"; a mine goes off at {_list(self.set_off())}"
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
        mines = set(self.named("flag"))
        return [
            f"{Cell(*cell)} is {'a mine' if cell in mines else 'safe'} because of "
            f"{_and([self._clue(Cell(*clue)) for clue in clues]) or 'the number of mines'}"
            for cell, clues in self.turn.evidence.items()
        ]

    def _clue(self, cell: Cell) -> str:
        code = int(self.before.shown[cell])
        return f"the {'withheld clue' if code == WITHHELD else code} at {cell}" if code >= 0 else f"{cell}"


class Film(NamedTuple):
    """A finished game."""

    title: str
    frames: list[Frame]
    result: GameResult
    note: str = ""
    """Whose the reasons are, in a line, if they are not the agent's."""

    def ending(self) -> str:
        """How the game ended, in a line."""
        r = self.result
        text = f"{r.ending} after {r.turns} turns: {r.opened} of {r.safe} safe cells open"
        text += f", {r.right_flags} of {r.mines} mines flagged"
        if r.wrong_flags:
            text += f", {r.wrong_flags} wrong flags"
        return f"{text}, {r.detonated} set off, {r.guesses} {'guess' if r.guesses == 1 else 'guesses'}"


def film(title: str, game: Game, turns: Iterable[Turn], result: GameResult | None = None, note: str = "") -> Film:
    """Take the turns again, in a game that has not begun. `result` is how it ended, where the turns do not say."""
    view = game.view()
    frames = [Frame(0, view, view, None)]
    for number, turn in enumerate(turns, 1):
        if game.over:
            break
        try:
            game.take(turn)
        except IllegalMove as broken:
            game.forfeit(Ending.ILLEGAL_MOVE, str(broken))
            turn = turn._replace(evidence=None)  # which may be of cells that are on no board
        before, view = view, game.view()
        frames.append(Frame(number, before, view, turn))
    if game.ending is None:  # a fault after the last turn: nothing that can be taken again
        game.forfeit(result.ending if result else Ending.GAVE_UP, result.fault if result else "")
    return Film(title, frames, result or game.result(), note)


def _list(cells: list[Cell], most: int = 6) -> str:
    words = [str(cell) for cell in cells[:most]]
    return " ".join(words) + (f" and {len(cells) - most} more" if len(cells) > most else "")


def _and(words: list[str]) -> str:
    return words[0] if len(words) == 1 else ", ".join(words[:-1]) + " and " + words[-1] if words else ""
