"""The exact posterior of a position: what can be known about every cell that is not open."""

import math
from enum import StrEnum
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.inference._arrays import EXACT, Shown, Table, flat_table, frozen
from sweepstakes.inference._kernels import weigh
from sweepstakes.inference._kernels_order import leave_out
from sweepstakes.inference._kernels_scan import scan
from sweepstakes.inference._layout import (
    APPROXIMATE,
    BY_LAYOUTS,
    BY_ODDS,
    BY_SOLUTIONS,
    CLUE_AT,
    DROPPED,
    INCONSISTENT,
    OK,
    OVER,
)
from sweepstakes.inference._workspace import Workspace, workspace

Weighting = Literal["layouts", "solutions"]

NO_FLOATS = np.empty(0, dtype=np.float64)
NO_CODES = np.empty(0, dtype=np.int8)
NO_CELLS = np.empty(0, dtype=np.int32)
NO_CELLS.flags.writeable = False


class Status(StrEnum):
    """How far an answer can be trusted."""

    OK = "ok"
    """Exact."""
    APPROXIMATE = "approximate"
    """Over budget: some clues were left out. Certainties still hold; probabilities are estimates."""
    INCONSISTENT = "inconsistent"
    """No layout agrees with what is shown."""


_STATUS = (Status.OK, Status.APPROXIMATE, Status.INCONSISTENT)


class Posterior:
    """What is known about every cell of a position.

    `probability` is nan where a cell is not unknown, and everywhere if the position is inconsistent.
    `certain` is 1 where no consistent layout has a mine, 2 where every one has, else 0: counted, not compared
    with a tolerance. `log_layouts` is the natural logarithm of the total weight: of the number of layouts of
    the unknown cells (by layouts), of the number of frontier solutions (by solutions), of the probability of
    what is shown (with a prior); under noise each layout weighs its likelihood. `states` says how much of the
    budget was used.
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
        return np.equal(self.certain, 1)

    @property
    def mine(self) -> npt.NDArray[np.bool_]:
        """Cells that are certainly mines, among the unknown ones."""
        return np.equal(self.certain, 2)


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


def _odds(mines: int | None, prior: float | None) -> tuple[float, float]:
    """(odds of a mine, probability of a cell that no clue sees) when there is no count."""
    if mines is not None:
        raise ValueError("a prior density has no meaning when the mine count is given")
    if prior is None:
        return 1.0, math.nan
    if not 0.0 < prior < 1.0:
        raise ValueError(f"a prior density lies between 0 and 1, not {prior}")
    return prior / (1.0 - prior), prior


def _run(
    shown: Shown,
    mines: int | None,
    noise: Table | None,
    trust_flags: bool,
    prior: float | None,
    weighting: Weighting,
    budget: int | None,
    hasty: bool,
    probability: npt.NDArray[np.float64],
    certain: npt.NDArray[np.int8],
) -> tuple[int, int, int, int, float, float, int, Workspace]:
    """(status, safe cells, mines, guess, its probability, logarithm of the weight, states, workspace)."""
    if shown.flags.writeable:
        shown = frozen(shown)
    if mines is not None and prior is None:
        mode = BY_LAYOUTS if weighting == "layouts" else BY_SOLUTIONS
        odds = 1.0
        rest_chance = math.nan
    else:
        mode = BY_ODDS
        odds, rest_chance = _odds(mines, prior)
    table = EXACT if noise is None else flat_table(noise)
    noisy = noise is not None
    space = workspace(shown.shape)
    cells = space.cells
    unknown, known, safe, found, bad = scan(shown, table, noisy, trust_flags, cells)
    if hasty and safe > 0 and bad < 0:
        return OK, safe, found, -1, math.nan, math.nan, 0, space
    rest = unknown - safe - found
    left = 0
    if mines is not None:
        left = mines - known - found
        if left < 0 or left > rest:
            bad = 0
    if bad >= 0:
        return INCONSISTENT, 0, 0, -1, math.nan, -math.inf, 0, space
    if budget is None:
        budget = space.budget
    answer = OK
    bits = 0
    while True:
        status, parts, all_safe, all_found, guess, chance, logarithm, states = weigh(
            shown,
            table,
            noisy,
            left,
            rest,
            safe,
            found,
            mode,
            odds,
            rest_chance,
            budget,
            cells,
            space.links,
            space.wide,
            space.narrow,
            space.real,
            probability,
            certain,
        )
        if status != OVER:
            break
        if space.capacity < budget:
            space.grow(min(budget, 4 * space.capacity))
            continue
        if answer == OK:
            answer = APPROXIMATE
            bits = 1024 * (budget.bit_length() + 4)
        while bits > 0 and leave_out(cells, space.links, parts, bits) == 0:
            bits -= 2048
        if bits <= 0:
            cells[DROPPED] |= cells[CLUE_AT] >= 0
        bits -= 2048
    if answer == APPROXIMATE:
        cells[DROPPED] = 0
    if status == OK:
        status = answer
    return status, all_safe, all_found, guess, chance, logarithm, states, space


def forced(shown: Shown, *, noise: Table | None = None, trust_flags: bool = True) -> Decision:
    """What single clues prove, one after another to the fixed point, and no more: the cheapest deduction.

    The cells are those that `propagate` finds, without the reasons. Where clues contradict each other the
    status is `inconsistent` and the cells are what was found up to then.
    """
    space = workspace(shown.shape)
    table = EXACT if noise is None else flat_table(noise)
    _, _, safe, found, bad = scan(frozen(shown), table, noise is not None, trust_flags, space.cells)
    return Decision(
        space.safe_list[:safe].copy() if safe else NO_CELLS,
        space.mine_list[:found].copy() if found else NO_CELLS,
        -1,
        math.nan,
        Status.OK if bad < 0 else Status.INCONSISTENT,
    )


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

    `mines` is the total count. By `layouts` every layout of the board weighs the same; by `solutions` every
    solution of the frontier (the cells that a clue sees) does, as long as the remaining mines fit elsewhere.
    Without a count, each cell is a mine with the `prior` density by itself; without that too, every frontier
    solution weighs the same and the other cells have no probability (nan).

    `noise` is a table of likelihoods [neighbours, true count, shown code]; without it clues are exact and a
    withheld one tells nothing. Detonated cells are known mines, flagged ones if `trust_flags`. `budget`
    counts states of the summation; over it, clues are left out in a fixed way and the status says
    `approximate`.
    """
    shape = shown.shape
    probability = np.full(shown.size, np.nan)
    certain = np.zeros(shown.size, dtype=np.int8)
    status, _, _, _, _, log_layouts, states, _ = _run(
        shown, mines, noise, trust_flags, prior, weighting, budget, False, probability, certain
    )
    return Posterior(probability.reshape(shape), certain.reshape(shape), log_layouts, _STATUS[status], states)


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
    """The certain cells, or the cell to guess: least probable, fewest unknown neighbours, first row by row.

    The meaning of the arguments is that of `posterior`. With `hasty`, what single clues prove is returned at
    once when it includes a safe cell, and there may be more. An inconsistent position has neither certain
    cells nor a guess.
    """
    status, safe, found, guess, chance, _, _, space = _run(
        shown, mines, noise, trust_flags, prior, weighting, budget, hasty, NO_FLOATS, NO_CODES
    )
    return Decision(
        space.safe_list[:safe].copy() if safe else NO_CELLS,
        space.mine_list[:found].copy() if found else NO_CELLS,
        guess,
        chance,
        _STATUS[status],
    )
