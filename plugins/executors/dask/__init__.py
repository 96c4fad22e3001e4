"""`dask`: plays on the machines of a Dask cluster, one Dask worker (here called a *node*) on each.

The process that runs the tournament is the client. It cuts the games into *leases* (lease.py), each about 20 seconds of
work for a node, and never has more than two leases on a node (dispatcher.py). A node (node.py) plays a lease by our own
`local` executor, so that limits, isolation and the attribution of faults are as on one machine, and returns rows as
plain data (rows.py), which the client checks. Only the client writes the run directory.

A node gets the tournament once, with the contents of all files that it names, and is refused if its versions differ
(versions.py). A node that dies loses its leases: they are sent again, under new keys. Results of the old ones are
ignored, so that every game has one row.
"""

from __future__ import annotations

import importlib.util
from collections.abc import Callable, Iterable, Iterator, Mapping

from sweepstakes import ConfigError, hookimpl
from sweepstakes.executor import Chunk, Executor, Finished, Limits, Workload


class Dask(Executor):
    """Plays on the nodes of the Dask cluster whose scheduler has this address; without one, on a local cluster.

    `processes` is the number of worker processes on each node, by default one for each of its cores. `play_twice` is
    the share of games that two nodes play, to compare their rows. A lease takes a node about `lease_seconds`.
    """

    def __init__(
        self,
        address: str | None = None,
        processes: int | None = None,
        play_twice: float = 0.0,
        lease_seconds: float = 20.0,
    ) -> None:
        if importlib.util.find_spec("distributed") is None:
            raise ConfigError("executor 'dask': distributed is not installed: pip install 'sweepstakes[dask]'")
        if processes is not None and processes < 1:
            raise ConfigError(f"executor 'dask': processes={processes}: expected at least 1")
        if not 0 <= play_twice <= 1:
            raise ConfigError(f"executor 'dask': play_twice={play_twice:g}: expected a share from 0 to 1")
        if not 0 < lease_seconds <= 3600:
            raise ConfigError(f"executor 'dask': lease_seconds={lease_seconds:g}: expected more than 0, at most 3600")
        self.address = address
        self.processes = processes
        self.play_twice = play_twice
        self.lease_seconds = lease_seconds
        self._status: Callable[[], str] = str

    def run(self, workload: Workload, chunks: Iterable[Chunk], limits: Limits) -> Iterator[list[Finished]]:
        """Yield the rows of every game, each exactly once, lease by lease."""
        from sweepstakes.plugins.executors.dask.connection import connect  # which imports distributed
        from sweepstakes.plugins.executors.dask.dispatcher import Dispatcher

        with connect(self.address) as client:
            dispatcher = Dispatcher(
                client, workload, chunks, limits, self.processes, self.play_twice, self.lease_seconds
            )
            self._status = dispatcher.status
            try:
                yield from dispatcher.rows()
            finally:
                dispatcher.close()

    def status(self) -> str:
        """Return the nodes and their speed."""
        return self._status()


@hookimpl
def sweepstakes_executors() -> Mapping[str, Callable[..., Executor]]:
    """Offer `dask`."""
    return {"dask": Dask}
