"""The dispatcher: sends leases to nodes, takes their rows, and sends the leases of lost nodes again."""

from __future__ import annotations

import hashlib
import json
import marshal
import pickle
import queue
import secrets
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from random import SystemRandom
from time import monotonic
from typing import Any

import click
from distributed import Client, Future

from sweepstakes import RunError, logs
from sweepstakes.executor import Chunk, Finished, Limits, PackedRows, Workload, count_games
from sweepstakes.game.result import COLUMNS, Ending
from sweepstakes.plugins.executors.dask import node as on_node
from sweepstakes.plugins.executors.dask.lease import Lease, LeaseSizer
from sweepstakes.plugins.executors.dask.rows import decode_rows
from sweepstakes.plugins.executors.dask.versions import versions
from sweepstakes.untrusted.exceptions import describe_error
from sweepstakes.untrusted.text import clean

_LOG = logs.logger(__name__)
MAX_LEASES = 2
"""Number of leases that a node has at the same time: one to play and one waiting."""
MAX_LOSSES = 20
"""Number of times that a lease may be lost before the run stops."""
MAX_FAILURES = 3
"""Leases in a row that a node may fail to play, without dying, before it is left out."""
POLL_SECONDS = 0.5
CHECKED_AT_ONCE = 50
"""Games to compare that a node plays before new games."""
RESULT_SECONDS = 10
"""Seconds that fetching the rows of a finished lease may take."""
START_SECONDS, PATIENCE_SECONDS = 60.0, 600.0
"""Seconds to wait for a node, at the beginning and later."""
END_SECONDS = 5.0
"""Seconds to wait at the end until the nodes have stopped."""


@dataclass(eq=False)
class _Node:
    """A Dask worker."""

    address: str
    name: str = ""
    cores: int = 0
    """0 until it is prepared."""
    leases: dict[Lease, Future] = field(default_factory=dict)
    preparing: Future | None = None
    failures: int = 0
    refused: bool = False
    games: int = 0
    ready_since: float = 0.0

    def __str__(self) -> str:
        return f"{self.name} ({self.address})" if self.name else self.address


class Dispatcher:
    """Plays the games of one run on the nodes of a cluster."""

    def __init__(
        self,
        client: Client,
        workload: Workload,
        chunks: Iterable[Chunk],
        limits: Limits,
        processes: int | None = None,
        play_twice: float = 0.0,
        lease_seconds: float = 20.0,
    ) -> None:
        self._client = client
        self._workload = workload
        self._chunks = iter(chunks)
        self._exhausted = False
        self._payload = pickle.dumps((workload.parcel(), limits, processes))
        self._run = secrets.token_hex(8)
        self._numbers = count()
        self._nodes: dict[str, _Node] = {}
        self._lost: deque[Lease] = deque()
        """Leases whose node died: they are sent before new ones."""
        self._sizer = LeaseSizer(lease_seconds)
        self._play_twice = play_twice
        self._unchecked: dict[str, list[Finished]] = {}
        """Rows whose games another node must play too, by the address of the node that played them first."""
        self._random = SystemRandom()  # no node can foresee which games are compared
        self._done: queue.SimpleQueue[tuple[_Node, Lease | None, Future]] = queue.SimpleQueue()
        self._idle_since = self._polled = monotonic()
        self._patience = START_SECONDS
        self._why_refused = ""

    def rows(self) -> Iterator[list[Finished]]:
        """Yield the rows of all games, lease by lease."""
        self._update_nodes()
        if self._play_twice and len(self._nodes) < 2:
            raise RunError(f"play_twice={self._play_twice:g}: comparing needs at least two nodes")
        while self._assign():
            try:
                node, lease, future = self._done.get(timeout=POLL_SECONDS)
            except queue.Empty:
                self._update_nodes()
                continue
            if lease is None:
                self._finish_preparing(node, future)
            elif node.leases.get(lease) is future:  # the node was not given up before
                yield from self._finish(node, lease, future)
            if monotonic() - self._polled > POLL_SECONDS:
                self._update_nodes()

    def close(self) -> None:
        """Stop all leases, and have the nodes end their processes."""
        nodes = self._nodes.values()
        futures = [future for node in nodes for future in (*node.leases.values(), node.preparing) if future is not None]
        addresses = [node.address for node in nodes if not node.refused]

        def end() -> None:
            with suppress(Exception):  # the cluster may be gone
                self._client.cancel(futures, force=True)
                if addresses:
                    self._client.run(on_node.end_run, self._run, workers=addresses, on_error="ignore")

        ending = threading.Thread(target=end, daemon=True)  # a node may be gone, and not answer
        ending.start()
        ending.join(END_SECONDS)

    def status(self) -> str:
        """Return the nodes and their games per second."""
        ready = [node for node in self._nodes.values() if node.cores and not node.refused]
        if not ready:
            return "waiting for nodes"
        now = monotonic()
        speeds = [f"{node.name} {node.games / max(now - node.ready_since, 1e-9):,.0f}/s" for node in ready[:4]]
        more = f", {len(ready) - 4} more" if len(ready) > 4 else ""
        return f"{len(ready)} node{'s' * (len(ready) > 1)}: {', '.join(speeds)}{more}"

    # Nodes.

    def _update_nodes(self) -> None:
        """Compare the nodes with the workers that the scheduler knows: prepare new ones, give lost ones up."""
        self._polled = monotonic()
        try:
            addresses = set(self._client.nthreads())
        except Exception as error:  # noqa: BLE001 - Dask passes on errors of any kind
            what = f"the Dask scheduler does not answer: {describe_error(error, 200)}"
            raise RunError(f"{what}; nothing finished is lost: the same command resumes") from None
        for address in [address for address in self._nodes if address not in addresses]:
            node = self._nodes.pop(address)
            _LOG.warning("node %s is gone", node)
            for lease in list(node.leases):
                self._lose(node, lease, "the node is gone")
        for address in sorted(addresses - self._nodes.keys()):
            self._nodes[address] = node = _Node(address)
            self._prepare(node)

    def _prepare(self, node: _Node) -> None:
        node.cores = 0
        node.preparing = self._submit(node, None, on_node.prepare, dict(versions()), self._payload)

    def _finish_preparing(self, node: _Node, future: Future) -> None:
        is_current = node.preparing is future and self._nodes.get(node.address) is node
        node.preparing = None if node.preparing is future else node.preparing
        if not is_current:
            return
        try:
            about = future.result(timeout=RESULT_SECONDS)
            node.name = clean(about["name"] if about["name"] != node.address else about["host"], 40)
            if refused := about.get("refused"):
                self._refuse(node, clean(refused, 400))
            else:
                node.cores, node.ready_since = max(int(about["cores"]), 1), monotonic()
                _LOG.info("node %s is ready", node)
        except Exception as error:  # noqa: BLE001 - whatever happens on the node
            if future.status == "error":
                self._refuse(node, describe_error(error, 200))
            else:  # it died, or is about to be given up
                self._nodes.pop(node.address, None)

    def _refuse(self, node: _Node, why: str) -> None:
        """Send no more leases to a node, and say so."""
        node.refused = True
        self._why_refused = f"node {node} is refused: {why}"
        _LOG.warning("%s", self._why_refused)
        click.echo(f"sweepstakes: {self._why_refused}", err=True)

    # Leases.

    def _assign(self) -> bool:
        """Give a lease to every node that can take one. Return whether anything is left to do.

        Raises `RunError` if nodes stay away.
        """
        for turn in range(MAX_LEASES):  # every node gets a first one before any gets a second one
            for node in self._nodes.values():
                if node.cores and not node.refused and len(node.leases) <= turn and (lease := self._next(node)):
                    data = marshal.dumps([tuple(chunk) for chunk in lease.chunks])
                    node.leases[lease] = self._submit(node, lease, on_node.play, data)
        if any(node.leases for node in self._nodes.values()):
            self._idle_since = monotonic()
            return True
        if not self._lost and self._exhausted and not self._unchecked:
            return False
        self._wait()
        return True

    def _wait(self) -> None:
        """Raise `RunError` if for too long no node can play and no node is being prepared."""
        if any(node.preparing is not None for node in self._nodes.values()):
            self._idle_since = monotonic()
            return
        if self._nodes and all(node.refused for node in self._nodes.values()):
            raise RunError(f"no node of the cluster can play: {self._why_refused}")
        if monotonic() - self._idle_since > self._patience:
            needed = "a second node is" if self._unchecked and self._exhausted else "nodes are"
            what = f"{needed} missing since {self._patience:g} s: start `dask worker`, as docs/clusters.md says"
            raise RunError(f"{what}; the same command resumes")

    def _next(self, node: _Node) -> Lease | None:
        """Return the next lease for a node: a lost one, games to compare, or new games."""
        for lease in self._lost:
            if node.address not in lease.first_nodes.values():
                self._lost.remove(lease)
                return lease
        if check := self._next_check(node, CHECKED_AT_ONCE):
            return check
        if not self._exhausted:
            chunks = self._sizer.cut(self._chunks, node.cores)
            self._exhausted = not chunks
            if chunks:
                return Lease(chunks)
        return self._next_check(node)

    def _next_check(self, node: _Node, least: int = 1) -> Lease | None:
        """Return at least `least` games that another node has played, for this node to play again, or None."""
        waiting = self._unchecked.items()
        other = next((each for each, rows in waiting if each != node.address and len(rows) >= least), None)
        if other is None:
            return None
        rows = {row.fixture: row for row in self._unchecked.pop(other)}
        ordered = (rows[fixture] for fixture in sorted(rows))
        chunks = [
            each.chunk if isinstance(each, PackedRows) else Chunk(*each.fixture, each.fixture.number + 1)
            for each in ordered
        ]
        return Lease(chunks, rows, dict.fromkeys(rows, other))

    def _submit(self, node: _Node, lease: Lease | None, function: Any, *arguments: Any) -> Future:
        """Make a node call a function. When it is done, `_done` receives it."""
        future = self._client.submit(
            function,
            self._run,
            *arguments,
            key=f"sweepstakes-{self._run}-{next(self._numbers)}",
            workers=[node.address],
            allow_other_workers=False,
            pure=False,
        )
        future.add_done_callback(lambda future: self._done.put((node, lease, future)))
        return future

    def _finish(self, node: _Node, lease: Lease, future: Future) -> Iterator[list[Finished]]:
        """Take the rows of a lease; if it failed, it is sent again."""
        try:
            data = future.result(timeout=RESULT_SECONDS)
        except Exception as error:  # noqa: BLE001 - whatever happens on the node, or to it
            del node.leases[lease]
            if isinstance(error, on_node.NotPreparedError) and node.preparing is None:
                self._prepare(node)
            elif future.status == "error":
                node.failures += 1
                if node.failures >= MAX_FAILURES and not node.refused:
                    self._refuse(node, describe_error(error, 200))
            self._lose(node, lease, describe_error(error, 200))
            return
        del node.leases[lease]
        node.failures = 0
        self._patience = PATIENCE_SECONDS
        try:
            rows = decode_rows(data, lease.chunks, self._workload)
        except ValueError as error:
            raise RunError(
                f"node {node} reports {error}: no finished game can have this result; the run is stopped"
            ) from None
        node.games += count_games(rows)
        self._sizer.add(rows)
        if lease.is_check:
            for row in rows:
                self._compare(node, lease, row)
            return
        if self._play_twice:
            drawn = [row for row in rows if self._random.random() < self._play_twice and _is_repeatable(row)]
            chosen = [row for row in drawn if self._workload.repeats(row.fixture)]
            if chosen:
                self._unchecked.setdefault(node.address, []).extend(chosen)
        yield rows

    def _lose(self, node: _Node, lease: Lease, why: str) -> None:
        """Put a lease that a node did not play back into the queue."""
        future = node.leases.pop(lease, None)
        if future is not None:
            future.release()
        lease.losses += 1
        if lease.losses >= MAX_LOSSES:
            first = self._workload.title(lease.chunks[0].fixtures()[0])
            what = f"the lease that begins with game {first} was lost {lease.losses} times"
            raise RunError(f"{what}, the last time on node {node}: {why}")
        _LOG.warning("node %s lost a lease of %d chunks, which is sent again: %s", node, len(lease.chunks), why)
        self._lost.append(lease)

    def _compare(self, node: _Node, lease: Lease, row: Finished) -> None:
        """Raise `RunError` if two nodes played a game differently."""
        first = lease.first_rows[row.fixture]
        if not _is_repeatable(row) or _compared(first) == _compared(row):
            return
        other = self._nodes.get(lease.first_nodes[row.fixture], lease.first_nodes[row.fixture])
        rows = zip(_named(first), _values(first), _values(row), strict=False)
        differing = [(name, clean(str(a), 60), clean(str(b), 60)) for name, a, b in rows if a != b]
        one, two = (", ".join(f"{each[0]} {each[i]}" for each in differing) for i in (1, 2))
        title = self._workload.title(row.fixture)
        what = f"two nodes played game {title} of agent '{title.rsplit('/', 2)[0]}' differently"
        why = "unless the agent itself plays at random, one of the nodes cannot be trusted"
        raise RunError(f"{what}: {one} on {other}, but {two} on {node}; {why}: the run is stopped")


def _named(row: Finished) -> tuple[str, ...]:
    """Return the names of the `_values`."""
    return ("scores", "faults") if isinstance(row, PackedRows) else (*COLUMNS, "moves")


def _values(row: Finished) -> tuple[Any, ...]:
    """Return the part of two differing rows or blocks that an error message shows."""
    if isinstance(row, PackedRows):
        return hashlib.sha256(row.data).hexdigest()[:16], len(json.loads(row.head)["faults"])
    return (*row.result.as_row(), row.moves)


def _compared(row: Finished) -> tuple[Any, ...]:
    """Return what must be the same on two nodes. The text of a fault need not be, since it may quote a process id or a
    path."""
    if isinstance(row, PackedRows):
        head = json.loads(row.head)
        return row.chunk, head["columns"], [fault[:2] for fault in head["faults"]], row.data
    return row.result.outcome, row.result.measures, row.moves


def _is_repeatable(row: Finished) -> bool:
    """Return whether the games end the same way on every machine, because none was ended by a limit."""
    if isinstance(row, PackedRows):
        head = json.loads(row.head)
        return not head["limited"] and all(kind != Ending.CRASH for _, kind, _ in head["faults"])
    return row.result.ending.repeatable and None not in row.result.measures.values()
