"""A score: `caution` is the share of turns that were no gamble. Hook: `sweepstakes_scores`."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import GameResult, Score, hookimpl


class Caution(Score):
    """Share of the turns that opened nothing unproven; 1 for a game without turns."""

    def of(self, result: GameResult) -> float:
        """Turns without a guess / turns."""
        return 1 - result.guesses / result.turns if result.turns else 1.0

    def worst(self, result: GameResult) -> float:
        """A broken game is worth nothing."""
        return 0.0


@hookimpl
def sweepstakes_scores() -> Mapping[str, Callable[..., Score]]:
    """Offer `caution`."""
    return {"caution": Caution}
