"""The exact mine probabilities of a position, and the heat map of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from sweepstakes.drawing.heat import heat_map
from sweepstakes.game.view import View
from sweepstakes.inference import Posterior, is_first_click_safe, posterior_under_rules
from sweepstakes.web.data.serialize import percentages, position_text, run_lengths


def odds(view: View) -> dict[str, Any]:
    """The probability of each cell that is not open, whether they are exact, and whether the first click is safe.

    Flags are ignored: a person, or a weak agent, may have set a wrong flag, which its probability then shows.
    """
    return serialize_odds(view, posterior_under_rules(view, trust_flags=False), trust_flags=False)


def serialize_odds(view: View, found: Posterior, *, trust_flags: bool) -> dict[str, Any]:
    """The probabilities in percent and the heat map as run lengths.

    The heat of a cell is from -10, certainly safe, over 0, as likely a mine as a cell that no clue sees, to 10,
    certainly a mine; None for cells that no clue sees, if they all have the same probability: that is `elsewhere`.
    """
    chance = np.where(found.safe, 0.0, np.where(found.mine, 1.0, found.probability))
    marks = position_text(view)
    heat: list[int | None] = [None] * len(marks)
    elsewhere = None
    if not is_first_click_safe(view):
        map_ = heat_map(marks if trust_flags else marks.replace("F", "."), view.rows, view.cols, chance)
        for cell in map_.numbers:
            colour = map_.colours.get(cell, "m0")
            heat[cell] = int(colour[1:]) * (1 if colour[0] == "m" else -1)
        elsewhere = None if map_.elsewhere is None else round(100 * map_.elsewhere, 1)
    return {
        "percent": run_lengths(percentages(found.probability, found.safe, found.mine)),
        "heat": run_lengths(heat),
        "elsewhere": elsewhere,
        "status": str(found.status),
        "first_click_safe": is_first_click_safe(view),
    }
