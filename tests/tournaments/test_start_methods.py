"""`--start-method spawn` plays the same games as `--start-method fork`. An executor without start methods says so."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from said import Said

pytestmark = pytest.mark.system

AGENT = """
from sweepstakes import Agent, Turn, hookimpl

class Last(Agent):
    \"\"\"Opens the last covered cell, or another one.\"\"\"

    def act(self, view):
        covered = view.covered()
        return Turn(open=(covered[-1 - self.rng.below(min(len(covered), 3))],), why="random")

@hookimpl
def sweepstakes_agents():
    return {"last": Last}
"""
TOURNAMENT = """
name: two
games: 5
boards: {size: 5, mines: 4}
agents: [basic, last.py]
"""


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "last.py").write_text(AGENT)
    (tmp_path / "two.yaml").write_text(TOURNAMENT)
    return tmp_path


def test_spawn_gives_the_leaderboard_of_fork(sweepstakes: Callable[..., Said], files: Path) -> None:
    tables = []
    for start, workers in (("fork", "1"), ("spawn", "2")):
        said = sweepstakes(
            "run", "two.yaml", "--start-method", start, "--workers", workers, "--out", start + workers, "--quiet"
        )
        assert said.code == 0, said.err
        tables.append((files / (start + workers) / "leaderboard.csv").read_bytes())
    assert tables[0] == tables[1]
    assert b"last" in tables[0]


@pytest.mark.slow
def test_a_match_is_played_without_fork(sweepstakes: Callable[..., Said], files: Path) -> None:
    words = ("match", "basic", "last.py", "--boards", "5x5/4", "--max", "20", "--workers", "1", "--quiet")
    said = {start: sweepstakes(*words, "--start-method", start) for start in ("fork", "spawn")}
    assert said["fork"].code == 0, said["fork"].err
    assert said["spawn"] == said["fork"]


@pytest.mark.parametrize(
    ("executor", "why"),
    [
        ("serial", "start spawn: executor 'serial' has no parameter 'start'"),
        ("local(start=fork)", "has start=fork already"),
        ("local(start=fred)", "expected 'fork' or 'spawn'"),
    ],
)
def test_a_start_that_the_executor_cannot_use_is_refused_in_one_line(
    sweepstakes: Callable[..., Said], files: Path, executor: str, why: str
) -> None:
    said = sweepstakes("run", "two.yaml", "--start-method", "spawn", "--executor", executor, "--quiet")
    assert said.code in (1, 2)
    assert why in said.err
    assert len(said.err.strip().splitlines()) == 1
