"""The code that runs on a node, in a Dask worker: it prepares for a run, plays leases, and ends the run.

The worker processes of a run are kept from lease to lease, since starting them takes a second. They end when the client
ends the run. If the client disappears, they end when its lease is no longer wanted, or when no lease has arrived for a
while.
"""

from __future__ import annotations

import asyncio
import marshal
import os
import pickle
import shutil
import socket
import threading
from collections.abc import Callable, Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

from distributed import get_worker

from sweepstakes import logs
from sweepstakes.errors import SweepstakesError
from sweepstakes.executor import Chunk, Finished, Limits, Workload
from sweepstakes.plugins.executors.dask.rows import encode_rows
from sweepstakes.plugins.executors.dask.versions import difference, versions
from sweepstakes.plugins.executors.local import Local
from sweepstakes.plugins.executors.local.supervisor import Supervisor
from sweepstakes.registry.blame import describe_failure

_LOG = logs.logger(__name__)
IDLE_SECONDS = 60.0
"""Seconds without a lease after which a node forgets a run."""
_runs: dict[str, _NodeRun] = {}
_ended: set[str] = set()
"""The runs that have ended, including those that were still being prepared."""
_changing = threading.Lock()
"""Held while `_runs` and `_ended` are changed."""


class NotPreparedError(SweepstakesError):
    """The node does not know the run: it was started again, or has had no lease for a while."""


class StoppedError(SweepstakesError):
    """The client no longer wants the lease."""


def prepare(run: str, expected: Mapping[str, str], payload: bytes) -> dict[str, Any]:
    """Get ready to play a run: `payload` is its pickled parcel, limits and number of processes.

    Returns what the client should know of this node; with `refused`, why it cannot play.
    """
    worker = get_worker()
    logs.enter("node")
    _LOG.info("gets ready for run %s", run)
    about: dict[str, Any] = {"name": str(worker.name), "host": socket.gethostname(), "cores": _cores()}
    if differing := difference(expected, versions()):
        return {**about, "refused": differing}
    folder = Path(worker.local_directory) / f"sweepstakes-{run}"
    try:
        folder.mkdir(exist_ok=True)
        parcel, limits, processes = pickle.loads(payload)  # the client's own
        workload = parcel.unpack(folder)
        workload.prepare()
    except Exception as error:  # noqa: BLE001 - a plugin may raise anything
        shutil.rmtree(folder, ignore_errors=True)
        return {**about, "refused": describe_failure(error, 400)}
    about["cores"] = processes or about["cores"]
    with _changing:
        if run in _ended:
            shutil.rmtree(folder, ignore_errors=True)
            return {**about, "refused": "the run has ended"}
        before, _runs[run] = _runs.get(run), _NodeRun(run, workload, limits, about["cores"], folder)
    if before is not None:
        before.end(keep_folder=True)
    return about


def play(run: str, lease: bytes) -> bytes:
    """Play the chunks of a lease and return the rows."""
    worker = get_worker()
    key = worker.get_current_task()

    def is_wanted() -> bool:
        task = worker.state.tasks.get(key)
        return task is not None and task.state != "cancelled"

    node_run = _runs.get(run)
    if node_run is None:
        raise NotPreparedError("the node does not know the run")
    return encode_rows(node_run.play([Chunk(*chunk) for chunk in marshal.loads(lease)], is_wanted))


async def end_run(run: str) -> None:
    """Stop the leases of the run, end its processes and remove its files; returns when nothing is left."""
    with _changing:
        _ended.add(run)
        node_run = _runs.pop(run, None)
    if node_run is not None:
        await asyncio.to_thread(node_run.end)


class _NodeRun:
    """A run on this node: its worker processes, which play one lease after the other."""

    def __init__(self, name: str, workload: Workload, limits: Limits, processes: int, folder: Path) -> None:
        self._name = name
        self._workload = workload
        self._limits = limits
        self._processes = processes
        self._folder = folder
        self._stopped = threading.Event()
        self._playing = threading.Lock()
        self._stack = ExitStack()
        self._supervisor: Supervisor | None = None
        self._timer = threading.Timer(IDLE_SECONDS, self._forget)
        self._start_timer()

    def play(self, chunks: list[Chunk], is_wanted: Callable[[], bool]) -> list[Finished]:
        """Return the rows of all games, when no other lease is being played."""
        rows: list[Finished] = []
        while not self._playing.acquire(timeout=0.2):
            self._check(is_wanted)
        try:
            self._timer.cancel()
            self._check(is_wanted)
            if self._supervisor is None:
                self._supervisor = self._stack.enter_context(
                    Local(self._processes).supervisor(self._workload, self._limits)
                )
            for batch in self._supervisor.rows(chunks):
                rows += batch
                self._check(is_wanted)
        except BaseException:
            self._close()  # it is in the middle of games
            raise
        finally:
            if not self._stopped.is_set():
                self._start_timer()
            self._playing.release()
        return rows

    def end(self, *, keep_folder: bool = False) -> None:
        """Stop the lease that is being played, and leave nothing."""
        self._stopped.set()
        with self._playing:
            self._timer.cancel()
            self._close()
        _LOG.info("run %s has ended on this node", self._name)
        if not keep_folder:
            shutil.rmtree(self._folder, ignore_errors=True)

    def _check(self, is_wanted: Callable[[], bool]) -> None:
        if self._stopped.is_set() or not is_wanted():
            raise StoppedError("the run has been stopped")

    def _close(self) -> None:
        self._supervisor = None
        self._stack.close()

    def _start_timer(self) -> None:
        self._timer = threading.Timer(IDLE_SECONDS, self._forget)
        self._timer.daemon = True
        self._timer.start()

    def _forget(self) -> None:
        with _changing:
            if _runs.get(self._name) is self:
                del _runs[self._name]
        self.end()


def _cores() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
