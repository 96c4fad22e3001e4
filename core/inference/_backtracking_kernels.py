"""Count the nodes of a backtracking search, level by level."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sweepstakes.compiling.decorators import kernel

MAX_EQUATIONS = 8
"""Equations that a cell can be part of: one for each neighbour."""


@kernel(allocates=False)
def count_nodes(
    member: npt.NDArray[np.int64],
    need: npt.NDArray[np.int64],
    unassigned: npt.NDArray[np.int64],
    value: npt.NDArray[np.int64],
    nodes: npt.NDArray[np.int64],
    limit: int,
) -> bool:
    """Assign 0 (safe) and 1 (a mine) to one cell after the other, and backtrack when an equation cannot hold any more.

    `member[cell, i]` are the equations of a cell, followed by -1. `need` and `unassigned` are the missing mines and the
    unassigned cells of each equation; at the end they have their first values again. `value` is scratch.
    `nodes[level]` gets the number of ways to assign the first level + 1 cells without contradicting an equation.
    Returns False if there are more than `limit` in all.
    """
    count = value.size
    total = 0
    level = 0
    value[0] = -1  # not assigned yet
    while level >= 0:
        if value[level] >= 0:  # undo the last assignment
            for i in range(MAX_EQUATIONS):
                e = member[level, i]
                if e < 0:
                    break
                need[e] += value[level]
                unassigned[e] += 1
        value[level] += 1
        if value[level] > 1:
            level -= 1
            continue
        possible = True
        for i in range(MAX_EQUATIONS):
            e = member[level, i]
            if e < 0:
                break
            need[e] -= value[level]
            unassigned[e] -= 1
            if need[e] < 0 or need[e] > unassigned[e]:
                possible = False
        if possible and total <= limit:
            nodes[level] += 1
            total += 1
            if level + 1 < count:
                level += 1
                value[level] = -1
    return total <= limit
