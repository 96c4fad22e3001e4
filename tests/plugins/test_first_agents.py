from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from sweepstakes import PRESETS, Agent, Cell, Deal, Game, Registry, Rules, Size, Turn, View, play_game
from sweepstakes.plugins.agents.basic import Basic, single_clues
from sweepstakes.plugins.agents.random import Random
from sweepstakes.plugins.boards.uniform import Uniform
from sweepstakes.rng import derive

AGENTS = [Random, Basic]


def proofs(text: str, mines: int = 1) -> list[str]:
    """What single clues prove, as rows of `m` and `s`."""
    view = View.parse(text, mines=mines)
    marks = "".join(".ms"[code] for code in single_clues(view.shown))
    return [marks[i : i + view.cols] for i in range(0, len(marks), view.cols)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.", [".m"]),
        ("1..", [".m."]),
        ("0.", [".s"]),
        ("1F.\n...", ["...", "ss."]),
        ("1*\n..", ["..", "ss"]),
        (".2.", ["m.m"]),
        (".1.", ["..."]),
        ("?.", [".."]),
        ("1.1.", [".m.s"]),
        ("...\n.8.\n...", ["mmm", "m.m", "mmm"]),
        ("F.\n.1", [".s", "s."]),
    ],
)
def test_basic_proves_what_a_single_clue_proves(text: str, expected: list[str]) -> None:
    assert proofs(text) == expected


def test_basic_sees_no_further_than_a_single_clue() -> None:
    view = View.parse("....\n1221\n0000", mines=2)  # two clues together prove it: mines in the middle
    assert set(single_clues(view.shown)) == {0}


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("on_mine", ["continue", "end"])
@pytest.mark.parametrize("first_click", ["any", "safe", "opening"])
@pytest.mark.parametrize("noise", ["exact-clues", "hidden(rate=0.3)", "liar(rate=0.5)", "liar(rate=0.5,blanks=true)"])
def test_the_first_agents_never_break_a_rule(agent: type[Agent], on_mine: Any, first_click: Any, noise: str) -> None:
    model = Registry.default().noise(noise)
    for number in range(25):
        size = Size(1 + number % 7, 1 + number * 3 % 8, 0)
        size = size._replace(mines=max(0, size.cells - 9) * (number % 4) // 4)
        game = Game(Deal.of(Uniform(), "uniform", size, 1, number), Rules(on_mine, first_click), model)
        result = play_game(game, agent).result
        assert not result.ending.is_fault, result.fault


def test_basic_never_sets_off_what_it_proved_safe() -> None:
    for number in range(60):
        game = Game(Deal.of(Uniform(), "uniform", Size(9, 9, 12), 3, number))
        played = play_game(game, Basic, keep_turns=True)
        assert played.turns is not None
        mines = game.board.mines.reshape(-1)
        for turn in played.turns:
            if turn.why == "proof":
                assert not mines[np.asarray(turn.open, np.int64)].any()
                assert mines[np.asarray(turn.flag, np.int64)].all()
        assert played.result.wrong_flags == 0


def test_random_opens_each_covered_cell_equally_often() -> None:
    counts: Counter[int] = Counter()
    view = View.parse("2 3 1\n.F.\n1..")
    for k in range(4000):
        agent = Random()
        agent._seed = derive("test", k)
        (cell,) = np.asarray(agent.act(view).open).tolist()
        counts[cell] += 1
    assert sorted(counts) == [0, 2, 4, 5]
    assert chisquare(list(counts.values())).pvalue > 1e-3


def test_basic_gives_up_when_only_flags_are_left() -> None:
    agent = Basic()
    assert agent.act(View.parse("1 2 1 on_mine=end\nF1")) == Turn()


@pytest.mark.parametrize(
    ("agent", "rules", "expected"),
    [
        (
            Random,
            Rules(on_mine="continue", first_click="any", start=None, flood=True),
            ("finished", 71, 0, 0, 10, 40, 40, 40, 0),
        ),
        (Random, Rules(on_mine="end", first_click="safe", start=None, flood=True), ("lost", 36, 0, 0, 1, 8, 8, 8, 0)),
        (
            Random,
            Rules(on_mine="continue", first_click="opening", start=Cell(row=0, col=0), flood=True),
            ("finished", 71, 0, 0, 10, 34, 34, 34, 0),
        ),
        (
            Basic,
            Rules(on_mine="continue", first_click="any", start=None, flood=True),
            ("won", 71, 10, 0, 0, 13, 35, 8, 0),
        ),
        (Basic, Rules(on_mine="end", first_click="safe", start=None, flood=True), ("won", 71, 10, 0, 0, 13, 35, 8, 0)),
        (
            Basic,
            Rules(on_mine="continue", first_click="opening", start=Cell(row=0, col=0), flood=True),
            ("finished", 71, 7, 0, 3, 16, 33, 7, 0),
        ),
    ],
)
def test_golden_games_stay_what_they_are(agent: type[Agent], rules: Rules, expected: tuple[Any, ...]) -> None:
    """An agent that plays these otherwise has a new version."""
    deal = Deal.of(Uniform(), "uniform", PRESETS["beginner"], 2026, 0)
    result = play_game(Game(deal, rules), agent).result
    assert (result.ending, *result[4:12]) == expected
    assert agent.version == 1
