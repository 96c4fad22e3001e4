"""The exact posterior of a position: the mine probability of every cell that is not open."""

import math
from enum import StrEnum
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.drawing.drawing import Drawing
from sweepstakes.drawing.svg import svg
from sweepstakes.game.codes import marks_of
from sweepstakes.inference._arrays import EXACT, Shown, Table, flat_table, frozen
from sweepstakes.inference.exact.layout import (
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
from sweepstakes.inference.exact.marginals import sum_layouts
from sweepstakes.inference.exact.order import drop_clues
from sweepstakes.inference.exact.scan import scan
from sweepstakes.inference.exact.workspace import Workspace, workspace

Weighting = Literal["layouts", "solutions"]

NO_FLOATS = np.empty(0, dtype=np.float64)
NO_CODES = np.empty(0, dtype=np.int8)
NO_CELLS = np.empty(0, dtype=np.int64)
CODES, CELLS = NO_CODES.dtype, NO_CELLS.dtype  # numpy takes these faster than np.int8 and np.int64


class Status(StrEnum):
    """Whether a result is exact."""

    OK = "ok"
    """Exact."""
    APPROXIMATE = "approximate"
    """The sum exceeded its budget, so some clues were dropped. Certainties hold, but probabilities are estimates."""
    INCONSISTENT = "inconsistent"
    """No layout agrees with what is shown."""


Scanned = tuple[int, int, int, int, int]
Summed = tuple[int, int, int, int, int, float, float, int]
NOTHING: Summed = (INCONSISTENT, 0, 0, 0, -1, math.nan, -math.inf, 0)
STATUS = (Status.OK, Status.APPROXIMATE, Status.INCONSISTENT)


class Decision(NamedTuple):
    """What to do next. Cells are flat indices, row x columns + column, in the order in which they were found."""

    safe: npt.NDArray[np.int64]
    """Certainly safe."""
    mines: npt.NDArray[np.int64]
    """Certainly mines, among the unknown cells."""
    guess: int
    """The cell least likely to be a mine. It is -1 if a cell is certainly safe, if all are mines, and from `forced`."""
    probability: float
    """The mine probability of the guess; nan if there is no guess."""
    status: Status


class Posterior:
    """What is known about every cell of a position.

    `probability` is nan for cells that are not unknown, and for all cells if the position is inconsistent.

    `certain` is 1 where no consistent layout has a mine, 2 where all of them have one, and 0 elsewhere. It is exact and
    does not depend on a tolerance.

    `log_layouts` is the natural logarithm of the total weight. This is the number of layouts of the unknown cells (by
    layouts), the number of frontier solutions (by solutions), or the probability of the shown codes (with a prior).
    Under noise, each layout is weighted by its likelihood.

    `decision` is what `decide` returns with `stop_at_first_safe=False`. `states` is the used part of the budget, and
    `shown` is the position.
    """

    __slots__ = ("certain", "decision", "log_layouts", "probability", "shown", "states")

    def __init__(
        self,
        probability: npt.NDArray[np.float64],
        certain: npt.NDArray[np.int8],
        log_layouts: float,
        decision: Decision,
        states: int,
        shown: Shown,
    ) -> None:
        self.probability = probability
        self.certain = certain
        self.log_layouts = log_layouts
        self.decision = decision
        self.states = states
        self.shown = shown

    def __repr__(self) -> str:
        rows, cols = self.shown.shape
        return f"<Posterior {rows}x{cols}: {self.safe.sum()} safe, {self.mine.sum()} mines, {self.status}>"

    @property
    def status(self) -> Status:
        """Whether the posterior is exact."""
        return self.decision.status

    @property
    def safe(self) -> npt.NDArray[np.bool_]:
        """Cells that are certainly safe."""
        return np.equal(self.certain, 1)

    @property
    def mine(self) -> npt.NDArray[np.bool_]:
        """Cells that are certainly mines, among the unknown ones."""
        return np.equal(self.certain, 2)

    def drawing(self) -> Drawing:
        """Return a drawing of the position with the mine probabilities of its covered cells."""
        rows, cols = self.shown.shape
        return Drawing(rows, cols, marks_of(self.shown.tobytes()), heat=self.probability)

    def _repr_svg_(self) -> str:
        return svg(self)


def _mode(mines: int | None, prior: float | None, weighting: Weighting) -> tuple[int, float, float]:
    """Return (how layouts are weighed, odds of a mine, mine probability of a cell that no clue sees)."""
    if mines is not None:
        if prior is not None:
            raise ValueError("a prior density has no meaning when the mine count is given")
        return BY_LAYOUTS if weighting == "layouts" else BY_SOLUTIONS, 1.0, math.nan
    if prior is None:
        return BY_ODDS, 1.0, math.nan
    if not 0.0 < prior < 1.0:
        raise ValueError(f"a prior density lies between 0 and 1, not {prior}")
    return BY_ODDS, prior / (1.0 - prior), prior


def sum_all_layouts(
    space: Workspace,
    scanned: Scanned,
    shown: Shown,
    table: Table,
    noisy: bool,
    mines: int | None,
    mode: tuple[int, float, float],
    budget: int | None,
    probability: npt.NDArray[np.float64],
    certain: npt.NDArray[np.int8],
) -> Summed:
    """Sum the layouts of a scanned position, with a larger workspace or fewer clues if it is too large.

    Returns (status, components, safe cells, mines, guess, its probability, logarithm of the weight, states).
    """
    unknown, known, safe, found, bad = scanned
    rest = unknown - safe - found
    left = 0
    if mines is not None:
        left = mines - known - found
    if bad >= 0 or left < 0 or left > rest:
        return NOTHING
    if budget is None:
        budget = space.budget
    given = (shown, table, noisy, (left, rest, safe, found), mode, budget, space.cells, space.links)
    answer: Summed = sum_layouts(*given, space.wide, space.narrow, space.real, space.scratch, probability, certain)
    while answer[0] == OVER and space.capacity < budget:
        space.grow(min(budget, 4 * space.capacity))
        answer = sum_layouts(*given, space.wide, space.narrow, space.real, space.scratch, probability, certain)
    if answer[0] != OVER:
        return answer
    try:
        bits = 1024 * (budget.bit_length() + 4)
        while answer[0] == OVER:
            while bits > 0 and drop_clues(space.cells, space.links, answer[1], bits) == 0:
                bits -= 2048
            if bits <= 0:
                space.cells[DROPPED] |= space.cells[CLUE_AT] >= 0
            bits -= 2048
            answer = sum_layouts(*given, space.wide, space.narrow, space.real, space.scratch, probability, certain)
    finally:
        # Even if this is interrupted, the next position must have all its clues.
        space.cells[DROPPED] = 0
    return answer if answer[0] != OK else (APPROXIMATE, *answer[1:])


def _answer(
    shown: Shown,
    mines: int | None,
    noise: Table | None,
    trust_flags: bool,
    prior: float | None,
    weighting: Weighting,
    budget: int | None,
    stop_at_first_safe: bool,
    probability: npt.NDArray[np.float64],
    certain: npt.NDArray[np.int8],
) -> tuple[Decision, float, int]:
    """Return (decision, logarithm of the total weight, states), or nan and 0 states if no layouts were summed.

    `probability` and `certain`, which are flat, are filled if layouts are summed. Both are empty if not needed.
    """
    if shown.flags.writeable:
        shown = frozen(shown)
    noisy = noise is not None
    table = EXACT if noise is None else flat_table(noise)
    space = workspace(shown.shape)
    scanned = scan(shown, table, noisy, trust_flags, space.cells)
    _, _, safe, found, bad = scanned
    if stop_at_first_safe and safe and bad < 0:
        return make_decision(space, safe, found, -1, math.nan, Status.OK), math.nan, 0
    mode = _mode(mines, prior, weighting)
    status, _, safe, found, guess, chance, log_layouts, states = sum_all_layouts(
        space, scanned, shown, table, noisy, mines, mode, budget, probability, certain
    )
    return make_decision(space, safe, found, guess, chance, STATUS[status]), log_layouts, states


def make_decision(space: Workspace, safe: int, found: int, guess: int, chance: float, status: Status) -> Decision:
    """Make a decision from the first `safe` and `found` cells in the lists of the workspace."""
    return Decision(
        space.safe_list[:safe].astype(CELLS) if safe else NO_CELLS,
        space.mine_list[:found].astype(CELLS) if found else NO_CELLS,
        guess,
        chance,
        status,
    )


def forced(shown: Shown, *, noise: Table | None = None, trust_flags: bool = True) -> Decision:
    """Return the cells that single clues prove, used again until nothing new is found. This is the cheapest deduction.

    There is no guess, and the mine count is not used. If clues contradict each other, the status is `inconsistent` and
    the cells are those found before the contradiction.
    """
    space = workspace(shown.shape)
    table = EXACT if noise is None else flat_table(noise)
    _, _, safe, found, bad = scan(frozen(shown), table, noise is not None, trust_flags, space.cells)
    return make_decision(space, safe, found, -1, math.nan, Status.OK if bad < 0 else Status.INCONSISTENT)


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
    """Return the exact mine probability of every unknown cell, and what to do next.

    `mines` is the total number of mines. With the weighting `layouts`, every layout of the board has the same weight.
    With `solutions`, every solution of the frontier (the cells that a clue sees) has the same weight, as long as the
    remaining mines fit elsewhere. If `mines` is None, each cell is a mine with probability `prior`, independently. If
    `prior` is None as well, every frontier solution has the same weight, and the other cells have no probability (nan).

    `noise` is a table of likelihoods [neighbours, true count, shown code]. Without it, clues are exact and withheld
    clues are ignored. Detonated cells are known mines, and so are flagged cells if `trust_flags`. `budget` limits the
    states of the sum. If it is exceeded, clues are dropped in a fixed order and the status is `approximate`.
    """
    probability = np.empty(shown.shape)
    probability.fill(math.nan)
    certain = np.zeros(shown.shape, CODES)
    decision, log_layouts, states = _answer(
        shown,
        mines,
        noise,
        trust_flags,
        prior,
        weighting,
        budget,
        False,
        probability.ravel(),
        certain.ravel(),
    )
    return Posterior(
        probability, certain, log_layouts, decision, states, shown.copy() if shown.flags.writeable else shown
    )


class Weighed(NamedTuple):
    """The weight and the best safety of a position."""

    status: Status
    log_layouts: float
    """See `Posterior.log_layouts`."""
    safety: float
    """The probability that the safest unknown cell is safe; 1 if no cell is unknown, or if all are mines."""


def weigh(
    shown: Shown, mines: int, noise: Table | None = None, trust_flags: bool = True, budget: int | None = None
) -> Weighed:
    """Return the total weight of a position and the safety of its best cell. This is faster than `posterior`.

    It serves to compare positions that differ in one opened cell: the difference of their `log_layouts` is the
    difference of the logarithms of the probabilities of what they show.
    """
    noisy = noise is not None
    table = EXACT if noise is None else flat_table(noise)
    space = workspace(shown.shape)
    shown = frozen(shown)
    scanned = scan(shown, table, noisy, trust_flags, space.cells)
    status, _, safe, _, guess, chance, log_layouts, _ = sum_all_layouts(
        space, scanned, shown, table, noisy, mines, (BY_LAYOUTS, 1.0, math.nan), budget, NO_FLOATS, NO_CODES
    )
    return Weighed(STATUS[status], log_layouts, 1.0 if safe or guess < 0 else 1.0 - chance)


def decide(
    shown: Shown,
    mines: int | None,
    noise: Table | None = None,
    trust_flags: bool = True,
    prior: float | None = None,
    weighting: Weighting = "layouts",
    budget: int | None = None,
    stop_at_first_safe: bool = True,
    out: npt.NDArray[np.float64] | None = None,
) -> Decision:
    """Return the certain cells, or the cell to guess if no cell is certainly safe.

    The guess is the cell least likely to be a mine, then the one with the fewest unknown neighbours, then the first row
    by row. The arguments have the same meaning as for `posterior`. With `stop_at_first_safe`, the cells that single
    clues prove are returned at once if one of them is safe; there may be more certain cells. An inconsistent position
    has neither certain cells nor a guess.

    `out`, an array of the board's shape, gets the mine probability of every unknown cell from the same sum. It is not
    changed if no layouts are summed, or if the position is inconsistent.
    """
    probability, certain = NO_FLOATS, NO_CODES
    if out is not None:
        probability, certain = _flat(out, shown.shape), np.empty(shown.size, CODES)
    return _answer(
        shown, mines, noise, trust_flags, prior, weighting, budget, stop_at_first_safe, probability, certain
    )[0]


def _flat(out: npt.NDArray[np.float64], shape: tuple[int, ...]) -> npt.NDArray[np.float64]:
    """Return the output array, flat. Check it first, since compiled code does not check where it writes."""
    if out.shape != shape or out.dtype != np.float64 or not out.flags.carray:
        raise ValueError(f"`out` must be a writable C-contiguous array of float64 of shape {shape}")
    return out.ravel()
