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


def play_match(
    plan: Plan,
    registry: Registry,
    executor: Executor,
    delta: float,
    on_test: Callable[[MatchState], None] = lambda state: None,
    seconds: float | None = None,
) -> MatchState:
    """Play the first agent of the plan against the second, board by board, until the sequential test ends.

    The plan has one condition; its number of games is the maximum number of boards. The test takes the differences in
    the order of the boards, not in the order in which games finish, so the verdict does not depend on the workers. A
    board on which the score is missing is left out. `on_test` is called with the state after each test. After `seconds`
    (None: no limit) the match stops with the verdict of the last test.
    """
    started = monotonic()
    score: Score = registry.make("score", plan.scores[0])
    sign = 1.0 if score.more_is_better else -1.0
    most = plan.config.games
    test = SequentialMatch(delta, most)
    scores = np.full((2, most), np.nan)
    played = np.zeros((2, most), np.bool_)
    tested = 0
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
    return test.stop()


def _without_nan(differences: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return differences[~np.isnan(differences)]


def _chunks(most: int) -> Iterator[Chunk]:
    for first in range(0, most, CHUNK):
        for agent in (0, 1):
            yield Chunk(agent, 0, first, min(first + CHUNK, most))
