"""Notes in a host which files below its folder an agent opens, by an audit hook of Python.

What compiled code opens by itself, past Python, is not seen: such files are listed under `files`.
"""

from __future__ import annotations

import os
import sys
from typing import Any

MAX_FILES = 1000
"""Files of one agent that are noted."""
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


Files = tuple[tuple[str, str], ...]
"""Data files below the folder of an agent that it has opened, as plain data: the place of each in the folder, as
`data/weights.csv`, and its hash just after; an empty one if the agent has opened it to write."""


def read_files(data: Any) -> Files:
    """Check the list of files that another process has sent; `ValueError` if it is not valid."""
    if not isinstance(data, tuple | list) or len(data) > MAX_FILES:
        raise ValueError("an invalid list of files")
    for each in data:
        if len(each) != 2 or not all(type(text) is str and len(text) < 4096 for text in each):
            raise ValueError("an invalid list of files")
    return tuple((place, digest) for place, digest in data)


class FileWatch:
    """The files that this process has opened below a folder, for reading or for writing."""

    def __init__(self, folder: str) -> None:
        self._start = os.path.join(os.path.realpath(folder), "")  # noqa: PTH118 - ends in a separator
        self._noted: dict[str, bool] = {}
        self._reported: dict[str, bool] = {}
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Called by Python at every audited event; what it raises would be raised where the agent opens a file."""
        if event == "open":
            path, _, flags = arguments
            writes = type(flags) is int and bool(flags & _WRITES)
        elif event == "sqlite3.connect" or event == "ctypes.dlopen":
            path, writes = arguments[0], False
        else:
            return
        try:
            if type(path) is int:  # the number of an open file
                return
            path = os.fsdecode(path)  # `FileIO` passes a Path as it is
            if not path.startswith("/"):
                path = os.path.join(os.getcwd(), path)  # noqa: PTH109, PTH118 - quick, for every event
            path = os.path.normpath(path)
            if path.startswith(self._start) and len(self._noted) < MAX_FILES:
                self._noted[path] = writes or self._noted.get(path, False)
        except Exception:  # noqa: BLE001 - no such folder any more, or no memory
            return

    def news(self) -> list[tuple[str, bool]]:
        """The files that were opened since the last call, and whether they were written; each once for each of both."""
        found = [(path, writes) for path, writes in list(self._noted.items()) if self._reported.get(path) is not writes]
        self._reported.update(found)
        return found
