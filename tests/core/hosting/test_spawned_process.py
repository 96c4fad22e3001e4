"""A process that is started without fork connects back with a secret token; nobody else gets its place."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest

from sweepstakes.executor import Limits
from sweepstakes.game.playing import play_game
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.size import Size
from sweepstakes.hosting import spawned_process
from sweepstakes.hosting.hosted_agent import HostedAgents
from sweepstakes.hosting.hosts import Hosts
from sweepstakes.hosting.spawned_process import LOOPBACK, SpawnedProcess
from sweepstakes.registry.registry import Registry

pytestmark = pytest.mark.system

LANGUAGES = Path(__file__).parent.parent.parent.parent / "examples" / "languages"
PAUSE = 1.0


def echo_late() -> None:
    """In the new process: connect back after a pause, and say what the first line was."""
    hello = spawned_process.read_hello()
    time.sleep(hello["pause"])
    connection = spawned_process.connect_back(hello)
    connection.sendall(hello["word"].encode())
    connection.recv(1)


@pytest.fixture
def start(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., SpawnedProcess]]:
    """Starts processes that run a function of this module."""
    monkeypatch.syspath_prepend(str(Path(__file__).parent))
    started: list[SpawnedProcess] = []

    def start(**hello: Any) -> SpawnedProcess:
        greeting = {"word": "hello", "pause": 0.0, **hello}
        started.append(SpawnedProcess(Path(__file__).stem, "echo_late", greeting, os.environ))
        return started[-1]

    yield start
    for process in started:
        process.kill()
        assert process.wait(30) is not None
        process.close()


def is_dropped(connection: socket.socket) -> bool:
    """Whether the other side closes the connection without a word."""
    connection.settimeout(30)
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


def test_a_process_connects_back(start: Callable[..., SpawnedProcess]) -> None:
    process = start(word="plain data")
    connection = process.accept(60)
    assert connection is not None
    with connection:
        assert connection.recv(100) == b"plain data"
    ended = process.wait(60)
    assert ended is not None
    assert ended.status == 0


@pytest.mark.parametrize("token", [b"", b"0" * 64, b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n" * 5])
def test_a_stranger_without_the_token_is_dropped(start: Callable[..., SpawnedProcess], token: bytes) -> None:
    process = start(pause=PAUSE)
    with socket.create_connection((LOOPBACK, process.port)) as stranger:
        stranger.sendall(token)
        if not token:
            stranger.shutdown(socket.SHUT_WR)
        connection = process.accept(60)
        assert connection is not None
        with connection:
            assert connection.recv(100) == b"hello"
        assert is_dropped(stranger)


def test_strangers_that_say_nothing_keep_nobody_out(start: Callable[..., SpawnedProcess]) -> None:
    process = start(pause=PAUSE)
    strangers: list[socket.socket] = []

    def crowd() -> None:
        with suppress(OSError):  # nobody is awaited any more
            for _ in range(2 * spawned_process.MOST_STRANGERS):
                strangers.append(socket.create_connection((LOOPBACK, process.port), 5))  # noqa: PERF401

    crowding = threading.Thread(target=crowd)
    crowding.start()
    connection = process.accept(60)
    crowding.join()
    assert connection is not None
    with connection:
        assert connection.recv(100) == b"hello"
    for stranger in strangers:
        with stranger:
            assert is_dropped(stranger)


def test_nobody_is_awaited_once_the_process_has_connected(start: Callable[..., SpawnedProcess]) -> None:
    process = start()
    connection = process.accept(60)
    assert connection is not None
    with connection, pytest.raises(ConnectionRefusedError):
        socket.create_connection((LOOPBACK, process.port))


def test_the_token_is_in_no_command_line(start: Callable[..., SpawnedProcess]) -> None:
    process = start(pause=PAUSE)
    if not Path("/proc").exists():
        pytest.skip("looks into /proc")
    place = Path("/proc", str(process.pid))
    assert process._token.encode() not in (place / "cmdline").read_bytes() + (place / "environ").read_bytes()


def test_a_process_that_dies_before_it_connects_is_noticed(start: Callable[..., SpawnedProcess]) -> None:
    process = start(pause="no number")
    assert process.accept(60) is None
    assert process.exit is not None
    assert process.exit.status == 1


@pytest.mark.skipif(sys.platform == "win32", reason="a program for POSIX")
@pytest.mark.parametrize("isolation", ["process", pytest.param("sealed", marks=pytest.mark.slow)])
def test_a_program_plays_the_same_games_without_fork(isolation: str) -> None:
    registry = Registry.built_in()
    source = Registry().one_agent(f"command:sh {LANGUAGES / 'first_sh.sh'}").source
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
    from sweepstakes.game.faults import AgentFault
    from sweepstakes.hosting.hosted_agent import AgentSource

    with Hosts(spawn=True, spares=False) as hosts:
        agents = HostedAgents(hosts, AgentSource(None, words=("sh", str(program))), Limits(start_seconds=60))
        with pytest.raises(AgentFault) as caught:
            agents()
        agents.end()
    assert "exit code 3" in caught.value.what
    assert "some trouble" in caught.value.what
