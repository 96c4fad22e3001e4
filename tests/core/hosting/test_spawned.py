"""Processes that are started without fork: hosts play the same games, and nothing outlives what started it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from contextlib import closing
from multiprocessing.connection import Connection
from pathlib import Path

import pytest
from waiting import wait_until

from sweepstakes.executor import Limits
from sweepstakes.game.faults import AgentFault
from sweepstakes.game.playing import play_game
from sweepstakes.game.result import Ending
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.size import Size
from sweepstakes.hosting.client import Hosts
from sweepstakes.hosting.forked import Server
from sweepstakes.hosting.hosted_agent import HostedAgents
from sweepstakes.registry.agent_source import AgentSource
from sweepstakes.registry.registry import Registry
from sweepstakes.resolving import find_agent

pytestmark = pytest.mark.system

LANGUAGES = Path(__file__).parent.parent.parent.parent / "examples" / "languages"


def echo(files: list[int]) -> None:
    """In the new process: send back what comes, until nothing does."""
    connection = Connection(files[0])
    while (word := connection.recv()) != "end":
        connection.send((os.getppid(), word))


def test_a_worker_and_its_client_exchange_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    with closing(Server(spawn=True)) as server:
        process, connection = server.start_worker(f"{Path(__file__).stem}:echo")
        with connection, closing(process):
            connection.send({"plain": 1.5})
            assert connection.recv() == (server.pid, {"plain": 1.5})
            connection.send("end")
            death = process.wait(60)
    assert death is not None
    assert death.status == 0


def test_a_process_that_fails_to_start_is_noticed() -> None:
    with closing(Server(spawn=True)) as server:
        process, connection = server.start_worker("no_such_module:main")
        with closing(process):
            with connection, pytest.raises(EOFError):
                connection.recv()
            death = process.wait(60)
    assert death is not None
    assert death.status == 1


CLIENT = """
import sys
sys.path.insert(0, {folder!r})
from sweepstakes.hosting.forked import Server
server = Server(spawn=True)
worker, connection = server.start_worker("{module}:hang")
host, channel = server.start_host(-1)
print(server.pid, worker.pid, host.pid, flush=True)
connection.recv()
"""


def hang(_: list[int]) -> None:
    """In the new process: wait for ever."""
    time.sleep(3600)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize("killed", ["client", "server"])
def test_no_process_outlives_its_client_or_its_server(killed: str) -> None:
    code = CLIENT.format(folder=str(Path(__file__).parent), module=Path(__file__).stem)
    client = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert client.stdout is not None
    started = list(map(int, client.stdout.readline().split()))
    assert len(started) == 3
    os.kill(client.pid if killed == "client" else started[0], signal.SIGKILL)
    try:
        assert wait_until(lambda: not any(is_running(pid) for pid in started), 8)
    finally:
        client.kill()
        client.communicate()


def is_running(pid: int) -> bool:
    """Return whether the process exists and is no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_bytes().rpartition(b")")[2].split()[0] != b"Z"
    except OSError:
        return False


GREEDY = """
from sweepstakes import Agent, Turn, hookimpl


class Greedy(Agent):
    def act(self, view):
        held = []
        while True:
            held.append(bytearray(1 << 24))


@hookimpl
def sweepstakes_agents():
    return {"greedy": Greedy}
"""


def test_the_memory_of_a_spawned_host_is_limited(tmp_path: Path) -> None:
    (tmp_path / "greedy.py").write_text(GREEDY)
    source = find_agent(Registry([tmp_path / "greedy.py"]), "greedy")
    with closing(Server(spawn=True)) as server:
        agents = HostedAgents(Hosts(server), source, Limits(start_seconds=60, memory_mb=256))
        played = play_game(GameSetup(Size(4, 5, 3), 1, 0).game(Registry.built_in(), "greedy"), agents)
        agents.end()
    assert played.result.ending is Ending.MEMORY


@pytest.mark.parametrize("isolation", ["process", pytest.param("sealed", marks=pytest.mark.slow)])
def test_a_program_plays_the_same_games_without_fork(isolation: str) -> None:
    registry = Registry.built_in()
    source = find_agent(Registry(), f"command:sh {LANGUAGES / 'first_sh.sh'}")
    assert source is not None
    found = []
    for spawn in (False, True):
        with closing(Server(spawn=spawn)) as server:
            agents = HostedAgents(Hosts(server), source, Limits(start_seconds=60), isolation)
            setups = [GameSetup(Size(4, 5, 3), 1, number) for number in range(3)]
            found.append([play_game(setup.game(registry, "first"), agents).result for setup in setups])
            agents.end()
    assert found[0] == found[1]
    assert not any(result.ending.is_fault for result in found[0])


def test_what_a_host_writes_to_its_standard_error_is_kept_without_fork(tmp_path: Path) -> None:
    program = tmp_path / "loud.sh"
    program.write_text("read line\necho some trouble >&2\nexit 3\n")
    if subprocess.run(["sh", "-c", ":"], check=False).returncode:
        pytest.skip("needs a shell")
    with closing(Server(spawn=True)) as server:
        agents = HostedAgents(Hosts(server), AgentSource(None, words=("sh", str(program))), Limits(start_seconds=60))
        with pytest.raises(AgentFault) as caught:
            agents()
        agents.end()
    assert "exit code 3" in caught.value.what
    assert "some trouble" in caught.value.what
