"""An agent that ruins its process loses the game it did that in, and no other game changes."""

from __future__ import annotations

import itertools
import os
import signal
import subprocess
import sys
import uuid
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import pytest
from marked_processes import MARK, marked
from unpacked import unpacked
from waiting import wait_until

from sweepstakes import Ending, GameResult, RunError
from sweepstakes.executor import Chunk, Executor, Fixture, Limits, Row
from sweepstakes.hosting.client import Hosts
from sweepstakes.plugins.executors.local import Local, StartMethod
from sweepstakes.plugins.executors.serial import Serial
from sweepstakes.tournaments.config.loading import parse
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.running.workload import PlanWorkload

pytestmark = pytest.mark.system

NASTY = str(Path(__file__).parent.parent / "nasty" / "agents.py")
LIMITS = Limits(turn_seconds=1, game_seconds=20, memory_mb=64)
GAMES = 6

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
SLOW_SPAWN = pytest.param("spawn", marks=pytest.mark.slow)
"""Every process under spawn loads all code again, which takes seconds."""
both_starts = pytest.mark.parametrize("start", ["fork", "spawn"])
both_starts_slow = pytest.mark.parametrize("start", ["fork", SLOW_SPAWN])


def action(name: str) -> dict[str, Any]:
    return {"agent": "nasty", "as": name, "action": name}


def plan(agents: list[Any], games: int = GAMES) -> Plan:
    data = {"boards": {"size": 4, "mines": 3}, "agents": agents, "games": games, "moves": "all"}
    return make_plan(parse(data), plugins=(NASTY,))[0]


def chunks(plan: Plan, size: int = GAMES) -> Iterator[Chunk]:
    for agent in range(len(plan.entries)):
        for first in range(0, plan.config.games, size):
            yield Chunk(agent, 0, first, min(first + size, plan.config.games))


def play(
    executor: Executor,
    plan: Plan,
    chunks: Iterable[Chunk],
    limits: Limits = LIMITS,
    kind: type[PlanWorkload] = PlanWorkload,
) -> dict[Fixture, Row]:
    """All rows by game; no row comes twice."""
    rows: dict[Fixture, Row] = {}
    for some in executor.run(kind(plan), chunks, limits):
        for row in unpacked(some):
            assert row.fixture not in rows
            rows[row.fixture] = row
    return rows


def results(rows: dict[Fixture, Row], agent: int = 0) -> dict[int, tuple[GameResult, bytes | None]]:
    return {f.number: (row.result, row.moves) for f, row in sorted(rows.items()) if f.agent == agent}


@pytest.fixture
def no_process_left(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    mark = uuid.uuid4().hex
    monkeypatch.setenv(MARK, mark)
    yield mark
    wait_until(lambda: not marked(mark))  # a killed process takes a moment to be gone
    assert marked(mark) == []


FAULTS = {
    "raise_error": (Ending.ERROR, "raised ValueError: on purpose"),
    "raise_weird": (Ending.ERROR, "raised Weird"),
    "raise_interrupt": (Ending.ERROR, "raised KeyboardInterrupt"),
    "leave": (Ending.ERROR, "raised SystemExit: good bye"),
    "no_stack": (Ending.CRASH, "left its process in a state in which nobody can play"),
    "python_hang": (Ending.TIME_OUT, "took more than 1 s for a turn"),
    "stubborn_hang": (Ending.TIME_OUT, "took more than 1 s for a turn"),
    "hang_in_c": (Ending.TIME_OUT, "took more than 1 s for a turn"),
    "leave_hard": (Ending.CRASH, "ended its process with exit code 7"),
    "kill_self": (Ending.CRASH, "lost its process to SIGKILL"),
    "kill_group": (Ending.CRASH, "lost its process to SIGKILL"),
    "segfault": (Ending.CRASH, "lost its process to SIGSEGV"),
    "close_files": (Ending.CRASH, "closed the files of its process"),
    "write_everywhere": (Ending.CRASH, "wrote into the files of its process"),
    "eat_memory": (Ending.MEMORY, ""),
    "eat_at_once": (Ending.MEMORY, ""),
    "compile_long": (Ending.TIME_OUT, "took more than 1 s for a turn"),
}
NUISANCES = ["print_garbage", "leave_child", "leave_detached_child", "leave_thread", "tamper"]
ANSWERS = {
    "number": (Ending.ILLEGAL_MOVE, "which is not a Turn"),
    "function": (Ending.ILLEGAL_MOVE, "expected a list of (row, col) cells"),
    "endless": (Ending.TIME_OUT, "took more than 1 s for a turn"),
}


@pytest.fixture(scope="module")
def calm() -> dict[int, tuple[GameResult, bytes | None]]:
    workload = plan(["calm"])
    return results(play(Serial(), workload, chunks(workload)))


@pytest.fixture(scope="module")
def faulty_games() -> set[int]:
    """The games in which the nasty agents do their action."""
    workload = plan([action("raise_error")])
    rows = results(play(Serial(), workload, chunks(workload)))
    games = {number for number, (result, _) in rows.items() if result.ending is Ending.ERROR}
    assert 0 < len(games) < GAMES / 2
    return games


def play_mixed(bad: list[Any], start: StartMethod) -> dict[str, dict[int, tuple[GameResult, bytes | None]]]:
    """The rows, by agent, of one tournament of these agents with healthy agents in between; no process is left."""
    agents: list[Any] = [{"agent": "calm", "as": "calm-first"}]
    for i in range(0, len(bad), 4):
        agents += [*bad[i : i + 4], {"agent": "calm", "as": f"calm-{i}"}]
    mark = os.environ[MARK] = uuid.uuid4().hex
    try:
        workload = plan(agents)
        rows = play(Local(workers=2, start=start), workload, chunks(workload))
        assert marked(mark) == []
    finally:
        del os.environ[MARK]
    assert len(rows) == len(agents) * GAMES
    return {entry.label: results(rows, i) for i, entry in enumerate(workload.entries)}


@pytest.fixture(scope="module", params=["fork", SLOW_SPAWN])
def mixed_rows(request: pytest.FixtureRequest) -> dict[str, dict[int, tuple[GameResult, bytes | None]]]:
    """The rows of one tournament of all nasty agents."""
    bad = [action(name) for name in (*FAULTS, *NUISANCES)]
    bad += [{"agent": "nonsense", "as": kind, "kind": kind} for kind in ANSWERS]
    return play_mixed(bad, request.param)


@pytest.mark.slow
@linux
def test_a_fault_costs_the_same_game_without_fork(calm: Any, faulty_games: set[int]) -> None:
    """The shorter twin of the tests below, for every change."""
    names = ["python_hang", "segfault", "eat_memory"]
    rows = play_mixed([action(name) for name in names], "spawn")
    for label, found in rows.items():
        ending, text = FAULTS.get(label, (None, ""))
        for number, (result, moves) in found.items():
            if ending is not None and number in faulty_games:
                assert result.ending is ending, result.fault
                assert text in result.fault
            else:
                assert (result, moves) == calm[number]


@linux
@pytest.mark.parametrize("name", [*FAULTS, *ANSWERS])
def test_a_fault_costs_its_own_game_and_no_other(mixed_rows: Any, calm: Any, faulty_games: set[int], name: str) -> None:
    ending, text = {**FAULTS, **ANSWERS}[name]
    for number, (result, moves) in mixed_rows[name].items():
        if number in faulty_games:
            assert result.ending is ending, result.fault
            assert text in result.fault
            assert f"agent '{name}'" in result.fault
            assert f" in game {number}" in result.fault
        else:
            assert (result, moves) == calm[number]


@linux
@pytest.mark.parametrize("name", NUISANCES)
def test_a_nuisance_changes_nothing(mixed_rows: Any, calm: Any, name: str) -> None:
    assert mixed_rows[name] == calm


@linux
def test_healthy_agents_are_not_disturbed(mixed_rows: Any, calm: Any) -> None:
    assert all(rows == calm for name, rows in mixed_rows.items() if name.startswith("calm-"))


@linux
@both_starts_slow
def test_shared_memory_counts_against_the_memory_limit(
    no_process_left: str, faulty_games: set[int], start: StartMethod
) -> None:
    workload = plan([action("eat_shared_memory")])
    rows = play(Local(workers=2, start=start), workload, chunks(workload, 1), Limits(turn_seconds=60, memory_mb=32))
    assert {f.number for f, row in rows.items() if row.result.ending is Ending.MEMORY} == faulty_games
    assert all("held more than 32 MB" in row.result.fault for f, row in rows.items() if f.number in faulty_games)


@linux
@both_starts_slow
def test_a_worker_killed_by_another_agents_process_costs_no_game(no_process_left: str, start: StartMethod) -> None:
    workload = plan([action("hire_assassin"), {"agent": "calm", "pause": 0.02}], games=GAMES)
    rows = play(Local(workers=1, start=start), workload, chunks(workload))
    assert not any(row.result.ending.is_fault for f, row in rows.items() if f.agent == 1)


@pytest.mark.parametrize(("workers", "size"), [pytest.param(1, 7, marks=pytest.mark.slow), (3, 50)])
@both_starts_slow
def test_rows_are_those_of_serial(workers: int, size: int, start: StartMethod) -> None:
    workload = plan(["calm", "random", action("raise_error"), {"agent": "nonsense", "kind": "number"}], games=60)
    expected = play(Serial(), workload, chunks(workload))
    got = play(Local(workers=workers, start=start), workload, chunks(workload, size))
    assert {f: (r.result, r.moves) for f, r in got.items()} == {f: (r.result, r.moves) for f, r in expected.items()}


@linux
@both_starts_slow
def test_the_turn_limit_holds_in_the_constructor(no_process_left: str, tmp_path: Path, start: StartMethod) -> None:
    workload = plan([{"agent": "slow-start", "folder": str(tmp_path)}], games=2)
    limits = Limits(turn_seconds=0.5, start_seconds=10)  # the second holds if the game is played again
    rows = play(Local(workers=2, start=start), workload, chunks(workload), limits)
    assert [row.result.ending for row in rows.values()] == [Ending.FINISHED, Ending.TIME_OUT]


@both_starts_slow
def test_the_time_of_a_whole_game_is_limited(start: StartMethod) -> None:
    workload = plan([{"agent": "calm", "pause": 0.15}], games=2)
    rows = play(Local(workers=2, start=start), workload, chunks(workload, 1), Limits(turn_seconds=20, game_seconds=0.5))
    for row in rows.values():
        assert row.result.ending is Ending.TIME_OUT
        where = workload.setup(row.fixture).where()
        assert row.result.fault == f"agent 'calm(pause=0.15)' took more than 0.5 s for a game{where}"
        assert row.seconds < row.took  # it slept


@both_starts_slow
def test_rows_of_a_long_task_arrive_before_its_end(start: StartMethod) -> None:
    workload = plan([{"agent": "calm", "pause": 0.02}], games=12)
    lists = list(Local(workers=1, start=start).run(PlanWorkload(workload), chunks(workload, 12), Limits()))
    assert len(lists) > 1
    assert sum(map(len, lists)) == 12


@linux
@both_starts_slow
def test_chunks_are_taken_only_when_a_worker_is_free(no_process_left: str, start: StartMethod) -> None:
    taken = itertools.count()

    def endless() -> Iterator[Chunk]:
        for number in taken:
            yield Chunk(0, 0, number, number + 1)

    running = Local(workers=2, start=start).run(PlanWorkload(plan(["calm"])), endless(), LIMITS)
    got = 0
    while got < 50:
        got += len(next(running))
    assert next(taken) <= got + 2 + 2
    running.close()  # type: ignore[attr-defined]


@linux
@both_starts
def test_closing_the_iterator_stops_everything(no_process_left: str, tmp_path: Path, start: StartMethod) -> None:
    workload = plan(["calm", {"agent": "mark", "folder": str(tmp_path)}])
    calm = (Chunk(0, 0, number, number + 1) for number in itertools.count())
    running = Local(workers=2, start=start).run(
        PlanWorkload(workload), itertools.chain([Chunk(1, 0, 0, 1)], calm), Limits()
    )
    for _ in running:  # the other worker goes on, so that rows come until the agent plays, however slowly it starts
        if any(tmp_path.iterdir()):
            break
    running.close()  # type: ignore[attr-defined]


class Broken(PlanWorkload):
    """A workload that cannot be opened."""

    def open(self, limits: Limits | None = None, hosts: Hosts | None = None) -> Any:
        if self.plan.scores == ("dies",):
            os._exit(3)
        raise ImportError("no module\nnamed 'torch'")


class Faulty(PlanWorkload):
    """A workload with a mistake of this package in it."""

    def open(self, limits: Limits | None = None, hosts: Hosts | None = None) -> Any:
        player = super().open(limits, hosts)
        player.plan = None  # type: ignore[assignment]
        return player


@linux
@pytest.mark.parametrize(
    ("kind", "scores", "text"),
    [
        (Broken, (), "ImportError: no module named 'torch'"),
        (
            Broken,
            ("dies",),
            "two workers in a row were lost before they could play: the last died (exit code 3)",
        ),
        (Faulty, (), "AttributeError: 'NoneType' object has no attribute 'config'"),
    ],
)
@both_starts_slow
def test_a_fault_of_no_agent_stops_the_run_with_one_line(
    no_process_left: str, kind: type[PlanWorkload], scores: tuple[str, ...], text: str, start: StartMethod
) -> None:
    workload = plan(["calm"])._replace(scores=scores)
    with pytest.raises(RunError) as caught:
        play(Local(workers=1, start=start), workload, chunks(workload), kind=kind)
    assert str(caught.value) == text


SCRIPT = """
import sys
from sweepstakes.executor import Chunk, Limits
from sweepstakes.plugins.executors.local import Local
from sweepstakes.tournaments.config.loading import parse
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.running.workload import PlanWorkload

agents = [{"agent": "mark", "folder": sys.argv[2]}]
data = {"boards": {"size": 4, "mines": 3}, "agents": agents, "games": 9}
plan, _ = make_plan(parse(data), plugins=(sys.argv[1],))
chunks = (Chunk(0, 0, n, n + 1) for n in range(9))
for rows in Local(workers=2, start=sys.argv[3]).run(PlanWorkload(plan), chunks, Limits()):
    pass
"""


@linux
@pytest.mark.parametrize(
    ("start", "number"),
    [
        ("fork", signal.SIGKILL),
        ("fork", signal.SIGINT),
        pytest.param("fork", signal.SIGTERM, marks=pytest.mark.slow),
        pytest.param("spawn", signal.SIGKILL, marks=pytest.mark.slow),
        pytest.param("spawn", signal.SIGINT, marks=pytest.mark.slow),
        pytest.param("spawn", signal.SIGTERM, marks=pytest.mark.slow),
    ],
)
def test_nothing_outlives_the_supervisor(
    no_process_left: str, tmp_path: Path, start: StartMethod, number: signal.Signals
) -> None:
    process = subprocess.Popen(
        [sys.executable, "-c", SCRIPT, NASTY, str(tmp_path), start], start_new_session=True, stderr=subprocess.PIPE
    )
    try:
        assert wait_until(lambda: len(list(tmp_path.iterdir())) == 2, 60), "the workers did not get to play"
        assert len(marked(no_process_left)) >= 6  # supervisor, two workers, a host of each, a detached child of each
        os.killpg(process.pid, number)
        process.communicate(timeout=300)
        assert process.returncode == -number
        assert wait_until(lambda: not marked(no_process_left)), marked(no_process_left)
    finally:
        process.kill()
