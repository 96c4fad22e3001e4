"""A match that runs out of time ends with the verdict of its last test."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from itertools import count
from typing import Any

import pytest

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


def test_match_ends_when_its_time_is_up(sweepstakes: Callable[..., Any], monkeypatch: pytest.MonkeyPatch) -> None:
    match = importlib.import_module("sweepstakes.tournaments.match")
    monkeypatch.setattr(match, "monotonic", count(step=100).__next__)  # each look at the clock takes 100 s
    words = ["match", "random", "random", "--boards", "6x6@0.2", "--seconds", "250", "--executor", "serial", "--quiet"]
    done = sweepstakes(*words)
    assert done.code == 0, done.err
    assert "after " in done.out
