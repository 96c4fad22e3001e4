"""The source of an agent as a value: everything that a host needs to play it, without importing it."""

from __future__ import annotations

import hashlib
import json
import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sweepstakes.errors import PluginError
from sweepstakes.registry.own_modules import home_of
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.registry.program_identity import digest_of, folder_of, named_files
from sweepstakes.spec import COMMAND, Spec
from sweepstakes.untrusted.files import is_file


class OwnFile(NamedTuple):
    """An own file of an agent, as it was when the tournament was planned."""

    path: str
    digest: str
    seen: bool = False
    """Whether the agent was observed to open the file, which is not listed. A sealed agent cannot read such a file."""

    @classmethod
    def of(cls, path: str, folder: Path | None = None) -> OwnFile:
        """Return the file as it is now. Raise `PluginError` if it cannot be read, or is behind a link that leaves its
        folder.

        `folder` is the folder of the agent: see `home_of`.
        """
        digest = digest_of(Path(path), home_of(Path(path), folder))
        return cls(os.path.realpath(path), digest)

    @classmethod
    def of_word(cls, word: str) -> OwnFile:
        """Return a file among the words of a program."""
        return cls(str(Path(word).absolute()), digest_of(Path(word), folder_of(word)))

    def has_changed(self) -> bool:
        """Return whether the file has been changed or deleted."""
        try:
            return digest_of(Path(self.path), folder_of(self.path)) != self.digest
        except PluginError:
            return True


class ReadFile(NamedTuple):
    """A data file below the folder of an agent that the agent has opened."""

    place: str
    """Its path in the folder of the agent, as in `data/weights.csv`."""
    digest: str
    """The hash of the file right after it was opened; "" if it was opened for writing and thus is not an input."""


class AgentSource(NamedTuple):
    """An agent that a spec names, and everything that a host needs to play it. It can be pickled."""

    plugin: PluginSource | None
    """The plugin that offers the agent; None for a program, or for an agent that runs in this process."""
    name: str = ""
    """The name of the agent, without the file that offers it. The name of a program is its command without paths."""
    parameters: Mapping[str, Any] = {}
    words: tuple[str, ...] = ()
    """The command line of a program."""
    files: tuple[OwnFile, ...] = ()
    kernels: bool = False
    """Whether the agent may use compiled code of this package."""
    task: str = ""
    """If this is not an agent: `module:function` of this package. A host calls it with the parameters and answers with
    the result as JSON."""
    version: str = ""
    """The version of the agent: it changes whenever the agent or one of its files does."""
    repeatable: bool = True
    """Whether the agent plays a game the same way every time."""

    @classmethod
    def of_plain(cls, data: Sequence[Any]) -> AgentSource:
        """Return the agent that was sent to another process as plain data."""
        source = cls(*data)
        return source._replace(plugin=None if source.plugin is None else PluginSource.of_plain(source.plugin))

    @property
    def spec(self) -> Spec:
        """Its name and parameters."""
        return Spec(self.name, self.parameters)

    @property
    def hosted(self) -> bool:
        """Whether the agent runs in a host; False for an agent that runs in this process."""
        return self.plugin is not None or bool(self.words)

    @property
    def label(self) -> str:
        """The name of the agent in a log."""
        file = self.words[-1] if self.words else self.plugin.path if self.plugin is not None else ""
        return Path(file).name if self.words else self.name or Path(file).name or "-"

    def with_version(self, version: str) -> AgentSource:
        """Return the agent with this version of its plugin, and the version of its files."""
        parts = sorted((Path(file.path).name, file.digest) for file in self.files)
        files = f"+{hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12]}" if parts else ""
        return self._replace(version=version + files)

    def with_read_files(self, files: Sequence[ReadFile]) -> AgentSource:
        """Return the agent with the data files that it was seen to open, without those that it writes itself."""
        folder = self.plugin.folder if self.plugin is not None else None
        if folder is None:
            return self
        written = {file.place for file in files if not file.digest}
        known = {file.path for file in self.files}
        read = sorted({os.path.realpath(folder / file.place) for file in files if file.place not in written} - known)
        found = own_files([path for path in read if is_file(Path(path))], folder)
        return self._replace(files=(*self.files, *(file._replace(seen=True) for file in found)))


def program_source(spec: Spec) -> AgentSource:
    """Return what a host needs to start the program. Raise `PluginError` if one of its files cannot be read."""
    named = named_files(spec.words)
    own = {word: OwnFile.of_word(word) for word in named}
    files = (*own.values(), *own_files([file for file in spec.files if file not in own]))
    words = tuple(str(Path(word).absolute()) if word in named else word for word in spec.words)
    return AgentSource(None, COMMAND + spec.portable.command, dict(spec.parameters), words, files)


def own_files(paths: Sequence[str], folder: Path | None = None) -> tuple[OwnFile, ...]:
    """Return the files that an agent reads, as they are now. Raise `PluginError` if one cannot be read.

    `folder` is the folder of the agent. The real path of a file must be in it, unless the file is listed in another.
    """
    return tuple(OwnFile.of(path, folder) for path in dict.fromkeys(paths))


def path_files(parameters: Mapping[str, Any]) -> list[str]:
    """Return the files that an agent's parameter `path` names: a path or a list of paths; other values name none."""
    value = parameters.get("path")
    paths = value if isinstance(value, list | tuple) else [value]
    return [path for path in paths if isinstance(path, str) and path and is_file(Path(path))]
