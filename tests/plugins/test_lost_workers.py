"""A worker that dies or stalls costs nobody a game; if that happens again, the run stops with a line and can resume."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
import uuid
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import yaml
from marked_processes import MARK, marked
from said import Said
from unpacked import unpacked
from waiting import wait_until

from sweepstakes.executor import Chunk, Limits
from sweepstakes.os_support import children
from sweepstakes.plugins.executors.local import Local, StartMethod
from sweepstakes.tournaments.config.loading import parse
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.running.workload import PlanWorkload

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc"),
]

both_starts = pytest.mark.parametrize("start", ["fork", pytest.param("spawn", marks=pytest.mark.slow)])
SLOW = """
import time
from sweepstakes import Agent, Turn, hookimpl

class Slow(Agent):
    def act(self, view):
        time.sleep(0.01)
        return Turn(open=view.covered()[:1])

@hookimpl
def sweepstakes_agents():
    return {"slow": Slow}
"""
SCORE = """
import ctypes, os, time
from pathlib import Path
from sweepstakes import MeasuredScore, hookimpl

HERE = Path(__file__).parent

class Own(MeasuredScore):
    name = "own"
    needs_evidence = False

    @staticmethod
    def measure(game, turns):
        (HERE / "pid").write_text(str(os.getpid()))
        if (HERE / "do").exists():
            exec((HERE / "do").read_text())
        return {"own": len(turns)}

    def worst(self, result):
        return 0.0

@hookimpl
def sweepstakes_scores():
    return {"own": Own}
"""
CRASHES = """
import ctypes
from sweepstakes import Agent, Turn, hookimpl

class Crashes(Agent):
    def act(self, view):
        if self.explain == {when}:
            {what}
        return Turn(open=view.covered()[:1], why="random")

@hookimpl
def sweepstakes_agents():
    return {{"crashes": Crashes}}
"""
SEGFAULT = "ctypes.string_at(0)"


@pytest.fixture
def no_process_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    mark = uuid.uuid4().hex
    monkeypatch.setenv(MARK, mark)
    yield mark
    assert wait_until(lambda: not marked(mark), 120), marked(mark)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with a slow agent, and a tournament whose score runs the code in the file `do` and writes `pid`."""
    (tmp_path / "slow.py").write_text(SLOW)
    (tmp_path / "own.py").write_text(SCORE)
    tournament = {
        "boards": {"size": 4, "mines": 3},
        "agents": ["random", "slow.py"],
        "games": 20,
        "scores": ["win", "own"],
        "plugins": ["own.py"],
        "limits": {"turn_seconds": 0.1},
    }
    (tmp_path / "t.yaml").write_text(yaml.safe_dump(tournament))
    return tmp_path


def table(folder: Path, out: str) -> bytes:
    return (folder / out / "leaderboard.csv").read_bytes()


@both_starts
def test_a_worker_that_is_killed_from_outside_changes_no_table(
    no_process_left: str, sweepstakes: Callable[..., Said], folder: Path, start: StartMethod
) -> None:
    """The system may kill a worker when memory runs out."""
    words = ("run", "t.yaml", "--workers", "2", "--start-method", start, "--quiet")
    assert sweepstakes(*words, "--out", "undisturbed").code == 0
    (folder / "pid").unlink()
    (folder / "do").write_text("if not (HERE / 'once').exists():\n    (HERE / 'once').touch()\n    time.sleep(3600)")
    command = [sys.executable, "-m", "sweepstakes", *words, "--out", "killed"]
    run = subprocess.Popen(command, cwd=folder)
    try:
        assert wait_until((folder / "once").exists)
        os.kill(int((folder / "pid").read_text()), signal.SIGKILL)
        assert run.wait(120) == 0
    finally:
        run.kill()
    assert table(folder, "killed") == table(folder, "undisturbed")


@both_starts
@pytest.mark.parametrize(
    ("deed", "how"),
    [
        ("time.sleep(3600)", "was silent for more than 2 s"),
        pytest.param(SEGFAULT, "died (SIGSEGV)", marks=pytest.mark.slow),
        pytest.param("os._exit(3)", "died (exit code 3)", marks=pytest.mark.slow),
    ],
)
def test_a_score_that_hangs_or_crashes_stops_the_run_with_a_line_and_the_run_resumes(
    no_process_left: str, sweepstakes: Callable[..., Said], folder: Path, deed: str, how: str, start: StartMethod
) -> None:
    assert sweepstakes("run", "t.yaml", "--workers", "1", "--out", "undisturbed", "--quiet").code == 0
    (folder / "do").write_text(f"if ' game 7 ' in game.where():\n    {deed}")
    words = ("run", "t.yaml", "--executor", f"local(workers=1, start={start}, stall_seconds=1)", "--out", "stopped")
    said = sweepstakes(*words, "--quiet")
    assert said.code == 2
    (line,) = said.err.strip().splitlines()
    assert f"the process that played random/1/7 {how}, for the second time" in line
    (folder / "do").unlink()
    stored = re.search(r"(\d+) games stored", sweepstakes(*words, "--dry-run").out)
    assert stored
    assert int(stored[1]) >= 7
    said = sweepstakes(*words, "--quiet")
    assert said.code == 0, said.err
    assert table(folder, "stopped") == table(folder, "undisturbed")


@both_starts
@pytest.mark.parametrize(
    ("deed", "how"), [(SEGFAULT, "died (SIGSEGV)"), ("while True: pass", "was silent for more than 2 s")]
)
def test_under_isolation_none_an_agent_that_crashes_or_hangs_stops_the_run_with_a_line(
    no_process_left: str, sweepstakes: Callable[..., Said], folder: Path, deed: str, how: str, start: StartMethod
) -> None:
    (folder / "crashes.py").write_text(CRASHES.format(when=False, what=deed))
    words = ("--agent", "crashes.py", "--isolation", "none", "--quiet", "--out", "none")
    said = sweepstakes("run", "t.yaml", *words, "--executor", f"local(workers=1, start={start}, stall_seconds=1)")
    assert said.code == 2
    (line,) = said.err.strip().splitlines()
    assert f"the process that played crashes/1/0 {how}, for the second time" in line
    assert "`isolation: none`" in line


@both_starts
def test_a_worker_that_dies_in_a_second_playing_costs_measures_and_nothing_else(
    no_process_left: str, tmp_path: Path, start: StartMethod
) -> None:
    (tmp_path / "crashes.py").write_text(CRASHES.format(when=True, what=SEGFAULT))
    data = {"boards": {"size": 4, "mines": 3}, "agents": [str(tmp_path / "crashes.py")], "games": 3}
    plan = make_plan(parse({**data, "isolation": "none", "scores": ["win", "chain-length", "turns"]}))[0]
    rows = [
        row for some in Local(1, start).run(PlanWorkload(plan), [Chunk(0, 0, 0, 3)], Limits()) for row in unpacked(some)
    ]
    assert [row.fixture.number for row in rows] == [0, 1, 2]
    assert all(row.result.measures == {"chain-length": None} and row.result.turns for row in rows)
    assert not any(row.result.ending.is_fault for row in rows)


def server_of(main: int) -> int:
    """The server of a run: the child of its process that has children."""
    return next(child for child in children(main) if children(child))


VICTIMS: dict[str, Callable[[int, Path], int]] = {
    "main": lambda main, _: main,
    "worker": lambda _, folder: int((folder / "pid").read_text()),
    "server": lambda main, _: server_of(main),
}


@pytest.mark.parametrize(
    ("start", "victim"),
    [
        *(("fork", victim) for victim in VICTIMS),
        *(pytest.param("spawn", victim, marks=pytest.mark.slow) for victim in VICTIMS),
    ],
)
def test_no_process_outlives_the_kill_of_another(
    no_process_left: str, folder: Path, start: StartMethod, victim: str
) -> None:
    """The fixture waits for the end of every process of the run."""
    (folder / "do").write_text("if not (HERE / 'once').exists():\n    (HERE / 'once').touch()\n    time.sleep(3600)")
    words = ["run", "t.yaml", "--workers", "2", "--start-method", start, "--quiet"]
    command = [sys.executable, "-m", "sweepstakes", *words]
    run = subprocess.Popen(command, cwd=folder, stderr=subprocess.PIPE, text=True)
    try:
        assert wait_until((folder / "once").exists)
        assert len(marked(no_process_left)) >= 3  # main process and two workers, or one and a server
        os.kill(VICTIMS[victim](run.pid, folder), signal.SIGKILL)
        _, err = run.communicate(timeout=120)
    finally:
        run.kill()
    assert run.returncode == {"main": -signal.SIGKILL, "worker": 0, "server": 2}[victim], err
    if victim == "server":
        assert "the process that starts the hosts of agents is gone" in err


SCRIPT = """
from sweepstakes import Agent, Turn
from sweepstakes.tournaments import run_tournament

print("imported")

class First(Agent):
    def act(self, view):
        return Turn(open=view.covered()[:1])

data = {"boards": {"size": 4, "mines": 3}, "agents": [First, "random"], "games": 5, "workers": 2}
print(run_tournament(data, out="out").name)
"""


def test_a_script_without_a_main_guard_plays_a_class_and_runs_once(no_process_left: str, tmp_path: Path) -> None:
    (tmp_path / "script.py").write_text(SCRIPT)
    done = subprocess.run([sys.executable, "script.py"], cwd=tmp_path, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    assert done.stdout.split() == ["imported", "tournament"]
