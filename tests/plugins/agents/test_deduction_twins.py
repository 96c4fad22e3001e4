"""The compiled deductions find exactly what plain sets of cells find."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, islice

import numpy as np
import pytest

from sweepstakes import BoardRef, Cell, Game, Registry, Rules, Size, Spec, View
from sweepstakes.agent import start_agent
from sweepstakes.inference import Knowledge, deduction

Equation = tuple[frozenset[Cell], int]
Found = dict[Cell, int]


def equations(view: View, found: Found) -> dict[Cell, Equation]:
    """The equation of every clue that still has unknown cells, with what is found put in."""
    known = dict.fromkeys([*view.flagged(), *view.detonated()], 1) | found
    answer = {}
    for clue in view.open():
        around = view.neighbours(clue)
        cells = frozenset(cell for cell in around if view.is_covered(cell) and cell not in found)
        value = view.clue(clue)
        if cells and value is not None:
            answer[clue] = (cells, value - sum(known.get(cell, 0) for cell in around))
    return answer


def single(view: View, found: Found) -> Found:
    for cells, value in equations(view, found).values():
        if value in (0, len(cells)):
            return dict.fromkeys(cells, int(value > 0))
    return {}


def pair(view: View, found: Found) -> Found:
    for (p, a), (q, b) in combinations(equations(view, found).values(), 2):
        for (x, m), (y, n) in (((p, a), (q, b)), ((q, b), (p, a))):
            if x & y and x != y and m - n == len(x - y):
                return dict.fromkeys(x - y, 1) | dict.fromkeys(y - x, 0)
    return {}


def triple(view: View, found: Found) -> Found:
    every = list(equations(view, found).values())
    for centre in every:
        partners = [other for other in every if other is not centre and other[0] & centre[0]]
        for two in combinations(partners, 2):
            sets = [(cells, value, value) for cells, value in (centre, *two)]
            derived = [d for x in sets for y in sets if x is not y for d in subtract(x, y)]
            for x in sets + derived:
                for y in sets + derived:
                    for cells, low, high in subtract(x, y):
                        if high == 0:
                            return dict.fromkeys(cells, 0)
                        if low == len(cells):
                            return dict.fromkeys(cells, 1)
    return {}


Bounds = tuple[frozenset[Cell], int, int]


def subtract(x: Bounds, y: Bounds) -> list[Bounds]:
    """What the cells of x outside y can hold."""
    common, cells = x[0] & y[0], x[0] - y[0]
    if not common or not cells:
        return []
    most_common = min(y[2], len(common))
    least_common = max(0, y[1] - len(y[0] - x[0]))
    return [(cells, max(0, x[1] - most_common), min(len(cells), x[2] - least_common))]


def contradiction(view: View, found: Found) -> Found:
    every = equations(view, found)
    for cell in sorted({cell for cells, _ in every.values() for cell in cells}):
        for assumed in (1, 0):
            if breaks(view, found | {cell: assumed}):
                return {cell: 1 - assumed}
    return {}


def breaks(view: View, found: Found) -> bool:
    while True:
        every = [(cells, value) for cells, value in every_equation(view, found)]
        if any(not 0 <= value <= len(cells) for cells, value in every):
            return True
        more = single(view, found)
        if not more:
            return False
        found = found | more


def every_equation(view: View, found: Found) -> Iterator[Equation]:
    """Also the equations that have no unknown cells left."""
    known = dict.fromkeys([*view.flagged(), *view.detonated()], 1) | found
    for clue in view.open():
        around = view.neighbours(clue)
        value = view.clue(clue)
        if value is not None:
            cells = frozenset(cell for cell in around if view.is_covered(cell) and cell not in found)
            yield cells, value - sum(known.get(cell, 0) for cell in around)


def window(view: View, found: Found, length: int = 4) -> Found:
    every = equations(view, found)
    for start in every:
        chain = [start]
        for clue in chain:
            partners = [q for q in every if q not in chain and every[q][0] & every[clue][0]]
            partners.sort(key=lambda q: -len(every[q][0] & every[clue][0]))
            chain += partners[: length - len(chain)]
        together = [every[clue] for clue in chain]
        cells = sorted(frozenset().union(*(cells for cells, _ in together)))
        placements = list(solutions(cells, together, frozenset()))
        mines = frozenset(cells).intersection(*placements)
        safe = frozenset(cells).difference(*placements)
        if mines or safe:
            return dict.fromkeys(mines, 1) | dict.fromkeys(safe, 0)
    return {}


def solutions(cells: list[Cell], together: list[Equation], mines: frozenset[Cell]) -> Iterator[frozenset[Cell]]:
    for inside, value in together:
        have = len(inside & mines)
        if not have <= value <= have + len(inside.intersection(cells)):
            return
    if not cells:
        yield mines
        return
    yield from solutions(cells[1:], together, mines)
    yield from solutions(cells[1:], together, mines | {cells[0]})


Rule = Callable[[View, Found], Found]

IDEAS: dict[str, list[Rule]] = {
    "basic": [single],
    "knowledge-base": [single, pair],
    "triples": [single, pair, triple],
    "ibm": [single, contradiction],
    "chain": [single, window],
}


def closure(view: View, rules: list[Rule]) -> Found:
    """Return all that the rules find. They start again from the first whenever one of them has found something."""
    found: Found = {}
    while True:
        more: Found = {}
        for rule in rules:
            more = {cell: value for cell, value in rule(view, found).items() if cell not in found}
            if more:
                break
        if not more:
            return found
        found |= more


@pytest.mark.parametrize("name", IDEAS)
def test_a_deduction_finds_what_its_plain_twin_finds(name: str) -> None:
    parameters = {"patterns": False} if name == "chain" else {}
    factory = Registry.default().agent(Spec(name, parameters))
    stuck = beyond = 0
    step = 6 if name in ("ibm", "chain") else 1  # their twins are slow
    for view in islice(positions(24), 0, None, step):
        expected = closure(view, IDEAS[name])
        agent = start_agent(factory, 1)
        turn = agent.act(view)
        found = {Cell(*divmod(int(cell), view.cols)): 1 for cell in np.asarray(turn.flag)}
        if turn.why == "proof":
            found |= {Cell(*divmod(int(cell), view.cols)): 0 for cell in np.asarray(turn.open)}
        assert found == expected, f"{name}\n{view}"
        stuck += not found
        beyond += len(found) > len(closure(view, [single]))
    assert stuck > 5
    assert beyond > 5 or name == "basic"


def positions(games: int) -> Iterator[View]:
    """Positions of games on small boards, played by one who opens what is safe and now and then something at random."""
    registry = Registry.default()
    source = registry.make("board source", "uniform")
    for number in range(games):
        size = (Size(8, 8, 12), Size(7, 9, 16), Size(6, 8, 9))[number % 3]
        game = Game(BoardRef.of(source, "uniform", size, 23, number), Rules(first_click="safe"))
        player = start_agent(registry.agent("basic"), number)
        while not game.over:
            view = game.view()
            if view.open():
                yield view
            game.take(player.act(view))


def test_what_is_known_does_not_depend_on_the_positions_before() -> None:
    """Under lies clues contradict each other, and whom to blame must follow from this position alone."""
    registry = Registry.default()
    source = registry.make("board source", "uniform")
    noise = registry.noise("liar(rate=0.4)")
    views = []
    for number in range(6):
        game = Game(BoardRef.of(source, "uniform", Size(9, 9, 14), 3, number), Rules(), noise)
        agent = start_agent(registry.agent("chain"), 1)
        while not game.over:
            views.append(game.view())
            game.take(agent.act(views[-1]))

    def known(view: View) -> list[tuple[list[int], list[int], list[int]]]:
        answers = []
        for idea, given in ((None, ()), (deduction.pairs, (False,))):
            found = Knowledge.of(view, idea, *given)
            answers.append((found.safe.tolist(), found.mines.tolist(), found.discarded().tolist()))
        return answers

    forwards = [known(view) for view in views]
    assert any(discarded for answers in forwards for _, _, discarded in answers)
    assert forwards == [known(view) for view in reversed(views)][::-1]


def test_what_is_known_of_one_position_outlasts_the_next() -> None:
    first, second = View.parse("1 3 1\n.1."), View.parse("1 3 1\n01.")
    ignore = np.zeros((1, 3), bool)
    known, later = Knowledge.of(first, ignore=ignore), Knowledge.of(second)
    ignore[0, 1] = True
    assert (known.unknown, later.unknown) == (2, 0)
    assert (known.mines.tolist(), later.mines.tolist()) == ([], [2])
    assert (known.evidence(), later.evidence()) == ({}, {Cell(0, 2): [Cell(0, 1)]})
