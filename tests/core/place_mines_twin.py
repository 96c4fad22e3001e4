"""The dealer in plain Python, from its specification: a permutation by Fisher and Yates from SplitMix64."""

from __future__ import annotations

from collections.abc import Collection

from sweepstakes import Rng


def permutation(seed: int, cells: int) -> list[int]:
    """Return the cells in the order in which they get mines."""
    rng = Rng(seed)
    order = list(range(cells))
    for i in range(cells):
        j = i + rng.below(cells - i)
        order[i], order[j] = order[j], order[i]
    return order


def place_mines(seed: int, cells: int, mines: int, protected: Collection[int] = ()) -> bytes:
    """Return the layout: mines on the first unprotected cells of the permutation."""
    free = [cell for cell in permutation(seed, cells) if cell not in protected]
    chosen = set(free[:mines])
    return bytes(cell in chosen for cell in range(cells))
