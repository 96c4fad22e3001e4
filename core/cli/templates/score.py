"""`my-thing`: safe cells opened per turn."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import GameResult, Score, hookimpl


class MyThing(Score):
    """Safe cells opened per turn."""

    more_is_better = True

    def of(self, result: GameResult) -> float:
        """Return the score of a game that ended without a fault."""
        return result.opened / result.turns if result.turns else 0.0

    def worst(self, result: GameResult) -> float:
        """Return the score of a game that ended with a fault of the agent."""
        return 0.0


@hookimpl
def sweepstakes_scores() -> Mapping[str, Callable[..., Score]]:
    """Register `my-thing`."""
    return {"my-thing": MyThing}
