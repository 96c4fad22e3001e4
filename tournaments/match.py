"""Two agents on the same boards until it is clear who is better."""

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
"""Boards in one message to a worker: small, so that little is played beyond the end."""


def play_match(
    plan: Plan,
    registry: Registry,
    executor: Executor,
    delta: float,
    watch: Callable[[MatchState], None] = lambda state: None,
    seconds: float | None = None,
) -> MatchState:
    """Play the first agent of the plan against the second, board by board, until the sequential test ends.

    The plan has one condition and its number of games is the most boards that are played. Differences are looked at in
    the order of the boards, whatever the order in which games finish, so the verdict does not depend on the workers. A
    board on which the score is missing is left out.
    After so many `seconds`, if given, the match ends with what is known then.
    """
    begun = monotonic()
    score: Score = registry.make("score", plan.scores[0])
    sign = 1.0 if score.more_is_better else -1.0
    most = plan.config.games
    test = SequentialMatch(delta, most)
    scores = np.full((2, most), np.nan)
    played = np.zeros((2, most), np.bool_)
    looked = 0
    limits = Limits(**plan.config.limits.model_dump())
    batches = cast(Any, executor.run(plan, _chunks(most), limits))
    with closing(batches):
        for rows in batches:
            for row in rows:
                scores[row.fixture.agent, row.fixture.number] = sign * score(row.result)
                played[row.fixture.agent, row.fixture.number] = True
            while not test.state.over and looked < most:
                last = min(looked + BATCH, most)
                if not played[:, looked:last].all():
                    break
                ahead = scores[:, looked:last]
                looked = last
                watch(test.add(_known(ahead[0] - ahead[1])))
            if test.state.over:
                break
            if seconds is not None and monotonic() - begun > seconds:
                last = int(np.argmin(np.append(played.all(axis=0), False)))
                test.add(_known(scores[0, looked:last] - scores[1, looked:last]))
                break
    return test.stop()


def _known(differences: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
    return differences[~np.isnan(differences)]


def _chunks(most: int) -> Iterator[Chunk]:
    for first in range(0, most, CHUNK):
        for agent in (0, 1):
            yield Chunk(agent, 0, first, min(first + CHUNK, most))
