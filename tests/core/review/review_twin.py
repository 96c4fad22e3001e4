"""A second implementation of reviews, by brute force over all layouts, written from the definitions.

Nothing is shared with `sweepstakes.review`: every layout that the rules allow is kept, weighed by the likelihood of
what was shown, and each decision is judged by counting.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import combinations
from typing import NamedTuple

from sweepstakes import Cell, Game, Turn
from sweepstakes.game.codes import DETONATED


class Decision(NamedTuple):
    turn: int
    action: str
    cell: Cell
    certain: bool
    probability: float
    least: float
    escape: bool


class Twin:
    """All layouts that agree with what a game has shown, and their weights."""

    def __init__(self, game: Game) -> None:
        self.game = game
        rows, cols, self.mines = game.board_ref.size
        self.cells = [Cell(r, c) for r in range(rows) for c in range(cols)]
        self.weights = {frozenset(mines): 1.0 for mines in combinations(self.cells, self.mines)}
        self.opened: set[Cell] = set()
        self.protected = game.rules.first_click != "any"
        if game.rules.start is not None:
            self.begin(game.rules.start)
            self.learn()

    def around(self, cell: Cell) -> set[Cell]:
        return {o for o in self.cells if max(abs(o.row - cell.row), abs(o.col - cell.col)) == 1}

    def begin(self, first: Cell) -> None:
        """Open the first cell."""
        if self.protected:
            self.protected = False
            free = {first} if self.game.rules.first_click == "safe" else {first} | self.around(first)
            self.weights = {mines: weight for mines, weight in self.weights.items() if not mines & free}

    def learn(self) -> None:
        """Weight the layouts by the cells opened since the last call."""
        view = self.game.view()
        for cell in {*view.open(), *view.detonated()} - self.opened:
            self.opened.add(cell)
            code, around = int(view.shown[cell]), self.around(cell)
            weights = {}
            for mines, weight in self.weights.items():
                if (cell in mines) == (code == DETONATED):
                    if code != DETONATED:
                        weight *= float(view.noise.table[len(around), len(mines & around), code])
                    if weight > 0:
                        weights[mines] = weight
            self.weights = weights

    def chance(self, cell: Cell) -> float:
        return sum(w for mines, w in self.weights.items() if cell in mines) / sum(self.weights.values())

    def is_certain(self, cell: Cell, mine: bool) -> bool:
        return all((cell in mines) == mine for mines in self.weights)

    def decision(self, turn: int, action: str, cell: Cell) -> Decision:
        certain = self.is_certain(cell, action == "flag")
        if self.protected:  # a flag before the first click
            return Decision(turn, action, cell, certain, self.mines / len(self.cells), 0.0, True)
        unknown = [other for other in self.cells if other not in self.opened]
        least = min(map(self.chance, unknown))
        escape = any(self.is_certain(other, False) for other in unknown)
        return Decision(turn, action, cell, certain, self.chance(cell), least, escape)


def decisions(game: Game, turns: Sequence[Turn]) -> Iterator[Decision]:
    """Return the decisions of a game, which must not have begun. All turns must be legal and name `Cell`s."""
    twin = Twin(game)
    for number, turn in enumerate(turns):
        if turn.flag or turn.unflag:
            game.take(turn._replace(open=(), flag=()) if turn.unflag else turn._replace(open=()))
            for cell in turn.flag:
                if game.view().is_covered(Cell(*cell)) or not turn.unflag:
                    yield twin.decision(number, "flag", Cell(*cell))
            if turn.unflag and turn.flag:
                game.take(Turn(flag=turn.flag))
        for cell in map(Cell._make, turn.open):
            if game.over or not game.view().is_covered(cell):
                continue
            twin.begin(cell)
            yield twin.decision(number, "open", cell)
            game.take(Turn(open=[cell], why=turn.why))
            twin.learn()
            if cell in game.view().detonated():
                break
