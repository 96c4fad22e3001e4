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
    return Luck(
        sum(0.5 * (r.survival + r.outlook) * (not r.detonated) for r in reveals), sum(0.3 * r.survival for r in reveals)
    )
