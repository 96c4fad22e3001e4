"""Luck: what chance, and not the agent, added to a score."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from sweepstakes.review.walk import Reveal


class Luck(NamedTuple):
    """What chance added to the scores of a game; its expectation is 0 for every agent."""

    win: float = 0.0
    identified: float = 0.0


def luck_of(reveals: Iterable[Reveal]) -> Luck:
    """The luck of a game."""
    reveals = list(reveals)
    return Luck(sum(map(win_luck, reveals)), sum(0.3 * r.survival for r in reveals))


def win_luck(r: Reveal) -> float:
    """x."""
    return 0.5 * r.outlook
