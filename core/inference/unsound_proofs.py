"""Find cells that a turn calls proven although they do not follow from the clues."""

from __future__ import annotations

from sweepstakes.game.cell import Cell
from sweepstakes.game.turn import Cells, Turn, as_cells
from sweepstakes.game.view import View
from sweepstakes.inference.posterior import Status
from sweepstakes.inference.under_rules import posterior_under_rules


def unsound_proofs(view: View, turn: Turn) -> dict[Cell, tuple[str, float]]:
    """Return the cells that a turn with the reason `proof` calls "safe" or "a mine" although the view allows both.

    The values are the claim and the mine probability. Flags are not trusted, since the agent has set them itself. The
    result is empty if the position is too hard to decide.
    """
    claims = [(cell, "safe") for cell in _cells(turn.open, view)] + [
        (cell, "a mine") for cell in _cells(turn.flag, view)
    ]
    if turn.why != "proof" or not claims:
        return {}
    known = posterior_under_rules(view, trust_flags=False)
    if known.status is not Status.OK:
        return {}
    certain = {"safe": 1, "a mine": 2}
    return {
        cell: (claim, float(known.probability[cell]))
        for cell, claim in claims
        if view.shown[cell] < 0 and int(known.certain[cell]) != certain[claim]
    }


def _cells(cells: Cells, view: View) -> list[Cell]:
    """Return the cells that are on the board."""
    named = as_cells(cells, view.cols)
    return [cell for cell in named if 0 <= cell.row < view.rows and 0 <= cell.col < view.cols]
