"""A chat endpoint on loopback that answers and misbehaves according to a script."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

KEY = "sk-verysecret0123456789"
Step = Callable[["Handler"], None]
Script = Callable[[int, dict[str, Any]], Step]
"""Handles a request, given its number."""


class Handler(BaseHTTPRequestHandler):
    """Answers one request."""

    server: Endpoint

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        with self.server.lock:
            number = len(self.server.requests)
            self.server.requests.append(body)
            self.server.headers.append(dict(self.headers))
            self.server.paths.append(self.path)
        self.server.script(number, body)(self)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the name of the base class
        pass

    def send(self, status: int, data: bytes, **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


class Endpoint(ThreadingHTTPServer):
    """The endpoint; it remembers all requests."""

    daemon_threads = True

    def __init__(self, script: Script) -> None:
        super().__init__(("127.0.0.1", 0), Handler)
        self.script = script
        self.lock = threading.Lock()
        self.requests: list[dict[str, Any]] = []
        self.headers: list[dict[str, str]] = []
        self.paths: list[str] = []
        self.dripped = 0
        """Number of clients that did not give up on `drips`."""

    def handle_error(self, request: Any, client_address: Any) -> None:
        """Ignore clients that have disconnected."""

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_address[1]}/v1"


@contextmanager
def serving(script: Script) -> Iterator[Endpoint]:
    """Run an endpoint that answers by a script until the block ends."""
    endpoint = Endpoint(script)
    thread = threading.Thread(target=endpoint.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.shutdown()
        endpoint.server_close()
        thread.join()


def in_order(*steps: Step) -> Script:
    """Take one step after the other; the last one serves all further requests."""
    return lambda number, body: steps[min(number, len(steps) - 1)]


def completion(
    content: str | None = None, *, calls: list[str] | None = None, finish: str = "stop", usage: Any = None
) -> dict[str, Any]:
    """A chat completion."""
    message: dict[str, Any] = {"role": "assistant", "content": content}
    if calls is not None:
        message["tool_calls"] = [
            {"id": str(i), "type": "function", "function": {"name": "play", "arguments": text}}
            for i, text in enumerate(calls)
        ]
    usage = {"prompt_tokens": 100, "completion_tokens": 10} if usage is None else usage
    return {"choices": [{"index": 0, "message": message, "finish_reason": finish}], "usage": usage}


def says(content: str | None = None, **fields: Any) -> Step:
    """Answer with a completion."""
    return lambda handler: handler.send(200, json.dumps(completion(content, **fields)).encode())


def plays(**keys: Any) -> Step:
    """State a turn; cells are pairs."""
    return says(turn_text(**keys))


def turn_text(**keys: Any) -> str:
    """A turn as JSON; cells are pairs."""
    lists = {name: [{"row": row, "col": col} for row, col in keys.pop(name, ())] for name in ("open", "flag", "unflag")}
    return json.dumps({**lists, "why": "guess", "probability": None, **keys})


def open_first_covered(number: int, body: dict[str, Any]) -> Step:
    """Open the first covered cell of the grid in the prompt."""
    lines = body["messages"][1]["content"].splitlines()[3:]
    cells = [(row, col) for row, line in enumerate(lines) for col, mark in enumerate(line.split()[1:]) if mark == "."]
    return plays(open=cells[:1], why="guess", probability=0.25)


def status(code: int, data: bytes = b'{"error": {"message": "no"}}', **headers: str) -> Step:
    """Answer with a status."""
    return lambda handler: handler.send(code, data, **headers)


def body(data: bytes) -> Step:
    """Answer with status 200 and any body."""
    return lambda handler: handler.send(200, data)


def stalls(handler: Handler) -> None:
    """Send nothing until the client has disconnected."""
    handler.connection.settimeout(30)
    handler.connection.recv(1)


def drips(head: bytes, drop: bytes = b" ") -> Step:
    """Send a byte from time to time, for longer than any client waits."""

    def drip(handler: Handler) -> None:
        handler.wfile.write(head)
        for _ in range(3000):
            handler.wfile.write(drop)
            time.sleep(0.01)
        handler.server.dripped += 1

    return drip


def hangs_up(handler: Handler) -> None:
    """Reset the connection without an answer."""
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def breaks_off(handler: Handler) -> None:
    """Close the connection in the middle of an answer."""
    handler.wfile.write(b'HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n{"choices": [')
    handler.wfile.flush()
    handler.connection.shutdown(socket.SHUT_RDWR)


@pytest.fixture(name="serve")
def serve_fixture(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[Callable[[Script], Endpoint]]:
    """Starts the endpoint that the environment names, with a cache of its own."""
    with ExitStack() as running:

        def start(script: Script) -> Endpoint:
            endpoint = running.enter_context(serving(script))
            monkeypatch.setenv("SWEEPSTAKES_LLM_URL", endpoint.url)
            monkeypatch.setenv("SWEEPSTAKES_LLM_KEY", KEY)
            monkeypatch.setenv("SWEEPSTAKES_LLM_CACHE", str(tmp_path / "cache"))
            return endpoint

        yield start
