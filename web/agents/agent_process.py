"""A process beside the server for third-party code: what it says is data, and it can be ended any time."""

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
from sweepstakes.web.agents.protocol import Channel, Garbled
from sweepstakes.web.server.api_error import Refused

STARTING = 180.0
"""Seconds until the process is ready; compiling may be part of it."""


class Process:
    """Answers one question at a time, each within its seconds; killed and replaced when it does not.

    Its methods may be called from any thread; `close` also while another one waits for an answer, which is then
    refused, as is every later one. `files` are the plugins that it loads besides ours; None if it needs no plugin.
    """

    def __init__(self, files: tuple[str, ...] | None) -> None:
        self._files = files
        self._asking = threading.Lock()
        self._guard = threading.RLock()  # a signal may come while this very thread holds it
        self._child: subprocess.Popen[bytes] | None = None
        self._channel: Channel | None = None
        self._ready = False
        self._closed = False
        self._numbers = itertools.count()
        self.seen: set[str] = set()
        """The agents that have answered before, in this very process."""

    @property
    def busy(self) -> bool:
        """Whether somebody waits for an answer."""
        return self._asking.locked()

    def start(self) -> None:
        """Start the process, if there is none, without waiting for it."""
        with self._guard:
            self._begin()

    def close(self) -> None:
        """End the process for good."""
        with self._guard:
            self._closed = True
            if self._channel is not None:
                self._channel.hang_up()  # whoever waits for an answer finds the end of it, and closes the channel
            self._kill()
        if self._asking.acquire(blocking=False):
            try:
                self._end()
            finally:
                self._asking.release()

    def ask(self, who: str, seconds: float, name: str, *arguments: Any) -> Any:
        """The answer, plain data that is yet to be checked; `Refused` if there is none."""
        with self._asking:
            with self._guard:
                channel = self._begin()
            number = next(self._numbers)
            try:
                if not self._ready:
                    self._await_start(channel)
                channel.send([number, name, seconds, arguments], seconds)
                answer = channel.receive(seconds)
                if type(answer) is not list or len(answer) != 3 or type(answer[1]) is not bool or answer[0] != number:
                    raise Garbled
            except TimeoutError:
                self._end()
                raise Refused(504, f"{who} took more than {seconds:g} seconds, and was stopped") from None
            except (EOFError, OSError):
                self._end()
                if self._closed:
                    raise _ending() from None
                raise Refused(502, f"{who} crashed its process") from None
            except Garbled:
                self._end()
                raise Refused(502, f"{who} broke its process: what came from there is no answer") from None
        _, good, value = answer
        if not good:
            raise Refused(502, f"{who} failed: {clean(value) if type(value) is str else 'it did not say why'}")
        return value

    def _await_start(self, channel: Channel) -> None:
        try:
            if channel.receive(STARTING) != "ready":
                raise Garbled
        except TimeoutError:
            self._end()
            raise Refused(504, f"a new process was not ready within {STARTING:g} seconds") from None
        self._ready = True

    def _begin(self) -> Channel:
        if self._closed:
            raise _ending()
        if self._channel is not None and self._child is not None and self._child.poll() is None:
            return self._channel
        self._end()
        try:
            self._channel, self._child = self._started()
        except OSError as error:
            raise Refused(503, f"no further process can be started: {error.strerror}") from None
        self._ready = False
        self.seen.clear()
        with suppress(OSError):  # one that is gone already is found out when its answer is read
            self._channel.send(self._files)
        return self._channel

    @staticmethod
    def _started() -> tuple[Channel, subprocess.Popen[bytes]]:
        ours, theirs = socket.socketpair()
        code = (
            f"import sys; sys.path[:] = {sys.path!r}; "
            f"from sweepstakes.web.agents.child import main; main({theirs.fileno()})"
        )
        with theirs:
            child = subprocess.Popen(
                [sys.executable, "-c", code],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                pass_fds=(theirs.fileno(),),
                start_new_session=True,  # Ctrl-C at the terminal is for the server; what an agent starts ends with it
            )
        return Channel(ours), child

    def _end(self) -> None:
        with self._guard:
            self._kill()
            if self._channel is not None:
                self._channel.close()
            self._channel = self._child = None

    def _kill(self) -> None:
        if self._child is not None and self._child.returncode is None:
            with suppress(ProcessLookupError):
                os.killpg(self._child.pid, signal.SIGKILL)
            self._child.wait()


def _ending() -> Refused:
    return Refused(503, "the server is ending")
