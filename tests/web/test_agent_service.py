"""Agents in hosts and our own code in workers, as the server asks them: what they keep and reach, and how they end."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from arena_page import TIMEOUT, until
from marked_processes import MARK, marked

from sweepstakes import Registry, Spec, View
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.size import Size
from sweepstakes.game.turn import Turn
from sweepstakes.game.turn_codec import same
from sweepstakes.hosting import sealing
from sweepstakes.inference.explaining import explain_game
from sweepstakes.web.agents.agent_service import MAX_THIRD_PARTY, AgentService
from sweepstakes.web.agents.request_handler import MAX_AGENTS
from sweepstakes.web.server.api_error import ApiError

pytestmark = pytest.mark.system

AGENTS = Path(__file__).with_name("remembering_agents.py")
BOARDS = Path(__file__).with_name("odd_boards.py")
VIEW = View.parse("3 3 2\n...\n...\n...")
SETUP = GameSetup(Size(8, 8, 10), 7, 3)


@pytest.fixture(scope="module")
def agents() -> Registry:
    registry = Registry([AGENTS])
    registry.check()
    return registry


@pytest.fixture(scope="module")
def service(agents: Registry) -> Iterator[AgentService]:
    service = AgentService(agents)
    yield service
    service.close()


def pids(traces: Path) -> list[int]:
    return [int(path.name) for path in traces.iterdir()]


def is_gone(pid: int) -> bool:
    return not Path(f"/proc/{pid}").exists()


def process(traces: Path, **parameters: Any) -> Spec:
    traces.mkdir(exist_ok=True)
    return Spec("process", {"traces": str(traces), **parameters})


def test_this_process_imports_no_agent_that_is_not_built_in(service: AgentService) -> None:
    assert service.act("import", Spec("counts"), 0, VIEW).probability == 0.01
    assert not [name for name in sys.modules if "remembering_agents" in name]


def test_nothing_that_calls_an_agent_knows_the_board(service: AgentService) -> None:
    assert service.act("frames", Spec("looks"), 0, VIEW).probability == 0


def test_an_agent_remembers_the_turns_of_its_own_game(service: AgentService) -> None:
    turns = [service.act(key, Spec("counts"), 0, VIEW).probability for key in ("a", "b", "a", "a", "b")]
    assert turns == [0.01, 0.01, 0.02, 0.03, 0.02]


def test_an_agent_whose_place_was_taken_begins_again(service: AgentService) -> None:
    for key in ("old", "old", *map(str, range(MAX_AGENTS - 1))):
        service.act(key, Spec("counts"), 0, VIEW)
    assert service.act("old", Spec("counts"), 0, VIEW).probability == 0.03
    service.act("one more", Spec("counts"), 0, VIEW)
    assert service.act("old", Spec("counts"), 0, VIEW).probability == 0.01


def test_an_agent_whose_host_died_begins_again(service: AgentService, tmp_path: Path) -> None:
    agent = process(tmp_path / "traces")
    service.act("died", agent, 0, VIEW)
    (first,) = pids(tmp_path / "traces")
    os.kill(first, signal.SIGKILL)
    until(lambda: is_gone(first), "the host is there")
    with pytest.raises(ApiError, match="crashed its process") as error:
        service.act("died", agent, 0, VIEW)
    assert error.value.status == 502
    service.act("died", agent, 0, VIEW)
    assert len(pids(tmp_path / "traces")) == 2


def test_an_agent_has_as_much_memory_as_in_a_tournament_without_limits_of_its_own(service: AgentService) -> None:
    assert service.act("within", Spec("holds", {"mb": 600}), 0, VIEW).why == "guess"
    with pytest.raises(ApiError, match="agent 'holds\\(mb=1100\\)' failed: MemoryError"):
        service.act("beyond", Spec("holds", {"mb": 1100}), 0, VIEW)


def test_hosts_of_agents_that_nobody_asks_make_room_for_others(agents: Registry, tmp_path: Path) -> None:
    service = AgentService(agents)
    try:
        folders = [tmp_path / str(number) for number in range(MAX_THIRD_PARTY + 1)]
        for folder in folders:
            service.act("game", process(folder), 0, VIEW)
        alive = [not is_gone(pids(folder)[0]) for folder in folders]
        assert alive == [False, *[True] * MAX_THIRD_PARTY]
    finally:
        service.close()
    assert all(is_gone(pids(folder)[0]) for folder in folders)


def test_too_many_agents_that_think_refuse_another_and_the_end_of_the_server_wakes_all_who_wait(
    agents: Registry, tmp_path: Path
) -> None:
    service = AgentService(agents)
    folders = [tmp_path / str(number) for number in range(MAX_THIRD_PARTY)]
    with ThreadPoolExecutor(MAX_THIRD_PARTY) as pool:
        asked = [pool.submit(service.act, "game", process(folder, seconds=1000), 0, VIEW) for folder in folders]
        until(lambda: all(pids(folder) for folder in folders), "the agents are not asked")
        with pytest.raises(ApiError, match="3 other agents are thinking") as error:
            service.act("game", Spec("counts"), 0, VIEW)
        assert error.value.status == 503
        service.close()
        for each in asked:
            failure = each.exception(timeout=TIMEOUT)
            assert isinstance(failure, ApiError)
            assert (failure.status, failure.message) == (503, "the server is shutting down")
    assert all(is_gone(pids(folder)[0]) for folder in folders)
    with pytest.raises(ApiError, match="shutting down"):
        service.advise(VIEW)


def test_a_whole_game_under_way_ends_with_the_server_and_is_nobodys_fault(agents: Registry, tmp_path: Path) -> None:
    service, agent = AgentService(agents), process(tmp_path / "traces", seconds=1000)
    with ThreadPoolExecutor(1) as pool:
        playing = pool.submit(service.play, SETUP, "slow", agent)
        until(lambda: pids(tmp_path / "traces"), "the agent does not play")
        service.close()
        failure = playing.exception(timeout=TIMEOUT)
    assert isinstance(failure, ApiError)
    assert failure.status == 503


def test_a_game_that_takes_too_long_is_stopped(agents: Registry, tmp_path: Path) -> None:
    service = AgentService(agents, first_seconds=0.5, explain_seconds=0.25)
    try:
        agent = process(tmp_path / "traces", seconds=1000)
        with pytest.raises(ApiError, match=r"agent 'slow' took more than 0\.5 seconds, and was stopped") as error:
            service.play(SETUP, "slow", agent)
        assert error.value.status == 504
        with pytest.raises(ApiError, match=r"agent 'slow' took more than 0\.25 seconds, and was stopped"):
            service.explain(SETUP, "slow", agent, [Turn(open=[(0, 0)], why="guess")])
        assert all(map(is_gone, pids(tmp_path / "traces")))
    finally:
        service.close()


@pytest.fixture(scope="module")
def odd_boards() -> Registry:
    registry = Registry([BOARDS])
    registry.check()
    return registry


def odd(traces: Path, what: str) -> GameSetup:
    return SETUP._replace(source=Spec("odd", {"traces": str(traces), "what": what}))


@pytest.mark.parametrize(
    ("what", "status", "words"),
    [
        ("hang", 504, r"took more than 0\.5 seconds, and was stopped"),
        ("exit", 502, "crashed its process"),
        ("raise", 502, "failed: .*no idea"),
    ],
)
def test_a_worker_that_fails_costs_one_answer(
    odd_boards: Registry, tmp_path: Path, what: str, status: int, words: str
) -> None:
    service = AgentService(odd_boards, seconds=0.5 if what == "hang" else TIMEOUT)
    try:
        with pytest.raises(ApiError, match=rf"board source 'odd\(.*\)' {words}") as error:
            service.deal(odd(tmp_path, what), ())
        assert error.value.status == status
        (first,) = pids(tmp_path)
        assert is_gone(first) == (what != "raise")
        result, _ = service.play(odd(tmp_path, "print"), "basic", Spec("basic"))
        assert result.size == SETUP.size
        assert len(pids(tmp_path)) == (1 if what == "raise" else 2)
    finally:
        service.close()


def test_a_call_that_waits_for_a_worker_ends_with_the_server(odd_boards: Registry, tmp_path: Path) -> None:
    service = AgentService(odd_boards, seconds=1000)
    with ThreadPoolExecutor(2) as pool:
        waiting = [pool.submit(service.deal, odd(tmp_path, "hang"), ()) for _ in range(2)]
        until(lambda: pids(tmp_path), "no board is asked for")
        service.close()
        for each in waiting:
            failure = each.exception(timeout=TIMEOUT)
            assert isinstance(failure, ApiError)
            assert (failure.status, failure.message) == (503, "the server is shutting down")
    assert all(map(is_gone, pids(tmp_path)))
    with pytest.raises(ApiError, match="shutting down"):
        service.advise(VIEW)


SCRIPT = """
import sys, threading
from sweepstakes import Registry, Spec, View
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.size import Size
from sweepstakes.web.agents.agent_service import AgentService

print("begun", flush=True)
registry = Registry([sys.argv[1]])
registry.check()
service = AgentService(registry, seconds=1000)
thread = threading.Thread(target=lambda: print(service.advise(View.parse("3 3 2\\n...\\n...\\n..."))["refused"]))
thread.start()
thread.join()
sys.stdout.flush()
service.deal(GameSetup(Size(8, 8, 10), source=Spec("odd", {"traces": sys.argv[2], "what": "hang"})), ())
"""


def test_workers_of_a_script_without_a_guard_run_it_once_and_die_with_it(tmp_path: Path) -> None:
    script, traces = tmp_path / "script.py", tmp_path / "traces"
    script.write_text(SCRIPT)
    traces.mkdir()
    mark = f"worker-{os.getpid()}"
    with subprocess.Popen(
        [sys.executable, script, BOARDS, traces], stdout=subprocess.PIPE, text=True, env=os.environ | {MARK: mark}
    ) as process:
        try:
            (worker,) = until(lambda: pids(traces), "no board is asked for")
            assert len([line for line in marked(mark) if line.startswith(f"{worker}:")]) == 1
        finally:
            process.kill()
        said, _ = process.communicate()
    assert said == "begun\nNone\n"
    until(lambda: not marked(mark), "a worker is left")


def test_an_agent_plays_in_its_host_as_the_same_agent_plays_here(service: AgentService) -> None:
    hosted, hosted_turns = service.play(SETUP, "agent", Spec("terse"))
    built_in, turns = service.play(SETUP, "agent", Spec("basic"))
    assert hosted.outcome == built_in.outcome
    assert len(hosted_turns) == len(turns) > 5
    assert all(map(same, hosted_turns, turns))


def test_evidence_of_an_agent_is_kept_and_the_engine_proves_the_rest(service: AgentService, agents: Registry) -> None:
    _, turns = service.play(SETUP, "terse", Spec("terse"))
    explained = service.explain(SETUP, "terse", Spec("terse"), turns)
    assert explained is not None
    proofs = [turn for turn in explained if turn.why == "proof" and len(turn.open)]
    assert len(proofs) > 1
    first, *others = proofs
    assert first.evidence
    assert {tuple(first.evidence[divmod(cell, 8)]) for cell in map(int, first.open)} == {((0, 0),)}  # type: ignore[index]
    expected = explain_game(SETUP.game(agents, "terse"), Registry([AGENTS], import_agents=True).agent("terse"), turns)
    assert expected is not None
    found, wanted = (
        [{cell: list(clues) for cell, clues in (turn.evidence or {}).items()} for turn in game]
        for game in (explained, expected)
    )
    assert found == wanted
    assert all(turn.evidence for turn in others)


@pytest.mark.skipif(bool(sealing.missing()), reason="this machine cannot seal a process off")
def test_sealed_agents_play_and_write_no_file(agents: Registry, tmp_path: Path) -> None:
    service = AgentService(agents, isolation="sealed")
    try:
        assert service.act("sealed", Spec("counts"), 0, VIEW).probability == 0.01
        with pytest.raises(ApiError, match="failed: PermissionError"):
            service.act("sealed", process(tmp_path / "traces"), 0, VIEW)
    finally:
        service.close()
