"""The plugin files of a tournament in a publication: its board sources, noises and scores, and files of boards.

They are copied to the folder `plugins` next to the tournament file, which names them there, so that the tournament can
be run, read and verified in any folder of any machine. `SHA256SUMS` has the hash of every copied file, including those
of agents.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from sweepstakes.errors import PluginError, RunError
from sweepstakes.hosting.describing import read_imports
from sweepstakes.leaderboards.agent_files import module_place
from sweepstakes.registry.agent_source import path_files
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.spec import Spec
from sweepstakes.tournaments.config.model import Tournament
from sweepstakes.tournaments.resolve.plugins import plugin_files
from sweepstakes.tournaments.review.agent_page import file_name
from sweepstakes.tournaments.storage.database import run_errors
from sweepstakes.untrusted.files import make_folder, opened
from sweepstakes.untrusted.text import clean

FOLDER = "plugins"
SUMS = "SHA256SUMS"
"""The hashes of the copied files, in the form of the command sha256sum."""


class PluginPlaces:
    """The places of a tournament's plugin files, and of files that its board sources read, in its publication."""

    def __init__(self, config: Tournament) -> None:
        self._places: dict[str, str] = {}
        sources = [Spec.of(boards.source) for boards in config.boards]
        for file in (*plugin_files(config), *(path for spec in sources for path in path_files(spec.parameters))):
            real = os.path.realpath(file)
            if real not in self._places:
                folder = file_name(Path(file).stem)
                while any(place.startswith(f"{FOLDER}/{folder}/") for place in self._places.values()):
                    folder += "-"
                self._places[real] = f"{FOLDER}/{folder}/{Path(file).name}"
        self._plugins = {os.path.realpath(file) for file in plugin_files(config)}

    def __bool__(self) -> bool:
        return bool(self._places)

    def of(self, file: str) -> str:
        """Return the place of a file in the publication, or the name of a file that the tournament does not have."""
        return self._places.get(os.path.realpath(file), Path(file).name)

    def moved(self, written: str | Mapping[str, Any]) -> str | Mapping[str, Any]:
        """Return a spec in the form of the tournament file, with its files where they are in the publication."""
        spec = Spec.of(written)
        if spec.portable == spec:
            return written
        path = spec.parameters.get("path")
        paths = [self.of(each) for each in path] if isinstance(path, list | tuple) else path and self.of(str(path))
        parameters = {**spec.parameters, **({"path": paths} if path else {})}
        moved = replace(spec, file=self.of(spec.file) if spec.file else "", parameters={})
        return {str(moved): parameters} if parameters else str(moved)

    def files(self) -> Iterator[tuple[Path, str]]:
        """Yield every file to copy, including modules of plugins, and its place. Raise `RunError` if a plugin cannot be
        read."""
        for real, place in self._places.items():
            yield Path(real), place
            if real in self._plugins:
                try:
                    source = PluginSource.of_file(Path(real), read_imports)
                except PluginError as error:
                    raise RunError(f"{real}: {error}") from None
                home = place.rpartition("/")[0]
                yield from ((Path(m.path), f"{home}/{found}") for m in source.modules for found in module_place(m))


def copy_plugin_files(config: Tournament, target: Path) -> list[Path]:
    """Copy the plugin files and files of boards to a publication. Return the copies."""
    copies = []
    for source, place in PluginPlaces(config).files():
        copy = target / place
        if copy not in copies and copy.resolve() != source.resolve():
            with opened(source, RunError) as file:
                data = file.read()
            with run_errors(copy, "written"):
                make_folder(copy.parent)
                copy.write_bytes(data)
        copies.append(copy)
    return list(dict.fromkeys(copies))


def sums_text(files: Iterable[Path], target: Path) -> str:
    """Return the hashes of files of a publication, by their places in it."""
    lines = []
    for file in files:
        with run_errors(file):
            digest = hashlib.sha256(file.read_bytes()).hexdigest()
        lines.append(f"{digest}  {file.relative_to(target).as_posix()}\n")
    return "".join(sorted(lines, key=lambda line: line.partition("  ")[2]))


def changed_files(directory: Path) -> Iterator[str]:
    """Yield a line for each file of a publication that has changed since it was copied. Missing files are ignored."""
    sums = directory / SUMS
    if not sums.is_file():
        return
    with run_errors(sums):
        lines = sums.read_text(encoding="utf-8", errors="replace").splitlines()
    for line in lines:
        digest, _, place = line.partition("  ")
        file = directory / place
        if not place or ".." in Path(place).parts or Path(place).is_absolute():
            yield f"{SUMS}: '{clean(line, 100)}' names no file of the publication"
        elif file.is_file():
            with run_errors(file):
                if hashlib.sha256(file.read_bytes()).hexdigest() != digest:
                    yield f"{clean(place, 100)}: not the file that was published: its hash is not that in {SUMS}"
