"""Pack the files that a plan names, for another machine that does not have them.

Files that belong together, such as those of one agent, keep their relative paths, so that a plugin finds the files next
to it. A group of files is unpacked into a folder whose name is the hash of its contents, so that files with the same
name do not collide.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path, PurePath
from typing import NamedTuple

from sweepstakes.errors import RunError, located
from sweepstakes.registry.agent_source import AgentSource, OwnFile
from sweepstakes.spec import Spec
from sweepstakes.tournaments.plan import Plan
from sweepstakes.untrusted.files import is_url

MAX_BYTES = 1 << 28
"""The maximum size of all files of a plan together, in bytes."""


class PackedFile(NamedTuple):
    """A file and its contents."""

    path: str
    """Its absolute path on the machine that packed it."""
    mode: int
    contents: bytes


Paths = tuple[str, ...]
"""The paths of files that belong together, or of one folder. They identify the group."""


Files = Mapping[Paths, tuple[PackedFile, ...]]
"""Packed files, by group."""


def pack_files(plan: Plan) -> Files:
    """Return the files that a plan names, as they are now. Raise `RunError` if one cannot be read or has changed."""
    sources = [entry.source for entry in plan.entries if entry.source is not None]
    plugins = [*plan.plugins, *(source.plugin for source in sources if source.plugin is not None)]
    texts = {plugin.path: plugin.text for plugin in plugins if plugin.text}
    digests = {file.path: file.digest for source in sources for file in source.files}
    groups = {
        *(_agent_files(source) for source in sources),
        *((plugin.path,) for plugin in plan.plugins),
        *((path,) for condition in plan.conditions for path in _board_paths(condition.source)),
    }
    packed = {group: tuple(_pack(group, texts)) for group in sorted(groups) if any(group)}
    files = [file for group in packed.values() for file in group]
    for file in files:
        if file.path in digests and digests[file.path] != hashlib.sha256(file.contents).hexdigest():
            raise RunError(f"{located(file.path)} has changed since the run was started: stop and run again")
    if sum(len(file.contents) for file in files) > MAX_BYTES:
        raise RunError(f"the files of the tournament have more than {MAX_BYTES >> 20} MB: no node accepts more")
    return packed


def unpack_files(plan: Plan, packed: Files, folder: Path) -> Plan:
    """Write the files into the folder, and return the plan that names them there."""
    places = {paths: _unpack(paths, files, folder) for paths, files in packed.items()}
    return plan._replace(
        entries=tuple(
            entry if entry.source is None else entry._replace(source=_move_agent(entry.source, places))
            for entry in plan.entries
        ),
        conditions=tuple(c._replace(source=_move_boards(c.source, places)) for c in plan.conditions),
        plugins=tuple(
            plugin._replace(path=places[plugin.path,][plugin.path]) if plugin.path else plugin
            for plugin in plan.plugins
        ),
    )


Places = Mapping[Paths, Mapping[str, str]]
"""For each group, where its files and folders are now."""


def _agent_files(source: AgentSource) -> Paths:
    """Return the files of an agent: everything that its host reads, except installed modules."""
    plugin = [source.plugin.path] if source.plugin is not None and source.plugin.path else []
    return (*plugin, *(file.path for file in source.files))


def _move_agent(source: AgentSource, places: Places) -> AgentSource:
    """Return the agent with its files in new places. A program that exists on this machine, such as Python, stays."""
    moved = dict(places.get(_agent_files(source), {}))
    own = source.plugin is not None and source.plugin.has_own_folder  # the name of its folder may be different here
    files = {file.path: OwnFile(moved[file.path], file.digest, file.seen and not own) for file in source.files}
    if source.words and source.words[0] in files:
        here = OwnFile(source.words[0], files[source.words[0]].digest)
        if not here.has_changed():
            files[here.path] = here
    plugin = source.plugin
    return source._replace(
        plugin=plugin._replace(path=moved[plugin.path]) if plugin is not None and plugin.path else plugin,
        files=tuple(files.values()),
        words=tuple(files[word].path if word in files else word for word in source.words),
    )


def _board_paths(source: Spec) -> list[str]:
    """Return the files and folders that a board source reads, by its parameter `path`."""
    value = source.parameters.get("path", [])
    listed = [value] if isinstance(value, str) else value if isinstance(value, list) else []
    return [path for path in listed if isinstance(path, str) and not is_url(path)]


def _move_boards(source: Spec, places: Places) -> Spec:
    moved = {path: places[path,][path] for path in _board_paths(source)}
    if not moved:
        return source
    value = source.parameters["path"]
    path = moved[value] if isinstance(value, str) else [moved.get(each, each) for each in value]
    return replace(source, parameters={**source.parameters, "path": path})


def _pack(paths: Paths, texts: Mapping[str, str]) -> Iterator[PackedFile]:
    """Yield the files at these paths, and in folders among them. `texts` are the texts of plugins as they were read."""
    for path in paths:
        try:
            if path in texts:
                yield PackedFile(path, 0o644, texts[path].encode("latin-1"))
                continue
            folder = Path(path)
            for file in sorted(folder.iterdir()) if folder.is_dir() else [folder]:
                if file.is_file() or file == folder:
                    yield PackedFile(str(file), file.stat().st_mode & 0o777, file.read_bytes())
        except OSError as error:
            raise RunError(f"{located(path)}: cannot be read: {error.strerror}") from None


def _unpack(paths: Paths, files: Sequence[PackedFile], folder: Path) -> dict[str, str]:
    """Write the files of a group; returns where its paths and its files are now."""
    digest = hashlib.sha256(repr([(f.path, hashlib.sha256(f.contents).hexdigest()) for f in files]).encode())
    top = PurePath(os.path.commonpath([PurePath(path).parent for path in paths]))
    home = folder / digest.hexdigest()[:16]
    for file in files:
        place = home / PurePath(file.path).relative_to(top)
        place.parent.mkdir(parents=True, exist_ok=True)
        if not place.exists():
            place.write_bytes(file.contents)
            place.chmod(file.mode | 0o400)
    return {path: str(home / PurePath(path).relative_to(top)) for path in (*paths, *(file.path for file in files))}
