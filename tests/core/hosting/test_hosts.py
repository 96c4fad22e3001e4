"""Hosts: an agent in another process plays as in this one, and costs one game when it fails."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from sweepstakes import GameSetup, Registry, Size, View, os_support, play_game
from sweepstakes.agent import start_agent
from sweepstakes.errors import HostingError, ServerGoneError
from sweepstakes.executor import Limits
from sweepstakes.game.faults import AgentFault
from sweepstakes.game.result import Ending, GameResult
from sweepstakes.hosting import sealing, server
from sweepstakes.hosting.client import Hosts, worth_sharing
from sweepstakes.hosting.clock import SLICE_SECONDS, Clock
from sweepstakes.hosting.forked import DIED_OF_TASKS, Server
from sweepstakes.hosting.hosted_agent import HostedAgents
from sweepstakes.registry.agent_source import AgentSource, OwnFile
from sweepstakes.resolving import find_agent

AGENTS = '''
import os, sys, time
from sweepstakes import Agent, Turn, hookimpl

class First(Agent):
    """Opens the first covered cell."""

    def __init__(self, before: str = "", later: str = "", depth: int = 1):
        exec(before)
        self.later = later

    def act(self, view):
        exec(self.later)
        return Turn(open=view.covered()[:1])

class Counts(First):
    made = 0

    def act(self, view):
        type(self).made += 1
        return Turn(open=view.covered()[self.made % 2:][:1])

class Proves(First):
    def act(self, view):
        return Turn(open=view.covered()[:1], evidence={(0, 0): [(0, 1)]})

@hookimpl
def sweepstakes_agents():
    return {"first": First, "counts": Counts, "proves": Proves}
'''
LIMITS = Limits(turn_seconds=1, game_seconds=20, memory_mb=256, start_seconds=20)
SETUP = GameSetup(Size(4, 4, 3))
Play = Callable[..., GameResult]


@pytest.fixture(scope="module")
def hosts() -> Iterator[Hosts]:
    with Hosts() as hosts:
        yield hosts


@pytest.fixture(scope="module")
def registry(tmp_path_factory: pytest.TempPathFactory) -> Registry:
    file = tmp_path_factory.mktemp("agents") / "agents.py"
    file.write_text(AGENTS)
    return Registry([file])


@pytest.fixture
def agents(hosts: Hosts, registry: Registry) -> Iterator[Callable[..., HostedAgents]]:
    made: list[HostedAgents] = []

    def make(spec: str = "first", limits: Limits = LIMITS, at_once: int = 1, **parameters: str) -> HostedAgents:
        source = find_agent(registry, spec, check=False)
        assert source is not None
        made.append(HostedAgents(hosts, source._replace(parameters=parameters), limits, at_once=at_once))
        return made[-1]

    yield make
    for each in made:
        each.end()


def play(agents: HostedAgents, number: int = 0) -> GameResult:
    return play_game(SETUP._replace(number=number).game(Registry.default()), agents).result


def test_a_game_is_played_as_in_this_process(agents: Callable[..., HostedAgents], tmp_path: Path) -> None:
    (tmp_path / "agents.py").write_text(AGENTS)
    here = Registry([tmp_path / "agents.py"], import_agents=True)
    for number in range(5):
        game = SETUP._replace(number=number).game(here)
        assert play(agents(), number) == play_game(game, here.agent("first")).result


@pytest.mark.parametrize(
    ("words", "ending", "text"),
    [
        ({"later": "os._exit(3)"}, Ending.CRASH, "ended its process with exit code 3"),
        ({"later": "os.abort()"}, Ending.CRASH, "lost its process to SIGABRT"),
        ({"later": "1 / 0"}, Ending.ERROR, "raised ZeroDivisionError: division by zero (line 1 of <string>)"),
        ({"before": "raise ValueError('no')"}, Ending.ERROR, "raised ValueError: no (line 1 of <string>)"),
        ({"later": "while True: pass"}, Ending.TIME_OUT, "took more than 1 s for a turn"),
        ({"later": "bytearray(10**9)"}, Ending.MEMORY, "raised MemoryError"),
        ({"later": "os.closerange(0, 1000)"}, Ending.CRASH, "closed the files of its process"),
        ({"later": "os.write(201, b'x' * 100)"}, Ending.CRASH, "of its process"),
        ({"later": "os.write(201, b'\\1\\0\\0\\0D')"}, Ending.CRASH, "of its process"),
        ({"depth": "no"}, Ending.ERROR, "cannot play: agent 'first': depth: 'no' is invalid"),
    ],
)
def test_a_fault_costs_one_game(
    agents: Callable[..., HostedAgents], words: dict[str, str], ending: Ending, text: str
) -> None:
    result = play(agents(**words))
    assert result.ending is ending
    assert text in result.fault


def test_the_next_game_gets_a_new_host(agents: Callable[..., HostedAgents]) -> None:
    some = agents(later="if view.open(): os._exit(3)")
    assert [play(some).ending, play(some).ending] == [Ending.CRASH, Ending.CRASH]
    assert play(some).opened > 0  # what stood is counted


@pytest.mark.system
def test_the_start_has_a_limit_of_its_own(agents: Callable[..., HostedAgents]) -> None:
    slow = {"before": "time.sleep(1.5)"}
    assert play(agents(limits=LIMITS, **slow)).ending is Ending.FINISHED
    result = play(agents(limits=LIMITS._replace(start_seconds=0.5), **slow))
    assert (result.ending, "took more than 0.5 s to start" in result.fault) == (Ending.TIME_OUT, True)


@pytest.mark.system
def test_a_host_that_took_too_long_without_computing_is_doubted(agents: Callable[..., HostedAgents]) -> None:
    asleep = agents(later="time.sleep(100)")
    assert play(asleep).ending is Ending.TIME_OUT
    assert asleep.doubtful


@pytest.mark.system
def test_a_machine_that_stands_still_charges_nobody(agents: Callable[..., HostedAgents]) -> None:
    some = agents(later="time.sleep(0.3)")
    play_game(GameSetup(Size(1, 1, 0)).game(Registry.default()), some)
    here = os.getpid()
    stop = subprocess.Popen(["sh", "-c", f"sleep 0.15; kill -STOP {here}; sleep 1.5; kill -CONT {here}"])
    begun = time.monotonic()
    result = play_game(GameSetup(Size(1, 1, 0)).game(Registry.default()), some).result
    stop.wait()
    assert time.monotonic() - begun > 1.2
    assert result.ending is Ending.WON, result.fault


@pytest.mark.system
def test_a_standstill_is_not_charged_to_the_game_either(
    agents: Callable[..., HostedAgents], monkeypatch: pytest.MonkeyPatch
) -> None:
    def always_late(clock: Clock, late: float, cpu_before: float) -> None:
        clock.take_off(max(late + SLICE_SECONDS, 0.0))

    monkeypatch.setattr(Clock, "forgive", always_late)
    some = agents(limits=LIMITS._replace(game_seconds=0.8), later="time.sleep(0.15)")
    result = play(some)
    assert (result.ending, result.turns > 6) == (Ending.FINISHED, True), result.fault


@pytest.mark.system
def test_an_agent_that_answers_at_once_keeps_a_limit_of_milliseconds(agents: Callable[..., HostedAgents]) -> None:
    assert play(agents(limits=LIMITS._replace(turn_seconds=0.04))).ending is Ending.FINISHED


@pytest.mark.system
def test_a_host_whose_children_may_have_computed_is_not_doubted(agents: Callable[..., HostedAgents]) -> None:
    some = agents(later="os.fork() or time.sleep(100); time.sleep(100)")
    assert play(some).ending is Ending.TIME_OUT
    assert not some.doubtful


@pytest.mark.own_server
def test_an_agent_is_not_charged_with_the_death_of_the_server(registry: Registry) -> None:
    source = find_agent(registry, "first")
    assert source is not None
    with closing(Server()) as server, Hosts(server) as hosts:
        some = HostedAgents(hosts, source, LIMITS)
        assert play(some).ending is Ending.FINISHED
        os.kill(server.pid, signal.SIGKILL)
        assert server.last_words() == ""  # waits for its end
        for _ in range(2):  # in the host that died with it, and without a host
            with pytest.raises(ServerGoneError, match="the process that starts the hosts of agents is gone"):
                play(some)
        some.end()


@pytest.mark.parametrize(
    ("shared", "apart", "shares"),
    [
        (9e-6, 57e-6, True),
        (9.3e-6, 9.1e-6, True),  # both were on one core by chance
        (9e-6, 3e-6, False),
    ],
)
def test_a_core_is_shared_unless_two_are_clearly_faster(shared: float, apart: float, shares: bool) -> None:
    assert worth_sharing(shared, apart) is shares


def test_an_agent_is_not_charged_with_a_lack_of_files(registry: Registry, monkeypatch: pytest.MonkeyPatch) -> None:
    source = find_agent(registry, "first")
    assert source is not None

    def pipe() -> tuple[int, int]:
        raise OSError(errno.EMFILE, "Too many open files")

    with Hosts() as hosts:
        hosts.open()
        monkeypatch.setattr(os, "pipe", pipe)
        with pytest.raises(HostingError, match="cannot be started: Too many open files"):
            play(HostedAgents(hosts, source, LIMITS))
        monkeypatch.undo()


def test_processor_time_is_that_of_the_host(agents: Callable[..., HostedAgents]) -> None:
    some = agents(later="t = time.process_time()\nwhile time.process_time() < t + 0.2: pass")
    played = play_game(GameSetup(Size(1, 1, 0)).game(Registry.default()), some)
    assert played.seconds >= 0.2
    idle = play_game(GameSetup(Size(1, 1, 0)).game(Registry.default()), agents(later="time.sleep(0.3)"))
    assert idle.seconds < 0.3  # which it slept


def test_several_agents_live_in_one_host_and_share_its_module(agents: Callable[..., HostedAgents]) -> None:
    some = agents("counts", at_once=2)
    view = View.parse("1 3 0\n...")
    one, two = some(), some()
    moves = [tuple(agent.act(view).open[0]) for agent in (one, two, one)]
    assert moves == [(0, 1), (0, 0), (0, 1)]


def test_what_an_agent_prints_is_kept_and_never_blocks_it(agents: Callable[..., HostedAgents]) -> None:
    some = agents(later="print('x' * 200_000, 'the end', flush=True)")
    assert play(some).ending is Ending.FINISHED
    assert some.output.startswith("xxx")
    assert " bytes left out ...\n" in some.output
    assert some.output.endswith("the end")
    assert len(some.output) < 15_000


WRITES = """
import os, sys
from sweepstakes import Agent, Turn, hookimpl

print("loaded")

class Writes(Agent):
    games = 0

    def __init__(self):
        Writes.games += 1

    def act(self, view):
        if len(view.covered()) == 16:
            print("\\33]0;title\\7", "game", Writes.games, "\\33[2J", end="")
            return Turn(open=[(0, 0)])
        sys.stderr.write("\\tand\\n")
        os.write(1, b"more \\r\\x9b \\xe2\\x80\\xae")
        raise ValueError

@hookimpl
def sweepstakes_agents():
    return {"writes": Writes}
"""


@pytest.mark.parametrize("isolation", ["process", "sealed"])
@pytest.mark.parametrize("spawn", [False, True])
def test_output_belongs_to_the_game_in_which_it_was_written(spawn: bool, isolation: str, tmp_path: Path) -> None:
    if isolation == "sealed" and sealing.missing():
        pytest.skip("no process can be sealed here")
    (tmp_path / "writes.py").write_text(WRITES)
    source = find_agent(Registry([tmp_path / "writes.py"]), "writes", check=False)
    assert source is not None
    with closing(Server(spawn=spawn)) as server:
        agents = HostedAgents(Hosts(server), source, Limits(turn_seconds=20, start_seconds=60), isolation)
        written = []
        for _ in range(2):
            assert "raised ValueError" in play(agents).fault
            written.append(agents.output)
        agents.end()
    games = [f" game {number}         and\nmore \n\ufffd \ufffd" for number in (1, 2)]
    assert written == [f"loaded\n{games[0]}", games[1]]
    assert agents.all_output == f"loaded\n{games[0]}\n{games[1]}"


def test_a_program_writes_to_its_standard_error(tmp_path: Path, hosts: Hosts) -> None:
    (tmp_path / "program.py").write_text(
        "import sys\nfor line in sys.stdin:\n"
        "    print('heard', line.split()[0], file=sys.stderr, flush=True)\n"
        "    if line.startswith('sweepstakes'): print('ready name=p version=1', flush=True)\n"
    )
    source = AgentSource(None, words=(sys.executable, str(tmp_path / "program.py")))
    agents = HostedAgents(hosts, source, Limits(turn_seconds=1, start_seconds=60))
    assert "took more than 1 s" in play(agents).fault
    assert agents.output.startswith("heard sweepstakes\nheard")
    agents.end()


def test_a_large_board_fits_through_the_pipes(agents: Callable[..., HostedAgents]) -> None:
    some = agents(later="raise ValueError(len(view.data))", limits=LIMITS._replace(turn_seconds=20))
    result = play_game(GameSetup(Size(1000, 1000, 1)).game(Registry.default()), some).result
    assert "ValueError: 1000000" in result.fault


def test_memory_of_children_counts(agents: Callable[..., HostedAgents]) -> None:
    eat = "kept = None if all(os.fork() for _ in range(3)) else bytearray(b'x') * (150 << 20)\ntime.sleep(60)"
    some = agents(later=eat, limits=LIMITS._replace(turn_seconds=30))
    result = play(some)
    assert (result.ending, "held more than 256 MB" in result.fault) == (Ending.MEMORY, True), result.fault


def test_tables_of_pages_count(agents: Callable[..., HostedAgents]) -> None:
    """Reading one byte in every two megabytes of a large mapping holds nothing but the tables of its pages."""
    eat = """
import mmap
size = 300 << 30
where = mmap.mmap(-1, size, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, mmap.PROT_READ)
where.madvise(mmap.MADV_NOHUGEPAGE)
for place in range(0, size, 2 << 20):
    where[place]
time.sleep(60)
"""
    result = play(agents(later=eat, limits=LIMITS._replace(turn_seconds=50, game_seconds=60)))
    assert (result.ending, "held more than 256 MB" in result.fault) == (Ending.MEMORY, True), result.fault


def test_processes_that_lost_their_parents_count() -> None:
    assert server.excess(os.getpid(), 0, None) is None
    assert server.excess(os.getpid(), 0, None, orphans=server.MAX_TASKS) == DIED_OF_TASKS


@pytest.mark.skipif(not os_support.LINUX, reason="reads /proc")
def test_children_are_found_on_kernels_that_do_not_list_them(monkeypatch: pytest.MonkeyPatch) -> None:
    with subprocess.Popen(["sleep", "60"]) as child:
        assert child.pid in os_support.children(os.getpid())
        monkeypatch.setattr(os_support, "lists_children", lambda: False)
        found = os_support.children(os.getpid())
        child.kill()
    assert child.pid in found
    assert os_support.children(child.pid) == []


def test_evidence_that_nobody_asked_for_is_not_read(agents: Callable[..., HostedAgents]) -> None:
    """Long evidence takes time to read, which is on no agent's clock."""
    some, view = agents("proves"), SETUP.game(Registry.default()).view()
    assert start_agent(some, 1).act(view).evidence is None
    assert start_agent(some, 1, explain=True).act(view).evidence == {(0, 0): ((0, 1),)}


def test_a_file_that_changed_is_a_fault_and_stops_nothing(hosts: Hosts, registry: Registry, tmp_path: Path) -> None:
    weights = tmp_path / "weights.bin"
    weights.write_bytes(b"1")
    source = find_agent(registry, "first")
    assert source is not None
    some = HostedAgents(hosts, source._replace(files=(OwnFile.of(str(weights)),)), LIMITS)
    assert play(some).ending is Ending.FINISHED
    some.end()
    weights.write_bytes(b"2")
    lost = play(some)
    assert "cannot play: weights.bin has changed" in lost.fault
    assert not lost.ending.repeatable  # `verify` must not play this game again with the right file, and report it
    with pytest.raises(AgentFault):
        some()
