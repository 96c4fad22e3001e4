"""A match: two agents play the same boards until a sequential test ends."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import closing
from time import monotonic
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from sweepstakes.executor import Chunk, Executor, Limits
from sweepstakes.registry.registry import Registry
from sweepstakes.score import Score
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.statistics.sequential_test import BATCH, MatchState, SequentialMatch

CHUNK = 25
"""Boards in one chunk: few, so that few games are played after the test has ended."""
SHARE_DELTA = 0.02
_SHARES = ("identified", "safe-opened", "win-adjusted", "identified-adjusted", "best-guesses")
"""The built-in scores whose games are shares and not counts."""


def play_match(
    plan: Plan,
    registry: Registry,
    executor: Executor,
    delta: float | None = None,
    on_test: Callable[[MatchState], None] = lambda state: None,
    seconds: float | None = None,
) -> MatchState:
    """Play the first agent of the plan against the second, board by board, until the sequential test ends.

    The plan has one condition; its number of games is the maximum number of boards. The test takes the differences in
    the order of the boards, not in the order in which games finish, so the verdict does not depend on the workers. A
    board on which the score is missing is left out. `on_test` is called with the state after each test. After `seconds`
    (None: no limit) the match stops with the verdict of the last test. Without a `delta`, the match takes one that
    suits the score: `SHARE_DELTA` of a score that is 0 or 1 or a share, else as in `SequentialMatch`.
    """
    started = monotonic()
    score: Score = registry.make("score", plan.scores[0])
    sign = 1.0 if score.more_is_better else -1.0
    most = plan.config.games
    test = SequentialMatch(delta or suitable_delta(plan.scores[0], score), most, largest=float(score.proportion))
    scores = np.full((2, most), np.nan)
    played = np.zeros((2, most), np.bool_)
    tested = last = 0
    limits = Limits(**plan.config.limits.model_dump())
    batches = cast(Any, executor.run(plan, _chunks(most), limits))
    with closing(batches):
        for rows in batches:
            for row in rows:
                scores[row.fixture.agent, row.fixture.number] = sign * score(row.result)
                played[row.fixture.agent, row.fixture.number] = True
            while not test.state.over and tested < most:
                last = min(tested + BATCH, most)
                if not played[:, tested:last].all():
                    break
                batch = scores[:, tested:last]
                tested = last
                on_test(test.add(_without_nan(batch[0] - batch[1])))
            if test.state.over:
                break
            if seconds is not None and monotonic() - started > seconds:
                last = int(np.argmin(np.append(played.all(axis=0), False)))
                test.add(_without_nan(scores[0, tested:last] - scores[1, tested:last]))
                break
    state = test.stop()
    used = ~np.isnan(scores[:, : max(tested, last)]).any(axis=0) if state.boards else np.zeros(0, np.bool_)
    if not used.any():
        return state
    a, b = (sign * float(row[: len(used)][used].mean()) for row in scores)
    return state._replace(means=(a, b))


def suitable_delta(name: str, score: Score) -> float | None:
    """The lead that a match looks for by default; None if the first boards have to show it."""
    return SHARE_DELTA if score.proportion or name in _SHARES else None


def _without_nan(differences: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return differences[~np.isnan(differences)]


def _chunks(most: int) -> Iterator[Chunk]:
    for first in range(0, most, CHUNK):
        for agent in (0, 1):
            yield Chunk(agent, 0, first, min(first + CHUNK, most))
