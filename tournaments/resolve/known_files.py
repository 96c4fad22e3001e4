"""The data files that the agents of a run have opened while they played.

The files that an agent opens while it is imported and made are part of its version. Files that it opens later, perhaps
only in a few games, are known only then. So the run stores a list of these files for each agent. If one of them has
changed when the run is planned again, the agent has another version and plays again.
"""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from sweepstakes.errors import PluginError
from sweepstakes.registry.agent_source import own_files
from sweepstakes.registry.opened_files import Files
from sweepstakes.tournaments.plan import Entry
from sweepstakes.untrusted.files import is_file

META = "files"
"""The key of the lists in the table `meta`."""
FILE_LISTS = "data-files.json"
"""The file with the lists in a publication."""
MAX_LISTS = 1 << 24
"""The maximum size of that file, in bytes."""
_GONE = "gone"


@dataclass
class FileList:
    """The data files that one version of an agent has opened while it played."""

    base: str
    """The key that the agent has without them."""
    version: str
    files: dict[str, str] = field(default_factory=dict)
    """The hash of each file when it was first opened, by its relative path; "" for a file that the agent writes."""

    def add(self, files: Files) -> bool:
        """Add files and return whether any is new. The agent does not play by a file that it has written."""
        before = dict(self.files)
        for place, digest in files:
            if not digest or place not in self.files:
                self.files[place] = digest
        return self.files != before


FileLists = dict[str, FileList]
"""The file lists by the key of the agent."""


def read_lists(text: str) -> FileLists:
    """Read the lists in a text; invalid ones are left out."""
    lists: FileLists = {}
    with suppress(ValueError, RecursionError, AttributeError):
        for key, data in json.loads(text).items():
            with suppress(TypeError, KeyError, AttributeError):
                files = {str(place): str(digest) for place, digest in data["files"].items()}
                lists[key] = FileList(str(data["base"]), str(data["version"]), files)
    return lists


def lists_text(lists: Mapping[str, FileList]) -> str:
    """Return the lists as text."""
    plain = {key: {"base": each.base, "version": each.version, "files": each.files} for key, each in lists.items()}
    return json.dumps(plain, sort_keys=True)


def with_known_files(entry: Entry, lists: FileLists) -> Entry:
    """Return the agent in the version that it has with the files that it is known to open, as they are now.

    If the files are the same as for an earlier version, that version is returned.
    """
    family = [each for each in lists.values() if each.base == entry.key]
    places = read_places(family)
    folder = _folder(entry)
    if folder is None or entry.source is None or not places:
        return entry
    now = files_now(folder, places)
    known = {file.path for file in entry.source.files}
    paths = [str(folder / place) for place, digest in now.items() if digest != _GONE]
    more = [file._replace(seen=True) for file in own_files(paths, folder) if file.path not in known]
    source = entry.source._replace(files=(*entry.source.files, *more))
    for each in family:
        if all(now[place] == digest for place, digest in each.files.items() if place in now):
            return entry._replace(version=each.version, source=source)
    version = f"{entry.version}+{hashlib.sha256(json.dumps(sorted(now.items())).encode()).hexdigest()[:12]}"
    changed = entry._replace(version=version, source=source)
    lists[changed.key] = FileList(entry.key, version, now)
    return changed


def read_places(family: Iterable[FileList]) -> list[str]:
    """Return the relative paths of files that versions of an agent read and that none of them writes."""
    family = list(family)
    written = {place for each in family for place, digest in each.files.items() if not digest}
    return sorted({place for each in family for place in each.files} - written)


def files_now(folder: Path, places: Iterable[str]) -> dict[str, str]:
    """Return the hash of each file below the folder of an agent."""
    found = {}
    for place in places:
        found[place] = _GONE
        with suppress(PluginError):
            if is_file(folder / place):
                found[place] = own_files([str(folder / place)], folder)[0].digest
    return found


def differ(files: Mapping[str, str], entry: Entry) -> bool:
    """Return whether a file that an agent has opened elsewhere differs from the file of this agent."""
    folder = _folder(entry)
    read = {place: digest for place, digest in files.items() if digest}
    return folder is None or files_now(folder, read) != read


def data_files(entry: Entry) -> Files:
    """Return the data files in the folder of an agent that are known before it plays: they are in its version."""
    folder = _folder(entry)
    if folder is None or entry.source is None:
        return ()
    files = [(Path(file.path), file.digest) for file in entry.source.files]
    return tuple((path.relative_to(folder).as_posix(), digest) for path, digest in files if path.is_relative_to(folder))


def conflict(one: FileList, other: FileList) -> str:
    """Return the first file with different hashes in the two lists, or "" if there is no such file."""
    both = sorted(one.files.keys() & other.files.keys())
    return next((place for place in both if one.files[place] != other.files[place]), "")


def _folder(entry: Entry) -> Path | None:
    plugin: Any = entry.source.plugin if entry.source is not None else None
    return Path(os.path.realpath(plugin.folder)) if plugin is not None and plugin.folder is not None else None
