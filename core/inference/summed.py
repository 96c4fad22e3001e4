"""A position whose sum is still in the workspace, so that further questions about it can be answered."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.errors import PositionError
from sweepstakes.game.codes import COVERED
from sweepstakes.game.view import View
from sweepstakes.inference._arrays import EXACT, Shown, frozen
from sweepstakes.inference.exact.base import STATES, arrays_of
from sweepstakes.inference.exact.layout import BY_LAYOUTS, OVER
from sweepstakes.inference.exact.scan import scan
from sweepstakes.inference.exact.workspace import Workspace, workspace
from sweepstakes.inference.posterior import (
    NO_CODES,
    NO_FLOATS,
    STATUS,
    Decision,
    Status,
    make_decision,
    sum_all_layouts,
)
from sweepstakes.inference.under_rules import is_first_click_safe

MODE = (BY_LAYOUTS, 1.0, math.nan)


class Summed(NamedTuple):
    """A position, the decision in it, and the workspace that holds its sum until another position is summed there."""

    shown: Shown
    mines: int
    decision: Decision
    log_layouts: float
    """Natural logarithm of the number of layouts; nan if nothing was summed because single clues proved a cell safe."""
    space: Workspace
    key: object
    """The owner of the workspace as long as that holds this sum."""
    left: int
    """Number of mines, without the known mines and those that single clues prove."""
    rest: int
    """Number of cells that are unknown and that single clues do not resolve."""
    components: int
    states: int

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns of the board."""
        rows, cols = self.shown.shape
        return rows, cols

    @property
    def is_ready(self) -> bool:
        """Whether the sum is exact and small enough for further questions."""
        return self.decision.status is Status.OK and 2 * self.states <= STATES

    def ask(self, kernel: Callable[..., Any], *given: Any) -> Any:
        """Call a kernel on the position with the arguments `given`. The first item of its answer is the status.

        If another position has been summed in the workspace since, this one is summed again first.
        """
        if self.space.owner is not self.key:
            return summed(self.shown, self.mines, probability=NO_FLOATS, certain=NO_CODES).ask(kernel, *given)
        numbers = (self.left, self.rest, self.components)
        while True:
            answer = kernel(self.shape, numbers, EXACT, arrays_of(self.space), *given)
            if answer[0] != OVER or self.space.capacity >= STATES:
                return answer
            self.space.grow(min(STATES, 4 * self.space.capacity))


def summed(
    shown: Shown,
    mines: int,
    *,
    stop_at_first_safe: bool = False,
    probability: npt.NDArray[np.float64],
    certain: npt.NDArray[np.int8],
) -> Summed:
    """Sum the layouts of a position with exact clues. `probability` and `certain` are filled unless they are empty."""
    if shown.flags.writeable:
        shown = frozen(shown)
    space, key = workspace(shown.shape), object()
    space.owner = key
    scanned = scan(shown, EXACT, False, True, space.cells)
    unknown, known, safe, found, bad = scanned
    left, rest = mines - known - found, unknown - safe - found
    if stop_at_first_safe and safe and bad < 0:
        decision = make_decision(space, safe, found, -1, math.nan, Status.OK)
        return Summed(shown, mines, decision, math.nan, space, key, left, rest, 0, STATES)
    status, components, safe, found, guess, chance, log_layouts, states = sum_all_layouts(
        space, scanned, shown, EXACT, False, mines, MODE, None, probability, certain
    )
    decision = make_decision(space, safe, found, guess, chance, STATUS[status])
    return Summed(shown, mines, decision, log_layouts, space, key, left, rest, components, states)


def check_question(view: View) -> None:
    """Raise `PositionError` unless all clues of the view are exact, its board has been dealt, and a cell is covered."""
    if not view.noise.exact:
        raise PositionError("clues under noise: lookahead and endgame need exact clues")
    if is_first_click_safe(view):
        raise PositionError("no board is dealt before the first click: open a cell first")
    if not (view.shown == COVERED).any():
        raise PositionError("no cell is covered: there is nothing to open")
