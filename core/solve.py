"""What can be known about a position, for people and for programs."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from rich.text import Text

from sweepstakes.cell import Cell
from sweepstakes.errors import PositionError
from sweepstakes.inference import Status, conflict, decide, enough, is_first_click_safe, posterior_under_rules
from sweepstakes.shown import COVERED, DETONATED, FLAG, WITHHELD
from sweepstakes.view import View

FIRST_CLICK = "the first click is safe by the rules"


class Solution(NamedTuple):
    """Everything that follows from a view. Flags count as known mines.

    Before a first click that is safe by the rules no board is dealt: every cell, flagged or not, is a mine with
    probability 0 if it is opened now, but `safe` is empty, since they are not safe together.
    """

    view: View
    probability: npt.NDArray[np.float64]
    """How likely a mine each cell is; nan for open cells, 1 for known mines."""
    safe: list[Cell]
    mines: list[Cell]
    """Certain mines among the covered cells."""
    best: Cell | None
    """A cell to open next: a safe one, or the least likely mine; None if none is covered."""
    log10_layouts: float
    """Of the number of layouts that agree with the view; under noise each counts as much as it is likely.

    nan before a first click that is safe by the rules.
    """
    status: Status

    def plain(self) -> dict[str, Any]:
        """As numbers and lists; null for open cells."""
        return {
            "probability": [[None if math.isnan(p) else p for p in row] for row in self.probability.tolist()],
            "safe": [list(cell) for cell in self.safe],
            "mines": [list(cell) for cell in self.mines],
            "log10_layouts": None if math.isnan(self.log10_layouts) else self.log10_layouts,
            "best": None if self.best is None else list(self.best),
            "status": str(self.status),
        }


def solve(view: View) -> Solution:
    """The exact solution of a view; `PositionError` names a clue that cannot hold if there is none."""
    shown = view.shown
    found = posterior_under_rules(view)
    if is_first_click_safe(view):
        first = next(iter(view.covered()), None)
        return Solution(view, found.probability, [], [], first, found.log_layouts, found.status)
    if found.status is Status.INCONSISTENT:
        raise PositionError(_contradiction(view))
    noise = None if view.noise.exact else view.noise.table
    choice = decide(shown, view.mines, noise=noise, hasty=False)
    probability = found.probability.copy()
    probability[(shown == FLAG) | (shown == DETONATED)] = 1.0
    safe = [Cell(*map(int, cell)) for cell in np.argwhere(found.safe)]
    best = safe[0] if safe else Cell(*divmod(choice.guess, view.cols)) if choice.guess >= 0 else None
    return Solution(
        view,
        probability,
        safe,
        [Cell(*map(int, cell)) for cell in np.argwhere(found.mine)],
        best,
        found.log_layouts / math.log(10),
        found.status,
    )


def why(solution: Solution, cell: Cell) -> str:
    """Why a covered cell is safe or a mine, in words: a few clues that prove it, none of which can be spared."""
    view = solution.view
    if not view.is_covered(cell):
        raise PositionError(f"{cell} is not covered: there is nothing to prove")
    if is_first_click_safe(view):
        return f"{cell} is safe if it is opened first: {FIRST_CLICK}"
    if cell not in solution.safe and cell not in solution.mines:
        return f"{cell} is not certain: it is a mine with probability {solution.probability[cell]:.6f}"
    safe = cell in solution.safe
    noise = None if view.noise.exact else view.noise.table
    clues, counted = enough(view.shown, view.mines, cell, 1 if safe else 2, noise=noise)
    reasons = [f"the {'withheld clue' if view.clue(clue) is None else view.clue(clue)} at {clue}" for clue in clues]
    if counted:
        reasons.append(f"the number of mines, {view.mines} in all")
    if len(reasons) > 1:
        reasons[-2:] = [f"{reasons[-2]} and {reasons[-1]}"]
    return f"{cell} is {'safe' if safe else 'a mine'} because of {', '.join(reasons)}"


def _contradiction(view: View) -> str:
    """Why no layout agrees with the view."""
    noise = None if view.noise.exact else view.noise.table
    cell = conflict(view.shown, view.mines, noise=noise)
    if cell is None:
        return f"no layout has {view.mines} mines in all: the clues and the known mines need another number"
    clue = view.clue(cell)
    what = "the withheld clue" if clue is None else f"the {clue}"
    return f"no layout agrees with {what} at {Cell(*cell)} and the clues before it"


def layouts_in_words(solution: Solution) -> str:
    """How many layouts agree with the view."""
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


def heat_map(solution: Solution) -> Text:
    """The board with probabilities in percent, from green (safe) to red (mine)."""
    text = Text()
    view, shown = solution.view, solution.view.shown
    for row in range(view.rows):
        for col in range(view.cols):
            code, p = int(shown[row, col]), float(solution.probability[row, col])
            if code == COVERED:
                text.append(_percent(p, (row, col), solution).rjust(4), _colour(p))
            else:
                mark = {FLAG: "F", DETONATED: "*", WITHHELD: "?", 0: "."}.get(code, str(code))
                text.append(mark.rjust(4), "bold red" if code in (FLAG, DETONATED) else "dim")
        text.append("\n")
    return text


def _percent(p: float, cell: tuple[int, int], solution: Solution) -> str:
    """Percent; only what is certain reads 0 or 100."""
    if cell in solution.safe or math.isnan(solution.log10_layouts):  # before a safe first click
        return "0"
    if cell in solution.mines:
        return "100"
    return f"{min(max(round(100 * p), 1), 99)}"


def _colour(p: float) -> str:
    """Green over yellow to red, on black letters so that it reads on dark and light."""
    red, green = round(255 * min(1.0, 2 * p)), round(255 * min(1.0, 2 - 2 * p))
    return f"black on rgb({red},{green},80)"
