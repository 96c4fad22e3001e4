"""Count the states that a backtracking search over all solutions of a frontier visits in a given order of the cells.

The search assigns a mine or no mine to one frontier cell after the other, and backtracks as soon as a clue has too many
mines or too few cells left. Its states are the assignments of the first 1, 2, 3, ... cells that contradict no clue. The
last level has the solutions, which are the same in every order. An order is good if few shorter assignments lead
nowhere.

The states can be counted without visiting all of them. Parts of the frontier that share no clue are searched
separately, and the number of states of a level is the product of the states that each part has reached.
"""

from __future__ import annotations

import math
from typing import Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.game.codes import COVERED, DETONATED, FLAG, WITHHELD
from sweepstakes.inference._backtracking_kernels import MAX_EQUATIONS, count_nodes

MAX_NODES = 1_000_000
"""States of one part of a frontier after which counting stops."""

Shown = npt.NDArray[np.int8]
Equation = tuple[list[int], int]
Order = Literal["clues", "rows", "equations", "values"]
"""The order of the cells: as the clues, row by row, name them; row by row; or from the most to the least constrained,
by the number of their equations, or by the sum of the missing mines of these."""


class SearchStates(NamedTuple):
    """The states of one search."""

    log10: float
    """The decimal logarithm of their number; 0 if there is no frontier."""
    complete: bool
    """Whether all were counted. If not, there are more."""


def search_states(shown: Shown, *, order: Order = "clues", most: int = MAX_NODES) -> SearchStates:
    """Count the states of a search for all solutions of a position. Flags and detonated cells are known mines.

    Equally constrained cells keep the order in which the clues see them. Counting stops after `most` states of one part
    of the frontier.
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
    """Return (flat indices of the covered neighbours, missing mines) for each clue with covered neighbours."""
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
    """Return for each cell the smallest cell of its part. Different parts share no equation."""
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
    """Return the number of states of each level of a part, at least 1, and whether all were counted."""
    place = {cell: i for i, cell in enumerate(cells)}
    member = np.full((len(cells), MAX_EQUATIONS), -1, np.int64)
    used = [0] * len(cells)
    for number, (members, _) in enumerate(equations):
        for cell in members:
            member[place[cell], used[place[cell]]] = number
            used[place[cell]] += 1
    need = np.array([need for _, need in equations], np.int64)
    unassigned = np.array([len(members) for members, _ in equations], np.int64)
    nodes = np.zeros(len(cells), np.int64)
    complete = count_nodes(member, need, unassigned, np.empty(len(cells), np.int64), nodes, most)
    return [max(1, count) for count in nodes.tolist()], bool(complete)
