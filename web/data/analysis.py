"""What follows from a position, as the JSON data that the Analysis page reads.

The worker of the exact engine computes these answers (`web/agents/request_handler.py`).
"""

from __future__ import annotations

from typing import Any

from sweepstakes.errors import PositionError
from sweepstakes.game.cell import Cell
from sweepstakes.game.turn import flat_cells
from sweepstakes.game.view import View
from sweepstakes.inference import Status, advise, is_first_click_safe, posterior_under_rules
from sweepstakes.inference.advice import WHY
from sweepstakes.inference.solving import (
    contradiction_in_view,
    contradiction_in_words,
    layouts_in_words,
    proof,
    solve,
    why,
)
from sweepstakes.web.data.odds import serialize_odds


def solve_view(view: View) -> dict[str, Any]:
    """The probabilities, the certain cells and the best cell, or what contradicts itself; flags are known mines."""
    found = posterior_under_rules(view)
    odds = serialize_odds(view, found)
    if found.status is Status.INCONSISTENT:
        wrong = contradiction_in_view(view)
        return odds | {
            "contradiction": {
                "text": contradiction_in_words(view, wrong),
                "cells": flat_cells((*wrong.clues, *wrong.mines), view.cols),
            },
            "safe": [],
            "mines": [],
            "best": None,
            "layouts": "",
        }
    solution = solve(view)
    return odds | {
        "contradiction": None,
        "safe": flat_cells(tuple(solution.safe), view.cols),
        "mines": flat_cells(tuple(solution.mines), view.cols),
        "best": None if solution.best is None else flat_cells((solution.best,), view.cols)[0],
        "layouts": layouts_in_words(solution),
    }


def prove_cell(view: View, cell: int) -> dict[str, Any]:
    """Why a covered cell is certain, in words, and the clues that prove it; no clues if it is not certain."""
    try:
        solution = solve(view)
        where = Cell(*divmod(cell, view.cols))
        text = why(solution, where)
        clues = [] if is_first_click_safe(view) else proof(solution, where).get(where, [])
    except PositionError as error:
        return {"text": str(error), "clues": []}
    return {"text": text, "clues": flat_cells(tuple(clues), view.cols)}


def advise_view(view: View) -> dict[str, Any]:
    """What `champion` would open, why, and the cells that it considered; `refused` says why it has no advice."""
    try:
        found = advise(view)
    except PositionError as error:
        return {"refused": str(error)}
    plain = found.plain()
    for listed in (plain["candidates"], plain["wins"]):
        for each in listed:
            each["cell"] = each["cell"][0] * view.cols + each["cell"][1]
    return plain | {"open": flat_cells(found.open, view.cols), "why": WHY[found.reason], "refused": None}
