"""The colours of the heat map. Cells that no clue sees are neutral, whatever their probability.

This emphasises the cells next to clues: green where a mine is less likely than elsewhere, red where it is more likely.
The strongest green and red are reserved for certain cells.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.drawing.theme import STEPS


class HeatMap(NamedTuple):
    """The heat of each covered cell that has a probability."""

    colours: dict[int, str]
    """The name of a colour by flat index. Neutral cells are not included."""
    numbers: dict[int, str]
    """The percentage written on a cell, by flat index. Only certain cells show 0 or 100."""
    elsewhere: float | None
    """The probability of the cells that no clue sees; None without such cells, or if their probabilities differ."""


def heat_map(shown: str, rows: int, cols: int, heat: npt.NDArray[np.float64]) -> HeatMap:
    """Return the heat map of a position."""
    marks = np.frombuffer(shown.encode("ascii"), np.uint8).reshape(rows, cols)
    covered = (marks == ord(".")) & ~np.isnan(heat)
    seen = _beside(~np.isin(marks, list(b".F*")))
    outside = heat[covered & ~seen]
    even = bool(outside.size) and float(np.ptp(outside)) < 1e-9
    neutral = float(outside.mean()) if even else float(heat[covered].mean()) if covered.any() else 0.0
    colours: dict[int, str] = {}
    numbers: dict[int, str] = {}
    for flat in np.flatnonzero(covered).tolist():
        chance = float(heat.flat[flat])
        certain = chance in (0.0, 1.0)
        if even and not seen.flat[flat] and not certain:
            continue
        if colour := _colour(chance, neutral):
            colours[flat] = colour
        numbers[flat] = str(round(100 * chance) if certain else min(max(round(100 * chance), 1), 99))
    return HeatMap(colours, numbers, neutral if even and 0 < neutral < 1 else None)


def _colour(chance: float, neutral: float) -> str:
    """Return the colour of a probability, or "" for neutral."""
    if chance in (0.0, 1.0):
        return f"{'m' if chance else 's'}{STEPS}"
    if abs(chance - neutral) < 1e-9:
        return ""
    risky = chance > neutral
    share = (chance - neutral) / (1 - neutral) if risky else 1 - chance / neutral
    step = min(max(math.ceil(STEPS * math.sqrt(share)), 1), STEPS - 1)
    return f"{'m' if risky else 's'}{step}"


def _beside(cells: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return the marked cells together with all their neighbours."""
    wide = cells.copy()
    wide[1:] |= cells[:-1]
    wide[:-1] |= cells[1:]
    both = wide.copy()
    both[:, 1:] |= wide[:, :-1]
    both[:, :-1] |= wide[:, 1:]
    return both
