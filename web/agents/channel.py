"""A connection between the server and an agent process: JSON messages in frames, each with its length in front."""

from __future__ import annotations

import json
import socket
import struct
from contextlib import suppress
from time import monotonic
from typing import Any, NoReturn

MAX_MESSAGE = 1 << 25
"""The largest message in bytes; the turns of a game on 100 x 100 cells with all their evidence take a few million."""
_LENGTH = struct.Struct("!I")


class ProtocolError(ValueError):
    """The other end sent a message that is not JSON, is too long, or has not the expected content."""


class Channel:
    """One end of a connection, for one message at a time in each direction."""

    def __init__(self, end: socket.socket) -> None:
        self._end = end

    def send(self, message: Any, seconds: float | None = None) -> None:
        """Send JSON data; raise `OSError`, of which `TimeoutError` is one, if the other end does not receive it."""
        data = json.dumps(message, separators=(",", ":"), allow_nan=False).encode()
        if len(data) > MAX_MESSAGE:
            raise ProtocolError(f"a message of {len(data):,} bytes: expected at most {MAX_MESSAGE:,}")
        self._end.settimeout(seconds)
        self._end.sendall(_LENGTH.pack(len(data)) + data)

    def receive(self, seconds: float | None = None) -> Any:
        """The next message. Raises `EOFError` at the end, `TimeoutError`, `OSError`, or `ProtocolError`."""
        deadline = None if seconds is None else monotonic() + seconds
        (length,) = _LENGTH.unpack(self._receive_exactly(_LENGTH.size, deadline))
        if length > MAX_MESSAGE:
            raise ProtocolError("a message of impossible length")
        data = self._receive_exactly(length, deadline)
        try:
            return json.loads(data, parse_constant=_reject_constant)
        except (ValueError, RecursionError):
            raise ProtocolError("a message that is not JSON") from None

    def shut_down(self) -> None:
        """End the connection in both directions: a `receive` that waits at either end raises `EOFError`."""
        with suppress(OSError):
            self._end.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the socket."""
        self._end.close()

    def _receive_exactly(self, length: int, deadline: float | None) -> bytes:
        data = bytearray()
        while len(data) < length:
            if deadline is not None:
                self._end.settimeout(max(deadline - monotonic(), 0.001))
            else:
                self._end.settimeout(None)
            part = self._end.recv(min(length - len(data), 1 << 20))
            if not part:
                raise EOFError
            data += part
        return bytes(data)


def _reject_constant(text: str) -> NoReturn:
    """NaN and Infinity are no JSON numbers."""
    raise ValueError(text)
