"""How bytes go between the referee and a host: questions, answers, and what the agent writes."""

from __future__ import annotations

import functools
import os
import select
from contextlib import ExitStack, contextmanager, suppress
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

READ = 1 << 16
"""Bytes that are read at a time."""
MAX_READS = 16
"""How often the output of a host is read at a time: it may be written without end."""


class Pipes:
    """The referee's end of three pipes: the standard input, output and error of the host."""

    def __init__(self, question: int, answer: int, error: int) -> None:
        self._question, self._answer, self._error = question, answer, error
        for file in (question, answer, error):
            os.set_blocking(file, False)
        self.read = functools.partial(os.read, answer)
        """Returns some bytes of answers, none at their end. `BlockingIOError` if there are none yet."""
        self.write = functools.partial(os.write, question)
        """Sends some of the bytes and returns how many. `BlockingIOError` if none can be sent now."""
        self.readable = select.poll()
        """Waits until there is something to read."""
        self.readable.register(answer, select.POLLIN)
        self.readable.register(error, select.POLLIN)
        self._input_closed = False

    def writable(self) -> select.poll:
        """What waits until something can be sent."""
        poll = select.poll()
        poll.register(self._question, select.POLLOUT)
        return poll

    def read_output(self) -> bytes:
        """Some of what the agent has written to its standard error, as far as it is there; bounded."""
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
        """Close the standard input of the host."""
        if not self._input_closed:
            self._input_closed = True
            os.close(self._question)

    def close(self) -> None:
        """Close the three files."""
        self.close_input()
        os.close(self._answer)
        os.close(self._error)


@contextmanager
def pipes() -> Iterator[tuple[Pipes, list[int]]]:
    """Three new pipes: the referee's ends, which stay open unless the block raises, and those of the host."""
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
