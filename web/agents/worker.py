"""A process in which our own code answers the server, so that it can be killed when it takes too long.

Both sides are ours: calls and answers are pickled, and nothing in them is checked. The process is started by
`subprocess`, because `multiprocessing` would run the user's `__main__` again, and its children outlive `kill -9`.
"""

from __future__ import annotations

import os
import pickle
import signal
import subprocess
import sys
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any

from sweepstakes import logs, os_support
from sweepstakes.hosting import environment
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.untrusted.text import clean
from sweepstakes.web.server.api_error import SHUTTING_DOWN, ApiError

START_SECONDS = 300.0
"""Maximum seconds until a process is ready. It may have to compile first."""
_LOG = logs.logger(__name__)
_starter = ThreadPoolExecutor(1, "starts-workers")
"""Starts all processes. Linux ends a process with the thread that started it, and this thread lasts as long as the
server."""


class Worker:
    """A process that answers one call of `RequestHandler` at a time, from any thread.

    The process starts with the built-in agents `warm` compiled and the plugins `trusted` imported.
    A process that takes too long is killed and replaced. `close` may be called by any thread and by a signal handler.
    """

    def __init__(self, warm: Sequence[str] = (), trusted: Sequence[PluginSource] = ()) -> None:
        self._setup = tuple(warm), tuple(trusted)
        self._lock = threading.Lock()
        """Held by the thread that calls."""
        self._process: subprocess.Popen[bytes] | None = None
        self._ready = False
        """Whether the current process has reported that it is ready."""
        self._warm: set[str] = set()
        """The responders that have answered in the current process, so that their code is compiled."""
        self._closed = False

    def start(self) -> None:
        """Start the process in advance, without waiting until it is ready."""
        with self._lock:
            if self._process is None and not self._closed:
                self._start()
        self._end_if_closed()

    def close(self) -> None:
        """Kill the process. A call that waits for it raises `ApiError`, and so do all later ones."""
        self._closed = True
        process = self._process
        if process is not None:
            process.kill()
        self._end_if_closed()

    def call(
        self, responder: str, seconds: float, method: str, *arguments: Any, first_seconds: float | None = None
    ) -> Any:
        """Return what a method of `RequestHandler` returns.

        Raises `ApiError` if the method raises or takes more than `seconds`; `responder` is the subject of its message.
        The first answer of a responder in a process may take `first_seconds`.
        """
        try:
            with self._lock:
                return self._call(responder, seconds, method, arguments, first_seconds)
        except ApiError:
            if self._closed:  # that is why the process died
                raise ApiError(503, SHUTTING_DOWN) from None
            raise
        finally:
            self._end_if_closed()

    def _call(
        self, responder: str, seconds: float, method: str, arguments: tuple[Any, ...], first_seconds: float | None
    ) -> Any:
        if self._closed:
            raise ApiError(503, SHUTTING_DOWN)
        process = self._process or self._start()
        if not self._ready:
            self._receive(process, responder, START_SECONDS, " to start")
            self._ready = True
        if first_seconds is not None and responder not in self._warm:
            seconds = first_seconds
        with suppress(OSError):  # it has died, and `_receive` finds that out
            _send(process.stdin, (method, arguments))
        done, answer = self._receive(process, responder, seconds)
        if not done:
            raise ApiError(502, f"{responder} failed: {answer}")
        self._warm.add(responder)
        return answer

    def _start(self) -> subprocess.Popen[bytes]:
        """Start a process. The caller must hold the lock."""
        code = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import serve; serve({os.getpid()})"
        start = _starter.submit(
            subprocess.Popen,
            [sys.executable, "-c", code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=environment.full(),
            start_new_session=True,  # only the server gets Ctrl-C and Ctrl-Z from the terminal
        )
        try:
            process = start.result()
        except OSError as error:
            raise ApiError(503, f"no further process can be started ({error.strerror}): try again") from None
        _LOG.info("started process %d", process.pid)
        self._process, self._ready = process, False
        self._warm.clear()
        if self._closed:  # `close` may have been too early to see the process
            process.kill()
        with suppress(OSError):
            _send(process.stdin, self._setup)
        return process

    def _receive(self, process: subprocess.Popen[bytes], responder: str, seconds: float, doing: str = "") -> Any:
        """Return the next message of the process. Raise `ApiError` if it dies, or sends nothing for `seconds` and is
        killed."""
        assert process.stdout is not None
        too_late = threading.Event()

        def kill() -> None:
            too_late.set()
            process.kill()

        timer = threading.Timer(seconds, kill)
        timer.daemon = True
        timer.start()
        try:
            message, died = pickle.load(process.stdout), False
        except (EOFError, OSError, pickle.UnpicklingError):
            message, died = None, True
        finally:
            timer.cancel()
            timer.join()
        if not died and not too_late.is_set():
            return message
        self._end()
        if not too_late.is_set():
            _LOG.warning("process %d died with status %s", process.pid, process.returncode)
            raise ApiError(502, f"{responder} crashed its process")
        _LOG.warning("killed process %d: %s took more than %g s%s", process.pid, responder, seconds, doing)
        if not self._closed and not doing:
            self._start()  # so that the next call does not have to wait for it
        raise ApiError(504, f"{responder} took more than {seconds:g} seconds{doing}, and was stopped")

    def _end_if_closed(self) -> None:
        """Clean up after the process if `close` was called, unless a call is waiting: then its thread does so."""
        if self._closed and self._lock.acquire(blocking=False):
            try:
                self._end()
            finally:
                self._lock.release()

    def _end(self) -> None:
        """Kill the process and wait for its end. The caller must hold the lock."""
        process, self._process = self._process, None
        if process is not None:
            process.kill()
            process.wait()
            _LOG.info("process %d ended", process.pid)
            for file in (process.stdin, process.stdout):
                assert file is not None
                with suppress(OSError):  # raised if a call was not sent completely
                    file.close()


def _send(file: Any, message: object) -> None:
    pickle.dump(message, file)
    file.flush()


def serve(parent: int) -> None:
    """Answer calls on the standard input until it ends. This is the whole life of the process."""
    if hasattr(os, "fork"):
        os_support.die_with_parent(parent)
    os_support.hide_memory()
    logs.enter("web-worker")
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what libraries print is not an answer
    from sweepstakes.web.agents.request_handler import RequestHandler  # it takes a while: after `die_with_parent`

    with suppress(EOFError, OSError):  # the server has closed the connection, or is gone
        handler = RequestHandler(*pickle.load(sys.stdin.buffer))
        _send(answers, None)
        while True:
            method, arguments = pickle.load(sys.stdin.buffer)
            try:
                answer = pickle.dumps((True, getattr(handler, method)(*arguments)))
            except Exception as error:  # noqa: BLE001 - the server reports it
                answer = pickle.dumps((False, clean(f"{type(error).__name__}: {error}", 400)))
            answers.write(answer)
            answers.flush()
