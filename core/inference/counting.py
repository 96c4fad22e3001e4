"""Count the layouts of a position exactly, as an integer.

The exact engine computes with floating point numbers, which have 16 digits. This module does the same sum over groups
of cells with integers of any length.
"""

from __future__ import annotations

from collections import defaultdict
from math import comb
from typing import NamedTuple

from sweepstakes.errors import PositionError
from sweepstakes.game.cell import neighbours
from sweepstakes.game.codes import DETONATED, FLAG, WITHHELD
from sweepstakes.game.view import View
from sweepstakes.inference.posterior import Status, forced

MAX_STATES = 1_000_000
"""A position whose sum needs more states is refused. Expert positions need a few hundred."""

State = tuple[int, ...]
"""The missing mines of each active clue: one that has been met and is not complete yet."""
Counts = list[int]
"""The number of ways, indexed by the number of mines."""


class _Group(NamedTuple):
    """A set of cells that the same clues see."""

    cells: int
    clues: frozenset[int]


def count_layouts(view: View) -> int:
    """Return the number of layouts that agree with a view. Flags and detonated cells are mines.

    Raises `PositionError` if clues are noisy, since layouts then have likelihoods instead, or if counting takes too
    many states.
    """
    if not view.noise.exact:
        raise PositionError("layouts of a position with noisy clues have likelihoods: expected exact clues")
    found = forced(view.shown)
    if found.status is Status.INCONSISTENT:
        return 0
    shown = view.shown.reshape(-1).tolist()
    known = {i for i, code in enumerate(shown) if code in (FLAG, DETONATED)} | set(found.mines.tolist())
    safe = set(found.safe.tolist())
    unknown = {i for i, code in enumerate(shown) if code < 0} - known - safe
    left = view.mines - len(known)
    missing: dict[int, int] = {}
    seen_by: dict[int, set[int]] = defaultdict(set)
    for clue, code in enumerate(shown):
        if not 0 <= code < WITHHELD:
            continue
        around = [row * view.cols + col for row, col in neighbours(view.rows, view.cols, *divmod(clue, view.cols))]
        missing[clue] = code - sum(cell in known for cell in around)
        for cell in around:
            if cell in unknown:
                seen_by[cell].add(clue)
    if any(missing[clue] for clue in missing.keys() - set().union(*seen_by.values())):
        return 0
    total: Counts = [1]
    budget = MAX_STATES
    for component in _components(_groups(seen_by)):
        counts, budget = _solutions(component, missing, budget)
        total = _product(total, counts, max(left, 0))
    outside = len(unknown) - len(seen_by)
    return sum(ways * comb(outside, left - mines) for mines, ways in enumerate(total) if 0 <= left - mines <= outside)


def _groups(seen_by: dict[int, set[int]]) -> list[_Group]:
    sizes: dict[frozenset[int], int] = defaultdict(int)
    for _, clues in sorted(seen_by.items()):
        sizes[frozenset(clues)] += 1
    return [_Group(cells, clues) for clues, cells in sizes.items()]


def _components(groups: list[_Group]) -> list[list[_Group]]:
    """Divide the groups into parts so that no clue sees two parts."""
    of_clue = _by_clue(groups)
    done: set[_Group] = set()
    parts = []
    for first in groups:
        if first in done:
            continue
        part, waiting = [], [first]
        done.add(first)
        while waiting:
            group = waiting.pop()
            part.append(group)
            found = {other for clue in group.clues for other in of_clue[clue]} - done
            done |= found
            waiting += found
        parts.append(part)
    return parts


def _by_clue(groups: list[_Group]) -> dict[int, set[_Group]]:
    of_clue: dict[int, set[_Group]] = defaultdict(set)
    for group in groups:
        for clue in group.clues:
            of_clue[clue].add(group)
    return of_clue


def _solutions(groups: list[_Group], missing: dict[int, int], budget: int) -> tuple[Counts, int]:
    """Return the solutions of one component by number of mines, and the rest of the budget of states."""
    order = _order(groups)
    last = {clue: place for place, group in enumerate(order) for clue in group.clues}
    active: list[int] = []
    states: dict[State, Counts] = {(): [1]}
    for place, group in enumerate(order):
        new = [clue for clue in sorted(group.clues) if clue not in active]
        active += new
        touched = [i for i, clue in enumerate(active) if clue in group.clues]
        kept = [i for i, clue in enumerate(active) if last[clue] > place]
        closing = [i for i, clue in enumerate(active) if last[clue] == place]
        following: dict[State, Counts] = {}
        for state, counts in states.items():
            full = state + tuple(missing[clue] for clue in new)
            for mines in range(min([group.cells, *(full[i] for i in touched)]) + 1):
                rest = list(full)
                for i in touched:
                    rest[i] -= mines
                if any(rest[i] for i in closing):
                    continue
                ways = comb(group.cells, mines)
                key = tuple(rest[i] for i in kept)
                _add(following.setdefault(key, []), counts, mines, ways)
        states = following
        active = [active[i] for i in kept]
        budget -= len(states)
        if budget < 0:
            raise PositionError(f"too many ways to count: the position needs more than {MAX_STATES:,} states")
    return states.get((), [0]), budget


def _order(groups: list[_Group]) -> list[_Group]:
    """Order the groups of a component, beginning at one end, so that few clues are active at any time."""
    rest = _by_clue(groups)
    order: list[_Group] = []
    open_clues: set[int] = set()

    def cost(group: _Group) -> tuple[int, int, list[int]]:
        closing = sum(len(rest[clue]) == 1 for clue in group.clues)
        return len(group.clues - open_clues) - closing, -len(group.clues & open_clues), sorted(group.clues)

    while len(order) < len(groups):
        near = {group for clue in open_clues for group in rest[clue]}
        best = min(near or groups, key=cost)
        order.append(best)
        for clue in best.clues:
            rest[clue].remove(best)
        open_clues |= best.clues
        open_clues -= {clue for clue in best.clues if not rest[clue]}
    return order


def _add(to: Counts, counts: Counts, shift: int, ways: int) -> None:
    to += [0] * (len(counts) + shift - len(to))
    for mines, number in enumerate(counts):
        to[mines + shift] += number * ways


def _product(first: Counts, second: Counts, limit: int) -> Counts:
    """Multiply the ways of two parts. Numbers of mines above `most` are left out."""
    both = [0] * min(len(first) + len(second) - 1, limit + 1)
    for i, a in enumerate(first):
        for j, b in enumerate(second):
            if i + j <= limit:
                both[i + j] += a * b
    return both
