"""The agents that weigh solutions answer as plain backtracking over all solutions does."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import comb

import numpy as np
import pytest

from sweepstakes import BoardRef, Cell, Game, Registry, Rules, Size, Turn, View
from sweepstakes.agent import start_agent


class Twin:
    """All solutions of a position's equations, one by one."""

    def __init__(self, view: View) -> None:
        self.view = view
        known = {*view.flagged(), *view.detonated()}
        self.known = len(known)
        self.equations: list[tuple[list[Cell], int]] = []
        for clue in view.open():
            cells = [cell for cell in view.neighbours(clue) if view.is_covered(cell)]
            value = view.clue(clue)
            if cells and value is not None:
                self.equations.append((cells, value - sum(cell in known for cell in view.neighbours(clue))))
        self.frontier = sorted({cell for cells, _ in self.equations for cell in cells})
        self.rest = [cell for cell in view.covered() if cell not in self.frontier]

    def order(self) -> list[Cell]:
        """From the most constrained cell to the least: by the sum of the values of the equations it is in."""
        return sorted(self.frontier, key=lambda cell: -self.weight(cell))

    def weight(self, cell: Cell) -> int:
        return sum(value for cells, value in self.equations if cell in cells)

    def solutions(self) -> Iterator[frozenset[Cell]]:
        """Every set of frontier mines that fits all equations."""
        order = self.order()

        def fits(mines: set[Cell], decided: set[Cell]) -> bool:
            for cells, value in self.equations:
                have = sum(cell in mines for cell in cells)
                room = sum(cell not in decided for cell in cells)
                if not have <= value <= have + room:
                    return False
            return True

        def extend(at: int, mines: set[Cell], decided: set[Cell]) -> Iterator[frozenset[Cell]]:
            if at == len(order):
                yield frozenset(mines)
                return
            for more in (set(), {order[at]}):
                now, seen = mines | more, decided | {order[at]}
                if fits(now, seen):
                    yield from extend(at + 1, now, seen)

        yield from extend(0, set(), set())

    def shares(self, weighting: str) -> dict[Cell, Fraction]:
        """How likely a mine each cell is; cells that no clue sees only where the count says something about them."""
        left, rest = self.view.mines - self.known, len(self.rest)
        total, mine, elsewhere = Fraction(0), dict.fromkeys(self.frontier, Fraction(0)), Fraction(0)
        for solution in self.solutions():
            outside = left - len(solution)
            if weighting == "probabilistic":
                weight = Fraction(1)
            elif not 0 <= outside <= rest:
                weight = Fraction(0)
            else:
                weight = Fraction(comb(rest, outside) if weighting == "exact" else 1)
            total += weight
            for cell in solution:
                mine[cell] += weight
            if rest:
                elsewhere += weight * Fraction(outside, rest)
        shares = {cell: weight / total for cell, weight in mine.items()}
        if weighting != "probabilistic":
            shares |= dict.fromkeys(self.rest, elsewhere / total)
        return shares

    def turn(self, weighting: str) -> tuple[list[Cell], list[Cell], set[Cell], Fraction | None]:
        """(safe cells, mines, cells that may be guessed, their share)."""
        shares = self.shares(weighting)
        safe = sorted(cell for cell, share in shares.items() if share == 0)
        mines = sorted(cell for cell, share in shares.items() if share == 1)
        open_questions = {cell: share for cell, share in shares.items() if 0 < share < 1}
        if weighting != "exact":
            open_questions = {cell: share for cell, share in open_questions.items() if cell in self.frontier}
        if not open_questions:
            return safe, mines, {*self.view.covered()} - {*mines}, None
        least = min(open_questions.values())
        ties = [cell for cell, share in open_questions.items() if share == least]
        return safe, mines, set(ties), least


def test_the_order_of_the_cells_is_by_the_values_of_their_equations() -> None:
    twin = Twin(View.parse("2.1\n...\n.3.", mines=3))
    cells = {"A": (0, 1), "B": (1, 0), "C": (1, 1), "D": (1, 2), "E": (2, 0), "F": (2, 2)}
    weights = {name: twin.weight(Cell(*cell)) for name, cell in cells.items()}
    assert weights == {"A": 3, "B": 5, "C": 6, "D": 4, "E": 3, "F": 3}
    assert len(list(twin.solutions())) == 3


@pytest.mark.parametrize("agent", ["probabilistic", "improved-probabilistic", "exact"])
def test_an_agent_decides_as_plain_backtracking_does(agent: str) -> None:
    decided = guessed = 0
    for view, turn in positions(agent):
        twin = Twin(view)
        if len(twin.frontier) > 14:
            continue
        safe, mines, guesses, share = twin.turn(agent)
        opens = [Cell(*divmod(int(cell), view.cols)) for cell in np.asarray(turn.open)]
        flags = sorted(Cell(*divmod(int(cell), view.cols)) for cell in np.asarray(turn.flag))
        assert set(flags) <= set(mines), view
        if turn.why == "proof":
            assert set(opens) <= set(safe), view
            decided += 1
            continue
        assert not safe, f"missed {safe} in\n{view}"
        assert flags == mines, view
        assert opens[0] in guesses, view
        if share is not None and not (agent == "exact" and not view.open()):
            assert turn.probability == pytest.approx(float(share), abs=1e-9), view
        guessed += 1
    assert decided > 50
    assert guessed > 50


def positions(agent: str) -> Iterator[tuple[View, Turn]]:
    """Positions of real games on small boards, with what the agent does there."""
    registry = Registry.default()
    source = registry.make("board source", "uniform")
    for number in range(60):
        size = (Size(5, 5, 6), Size(4, 6, 8), Size(6, 6, 7))[number % 3]
        game = Game(BoardRef.of(source, "uniform", size, 7, number), Rules())
        player = start_agent(registry.agent(agent), number)
        while not game.over:
            view = game.view()
            turn = player.act(view)
            yield view, turn
            game.take(turn)


def test_a_frontier_cell_is_guessed_even_if_a_cell_without_clues_is_less_likely() -> None:
    view = View.parse("7 7 4\n.......\n.......\n.......\n.......\n.......\n......2\n......?")
    for name in ("probabilistic", "improved-probabilistic"):
        player = Registry.default().agent(name)()
        turn = player.act(view)
        (cell,) = np.asarray(turn.open).tolist()
        assert Cell(*divmod(cell, 7)) in view.neighbours((5, 6)), name


@pytest.mark.parametrize("agent", ["probabilistic", "improved-probabilistic"])
@pytest.mark.parametrize(
    ("text", "needed"),
    [
        ("3 3 4\n.1.\n...\n...\n", 1),  # a guess
        ("3 3 3\n2.1\n...\n.3.\n", 1),  # a proof by several clues
        ("1 5 2\n.0.1.\n", 0),  # a proof by single clues
    ],
)
def test_solutions_are_weighed_at_most_once_a_turn(agent: str, text: str, needed: int, sums: list[int]) -> None:
    Registry.default().agent(agent)().act(View.parse(text))
    assert len(sums) == needed
