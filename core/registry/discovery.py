"""Discovery of plugins in `sweepstakes.plugins` and in the folders that SWEEPSTAKES_PLUGINS names."""

from __future__ import annotations

import os
from pathlib import Path

import sweepstakes.plugins as home


def in_plugins() -> list[tuple[str, Path, str]]:
    """Return the plugins in `sweepstakes.plugins`: name, file and origin, built-in plugins first.

    A module is not a plugin if its name begins with `_`, or if its package is a plugin itself. Plugins are found by
    their files and not by imports, so that one broken package cannot hide the others.
    """
    modules = []
    for folder in map(Path, home.__path__):
        for file in folder.rglob("*.py"):
            words = file.relative_to(folder).with_suffix("").parts
            if file.name == "__init__.py" and _is_plugin(file.parent):
                words = words[:-1]
            elif _is_plugin(file.parent):
                continue
            if words and not any(word.startswith(("_", ".")) for word in words):
                origin = "built in" if ".".join(words) in home.BUILT_IN else "dropped in"
                modules.append((".".join((home.__name__, *words)), file.resolve(), origin))
    return sorted(modules, key=lambda module: (module[2], module[0]))


def _is_plugin(folder: Path) -> bool:
    """Return whether a package is a plugin, which means that its `__init__.py` has a hook."""
    file = folder / "__init__.py"
    return file.is_file() and "hookimpl" in file.read_text(errors="replace")


def in_folders() -> list[Path]:
    """Return the files in the folders that SWEEPSTAKES_PLUGINS names, and the files that it names."""
    folders = [Path(text) for text in os.environ.get("SWEEPSTAKES_PLUGINS", "").split(os.pathsep) if text]
    return [path for folder in folders for path in (sorted(folder.glob("*.py")) if folder.is_dir() else [folder])]
