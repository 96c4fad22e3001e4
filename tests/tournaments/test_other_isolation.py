"""Games that an agent lost by a fault are played again under another isolation."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sweepstakes.hosting import sealing

pytestmark = [pytest.mark.system, pytest.mark.skipif(bool(sealing.missing()), reason="; ".join(sealing.missing()))]
AGENT = """
from pathlib import Path
from sweepstakes import hookimpl
from sweepstakes.plugins.agents.random import Random

class Refused(Random):
    def act(self, view):
        {body}
        return super().act(view)

@hookimpl
def sweepstakes_agents():
    return {{"{name}": Refused}}
"""
BODIES = {
    "reader": "Path('{folder}/t.yaml').read_text()",
    "forker": "import subprocess; subprocess.run(['true'], check=True)",
    "sorry": """
        try:
            Path('{folder}/t.yaml').read_text()
        except OSError:
            raise RuntimeError('no weights') from None
""",
    "wrong": "raise ValueError('always')",
}
OBSERVER = """
from sweepstakes import hookimpl
@hookimpl
def sweepstakes_game_finished(result):
    raise KeyboardInterrupt
"""


@pytest.fixture
def run(sweepstakes: Callable[..., Any], tmp_path: Path) -> Callable[..., Any]:
    for name, body in BODIES.items():
        (tmp_path / f"{name}.py").write_text(AGENT.format(name=name, body=body.format(folder=tmp_path)))
    agents = ", ".join(f"./{name}.py" for name in BODIES)
    (tmp_path / "t.yaml").write_text(f"games: 2\nboards: 2x2/1\nagents: [random, {agents}]\nexecutor: serial\n")

    def play(isolation: str, *words: str) -> Any:
        return sweepstakes("run", "t.yaml", "--out", "run", "--isolation", isolation, *words)

    return play


def faults(folder: Path) -> dict[str, int]:
    table = json.loads((folder / "run" / "leaderboard.json").read_text())["tables"][0]["standings"]
    return {line["agent"]: line["faults"] for line in table}


def test_what_an_agent_was_refused_is_played_again_under_another_isolation(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    assert run("sealed").code == 0
    assert faults(tmp_path) == {"random": 0, "reader": 2, "forker": 2, "sorry": 2, "wrong": 2}
    assert "nothing to play" in run("sealed").err
    said = run("process")
    assert "isolation was sealed and is process: 8 games that were lost by a fault are played again" in said.err
    assert faults(tmp_path) == {"random": 0, "reader": 0, "forker": 0, "sorry": 0, "wrong": 2}
    assert "nothing to play" in run("process").err


@pytest.mark.slow
def test_a_run_that_was_interrupted_meanwhile_or_is_older_plays_them_again_too(
    run: Callable[..., Any], tmp_path: Path
) -> None:
    assert run("sealed").code == 0
    with sqlite3.connect(tmp_path / "run" / "games.sqlite") as db:  # as an earlier version wrote it
        assert db.execute("delete from meta where key = 'isolation'").rowcount == 1
    (tmp_path / "observer.py").write_text(OBSERVER)
    assert run("process", "--plugin", "observer.py").code == 130
    assert run("process").code == 0
    assert faults(tmp_path) == {"random": 0, "reader": 0, "forker": 0, "sorry": 0, "wrong": 2}
