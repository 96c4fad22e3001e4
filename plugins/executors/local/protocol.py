"""What the processes of `local` say to each other, and how.

Three kinds of process take part. The *supervisor* is the process that runs the tournament. It starts one
*keeper*, which forks *workers* when asked to, reports how each of them died and lets nothing outlive it.
Workers play. A worker and the supervisor talk over a socket of their own; what cannot wait for a message
(which game is on, since when) stands in a slot of shared memory.
"""

from __future__ import annotations

import marshal
import mmap
import struct
from collections.abc import Iterator
from typing import Any, NamedTuple, Protocol, cast

# A worker's slot: numbers that it writes and the supervisor reads, each in one piece.
TASK, GAME, TURN, STARTED, BASE, AGAIN, SPENT = range(7)
"""The task, which game of it is on, when its turn and the game began, and the memory held before the task; whether
the game is being played again, to explain it; and the processor time that the worker had spent when the game began.

TURN and STARTED are seconds of the monotonic clock, which all processes share; 0 while no agent is at work.
"""
SLOT = 8
"""Numbers in a slot: a cache line, so that workers do not slow each other down."""


class Slot(Protocol):
    """Numbers in shared memory."""

    def __getitem__(self, place: int, /) -> float: ...

    def __setitem__(self, place: int, number: float, /) -> None: ...


def slots(file: int, seats: int) -> list[Slot]:
    """The slots in a shared file, one for each seat."""
    numbers = memoryview(mmap.mmap(file, size_of(seats))).cast("d")
    return [cast(Slot, numbers[seat * SLOT : (seat + 1) * SLOT]) for seat in range(seats)]


def size_of(seats: int) -> int:
    """Bytes that the slots take."""
    return seats * SLOT * 8


class Control(NamedTuple):
    """A message between supervisor and keeper about one seat."""

    kind: int
    seat: int
    value: int = 0
    """STARTED: the process id; DIED: the exit code, or the signal below 0."""
    by_us: int = 0
    """DIED: whether the keeper killed it on demand."""
    spent: float = 0.0
    """DIED: seconds of processor time in its life."""

    def pack(self) -> bytes:
        """As bytes, all of one length."""
        return _CONTROL.pack(*self)

    @classmethod
    def unpack(cls, data: bytes) -> Control:
        """The message in the bytes."""
        return cls(*_CONTROL.unpack(data))


_CONTROL = struct.Struct("=iiiid")
CONTROL_BYTES = _CONTROL.size
START, KILL, IS_UP, STARTED_ONE, DIED = range(5)
"""To the keeper: start a worker (with its socket), kill it. From it: I am up, one has started, one died."""

# What a worker says: (READY,), (FAILED, text), (ROWS, task, rows, state) or (PLAYED, task, row): the row of the game
# that it is about to play again, which stands if the worker does not come to send another.
READY, FAILED, ROWS, PLAYED = range(4)
MORE, DONE, RETIRE = range(3)
"""With rows: there are more to come, the task is done, or this worker had better play no further game."""
LOST_FILES = 113
"""The exit code of a worker whose agent closed the socket under it."""
RUINED = 114
"""The exit code of a worker that cannot go on after what its agent did to the process."""

_LENGTH = struct.Struct("=I")
LONGEST = 1 << 30


def frame(message: tuple[Any, ...]) -> bytes:
    """A message as bytes.

    Marshal carries plain data only: whatever an agent does to its process, the supervisor runs nothing of it.
    """
    data = marshal.dumps(message)
    return _LENGTH.pack(len(data)) + data


class Frames:
    """Puts messages together from what has arrived so far."""

    def __init__(self) -> None:
        self._data = bytearray()

    def feed(self, data: bytes) -> Iterator[Any]:
        """The messages that are complete now; `ValueError` if they are none of ours."""
        self._data += data
        while len(self._data) >= _LENGTH.size:
            (length,) = _LENGTH.unpack_from(self._data)
            if length > LONGEST:
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
