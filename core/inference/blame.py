"""Find a contradiction in a position that no layout agrees with."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from sweepstakes.game.cell import Cell
from sweepstakes.game.codes import COVERED, DETONATED, FLAG
from sweepstakes.inference._arrays import Shown, Table
from sweepstakes.inference.exact.layout import IGNORED
from sweepstakes.inference.posterior import Status, posterior

T = TypeVar("T")


class Contradiction(NamedTuple):
    """Clues and known mines that cannot all be true, row by row. Without any one of them, the others can be true."""

    clues: list[Cell]
    mines: list[Cell]
    """Flags, and mines that went off."""
    counted: bool
    """Whether the number of mines is part of the contradiction."""


def contradiction(
    shown: Shown,
    mines: int | None,
    *,
    noise: Table | None = None,
    trust_flags: bool = True,
    budget: int | None = None,
) -> Contradiction:
    """Return a minimal contradiction in an inconsistent position. Raise `ValueError` if the position is consistent.

    The number of mines is part of the contradiction only if clues and known mines alone are consistent. This calls
    `posterior` about log2(clues) times for each clue and mine in the result.
    """
    shown = np.asarray(shown)
    cols = shown.shape[1]
    known = (FLAG, DETONATED) if trust_flags else (DETONATED,)
    stated = [int(flat) for flat in np.flatnonzero(((shown >= 0) & (shown < IGNORED)) | np.isin(shown, known)).tolist()]

    def possible(kept: Sequence[int], count: int | None) -> bool:
        part = np.array(shown, dtype=np.int8).reshape(-1)
        left_out = np.setdiff1d(stated, kept).astype(np.int64)
        part[left_out] = np.where(part[left_out] < 0, COVERED, IGNORED)
        prior = None if count is not None else 0.5
        found = posterior(
            part.reshape(shown.shape), count, noise=noise, trust_flags=trust_flags, prior=prior, budget=budget
        )
        return found.status != Status.INCONSISTENT

    count = None
    if possible(stated, None):
        if mines is None or possible(stated, mines):
            raise ValueError("the position is consistent, or too hard to decide")
        count = mines

    def distance(flat: int, other: int) -> tuple[int, int]:
        return max(abs(flat // cols - other // cols), abs(flat % cols - other % cols)), flat

    blamed = minimal_conflict(stated, lambda kept: possible(kept, count), distance)
    cells = [Cell(*divmod(flat, cols)) for flat in sorted(blamed)]
    clues = [cell for cell in cells if shown[cell] >= 0]
    return Contradiction(clues, [cell for cell in cells if shown[cell] < 0], count is not None)


def minimal_conflict(
    items: Sequence[T],
    possible: Callable[[Sequence[T]], bool],
    distance: Callable[[T, T], tuple[int, int]] | None = None,
) -> list[T]:
    """Return a minimal set of items that are impossible together.

    All items together must be impossible. Late items are preferred or, with `distance`, those near the first one found.
    """
    blamed: list[T] = []
    rest = list(items)
    while possible(blamed):
        fits, fails = 0, len(rest)  # with the blamed, the first `fits` items are possible and the first `fails` are not
        while fails - fits > 1:
            middle = (fits + fails) // 2
            if possible(blamed + rest[:middle]):
                fits = middle
            else:
                fails = middle
        blamed.append(rest[fails - 1])
        rest = rest[: fails - 1]
        if distance is not None and len(blamed) == 1:
            rest.sort(key=lambda item: distance(item, blamed[0]))
    return blamed
