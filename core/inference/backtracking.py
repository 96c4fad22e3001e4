"""How many states a backtracking search over all solutions of a frontier visits, by the order of its cells.

The search assigns a mine or none to one frontier cell after the other, and goes back as soon as a clue has too many
mines or too few cells left. Its states are the assignments of the first 1, 2, 3, ... cells that contradict no clue. Its
last level are the solutions, the same in every order; an order is good if few of the shorter assignments lead nowhere.

Nobody has to visit them all to count them: parts of the frontier that share no clue are searched apart, and the states
of a level are the product of the states that each part has reached.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.game.codes import COVERED, DETONATED, FLAG, WITHHELD
from sweepstakes.inference._backtracking_kernels import MOST_EQUATIONS, count_nodes

MOST_NODES = 1_000_000
"""States of one part of a frontier after which counting stops."""

Shown = npt.NDArray[np.int8]
Equation = tuple[list[int], int]
Order = Literal["clues", "rows", "equations", "values"]
"""The order of the cells: as the clues, row by row, name them; row by row; or from the most to the least constrained,
by the number of their equations, or by the sum of the missing mines of these."""


class SearchStates(NamedTuple):
    """The states of one search."""

    log10: float
    """The decimal logarithm of their number; 0 without a frontier."""
    complete: bool
    """Whether all were counted; otherwise there are more."""


def search_states(shown: Shown, *, order: Order = "clues", most: int = MOST_NODES) -> SearchStates:
    """The states of the search for all solutions of a position; flags and detonated cells are known mines.

    Cells that are equally constrained stay in the order in which the clues name them.
    """
    equations = frontier_equations(shown)
    cells = list(dict.fromkeys(cell for members, _ in equations for cell in members))
    if not cells:
        return SearchStates(0.0, True)
    if order == "rows":
        cells.sort()
    elif order != "clues":
        weight = dict.fromkeys(cells, 0)
        for members, need in equations:
            for cell in members:
                weight[cell] += need if order == "values" else 1
        cells.sort(key=lambda cell: -weight[cell])
    part = _parts(equations)
    levels, complete = {}, True
    for name in set(part.values()):
        own = [cell for cell in cells if part[cell] == name]
        levels[name], all_counted = _count(own, [eq for eq in equations if part[eq[0][0]] == name], most)
        complete &= all_counted
    reached = dict.fromkeys(levels, 0)
    states = 1.0
    total = 0.0
    for cell in cells:
        name = part[cell]
        counts, level = levels[name], reached[name]
        states *= counts[level] / (counts[level - 1] if level else 1)
        reached[name] += 1
        total += states
    return SearchStates(math.log10(total) if total else 0.0, complete)


def frontier_equations(shown: Shown) -> list[Equation]:
    """Each clue beside covered cells, row by row: those cells as flat indices, row by row, and its missing mines."""
    rows, cols = shown.shape
    equations = []
    for row, col in np.argwhere((shown >= 0) & (shown < WITHHELD)).tolist():
        around = [
            (r, c)
            for r in range(max(row - 1, 0), min(row + 2, rows))
            for c in range(max(col - 1, 0), min(col + 2, cols))
        ]
        members = [r * cols + c for r, c in around if shown[r, c] == COVERED]
        if members:
            known = sum(shown[r, c] in (FLAG, DETONATED) for r, c in around)
            equations.append((members, int(shown[row, col]) - known))
    return equations


def _parts(equations: list[Equation]) -> dict[int, int]:
    """For each cell the smallest cell of its part: parts share no equation."""
    parent: dict[int, int] = {}

    def find(cell: int) -> int:
        while parent.setdefault(cell, cell) != cell:
            cell = parent[cell]
        return cell

    for members, _ in equations:
        roots = sorted({find(cell) for cell in members})
        for root in roots[1:]:
            parent[root] = roots[0]
    return {cell: find(cell) for members, _ in equations for cell in members}


def _count(cells: list[int], equations: list[Equation], most: int) -> tuple[list[int], bool]:
    """The states of each level of a part, at least 1, and whether all were counted."""
    place = {cell: i for i, cell in enumerate(cells)}
    member = np.full((len(cells), MOST_EQUATIONS), -1, np.int64)
    used = [0] * len(cells)
    for number, (members, _) in enumerate(equations):
        for cell in members:
            member[place[cell], used[place[cell]]] = number
            used[place[cell]] += 1
    need = np.array([need for _, need in equations], np.int64)
    room = np.array([len(members) for members, _ in equations], np.int64)
    nodes = np.zeros(len(cells), np.int64)
    complete = count_nodes(member, need, room, np.empty(len(cells), np.int64), nodes, most)
    return [max(1, count) for count in nodes.tolist()], bool(complete)
