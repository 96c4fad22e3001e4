"""The server's handle on one agent process: starts `child.py`, sends it requests, and kills it when it fails."""

from __future__ import annotations

import itertools
import os
import signal
import socket
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Any

from sweepstakes.untrusted.text import clean
from sweepstakes.web.agents.channel import Channel, ProtocolError
from sweepstakes.web.server.api_error import ApiError

START_SECONDS = 180.0
"""Seconds until the process has to be ready; it may have to compile kernels first."""


class AgentProcess:
    """A process in which third-party code may run. It answers one request at a time.

    A process that answers too late or not at all is killed; the next request starts a new process. The methods may be
    called from any thread. `close` may be called while a request waits for its answer: this request and all later ones
    raise `ApiError`. `plugin_files` are loaded besides the built-in plugins; None if the process needs no plugin.
    """

    def __init__(self, plugin_files: tuple[str, ...] | None) -> None:
        self._plugin_files = plugin_files
        self._request_lock = threading.Lock()
        """Held while a request waits for its answer."""
        self._state_lock = threading.RLock()  # reentrant: a signal handler may call `close` in the thread that holds it
        self._process: subprocess.Popen[bytes] | None = None
        self._channel: Channel | None = None
        self._ready = False
        self._closed = False
        self._request_ids = itertools.count()
        self.warm_agents: set[str] = set()
        """The agents that have answered in the present process: their code is compiled."""

    @property
    def busy(self) -> bool:
        """Whether a request waits for its answer."""
        return self._request_lock.locked()

    def start(self) -> None:
        """Start the process, if there is none, without waiting until it is ready."""
        with self._state_lock:
            self._ensure_started()

    def close(self) -> None:
        """Kill the process; no other is started."""
        with self._state_lock:
            self._closed = True
            if self._channel is not None:
                self._channel.shut_down()  # a request that waits raises, and then closes the channel
            self._kill()
        if self._request_lock.acquire(blocking=False):
            try:
                self._discard()
            finally:
                self._request_lock.release()

    def request(self, responder: str, seconds: float, method: str, *arguments: Any) -> Any:
        """Call a method of `child.RequestHandler` and return its answer: JSON data that the caller has to check.

        Raises `ApiError` if there is no answer; `responder` names the agent or engine in its message.
        """
        with self._request_lock:
            with self._state_lock:
                channel = self._ensure_started()
            request_id = next(self._request_ids)
            try:
                if not self._ready:
                    self._await_start(channel)
                channel.send([request_id, method, seconds, arguments], seconds)
                answer = channel.receive(seconds)
                _check_answer(answer, request_id)
            except TimeoutError:
                self._discard()
                raise ApiError(504, f"{responder} took more than {seconds:g} seconds, and was stopped") from None
            except (EOFError, OSError):
                self._discard()
                if self._closed:
                    raise _shutting_down() from None
                raise ApiError(502, f"{responder} crashed its process") from None
            except ProtocolError:
                self._discard()
                raise ApiError(502, f"{responder} broke its process: no answer can be read from it") from None
        _, succeeded, value = answer
        if not succeeded:
            raise ApiError(502, f"{responder} failed: {clean(value) if type(value) is str else 'no reason was given'}")
        return value

    def _await_start(self, channel: Channel) -> None:
        try:
            if channel.receive(START_SECONDS) != "ready":
                raise ProtocolError
        except TimeoutError:
            self._discard()
            raise ApiError(504, f"a new process was not ready within {START_SECONDS:g} seconds") from None
        self._ready = True

    def _ensure_started(self) -> Channel:
        if self._closed:
            raise _shutting_down()
        if self._channel is not None and self._process is not None and self._process.poll() is None:
            return self._channel
        self._discard()
        try:
            self._channel, self._process = self._spawn()
        except OSError as error:
            raise ApiError(503, f"no further process can be started: {error.strerror}") from None
        self._ready = False
        self.warm_agents.clear()
        with suppress(OSError):  # if the process has ended already, `receive` raises
            self._channel.send(self._plugin_files)
        return self._channel

    @staticmethod
    def _spawn() -> tuple[Channel, subprocess.Popen[bytes]]:
        server_end, child_end = socket.socketpair()
        code = (
            f"import sys; sys.path[:] = {sys.path!r}; "
            f"from sweepstakes.web.agents.child import main; main({child_end.fileno()})"
        )
        with child_end:
            process = subprocess.Popen(
                [sys.executable, "-c", code],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(child_end.fileno(),),
                start_new_session=True,  # Ctrl-C reaches the server only; `_kill` also ends what an agent starts
            )
        return Channel(server_end), process

    def _discard(self) -> None:
        with self._state_lock:
            self._kill()
            if self._channel is not None:
                self._channel.close()
            self._channel = self._process = None

    def _kill(self) -> None:
        if self._process is not None and self._process.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, signal.SIGKILL)
            self._process.wait()


def _check_answer(answer: Any, request_id: int) -> None:
    if type(answer) is not list or len(answer) != 3 or type(answer[1]) is not bool or answer[0] != request_id:
        raise ProtocolError


def _shutting_down() -> ApiError:
    return ApiError(503, "the server is shutting down")
