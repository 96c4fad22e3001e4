"""The hosts that the threads of the server share, and the errors about hosts that do not answer."""

from __future__ import annotations

import threading
from collections.abc import Sequence

from sweepstakes.errors import HostingError, RunError, ServerGoneError
from sweepstakes.game.faults import AgentFault, FaultKind
from sweepstakes.game.result import Ending
from sweepstakes.hosting.client import Host, Hosts
from sweepstakes.hosting.forked import Server
from sweepstakes.hosting.hosted_agent import HostedAgents
from sweepstakes.limits import NO_LIMITS, Limits
from sweepstakes.web.server.api_error import SHUTTING_DOWN, ApiError


class SharedHosts(Hosts):
    """Hosts that any thread may start.

    `close` may be called by any thread and by a signal handler while other threads wait for hosts. These threads then
    raise `ApiError`, and so do all later calls. If the process that forks the hosts dies, another is started.
    """

    def __init__(self, warm: Sequence[str]) -> None:
        self.closed = False
        """Whether `close` was called."""
        self._start_lock = threading.RLock()
        super().__init__(warm=warm, on_wait=self.check_open)

    def check_open(self) -> None:
        """Raise `ApiError` if the server is shutting down; called while a thread waits for a host."""
        if self.closed:
            raise ApiError(503, SHUTTING_DOWN)

    def open(self) -> Server:
        """Start the process that forks the hosts, without waiting until it is ready."""
        with self._start_lock:
            self.check_open()
            return super().open()

    def start(self, limits: Limits = NO_LIMITS) -> Host:
        """Return a new host. Raise `ApiError` if no host can be started."""
        with self._start_lock:
            self.check_open()
            try:
                return self._start_twice(limits)
            except (RunError, OSError) as error:
                self.check_open()
                raise ApiError(503, str(error)) from None
            finally:
                if self.closed:
                    super().close()  # the process that forks hosts, if it was started after `close`

    def _start_twice(self, limits: Limits) -> Host:
        try:
            return super().start(limits)
        except ServerGoneError:
            if self.closed:
                raise
        super().close()
        return super().start(limits)

    def close(self) -> None:
        """Kill all hosts; no other is started. A thread that waits for a host raises within a moment."""
        self.closed = True
        super().close()


class RunLock:
    """Lets one thread at a time ask a host, and ends the host when the server is shutting down.

    It is a context manager for the thread that asks.
    """

    def __init__(self, hosts: SharedHosts, agents: HostedAgents) -> None:
        self._hosts = hosts
        self._agents = agents
        self._lock = threading.Lock()

    def __enter__(self) -> None:
        self._lock.acquire()

    def __exit__(self, _: object, error: BaseException | None, *__: object) -> None:
        self._lock.release()
        if self._hosts.closed:
            self.close()
            self._hosts.check_open()  # which raises, whatever the answer was: the host may have been killed
        if isinstance(error, HostingError):
            raise ApiError(503, f"{error}: try again") from None

    def close(self) -> None:
        """End the host, unless a thread asks it: if the server is shutting down, that thread will end it."""
        if self._lock.acquire(blocking=False):
            try:
                self._agents.end()
            finally:
                self._lock.release()


def api_error(fault: AgentFault, responder: str, seconds: float) -> ApiError:
    """Return the fault of an agent as the answer to a request; `responder` names it.

    `seconds` is the time that an answer may take. The browser does not show where in its code the agent raised.
    """
    kind, what = fault.fault.kind, fault.what
    if kind.ending is Ending.TIME_OUT:
        late = what if kind is FaultKind.START_TIME else f"took more than {seconds:g} seconds"
        return ApiError(504, f"{responder} {late}, and was stopped")
    if kind is FaultKind.WROTE_INTO_FILES:
        what = "broke its process: no answer can be read from it"
    elif kind.ending is Ending.CRASH:
        what = "crashed its process"
    elif kind in (FaultKind.RAISED, FaultKind.OUT_OF_MEMORY):
        what = f"failed: {fault.fault.detail}"
    return ApiError(502, f"{responder} {what}")
