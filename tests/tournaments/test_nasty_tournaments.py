"""Tournaments with agents whose answers are nasty: the others' rows are what they are without them."""

from __future__ import annotations

import importlib.util
import os
import sqlite3
import subprocess
import sys
from collections.abc import Iterable, Mapping, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
import yaml
from unpacked import unpacked

from sweepstakes import ConfigError, Registry, RunError, SweepstakesError
from sweepstakes.executor import Chunk, Executor, Fixture, Limits, Row
from sweepstakes.game.result import ENDINGS
from sweepstakes.plugins.executors.local import Local
from sweepstakes.plugins.executors.serial import Serial
from sweepstakes.tournaments import run_tournament
from sweepstakes.tournaments.config.loading import parse
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.running.workload import PlanWorkload

pytestmark = pytest.mark.system

NASTY = Path(__file__).parent.parent / "nasty" / "answers.py"
GAMES = 3


def kinds() -> list[str]:
    spec = importlib.util.spec_from_file_location("nasty_answers", NASTY)
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return list(module.ANSWERS)


KINDS = kinds()
PARTS = 6
"""Tournaments among which they are divided: the ratings of a hundred agents take long."""


def sweepstakes(*arguments: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    environment = {**os.environ, "COLUMNS": "100"}
    return subprocess.run(
        [sys.executable, "-m", "sweepstakes", *arguments],
        cwd=cwd,
        env=environment,
        capture_output=True,
        text=True,
        timeout=300,
    )


def run(folder: Path, name: str, agents: Sequence[Any], **given: Any) -> subprocess.CompletedProcess[str]:
    data = {"boards": {"size": 5, "mines": 4}, "agents": list(agents), "games": GAMES, "moves": "all", "workers": 2}
    (folder / f"{name}.yaml").write_text(yaml.safe_dump({**data, "plugins": [str(NASTY)], **given}))
    return sweepstakes("run", f"{name}.yaml", "--out", name, cwd=folder)


def rows(directory: Path) -> dict[str, list[tuple[Any, ...]]]:
    """What is stored of each agent's games, by its label; the last number is the time."""
    found: dict[str, list[tuple[Any, ...]]] = {}
    with closing(sqlite3.connect(directory / "games.sqlite")) as db:
        cursor = db.execute("select a.label, g.* from games g join agents a on a.id = g.agent order by 1, g.number")
        names = [column[0] for column in cursor.description[1:]]
        for label, *values in cursor:
            row = dict(zip(names, values, strict=True))
            seconds = row.pop("seconds")
            row.pop("agent")
            found.setdefault(label, []).append((*row.items(), seconds))
    return found


def results(games: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """The rows without the time."""
    return [game[:-1] for game in games]


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, list[tuple[Any, ...]]]:
    """The rows of agents that play among themselves."""
    folder = tmp_path_factory.mktemp("alone")
    done = run(folder, "alone", ["basic", "random"])
    assert done.returncode == 0, done.stderr
    return rows(folder / "alone")


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, PARTS))])
def test_nasty_answers_cost_their_own_games_and_change_no_other_row(
    tmp_path: Path, expected: dict[str, list[tuple[Any, ...]]], part: int
) -> None:
    some = KINDS[part::PARTS]
    crooks = [{"agent": "crook", "as": kind, "kind": kind} for kind in some]
    agents = [*crooks[:10], "basic", *crooks[10:], "random"]
    done = run(tmp_path, "together", agents)
    assert done.returncode == 0, done.stderr
    found = rows(tmp_path / "together")
    for name in ("basic", "random"):
        assert results(found[name]) == results(expected[name])
    for kind in some:
        games = [dict(game[:-1]) for game in found[kind]]
        assert len(games) == GAMES
        for number, game in enumerate(games):
            assert ENDINGS[game["ending"]].is_fault, (kind, game)
            assert game["fault"].isprintable(), (kind, game)
            assert game["fault"].startswith(f"agent '{kind}' "), game
            assert f" in game {number}" in game["fault"]
            assert "broke the referee" not in game["fault"], game
    again = run(tmp_path, "together", agents)
    assert again.returncode == 0, again.stderr
    assert rows(tmp_path / "together") == found, "a resume played something again"


def test_text_that_cannot_be_encoded_loses_nobodys_games(tmp_path: Path) -> None:
    (tmp_path / "surrogate.py").write_text(
        "from sweepstakes import Agent, hookimpl\n\n"
        "class Surrogate(Agent):\n"
        "    def act(self, view):\n"
        '        raise ValueError("\\ud800")\n\n'
        "@hookimpl\n"
        "def sweepstakes_agents():\n"
        '    return {"surrogate": Surrogate}\n'
    )
    agents = ["random", {"agent": "surrogate.py"}]
    for _ in range(2):
        done = run(tmp_path, "two", agents, games=20)
        assert done.returncode == 0, done.stderr
        found = rows(tmp_path / "two")
        assert [len(games) for games in found.values()] == [20, 20]
        assert {dict(game[:-1])["ending"] for game in found["random"]} == {"finished"}
        fault = dict(found["surrogate"][0][:-1])["fault"]
        assert "raised ValueError: \ufffd (line 5 of surrogate.py) in game 0" in fault


def test_labels_are_no_markup_in_what_is_written(tmp_path: Path) -> None:
    label = "|`c` <script>[x](javascript:y)"
    data = {"boards": {"size": 5, "mines": 4}, "agents": ["random", {"agent": "basic", "as": label}], "games": 2}
    made = run_tournament(data, out=tmp_path, workers=1)
    assert set(rows(tmp_path)) == {"random", label}
    text = {name: Registry.default().make("report", name).text(made) for name in ("markdown", "html", "latex")}
    assert r"\|\`c\` \<script>\[x\](javascript:y)" in text["markdown"]
    assert "<script>" not in text["html"]
    ticks = r"\textasciigrave{}c\textasciigrave{}"
    assert rf"\textbar{{}}{ticks} \textless{{}}script\textgreater{{}}{{[}}x{{]}}(javascript:y)" in text["latex"]


@pytest.mark.parametrize("label", ["\x1b[31mred", "\u202e", "two\nlines", " \n "])
def test_a_label_with_what_cannot_be_seen_is_refused(label: str) -> None:
    data = {"boards": {"size": 5, "mines": 4}, "agents": [{"agent": "basic", "as": label}]}
    with pytest.raises(ConfigError, match=r"has an invisible character: remove it$"):
        make_plan(parse(data))


# What breaks in our own code, or in a plugin that is no agent.

SPOILING = '''
from sweepstakes import BoardSource, MeasuredScore, Registry, hookimpl


class Uniform(BoardSource):
    def __init__(self):
        self.source = Registry.default().make("board source", "uniform")

    def board(self, seed, number, size, protected):
        if number == 3:
            raise ValueError("\\ud800 spoilt")
        return self.source.board(seed, number, size, protected)


class Broken(MeasuredScore):
    """A score that cannot be measured."""

    name = "broken"

    @staticmethod
    def measure(game, turns):
        raise KeyError("x")

    def worst(self, result):
        return 0.0


@hookimpl
def sweepstakes_boards():
    return {"same": Uniform}


@hookimpl
def sweepstakes_scores():
    return {"broken": Broken}
'''


def play(executor: Executor, file: Path, changes: Mapping[str, Any]) -> dict[Fixture, Row]:
    data = {"boards": {"size": 4, "mines": 3}, "games": 4, "moves": "none", "isolation": "none", **changes}
    plan, _ = make_plan(parse(data), plugins=(str(file),))
    chunks = [Chunk(agent, 0, 0, 4) for agent in range(len(plan.entries))]
    return {row.fixture: row for some in executor.run(PlanWorkload(plan), chunks, Limits()) for row in unpacked(some)}


@pytest.fixture
def spoiling(tmp_path: Path) -> Path:
    file = tmp_path / "spoiling.py"
    file.write_text(SPOILING)
    return file


@pytest.mark.parametrize("executor", [Serial(), Local(workers=2)], ids=["serial", "local"])
def test_a_measure_that_breaks_stops_the_run_and_is_named(spoiling: Path, executor: Executor) -> None:
    with pytest.raises(SweepstakesError, match=r"^score 'broken' raised KeyError: 'x', in game (random|basic)/1/\d$"):
        play(executor, spoiling, {"agents": ["random", "basic"], "scores": ["win", "broken"]})


def test_a_game_that_cannot_begin_stops_the_run(spoiling: Path) -> None:
    with pytest.raises(RunError, match=r"^board source 'same' raised ValueError: \ufffd spoilt in game 3 \(seed"):
        play(Local(workers=1), spoiling, {"agents": ["random"], "boards": {"size": 4, "mines": 3, "source": "same"}})
