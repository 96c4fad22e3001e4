"""Records which data files below its folder an agent opens, with an audit hook of Python in its host.

Files that compiled code opens by itself are not seen: users list them under `files`.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from sweepstakes.errors import PluginError
from sweepstakes.registry.agent_source import AgentSource, OwnFile, ReadFile
from sweepstakes.registry.own_data import data_in_own_folder, own_data

MAX_FILES = 1000
"""Maximum number of files of one agent that are noted."""
_WRITES = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC | os.O_APPEND


Files = tuple[tuple[str, str], ...]
"""Data files below the folder of an agent that it has opened, as plain data: for each its place in the folder, as
`data/weights.csv`, and its hash just after, or "" if the agent has opened it to write."""


def read_files(data: Any) -> Files:
    """Check the list of files that another process has sent. Raise `ValueError` if it is not valid."""
    if not isinstance(data, tuple | list) or len(data) > MAX_FILES:
        raise ValueError("an invalid list of files")
    for each in data:
        if len(each) != 2 or not all(type(text) is str and len(text) < 4096 for text in each):
            raise ValueError("an invalid list of files")
    return tuple((place, digest) for place, digest in data)


def checked_files(agent: AgentSource, news: Sequence[Any], *, sealed: bool) -> tuple[ReadFile, ...]:
    """Return the files that the host of an agent reports (`FileWatch.news`), without those that are missing or not its
    own.

    Files that a `sealed` agent may not read are left out too, since it only tried to open them. Raise `TypeError` or
    `ValueError` if what the host reports is not valid.
    """
    plugin = agent.plugin
    assert plugin is not None
    known = {file.path for file in agent.files}
    readable = set(data_in_own_folder(plugin)) if news and sealed else None
    found = []
    for path, written in news[:MAX_FILES]:
        if type(path) is not str or "\0" in path:
            continue
        real = os.path.realpath(path)
        if real in known or not (place := own_data(real, plugin)) or (readable is not None and real not in readable):
            continue
        if written is True:
            found.append(ReadFile(place, ""))
        else:
            with suppress(PluginError):
                found.append(ReadFile(place, OwnFile.of(real, plugin.folder).digest))
    return tuple(found)


class FileWatch:
    """Watches, in a host, which files below a folder are opened, for reading or for writing."""

    def __init__(self, folder: str) -> None:
        self._start = os.path.join(os.path.realpath(folder), "")  # noqa: PTH118 - ends in a separator
        self._noted: dict[str, bool] = {}
        self._reported: dict[str, bool] = {}
        sys.addaudithook(self._hear)

    def _hear(self, event: str, arguments: tuple[Any, ...]) -> None:
        """Note the file of an audited event. It must not raise: that would reach the code that opens the file."""
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
            path = os.fsdecode(path)  # `FileIO` passes a `Path` unchanged
            if not path.startswith("/"):
                path = os.path.join(os.getcwd(), path)  # noqa: PTH109, PTH118 - quick, for every event
            path = os.path.normpath(path)
            if path.startswith(self._start) and len(self._noted) < MAX_FILES:
                self._noted[path] = writes or self._noted.get(path, False)
        except Exception:  # noqa: BLE001 - no such folder any more, or no memory
            return

    def news(self) -> list[tuple[str, bool]]:
        """Return the files opened since the last call, and whether for writing. A change is reported again."""
        found = [(path, writes) for path, writes in list(self._noted.items()) if self._reported.get(path) is not writes]
        self._reported.update(found)
        return found
