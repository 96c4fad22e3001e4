"""The examples: one plugin for each hook, and one that is installed."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sweepstakes import Game, PluginError, Registry
from sweepstakes.registry.loading import HOOKS
from sweepstakes.testing import check_agent
from sweepstakes.tournaments import run_tournament
from sweepstakes.tournaments.config.loading import parse
from sweepstakes.tournaments.resolve.planning import make_plan

Terminal = Callable[..., Any]
EXAMPLES = Path(__file__).parents[1] / "examples"
FILES = sorted(EXAMPLES.glob("*.py"))


def test_there_is_an_example_of_every_hook() -> None:
    shown = {hook for file in FILES for hook in HOOKS if f"def {hook}(" in file.read_text()}
    assert shown == set(HOOKS)


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_an_example_loads(file: Path) -> None:
    Registry([file]).check()


def test_the_agent_keeps_the_contract() -> None:
    registry = Registry([EXAMPLES / "edge_first.py"], import_agents=True)
    check_agent(registry.agent("edge-first"))


@pytest.mark.system
def test_a_solver_of_other_authors_keeps_the_contract() -> None:
    pytest.importorskip("ms_toollib")
    registry = Registry([EXAMPLES / "solvers" / "toollib.py"], import_agents=True)
    check_agent(registry.agent("toollib"))


def test_a_tournament_takes_agent_boards_noise_and_score_from_the_examples(
    sweepstakes: Terminal, tmp_path: Path
) -> None:
    names = ["striped_boards", "fog", "caution", "podium", "tally"]
    plugins = ", ".join(str(EXAMPLES / f"{name}.py") for name in names)
    (tmp_path / "all.yaml").write_text(
        f"games: 3\nboards: {{rows: 9, cols: 9, mines: 10, source: {{striped: {{step: 3}}}}}}\n"
        f"noise: {{fog: {{density: 0.2}}}}\nagents: [{EXAMPLES / 'edge_first.py'}, basic]\n"
        f"scores: [caution]\nplugins: [{plugins}]\nmoves: none\n"
    )
    done = sweepstakes("run", "all.yaml", "--quiet", "--workers", "1")
    assert done.code == 0, done.err
    assert "striped(step=3)" in done.out
    assert "| edge-first" in done.out
    table = sweepstakes("board", "6x4/8", "--source", "striped", "--plugin", str(EXAMPLES / "striped_boards.py"))
    assert table.out.splitlines()[1::2] == ["....", "....", "...."]


def test_the_report_names_the_best() -> None:
    standings = run_tournament({"boards": "beginner", "games": 5, "agents": ["random", "basic"], "workers": 1})
    report = Registry([EXAMPLES / "podium.py"]).make("report", "podium")
    assert report.text(standings).startswith("beginner: 1. basic, ")


def test_the_executor_gives_the_same_rows_in_another_order() -> None:
    config = parse({"boards": "beginner", "games": 4, "agents": ["basic"], "moves": "none"})
    plan, registry = make_plan(config, plugins=(str(EXAMPLES / "backwards.py"),))
    from sweepstakes.executor import Chunk, Limits
    from sweepstakes.tournaments.running.workload import PlanWorkload

    work = PlanWorkload(plan)
    rows = {
        name: [row for rows in registry.make("executor", name).run(work, [Chunk(0, 0, 0, 4)], Limits()) for row in rows]
        for name in ("serial", "backwards")
    }
    assert [row.fixture.number for row in rows["backwards"]] == [3, 2, 1, 0]
    assert [row.result for row in rows["serial"]] == [row.result for row in reversed(rows["backwards"])]


def test_the_executor_ends_every_chunk_and_closes_its_player_also_when_it_is_stopped() -> None:
    from sweepstakes.executor import Chunk, Limits

    class Player:
        def __init__(self) -> None:
            self.calls: list[str] = []

        def open(self, limits: Limits) -> Player:
            assert limits == Limits(2, 20, 512, 10)
            return self

        def play(self, fixture: Any) -> Any:
            self.calls.append(f"play {fixture.number}")

        def end_chunk(self) -> None:
            self.calls.append("end chunk")

        def close(self) -> None:
            self.calls.append("close")

    executor = Registry([EXAMPLES / "backwards.py"]).make("executor", "backwards")
    chunks = [Chunk(0, 0, 0, 2), Chunk(1, 0, 4, 5)]
    played = ["play 1", "play 0", "end chunk"]
    whole, stopped = Player(), Player()
    assert len([*executor.run(whole, chunks, Limits(2, 20, 512, 10))]) == 2
    assert whole.calls == [*played, "play 4", "end chunk", "close"]
    rows = executor.run(stopped, chunks, Limits(2, 20, 512, 10))
    next(rows)
    rows.close()
    assert stopped.calls == [*played, "close"]


def test_the_observer_hears_of_every_game() -> None:
    registry = Registry([EXAMPLES / "tally.py"])
    assert registry.observed
    from sweepstakes import Board, Turn

    game = Game(Board.parse("."))
    game.take(Turn(open=[(0, 0)]))
    assert registry.game_finished(game.result()) == []


@pytest.mark.system
def test_a_distribution_is_found_by_its_entry_point(tmp_path: Path) -> None:
    """In a separate environment that sees the packages of this one and downloads nothing."""
    source = tmp_path / "source"
    shutil.copytree(EXAMPLES / "installed", source)
    place = tmp_path / "environment"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(place)], check=True)
    python = place / "bin" / "python"
    inside = next((place / "lib").glob("python*/site-packages"))
    (inside / "outside.pth").write_text(
        f"import site; site.addsitedir({sysconfig.get_paths()['purelib']!r})\n"
    )  # whose own .pth files count too, an editable install's among them
    clean = {key: value for key, value in os.environ.items() if not key.startswith("PYTHON")}
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-index", "--no-build-isolation"]
    made = subprocess.run([*install, "--target", str(inside), str(source)], capture_output=True, text=True, env=clean)
    assert made.returncode == 0, made.stderr
    listed = subprocess.run([python, "-m", "sweepstakes", "plugins"], capture_output=True, text=True, env=clean)
    assert "corners  (installed, sweepstakes-corners 1.2.3)" in listed.stdout, listed.stdout + listed.stderr
    with pytest.raises(PluginError, match="unknown agent 'corners'"):
        Registry().find("agent", "corners")
    watched = subprocess.run(
        [python, "-m", "sweepstakes", "watch", "corners", "--board", "3x3/1"], capture_output=True, text=True, env=clean
    )
    assert watched.returncode == 0, watched.stderr
    assert "turn 1: random: opens (0, 0)" in watched.stdout
