"""The connection to a Dask cluster: an existing one, or one on this machine that lasts as long as the run."""

from __future__ import annotations

import logging
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import dask
from distributed import Client, LocalCluster
from distributed.versions import VersionMismatchWarning

from sweepstakes import RunError
from sweepstakes.untrusted.text import clean

CONNECT_SECONDS = 10
_SETTINGS = {"distributed.admin.large-graph-warning-threshold": "1GB"}  # the first task of a node carries all files


@contextmanager
def connect(address: str | None) -> Iterator[Client]:
    """Return a client of the cluster whose scheduler has this address; without one, of a new local cluster."""
    for name in ("distributed", "distributed.client", "distributed.core", "distributed.comm", "distributed.batched"):
        logging.getLogger(name).setLevel(logging.CRITICAL)  # what matters is raised, in one line
    with dask.config.set(_SETTINGS):
        if address is None:
            cluster = LocalCluster(
                n_workers=1,
                threads_per_worker=1,
                dashboard_address=":0",  # any free port
                memory_limit=0,  # our own limits are in charge
                silence_logs=logging.CRITICAL,
            )
            with cluster, Client(cluster, set_as_default=False) as client:
                yield client
            return
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", VersionMismatchWarning)  # a node that differs is refused later, by name
                client = Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
        except (OSError, ValueError, TypeError) as error:
            what = f"no Dask scheduler answers at {clean(address, 100)}: {clean(str(error), 200)}"
            raise RunError(f"{what}; start one with `dask scheduler`, as docs/clusters.md says") from None
        try:
            yield client
        finally:
            client.close(timeout=2)
