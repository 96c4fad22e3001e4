"""Luck: the part of a score that is due to chance and not to the agent.

When an agent opens a cell that is not certain, chance decides what the cell shows. Let h be any number that depends on
what is shown. Then h minus its expectation, given everything shown before, is 0 on average, for every agent. Multiply
each such term by a value v that is known before the cell is opened, and add the products over a game: the sum is also 0
on average. This sum is the luck of the game. A score minus its luck therefore has the same mean as the score (luck is a
control variate). The more of the score's variation h and v explain, the less the difference varies.

Here h is the *outlook*: how safe the best cell of the next position is, or 0 after a mine. Openings that the exact sum
cannot judge count 0. So does the outlook once a mine has detonated. Both facts are known before the opening, so they
do not change the mean.

For `win`, v estimates the probability that a strong player wins. It depends on s, the number of safe cells left, and d,
the density of mines among the cells that are not open:

    1 / (1 + exp(-(13.9 - 9.5 d - 2.1 log(1 + s))))

For a first click that the rules protect, it is 2.8 - 10.4 d instead, clipped to the range from 0 to 2. Both are
multiplied by exp(-4 x excess), because an agent that plays badly will not win by luck alone. Here excess is the risk
above the lowest risk, summed over the agent's openings including this one.

For `identified`, if a mine ends the game, v is 0.8 x the share of mines that are neither flagged nor detonated, times
exp(-2 x excess). If the game continues after a mine, h is survival (1, or 0 for a mine) and v is 1 / mines, which is
what a detonated mine costs.

The numbers were fitted once: they minimise the variance of the adjusted scores over games of `exact`, `triples`,
`probabilistic`, `basic` and `random` on Beginner, Intermediate and Expert boards (`benchmarks/review.py fit`). Other
numbers would be just as correct, but would give wider or narrower intervals.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import exp
from typing import NamedTuple

from sweepstakes.review import arithmetic
from sweepstakes.review.walk import Reveal


class Luck(NamedTuple):
    """The parts of the scores of a game that are due to chance. Their expectation is 0 for every agent."""

    win: float = 0.0
    identified: float = 0.0


class Coefficients(NamedTuple):
    """The fitted numbers of v for `win`: see the beginning of this file."""

    base: float = 13.9
    density: float = -9.5
    safe: float = -2.1
    first: float = 2.8
    first_density: float = -10.4
    excess: float = -4.0


FITTED = Coefficients()
MAX_FIRST = 2.0


def luck_of(reveals: Iterable[Reveal], *, ends: bool) -> Luck:
    """Return the luck of a game. `ends` says whether a mine ends it."""
    win = identified = 0.0
    for reveal in reveals:
        win += win_luck(reveal)
        identified += identified_luck(reveal, ends=ends)
    return Luck(win, identified)


def win_luck(reveal: Reveal, fitted: Coefficients = FITTED) -> float:
    """Return the part of `win` that is due to the chance in one opening."""
    return 0.0 if reveal.detonated else reveal.outlook * win_value(reveal, fitted)


def win_value(reveal: Reveal, fitted: Coefficients = FITTED) -> float:
    """Return the value v of an opening for `win`, which is known before it."""
    density, safe = reveal.mines / reveal.unknown, reveal.unknown - reveal.mines
    return arithmetic.value_for_win(density, safe, reveal.probability == 0.0, reveal.excess, fitted, MAX_FIRST)


def identified_luck(reveal: Reveal, *, ends: bool) -> float:
    """Return the part of `identified` that is due to the chance in one opening."""
    mines = reveal.mines + reveal.detonated
    if not mines:
        return 0.0
    if not ends:
        return reveal.survival / mines
    return 0.8 * exp(-2.0 * reveal.excess) * max(0.0, reveal.mines - reveal.flags) / mines * reveal.outlook
