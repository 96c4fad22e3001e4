"""The exact posterior of a position: what can be known about every cell that is not open."""

import math
from enum import StrEnum
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.inference._kernels import solve
from sweepstakes.inference._layout import (
    BY_LAYOUTS,
    BY_ODDS,
    BY_SOLUTIONS,
    GROW,
    MINE_LIST,
    SAFE_LIST,
)
from sweepstakes.inference._workspace import Workspace, workspace

Shown = npt.NDArray[np.int8]
Table = npt.NDArray[np.float64]
Weighting = Literal["layouts", "solutions"]

LEAST_BUDGET = 1 << 17
NO_FLOATS = np.empty((0, 0), dtype=np.float64)
NO_CODES = np.empty((0, 0), dtype=np.int8)
EXACT = np.zeros((9, 9, 10), dtype=np.float64)
EXACT[:, range(9), range(9)] = 1.0
EXACT.flags.writeable = False


class Status(StrEnum):
    """How far an answer can be trusted."""

    OK = "ok"
    """Exact."""
    APPROXIMATE = "approximate"
    """Over budget: some clues were left out. Certainties still hold; probabilities are estimates."""
    INCONSISTENT = "inconsistent"
    """No layout agrees with what is shown."""


_STATUS = (Status.OK, Status.APPROXIMATE, Status.INCONSISTENT)


def default_budget(cells: int) -> int:
    """States that a position of so many cells may use unless the caller says otherwise."""
    return max(LEAST_BUDGET, 4 * cells)


class Posterior:
    """What is known about every cell of a position.

    `probability` is nan where a cell is not unknown, and everywhere if the position is inconsistent. `certain` is 1
    where no consistent layout has a mine, 2 where every one has, else 0: counted, not compared with a tolerance.
    `log_layouts` is the natural logarithm of the total weight: of the number of layouts of the unknown cells (by
    layouts), of the number of frontier solutions (by solutions), of the probability of what is shown (with a
    prior); under noise each layout weighs its likelihood. `states` says how much of the budget was used.
    """

    __slots__ = ("certain", "log_layouts", "probability", "states", "status")

    def __init__(
        self,
        probability: npt.NDArray[np.float64],
        certain: npt.NDArray[np.int8],
        log_layouts: float,
        status: Status,
        states: int,
    ) -> None:
        self.probability = probability
        self.certain = certain
        self.log_layouts = log_layouts
        self.status = status
        self.states = states

    @property
    def safe(self) -> npt.NDArray[np.bool_]:
        """Cells that are certainly safe."""
        return self.certain == 1

    @property
    def mine(self) -> npt.NDArray[np.bool_]:
        """Cells that are certainly mines, among the unknown ones."""
        return self.certain == 2


class Decision(NamedTuple):
    """What to do next. Cells are flat indices, row by row."""

    safe: npt.NDArray[np.int32]
    """Certainly safe."""
    mines: npt.NDArray[np.int32]
    """Certainly mines, among the unknown cells."""
    guess: int
    """The least probable cell when none is certainly safe, else -1."""
    probability: float
    """The guess's mine probability, else nan."""
    status: Status


def _weights(mines: int | None, prior: float | None, weighting: Weighting) -> tuple[int, int, float, float]:
    """(mines, mode, odds, probability of a cell that no clue sees) as the kernel wants them."""
    if mines is not None:
        if prior is not None:
            raise ValueError("a prior density has no meaning when the mine count is given")
        return mines, BY_LAYOUTS if weighting == "layouts" else BY_SOLUTIONS, 1.0, math.nan
    if prior is None:
        return 0, BY_ODDS, 1.0, math.nan
    if not 0.0 < prior < 1.0:
        raise ValueError(f"a prior density lies between 0 and 1, not {prior}")
    return 0, BY_ODDS, prior / (1.0 - prior), prior


def _frozen_shown(shown: Shown) -> Shown:
    """A read-only C-contiguous int8 view: the one array type that the kernel is compiled for."""
    if shown.dtype != np.int8 or not shown.flags.c_contiguous:
        shown = np.ascontiguousarray(shown, dtype=np.int8)
    view = shown.view()
    view.flags.writeable = False
    return view


def _frozen_table(table: Table) -> Table:
    """The same for a likelihood table."""
    if table.shape != (9, 9, 10):
        raise ValueError(f"a likelihood table has shape (9, 9, 10), not {table.shape}")
    view = np.ascontiguousarray(table, dtype=np.float64).view()
    view.flags.writeable = False
    return view


def posterior(
    shown: Shown,
    mines: int | None,
    *,
    noise: Table | None = None,
    trust_flags: bool = True,
    prior: float | None = None,
    weighting: Weighting = "layouts",
    budget: int | None = None,
) -> Posterior:
    """The exact mine probability of every unknown cell.

    `mines` is the total count. By `layouts` every layout of the board weighs the same; by `solutions` every solution
    of the frontier (the cells that a clue sees) does, as long as the remaining mines fit elsewhere. Without a count,
    each cell is a mine with the `prior` density by itself; without that too, every frontier solution weighs the
    same and the other cells have no probability (nan).

    `noise` is a table of likelihoods [neighbours, true count, shown code]; without it clues are exact and a withheld
    one tells nothing. Detonated cells are known mines, flagged ones if `trust_flags`. `budget` counts states of the
    summation; over it, clues are left out in a fixed way and the status says `approximate`.
    """
    if shown.flags.writeable or shown.dtype != np.int8 or not shown.flags.c_contiguous:
        shown = _frozen_shown(shown)
    shape = shown.shape
    count, mode, odds, rest = _weights(mines, prior, weighting)
    if noise is None:
        table = EXACT
    else:
        table = _frozen_table(noise) if noise.flags.writeable or noise.shape != EXACT.shape else noise
    space = workspace(shape)
    if budget is None:
        budget = default_budget(shown.size)
    probability = np.full(shape, np.nan)
    certain = np.zeros(shape, dtype=np.int8)
    while True:
        status, _, _, _, _, log_layouts, states = solve(
            shown,
            table,
            noise is not None,
            trust_flags,
            count,
            mode,
            odds,
            rest,
            budget,
            False,
            space.cells,
            space.links,
            space.around,
            space.pool,
            probability,
            certain,
        )
        if status != GROW:
            return Posterior(probability, certain, log_layouts, _STATUS[status], states)
        _grow(space, budget)


def decide(
    shown: Shown,
    mines: int | None,
    noise: Table | None = None,
    trust_flags: bool = True,
    prior: float | None = None,
    weighting: Weighting = "layouts",
    budget: int | None = None,
    hasty: bool = True,
) -> Decision:
    """The certain cells, or the cell to guess: least probable, then fewest unknown neighbours, then row by row.

    The meaning of the arguments is that of `posterior`. With `hasty`, what single clues prove is returned at once when
    it includes a safe cell, and there may be more. An inconsistent position has neither certain cells nor a guess.
    """
    if shown.flags.writeable or shown.dtype != np.int8 or not shown.flags.c_contiguous:
        shown = _frozen_shown(shown)
    count, mode, odds, rest = _weights(mines, prior, weighting)
    if noise is None:
        table = EXACT
    else:
        table = _frozen_table(noise) if noise.flags.writeable or noise.shape != EXACT.shape else noise
    space = workspace(shown.shape)
    if budget is None:
        budget = default_budget(shown.size)
    while True:
        status, safe, found, guess, chance, _, _ = solve(
            shown,
            table,
            noise is not None,
            trust_flags,
            count,
            mode,
            odds,
            rest,
            budget,
            hasty,
            space.cells,
            space.links,
            space.around,
            space.pool,
            NO_FLOATS,
            NO_CODES,
        )
        if status != GROW:
            cells = space.cells
            return Decision(
                cells[SAFE_LIST, :safe].copy(),
                cells[MINE_LIST, :found].copy(),
                guess,
                chance,
                _STATUS[status],
            )
        _grow(space, budget)


def _grow(space: Workspace, budget: int) -> None:
    """Enlarge a workspace towards a budget."""
    space.grow(min(budget, 4 * space.capacity))
