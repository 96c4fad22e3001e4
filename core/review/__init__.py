"""Review: every decision of a finished game against the exact posterior, and the luck in its score."""

from sweepstakes.review.audit import Audit, Bin, Stated
from sweepstakes.review.game_review import GameReview, review_game, why_not_judged
from sweepstakes.review.judgement import MISTAKES, Judgement, Label, Thresholds
from sweepstakes.review.luck import Luck
from sweepstakes.review.summary import Summary, TurnSummary

__all__ = [
    "MISTAKES",
    "Audit",
    "Bin",
    "GameReview",
    "Judgement",
    "Label",
    "Luck",
    "Stated",
    "Summary",
    "Thresholds",
    "TurnSummary",
    "review_game",
    "why_not_judged",
]
