"""Connections that are closed if the client lets the server wait."""

from __future__ import annotations

import asyncio

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

SECONDS = 30.0
"""How long a client may take to send a request, and to read a part of a response."""


class TimedConnection(H11Protocol):
    """A connection that is cut off if a request is not complete, or a response is not read, after `seconds`.

    uvicorn itself closes only idle connections. A connection that sends a byte from time to time would stay open
    forever, and 900 of them would block all other clients. The time in which the server computes an answer does not
    count.
    """

    seconds = SECONDS
    _reading: asyncio.TimerHandle | None = None
    """The timer that runs while a request is awaited or arrives."""
    _writing: asyncio.TimerHandle | None = None
    """The timer that runs while the client does not read."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._watch_request()

    def data_received(self, data: bytes) -> None:
        """Read a part of a request."""
        super().data_received(data)
        self._watch_request()

    def on_response_complete(self) -> None:
        """Begin to wait for the next request."""
        super().on_response_complete()
        self._watch_request()

    def pause_writing(self) -> None:
        """Begin to wait until the client reads."""
        super().pause_writing()
        if self._writing is None:
            self._writing = self.loop.call_later(self.seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Stop waiting, since the client has read."""
        super().resume_writing()
        if self._writing is not None:
            self._writing.cancel()
            self._writing = None

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop all timers."""
        super().connection_lost(exc)
        for timer in (self._reading, self._writing):
            if timer is not None:
                timer.cancel()

    def _watch_request(self) -> None:
        """Start the time of a request when it is awaited, and stop it when the request is complete."""
        awaited = self.conn.their_state in (h11.IDLE, h11.SEND_BODY)
        if awaited and self._reading is None:
            self._reading = self.loop.call_later(self.seconds, self.transport.abort)
        elif not awaited and self._reading is not None:
            self._reading.cancel()
            self._reading = None
