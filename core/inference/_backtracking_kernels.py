"""Counts the nodes of a backtracking search, level by level."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sweepstakes.compiling.decorators import kernel

MOST_EQUATIONS = 8
"""Equations that a cell can stand in: one for each neighbour."""


@kernel(allocates=False)
def count_nodes(
    member: npt.NDArray[np.int64],
    need: npt.NDArray[np.int64],
    room: npt.NDArray[np.int64],
    value: npt.NDArray[np.int64],
    nodes: npt.NDArray[np.int64],
    most: int,
) -> bool:
    """Assign no mine and a mine to each cell in turn, backtracking where an equation cannot hold any more.

    `member[cell, i]` are the equations of a cell, -1 behind the last; `need` and `room` are the missing mines and
    unassigned cells of each equation, the same again at the end; `value` is scratch. `nodes[level]` gets the number of
    ways to assign the first level + 1 cells that contradict no equation. False if they are more than `most` in all.
    """
    count = value.size
    total = 0
    level = 0
    value[0] = -1
    while level >= 0:
        if value[level] >= 0:  # take the value back
            for i in range(MOST_EQUATIONS):
                e = member[level, i]
                if e < 0:
                    break
                need[e] += value[level]
                room[e] += 1
        value[level] += 1
        if value[level] > 1:
            level -= 1
            continue
        possible = True
        for i in range(MOST_EQUATIONS):
            e = member[level, i]
            if e < 0:
                break
            need[e] -= value[level]
            room[e] -= 1
            if need[e] < 0 or need[e] > room[e]:
                possible = False
        if possible and total <= most:
            nodes[level] += 1
            total += 1
            if level + 1 < count:
                level += 1
                value[level] = -1
    return total <= most
