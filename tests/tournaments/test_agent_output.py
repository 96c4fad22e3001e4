"""What agents write to their standard output and error: where it is shown, and where it is kept."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sweepstakes.tournaments.storage.output_file import OutputFile

Terminal = Callable[..., Any]

TALKS = """import sys
from sweepstakes import Agent, Turn, hookimpl

class Talks(Agent):
    def act(self, view):
        print("\\33[2Jcovered:  ", len(view.covered()))
        sys.stderr.write("to the error\\n")
        if self.rng.random() < CHANCE:
            raise ValueError("enough")
        return Turn(open=view.covered()[:1])

@hookimpl
def sweepstakes_agents():
    return {"NAME": Talks}
"""


def agent(folder: Path, name: str, chance: float) -> str:
    """The file of an agent that talks in every turn, and fails in a turn with this probability."""
    (folder / f"{name}.py").write_text(TALKS.replace("NAME", name).replace("CHANCE", str(chance)))
    return f"{name}.py"


def test_watch_shows_what_the_agent_wrote(sweepstakes: Terminal, tmp_path: Path) -> None:
    done = sweepstakes("watch", agent(tmp_path, "talks", 1), "--board", "4x4/3", "--plain")
    assert done.code == 0
    assert "raised ValueError: enough" in done.out
    assert done.err == "\nagent 'talks' wrote:\n| covered:   16\n| to the error\n"


TOURNAMENT = """name: t
games: 8
boards: 4x4/3
agents: [{agent: always.py}, {agent: never.py}, basic]
"""


@pytest.mark.system
@pytest.mark.parametrize(
    "how", [["--workers", "1"], ["--workers", "1", "--start-method", "spawn"], ["--executor", "serial"]]
)
def test_a_run_keeps_the_output_of_the_first_faults(sweepstakes: Terminal, tmp_path: Path, how: list[str]) -> None:
    agent(tmp_path, "always", 1)
    agent(tmp_path, "never", 0)
    (tmp_path / "t.yaml").write_text(TOURNAMENT)
    done = sweepstakes("run", "t.yaml", *how)
    assert done.code == 0, done.err
    assert f"the output of always in its first games with a fault is in {Path('runs', 't', 'output.txt')}" in done.err
    games = (tmp_path / "runs" / "t" / "output.txt").read_text().split("\n\n")
    assert [game.partition(": ")[0] for game in games] == [*(f"always/1/{number}" for number in range(5)), ""]
    assert all(game.endswith("\n| covered:   16\n| to the error") for game in games[:-1])
    assert (tmp_path / "runs" / "t" / "output.txt").stat().st_mode & 0o077 == 0


def test_a_changed_agent_has_its_output_kept_again(sweepstakes: Terminal, tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(TOURNAMENT.replace(", {agent: never.py}", ""))
    agent(tmp_path, "always", 1)
    assert sweepstakes("run", "t.yaml", "--executor", "serial").code == 0
    text = (tmp_path / "always.py").read_text()
    (tmp_path / "always.py").write_text(text.replace("to the error", "other words"))
    assert sweepstakes("run", "t.yaml", "--executor", "serial").code == 0
    kept = (tmp_path / "runs" / "t" / "output.txt").read_text()
    assert kept.count("| other words") == 5
    assert "| to the error" not in kept


def test_a_run_shows_all_output_of_the_agents_that_are_named(sweepstakes: Terminal, tmp_path: Path) -> None:
    agent(tmp_path, "always", 1)
    agent(tmp_path, "never", 0)
    (tmp_path / "t.yaml").write_text(TOURNAMENT)
    done = sweepstakes("run", "t.yaml", "--show-output", "never", "--quiet")
    assert done.code == 0
    for number in range(8):
        assert f"never/1/{number} wrote:\n| covered:   16\n| to the error\n" in done.err
    assert "always" not in done.err
    assert "\33" not in done.err


@pytest.mark.parametrize(
    ("label", "isolation", "why"),
    [
        ("nver", "process", "unknown agent 'nver' (did you mean 'never'?)"),
        ("basic", "process", "the agent is built in and writes nothing"),
        ("never", "none", "under `isolation: none` the output of agents is lost"),
    ],
)
def test_an_agent_without_output_is_named_in_a_line(
    sweepstakes: Terminal, tmp_path: Path, label: str, isolation: str, why: str
) -> None:
    agent(tmp_path, "always", 1)
    agent(tmp_path, "never", 0)
    (tmp_path / "t.yaml").write_text(TOURNAMENT)
    done = sweepstakes("run", "t.yaml", "--show-output", label, "--isolation", isolation)
    assert done.code != 0
    assert why in done.err
    assert len(done.err.splitlines()) == 1


@pytest.mark.system
def test_check_shows_once_what_an_agent_prints_that_passes(sweepstakes: Terminal, tmp_path: Path) -> None:
    file = agent(tmp_path, "never", 0)
    text = (tmp_path / file).read_text()
    (tmp_path / file).write_text(text.replace("covered()[:1]", "covered()"))  # one turn for each game
    done = sweepstakes("check", file)
    assert done.out.count("          it printed:\n") == 1
    assert "          | to the error\n" in done.out


def test_the_output_of_an_agent_with_a_colon_in_its_label_is_kept(tmp_path: Path) -> None:
    assert OutputFile(tmp_path).add("luna: new", "luna: new/1/3", "it crashed", "oh\n\nno") == 1
    assert OutputFile(tmp_path, ["nova"]).add("luna: new", "luna: new/1/4", "it crashed", "again") == 2
    OutputFile(tmp_path, ["luna: new"])
    assert (tmp_path / "output.txt").read_text() == ""
