"""What each agent finds in small positions, and what it misses: its power is the power of its idea.

A letter names a covered cell, `?` is an open cell that tells nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np
import pytest

from sweepstakes import Agent, Cell, Registry, Spec, View
from sweepstakes.agent import start_agent
from sweepstakes.game.turn import Cells
from sweepstakes.inference import posterior


class Example(NamedTuple):
    position: str
    mines: int
    """In all; more than the clues need, unless the count is the point."""


EXAMPLES = {
    # A + B + C = 2, A + C + D = 1, B + C + D + E + F = 3: B - D = 1.
    "three clues on 3 x 3": Example("2A1/BCD/E3F/???/XYZ", 5),
    # The same on its own: with three mines in all, the solution with A, B, E and F falls away.
    "three clues on 3 x 3, three mines": Example("2A1/BCD/E3F", 3),
    # A + B + H + C + D = 2, A + B = 1, C + D = 1.
    "a clue around two others": Example("1A?C1/?B2D?/??H??/?????/XYZUV", 4),
    # A + B + C = 1: nothing follows, though assuming A makes B and C safe.
    "one clue": Example("ABC?/?1??/????/XYZU", 2),
    # A + B + C = 1, B + C = 1: assuming A leaves nothing for the second.
    "one clue and a part of it": Example("ABC?/?11?/????/XYZU", 2),
    # A + B + C = 2, B + C + D = 1.
    "two clues that overlap": Example("ABCD/?21?/????/XYZU", 3),
    # A + B + C = 1, B + D + E = 2, C + D + E = 2.
    "a ring of three": Example("??D??/?2E2?/?B?C?/?A1??/?????/XYZUV", 5),
    # A + B + C = 1, A + B + C + D = 2.
    "three cells in four": Example("?A??/1B2D/?C??/????/XYZU", 3),
    # A + B = 1, A + B + C = 2: three cells with two mines that hold two with one.
    "two cells in three, a mine left": Example("ABC/12?/???/XYZ", 3),
    # A + B = 1, A + B + C = 1.
    "two cells in three, no mine left": Example("ABC/11?/???/XYZ", 2),
    # A + B = 1, A + B + C + D + E = 1.
    "two cells in five, no mine left": Example("ABC/11D/??E/???/XYZ", 2),
    # A + B = 2, A + B + C = 3: single clues suffice.
    "two mines and three": Example("ABC/23?/???/XYZ", 4),
}

PAIRS = ["knowledge-base", "local-probability", "bounds"]
TRIPLES = ["triples", "triples-global"]
CHAINS = ["chain", "chain without patterns"]
SUMS = ["probabilistic", "improved-probabilistic", "exact", "trusting", "champion"]
BEYOND_ONE = [*PAIRS, *TRIPLES, "ibm", *CHAINS, "patterns alone", *SUMS]

AGENTS: dict[str, tuple[str, dict[str, Any]]] = {
    name: (name, {}) for name in ["basic", *PAIRS, *TRIPLES, "ibm", "chain", *SUMS]
} | {
    "basic, last clue": ("basic", {"scope": "last"}),
    "ibm, one-sided": ("ibm", {"one_sided": True}),
    "ibm, one try": ("ibm", {"tries": 1}),
    "chain without patterns": ("chain", {"patterns": False}),
    "patterns alone": ("chain", {"window": 1}),
    "chain of one": ("chain", {"window": 1, "patterns": False}),
}

COUNTING = ["triples-global", "improved-probabilistic", "exact", "trusting", "champion"]

# What is found, as "mines/safe cells", and by whom; the others find nothing.
FINDS: dict[str, dict[str, list[str]]] = {
    "three clues on 3 x 3": {"B/D": BEYOND_ONE, "/D": ["ibm, one-sided"]},
    "three clues on 3 x 3, three mines": {
        "B/D": [*PAIRS, *TRIPLES, "ibm", *CHAINS, "patterns alone", "probabilistic"],
        "BC/AD": ["improved-probabilistic", "exact", "trusting", "champion"],
        "/D": ["ibm, one-sided"],
    },
    "a clue around two others": {"/H": [*TRIPLES, *CHAINS, *SUMS]},
    "one clue": {},
    "one clue and a part of it": {"/A": [*BEYOND_ONE, "ibm, one-sided", "ibm, one try"]},
    "two clues that overlap": {"A/D": BEYOND_ONE, "/D": ["ibm, one-sided"]},
    "a ring of three": {"ADE/BC": ["ibm", "ibm, one-sided", *CHAINS, *SUMS]},
    "three cells in four": {"D/": [*PAIRS, *TRIPLES, *CHAINS, *SUMS]},
    "two cells in three, a mine left": {"C/": BEYOND_ONE},
    "two cells in three, no mine left": {"/C": [*BEYOND_ONE, "ibm, one-sided", "ibm, one try"]},
    "two cells in five, no mine left": {"/CDE": [*BEYOND_ONE, "ibm, one-sided"], "/C": ["ibm, one try"]},
    "two mines and three": {"ABC/": list(AGENTS)},
}


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("agent", AGENTS)
def test_an_agent_finds_what_its_idea_shows_and_no_more(agent: str, example: str) -> None:
    expected = next((found for found, who in FINDS[example].items() if agent in who), "/")
    assert found_by(agent, EXAMPLES[example]) == expected


def test_the_table_names_every_agent_and_example() -> None:
    assert set(FINDS) == set(EXAMPLES)
    assert {name for name, _ in AGENTS.values()} == set(Registry.default().self_contained_agents()) - {
        "random",
        "learned",
    }


@pytest.mark.parametrize("agent", AGENTS)
def test_the_clues_given_as_evidence_suffice(agent: str) -> None:
    for example in EXAMPLES.values():
        view = view_of(example)
        turn = player(agent, explain=True).act(view)
        for cell in named(example, turn.flag) + named(example, turn.open if turn.why == "proof" else ()):
            assert cell in named_keys(example, turn.evidence or {}), f"no evidence for {cell}"
        for proven, clues in (turn.evidence or {}).items():
            alone = view.shown.copy()
            alone[(alone >= 0) & (alone <= 8)] = 9
            for clue in clues:
                alone[clue] = view.shown[clue]
            for other in turn.evidence or {}:  # what was proven before may count
                if other != proven and other in cells_of(view, turn.flag):
                    alone[other] = -2
                elif other != proven and other in cells_of(view, turn.open):
                    alone[other] = 9
            count = view.mines if AGENTS[agent][0] in COUNTING else None
            assert posterior(alone, count).certain[proven] != 0, f"{clues} do not prove {proven}"


def test_shares_of_the_three_clues_on_3_x_3_are_those_of_its_three_solutions() -> None:
    view = view_of(EXAMPLES["three clues on 3 x 3, three mines"])
    alike = posterior(view.shown, None)
    fitting = posterior(view.shown, 3, weighting="solutions")
    cells = [(0, 1), (1, 0), (1, 1), (1, 2), (2, 0), (2, 2)]
    assert [alike.probability[cell] for cell in cells] == pytest.approx([1 / 3, 1, 2 / 3, 0, 2 / 3, 2 / 3])
    assert [fitting.probability[cell] for cell in cells] == pytest.approx([0, 1, 1, 0, 1 / 2, 1 / 2])


def view_of(example: Example) -> View:
    return View.parse(re.sub("[A-Z]", ".", example.position).replace("/", "\n"), mines=example.mines)


def player(agent: str, *, explain: bool = False) -> Agent:
    name, parameters = AGENTS[agent]
    made = start_agent(Registry.default().agent(Spec(name, parameters)), 1)
    made.explain = explain
    return made


def found_by(agent: str, example: Example) -> str:
    turn = player(agent).act(view_of(example))
    return f"{named(example, turn.flag)}/{named(example, turn.open) if turn.why == 'proof' else ''}"


def named(example: Example, cells: Cells) -> str:
    return "".join(sorted(example.position.replace("/", "")[int(cell)] for cell in np.asarray(cells)))


def named_keys(example: Example, cells: Iterable[Cell]) -> str:
    return "".join(example.position.split("/")[row][col] for row, col in cells)


def cells_of(view: View, cells: Cells) -> list[Cell]:
    return [Cell(*divmod(int(cell), view.cols)) for cell in np.asarray(cells)]
