"""The pipes between the referee and a host: for questions, for answers, and for what the agent prints."""

from __future__ import annotations

import functools
import os
import select
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

READ = 1 << 16
"""Maximum bytes that are read at once."""
MAX_READS = 16
"""Maximum number of reads of a host's output in a row, since a host may write endlessly."""


class Pipes:
    """The referee's ends of the three pipes of a host."""

    def __init__(self, question: int, answer: int, error: int) -> None:
        self._question, self._answer, self._error = question, answer, error
        for file in (question, answer, error):
            os.set_blocking(file, False)
        self.read = functools.partial(os.read, answer)
        """Returns some bytes of answers, or b"" at their end. Raises `BlockingIOError` if nothing has arrived."""
        self.write = functools.partial(os.write, question)
        """Sends some of the bytes and returns how many. Raises `BlockingIOError` if the pipe is full."""
        self.readable = select.poll()
        """Waits until something can be read."""
        self.readable.register(answer, select.POLLIN)
        self.readable.register(error, select.POLLIN)
        self._input_closed = False

    def writable(self) -> select.poll:
        """Return what waits until something can be sent."""
        poll = select.poll()
        poll.register(self._question, select.POLLOUT)
        return poll

    def read_output(self) -> bytes:
        """Return what the agent has printed and has arrived, up to a bound."""
        data = b""
        for _ in range(MAX_READS):  # a host that never stops writing must not keep the referee from its clock
            try:
                part = os.read(self._error, READ)
            except OSError:
                break
            if not part:
                with suppress(KeyError, OSError):
                    self.readable.unregister(self._error)
                break
            data += part
        return data

    def close_input(self) -> None:
        """Close the pipe for questions."""
        if not self._input_closed:
            self._input_closed = True
            os.close(self._question)

    def close(self) -> None:
        """Close the three pipes."""
        self.close_input()
        os.close(self._answer)
        os.close(self._error)


@contextmanager
def pipes() -> Iterator[tuple[Pipes, list[int]]]:
    """Make three pipes: the referee's ends, which stay open unless the block raises, and the host's ends."""
    ours: list[int] = []
    theirs: list[int] = []
    with ExitStack() as if_it_fails, ExitStack() as afterwards:
        for reads in (True, False, False):
            read, write = os.pipe()
            theirs.append(read if reads else write)
            ours.append(write if reads else read)
            if_it_fails.callback(os.close, ours[-1])
            afterwards.callback(os.close, theirs[-1])
        yield Pipes(*ours), theirs
        if_it_fails.pop_all()
