"""A server in a process of its own, with agents that attack it or hold it up, and many visitors at once."""

from __future__ import annotations

import json
import os
import re
import signal
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from arena_page import TIMEOUT, until

pytestmark = pytest.mark.system

HOSTILE = Path(__file__).with_name("hostile_agents.py")
TURN: dict[str, Any] = {"rows": 8, "cols": 8, "mines": 10, "seed": 4, "agent": "basic", "shown": "." * 64}


class Answer(NamedTuple):
    """A complete answer: its body has the length that was promised, and is JSON."""

    status: int
    data: Any
    retry_after: str | None


class ServerProcess:
    """A server in a process of its own, and requests to it."""

    def __init__(self, run: Path, traces: Path) -> None:
        self.traces = traces
        self.process = subprocess.Popen(
            [sys.executable, "-m", "sweepstakes", "serve", str(run), "--port", "0", "--plugin", str(HOSTILE)],
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONUNBUFFERED": "1", "TRACES": str(traces)},
        )
        assert self.process.stdout is not None
        found = re.search(r"http://127\.0\.0\.1:\d+", self.process.stdout.readline())
        assert found
        self.address = found[0]

    def request(self, path: str, body: Any = None) -> Answer:
        request = urllib.request.Request(self.address + path)
        if body is not None:
            request.data = json.dumps(body).encode()
            request.add_header("content-type", "application/json")
        try:
            with urllib.request.urlopen(request, timeout=TIMEOUT) as answer:
                return Answer(answer.status, json.loads(answer.read()), None)
        except urllib.error.HTTPError as error:
            return Answer(error.code, json.loads(error.read()), error.headers["retry-after"])

    def turn(self, agent: str = "basic") -> Answer:
        """What an agent would do on a covered board."""
        return self.request("/api/positions/turn", TURN | {"agent": agent})

    def waiting(self) -> list[int]:
        """The processes in which an agent waits."""
        return [int(path.name) for path in self.traces.iterdir() if path.name.isdigit()]


def is_gone(pid: int) -> bool:
    try:
        status = Path(f"/proc/{pid}/stat").read_text()
    except OSError:
        return True
    return status.rpartition(")")[2].split()[0] == "Z"


@contextmanager
def running(run: Path, traces: Path) -> Iterator[ServerProcess]:
    server = ServerProcess(run, traces)
    try:
        yield server
    finally:
        if server.process.poll() is None:
            server.process.kill()
        server.process.communicate()


@pytest.fixture(scope="module")
def server(run_directory: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerProcess]:
    """A server that all tests share which do not end it."""
    with running(run_directory, tmp_path_factory.mktemp("traces")) as server:
        yield server


@pytest.fixture
def hung(run_directory: Path, tmp_path: Path) -> Iterator[tuple[ServerProcess, int]]:
    """A server while an agent hangs in the process of that number."""
    with ThreadPoolExecutor(1) as pool, running(run_directory, tmp_path) as server:
        pool.submit(server.turn, "waits")
        (pid,) = until(server.waiting, "the agent is not asked")
        yield server, pid


def test_what_an_agent_writes_runs_no_code_in_the_server(server: ServerProcess) -> None:
    refused = server.turn("forges")
    assert refused.status == 502
    assert "no answer" in refused.data["error"]
    assert not (server.traces / "unpickled").exists()
    assert server.turn().status == 200


def test_what_an_agent_prints_is_no_answer(server: ServerProcess) -> None:
    hint = server.turn("prints")
    assert (hint.status, hint.data["open"], hint.data["probability"]) == (200, [0], 0.25)


def ends(server: ServerProcess, pid: int) -> None:
    """The server, to which a signal was sent, ends with its agents and without an error."""
    _, errors = server.process.communicate(timeout=TIMEOUT)
    assert "Traceback" not in errors
    assert is_gone(pid)


def test_an_agent_that_hangs_holds_up_nobody_else_and_ends_with_the_server(hung: tuple[ServerProcess, int]) -> None:
    server, pid = hung
    with ThreadPoolExecutor(60) as pool:
        crowd = [pool.submit(server.turn, "waits") for _ in range(60)]
        full = until(lambda: [one.result() for one in crowd if one.done()][:40], "everybody waits")
        assert {(one.status, one.retry_after) for one in full} == {(503, "2")}
        assert server.request("/api/options").status == 200
        assert server.turn("basic").status == 200
        assert server.turn("prints").status == 200
        server.process.send_signal(signal.SIGTERM)
        statuses = {one.result().status for one in crowd}
    assert statuses == {503}
    ends(server, pid)


def test_ctrl_c_ends_the_server_and_its_agents_while_one_hangs(hung: tuple[ServerProcess, int]) -> None:
    server, pid = hung
    server.process.send_signal(signal.SIGINT)
    ends(server, pid)


def test_agents_end_with_a_server_that_is_killed(hung: tuple[ServerProcess, int]) -> None:
    server, pid = hung
    server.process.kill()
    until(lambda: is_gone(pid), "the agent's process outlives the server")


def test_four_hundred_requests_at_once_get_a_whole_answer_or_a_clean_refusal(server: ServerProcess) -> None:
    requests: list[tuple[str, Any]] = [("/api/options", None), ("/api/run", None), ("/api/run/replay/1/1/3", None)]
    requests += [("/api/positions/turn", TURN | {"agent": agent}) for agent in ("basic", "exact", "prints", "forges")]
    requests += [(f"/api/positions/{action}", {}) for action in ("turn", "deal", "read", "none")]
    with ThreadPoolExecutor(400) as pool:
        answers = list(
            pool.map(lambda k: (requests[k % len(requests)], server.request(*requests[k % len(requests)])), range(400))
        )
    for request, answer in answers:
        assert answer.status in (200, 404, 409, 422, 502, 503), (request, answer)
        assert answer.status == 200 or isinstance(answer.data["error"], str)
        assert (answer.status == 503) == (answer.retry_after is not None)
    plain = [answer.status for (path, _), answer in answers if path in ("/api/options", "/api/run")]
    assert set(plain) == {200}
    assert server.request("/api/options").status == 200
