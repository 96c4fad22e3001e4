"""The first clue that contradicts the clues before it, if no layout agrees with a position."""

import numpy as np

from sweepstakes.inference._arrays import Shown, Table
from sweepstakes.inference.exact.layout import IGNORED
from sweepstakes.inference.posterior import Status, posterior


def first_impossible_clue(
    shown: Shown,
    mines: int | None,
    *,
    noise: Table | None = None,
    trust_flags: bool = True,
    budget: int | None = None,
) -> tuple[int, int] | None:
    """(row, column) of the first clue that contradicts the clues before it; None if only the mine count contradicts.

    The position must be inconsistent. A binary search over the clues: calls `posterior` about log2(clues) times.
    """

    def possible(count: int | None, clues: int) -> bool:
        part = np.array(shown, dtype=np.int8)
        part.reshape(-1)[where[clues:]] = IGNORED
        prior = None if count is not None else 0.5
        answer = posterior(part, count, noise=noise, trust_flags=trust_flags, prior=prior, budget=budget)
        return answer.status != Status.INCONSISTENT

    where = np.flatnonzero(np.asarray(shown).reshape(-1) >= 0)
    if possible(None, len(where)):
        if mines is None or possible(mines, len(where)):
            raise ValueError("the position is consistent, or too hard to find out")
        return None
    fits, fails = 0, len(where)
    while fails - fits > 1:
        middle = (fits + fails) // 2
        if possible(None, middle):
            fits = middle
        else:
            fails = middle
    row, col = divmod(int(where[fails - 1]), np.asarray(shown).shape[1])
    return row, col
