"""A score: `caution` is the share of turns without a guess. Hook: `sweepstakes_scores`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import GameResult, Score, Size, hookimpl


class Caution(Score):
    """Share of the turns without a guess; 1 for a game without turns."""

    def of(self, result: GameResult) -> float:
        """Turns without a guess / turns."""
        return 1 - result.guesses / result.turns if result.turns else 1.0

    def worst(self, result: GameResult) -> float:
        """0 for a game that ended by a fault of the agent."""
        return 0.0

    def bounds(self, size: Size) -> tuple[float, float]:
        """0 and 1, so that a match can name a winner by it."""
        return 0.0, 1.0


@hookimpl
def sweepstakes_scores() -> Mapping[str, Callable[..., Score]]:
    """Offer `caution`."""
    return {"caution": Caution}
