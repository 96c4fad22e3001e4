"""How far influence travels: see `sweepstakes.game.influence`.

    chain-length    proven cells on the longest chain from a guess
    chain-size      proven cells that the last cell of that chain depends on
    chain-reach     king's moves from the first clue of that chain to its last cell
    frontier        the most connected clues in any view; two clues are connected if they share a covered cell

They need the evidence of every proof, so each finished game is played a second time with `explain` set (see
`sweepstakes.inference.explaining`). A game that ended by a fault scores 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sweepstakes import Game, GameResult, MeasuredScore, Score, Size, Turn, hookimpl
from sweepstakes.game.influence import influence


class _Influence(MeasuredScore):
    @staticmethod
    def measure(game: Game, turns: Sequence[Turn]) -> Mapping[str, float]:
        """All four measures, from one replay of the game."""
        measured = influence(game, turns)
        return {
            "chain-length": measured.length,
            "chain-size": measured.size,
            "chain-reach": measured.reach,
            "frontier": measured.frontier,
        }

    def worst(self, result: GameResult) -> float:
        """0."""
        return 0.0

    def bounds(self, size: Size) -> tuple[float, float]:
        """0 and all cells."""
        return 0.0, float(size.cells)


class ChainLength(_Influence):
    """Proven cells on the longest chain of influence."""

    name = "chain-length"
    title = "Length of the longest chain"
    unit = "cells"


class ChainSize(_Influence):
    """Proven cells that the end of the longest chain depends on."""

    name = "chain-size"
    title = "Size of the longest chain"
    unit = "cells"


class ChainReach(_Influence):
    """King's moves from the first clue of the longest chain to its last cell."""

    name = "chain-reach"
    title = "Reach of the longest chain"
    unit = "king's moves"


class Frontier(_Influence):
    """The most clues that were ever connected at the frontier."""

    name = "frontier"
    title = "Largest frontier"
    unit = "clues"


@hookimpl
def sweepstakes_scores() -> Mapping[str, Callable[..., Score]]:
    """Offer the four measures."""
    return {score.name: score for score in (ChainLength, ChainSize, ChainReach, Frontier)}
