"""The beginning of a worker that was started by `subprocess`: it loads everything itself, and connects back."""

from __future__ import annotations

import mmap
import os
import socket
from contextlib import suppress
from pathlib import Path
from typing import NoReturn, cast

from sweepstakes.hosting import os_support, spawned_process
from sweepstakes.hosting.hosts import Hosts
from sweepstakes.plugins.executors.local import protocol, worker
from sweepstakes.plugins.executors.local.protocol import HeartbeatBlock

SIZE_BYTES = 8
"""Bytes of the length that comes before the payload."""


def main() -> NoReturn:
    """Load what every game needs, connect to the supervisor, get the payload from it, and play. Never returns.

    The process ends when the supervisor does, which closes this process's standard input.
    """
    hello = spawned_process.read_hello()
    block = _heartbeat(hello["heartbeats"], hello["number"])
    os_support.hide_memory()
    hosts: list[Hosts] = []
    lifeline = os.dup(0)
    null = os.open(os.devnull, os.O_RDONLY)
    os.dup2(null, 0)
    os.close(null)
    if hello["hosted"] is None:
        os_support.die_with_parent(hello["parent"])  # an agent in this process may hold up its threads
    else:
        os_support.adopt_orphans()
        hosts.append(worker.make_hosts(block, hello["number"], None, hello["hosted"]))
    spawned_process.end_with(lifeline, hosts[0].kill_all if hosts else lambda: None)
    worker.reset_signals()
    worker.warm_up()
    connection = spawned_process.connect_back(hello)
    if hasattr(os, "setsid"):
        connection = socket.socket(fileno=os_support.copy_to_high_number(connection.detach()))
    del hello
    size = int.from_bytes(_receive(connection, SIZE_BYTES), "big")
    worker.play(connection, block, _receive(connection, size), hosts[0] if hosts else None)


def _heartbeat(file: str, number: int) -> HeartbeatBlock:
    """The heartbeat block with this number in the file of the supervisor."""
    with Path(file).open("r+b") as shared:
        numbers = memoryview(mmap.mmap(shared.fileno(), 0)).cast("d")
    if hasattr(os, "setsid"):
        os.closerange(3, 1 << 16)  # the file that the supervisor passed on; it stays mapped
    return cast(HeartbeatBlock, numbers[number * protocol.BLOCK_LENGTH : (number + 1) * protocol.BLOCK_LENGTH])


def _receive(connection: socket.socket, size: int) -> bytes:
    data = bytearray()
    while len(data) < size:
        with suppress(OSError):
            if part := connection.recv(size - len(data)):
                data += part
                continue
        os._exit(0)
    return bytes(data)
