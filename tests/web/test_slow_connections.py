"""Clients that let the server wait: they are cut off, and others are served."""

from __future__ import annotations

import asyncio
import contextlib
import socket
import threading
import time
from collections.abc import Iterator

import pytest
import uvicorn
from arena_page import until
from conftest import serving
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from sweepstakes.web.server.connection import TimedConnection

pytestmark = pytest.mark.system

PATIENCE = 0.6
HEAD = b"Host: 127.0.0.1\r\n"


class Impatient(TimedConnection):
    seconds = PATIENCE


async def _read(request: Request) -> Response:
    return PlainTextResponse(str(len(await request.body())))


async def _large(request: Request) -> Response:
    return Response(b"x" * 50_000_000)


async def _think(request: Request) -> Response:
    await asyncio.sleep(3 * PATIENCE)
    return PlainTextResponse("done")


@pytest.fixture(scope="module")
def port() -> Iterator[int]:
    routes = [Route("/", _read, methods=["GET", "POST"]), Route("/large", _large), Route("/think", _think)]
    listening = socket.create_server(("127.0.0.1", 0))
    server = uvicorn.Server(
        uvicorn.Config(Starlette(routes=routes), http=Impatient, log_level="critical", lifespan="off")
    )
    thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
    thread.start()
    until(lambda: server.started, "the server does not start")
    yield listening.getsockname()[1]
    server.should_exit = True
    thread.join()
    listening.close()


def connect(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port))
    connection.settimeout(0.05)
    return connection


def is_cut_off(connection: socket.socket, dribble: bytes = b"") -> bool:
    """Whether the server has closed the connection, to which one more byte is sent."""
    try:
        if dribble:
            connection.sendall(dribble)
        return connection.recv(1) == b""
    except TimeoutError:
        return False
    except OSError:
        return True


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
    with connect(port) as connection:
        connection.sendall(beginning)
        until(lambda: is_cut_off(connection, dribble), "the connection stays open")


def test_a_second_request_that_never_ends_is_cut_off_too(port: int) -> None:
    with connect(port) as connection:
        connection.sendall(b"GET / HTTP/1.1\r\n" + HEAD + b"\r\n")
        received = bytearray()

        def answered() -> bool:
            with contextlib.suppress(TimeoutError):
                received.extend(connection.recv(1000))
            return received.endswith(b"\r\n\r\n0")

        until(answered, "no answer")
        connection.sendall(b"GET / HTTP/1.1\r\nX-Slow: ")
        until(lambda: is_cut_off(connection, b"a"), "the connection stays open")


def test_a_client_that_does_not_read_is_cut_off(port: int) -> None:
    with connect(port) as connection:
        connection.sendall(b"GET /large HTTP/1.1\r\n" + HEAD + b"\r\n")
        time.sleep(2 * PATIENCE)
        received = 0
        connection.settimeout(5)
        try:
            while part := connection.recv(1 << 20):
                received += len(part)
        except ConnectionResetError:
            pass
        assert received < 50_000_000


def test_an_answer_may_take_its_time(port: int) -> None:
    with connect(port) as connection:
        connection.settimeout(30)
        connection.sendall(b"GET /think HTTP/1.1\r\n" + HEAD + b"Connection: close\r\n\r\n")
        answer = b"".join(iter(lambda: connection.recv(1000), b""))
        assert answer.endswith(b"\r\n\r\ndone")


def test_a_client_that_leaves_in_the_middle_of_a_request_is_no_error(
    app: Starlette, capfd: pytest.CaptureFixture[str]
) -> None:
    with serving(app) as address:
        port = int(address.rstrip("/").rpartition(":")[2])
        head = f"Host: 127.0.0.1:{port}\r\nContent-Type: application/json\r\nContent-Length: 60\r\n\r\n"
        with connect(port) as connection:
            connection.sendall(b"POST /api/games HTTP/1.1\r\n" + head.encode() + b"{")
        with connect(port) as connection:
            connection.settimeout(30)
            connection.sendall(f"GET /api/options HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
            assert connection.recv(12) == b"HTTP/1.1 200"
    assert "Exception" not in capfd.readouterr().err
