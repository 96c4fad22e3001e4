"""The review of a stored game as the JSON data that the browser reads."""

from __future__ import annotations

from math import isnan
from typing import Any

from sweepstakes.review import MISTAKES, GameReview, Judgement


def serialize_review(review: GameReview, turns: int) -> dict[str, Any]:
    """Return the class, luck and mistakes of each turn, and two probabilities before and after each turn.

    `alive` is the probability of still being alive, and `chances` estimates the probability of winning.

    The pages compute the same for a person's games: `web/static/engine_review.js`.
    """
    summary = review.summary
    mistakes: list[list[Judgement]] = [[] for _ in range(turns)]
    for judgement in review.judgements:
        if judgement.turn < turns and judgement.label in MISTAKES:
            mistakes[judgement.turn].append(judgement)
    rows = [
        {
            "label": "" if turn.label is None else turn.label.value,
            "luck": round(turn.luck, 4),
            "mistakes": [_mistake(review, judgement) for judgement in of_turn[:3]],
        }
        for turn, of_turn in zip(summary.turns[:turns], mistakes, strict=True)
    ]
    alive = [1.0, *(turn.alive for turn in summary.turns[:turns])]
    chances = [turn.chance for turn in summary.turns[: turns + 1]]
    return {
        "turns": rows,
        "alive": [round(chance, 5) for chance in alive],
        "chances": None if isnan(chances[0]) else [round(chance, 4) for chance in chances],
        "luck": round(review.luck.win, 4),
    }


def _mistake(review: GameReview, judgement: Judgement) -> dict[str, Any]:
    cols = review.position(judgement).cols
    missed = review.missed_proof(judgement) if judgement.action == "open" else None
    best = missed[0] if missed is not None else review.least_risky(judgement) if judgement.action == "open" else None
    known = judgement.probability == judgement.probability
    return {
        "label": judgement.label.value,
        "action": judgement.action,
        "cell": judgement.cell.row * cols + judgement.cell.col,
        "percent": round(100 * judgement.probability, 1) if known else None,
        "least": round(100 * judgement.least, 1) if known and judgement.least == judgement.least else None,
        "best": None if best is None else best.row * cols + best.col,
        "clues": [] if missed is None else [clue.row * cols + clue.col for clue in missed[1]],
    }
