"""A slow second implementation of best play: sets of layouts as frozensets, whole boards as tuples, and no pruning."""

from __future__ import annotations

from collections import defaultdict
from functools import cache
from itertools import combinations

from twin import neighbours

from sweepstakes import Cell, View
from sweepstakes.game.codes import COVERED

Layout = frozenset[int]


def layouts_of(view: View) -> list[Layout]:
    """Return every layout that agrees with a view without flags and detonations, by trying all."""
    cells = range(view.rows * view.cols)
    around = [neighbours(view.rows, view.cols, at) for at in cells]
    codes = view.shown.reshape(-1).tolist()
    covered = [at for at in cells if codes[at] == COVERED]
    found = []
    for mines in combinations(covered, view.mines):
        layout = frozenset(mines)
        if all(codes[at] == COVERED or codes[at] == sum(i in layout for i in around[at]) for at in cells):
            found.append(layout)
    return found


def best_play(view: View) -> tuple[int, int, dict[Cell, int]]:
    """Return (layouts, layouts won, layouts won after opening each cell first)."""
    cells = range(view.rows * view.cols)
    around = [neighbours(view.rows, view.cols, at) for at in cells]

    @cache
    def clue(layout: Layout, at: int) -> int:
        return sum(i in layout for i in around[at])

    def after(left: frozenset[Layout], at: int) -> int:
        by_clue = defaultdict(set)
        for layout in left:
            if at not in layout:
                by_clue[clue(layout, at)].add(layout)
        return sum(value(frozenset(group)) for group in by_clue.values())

    @cache
    def value(left: frozenset[Layout]) -> int:
        if len(left) == 1:
            return 1
        worth = 0
        for at in cells:
            mines = sum(at in layout for layout in left)
            if mines == 0 and len({clue(layout, at) for layout in left}) > 1:
                return after(left, at)
            if 0 < mines < len(left):
                worth = max(worth, after(left, at))
        return worth

    everything = frozenset(layouts_of(view))
    tried = {cell: cell.row * view.cols + cell.col for cell in view.covered()}
    useful = {
        cell: at
        for cell, at in tried.items()
        if 0 < sum(at in layout for layout in everything) < len(everything)
        or len({clue(layout, at) for layout in everything if at not in layout}) > 1
    }
    return len(everything), value(everything), {cell: after(everything, at) for cell, at in useful.items()}
