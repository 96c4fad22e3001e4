"""The messages and the shared memory through which supervisor, fork server and workers communicate.

The supervisor and the fork server exchange control messages of fixed length over one socket. The supervisor and each
worker exchange frames over a socket of their own. What cannot wait for a message, namely which game a worker is playing
and since when, is the worker's heartbeat: the worker writes it into a block of shared memory, the supervisor reads it.
"""

from __future__ import annotations

import marshal
import mmap
import struct
from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol, cast

# Shared memory: the numbers of a heartbeat block. The worker writes each number in one piece.
TASK, GAME, TURN_STARTED, GAME_STARTED, MEMORY_BEFORE, SECOND_PLAYING, CPU_BEFORE, PULSE = range(8)
"""Indices in a heartbeat block.

TASK is the number of the task, GAME the index of the game in the task. TURN_STARTED and GAME_STARTED are seconds of the
monotonic clock, which all processes share; both are 0 while no agent's clock runs. MEMORY_BEFORE is the memory that the
worker held before an agent of the task lived in it, in bytes, and 0 while none does. SECOND_PLAYING is 1 while the game
is played a second time, to explain it. CPU_BEFORE is the processor time that the worker had used when the game began.
PULSE changes whenever the worker asks a host, and while it waits for it; the time and memory of hosts are limited
elsewhere.
"""
BLOCK_LENGTH = 8
"""Numbers in a heartbeat block: a cache line, so that workers do not slow each other down."""


class HeartbeatBlock(Protocol):
    """The numbers in shared memory that one worker writes and the supervisor reads."""

    def __getitem__(self, index: int, /) -> float: ...

    def __setitem__(self, index: int, number: float, /) -> None: ...


def heartbeat_blocks(file: int, slots: int) -> list[HeartbeatBlock]:
    """The heartbeat blocks in a shared file, one for each worker slot."""
    numbers = memoryview(mmap.mmap(file, heartbeat_bytes(slots))).cast("d")
    return [cast(HeartbeatBlock, numbers[i * BLOCK_LENGTH : (i + 1) * BLOCK_LENGTH]) for i in range(slots)]


def heartbeat_bytes(slots: int) -> int:
    """The size of the heartbeat blocks of so many worker slots."""
    return slots * BLOCK_LENGTH * 8


# Supervisor and fork server: control messages.
START, KILL, SERVER_READY, WORKER_STARTED, WORKER_DIED = range(5)
"""Kinds of control messages. The supervisor sends START (with the worker's socket) and KILL; the fork server sends
SERVER_READY, WORKER_STARTED and WORKER_DIED."""


class ControlMessage(NamedTuple):
    """A message between supervisor and fork server about one worker slot."""

    kind: int
    slot: int
    value: int = 0
    """WORKER_STARTED: the process id. WORKER_DIED: the exit code, or minus the number of the signal."""
    cpu_seconds: float = 0.0
    """WORKER_DIED: the processor time that the worker used in its life."""

    def pack(self) -> bytes:
        """As bytes, all of one length."""
        return _CONTROL.pack(*self)

    @classmethod
    def unpack(cls, data: bytes) -> ControlMessage:
        """The message in the bytes."""
        return cls(*_CONTROL.unpack(data))


_CONTROL = struct.Struct("=iiid")
CONTROL_BYTES = _CONTROL.size

# Supervisor and worker: frames. The supervisor sends tasks, as (task number, *chunk).
READY, FAILED, ROWS, FIRST_ROW = range(4)
"""Kinds of frames that a worker sends: (READY,), (FAILED, text), (ROWS, task number, rows, progress) and (FIRST_ROW,
task number, row). FIRST_ROW has the row of a game that the worker is about to play a second time: this row counts if
the worker dies before it sends another."""
MORE, DONE, RETIRE = range(3)
"""Progress that a worker reports with its rows: more rows of the task follow, the task is done, or the supervisor shall
replace this worker before the next game."""

# Exit codes by which a worker says why it ended itself.
EXIT_SOCKET_CLOSED = 113
"""The agent closed the worker's socket."""
EXIT_UNUSABLE = 114
"""The worker cannot continue after what the agent did to the process."""

_LENGTH = struct.Struct("=I")
MAX_FRAME_BYTES = 1 << 30


def encode_frame(message: tuple[Any, ...]) -> bytes:
    """A message as bytes.

    Marshal carries plain data only: whatever an agent does to its process, the supervisor executes no code that an
    agent sent.
    """
    data = marshal.dumps(message)
    return _LENGTH.pack(len(data)) + data


class FrameDecoder:
    """Assembles messages from the bytes that have arrived so far."""

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, data: bytes) -> Iterator[Any]:
        """The messages that are complete now; `ValueError` if the bytes are no frames of this protocol."""
        self._data += data
        while len(self._data) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._data)
            if length > MAX_FRAME_BYTES:
                raise ValueError("a message of impossible length")
            end = _LENGTH.size + length
            if len(self._data) < end:
                return
            body = bytes(self._data[_LENGTH.size : end])
            del self._data[:end]
            try:
                message = marshal.loads(body)
            except (EOFError, TypeError, ValueError) as error:
                raise ValueError("a message that cannot be read") from error
            yield message
