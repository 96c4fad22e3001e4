from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
import pytest
from scipy.stats import chisquare

from sweepstakes import PRESETS, Agent, BoardRef, Cell, Game, Registry, Rules, Size, View, play_game
from sweepstakes.agent import start_agent
from sweepstakes.game.rng import derive
from sweepstakes.plugins.agents.basic import Basic
from sweepstakes.plugins.agents.random import Random
from sweepstakes.plugins.boards.uniform import Uniform

AGENTS = [Random, Basic]


def proofs(text: str) -> list[str]:
    """What `basic` proves, as rows of `m` and `s`."""
    view = View.parse(text, mines=1)  # the count is not read
    agent = start_agent(Basic, 1)
    turn = agent.act(view)
    marks = np.full(view.rows * view.cols, ".")
    marks[np.asarray(turn.flag, np.int64)] = "m"
    if turn.why == "proof":
        marks[np.asarray(turn.open, np.int64)] = "s"
    return ["".join(row) for row in marks.reshape(view.rows, view.cols)]


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
    assert proofs("....\n1221\n0000") == ["...."] * 3  # two clues together prove the mines: those in the middle


@pytest.mark.parametrize("agent", AGENTS)
@pytest.mark.parametrize("on_mine", ["continue", "end"])
@pytest.mark.parametrize("first_click", ["any", "safe", "opening"])
@pytest.mark.parametrize("noise", ["exact-clues", "hidden(rate=0.3)", "liar(rate=0.5)", "liar(rate=0.5,blanks=true)"])
def test_the_first_agents_never_break_a_rule(agent: type[Agent], on_mine: Any, first_click: Any, noise: str) -> None:
    model = Registry.default().noise(noise)
    for number in range(25):
        size = Size(1 + number % 7, 1 + number * 3 % 8, 0)
        size = size._replace(mines=max(0, size.cells - 9) * (number % 4) // 4)
        game = Game(BoardRef.of(Uniform(), "uniform", size, 1, number), Rules(on_mine, first_click), model)
        result = play_game(game, agent).result
        assert not result.ending.is_fault, result.fault


def test_basic_never_sets_off_what_it_proved_safe() -> None:
    for number in range(60):
        game = Game(BoardRef.of(Uniform(), "uniform", Size(9, 9, 12), 3, number))
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
        agent = start_agent(Random, derive("test", k))
        (cell,) = np.asarray(agent.act(view).open).tolist()
        counts[cell] += 1
    assert sorted(counts) == [0, 2, 4, 5]
    assert chisquare(list(counts.values())).pvalue > 1e-3


def test_basic_gives_up_when_only_flags_are_left() -> None:
    agent = Basic()
    turn = agent.act(View.parse("1 2 1 on_mine=end\nF1"))
    assert not len(turn.open) + len(turn.flag) + len(turn.unflag)


@pytest.mark.parametrize(
    ("agent", "rules", "expected"),
    [
        (Random, Rules(), ("finished", 71, 0, 0, 10, 36, 36, 36, 0, 36, 0)),
        (Random, Rules("end", "safe"), ("lost", 47, 0, 0, 1, 7, 7, 7, 0, 7, 0)),
        (Random, Rules("continue", "opening", Cell(0, 0)), ("finished", 71, 0, 0, 10, 35, 35, 35, 0, 35, 0)),
        (Basic, Rules(), ("finished", 71, 9, 0, 1, 8, 33, 3, 0, 42, 0)),
        (Basic, Rules("end", "safe"), ("lost", 64, 6, 0, 1, 10, 21, 5, 0, 27, 0)),
        (Basic, Rules("continue", "opening", Cell(0, 0)), ("finished", 71, 9, 0, 1, 13, 26, 8, 0, 35, 0)),
    ],
)
def test_golden_games_stay_what_they_are(agent: type[Agent], rules: Rules, expected: tuple[Any, ...]) -> None:
    """An agent that plays these otherwise has a new version."""
    board_ref = BoardRef.of(Uniform(), "uniform", PRESETS["beginner"], 2026, 0)
    result = play_game(Game(board_ref, rules), agent).result
    assert result.outcome[3:] == expected
    assert agent.version == 1
