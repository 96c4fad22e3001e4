"""Advice on what to open in a position, from the strongest known way to play, as a value and as text."""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from sweepstakes.errors import PositionError
from sweepstakes.game.cell import Cell
from sweepstakes.game.view import View
from sweepstakes.inference.best_guess import STANDARD, Candidate, Settings, best_guess
from sweepstakes.inference.posterior import CODES, Status
from sweepstakes.inference.summed import check_question, summed

WHY = {
    "certain": "certainly safe",
    "endgame": "best play of all layouts that are left",
    "closed component": "best play of a part that is independent of the rest of the board",
    "forced 50/50": "a mine only as a part of a 50/50, which must be guessed sooner or later",
    "lookahead": "the highest score of the joint lookahead",
    "least probability": "the least likely mine; too much is left to look ahead",
}


class Advice(NamedTuple):
    """Cells to open, and the reason. The game is assumed to end with the first mine."""

    open: tuple[Cell, ...]
    reason: str
    """A key of `WHY`."""
    safe: float
    """The probability that the cells are safe."""
    win: tuple[int, int] | None
    """If found by a tree: (layouts won, layouts)."""
    candidates: tuple[Candidate, ...]
    """If found by lookahead: the cells that were considered, the best first."""
    wins: tuple[tuple[Cell, float, int], ...]
    """If found by a tree: (cell, safety, layouts won after opening it), the best first."""

    def plain(self) -> dict[str, Any]:
        """Return the advice as numbers and lists, for JSON; null in place of missing numbers."""
        return {
            "open": [list(cell) for cell in self.open],
            "reason": self.reason,
            "safe": self.safe,
            "won": None if self.win is None else self.win[0],
            "layouts": None if self.win is None else self.win[1],
            "candidates": [
                {"cell": list(each.cell)}
                | {
                    name: None if isinstance(value, float) and math.isnan(value) else value
                    for name, value in list(each._asdict().items())[1:]
                }
                for each in self.candidates
            ],
            "wins": [{"cell": list(cell), "safe": safe, "won": won} for cell, safe, won in self.wins],
        }

    def __str__(self) -> str:
        lines = [f"open {' '.join(map(str, self.open)) or 'nothing'}: {WHY[self.reason]}"]
        if self.win is not None:
            won, layouts = self.win
            lines.append(f"wins {won} of {layouts} layouts, {won / layouts:.6f}")
            lines.append(f"{'cell':10}{'safe':>10}{'wins':>8}")
            lines += [f"{cell!s:10}{safe:10.6f}{won:8}" for cell, safe, won in self.wins]
        if self.candidates:
            lines.append(f"{'cell':10}{'safe':>10}{'best after':>12}{'second after':>14}{'50/50':>10}{'score':>10}")
            for each in self.candidates:
                numbers = (
                    f"{each.best:12.6f}{each.second:14.6f}{each.influence:10.6f}{each.score:10.4f}"
                    if each.state == "scored"
                    else f"  {each.state}"
                )
                lines.append(f"{each.cell!s:10}{each.safe:10.6f}{numbers}")
        return "\n".join(lines)


def advise(view: View, settings: Settings = STANDARD) -> Advice:
    """Return what to open in a view with exact clues, and why."""
    check_question(view)
    chance = np.empty(view.shown.size)
    found = summed(view.shown, view.mines, probability=chance, certain=np.empty(view.shown.size, CODES))
    decision = found.decision
    if decision.status is Status.INCONSISTENT:
        raise PositionError("no layout agrees with the position")
    if decision.guess < 0:
        safe = tuple(Cell(*divmod(cell, view.cols)) for cell in np.sort(decision.safe).tolist())
        return Advice(safe, "certain", 1.0, None, (), ())
    guess = best_guess(found, settings, explain=True)
    safety = {cell: 1.0 - float(chance[cell.row * view.cols + cell.col]) for cell in guess.wins}
    wins = sorted(guess.wins, key=lambda cell: (-guess.wins[cell], -safety[cell], cell))
    return Advice(
        (Cell(*divmod(guess.cell, view.cols)),),
        guess.reason,
        1.0 - float(chance[guess.cell]),
        (guess.won, guess.layouts) if guess.layouts else None,
        guess.candidates,
        tuple((cell, safety[cell], guess.wins[cell]) for cell in wins),
    )
