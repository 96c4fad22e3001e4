"""A match: two agents play the same boards until a sequential test ends."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from time import monotonic
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from sweepstakes.errors import ConfigError
from sweepstakes.executor import Chunk, Executor, Fixture
from sweepstakes.game.result import GameResult
from sweepstakes.game.size import Size
from sweepstakes.registry.registry import Registry
from sweepstakes.score import SHARE, Score, bounds_of
from sweepstakes.tournaments.game_scores import GameScores
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.running.executors import run_executor
from sweepstakes.tournaments.running.workload import PlanWorkload
from sweepstakes.tournaments.statistics.sequential_test import BATCH, MatchState, Method, SequentialMatch

CHUNK = 25
"""Boards in one chunk: few, so that few games are played after the test has ended."""
SHARE_DELTA = 0.02
MAX_FIRST_FAULTS = 3
"""A match stops if an agent loses this many games by faults, from the first board on."""


def play_match(
    plan: Plan,
    registry: Registry,
    executor: Executor,
    delta: float | None = None,
    on_test: Callable[[MatchState], None] = lambda state: None,
    seconds: float | None = None,
    known: Mapping[Fixture, GameResult] = MappingProxyType({}),
) -> MatchState:
    """Play the first agent of the plan against the second, board by board, until the sequential test ends.

    The plan has one condition, and its number of games is the maximum number of boards. The test takes the differences
    in the order of the boards, not in the order in which games finish, so the verdict does not depend on the workers.
    Boards on which the score is missing are ignored. `on_test` is called with the state after each test. After
    `seconds` (None: no limit) the match stops with the verdict of the last test. It stops without a verdict if an agent
    loses its first `MAX_FIRST_FAULTS` games by faults, or all games before the time is over. If `delta` is None, it
    depends on the score: `SHARE_DELTA` for a score that is 0 or 1 or a share, otherwise as in `SequentialMatch`.

    `known` has games of one agent on every board of the match; that agent does not play.
    """
    started = monotonic()
    live = [agent for agent in (0, 1) if agent not in {fixture.agent for fixture in known}]
    maximum = plan.config.games
    games = GameScores(plan, registry, maximum)
    test = make_test(plan.scores[0], games.score, plan.conditions[0].size, delta, maximum)
    scores, played = games.values, games.played
    broken: tuple[str, ...] = ()
    tested = last = 0

    for fixture, result in known.items():
        games.take(fixture, result)
    playing = plan._replace(entries=tuple(plan.entries[agent] for agent in live))
    with run_executor(executor, PlanWorkload(playing), _chunks(maximum, len(live))) as batches:
        for rows in batches:
            for row in rows:
                games.take(row.fixture._replace(agent=live[row.fixture.agent]), row.result)
            late = seconds is not None and monotonic() - started > seconds
            if not tested:  # and before the first test, so that the result does not depend on the workers
                broken = _broken(games, late=late)
            while not broken and not test.state.over and tested < maximum:
                last = min(tested + BATCH, maximum)
                if not played[:, tested:last].all():
                    break
                batch = scores[:, tested:last]
                tested = last
                on_test(test.add(_without_nan(batch[0] - batch[1])))
            if test.state.over:
                break
            if broken or late:
                last = int(np.argmin(np.append(played.all(axis=0), False)))
                last = min(last, MAX_FIRST_FAULTS) if broken else last
                test.add(_without_nan(scores[0, tested:last] - scores[1, tested:last]))
                break
    state = test.stop()
    seen = max(tested, last, MAX_FIRST_FAULTS)  # not those that a faster worker may have played beyond
    lines = games.fault_lines([seen, seen])
    used = ~np.isnan(scores[:, : max(tested, last)]).any(axis=0)
    missing = int(np.count_nonzero(played[:, : len(used)].all(axis=0) & ~used))
    note = games.on_understated([len(used), len(used)])
    state = state._replace(faults=lines, broken=broken, missing=missing, note=note)
    if not state.boards:
        return state
    a, b = (games.sign * float(row[: len(used)][used].mean()) for row in scores)
    return state._replace(means=(a, b))


def make_test(name: str, score: Score, size: Size, delta: float | None, maximum: int) -> SequentialMatch:
    """Return the test that suits a score on boards of this size. Raise `ConfigError` if no lead can reach `delta`."""
    method = method_of(name, score, size)
    low, high = bounds_of(score, name, size, mean=True)
    reach = high - low if high > low else math.inf
    if delta is not None and delta >= reach:
        raise ConfigError(f"delta {delta:g} is too large: two means of {name} differ by at most {reach:g}")
    return SequentialMatch(delta or suitable_delta(score), maximum, reach, method)


def method_of(name: str, score: Score, size: Size) -> Method:
    """Return the method by which a match of this score finds its winner."""
    if score.proportion:
        return Method.WINS
    (low, high), (mean_low, mean_high) = (bounds_of(score, name, size, mean=mean) for mean in (False, True))
    if math.isfinite(high - low):
        return Method.BETTING if high > low else Method.NONE
    return Method.ASYMPTOTIC if math.isfinite(mean_high - mean_low) else Method.NONE


def suitable_delta(score: Score) -> float | None:
    """Return the lead that a match looks for by default, or None if it is derived from the first boards."""
    return SHARE_DELTA if score.proportion or score.unit == SHARE else None


def _broken(games: GameScores, *, late: bool) -> tuple[str, ...]:
    """Return the labels of agents that lost their first games by faults, or all games so far if it is `late`."""
    first = min(MAX_FIRST_FAULTS, games.played.shape[1])
    entries = enumerate(games.plan.entries)
    return tuple(entry.label for agent, entry in entries if games.lost_by_faults(agent, None if late else first))


def _without_nan(differences: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return differences[~np.isnan(differences)]


def _chunks(boards: int, agents: int) -> Iterator[Chunk]:
    for first in range(0, boards, CHUNK):
        for agent in range(agents):
            yield Chunk(agent, 0, first, min(first + CHUNK, boards))
