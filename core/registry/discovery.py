"""Where plugins are found: in `sweepstakes.plugins`, and in the folders that SWEEPSTAKES_PLUGINS names."""

from __future__ import annotations

import os
from pathlib import Path


def in_plugins() -> list[tuple[str, Path, str]]:
    """The modules of `sweepstakes.plugins`: name, file and origin, those built in first.

    What begins with `_`, or lies in a package that is a plugin itself, is none. They are found by their files:
    importing a package to look into it would let one that is broken stop the others.
    """
    import sweepstakes.plugins as home

    found = []
    for folder in map(Path, home.__path__):
        for file in folder.rglob("*.py"):
            words = file.relative_to(folder).with_suffix("").parts
            if file.name == "__init__.py" and _is_plugin(file.parent):
                words = words[:-1]
            elif _is_plugin(file.parent):
                continue
            if words and not any(word.startswith(("_", ".")) for word in words):
                origin = "built in" if ".".join(words) in home.BUILT_IN else "dropped in"
                found.append((".".join((home.__name__, *words)), file.resolve(), origin))
    return sorted(found, key=lambda module: (module[2], module[0]))


def _is_plugin(folder: Path) -> bool:
    """Whether a package is a plugin: its `__init__.py` has a hook."""
    door = folder / "__init__.py"
    return door.is_file() and "hookimpl" in door.read_text(errors="replace")


def in_folders() -> list[Path]:
    """The files of the folders in SWEEPSTAKES_PLUGINS, or files named there."""
    folders = [Path(text) for text in os.environ.get("SWEEPSTAKES_PLUGINS", "").split(os.pathsep) if text]
    return [path for folder in folders for path in (sorted(folder.glob("*.py")) if folder.is_dir() else [folder])]
