"""Evidence by solving the whole position again for every clue that may be left out. This is slow but simple."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt
from twin import brute

from sweepstakes.game.cell import Cell
from sweepstakes.game.codes import WITHHELD
from sweepstakes.inference import posterior
from sweepstakes.inference.exact.layout import IGNORED

Shown = npt.NDArray[np.int8]
Table = npt.NDArray[np.float64]
Certain = Callable[[list[Cell], int | None], npt.NDArray[np.int8]]
"""Return which cells are certain if only these clues count, and the mine count if it is given."""


def clues_of(shown: Shown) -> list[Cell]:
    """Return all clues, including withheld ones, which count under noise."""
    return [Cell(int(r), int(c)) for r, c in np.argwhere((shown >= 0) & (shown <= WITHHELD))]


def only(shown: Shown, clues: list[Cell]) -> Shown:
    """Return the position with only these clues."""
    position = np.where((shown >= 0) & (shown <= WITHHELD), np.int8(IGNORED), shown)
    for clue in clues:
        position[clue] = shown[clue]
    return position


def by_the_engine(shown: Shown, noise: Table | None, trust_flags: bool) -> Certain:
    def certain(clues: list[Cell], mines: int | None) -> npt.NDArray[np.int8]:
        return posterior(only(shown, clues), mines, noise=noise, trust_flags=trust_flags).certain

    return certain


def by_brute_force(shown: Shown, noise: Table | None, trust_flags: bool) -> Certain:
    def certain(clues: list[Cell], mines: int | None) -> npt.NDArray[np.int8]:
        return brute(only(shown, clues), mines, noise=noise, trust_flags=trust_flags).certain

    return certain


def slow_enough(
    shown: Shown, mines: int | None, cell: Cell, value: int, *, noise: Table | None = None, trust_flags: bool = True
) -> tuple[list[Cell], bool]:
    """Return what `minimal_proof` promises: add clues around the cell until they decide it, then leave out one after
    another."""
    certain = by_the_engine(shown, noise, trust_flags)
    clues = sorted(clues_of(shown), key=lambda clue: (distance(clue, cell), clue))
    for count in (None, mines) if mines is not None else (None,):
        reach = 1
        while True:
            kept = [clue for clue in clues if distance(clue, cell) <= reach]
            if certain(kept, count)[cell] == value:
                for clue in reversed(kept.copy()):
                    fewer = [other for other in kept if other != clue]
                    if certain(fewer, count)[cell] == value:
                        kept = fewer
                return sorted(kept), count is not None
            if len(kept) == len(clues):
                break
            reach = reach + 1 if reach < 4 else 2 * reach
    return clues, mines is not None


def distance(one: Cell, other: Cell) -> int:
    return max(abs(one.row - other.row), abs(one.col - other.col))


def check(certain: Certain, clues: list[Cell], mines: int | None, cell: Cell, value: int) -> None:
    """Assert that the clues, with the mine count if it is given, prove the cell, and that each of them is necessary."""
    assert certain(clues, mines)[cell] == value, f"{clues} do not prove {cell}"
    for clue in clues:
        rest = [other for other in clues if other != clue]
        assert certain(rest, mines)[cell] != value, f"{cell} needs no {clue}"
