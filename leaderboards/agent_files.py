"""The files of a tournament's agents in a publication: copied into it, and named there by its tournament file."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path

from sweepstakes.errors import PluginError, RunError
from sweepstakes.hosting.describing import read_imports
from sweepstakes.registry.agent_source import path_files
from sweepstakes.registry.own_data import own_data
from sweepstakes.registry.own_modules import OwnModule, home_of
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.registry.program_identity import folder_of, named_files
from sweepstakes.spec import Spec
from sweepstakes.tournaments.config.model import AgentItem, Tournament
from sweepstakes.tournaments.resolve.known_files import FileList, files_now
from sweepstakes.tournaments.review.agent_page import FOLDER, file_name
from sweepstakes.tournaments.storage.database import run_errors
from sweepstakes.untrusted.files import is_file, make_folder, opened


def with_files_here(config: Tournament) -> tuple[AgentItem, ...]:
    """Return the agents as named in the tournament file of a publication, with their files in folders next to it."""
    folders = _folders(config)
    return tuple(item.moved(_mover(item.spec, folders)) for item in config.agents)


def has_agent_files(config: Tournament) -> bool:
    """Return whether an agent of the tournament has its own files."""
    return bool(_folders(config))


def copy_agent_files(config: Tournament, target: Path, lists: Iterable[FileList] = ()) -> list[Path]:
    """Copy the files of the agents to a publication. Return the copies. Raise `RunError` if a file cannot be read.

    `lists` are the data files that the agents have opened. Those that have not changed are also copied.
    """
    read = {(place, digest) for each in lists for place, digest in each.files.items() if digest}
    copies: list[Path] = []
    folders = _folders(config)
    for item in config.agents:
        folder = folders.get(_home(item.spec))
        if folder is None:
            continue
        for place, source in _own_files(item, config, read).items():
            copy = target / folder / place
            if copy in copies:
                continue
            if copy.resolve() == source.resolve():
                copies.append(copy)
                continue
            with opened(source, RunError, _must_be_in(source, item.spec)) as file:
                data, mode = file.read(), os.fstat(file.fileno()).st_mode
            with run_errors(copy, "written"):
                make_folder(copy.parent)
                copy.write_bytes(data)
                copy.chmod(mode & 0o777)
            copies.append(copy)
    return copies


def _mover(named: Spec, folders: Mapping[str, str]) -> Callable[[Spec], Spec]:
    """Return a function that gives a spec the paths of a publication, for `AgentItem.moved`."""
    folder = folders.get(_home(named), "")
    return lambda spec: _moved(spec, folder)


def _home(spec: Spec) -> str:
    """Return the file that offers an agent, or its program; "" if the agent has no file."""
    if spec.file:
        return os.path.realpath(spec.file)
    named = _own_words(spec)
    return os.path.realpath(named[0]) if named else ""


def _own_words(spec: Spec) -> list[str]:
    """Return the files among the words of a program, without interpreters that a system has."""
    system = ("/bin", "/nix", "/opt", "/sbin", "/usr", sys.prefix, sys.base_prefix)
    named = [(word, Path(word).absolute()) for word in named_files(spec.words)]
    return [word for word, path in named if not any(path.is_relative_to(folder) for folder in system)]


def _folders(config: Tournament) -> dict[str, str]:
    """Return the folder in a publication for each file that offers agents, and for each program."""
    folders: dict[str, str] = {}
    for item in config.agents:
        home = _home(item.spec)
        if home and home not in folders:
            name = file_name(Path(home).stem)
            while f"{FOLDER}/{name}" in folders.values():
                name += "-"
            folders[home] = f"{FOLDER}/{name}"
    return folders


def _moved(spec: Spec, folder: str) -> Spec:
    """Return the spec with its files in a folder of the publication."""
    if not folder:
        return spec.portable
    home = Path(_home(spec)).parent

    def here(path: str) -> str:
        return f"{folder}/{_place(Path(path), home)}"

    named = set(_own_words(spec))
    paths = set(path_files(spec.parameters))
    path = spec.parameters.get("path")
    moved = [here(each) if each in paths else each for each in (path if isinstance(path, list | tuple) else [path])]
    changed: Mapping[str, object] = {"path": moved if isinstance(path, list | tuple) else moved[0]} if paths else {}
    return replace(
        spec,
        file=here(spec.file) if spec.file else "",
        words=tuple(here(word) if word in named else word for word in spec.words),
        files=tuple(here(file) for file in spec.files),
        parameters={**spec.parameters, **changed},
    )


def _must_be_in(source: Path, spec: Spec) -> Path | None:
    """Return the folder that a file of an agent must really lie in: no link publishes another file."""
    if str(source) in spec.words:
        return folder_of(str(source))
    return None if str(source) == spec.file else home_of(source, Path(_home(spec)).parent)


def _own_files(item: AgentItem, config: Tournament, data: Iterable[tuple[str, str]]) -> dict[str, Path]:
    """Return the files of an agent by their path in its folder. A submission that is a link has no files."""
    spec = item.spec
    try:
        alone = item.is_alone(config.agents)
    except PluginError:
        return {}
    home = Path(_home(spec)).parent
    paths = [*spec.files, *path_files(spec.parameters), *_own_words(spec), *([spec.file] if spec.file else [])]
    found = {_place(Path(path), home): Path(path) for path in paths}
    if spec.file:
        try:
            source = PluginSource.of_file(Path(spec.file).resolve(), read_imports, alone=alone, files=spec.files)
        except PluginError as error:
            if item.submission or config.on_refused == "forfeit":  # it forfeits its games
                return {place: path for place, path in found.items() if str(path) == spec.file and is_file(path)}
            raise RunError(f"{spec.file}: {error}") from None
        found |= {place: Path(module.path) for module in source.modules for place in module_place(module)}
        for place, digest in data:
            folder = source.folder
            if folder is None or own_data(str(folder / place), source) != place:
                continue
            if files_now(folder, [place])[place] == digest:
                found.setdefault(place, folder / place)
    return found


def _place(path: Path, home: Path) -> str:
    """Return the path of a file in the folder of its agent: unchanged below the agent's folder, else its name."""
    real = Path(os.path.realpath(path))
    return real.relative_to(home).as_posix() if real.is_relative_to(home) else path.name


def module_place(module: OwnModule) -> Iterator[str]:
    """Yield the paths of a module in the folder of its agent, so that it is found by its name."""
    words = "/".join(module.name.split("."))
    if module.kind == "package":
        yield f"{words}/__init__.py"
    elif module.kind == "extension":
        yield f"{words}{Path(module.path).name.removeprefix(Path(words).name)}"
    elif module.kind == "module":
        yield f"{words}.py"
