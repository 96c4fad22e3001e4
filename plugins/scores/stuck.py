"""What happens where single clues prove no safe cell: see `sweepstakes.inference.stuck`.

    stuck                        stuck positions
    stuck-provable               those in which all clues together prove a cell safe
    stuck-proven                 those in which the agent proved a cell safe
    stuck-frontier               clues of the longest connected frontier of a stuck position: the most in the game
    stuck-frontier-mean          the same, the mean over stuck positions
    stuck-frontier-whole         clues of the whole frontier of a stuck position: the most in the game
    stuck-frontier-whole-mean    the same, the mean over stuck positions
    proof-clues                  clues of an irreducible proof in a stuck position: the median over proven cells
    proof-clues-mean, -most      the mean, and the most
    proof-cells                  unknown cells beside the clues of such a proof: the median
    proof-cells-mean, -most      the mean, and the most
    count-proofs                 stuck positions in which only the mine count proves a cell safe
    count-proofs-left            the share of the board that is unknown there: the mean

They are measured after the game, in a second playing. A number without anything to count is 0, as is that of a game
that ended by a fault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from sweepstakes import Game, GameResult, MeasuredScore, Score, Size, Turn, hookimpl
from sweepstakes.game.result import most_turns
from sweepstakes.inference.stuck import stuck_positions, summary


class _Stuck(MeasuredScore):
    @staticmethod
    def measure(game: Game, turns: Sequence[Turn]) -> Mapping[str, float]:
        """All numbers, from one replay of the game."""
        return summary(stuck_positions(game, turns))

    def worst(self, result: GameResult) -> float:
        """0."""
        return 0.0

    def bounds(self, size: Size) -> tuple[float, float]:
        """0 and as many as a game may have turns, which is more than it has cells."""
        return 0.0, float(most_turns(size.cells))


def _score(name: str, sentence: str) -> type[_Stuck]:
    """A score with this name."""
    return type(name, (_Stuck,), {"name": name, "__doc__": sentence})


_SCORES = {
    "stuck": "Positions in which single clues prove no safe cell.",
    "stuck-provable": "Stuck positions in which all clues together prove a cell safe.",
    "stuck-proven": "Stuck positions in which the agent proved a cell safe.",
    "stuck-frontier": "Clues of the longest connected frontier of a stuck position: the most in the game.",
    "stuck-frontier-mean": "Clues of the longest connected frontier of a stuck position: the mean.",
    "stuck-frontier-whole": "Clues of the whole frontier of a stuck position: the most in the game.",
    "stuck-frontier-whole-mean": "Clues of the whole frontier of a stuck position: the mean.",
    "proof-clues": "Clues of an irreducible proof in a stuck position: the median.",
    "proof-clues-mean": "Clues of an irreducible proof in a stuck position: the mean.",
    "proof-clues-most": "Clues of an irreducible proof in a stuck position: the most.",
    "proof-cells": "Unknown cells beside the clues of an irreducible proof: the median.",
    "proof-cells-mean": "Unknown cells beside the clues of an irreducible proof: the mean.",
    "proof-cells-most": "Unknown cells beside the clues of an irreducible proof: the most.",
    "count-proofs": "Stuck positions in which only the mine count proves a cell safe.",
    "count-proofs-left": "The share of the board that is unknown where only the mine count proves a cell safe.",
}


@hookimpl
def sweepstakes_scores() -> Mapping[str, Callable[..., Score]]:
    """Offer all of them."""
    return {name: _score(name, sentence) for name, sentence in _SCORES.items()}
