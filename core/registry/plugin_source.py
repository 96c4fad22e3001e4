"""The source of a plugin: a value that says where its code is, so that another process can load it."""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import importlib.util
import os
import re
import sys
from collections.abc import Sequence
from importlib.machinery import SourceFileLoader
from pathlib import Path
from typing import Any, NamedTuple

import sweepstakes.plugins as home
from sweepstakes import hookspecs
from sweepstakes.errors import PluginError
from sweepstakes.registry.import_statements import Imports
from sweepstakes.registry.own_modules import (
    MAX_BYTES,
    OwnModule,
    make_importable,
    modules_named,
    modules_of_files,
    own_modules,
    version_of,
)
from sweepstakes.untrusted.files import read_file

AGENT_FILE = "agent.py"
"""The name of an agent's file in a folder for this agent alone. It may also have the name of the folder."""


class PluginSource(NamedTuple):
    """The location and text of a plugin's code, as plain data. Another process can load exactly this plugin from it."""

    kind: str
    """`module` (in `sweepstakes.plugins`), `file`, or `entry point` (of an installed distribution)."""
    name: str
    """The module in `sweepstakes.plugins`, the name of the file, or the name of the entry point."""
    path: str = ""
    text: str = ""
    """The text of the file as it was when it was first read, each byte as one character."""
    value: str = ""
    """The module of an entry point, and perhaps an object in it; for a module the folder of plugins that it is in."""
    modules: tuple[OwnModule, ...] = ()
    """The plugin's own modules."""
    release: str = ""
    """Name and version of the installed distribution that an entry point belongs to."""
    alone: bool = False
    """Whether no other file in the same folder belongs to the plugin."""

    @classmethod
    def of_plain(cls, data: Sequence[Any]) -> PluginSource:
        """Return the source that was sent to another process as plain data."""
        source = cls(*data)
        return source._replace(modules=tuple(OwnModule(*module) for module in source.modules))

    @classmethod
    def of_file(
        cls,
        path: Path,
        imports: Imports,
        module: str = "",
        *,
        alone: bool = False,
        files: Sequence[str] = (),
    ) -> PluginSource:
        """Read the file. Raise `PluginError` if it cannot be a plugin. `module` is its name in `sweepstakes.plugins`.

        A plugin that is `alone` imports nothing from its folder. Python files among `files` are also its modules.
        `imports` reads import statements.
        """
        if path.is_dir():
            raise PluginError("it is a folder: expected a file that ends in .py")
        if not path.is_file():
            raise PluginError("there is no such file")
        if path.suffix != ".py":
            raise PluginError("not a Python file: expected a name that ends in .py")
        try:
            text = read_file(path, MAX_BYTES, PluginError).decode("latin-1")
        except PluginError as error:
            raise PluginError(f"it {error.reason}" if error.where else error) from None
        if not module:
            folder = None if alone else path.parent
            found = {each.name: each for each in own_modules(path, text, imports, folder=folder)}
            found |= {each.name: each for each in modules_of_files(files, path.parent, imports)}
            return cls("file", path.stem, str(path), text, modules=tuple(sorted(found.values())), alone=alone)
        depth = module.count(".") - 2 + (path.name == "__init__.py")
        modules = own_modules(path, text, imports, folder=None, name=module)
        return cls("module", module, str(path), text, str(path.parents[depth]), modules)

    @classmethod
    def of_entry_point(cls, point: importlib.metadata.EntryPoint, imports: Imports) -> PluginSource:
        """Make the source of an entry point of an installed distribution. Files of an editable install are read."""
        release = f"{point.dist.name} {point.dist.version}" if point.dist is not None else ""
        modules = modules_named([point.value.partition(":")[0].strip()], imports)
        return cls("entry point", point.name, value=point.value, modules=modules, release=release)

    @property
    def folder(self) -> Path | None:
        """The folder of a plugin that is a file. Its files belong to the plugin. None for any other plugin."""
        return Path(self.path).parent if self.kind == "file" and not self.alone else None

    @property
    def has_own_folder(self) -> bool:
        """Whether the folder is for this plugin alone. Its file is then called `agent.py`, or like the folder."""
        path = Path(self.path)
        return self.folder is not None and (path.name == AGENT_FILE or path.stem == path.parent.name)

    @property
    def version(self) -> str:
        """The identity of the plugin: the hash of its text, or its release, and the hash of its own modules."""
        text = self.release or hashlib.sha256(self.text.encode("latin-1")).hexdigest()[:12]
        return "+".join(part for part in (text, version_of(self.modules)) if part)

    def readable_files(self) -> list[str]:
        """Return the real paths of the plugin's files, without files whose contents have changed, for example behind a
        new link."""
        texts = [(self.path, self.text)] if self.path else []
        compiled = []
        for module in self.modules:
            if module.kind == "extension":
                compiled.append(os.path.realpath(module.path))  # whose contents are compared when it is loaded
            elif module.kind != "namespace":
                texts.append((module.path, module.text))
        return [os.path.realpath(path) for path, text in texts if _has_text(path, text)] + compiled

    def load(self) -> Any:
        """Import the plugin: the text that was hashed, whatever the file contains by now."""
        make_importable(self.modules)
        if self.kind == "entry point":
            return importlib.metadata.EntryPoint(self.name, self.value, hookspecs.PROJECT).load()
        if self.kind == "module":
            if self.value and self.value not in map(str, home.__path__):
                home.__path__.append(self.value)
            importlib.import_module(self.name.rpartition(".")[0])
            name = self.name
        else:
            name = f"sweepstakes_plugin_{re.sub(r'[^0-9a-zA-Z]', '_', self.name)}_{self.version.replace('+', '_')}"
        path = Path(self.path)
        folder = [str(path.parent)] if path.name == "__init__.py" else None
        spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=folder)
        assert spec is not None
        assert isinstance(spec.loader, SourceFileLoader)
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        try:
            # The loader would read the file again, or an outdated compiled copy.
            exec(spec.loader.source_to_code(self.text.encode("latin-1"), self.path), module.__dict__)
        except BaseException:
            del sys.modules[name]
            raise
        return module


def _has_text(path: str, text: str) -> bool:
    try:
        return read_file(Path(path), MAX_BYTES, PluginError) == text.encode("latin-1")
    except PluginError:
        return False
