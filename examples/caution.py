"""A score, `caution`: the share of turns without a guess. Hook: `sweepstakes_scores`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import GameResult, Score, Size, hookimpl


class Caution(Score):
    """The share of turns without a guess, or 1 for a game without turns."""

    def of(self, result: GameResult) -> float:
        """Return the score of a finished game."""
        return 1 - result.guesses / result.turns if result.turns else 1.0

    def worst(self, result: GameResult) -> float:
        """Return the score of a game that ended with a fault of the agent."""
        return 0.0

    def bounds(self, size: Size) -> tuple[float, float]:
        """Return the range of the score. A match needs it to name a winner."""
        return 0.0, 1.0


@hookimpl
def sweepstakes_scores() -> Mapping[str, Callable[..., Score]]:
    """Register `caution`."""
    return {"caution": Caution}
