"""Simulates how often the sequential test of a match is wrong, and how often its interval contains the true mean.

python benchmarks/sequential_errors.py [MATCHES]
python benchmarks/sequential_errors.py races [RACES]

Both sides of both tests are measured: that a winner is named where the agents are equal (d = 0), and that the better
agent is not named where it leads by delta (d = delta for A, d = -delta for B). The interval is checked where the
match stops, since a match prints that one, and after every 100 boards before: in 95 % of the matches, a confidence
sequence contains the mean all the time.

    wins       the normal test of scores of 0 and 1
    bounded    scores with a range: the normal test, which a match used before, and the bets that it uses now,
               with the boards of both; skewed differences are what the normal test fails on
    adjusted   win-adjusted: the normal test on games of `exact`, `chain` and `basic` in leaderboards/published/classic,
               drawn again and again, with the mean of each pair moved to d

`races` prints how often a race of 3, 10 and 40 agents drops its best agent (of equal agents: the first one), how often
the agent it ends with is worse than the best by delta or more, and its games, compared with a tournament in which all
agents play as many boards as the normal test needs to separate the first two in 95 % of all cases, at the level of the
race. Agents win boards independently at rates around one half, or have games of `win-adjusted` of stored agents.
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from itertools import combinations
from pathlib import Path
from typing import NamedTuple, Protocol

import numpy as np
import numpy.typing as npt
from scipy.special import ndtri

from sweepstakes.tournaments.statistics.betting import BETS
from sweepstakes.tournaments.statistics.confidence_sequence import MISSES, half_width
from sweepstakes.tournaments.statistics.sequential_race import SequentialRace
from sweepstakes.tournaments.statistics.sequential_test import (
    BATCH,
    BETTING_BOUND,
    BOUND,
    MIRRORED_BETTING_BOUND,
    MIRRORED_BOUND,
    Method,
    log_ratio,
)

Array = npt.NDArray[np.float64]
Draw = Callable[[np.random.Generator, tuple[int, int], float], Array]
"""Paired differences of this shape with this mean."""
STORED = Path(__file__).parent.parent / "leaderboards" / "published" / "classic"


class Rates(NamedTuple):
    """The shares of simulated matches that named A, B and neither, and the boards of the average match.

    Then the shares whose interval contains the true mean: where the match stops, and after every test.
    """

    better: float
    worse: float
    neither: float
    boards: float
    covered: float
    always_covered: float


class Model(NamedTuple):
    """A kind of differences between two agents, and the delta to look for."""

    name: str
    draw: Draw
    delta: float
    reach: float = math.inf
    """The largest possible difference on a board, if it is known."""


def decisive(share: float) -> Draw:
    """Wins and losses: this share of the boards is won by one agent alone (+1 or -1), the rest are equal."""

    def draw(rng: np.random.Generator, shape: tuple[int, int], mean: float) -> Array:
        uniform = rng.random(shape)
        return np.where(uniform < (share + mean) / 2, 1.0, np.where(uniform < share, -1.0, 0.0))

    return draw


def normal(deviation: float) -> Draw:
    """Scores that differ a little on every board: at most six deviations."""
    return lambda rng, shape, mean: mean + np.clip(rng.normal(0.0, deviation, shape), -6 * deviation, 6 * deviation)


def rare(share: float, size: float) -> Draw:
    """The same small gain on most boards, and a loss of this size on a share of them (a negative size: a gain)."""

    def draw(rng: np.random.Generator, shape: tuple[int, int], mean: float) -> Array:
        return mean + np.where(rng.random(shape) < share, -size, share * size / (1 - share))

    return draw


def scattered(share: float, size: float) -> Draw:
    """Like `rare`, but with a small gain that differs from board to board."""
    plain = rare(share, size)
    deviation = share * size / (1 - share)
    return lambda rng, shape, mean: plain(rng, shape, mean) + rng.uniform(-deviation, deviation, shape)


def seldom(share: float, width: float) -> Draw:
    """Equal scores on most boards and a difference up to `width` on this share of them."""

    def draw(rng: np.random.Generator, shape: tuple[int, int], mean: float) -> Array:
        return np.where(rng.random(shape) < share, mean / share + rng.uniform(-width, width, shape), 0.0)

    return draw


def resampled(differences: Array) -> Draw:
    """Stored differences, drawn with replacement, moved to the mean."""
    centred = differences - differences.mean()
    return lambda rng, shape, mean: mean + rng.choice(centred, shape)


WINS = (
    Model("1 % decisive", decisive(0.01), 0.005, 1.0),
    Model("2 % decisive", decisive(0.02), 0.02, 1.0),
    Model("5 % decisive", decisive(0.05), 0.02, 1.0),
    Model("20 % decisive", decisive(0.2), 0.02, 1.0),
    Model("20 % decisive", decisive(0.2), 0.05, 1.0),
    Model("20 % decisive", decisive(0.2), 0.1, 1.0),
    Model("50 % decisive", decisive(0.5), 0.03, 1.0),
    Model("50 % decisive", decisive(0.5), 0.2, 1.0),
)
BOUNDED = (
    Model("normal, deviation 0.15", normal(0.15), 0.02, 1.0),
    Model("normal, deviation 0.15", normal(0.15), 0.05, 1.0),
    Model("the same, range 6.4", normal(0.15), 0.02, 6.4),
    Model("equal on 90 %", seldom(0.1, 0.5), 0.02, 1.0),
    Model("rare loss, 1 in 50", rare(0.02, 0.9), 0.02, 1.0),
    Model("rare loss, 1 in 100", rare(0.01, 0.9), 0.01, 1.0),
    Model("rare loss, 1 in 500", rare(0.002, 0.9), 0.002, 1.0),
    Model("rare gain, 1 in 100", rare(0.01, -0.9), 0.01, 1.0),
    Model("scattered, 1 in 100", scattered(0.01, 0.9), 0.01, 1.0),
    Model("rare loss, range 6.4", rare(0.005, 5.0), 0.03, 6.4),
)


def adjusted() -> Iterator[Model]:
    """The differences in win-adjusted of each pair of three agents at each level, from the stored games."""
    from sweepstakes.tournaments.storage.game_columns import read_columns
    from sweepstakes.tournaments.stored_run import open_run

    with open_run(STORED) as run:
        score = run.make("score", "win-adjusted")
        for condition, where in enumerate(run.conditions):
            if where.rules.first_click != "safe":
                continue
            scores = {
                name: score.column(read_columns(run, [condition], [run.agent_place(name)]).results)
                for name in ("exact", "chain", "basic")
            }
            for first, second in combinations(scores, 2):
                name = f"{first}-{second}, {where.label.partition(',')[0]}"
                yield Model(name, resampled(scores[first] - scores[second]), 0.02)


class _Test(Protocol):
    """The same test of many matches, side by side."""

    def add(self, batch: Array, playing: npt.NDArray[np.int64], n: int) -> None:
        """Add the next boards of the matches that are still being played, which then have `n` boards."""

    def crossed(self, playing: npt.NDArray[np.int64], n: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the decisions of A's tests and of B's: 1 better, -1 not better by delta, 0 none yet."""

    def covers(self, playing: npt.NDArray[np.int64], n: int) -> npt.NDArray[np.bool_]:
        """Whether the intervals contain the true mean."""


class _Normal:
    def __init__(self, model: Model, mean: float, matches: int, *, wins: bool) -> None:
        self.delta, self.mean, self.least = model.delta, mean, float(wins)
        self.total, self.squares, self.largest = np.zeros((3, matches))

    def add(self, batch: Array, playing: npt.NDArray[np.int64], n: int) -> None:
        self.total[playing] += batch.sum(axis=1)
        self.squares[playing] += np.square(batch).sum(axis=1)
        self.largest[playing] = np.maximum(self.largest[playing], np.abs(batch).max(axis=1))

    def _sums(self, playing: npt.NDArray[np.int64], n: int) -> tuple[Array, Array]:
        means = self.total[playing] / n
        return means, np.maximum(0.0, self.squares[playing] - n * means**2)

    def crossed(self, playing: npt.NDArray[np.int64], n: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        means, scatter = self._sums(playing, n)
        found = []
        for sign, upper in ((1, BOUND), (-1, MIRRORED_BOUND)):
            llr = log_ratio(n, sign * means, scatter, self.largest[playing], self.delta)
            found.append((llr >= upper).astype(np.int64) - (llr <= -BOUND))
        return found[0], found[1]

    def covers(self, playing: npt.NDArray[np.int64], n: int) -> npt.NDArray[np.bool_]:
        means, scatter = self._sums(playing, n)
        wide = half_width(n, scatter, np.maximum(self.largest[playing], self.least))
        covered: npt.NDArray[np.bool_] = np.abs(means - self.mean) <= wide
        return covered


class _Betting:
    def __init__(self, model: Model, mean: float, matches: int) -> None:
        self.reach = model.reach
        self.claims = ((0.0, 1), (0.0, -1), (model.delta, -1), (-model.delta, 1), (mean, 1), (mean, -1))
        self.logs = np.zeros((len(self.claims), len(BETS), matches))

    def add(self, batch: Array, playing: npt.NDArray[np.int64], n: int) -> None:
        for claim, (mean, side) in enumerate(self.claims):
            gains = side * (batch - mean) / (self.reach + side * mean)
            for place, bet in enumerate(BETS):
                self.logs[claim, place, playing] += np.log((1 + bet * gains).prod(axis=1))

    def _wealth(self, playing: npt.NDArray[np.int64]) -> Array:
        wealth: Array = np.logaddexp.reduce(self.logs[:, :, playing], axis=1) - math.log(len(BETS))
        return wealth

    def crossed(self, playing: npt.NDArray[np.int64], n: int) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        a, b, a_not, b_not = self._wealth(playing)[:4]
        return (
            np.where(a >= BETTING_BOUND, 1, -(a_not >= BETTING_BOUND).astype(np.int64)),
            np.where(b >= MIRRORED_BETTING_BOUND, 1, -(b_not >= BETTING_BOUND).astype(np.int64)),
        )

    def covers(self, playing: npt.NDArray[np.int64], n: int) -> npt.NDArray[np.bool_]:
        covered: npt.NDArray[np.bool_] = self._wealth(playing)[4:].max(axis=0) < math.log(2 / MISSES)
        return covered


def simulate(
    model: Model, mean: float, method: Method, *, matches: int, maximum: int = 100_000, seed: int = 1
) -> Rates:
    """Play this many matches whose differences have this mean, all side by side."""
    rng = np.random.default_rng(seed)
    test: _Test = _Normal(model, mean, matches, wins=method is Method.WINS)
    if method is Method.BETTING:
        test = _Betting(model, mean, matches)
    better, worse, boards = np.zeros((3, matches), dtype=np.int64)
    covered, always = np.ones((2, matches), dtype=np.bool_)
    playing = np.arange(matches)
    n = 0
    while n < maximum and len(playing) > 0:
        size = min(BATCH, maximum - n)
        n += size
        test.add(model.draw(rng, (len(playing), size), mean), playing, n)
        boards[playing] = n
        covered[playing] = test.covers(playing, n)
        always[playing] &= covered[playing]
        for decided, crossed in zip((better, worse), test.crossed(playing, n), strict=True):
            decided[playing] = np.where(decided[playing] == 0, crossed, decided[playing])
        playing = np.flatnonzero((better <= 0) & (worse <= 0) & (better * worse == 0))
    named_a = better > 0
    named_b = (worse > 0) & ~named_a
    neither = ~(named_a | named_b)
    return Rates(*(float(each.mean()) for each in (named_a, named_b, neither, boards, covered, always)))


def table(models: Iterator[Model] | tuple[Model, ...], methods: tuple[Method, ...], matches: int) -> None:
    """Print the errors of some models, and how often the intervals cover."""
    print(f"{'differences':25} {'delta':>5} {'test':8} | {'A':>4} {'B':>4} {'sum':>4} {'boards':>6}", end=" | ")
    print(f"{'not A':>5} {'boards':>6} | {'not B':>5} {'boards':>6} | covered: stop, always (least of d)")
    for model in models:
        for method in methods:
            rates = none, lead, lag = [
                simulate(model, d, method, matches=matches) for d in (0.0, model.delta, -model.delta)
            ]
            a, b = 100 * none.better, 100 * none.worse
            row = f"{model.name:25} {model.delta:5.3f} {'bets' if method is Method.BETTING else 'normal':8} |"
            row += f" {a:4.1f} {b:4.1f} {a + b:4.1f} {none.boards:6.0f} |"
            row += f" {100 * (1 - lead.better):5.1f} {lead.boards:6.0f} |"
            row += f" {100 * (1 - lag.worse):5.1f} {lag.boards:6.0f} |"
            stop, always = min(r.covered for r in rates), min(r.always_covered for r in rates)
            print(row + f" {100 * stop:5.1f} {100 * always:5.1f}", flush=True)


def main(matches: int = 10_000) -> None:
    """Print the error rates of all models, and how often the intervals cover."""
    print(f"Errors in per cent of {matches:,} matches: naming A or B where d = 0,")
    print("not naming A where d = delta, not naming B where d = -delta; with the mean boards of a match.\n")
    print("wins")
    table(WINS, (Method.WINS,), matches)
    print("\nbounded: the normal test before, the bets now")
    table(BOUNDED, (Method.ASYMPTOTIC, Method.BETTING), matches)
    print("\nadjusted: the normal test, asymptotic, on stored games")
    table(adjusted(), (Method.ASYMPTOTIC,), matches)


class RaceRates(NamedTuple):
    """The shares of simulated races that dropped the best agent, and that ended with one worse by delta or more.

    Then the games of the average race, and of the full tournament of the same power.
    """

    dropped: float
    far: float
    games: float
    full: float


RACE_DELTA = 0.05
RACE_BOARDS = 20_000
PATTERNS = ("equal", "one better", "ladder")


def leads(pattern: str, agents: int) -> Array:
    """How far each agent is behind the best one, which is the first."""
    if pattern == "equal":
        return np.zeros(agents)
    if pattern == "one better":
        return np.where(np.arange(agents) > 0, RACE_DELTA, 0.0)
    return RACE_DELTA * np.minimum(np.arange(agents), 12)


def wins_of(rng: np.random.Generator, behind: Array, boards: int) -> Array:
    """Return scores of 0 and 1. Boards differ in difficulty, so a better agent wins most boards that a worse wins."""
    difficulty = rng.random(boards)
    own = rng.random((len(behind), boards))
    shared = rng.random((len(behind), boards)) < 0.7
    luck = np.where(shared, difficulty, own)
    return (luck < (0.75 - behind)[:, None]).astype(np.float64)


def adjusted_of(scores: Array) -> Callable[[np.random.Generator, Array, int], Array]:
    """Stored scores on whole boards, drawn with replacement; an agent of the race has those of a stored agent.

    All stored agents are moved to the same mean, then each agent of the race by its lag.
    """
    centred = scores - scores.mean(axis=1, keepdims=True)

    def draw(rng: np.random.Generator, behind: Array, boards: int) -> Array:
        own = rng.integers(0, scores.shape[1], (len(behind), boards))
        same = np.where(rng.random((len(behind), boards)) < 0.7, rng.integers(0, scores.shape[1], boards), own)
        drawn: Array = centred[np.arange(len(behind))[:, None] % len(centred), same] - behind[:, None]
        return drawn

    return draw


def simulate_races(
    draw: Callable[[np.random.Generator, Array, int], Array], pattern: str, agents: int, method: Method, races: int
) -> RaceRates:
    """Run `races` races with the test that `sweepstakes race` uses."""
    rng = np.random.default_rng(1)
    behind = leads(pattern, agents)
    dropped = far = games = 0
    for _ in range(races):
        reach = 1.0 if method is Method.BETTING else math.inf
        race = SequentialRace(agents, RACE_DELTA, RACE_BOARDS, reach, method)
        while not race.over:
            games += BATCH * len(race.inside)
            race.add(draw(rng, behind, len(race.next_round)))
        dropped += 0 not in race.inside
        far += bool(behind[race.leader] >= RACE_DELTA)
    sample = draw(rng, behind, 20_000)
    variance = float((sample[0] - sample[1]).var())
    level = 0.05 / (agents - 1)
    boards = variance * ((float(ndtri(1 - level)) + float(ndtri(0.95))) / RACE_DELTA) ** 2
    return RaceRates(dropped / races, far / races, games / races, agents * boards)


def race_tables(races: int = 100) -> None:
    """Print the errors of races, and the games that they save."""
    print(f"{races:,} races each, delta {RACE_DELTA}; errors in per cent")
    print(
        f"{'scores':9} {'agents':>6} {'pattern':11} | {'dropped':>7} {'far':>5} | {'games':>8} {'full':>8} {'saved':>5}"
    )
    stored = adjusted_of(stored_adjusted())
    for name, draw, method in (("win", wins_of, Method.BETTING), ("adjusted", stored, Method.ASYMPTOTIC)):
        for agents in (3, 10, 40):
            for pattern in PATTERNS:
                count = races if agents < 40 else max(races // 5, 1)
                rates = simulate_races(draw, pattern, agents, method, count)
                row = f"{name:9} {agents:6} {pattern:11} | {100 * rates.dropped:7.1f} {100 * rates.far:5.1f} |"
                print(
                    f"{row} {rates.games:8,.0f} {rates.full:8,.0f} {100 - 100 * rates.games / rates.full:4.0f}%",
                    flush=True,
                )


def stored_adjusted() -> Array:
    """The win-adjusted of three agents on the same stored boards of one level."""
    from sweepstakes.tournaments.storage.game_columns import read_columns
    from sweepstakes.tournaments.stored_run import open_run

    with open_run(STORED) as run:
        score = run.make("score", "win-adjusted")
        (level, *_) = (place for place, each in enumerate(run.conditions) if each.rules.first_click == "safe")
        agents = [run.agent_place(name) for name in ("exact", "chain", "basic")]
        return np.array([score.column(read_columns(run, [level], [agent]).results) for agent in agents])


if __name__ == "__main__":
    if sys.argv[1:2] == ["races"]:
        race_tables(*map(int, sys.argv[2:3]))
    else:
        main(*map(int, sys.argv[1:2]))
