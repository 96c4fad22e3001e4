"""What an agent writes to its standard output and error, as far as it is kept."""

from __future__ import annotations

from typing import Any

from sweepstakes.untrusted.text import clean_output

BEGINNING, END = 4_000, 10_000
"""Number of first and of last bytes that are kept, in one game or in one step of a check."""


def read_output(text: Any) -> str:
    """Check the output that another process sends with a row. Raise `TypeError` if it is not a text."""
    if type(text) is not str:
        raise TypeError("the output of an agent is a text")
    return clean_output(text.encode(errors="replace")[: 2 * (BEGINNING + END)])


class Written:
    """The beginning and the end of what an agent has written. The middle of a long output is left out."""

    def __init__(self) -> None:
        self._beginning, self._end, self._left_out = b"", b"", 0

    def add(self, data: bytes) -> None:
        """Add what the agent has just written."""
        missing = BEGINNING - len(self._beginning)
        self._beginning += data[:missing]
        end = self._end + data[missing:]
        self._left_out += max(len(end) - END, 0)
        self._end = end[-END:]

    def take(self) -> bytes:
        """Return what is kept, with a line for what was left out, and begin again."""
        data = self._data()
        self._beginning, self._end, self._left_out = b"", b"", 0
        return data

    def _data(self) -> bytes:
        if not self._left_out:
            return self._beginning + self._end
        return b"%b\n... %d bytes left out ...\n%b" % (self._beginning, self._left_out, self._end)

    @property
    def text(self) -> str:
        """What is kept, as lines that can be printed."""
        return clean_output(self._data())
