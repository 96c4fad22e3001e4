"""The solution of a position: probabilities, certain cells and explanations, as a value and as text."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from rich.console import Console, ConsoleOptions
from rich.segment import Segment
from rich.style import Style

from sweepstakes.drawing.drawing import Drawing
from sweepstakes.drawing.svg import svg
from sweepstakes.errors import PositionError
from sweepstakes.game.cell import Cell
from sweepstakes.game.codes import COVERED, DETONATED, FLAG, WITHHELD
from sweepstakes.game.view import View
from sweepstakes.inference import (
    Contradiction,
    Posterior,
    Status,
    contradiction,
    is_first_click_safe,
    minimal_proof,
    posterior_under_rules,
)
from sweepstakes.tables import join_words

FIRST_CLICK = "the first click is safe by the rules"


class Solution(NamedTuple):
    """Everything that follows from a view. Flags count as known mines.

    Before a first click that is safe by the rules, the board has not been dealt. Every cell, flagged or not, then has
    mine probability 0 if it is opened first. But `safe` is empty, since the cells are not safe together.
    """

    view: View
    probability: npt.NDArray[np.float64]
    """The mine probability of each cell; nan for open cells, 1 for known mines."""
    safe: list[Cell]
    mines: list[Cell]
    """Certain mines among the covered cells."""
    best: Cell | None
    """A cell to open next: a safe cell, or the least likely mine. None if no cell is covered."""
    log10_layouts: float
    """Decimal logarithm of the number of layouts that agree with the view; nan before a safe first click.

    Under noise, each layout is weighted by its likelihood.
    """
    status: Status

    def drawing(self) -> Drawing:
        """Return a drawing of the view with the mine probabilities of its covered cells."""
        return self.view.drawing()._replace(heat=self.probability)

    def _repr_svg_(self) -> str:
        return svg(self)

    def plain(self) -> dict[str, Any]:
        """Return the solution as numbers and lists, for JSON; null for open cells."""
        return {
            "probability": [[None if math.isnan(p) else p for p in row] for row in self.probability.tolist()],
            "safe": [list(cell) for cell in self.safe],
            "mines": [list(cell) for cell in self.mines],
            "log10_layouts": None if math.isnan(self.log10_layouts) else self.log10_layouts,
            "best": None if self.best is None else list(self.best),
            "status": str(self.status),
        }


def solve(view: View) -> Solution:
    """Solve a view exactly. If no layout agrees with it, raise `PositionError` with the contradiction."""
    shown = view.shown
    found = posterior_under_rules(view)
    if is_first_click_safe(view):
        return Solution(view, found.probability, [], [], _best(found), found.log_layouts, found.status)
    if found.status is Status.INCONSISTENT:
        raise PositionError(contradiction_in_words(view, contradiction_in_view(view)))
    probability = found.probability.copy()
    probability[(shown == FLAG) | (shown == DETONATED)] = 1.0
    safe = _cells(found.safe)
    return Solution(
        view,
        probability,
        safe,
        _cells(found.mine),
        safe[0] if safe else _best(found),
        found.log_layouts / math.log(10),
        found.status,
    )


def _best(found: Posterior) -> Cell | None:
    """Return the cell to guess if no cell is certainly safe, or None if no cell is covered."""
    guess = found.decision.guess
    return Cell(*divmod(guess, found.probability.shape[1])) if guess >= 0 else None


def _cells(where: npt.NDArray[np.bool_]) -> list[Cell]:
    """Return the marked cells of a board, row by row."""
    rows, cols = np.nonzero(where)
    return list(map(Cell, rows.tolist(), cols.tolist()))


def why(solution: Solution, cell: Cell) -> str:
    """Explain in words why a covered cell is safe or a mine, by a minimal set of clues that proves it."""
    view = solution.view
    if not view.is_covered(cell):
        raise PositionError(f"{cell} is not covered: there is nothing to prove")
    if is_first_click_safe(view):
        return f"{cell} is safe if it is opened first: {FIRST_CLICK}"
    safe = cell in solution.safe
    if not safe and cell not in solution.mines:
        return f"{cell} is not certain: it is a mine with probability {solution.probability[cell]:.6f}"
    noise = None if view.noise.exact else view.noise.table
    clues, counted = minimal_proof(view.shown, view.mines, cell, 1 if safe else 2, noise=noise)
    reasons = [_clue_in_words(view, clue) for clue in clues]
    if counted:
        reasons.append(f"the number of mines, {view.mines} in all")
    return f"{cell} is {'safe' if safe else 'a mine'} because of {join_words(reasons)}"


def proof(solution: Solution, cell: Cell) -> dict[Cell, list[Cell]]:
    """Return a certain cell with the clues that prove it, or an empty dict if the cell is not certain."""
    view = solution.view
    if cell not in solution.safe and cell not in solution.mines:
        return {}
    noise = None if view.noise.exact else view.noise.table
    certain = 1 if cell in solution.safe else 2
    return {cell: minimal_proof(view.shown, view.mines, cell, certain, noise=noise)[0]}


def contradiction_in_view(view: View) -> Contradiction:
    """Return the contradiction in a view that no layout agrees with."""
    return contradiction(view.shown, view.mines, noise=None if view.noise.exact else view.noise.table)


def contradiction_in_words(view: View, found: Contradiction) -> str:
    """Explain in words why no layout agrees with the view."""
    unknown = int(((view.shown == COVERED) | (view.shown == FLAG) | (view.shown == DETONATED)).sum())
    if not found.clues and not found.mines:
        return f"{view.mines} mines in all do not fit into the {unknown} cells that are not open"
    named = [_clue_in_words(view, cell) for cell in found.clues]
    named += [f"the {'flag' if view.is_flagged(cell) else 'mine that went off'} at {cell}" for cell in found.mines]
    if found.counted:
        named.append(f"the number of mines, {view.mines} in all")
    if len(named) == 1:
        return f"{named[0]} cannot be true"
    clues_alone = not found.mines and not found.counted
    return f"these {'clues ' if clues_alone else ''}cannot all be true: {join_words(named)}"


def _clue_in_words(view: View, cell: Cell) -> str:
    clue = view.clue(cell)
    return f"the {'withheld clue' if clue is None else clue} at {cell}"


def layouts_in_words(solution: Solution) -> str:
    """Say in words how many layouts agree with the view."""
    digits = solution.log10_layouts
    if math.isnan(digits):
        return "consistent layouts: none is dealt before the first click"
    if digits < 12:
        count = f"{round(10**digits):,}"
    else:
        exponent = math.floor(digits)
        count = f"{10 ** (digits - exponent):.3f}e{exponent}"
    if not solution.view.noise.exact:
        return f"consistent layouts, each weighed by its likelihood: 10^{digits:.3f}"
    if solution.status is not Status.OK:
        return f"consistent layouts: about {count}"
    return f"consistent layouts: {count}"


class HeatText:
    """The board with probabilities in percent, as pieces of text in one style each, for rich to print.

    It replaces `rich.text.Text`, which takes a quarter of a minute for a board of a million cells.
    """

    def __init__(self, pieces: list[tuple[str, str]]) -> None:
        self.pieces = pieces

    @property
    def plain(self) -> str:
        """The text alone."""
        return "".join(text for text, _ in self.pieces)

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Segment]:
        styles = {name: Style.parse(name) for name in {style for _, style in self.pieces}}
        for text, style in self.pieces:
            yield Segment(text, styles[style])


def heat_map(solution: Solution) -> HeatText:
    """Draw the board with probabilities in percent, from green (safe) to red. Only certain cells show 0 or 100."""
    view = solution.view
    shown, cols = view.shown.reshape(-1), view.cols
    covered = shown == COVERED
    chance = np.where(covered, solution.probability.reshape(-1), 0.0)
    percent = np.clip(np.rint(100 * chance), 1, 99).astype(np.int64)
    if math.isnan(solution.log10_layouts):  # before a first click that is safe by the rules
        percent[:] = 0
    for cells, certain in ((solution.safe, 0), (solution.mines, 100)):
        percent[[row * cols + col for row, col in cells]] = certain
    marks = [str(number).rjust(4) for number in range(101)]
    marks += [{FLAG: "F", DETONATED: "*", WITHHELD: "?", 0: "."}.get(code, str(code)).rjust(4) for code in _OTHERS]
    mark = np.where(covered, percent, 101 - _OTHERS[0] + shown)
    red, green = np.rint(255 * np.minimum(1, 2 * chance)), np.rint(255 * np.minimum(1, 2 - 2 * chance))
    known = np.where((shown == FLAG) | (shown == DETONATED), -1, -2)
    colour = np.where(covered, 256 * red + green, known).astype(np.int64)
    begins = np.ones(shown.size, np.bool_)
    begins[1:] = colour[1:] != colour[:-1]
    begins[::cols] = True
    starts = np.flatnonzero(begins)
    texts = list(map(marks.__getitem__, mark.tolist()))
    styles = {number: _style(number) for number in np.unique(colour).tolist()}
    pieces = []
    for start, end, number in zip(
        starts.tolist(), [*starts[1:].tolist(), shown.size], colour[starts].tolist(), strict=True
    ):
        pieces.append(("".join(texts[start:end]), styles[number]))
        if end % cols == 0:
            pieces.append(("\n", ""))
    return HeatText(pieces)


def stated_map(view: View, stated: npt.NDArray[np.float64]) -> HeatText:
    """Draw the board with the probabilities that an agent states, in percent, and `-` for cells without one."""
    pieces = []
    for row in range(view.rows):
        for col in range(view.cols):
            code, chance = int(view.shown[row, col]), float(stated[row, col])
            if code != COVERED:
                mark = {FLAG: "F", DETONATED: "*", WITHHELD: "?", 0: "."}.get(code, str(code))
                pieces.append((mark.rjust(4), _style(-1 if code in (FLAG, DETONATED) else -2)))
            elif math.isnan(chance):
                pieces.append(("   -", "dim"))
            else:
                colour = 256 * round(255 * min(1.0, 2 * chance)) + round(255 * min(1.0, 2 - 2 * chance))
                certain = chance <= 0 or chance >= 1
                percent = round(100 * chance) if certain else min(max(round(100 * chance), 1), 99)
                pieces.append((str(percent).rjust(4), _style(colour)))
        pieces.append(("\n", ""))
    return HeatText(pieces)


def side_by_side(left: HeatText, right: HeatText, heads: tuple[str, str]) -> HeatText:
    """Join two maps of the same board side by side, under their heads."""
    rows = [_lines(each) for each in (left, right)]
    width = max(sum(len(text) for text, _ in rows[0][0]), len(heads[0]))
    pieces = [(f"{heads[0]:<{width}}   | {heads[1]}\n", "")]
    for one, other in zip(*rows, strict=True):
        gap = " " * (width - sum(len(text) for text, _ in one))
        pieces += [*one, (f"{gap}   |", ""), *other, ("\n", "")]
    return HeatText(pieces)


def _lines(board: HeatText) -> list[list[tuple[str, str]]]:
    lines: list[list[tuple[str, str]]] = [[]]
    for text, style in board.pieces:
        if text == "\n":
            lines.append([])
        else:
            lines[-1].append((text, style))
    return lines[:-1]


_OTHERS = range(DETONATED, WITHHELD + 1)


def _style(colour: int) -> str:
    """Return the style of a cell: for covered ones black letters on green, yellow or red, readable on any screen."""
    if colour < 0:
        return "bold red" if colour == -1 else "dim"
    return f"black on rgb({colour // 256},{colour % 256},80)"
