"""The numbers that a review computes from decisions. Scores, tables and pages take their names and words from here."""

from __future__ import annotations

from collections.abc import Callable
from math import inf
from typing import NamedTuple

from sweepstakes.game.size import Size
from sweepstakes.review.audit import Audit


class Measure(NamedTuple):
    """A number that says how good the decisions of one game or of many games were."""

    name: str
    """Its name as a score."""
    title: str
    unit: str
    """What it counts; may be empty."""
    meaning: str
    """Describes its value in one game, without a full stop."""
    of: Callable[[Audit], float]
    """Computes it. NaN if there is nothing to average."""
    more_is_better: bool = False
    highest: Callable[[Size], float] = lambda size: inf
    """Returns the highest possible value in a game on a board of this size. If it is finite, the lowest value is 0."""


def _cells(size: Size) -> float:
    return float(size.cells)


def _one(size: Size) -> float:
    return 1.0


MEASURES = {
    measure.name: measure
    for measure in (
        Measure("proofs", "Claimed proofs", "cells", "Cells that the agent called proven", lambda a: a.proofs, True),
        Measure(
            "unsound-proofs",
            "Unsound proofs",
            "cells",
            "Cells that the agent called proven but that were not certain",
            lambda a: a.unsound,
        ),
        Measure(
            "missed-proofs",
            "Missed proofs",
            "cells",
            "Cells opened at a risk while another cell was certainly safe",
            lambda a: a.missed,
            highest=_cells,
        ),
        Measure(
            "excess-risk",
            "Excess risk",
            "mines",
            "The risk above the lowest possible risk, summed over the cells opened",
            lambda a: a.excess,
            highest=_cells,
        ),
        Measure(
            "best-guesses",
            "Best guesses",
            "share",
            "The share of guesses that opened the safest cell",
            lambda a: a.best_share,
            True,
            _one,
        ),
        Measure("wrong-flags", "Wrong flags", "flags", "Flags put on safe cells", lambda a: a.wrong_flags),
        Measure(
            "brier",
            "Brier score",
            "",
            "The mean squared difference between stated probabilities and outcomes (1 for a mine, 0 for none)",
            lambda a: a.brier,
            highest=_one,
        ),
        Measure(
            "log-score",
            "Log score",
            "",
            "The mean of -log(probability stated for the actual outcome)",
            lambda a: a.log_score,
        ),
    )
}
"""By name, in the order in which `audit` lists them as scores."""
