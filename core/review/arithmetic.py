"""The part of a review that needs only numbers and arrays. The engine in the page compiles these functions unchanged.

Commands and pages therefore judge games in the same way. The functions here take and return numbers and write into
arrays. Everything that needs objects is in the other modules.
"""

from __future__ import annotations

from collections.abc import Callable
from math import exp, log1p
from typing import TypeVar

import numpy as np
import numpy.typing as npt
from numba.extending import register_jitable

F = TypeVar("F", bound=Callable[..., object])
Reals = npt.NDArray[np.float64]
Numbers = npt.NDArray[np.int64]

EQUAL = 1e-9
"""Risks that differ by at most this much count as equal, as everywhere in the exact engine."""
INACCURACY, BLUNDER = 0.02, 0.10
"""The default thresholds: the risk above the least possible one from which a guess is an inaccuracy or a blunder."""

# The classes of decisions: the members of `judgement.Label` in their order.
SOUND_PROOF, UNSOUND_PROOF, MISSED_PROOF, BEST_GUESS, GOOD_GUESS, INACCURATE, BLUNDERED = range(7)
RIGHT_FLAG, WRONG_FLAG, NOT_JUDGED = range(7, 10)
NO_MISTAKE = 5  # what `severity` returns for all classes but the five mistakes

# The numbers of a decision about an uncertain cell. FLAGS and ESCAPE are 0 or 1. AFTER counts the decisions about
# certain cells before it.
TURN, FLAGS, CLASS, RISK, LEAST, ESCAPE, AFTER = range(7)
DECISION = 7
# The numbers of a turn: its class (-1 without a decision), the chance to be alive after it, the estimated chance to win
# before it, its luck, and 1 if it opened only cells that were as safe as possible, 0 if not, -1 if it opened no cell.
TURN_CLASS, ALIVE, CHANCE, LUCK, ACCURATE = range(5)
OF_TURN = 5
# The numbers of a game: the turns that opened cells and were judged, how many of them were accurate, the chance to
# survive its openings, the same if each had been the safest cell, and the luck in `win`.
CLICKS, ACCURATE_CLICKS, SURVIVED, SURVIVABLE, WIN_LUCK = range(5)
OF_GAME = 5


def _compilable(function: F) -> F:
    """Let compiled functions call a plain one."""
    compilable: F = register_jitable(function)
    return compilable


@_compilable
def class_of(
    flags: bool, mine: bool, exact: bool, claimed: bool, escape: bool, excess: float, inaccuracy: float, blunder: float
) -> int:
    """Return the class of a decision about an uncertain cell."""
    if flags and not mine:
        return WRONG_FLAG
    if flags and not claimed:
        return RIGHT_FLAG
    if not exact:
        return NOT_JUDGED
    if claimed:
        return UNSOUND_PROOF
    if escape:
        return MISSED_PROOF
    if excess <= EQUAL:
        return BEST_GUESS
    if excess > blunder + EQUAL:
        return BLUNDERED
    return INACCURATE if excess > inaccuracy + EQUAL else GOOD_GUESS


@_compilable
def cost_of(flags: bool, label: int, risk: float, least: float) -> float:
    """Return the cost of a decision: the risk above the least one, or the probability that a flag is wrong."""
    if label == NOT_JUDGED:
        return 0.0
    if flags:
        return 1.0 if np.isnan(risk) else 1.0 - risk  # NaN: the position was too large
    return max(risk - least, 0.0)


@_compilable
def severity(label: int) -> int:
    """Return the place of a class among the mistakes, 0 for the worst."""
    if label == UNSOUND_PROOF:
        return 0
    if label == WRONG_FLAG:
        return 1
    if label == MISSED_PROOF:
        return 2
    if label == BLUNDERED:
        return 3
    return 4 if label == INACCURATE else NO_MISTAKE


@_compilable
def value_for_win(
    density: float,
    safe: int,
    is_first: bool,
    excess: float,
    fitted: tuple[float, float, float, float, float, float],
    max_first: float,
) -> float:
    """Return the value v of an opening for `win`: see `luck`. `safe` counts the safe cells that are not open."""
    if is_first:
        value = min(max(fitted[3] + fitted[4] * density, 0.0), max_first)
    else:
        value = 1.0 / (1.0 + exp(-(fitted[0] + fitted[1] * density + fitted[2] * log1p(safe))))
    return value * exp(fitted[5] * excess)


@_compilable
def chance_to_win(safe: int, mines: int, cells: int, safety: float) -> float:
    """Estimate the chance that a good player wins, with `safe` safe cells and `mines` mines that are not open.

    `cells` is the number of cells of the board, and `safety` is the safety of the safest cell. On boards of the usual
    sizes, the exact chance cannot be computed. The four coefficients were fitted by maximum likelihood to 76,000
    positions of about 5,000 games of `exact` on boards of five sizes (`benchmarks/review.py chances`).
    """
    if safe == 0:
        return 1.0
    risk = exp(-9.18 + 23.7 * mines / cells + 2.03 * mines / (safe + mines) + 0.565 * log1p(safe))
    return safety * exp(-risk)


@_compilable
def _judge_certain(certain: Numbers, claimed: Numbers, turns: Reals, safety: Reals) -> None:
    """Update `turns` and `safety` with the decisions about certain cells."""
    for i in range(certain.shape[0]):
        turn = certain[i, 0] >> 1
        if turn >= claimed.size:
            continue
        if certain[i, 0] & 1 == 0:
            turns[turn, ACCURATE] = 1
            turns[turn, TURN_CLASS] = SOUND_PROOF if claimed[turn] else BEST_GUESS
            safety[turn] = 1.0
        elif turns[turn, TURN_CLASS] < 0:
            turns[turn, TURN_CLASS] = SOUND_PROOF if claimed[turn] else RIGHT_FLAG


@_compilable
def _judge_uncertain(decisions: Reals, certain: Numbers, turns: Reals, safety: Reals, game: Reals) -> None:
    """Update `turns`, `safety` and `game` with the decisions about uncertain cells.

    The class of a turn is that of its worst mistake, or else that of its first uncertain opening.
    """
    last = -1  # the last turn that opened an uncertain cell
    worst = np.full(safety.size, NO_MISTAKE, np.int64)
    for i in range(decisions.shape[0]):
        turn, label, after = int(decisions[i, TURN]), int(decisions[i, CLASS]), int(decisions[i, AFTER])
        if turn >= safety.size - 1:
            continue
        opens = decisions[i, FLAGS] == 0
        if severity(label) < worst[turn]:
            worst[turn] = severity(label)
            turns[turn, TURN_CLASS] = label
        elif worst[turn] == NO_MISTAKE and ((opens and last != turn) or turns[turn, TURN_CLASS] < 0):
            turns[turn, TURN_CLASS] = label
        if not opens:
            continue
        is_first = last != turn and (after == 0 or certain[after - 1, 0] != 2 * turn)
        last = turn
        if label == NOT_JUDGED:
            continue
        if is_first:
            safety[turn] = 1.0 if decisions[i, ESCAPE] != 0 else 1.0 - decisions[i, LEAST]
        if decisions[i, RISK] - decisions[i, LEAST] > EQUAL:
            turns[turn, ACCURATE] = 0
        elif turns[turn, ACCURATE] < 0:
            turns[turn, ACCURATE] = 1
        turns[turn, ALIVE] *= 1.0 - decisions[i, RISK]
        game[SURVIVED] *= 1.0 - decisions[i, RISK]
        game[SURVIVABLE] *= 1.0 - decisions[i, LEAST]


def sum_up(
    decisions: Reals,
    certain: Numbers,
    claimed: Numbers,
    luck: Reals,
    left: Numbers,
    mines: int,
    cells: int,
    ends: bool,
    won: bool,
    turns: Reals,
    game: Reals,
) -> None:
    """Fill `turns`, which has a row for each turn and one for the end, and `game` with the numbers of a review.

    `decisions` are those about uncertain cells, `certain` the others, as pairs: 2 x turn, plus 1 for a flag, and the
    cell. By turn: `claimed` is 1 if the agent called its cells proven, `luck` its luck, and `left` the number of safe
    cells that were not open before it, -1 if the game had ended. Chances to win are NaN unless a mine `ends` the game.
    """
    count = claimed.size
    safety = np.full(count + 1, -1.0)  # of the safest cell before each turn, as far as it is known
    for turn in range(count + 1):
        turns[turn, TURN_CLASS], turns[turn, ALIVE], turns[turn, ACCURATE] = -1, 1.0, -1
        turns[turn, LUCK] = luck[turn] if turn < count else 0.0
    game[CLICKS] = game[ACCURATE_CLICKS] = game[WIN_LUCK] = 0.0
    game[SURVIVED] = game[SURVIVABLE] = 1.0
    _judge_certain(certain, claimed, turns, safety)
    _judge_uncertain(decisions, certain, turns, safety, game)
    alive = 1.0
    for turn in range(count + 1):
        alive *= turns[turn, ALIVE]
        turns[turn, ALIVE] = alive
        game[WIN_LUCK] += turns[turn, LUCK]
        if turns[turn, ACCURATE] >= 0:
            game[CLICKS] += 1
            game[ACCURATE_CLICKS] += turns[turn, ACCURATE]
    chance = 1.0 if won else 0.0
    turns[count, CHANCE] = chance if ends else np.nan
    for turn in range(count - 1, -1, -1):
        if safety[turn] < 0:
            safety[turn] = safety[turn + 1]  # a turn that only flags; or a position that was too large
        if left[turn] >= 0:
            chance = chance_to_win(left[turn], mines, cells, safety[turn] if safety[turn] >= 0 else 1.0)
        turns[turn, CHANCE] = chance if ends else np.nan
