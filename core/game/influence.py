"""Chains of influence: sequences of proofs between guesses, in which each proof depends on the one before.

A proven cell depends on the clues that prove it, and on the known cells around these clues if the proof needs them.
Every chain of dependencies begins at a guessed cell or at the start cell. A cell opened by a flood is proven by the
blank next to it.

A cell is known from the turn that opens or flags it. Removing a flag makes its cell unknown: from then on no finding
depends on it, and no chain ends at it, until it is opened or flagged again. Earlier findings that depend on it keep
their dependencies and their depth, which is the number of proofs on the longest chain to them. A finding depends only
on earlier findings and never changes, so depth grows along every chain and there are no cycles. A cell may occur twice
in a chain if its flag was removed in between.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np

from sweepstakes.game.cell import Cell, neighbours
from sweepstakes.game.codes import COVERED
from sweepstakes.game.game import Game
from sweepstakes.game.influence_kernels import longest_frontier
from sweepstakes.game.turn import Turn
from sweepstakes.game.view import View


class Influence(NamedTuple):
    """Measures of the chains of influence in one game."""

    length: int
    """Proven cells on the longest chain from a guess."""
    size: int
    """Number of proven cells that the last cell of that chain depends on, including itself."""
    reach: int
    """King's moves from the first clue of that chain to its last cell."""
    frontier: int
    """The largest number of connected clues in any view. Two clues are connected if they share a covered cell."""
    chain: tuple[Cell, ...]
    """The longest chain, from the guess to the last cell."""


def influence(game: Game, turns: Iterable[Turn]) -> Influence:
    """Measure the influence in a game. `game` is the game before its first turn, `turns` carry their evidence."""
    trace = _Chains(game)
    frontier = 0
    for turn in turns:
        before = game.view()
        frontier = max(frontier, longest_frontier(before.shown))
        game.take(turn)
        trace.follow(before, turn, game.view())
        if game.over:
            break
    return trace.result(frontier)


class _Finding(NamedTuple):
    """How a cell became known."""

    cell: Cell
    depth: int
    """0 for a guess, else 1 + the depth of the deepest finding that it depends on."""
    parents: tuple[_Finding, ...]


class _Chains:
    """The dependencies between cells. Chains of influence merge where a cell depends on several of them (`_add`)."""

    def __init__(self, game: Game) -> None:
        self._rows, self._cols, _ = game.board_ref.size
        self._known: dict[Cell, _Finding] = {}
        start = game.rules.start
        if start is not None:
            self._root(start)
            self._add_flooded(game.view(), set(game.view().open()) - {start})

    def follow(self, before: View, turn: Turn, after: View) -> None:
        """Add the findings of one turn: cells named, cells opened by floods, flags removed."""
        evidence = turn.evidence or {}
        for cell in self._cells(turn.unflag):
            self._known.pop(cell, None)
        named = [*self._cells(turn.flag), *self._cells(turn.open)]
        named = [cell for cell in named if self._is_taken(cell, after)]
        proven = {cell for cell in named if turn.why == "proof" and cell in evidence}
        for cell in named:
            if cell not in proven and not before.is_open(cell):
                self._root(cell)
        for cell in evidence:  # in the order of the deduction: a cell may depend on earlier cells
            if cell in proven:
                mine = after.is_flagged(cell)
                self._add(cell, self._needed(cell, evidence[cell], mine, before, after))
        opened = set(after.open()) - set(before.open()) - set(named)
        self._add_flooded(after, opened)

    def _is_taken(self, cell: Cell, after: View) -> bool:
        """Return whether the turn opened or flagged the cell. Cells named after a detonation are not opened."""
        return 0 <= cell.row < self._rows and 0 <= cell.col < self._cols and bool(after.shown[cell] != COVERED)

    def _cells(self, cells: object) -> list[Cell]:
        if isinstance(cells, np.ndarray):
            return [Cell(*divmod(int(cell), self._cols)) for cell in cells]
        assert isinstance(cells, Sequence)
        return [Cell(*cell) for cell in cells]

    def _around(self, cell: Cell) -> tuple[Cell, ...]:
        return neighbours(self._rows, self._cols, *cell)

    def _root(self, cell: Cell) -> None:
        self._known[cell] = _Finding(cell, 0, ())

    def _add(self, cell: Cell, parents: Iterable[Cell]) -> None:
        known = tuple([self._known[parent] for parent in parents if parent in self._known and parent != cell])
        self._known[cell] = _Finding(cell, 1 + max((parent.depth for parent in known), default=0), known)

    def _needed(self, cell: Cell, clues: Sequence[Cell], mine: bool, before: View, after: View) -> list[Cell]:
        """Return the clues and the known cells around them on which the proof depends.

        A single clue that proves a safe cell depends on its known mines; one that proves a mine also on its safe cells.
        Several clues together depend on all known cells around them.
        """
        needed = list(clues)
        for clue in clues:
            for other in self._around(clue):
                if other == cell or other not in self._known:
                    continue
                is_mine = not before.is_open(other) and not after.is_open(other)
                if is_mine or mine or len(clues) > 1:
                    needed.append(other)
        return needed

    def _add_flooded(self, view: View, opened: set[Cell]) -> None:
        """Add the cells that floods opened, breadth first from the known blanks."""
        edge = [cell for cell in sorted(self._known) if view.clue(cell) == 0]
        while edge and opened:
            further = []
            for blank in edge:
                for cell in self._around(blank):
                    if cell in opened:
                        opened.discard(cell)
                        self._add(cell, [blank])
                        if view.clue(cell) == 0:
                            further.append(cell)
            edge = further

    def result(self, frontier: int) -> Influence:
        """Return the influence of the longest chain. Ties go to the chain whose last cell comes first, row by row."""
        if not any(finding.depth for finding in self._known.values()):
            return Influence(0, 0, 0, frontier, ())
        last = _deepest(self._known.values())
        chain = [last]
        while chain[-1].parents:
            chain.append(_deepest(chain[-1].parents))
        chain.reverse()
        cells, seen, stack = {last.cell}, {id(last)}, [last]
        while stack:
            for parent in stack.pop().parents:
                if parent.depth > 0 and id(parent) not in seen:
                    seen.add(id(parent))
                    cells.add(parent.cell)
                    stack.append(parent)
        first = chain[0].cell
        reach = max(abs(first.row - last.cell.row), abs(first.col - last.cell.col))
        return Influence(last.depth, len(cells), reach, frontier, tuple(finding.cell for finding in chain))


def _deepest(findings: Iterable[_Finding]) -> _Finding:
    """Return the deepest finding. Ties go to the finding whose cell comes first, row by row."""
    return min(findings, key=lambda finding: (-finding.depth, finding.cell))
