"""The data files of an agent: files below its folder that are neither hidden nor part of a run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from sweepstakes.registry.own_modules import is_installed
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.untrusted.files import is_inside

MAX_DATA_FILES = 2000
"""Files in the folder of a sealed agent that it may read without a list of them."""
_OF_A_RUN = frozenset({"games.sqlite", "secret-seed", "hidden-seed", "seed.json", "run.lock"})
"""Files of a run or a class. If a folder has one, nothing in it or below it belongs to an agent."""
_CODE = (".py", ".pyc", ".so", ".pyd")


def own_data(path: str, plugin: PluginSource) -> str:
    """Return the relative path of a data file of a plugin, such as `data/weights.csv`, or "" if it is not one."""
    folder = plugin.folder
    if folder is None or not is_inside(path, folder) or is_installed(path):
        return ""
    try:
        place = Path(path).relative_to(os.path.realpath(folder))
    except ValueError:
        return ""
    if any(part.startswith(".") or part == "__pycache__" for part in place.parts):
        return ""
    known = {plugin.path, *(module.path for module in plugin.modules)}
    if path in known or any(_is_of_a_run(folder / parent) for parent in place.parents):
        return ""
    return place.as_posix()


def data_in_own_folder(plugin: PluginSource) -> Iterator[str]:
    """Yield the real paths of the data files, without code, of an agent that has its own folder.

    Besides the modules that it imports, these are the only files there that a sealed agent may read.
    """
    folder = plugin.folder
    if folder is None or not plugin.has_own_folder:
        return
    count = 0
    for home, folders, files in os.walk(os.path.realpath(folder)):
        if _is_of_a_run(Path(home)):
            folders.clear()
            continue
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name != "__pycache__")
        for name in sorted(files):
            if name.startswith(".") or name.endswith(_CODE):
                continue
            real = os.path.realpath(Path(home, name))
            if is_inside(real, folder) and not is_installed(real):
                count += 1
                yield real
                if count == MAX_DATA_FILES:
                    return


def _is_of_a_run(folder: Path) -> bool:
    return any((folder / name).exists() for name in _OF_A_RUN)
