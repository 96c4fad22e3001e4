"""Step many games in one compiled call. The referee's kernels, which are called here, apply the rules."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sweepstakes.compiling.decorators import inner, kernel
from sweepstakes.game.codes import COVERED, FLAG, OPENING_CLICK, SAFE_CLICK
from sweepstakes.game.referee_kernels import (
    CLICKED,
    COLS,
    GOES_ON,
    LAST_MINE,
    MAX_TURNS,
    MINES_DETONATED,
    OPENED,
    ROWS,
    SAFE,
    TURNS,
    WON,
    count_mines,
    mix,
    place_mines,
    take,
    u64,
)
from sweepstakes.game.rng import GOLDEN

# The state of each game, in addition to the referee's planes and counters. EPISODES is the number of games that its
# stream has begun. BOARD is the number of its board in its stream or, if TOURNAMENT is not 0, in a tournament: of THIS
# game or the NEXT.
DEALT, EPISODES, BOARD, TOURNAMENT, STEPS, INVALID, VERDICT, DONE = range(8)
FIELDS = 8
THIS, NEXT = 1, 2
# The kind of all games: how they are dealt, and what happens after the end of one. COMPILED says whether they are dealt
# here.
MINES, FIRST_CLICK, START, COMPILED, AUTORESET = range(5)
NEXT_STEP, SAME_STEP, DISABLED = range(3)
# The table of rewards.
WIN, LOSE, OPEN, GUESS, NOT_ALLOWED, SHAPING, GAMMA = range(7)
# What is reported of a game after a step, as whole numbers.
REPORTED = ("opened", "turns", "invalid", "detonated", "board", "verdict")

Ints = npt.NDArray[np.int64]
Seeds = npt.NDArray[np.uint64]
Plane = npt.NDArray[np.int8]
Bools = npt.NDArray[np.bool_]
Floats = npt.NDArray[np.float64]


@inner(allocates=True)
def _deal(planes: Plane, counters: Ints, seed: np.uint64, kind: Ints, first: int) -> None:
    """Make the board of a seed as the source `uniform` does, without a mine where the first click protects."""
    rows, cols = counters[ROWS], counters[COLS]
    protected = np.empty(9, np.int64)
    count = 0
    if kind[FIRST_CLICK] == SAFE_CLICK:
        protected[0] = first
        count = 1
    elif kind[FIRST_CLICK] == OPENING_CLICK:
        row, col = first // cols, first % cols
        for r in range(max(row - 1, 0), min(row + 2, rows)):
            for c in range(max(col - 1, 0), min(col + 2, cols)):
                protected[count] = r * cols + c
                count += 1
    layout = np.zeros(rows * cols, np.uint8)
    high, low = np.int64(u64(seed) >> u64(32)), np.int64(u64(seed) & u64(0xFFFF_FFFF))
    place_mines(high, low, kind[MINES], protected[:count], layout)
    count_mines(layout, rows, cols, planes[rows * cols : 2 * rows * cols])


@inner
def _open_start(planes: Plane, counters: Ints, state: Ints, start: int, one: Ints) -> None:
    """Open the start cell before the first turn. This does not count as a turn."""
    one[0] = start
    none = one[:0]
    state[VERDICT] = take(planes, counters, none, none, none, one, 0)
    counters[TURNS] = counters[CLICKED] = 0


@inner
def _begin(
    planes: Plane, counters: Ints, state: Ints, seed: np.uint64, kind: Ints, blank: Plane, zero: Ints, one: Ints
) -> None:
    """Set a game to its beginning. If boards are dealt here and there is a start cell, open it."""
    for place in range(blank.size):
        planes[place] = blank[place]
    for entry in range(zero.size):
        counters[entry] = zero[entry]
    state[DEALT] = state[STEPS] = state[INVALID] = state[DONE] = 0
    state[VERDICT] = GOES_ON
    if kind[START] >= 0:
        if kind[COMPILED]:
            _deal(planes, counters, seed, kind, kind[START])
            state[DEALT] = 1
            _open_start(planes, counters, state, kind[START], one)
    elif zero[LAST_MINE] and zero[SAFE] == 0:
        state[VERDICT] = WON  # there is nothing to open


@inner
def _next_seed(bases: Seeds, seeds: Seeds, state: Ints, i: int) -> None:
    """The board seed of the next game of a stream (see `sweepstakes.learning.seeds`)."""
    state[BOARD] = state[EPISODES]
    state[TOURNAMENT] = 0
    state[EPISODES] += 1
    seeds[i] = mix(u64(u64(bases[i]) + u64(u64(state[EPISODES]) * u64(GOLDEN))))


@inner
def _is_blind(shown: Plane, counters: Ints, cell: int) -> bool:
    """Return whether some cell is open but no neighbour of this cell is, so that no clue sees it."""
    if counters[OPENED] + counters[MINES_DETONATED] == 0:
        return False
    rows, cols = counters[ROWS], counters[COLS]
    row, col = cell // cols, cell % cols
    for r in range(max(row - 1, 0), min(row + 2, rows)):
        for c in range(max(col - 1, 0), min(col + 2, cols)):
            if shown[r * cols + c] >= 0:
                return False
    return True


@inner
def _act(
    planes: Plane, counters: Ints, state: Ints, seed: np.uint64, kind: Ints, table: Floats, action: int, one: Ints
) -> float:
    """Carry out an action and return its reward. An action that is not allowed changes nothing but is counted."""
    cells = counters[ROWS] * counters[COLS]
    shown = planes[:cells]
    safe = max(counters[SAFE], 1)
    before = counters[OPENED] / safe
    flags = action >= cells
    cell = action - cells if flags else action
    code = shown[cell]
    none = one[:0]
    one[0] = cell
    reward = 0.0
    state[STEPS] += 1
    if state[VERDICT] != GOES_ON:  # the start cell has won the game
        reward = table[WIN]
    elif flags and code == COVERED:
        state[VERDICT] = take(planes, counters, none, none, one, none, 1)
    elif flags and code == FLAG:
        state[VERDICT] = take(planes, counters, none, one, none, none, 1)
    elif not flags and code == COVERED:
        if not state[DEALT]:
            _deal(planes, counters, seed, kind, cell)
            state[DEALT] = 1
        blind = _is_blind(shown, counters, cell)
        detonated = counters[MINES_DETONATED]
        state[VERDICT] = take(planes, counters, none, none, none, one, 1)
        if counters[MINES_DETONATED] > detonated:
            reward = table[LOSE]
        elif state[VERDICT] == WON:
            reward = table[WIN]
        else:
            reward = table[GUESS] if blind else table[OPEN]
    else:
        state[INVALID] += 1
        reward = table[NOT_ALLOWED]
    if table[SHAPING] != 0.0:
        after = counters[OPENED] / safe if state[VERDICT] == GOES_ON else 0.0
        reward += table[SHAPING] * (table[GAMMA] * after - before)
    return reward


@inner
def _report(counters: Ints, state: Ints, report: Ints) -> None:
    """Write the numbers of REPORTED."""
    report[0] = counters[OPENED]
    report[1] = counters[TURNS]
    report[2] = state[INVALID]
    report[3] = counters[MINES_DETONATED]
    report[4] = state[BOARD]
    report[5] = state[VERDICT]


@inner
def _show(planes: Plane, shown: Plane, mask: Bools) -> None:
    """Copy what a game shows and which actions it allows: opening and, if the mask is long enough, flagging."""
    cells = shown.size
    for cell in range(cells):
        shown[cell] = planes[cell]
        mask[cell] = planes[cell] == COVERED
    if mask.size > cells:
        for cell in range(cells):
            mask[cells + cell] = planes[cell] == COVERED or planes[cell] == FLAG


@kernel(allocates=False)
def step(
    planes: npt.NDArray[np.int8],
    counters: npt.NDArray[np.int64],
    states: npt.NDArray[np.int64],
    bases: Seeds,
    seeds: Seeds,
    kind: Ints,
    table: Floats,
    blank: Plane,
    zero: Ints,
    one: Ints,
    actions: Ints,
    shown: npt.NDArray[np.int8],
    masks: npt.NDArray[np.bool_],
    rewards: Floats,
    terminated: Bools,
    truncated: Bools,
    reports: npt.NDArray[np.int64],
    final_shown: npt.NDArray[np.int8],
    final_reports: npt.NDArray[np.int64],
) -> int:
    """Carry out one action in each game, begin new games where necessary, and write what all games show.

    Returns how many games ended. If an action does not exist, returns -1 and does nothing. In the mode SAME_STEP the
    last views and numbers of games that ended are in the `final` arrays. `one` is scratch for one cell.
    """
    for i in range(actions.size):
        if actions[i] < 0 or actions[i] >= masks.shape[1]:
            return -1
    ended = 0
    for i in range(actions.size):
        state = states[i]
        if state[DONE] and kind[AUTORESET] == NEXT_STEP:
            _next_seed(bases, seeds, state, i)
            _begin(planes[i], counters[i], state, seeds[i], kind, blank, zero, one)
            rewards[i] = 0.0
            terminated[i] = truncated[i] = False
        else:
            rewards[i] = _act(planes[i], counters[i], state, seeds[i], kind, table, actions[i], one)
            over = state[VERDICT] != GOES_ON
            terminated[i] = over
            truncated[i] = not over and state[STEPS] >= counters[i, MAX_TURNS]
            if terminated[i] or truncated[i]:
                ended += 1
                state[DONE] = 1
                if kind[AUTORESET] == SAME_STEP:
                    final = final_shown[i]
                    for cell in range(final.size):
                        final[cell] = planes[i, cell]
                    _report(counters[i], state, final_reports[i])
                    _next_seed(bases, seeds, state, i)
                    _begin(planes[i], counters[i], state, seeds[i], kind, blank, zero, one)
        _show(planes[i], shown[i], masks[i])
        _report(counters[i], state, reports[i])
    return ended


@kernel(allocates=False)
def begin(
    planes: npt.NDArray[np.int8],
    counters: npt.NDArray[np.int64],
    states: npt.NDArray[np.int64],
    bases: Seeds,
    seeds: Seeds,
    kind: Ints,
    blank: Plane,
    zero: Ints,
    one: Ints,
    which: Bools,
) -> None:
    """Begin new games where `which` is set, on a tournament's board if one is named, else on the next board of the
    stream."""
    for i in range(which.size):
        if which[i]:
            if states[i, TOURNAMENT] == NEXT:
                states[i, TOURNAMENT] = THIS
            else:
                _next_seed(bases, seeds, states[i], i)
            _begin(planes[i], counters[i], states[i], seeds[i], kind, blank, zero, one)


@kernel(allocates=False)
def open_start(planes: Plane, counters: Ints, state: Ints, start: int, one: Ints) -> None:
    """Open the start cell of a game that was dealt elsewhere."""
    _open_start(planes, counters, state, start, one)


@kernel(allocates=False)
def show(
    planes: npt.NDArray[np.int8],
    counters: npt.NDArray[np.int64],
    states: npt.NDArray[np.int64],
    shown: npt.NDArray[np.int8],
    masks: npt.NDArray[np.bool_],
    reports: npt.NDArray[np.int64],
) -> None:
    """Write what all games show, allow and report."""
    for i in range(len(shown)):
        _show(planes[i], shown[i], masks[i])
        _report(counters[i], states[i], reports[i])
