"""What agents spend on external services: so far language models.

    tokens    prompt and completion tokens of the game, reasoning tokens included, as the endpoint counts them
    cost      their price by the file that SWEEPSTAKES_LLM_PRICES names; a model that is not in the file stops the run
    calls     requests that were answered

Agents that use no service spend nothing. A game that ended by a fault scores what was spent up to then.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf, nan

from sweepstakes import Game, GameResult, MeasuredScore, Score, Size, Turn, hookimpl


class _Spent(MeasuredScore):
    more_is_better = False
    needs_evidence = False

    @staticmethod
    def measure(game: Game, turns: Sequence[Turn]) -> Mapping[str, float]:
        """Return 0 for each; agents that spend something report it themselves."""
        return {"tokens": 0.0, "cost": 0.0, "calls": 0.0}

    def worst(self, result: GameResult) -> float:
        """Return what was spent."""
        spent = result.measures.get(self.name, 0.0)
        return nan if spent is None else spent

    def bounds(self, size: Size) -> tuple[float, float]:
        """Return 0 and infinity."""
        return 0.0, inf


class Tokens(_Spent):
    """Tokens that the agent's requests took."""

    name = "tokens"
    title = "Tokens"
    unit = "tokens"


class Cost(_Spent):
    """Price of these tokens, in the unit of the price file."""

    name = "cost"
    title = "Cost"


class Calls(_Spent):
    """Requests that the agent made and that were answered."""

    name = "calls"
    title = "Requests"
    unit = "requests"


@hookimpl
def sweepstakes_scores() -> Mapping[str, Callable[..., Score]]:
    """Offer `tokens`, `cost` and `calls`."""
    return {"tokens": Tokens, "cost": Cost, "calls": Calls}
