"""How far influence travels: see `sweepstakes.game.influence`.

    chain-length    proven cells on the longest chain from a guess
    chain-size      proven cells that the last cell of that chain depends on
    chain-reach     king's moves from the first clue of that chain to its last cell
    frontier        the largest number of connected clues in any view; clues are connected if they share a covered cell
    longest-run     the largest number of cells opened and flagged between two guesses, including floods but not the
                    guessed cells

All but the last need the evidence of every proof, so each finished game is played a second time with `explain` set (see
`sweepstakes.inference.explaining`). A game that ended by a fault scores 0.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from sweepstakes import Game, GameResult, MeasuredScore, Score, Size, Turn, hookimpl
from sweepstakes.game.codes import COVERED, FLAG
from sweepstakes.game.influence import influence


class _Influence(MeasuredScore):
    @staticmethod
    def measure(game: Game, turns: Sequence[Turn]) -> Mapping[str, float]:
        """Measure the first four scores in one replay of the game."""
        measured = influence(game, turns)
        return {
            "chain-length": measured.length,
            "chain-size": measured.size,
            "chain-reach": measured.reach,
            "frontier": measured.frontier,
        }

    def worst(self, result: GameResult) -> float:
        """Return 0."""
        return 0.0

    def bounds(self, size: Size) -> tuple[float, float]:
        """Return 0 and all cells."""
        return 0.0, float(size.cells)


def longest_run(game: Game, turns: Sequence[Turn]) -> int:
    """Return the length of the longest run of cells opened and flagged without a guess.

    `game` must be before its first turn. A turn that guesses ends a run, which includes the flags of that turn. The
    next run begins with the cells flooded by the guess.
    """
    longest = run = 0
    for turn in turns:
        before = game.view().shown
        game.take(turn)
        now = game.view().shown
        opened = int(np.count_nonzero((before < 0) & (now >= 0)))
        flagged = int(np.count_nonzero((before == COVERED) & (now == FLAG)))
        if turn.why == "proof":
            run += opened + flagged
        else:
            longest = max(longest, run + flagged)
            run = max(0, opened - 1)
        longest = max(longest, run)
        if game.over:
            break
    return longest


class LongestRun(_Influence):
    """The largest number of cells opened and flagged between two guesses, floods included."""

    name = "longest-run"
    title = "Longest run without a guess"
    unit = "cells"
    needs_evidence = False

    @staticmethod
    def measure(game: Game, turns: Sequence[Turn]) -> Mapping[str, float]:
        """Measure the longest run in one replay of the game."""
        return {"longest-run": float(longest_run(game, turns))}


class ChainLength(_Influence):
    """Proofs on the longest chain in which each proof uses the one before."""

    name = "chain-length"
    title = "Length of the longest chain"
    unit = "cells"


class ChainSize(_Influence):
    """Proven cells on which the last cell of the longest chain depends."""

    name = "chain-size"
    title = "Size of the longest chain"
    unit = "cells"


class ChainReach(_Influence):
    """Distance in king's moves from the first clue of the longest chain to its last cell."""

    name = "chain-reach"
    title = "Reach of the longest chain"
    unit = "king's moves"


class Frontier(_Influence):
    """The largest number of clues that were connected by covered cells at one time."""

    name = "frontier"
    title = "Largest frontier"
    unit = "clues"


@hookimpl
def sweepstakes_scores() -> Mapping[str, Callable[..., Score]]:
    """Offer the five measures."""
    return {score.name: score for score in (ChainLength, ChainSize, ChainReach, Frontier, LongestRun)}
