"""Processes that are started without fork: hosts play the same games, and nothing outlives what started it."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from contextlib import closing
from pathlib import Path

import pytest
from waiting import wait_until

from sweepstakes.executor import Limits
from sweepstakes.game.faults import AgentFault
from sweepstakes.game.playing import play_game
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.size import Size
from sweepstakes.hosting.client import Hosts
from sweepstakes.hosting.hosted_agent import HostedAgents
from sweepstakes.hosting.os_support import children
from sweepstakes.hosting.spawned import Spawner
from sweepstakes.registry.agent_source import AgentSource
from sweepstakes.registry.registry import Registry
from sweepstakes.resolving import find_agent

pytestmark = pytest.mark.system

LANGUAGES = Path(__file__).parent.parent.parent.parent / "examples" / "languages"


def echo(parent: int, files: list[int]) -> None:
    """In the new process: send back what comes, until nothing does."""
    from multiprocessing.connection import Connection

    from sweepstakes.hosting import spawned

    (file,) = spawned.worker_files(files)
    connection = Connection(file)
    while (word := connection.recv()) != "end":
        connection.send((parent, word))


def test_a_worker_and_its_parent_exchange_objects(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    with closing(Spawner()) as spawner:
        process, connection = spawner.start_worker(f"{Path(__file__).stem}:echo")
        with connection:
            connection.send({"plain": 1.5})
            assert connection.recv() == (os.getpid(), {"plain": 1.5})
            connection.send("end")
            death = process.wait(60)
    assert death is not None
    assert death.status == 0


def test_a_process_that_fails_to_start_is_noticed() -> None:
    with closing(Spawner()) as spawner:
        process, connection = spawner.start_worker("no_such_module:main")
        with connection, pytest.raises(EOFError):
            connection.recv()
        death = process.wait(60)
    assert death is not None
    assert death.status == 1


PARENT = """
import sys
sys.path.insert(0, {folder!r})
from sweepstakes.hosting.spawned import Spawner
process, connection = Spawner().start_worker("{module}:hang")
process_2, channel = Spawner().start_host(-1)
print("started", flush=True)
connection.recv()
"""


def hang(parent: int, files: list[int]) -> None:
    """In the new process: wait for ever, unless the parent ends."""
    from sweepstakes.hosting import spawned

    spawned.end_with_parent()
    time.sleep(3600)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
def test_no_process_outlives_the_one_that_started_it() -> None:
    code = PARENT.format(folder=str(Path(__file__).parent), module=Path(__file__).stem)
    parent = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE)
    assert parent.stdout is not None
    parent.stdout.readline()
    started = children(parent.pid)
    assert len(started) == 2
    parent.kill()
    parent.communicate()
    assert wait_until(lambda: not any(Path(f"/proc/{pid}").exists() for pid in started), 8)


@pytest.mark.skipif(sys.platform == "win32", reason="a program for POSIX")
@pytest.mark.parametrize("isolation", ["process", pytest.param("sealed", marks=pytest.mark.slow)])
def test_a_program_plays_the_same_games_without_fork(isolation: str) -> None:
    registry = Registry.built_in()
    source = find_agent(Registry(), f"command:sh {LANGUAGES / 'first_sh.sh'}")
    assert source is not None
    found = []
    for spawn in (False, True):
        with Hosts(spawn=spawn) as hosts:
            agents = HostedAgents(hosts, source, Limits(start_seconds=60), isolation)
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
    with Hosts(spawn=True, spares=False) as hosts:
        agents = HostedAgents(hosts, AgentSource(None, words=("sh", str(program))), Limits(start_seconds=60))
        with pytest.raises(AgentFault) as caught:
            agents()
        agents.end()
    assert "exit code 3" in caught.value.what
    assert "some trouble" in caught.value.what
