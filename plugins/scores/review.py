"""What a review measures (see `sweepstakes.review`): the luck in a score, and the quality of each decision.

    win-adjusted          `win` without luck: the same mean, and a narrower interval
    identified-adjusted   `identified` without luck
    luck                  what luck added to `win`
    audit                 short for the scores below

The other scores say how good the decisions were: `sweepstakes.review.measures` lists them.

The turns of each finished game are reviewed without playing it a second time. Only boards of `uniform` can be reviewed.
A game that ended by a fault is reviewed up to the fault, and its luck is subtracted from the score for a fault.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import inf, isfinite, isnan, nan

from sweepstakes import Game, GameResult, MeasuredScore, Score, Size, Turn, hookimpl
from sweepstakes.plugins.scores.standard import Identified, Win
from sweepstakes.review import review_game
from sweepstakes.review.measures import MEASURES, Measure
from sweepstakes.score import SHARE

NONE = -1.0
"""Stored for a measure without decisions to average; no measure of decisions is below 0."""


class _Reviewed(MeasuredScore):
    needs_evidence = False
    needs_prior = True

    @staticmethod
    def measure(game: Game, turns: Sequence[Turn]) -> Mapping[str, float]:
        """Measure all numbers in one review of the game, rounded to the digits of tables."""
        review = review_game(game, turns)
        luck = {"win-adjusted": review.luck.win, "identified-adjusted": review.luck.identified, "luck": review.luck.win}
        judged = {name: measure.of(review.audit) for name, measure in MEASURES.items()}
        return {name: NONE if isnan(number) else round(number, 6) for name, number in (luck | judged).items()}

    def worst(self, result: GameResult) -> float:
        """Return what was measured up to the fault; 0 if the turns are not known."""
        return self.of(result) if result.measures.get(self.name) is not None else 0.0


class _Adjusted(_Reviewed):
    """A score minus its luck. Only the luck is stored."""

    score: Score

    def of(self, result: GameResult) -> float:
        """Return the score of the game minus its luck."""
        return self.score(result) - super().of(result)

    def worst(self, result: GameResult) -> float:
        """Return the score for a fault minus the luck up to it, or minus 0 if the turns are not known."""
        return self.score(result) - (result.measures.get(self.name) or 0.0)

    def mean_bounds(self, size: Size) -> tuple[float, float]:
        """Return the bounds of the score with luck, which has the same mean. Single games may exceed them."""
        return self.score.bounds(size)


class WinAdjusted(_Adjusted):
    """Games won, corrected for luck: the same mean as win in the long run, with a narrower interval."""

    name = "win-adjusted"
    title = "Games won, without luck"
    place = -2
    adjusts = "win"
    unit = SHARE
    score = Win()


class IdentifiedAdjusted(_Adjusted):
    """Mines identified, corrected for luck: the same mean as identified in the long run, with a narrower interval."""

    name = "identified-adjusted"
    title = "Mines identified, without luck"
    place = -1
    adjusts = "identified"
    unit = SHARE
    score = Identified()


class Luck(_Reviewed):
    """How much luck added to win. In the long run it is 0 for every agent."""

    name = "luck"
    title = "Luck"
    unit = "games"


class _Judged(_Reviewed):
    """How good the decisions were, by one of `MEASURES`."""

    highest: Callable[[Size], float]

    def of(self, result: GameResult) -> float:
        """Return the number of the game; NaN if it has no decisions to average."""
        number = super().of(result)
        return nan if number == NONE else number

    def bounds(self, size: Size) -> tuple[float, float]:
        """Return 0 and the highest value of the measure."""
        highest = type(self).highest(size)
        return 0.0 if isfinite(highest) else -inf, highest


def _judged(measure: Measure) -> type[_Judged]:
    words = {"name": measure.name, "title": measure.title, "unit": measure.unit, "__doc__": f"{measure.meaning}."}
    return type(
        measure.name, (_Judged,), {**words, "more_is_better": measure.more_is_better, "highest": measure.highest}
    )


class Audit(_Reviewed):
    """Short for the scores that say how good the decisions were."""

    name = "audit"
    stands_for = tuple(MEASURES)


@hookimpl
def sweepstakes_scores() -> Mapping[str, Callable[..., Score]]:
    """Offer what a review measures."""
    judged = [_judged(measure) for measure in MEASURES.values()]
    scores: list[type[MeasuredScore]] = [WinAdjusted, IdentifiedAdjusted, Luck, *judged, Audit]
    return {score.name: score for score in scores}
