"""A match that runs out of time ends with what is known."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from sweepstakes.tournaments.statistics.sequential_test import SequentialMatch, Verdict


def test_a_stopped_match_counts_every_board_and_decides_nothing_more() -> None:
    match = SequentialMatch(0.02, 1000)
    match.add([0.5, 0.0, 0.25])
    state = match.stop()
    assert (state.boards, state.difference.mean, state.over) == (3, 0.25, True)
    assert state.verdict in (Verdict.UNDECIDED, Verdict.EQUAL)
    assert match.stop() == state


def test_a_match_without_a_single_board_says_so() -> None:
    assert SequentialMatch(0.02, 10).stop().boards == 0


def test_match_ends_when_its_time_is_up(sweepstakes: Callable[..., Any]) -> None:
    words = ["match", "random", "random", "--boards", "30x30@0.2", "--seconds", "1", "--workers", "1", "--quiet"]
    done = sweepstakes(*words)
    assert done.code == 0, done.err
    assert "after " in done.out
