"""What an agent writes to its standard output and error, as far as it is kept."""

from __future__ import annotations

import threading
from typing import Any

from sweepstakes.untrusted.text import clean_output

BEGINNING, END = 4_000, 10_000
"""Bytes that are kept of what an agent writes, in one game or in one step of a check: the first and the last ones."""


def read_output(text: Any) -> str:
    """The output that another process sends with a row; `TypeError` if it is not a text."""
    if type(text) is not str:
        raise TypeError("the output of an agent is a text")
    return clean_output(text.encode(errors="replace")[: 2 * (BEGINNING + END)])


class Written:
    """The beginning and the end of what an agent has written; the middle is left out if that is long."""

    def __init__(self) -> None:
        self._beginning = b""
        self._end = b""
        self._left_out = 0
        self._lock = threading.RLock()  # of a spawned host, a thread adds what it writes

    def add(self, data: bytes) -> None:
        """Add what the agent has just written."""
        with self._lock:
            room = BEGINNING - len(self._beginning)
            if room > 0:
                self._beginning += data[:room]
                data = data[room:]
            end = self._end + data
            self._left_out += max(len(end) - END, 0)
            self._end = end[-END:]

    def take(self) -> bytes:
        """Return what is kept, with a line in place of what was left out, and begin again."""
        with self._lock:
            data = self._data()
            self._beginning = self._end = b""
            self._left_out = 0
            return data

    def _data(self) -> bytes:
        if not self._left_out:
            return self._beginning + self._end
        return b"%b\n... %d bytes left out ...\n%b" % (self._beginning, self._left_out, self._end)

    @property
    def text(self) -> str:
        """What is kept, as lines that can be printed."""
        with self._lock:
            data = self._data()
        return clean_output(data)
