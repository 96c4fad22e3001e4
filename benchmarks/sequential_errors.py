"""How often the sequential test of a match errs, and how often its interval covers, by simulation, as two tables.

Both sides of both tests are measured: that a winner is named where the agents are equal (d = 0), and that the
better agent is not named where it leads by delta (d = delta for A, d = -delta for B).

The interval is looked at where the match stops, which is what a match prints, and after every 100 boards until then:
a confidence sequence covers the mean all the time in 95 % of the matches. Student's interval, as if the number of
boards had been fixed, is there to compare.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.tournaments.statistics.confidence_sequence import half_width
from sweepstakes.tournaments.statistics.moments import student_quantile
from sweepstakes.tournaments.statistics.sequential_test import BATCH, BOUND, MIRRORED_BOUND, log_ratio

Draw = Callable[[np.random.Generator, tuple[int, int], float], npt.NDArray[np.float64]]
"""Paired differences of this shape with this mean."""


class Rates(NamedTuple):
    """The shares of simulated matches that named A, B and neither, and the boards of the average match.

    Then the shares whose interval contains the true mean: that of the match where it stops, that of the match after
    every test, and Student's where it stops.
    """

    better: float
    worse: float
    neither: float
    boards: float
    covered: float
    always_covered: float
    student_covered: float


class Model(NamedTuple):
    """A kind of differences between two agents, and the delta to look for."""

    name: str
    draw: Draw
    delta: float
    largest: float = 0.0
    """The largest possible difference, if the match knows it."""


def decisive(share: float) -> Draw:
    """Wins and losses: this share of the boards is won by one agent alone (+1 or -1), the rest are equal."""

    def draw(rng: np.random.Generator, shape: tuple[int, int], mean: float) -> npt.NDArray[np.float64]:
        uniform = rng.random(shape)
        return np.where(uniform < (share + mean) / 2, 1.0, np.where(uniform < share, -1.0, 0.0))

    return draw


def normal(deviation: float) -> Draw:
    """Scores that differ a little on every board."""
    return lambda rng, shape, mean: rng.normal(mean, deviation, shape)


def skewed(deviation: float) -> Draw:
    """A small lead on most boards and rare heavy losses (an exponential tail; negative: heavy gains)."""
    return lambda rng, shape, mean: mean + deviation * (1 - rng.exponential(1.0, shape))


def seldom(share: float, deviation: float) -> Draw:
    """Equal scores on most boards and any difference on this share of them."""

    def draw(rng: np.random.Generator, shape: tuple[int, int], mean: float) -> npt.NDArray[np.float64]:
        return np.where(rng.random(shape) < share, rng.normal(mean / share, deviation, shape), 0.0)

    return draw


MODELS = (
    Model("wins, 1 % decisive", decisive(0.01), 0.005, 1.0),
    Model("wins, 2 % decisive", decisive(0.02), 0.02, 1.0),
    Model("wins, 5 % decisive", decisive(0.05), 0.02, 1.0),
    Model("wins, 20 % decisive", decisive(0.2), 0.02, 1.0),
    Model("wins, 20 % decisive", decisive(0.2), 0.05, 1.0),
    Model("wins, 20 % decisive", decisive(0.2), 0.1, 1.0),
    Model("wins, 50 % decisive", decisive(0.5), 0.03, 1.0),
    Model("wins, 50 % decisive", decisive(0.5), 0.2, 1.0),
    Model("normal, deviation 0.3", normal(0.3), 0.012),
    Model("normal, deviation 0.3", normal(0.3), 0.02),
    Model("normal, deviation 0.3", normal(0.3), 0.05),
    Model("normal, deviation 0.1", normal(0.1), 0.05),
    Model("rare heavy losses", skewed(0.2), 0.02),
    Model("rare heavy losses", skewed(0.2), 0.05),
    Model("rare heavy gains", skewed(-0.2), 0.02),
    Model("rare heavy gains", skewed(-0.2), 0.05),
    Model("equal on 90 %", seldom(0.1, 0.5), 0.02),
    Model("equal on 95 %", seldom(0.05, 0.3), 0.05),
)


def simulate(model: Model, mean: float, *, matches: int, maximum: int = 100_000, seed: int = 1) -> Rates:
    """Play this many matches whose differences have this mean, all side by side."""
    rng = np.random.default_rng(seed)
    total, squares, largest = np.zeros((3, matches))
    better, worse, boards = np.zeros((3, matches), dtype=np.int64)
    covered, always, student = np.ones((3, matches), dtype=np.bool_)
    playing = np.arange(matches)
    n = 0
    while n < maximum and len(playing) > 0:
        size = min(BATCH, maximum - n)
        n += size
        batch = model.draw(rng, (len(playing), size), mean)
        total[playing] += batch.sum(axis=1)
        squares[playing] += np.square(batch).sum(axis=1)
        largest[playing] = np.maximum(largest[playing], np.abs(batch).max(axis=1))
        boards[playing] = n
        means = total[playing] / n
        scatter = np.maximum(0.0, squares[playing] - n * means**2)
        off = np.abs(means - mean)
        covered[playing] = off <= half_width(n, scatter, np.maximum(largest[playing], model.largest))
        always[playing] &= covered[playing]
        student[playing] = off <= student_quantile(n - 1) * np.sqrt(scatter / (n - 1) / n)
        for decided, sign, upper in ((better, 1, BOUND), (worse, -1, MIRRORED_BOUND)):
            llr = log_ratio(n, sign * means, scatter, largest[playing], model.delta)
            crossed = (llr >= upper).astype(np.int64) - (llr <= -BOUND)
            decided[playing] = np.where(decided[playing] == 0, crossed, decided[playing])
        playing = np.flatnonzero((better <= 0) & (worse <= 0) & (better * worse == 0))
    named_a = better > 0
    named_b = (worse > 0) & ~named_a
    neither = ~(named_a | named_b)
    return Rates(*(float(each.mean()) for each in (named_a, named_b, neither, boards, covered, always, student)))


def main(matches: int = 10_000) -> None:
    """Print the error rates of all models, and how often the intervals cover."""
    print(f"Errors in per cent of {matches:,} matches: naming A or B where d = 0,")
    print("not naming A where d = delta, not naming B where d = -delta; with the mean boards of a match.\n")
    head = f"{'differences':22} {'delta':>5} | {'A':>4} {'B':>4} {'sum':>4} {'boards':>6} |"
    print(head + f" {'not A':>5} {'boards':>6} | {'not B':>5} {'boards':>6}")
    coverage = []
    for model in MODELS:
        name, delta = model.name, model.delta
        rates = none, lead, lag = [simulate(model, d, matches=matches) for d in (0.0, delta, -delta)]
        a, b, both = 100 * none.better, 100 * none.worse, 100 * (none.better + none.worse)
        row = f"{name:22} {delta:5.3f} | {a:4.1f} {b:4.1f} {both:4.1f} {none.boards:6.0f} |"
        row += f" {100 * (1 - lead.better):5.1f} {lead.boards:6.0f} |"
        print(row + f" {100 * (1 - lag.worse):5.1f} {lag.boards:6.0f}")
        columns = [
            f"{100 * r.covered:5.1f} {100 * r.always_covered:6.1f} {100 * r.student_covered:7.1f}" for r in rates
        ]
        coverage.append(f"{name:22} {delta:5.3f} | {' | '.join(columns)}")
    print("\nIntervals that contain the mean, in per cent: the match's own where it stops and after every test,")
    print("and Student's where it stops; for d = 0, d = delta and d = -delta.\n")
    print(f"{'differences':22} {'delta':>5} | {' | '.join(['stop always student'] * 3)}")
    for row in coverage:
        print(row)


if __name__ == "__main__":
    main()
