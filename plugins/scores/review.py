"""What a review measures (see `sweepstakes.review`): the luck in a score, and the quality of each decision.

    win-adjusted          `win` without luck: the same mean, and a narrower interval
    identified-adjusted   `identified` without luck
    luck                  what luck added to `win`
    proofs                cells opened or flagged that the agent called proven
    unsound-proofs        those of them that were not certain
    missed-proofs         cells opened that were not certain nor called proven, while another cell was certainly safe
    excess-risk           the risk taken above the least risk, summed over the cells opened
    best-guesses          the share of the guesses than which no other cell was safer; missing without guesses
    wrong-flags           flags put on safe cells
    brier, log-score      how well stated probabilities told mines; missing without any
    audit                 short for the last eight

The turns of each finished game are reviewed, without a second playing. Only boards of `uniform` can be reviewed. A game
that ended by a fault is reviewed up to it: its luck is taken from the score of the fault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import nan

from sweepstakes import Game, GameResult, MeasuredScore, Score, Size, Turn, hookimpl
from sweepstakes.plugins.scores.standard import Identified, Win
from sweepstakes.review import review_game
from sweepstakes.score import SHARE

NONE = -1.0
"""Stored where a mean has nothing to be the mean of; no such mean is below 0."""


class _Reviewed(MeasuredScore):
    needs_evidence = False
    needs_prior = True

    @staticmethod
    def measure(game: Game, turns: Sequence[Turn]) -> Mapping[str, float]:
        """All numbers, from one review of the game, with as many digits as tables have."""
        review = review_game(game, turns)
        audit, luck = review.audit, review.luck
        numbers = {
            "win-adjusted": luck.win,
            "identified-adjusted": luck.identified,
            "luck": luck.win,
            "proofs": audit.proofs,
            "unsound-proofs": audit.unsound,
            "missed-proofs": audit.missed,
            "excess-risk": audit.excess,
            "best-guesses": audit.best_share if audit.guesses else NONE,
            "wrong-flags": audit.wrong_flags,
            "brier": audit.brier if audit.stated else NONE,
            "log-score": audit.log_score if audit.stated else NONE,
        }
        return {name: round(number, 6) for name, number in numbers.items()}

    def worst(self, result: GameResult) -> float:
        """What was measured up to the fault; 0 if the turns are not known."""
        return self.of(result) if result.measures.get(self.name) is not None else 0.0


class _Adjusted(_Reviewed):
    """A score less its luck, which is what is stored."""

    score: Score

    def of(self, result: GameResult) -> float:
        """The score of the game less its luck."""
        return self.score(result) - super().of(result)

    def worst(self, result: GameResult) -> float:
        """The score of a game that ended by a fault, less the luck up to it; if its turns are not known, 0 luck."""
        return self.score(result) - (result.measures.get(self.name) or 0.0)

    def mean_bounds(self, size: Size) -> tuple[float, float]:
        """Those of the score with luck, whose mean is the same. Single games may lie beyond them."""
        return self.score.bounds(size)


class WinAdjusted(_Adjusted):
    """The score win less the luck of the game: the same mean, and a narrower interval."""

    name = "win-adjusted"
    title = "Games won, without luck"
    place = -2
    adjusts = "win"
    unit = SHARE
    score = Win()


class IdentifiedAdjusted(_Adjusted):
    """The score identified less the luck of the game: the same mean, and a narrower interval."""

    name = "identified-adjusted"
    title = "Mines identified, without luck"
    place = -1
    adjusts = "identified"
    unit = SHARE
    score = Identified()


class Luck(_Reviewed):
    """What luck added to the score win; 0 on average, for every agent."""

    name = "luck"
    title = "Luck"
    unit = "games"


class Proofs(_Reviewed):
    """Cells that the agent called proven."""

    name = "proofs"
    title = "Claimed proofs"
    unit = "cells"


class _Mistakes(_Reviewed):
    more_is_better = False


class UnsoundProofs(_Mistakes):
    """Cells that the agent called proven, and that were not certain."""

    name = "unsound-proofs"
    title = "Unsound proofs"
    unit = "cells"


class MissedProofs(_Mistakes):
    """Cells opened at a risk while another one was certainly safe."""

    name = "missed-proofs"
    title = "Missed proofs"
    unit = "cells"

    def bounds(self, size: Size) -> tuple[float, float]:
        """0 and all cells."""
        return 0.0, float(size.cells)


class ExcessRisk(_Mistakes):
    """The risk taken above the least risk, summed over the cells opened."""

    name = "excess-risk"
    title = "Excess risk"
    unit = "mines"

    def bounds(self, size: Size) -> tuple[float, float]:
        """0 and all cells."""
        return 0.0, float(size.cells)


class WrongFlags(_Mistakes):
    """Flags put on safe cells."""

    name = "wrong-flags"
    title = "Wrong flags"
    unit = "flags"


class _Mean(_Reviewed):
    def of(self, result: GameResult) -> float:
        """The mean within the game; missing if there is nothing in it."""
        mean = super().of(result)
        return nan if mean == NONE else mean


class BestGuesses(_Mean):
    """The share of the guesses than which no other cell was safer."""

    name = "best-guesses"
    title = "Best guesses"
    unit = SHARE

    def bounds(self, size: Size) -> tuple[float, float]:
        """0 and 1."""
        return 0.0, 1.0


class Brier(_Mean):
    """The mean square of stated probability less outcome (1 a mine, 0 none)."""

    name = "brier"
    title = "Brier score"
    more_is_better = False

    def bounds(self, size: Size) -> tuple[float, float]:
        """0 and 1."""
        return 0.0, 1.0


class LogScore(_Mean):
    """The mean of -log(probability that was stated for what came)."""

    name = "log-score"
    title = "Log score"
    more_is_better = False


AUDIT = (Proofs, UnsoundProofs, MissedProofs, ExcessRisk, BestGuesses, WrongFlags, Brier, LogScore)


class Audit(_Reviewed):
    """Short for the scores that tell how good the decisions were."""

    name = "audit"
    stands_for = tuple(score.name for score in AUDIT)


@hookimpl
def sweepstakes_scores() -> Mapping[str, Callable[..., Score]]:
    """Offer what a review measures."""
    return {score.name: score for score in (WinAdjusted, IdentifiedAdjusted, Luck, *AUDIT, Audit)}
