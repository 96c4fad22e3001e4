"""The replay of a game: a frame for each turn, for the terminal and the browser, and a check of the stored row."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sweepstakes.drawing.drawing import Drawing
from sweepstakes.drawing.position_picture import position_picture
from sweepstakes.drawing.raster import gif
from sweepstakes.drawing.svg import svg
from sweepstakes.game.board import Board
from sweepstakes.game.cell import Cell
from sweepstakes.game.codes import WITHHELD
from sweepstakes.game.game import Game
from sweepstakes.game.result import GameResult
from sweepstakes.game.turn import Cells, Turn, as_cells
from sweepstakes.game.view import View
from sweepstakes.inference.unsound_proofs import unsound_proofs
from sweepstakes.tables import join_words
from sweepstakes.tournaments.replay.said import Said
from sweepstakes.tournaments.running.repeating import repeat_turns, row_mismatch

_FLAGGING = (("unflag", "unflags"), ("flag", "flags"))


class Frame(NamedTuple):
    """One turn, with the views before and after it. The first frame is the game before any turn."""

    number: int
    before: View
    after: View
    turn: Turn | None
    unsound: Mapping[Cell, tuple[str, float]] = {}
    """The cells that the turn calls proven and that do not follow from the clues: see `unsound_proofs`."""

    def __repr__(self) -> str:
        return f"<Frame {self.headline()}>"

    def cells(self, action: str) -> list[Cell]:
        """Return the cells of an action of the turn: `open`, `flag` or `unflag`."""
        cells: Cells = getattr(self.turn, action) if self.turn is not None else ()
        return as_cells(cells, self.before.cols)

    def changed(self) -> list[Cell]:
        """Return the cells whose shown code the turn changed, flooded cells included."""
        return [Cell(int(row), int(col)) for row, col in np.argwhere(self.before.shown != self.after.shown)]

    def detonated(self) -> list[Cell]:
        """Return the mines that the turn detonated."""
        known = set(self.before.detonated())
        return [cell for cell in self.after.detonated() if cell not in known]

    def values(self) -> list[str]:
        """Return a line for each value that newly opened cells show, flooded cells included, and those cells."""
        by_code: dict[int, list[Cell]] = {}
        for row, col in np.argwhere((self.after.shown >= 0) & (self.before.shown < 0)).tolist():
            by_code.setdefault(int(self.after.shown[row, col]), []).append(Cell(row, col))
        if self.turn is None:
            for cell in self.after.open():
                by_code.setdefault(int(self.after.shown[cell]), []).append(cell)
        return [
            f"{'clue withheld' if code == WITHHELD else f'shows {code}'}: {' '.join(map(str, cells))}"
            for code, cells in sorted(by_code.items())
        ]

    def log(self) -> list[str]:
        """Return a line for each cell that the turn flagged or opened: flags, own cells, then flooded cells."""
        number = f"turn {self.number}" if self.turn is not None else "start"
        before, after = self.before, self.after
        lines = [
            f"{number}: {verb} {cell}"
            for which, verb in _FLAGGING
            for cell in self.cells(which)
            if self._on_board(cell)
        ]
        covered = {cell for cell in self.changed() if not before.is_open(cell)} if self.turn else {*after.open()}
        own = [cell for cell in dict.fromkeys(self.cells("open")) if cell in covered]
        for cell in [*own, *sorted(covered - {*own})]:
            code = int(after.shown[cell])
            if code >= 0:
                shows = "clue withheld" if code == WITHHELD else f"shows {code}"
                lines.append(f"{number}: opens {cell}: {shows}")
            elif cell in own:
                lines.append(f"{number}: opens {cell}: a mine")
        return lines

    def clues(self) -> list[Cell]:
        """Return the clues that the turn's proofs rest on."""
        evidence = (self.turn.evidence if self.turn is not None else None) or {}
        return sorted({Cell(*clue) for clues in evidence.values() for clue in clues})

    def headline(self) -> str:
        """Return one line: the number of the turn, its reason and its effect."""
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
        """Return the reason of the turn, in words."""
        assert self.turn is not None
        weaker = ", by a weaker reasoning because its own was too hard" if self.turn.fallback else ""
        if self.turn.why == "guess" and self.turn.probability is not None:
            return f"guess, a mine with probability {self.turn.probability:.3f}{weaker}"
        return f"{'false proof' if self.unsound else self.turn.why}{weaker}"

    def reasons(self) -> list[str]:
        """Return a line for each proven cell with the clues that prove it, and one for each cell called proven that is
        not."""
        if self.turn is None:
            return []
        mines = set(self.cells("flag"))
        proven = [
            f"{Cell(*cell)} is {'a mine' if cell in mines else 'safe'} because of "
            f"{join_words([self._clue(Cell(*clue)) for clue in clues]) or 'the number of mines'}"
            for cell, clues in (self.turn.evidence or {}).items()
            if cell not in self.unsound
        ]
        return [*proven, *self.false_proofs()]

    def false_proofs(self) -> list[str]:
        """Return a line for each cell that the turn calls proven although it does not follow from the clues."""
        return [
            f"FALSE PROOF: {cell} is not proven {claim}: a mine there has probability {probability:.3f}"
            for cell, (claim, probability) in self.unsound.items()
        ]

    def drawing(self) -> Drawing:
        """Return the drawing of the position after the turn: the turn's cells marked by its reason, and its clues."""
        drawing = self.after.drawing()
        if self.turn is None:
            return drawing._replace(caption=self.headline())
        opens = [cell for cell in self.cells("open") if self._on_board(cell)]
        why = "safe" if self.turn.why == "proof" else self.turn.why
        marks: dict[Cell, str] = {cell: why for cell in opens if not self.before.is_open(cell)}
        marks |= dict.fromkeys(self.unsound, "false")
        return drawing._replace(marks=marks, clues=self.clues(), recent=self.changed(), caption=self.headline())

    def _repr_svg_(self) -> str:
        return svg(self)

    def _on_board(self, cell: Cell) -> bool:
        return 0 <= cell.row < self.before.rows and 0 <= cell.col < self.before.cols

    def _clue(self, cell: Cell) -> str:
        code = int(self.before.shown[cell])
        return f"the {'withheld clue' if code == WITHHELD else code} at {cell}" if code >= 0 else f"{cell}"


class Replay(NamedTuple):
    """A finished game, turn by turn."""

    title: str
    frames: list[Frame]
    result: GameResult
    """The result in the stored row."""
    board: Board
    mismatch: str = ""
    """How the stored row differs from the turns, in one sentence; "" if it does not."""
    note: str = ""
    """A line that says whose evidence is shown, if it is not the agent's."""
    said: Mapping[int, Said] = {}
    """What the agent said, by turn from 1. The last one may belong to a turn that was not taken."""

    @classmethod
    def of(cls, game: Game, turns: Sequence[Turn], result: GameResult, title: str = "", note: str = "") -> Replay:
        """Repeat the turns in `game`, which has not started. The frames end before the first impossible turn."""
        frames: list[Frame] = []
        problem = ""
        try:
            frames.extend(iterate_frames(game, turns))
        except ValueError as error:
            problem = str(error)
        mismatch = row_mismatch(game, result, result, problem)
        return cls(title, frames, result, game.board, mismatch, note)

    def __repr__(self) -> str:
        return f"<Replay {f'{self.title}: ' if self.title else ''}{self.ending()}>"

    def ending(self) -> str:
        """Return one line on how the game ended."""
        r = self.result
        text = f"{r.ending} after {r.turns} turn{'s' * (r.turns != 1)}: {r.opened} of {r.safe} safe cells open"
        text += f", {r.right_flags} of {r.mines} mines flagged"
        if r.wrong_flags:
            text += f", {r.wrong_flags} wrong flags"
        return f"{text}, {r.detonated} detonated, {r.guesses} {'guess' if r.guesses == 1 else 'guesses'}"

    def with_false_proofs(self) -> Replay:
        """Return the same replay, with the cells marked that turns call proven although they do not follow from the
        clues."""
        frames = [
            frame if frame.turn is None else frame._replace(unsound=unsound_proofs(frame.before, frame.turn))
            for frame in self.frames
        ]
        count = sum(bool(frame.unsound) for frame in frames)
        calls = f"{count} {'turn calls' if count == 1 else 'turns call'} cells proven that are not: see FALSE PROOF"
        note = "; ".join(filter(None, (calls if count else "", self.note)))
        return self._replace(frames=frames, note=note)

    def unused(self) -> Said | None:
        """Return what the agent said when it did not take a turn, because its answers were not valid turns."""
        return self.said.get(len(self.frames))

    def drawing(self) -> Drawing:
        """Return the end of the game as it is drawn, with the mines."""
        last = self.frames[-1].after.drawing()
        caption = f"{self.title}: {self.ending()}" if self.title else self.ending()
        return last._replace(mines=self.board.layout, caption=caption)

    def gif(self, *, theme: str = "light", cell: int = 24, seconds: float = 0.5) -> bytes:
        """Return the game as an animated GIF, light or dark: a picture for each turn, then the end with its mines."""
        drawings = [*(frame.drawing() for frame in self.frames), self.drawing()]
        return gif([position_picture(drawing) for drawing in drawings], theme, cell, seconds)

    def _repr_svg_(self) -> str:
        return svg(self)


def iterate_frames(game: Game, turns: Sequence[Turn]) -> Iterator[Frame]:
    """Yield a frame before the first turn, and one after each. The last turn may be illegal, which ends the game.

    Raise `ValueError` with the reason at the first turn that is impossible in this game.
    """
    view = game.view()
    yield Frame(0, view, view, None)
    for number, turn in repeat_turns(game, turns):
        before, view = view, game.view()
        yield Frame(number, before, view, turn)


def _list(cells: list[Cell], most: int = 6) -> str:
    words = [str(cell) for cell in cells[:most]]
    return " ".join(words) + (f" and {len(cells) - most} more" if len(cells) > most else "")
