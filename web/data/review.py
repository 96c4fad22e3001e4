"""The review of a stored game as the JSON data that the browser reads."""

from __future__ import annotations

from typing import Any

from sweepstakes.review import MISTAKES, GameReview, Judgement

SEVERITY = {label: place for place, label in enumerate(MISTAKES)}


def serialize_review(review: GameReview, turns: int) -> dict[str, Any]:
    """For each turn its class, its luck and its mistakes; and the chance to be still alive before and after each turn.

    The class of a turn is that of its worst decision, or else of its first. The chance to be alive is the product of
    the chances to survive each opening so far.
    """
    luck = review.luck_by_turn()
    by_turn: list[list[Judgement]] = [[] for _ in range(turns)]
    for judgement in review.judgements:
        if judgement.turn < turns:
            by_turn[judgement.turn].append(judgement)
    alive = [1.0]
    rows = []
    for number, judgements in enumerate(by_turn):
        chance = alive[-1]
        for judgement in judgements:
            if judgement.action == "open" and judgement.probability == judgement.probability:
                chance *= 1 - judgement.probability
        alive.append(chance)
        mistakes = [judgement for judgement in judgements if judgement.label in SEVERITY]
        worst = min(mistakes, key=lambda judgement: SEVERITY[judgement.label], default=None)
        opened = [judgement for judgement in judgements if judgement.action == "open"]
        first = worst or next(iter([j for j in opened if not j.certain] or opened or judgements), None)
        rows.append(
            {
                "label": first.label.value if first is not None else "",
                "luck": round(luck.get(number, 0.0), 4),
                "mistakes": [_mistake(review, judgement) for judgement in mistakes[:3]],
            }
        )
    return {"turns": rows, "alive": [round(chance, 5) for chance in alive], "luck": round(review.luck.win, 4)}


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
