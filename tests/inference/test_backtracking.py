"""The states of a backtracking search, against a search that visits them all."""

from __future__ import annotations

import math

import numpy as np
import pytest

from sweepstakes import BoardRef, Game, Registry, Rules, Size, View
from sweepstakes.agent import start_agent
from sweepstakes.inference.backtracking import Equation, Order, frontier_equations, search_states

FIGURE = View.parse("3 3 4\n2.1\n...\n.3.")


def visited(cells: list[int], equations: list[Equation], chosen: tuple[int, ...] = ()) -> int:
    """The assignments of one cell and more that contradict no equation, each visited."""
    if len(chosen) == len(cells):
        return 0
    count = 0
    for value in (0, 1):
        longer = (*chosen, value)
        known = dict(zip(cells, longer, strict=False))
        if all(
            0 <= need - sum(known.get(c, 0) for c in members) <= sum(c not in known for c in members)
            for members, need in equations
        ):
            count += 1 + visited(cells, equations, longer)
    return count


ORDERS: tuple[Order, ...] = ("clues", "rows", "equations", "values")


def in_order(equations: list[Equation], order: Order) -> list[int]:
    cells: list[int] = []
    for members, _ in equations:
        cells += [cell for cell in members if cell not in cells]
    value = {cell: sum(need for members, need in equations if cell in members) for cell in cells}
    number = {cell: sum(cell in members for members, _ in equations) for cell in cells}
    keys = {"clues": dict.fromkeys(cells, 0), "rows": {c: -c for c in cells}, "equations": number, "values": value}
    return sorted(cells, key=lambda cell: -keys[order][cell])


@pytest.mark.parametrize("order", ORDERS)
def test_the_states_are_those_that_a_plain_search_visits(order: Order) -> None:
    registry = Registry.default()
    source = registry.make("board source", "uniform")
    checked = apart = 0
    for number in range(12):
        size = (Size(5, 6, 6), Size(5, 6, 10), Size(6, 6, 15))[number % 3]
        game = Game(BoardRef.of(source, "uniform", size, 31, number), Rules(first_click="safe"))
        agent = start_agent(registry.agent("probabilistic"), number)
        while not game.over:
            view = game.view()
            equations = frontier_equations(view.shown)
            cells = in_order(equations, order)
            if 0 < len(cells) <= 14:
                expected = visited(cells, equations)
                found = search_states(view.shown, order=order)
                assert found.complete
                assert found.log10 == pytest.approx(math.log10(expected)), view
                checked += 1
                apart += not all(set(equations[0][0]) & set(members) for members, _ in equations)
            game.take(agent.act(view))
    assert checked > 60
    assert apart > 20


def test_the_cells_of_the_figure_are_ordered_by_the_values_of_their_equations() -> None:
    """The weights of the report's figure 6: A 3, B 5, C 6, D 4 (it prints 5), E 3, F 3."""
    equations = frontier_equations(FIGURE.shown)
    assert equations == [([1, 3, 4], 2), ([1, 4, 5], 1), ([3, 4, 5, 6, 8], 3)]
    assert in_order(equations, "values") == [4, 3, 5, 1, 6, 8]
    assert in_order(equations, "equations") == [4, 1, 3, 5, 6, 8]
    assert [10 ** search_states(FIGURE.shown, order=order).log10 for order in ORDERS] == pytest.approx(
        [visited(in_order(equations, order), equations) for order in ORDERS]
    )


def test_a_search_that_is_too_long_is_cut_and_says_so() -> None:
    view = View.parse("\n".join(["." * 9, *[".2.2.2.2.", "." * 9] * 4]), mines=30)
    found = search_states(view.shown, most=1000)
    assert not found.complete
    assert found.log10 >= 3 - 1e-9
    assert search_states(np.full((3, 3), -1, np.int8), order="values") == (0.0, True)
