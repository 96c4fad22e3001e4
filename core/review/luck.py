"""Luck: the part of a score that is due to chance and not to the agent.

When an agent opens a cell that is not certain, chance decides what the cell shows. Let h be any number that depends on
what is shown; then h less its expectation, given everything shown before, is 0 on average, for every agent. So is the
sum of such terms over a game, each times a value v that is known before the cell is opened. That sum is the luck of the
game: a score less its luck has the same mean as the score (control variates), and varies less, the more of the score's
variation h and v explain.

Here h is the *outlook*: how safe the best cell of the next position is, and 0 after a mine. (Openings that the exact
sum cannot judge count 0, and so does the outlook once a mine was detonated; that is known before as well.)

v for `win` is an estimate of the chance to win for one who plays well, from the safe cells that are left, s, and the
density of the mines among the cells that are not open, d:

    1 / (1 + exp(-(13.9 - 9.5 d - 2.1 log(1 + s))))

or 2.8 - 10.4 d, from 0 to 2, for a first click that the rules protect; in both cases times exp(-4 x the risk that the
agent has taken above the least risk, this opening included), since one who plays badly will not win by luck alone.

v for `identified` is 0.8 x the share of the mines that are neither flagged nor detonated, times the same factor with -2
for -4, if a mine ends the game. If it does not, h is survival (1, or 0 for a mine) and v is 1 / mines: what a detonated
mine costs.

The numbers were fitted once: they are those that made the variance of the adjusted scores least, over games of `exact`,
`triples`, `probabilistic`, `basic` and `random` on Beginner, Intermediate and Expert boards (`benchmarks/review.py
fit`). Other numbers would be as right, and leave wider or narrower intervals.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import exp, log1p
from typing import NamedTuple

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
    """Return the luck of a game; `ends`: a mine ends it."""
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
    density = reveal.mines / reveal.unknown
    if reveal.probability == 0.0:  # a first click that the rules protect
        value = min(max(fitted.first + fitted.first_density * density, 0.0), MAX_FIRST)
    else:
        logit = fitted.base + fitted.density * density + fitted.safe * log1p(reveal.unknown - reveal.mines)
        value = 1.0 / (1.0 + exp(-logit))
    return value * exp(fitted.excess * reveal.excess)


def identified_luck(reveal: Reveal, *, ends: bool) -> float:
    """Return the part of `identified` that is due to the chance in one opening."""
    mines = reveal.mines + reveal.detonated
    if not mines:
        return 0.0
    if not ends:
        return reveal.survival / mines
    return 0.8 * exp(-2.0 * reveal.excess) * max(0.0, reveal.mines - reveal.flags) / mines * reveal.outlook
