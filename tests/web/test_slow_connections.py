"""Clients that let the server wait: they are cut off, and others are served. The tests move the clock of the server."""

from __future__ import annotations

import asyncio
import socket
import threading
from collections.abc import Callable, Iterator
from typing import Any

import pytest
import uvicorn
from arena_page import TIMEOUT, until
from conftest import serving
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from sweepstakes.web.server.connection import TimedConnection

pytestmark = pytest.mark.system

PATIENCE = TimedConnection.seconds
HEAD = b"Host: 127.0.0.1\r\n"
LARGE = 50_000_000


class Timer:
    """An action at a time of the test's clock."""

    def __init__(self, time: float, act: Callable[[], None]) -> None:
        self.time = time
        self.act: Callable[[], None] | None = act

    def cancel(self) -> None:
        self.act = None


class Clock:
    """Stands in for the event loop of a connection: its patience ends by a clock that only `advance` moves."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.now = 0.0
        self.timers: list[Timer] = []

    def __getattr__(self, name: str) -> Any:
        return getattr(self.loop, name)

    def call_later(self, seconds: float, act: Callable[[], None]) -> Any:
        if seconds != PATIENCE:
            return self.loop.call_later(seconds, act)
        self.timers.append(Timer(self.now + seconds, act))
        return self.timers[-1]

    def advance(self, seconds: float) -> None:
        """Let time pass, and return when everything that is due has happened."""
        done = threading.Event()

        def pass_time() -> None:
            self.now += seconds
            for timer in self.timers:
                if timer.time <= self.now and timer.act is not None:
                    timer.act()
                    timer.cancel()
            done.set()

        self.loop.call_soon_threadsafe(pass_time)
        assert done.wait(TIMEOUT)


class Connection(TimedConnection):
    """A connection by the test's clock, which tells what has happened to it."""

    last: Connection

    def __init__(self, *arguments: Any, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.clock = Clock(self.loop)
        self.loop = self.clock  # type: ignore[assignment]
        self.received = 0
        self.is_paused = False
        self.is_lost = False

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        Connection.last = self

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self.received += len(data)

    def pause_writing(self) -> None:
        super().pause_writing()
        self.is_paused = True

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self.is_lost = True


class Thinking:
    """The answer to /think, which comes when a test says so."""

    def __init__(self) -> None:
        self.has_begun = threading.Event()
        self.may_end = threading.Event()

    async def __call__(self, request: Request) -> Response:
        self.has_begun.set()
        await asyncio.to_thread(self.may_end.wait, TIMEOUT)
        return PlainTextResponse("done")


thinking = Thinking()


async def read(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


async def large(request: Request) -> Response:
    return Response(b"x" * LARGE)


async def think(request: Request) -> Response:
    return await thinking(request)


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    routes = [Route("/", read, methods=["GET", "POST"]), Route("/large", large), Route("/think", think)]
    listening = socket.create_server(("127.0.0.1", 0))
    app = Starlette(routes=routes)
    config = uvicorn.Config(app, http=Connection, log_level="critical", lifespan="off", timeout_keep_alive=600)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    until(lambda: server.started, "the server does not start")
    yield listening.getsockname()[1]
    server.should_exit = True
    thread.join()
    listening.close()


class Client:
    """A client, and its connection as the server has it."""

    def __init__(self, port: int) -> None:
        before = getattr(Connection, "last", None)
        self.socket = socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT)
        until(lambda: getattr(Connection, "last", None) is not before, "the server does not accept the connection")
        self.connection = Connection.last
        self.clock = self.connection.clock
        self.sent = 0

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *error: object) -> None:
        self.socket.close()

    def send(self, data: bytes) -> None:
        """Send something, and return when the server has it."""
        self.socket.sendall(data)
        self.sent += len(data)
        until(lambda: self.connection.received == self.sent, "the server does not read")

    def read(self) -> bytes:
        """Everything until the server closes the connection."""
        parts = []
        try:
            while part := self.socket.recv(1 << 20):
                parts.append(part)
        except ConnectionResetError:
            pass
        return b"".join(parts)


@pytest.mark.parametrize(
    ("beginning", "dribble"),
    [
        (b"", b""),
        (b"GET / HTTP/1.1\r\n" + HEAD + b"X-Slow: ", b"a"),
        (b"POST / HTTP/1.1\r\n" + HEAD + b"Content-Length: 60000\r\n\r\n", b"a"),
        (b"POST / HTTP/1.1\r\n" + HEAD + b"Transfer-Encoding: chunked\r\n\r\n", b"1\r\na\r\n"),
    ],
    ids=["nothing", "headers", "body", "chunks"],
)
def test_a_request_that_never_ends_is_cut_off(port: int, beginning: bytes, dribble: bytes) -> None:
    with Client(port) as client:
        client.send(beginning)
        for _ in range(9):
            client.clock.advance(PATIENCE / 10)
            client.send(dribble)
        assert not client.connection.is_lost
        client.clock.advance(PATIENCE / 10)
        assert client.read() == b""


def test_a_second_request_that_never_ends_is_cut_off_too(port: int) -> None:
    with Client(port) as client:
        client.clock.advance(PATIENCE / 2)
        client.send(b"GET / HTTP/1.1\r\n" + HEAD + b"\r\n")
        received = b""
        while not received.endswith(b"\r\n\r\n0"):
            received += client.socket.recv(1000)
        client.clock.advance(PATIENCE * 3 / 4)  # it begins to wait again with the second request
        client.send(b"GET / HTTP/1.1\r\nX-Slow: ")
        assert not client.connection.is_lost
        client.clock.advance(PATIENCE / 2)
        assert client.read() == b""


def test_a_client_that_does_not_read_is_cut_off(port: int) -> None:
    with Client(port) as client:
        client.send(b"GET /large HTTP/1.1\r\n" + HEAD + b"\r\n")
        until(lambda: client.connection.is_paused, "the server does not wait for the client")
        client.clock.advance(PATIENCE)
        until(lambda: client.connection.is_lost, "the connection stays open")
        assert len(client.read()) < LARGE


def test_a_client_that_reads_gets_all(port: int) -> None:
    with Client(port) as client:
        client.send(b"GET /large HTTP/1.1\r\n" + HEAD + b"Connection: close\r\n\r\n")
        until(lambda: client.connection.is_paused, "the server does not wait for the client")
        assert len(client.read()) > LARGE


def test_an_answer_may_take_its_time(port: int) -> None:
    with Client(port) as client:
        client.send(b"GET /think HTTP/1.1\r\n" + HEAD + b"Connection: close\r\n\r\n")
        assert thinking.has_begun.wait(TIMEOUT)
        client.clock.advance(10 * PATIENCE)
        thinking.may_end.set()
        assert client.read().endswith(b"\r\n\r\ndone")


def test_a_client_that_leaves_in_the_middle_of_a_request_is_no_error(
    app: Starlette, capfd: pytest.CaptureFixture[str]
) -> None:
    with serving(app) as address:
        port = int(address.rstrip("/").rpartition(":")[2])
        head = f"Host: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: 60\r\n\r\n"
        with socket.create_connection(("127.0.0.1", port)) as connection:
            connection.sendall(b"POST /api/positions/turn HTTP/1.1\r\n" + head.encode() + b"{")
        with socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT) as connection:
            connection.sendall(f"GET /api/options HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            assert connection.recv(12) == b"HTTP/1.1 200"
    assert "Exception" not in capfd.readouterr().err
