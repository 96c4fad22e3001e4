"""The advice of `champion` in a position, as the JSON data of the Analysis page.

The worker of the built-in agents computes it (`web/agents/request_handler.py`); the page itself solves the position.
"""

from __future__ import annotations

from typing import Any

from sweepstakes.errors import PositionError
from sweepstakes.game.turn import flat_cells
from sweepstakes.game.view import View
from sweepstakes.inference import advise
from sweepstakes.inference.advice import WHY


def advise_view(view: View) -> dict[str, Any]:
    """Return what `champion` would open, why, and the cells that it considered. `refused` says why it has no advice."""
    try:
        found = advise(view)
    except PositionError as error:
        return {"refused": str(error)}
    plain = found.plain()
    for listed in (plain["candidates"], plain["wins"]):
        for each in listed:
            each["cell"] = each["cell"][0] * view.cols + each["cell"][1]
    return plain | {"open": flat_cells(found.open, view.cols), "why": WHY[found.reason], "refused": None}
