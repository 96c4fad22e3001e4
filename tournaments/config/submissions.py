"""A folder or a pattern in the list `agents`: every file in it is entered as a submission, under its file's name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from itertools import takewhile
from pathlib import Path
from typing import Any

from sweepstakes.errors import ConfigError, ParameterError, PluginError, located
from sweepstakes.registry.plugin_source import AGENT_FILE
from sweepstakes.spec import COMMAND, Spec
from sweepstakes.untrusted.files import exists, first_link, is_folder, is_inside, leaves_folder
from sweepstakes.untrusted.plain_data import NotPlain, check_plain
from sweepstakes.untrusted.text import clean

LONGEST_LABEL = 40
"""Maximum length of a label, the same as for `as`."""


def is_several(text: Any) -> bool:
    """Return whether an item of `agents` names a folder, such as `./submissions/`, or is a pattern like `a/*.py`."""
    if not isinstance(text, str) or text.startswith(COMMAND) or "(" in text:
        return False
    return text.rstrip().endswith("/") or any(sign in text for sign in "*?[")


def expand(items: Sequence[Any], home: Path) -> list[tuple[int, Any]]:
    """Replace folders and patterns by their files. Return (place of the item, file or other item) for each.

    Paths are relative to `home`. Raises `ConfigError` if a folder or a pattern has no Python file.
    """
    taken = {label for item in items if isinstance(label := _named(item), str)}
    expanded: list[tuple[int, Any]] = []
    for place, item in enumerate(items):
        text = item.get("agent") if isinstance(item, Mapping) else item
        if not is_several(text):
            expanded.append((place, item))
            continue
        more = dict(item) if isinstance(item, Mapping) else {}
        for label, file in _labelled(_files(str(text), home), taken):
            taken.add(label)
            expanded.append((place, {**more, "agent": str(file), "as": label, "submission": True}))
    return expanded


def _named(item: Any) -> Any:
    return item.get("as") or item.get("agent") if isinstance(item, Mapping) else item


def submissions_in(folder: Path) -> list[Path]:
    """Return the files of the submissions in a folder: its Python files, and one in each of its folders.

    In a folder the agent is in agent.py, or in the file that has the name of the folder. Names that begin with `_` or
    `.` are left out.
    """
    files = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith(("_", ".")):
            continue
        if path.is_dir() and (
            path.is_symlink() or any(path.rglob("*.py"))
        ):  # a link is refused, so it is not followed here
            named = path / f"{path.name}.py"
            files.append(named if named.is_file() else path / AGENT_FILE)
        elif path.suffix == ".py":
            files.append(path)
    return files


def is_alone(file: str, submissions: Collection[str]) -> bool:
    """Return whether a submission is a single file, so that no other file in its folder belongs to it.

    Otherwise it is called `agent.py` or like its folder, and there is no other submission in the folder.
    """
    path = Path(file)
    if path.name != AGENT_FILE and path.stem != path.parent.name:
        return True
    return any(other != file and path.parent in Path(other).parents for other in submissions)


def check_submission(file: str, *, alone: bool) -> None:
    """Raise `PluginError` if a submission is a link, or leads out of its folder through one. It may be somebody else's
    file."""
    path = Path(file).absolute()
    for part in [path] if alone else [path.parent]:
        if part.is_symlink():
            target = clean(str(part.readlink()), 60)
            raise PluginError(f"{located(part)} is a link to {target}: expected the submission itself")
    if exists(path) and not is_inside(path, path.parent):
        raise PluginError(leaves_folder(path, path.parent))


def _files(text: str, home: Path) -> list[Path]:
    path = home / text.strip()
    try:
        if is_folder(path):
            files = submissions_in(path.resolve() if path.is_symlink() else path)
        else:
            pattern = Path(text.strip())
            fixed = list(takewhile(lambda part: not any(sign in part for sign in "*?["), pattern.parts[:-1]))
            root = home.joinpath(
                *fixed
            )  # the last folder that the tournament names: students control the links below it
            root = root.resolve() if root.is_symlink() else root
            found = root.glob(str(Path(*pattern.parts[len(fixed) :])))
            files = sorted(file for file in found if file.suffix == ".py" and (file.is_file() or file.is_symlink()))
            for file in files:
                _check_folders(file, root)
    except (OSError, ValueError, NotImplementedError) as error:
        raise ConfigError(f"agents: {located(text)}: cannot be read: {error}") from None
    for file in files:
        _check_name(file)
    if not files:
        what = "it contains no Python file" if is_folder(path) else "there is no such folder, and no such Python file"
        raise ConfigError(f"agents: {located(text)}: {what}")
    return files


def _check_folders(file: Path, root: Path) -> None:
    """Raise `ConfigError` if there is a link between the folder of a pattern and that of a submission."""
    link = first_link(file.parent.parent, root)
    if link is not None:
        raise ConfigError(f"agents: {located(link)} is a link: expected the folders of the submissions themselves")


def _check_name(file: Path) -> None:
    """Raise `ConfigError` if an item of the list `agents` cannot name the file, or would name another one."""
    text = str(file)
    try:
        check_plain(text)
        fits = Spec.parse(text).file == text
    except (NotPlain, ParameterError):
        fits = False
    if not fits:
        raise ConfigError(f"agents: {located(text)}: a tournament cannot name this file: rename it")


def _labelled(files: Sequence[Path], taken: set[Any]) -> list[tuple[str, Path]]:
    """Return the files with distinct labels: the name of the file or of its folder, or both if two have the same name.
    If two labels are still the same, as for long names that begin alike, the later one gets a number.
    """
    names = [file.parent.name if file.name == AGENT_FILE else file.stem for file in files]
    counts = Counter(names)
    labels: list[tuple[str, Path]] = []
    used = set(taken)
    for name, file in zip(names, files, strict=True):
        unique = counts[name] == 1 and name not in taken
        label = first = _label(name if unique else f"{file.parent.name}/{file.stem}", LONGEST_LABEL)
        number = 2
        while label in used:
            label = f"{_label(first, LONGEST_LABEL - 6)} {number}"
            number += 1
        used.add(label)
        labels.append((label, file))
    return labels


def _label(name: str, longest: int) -> str:
    return clean(name, longest).replace("@", "-") or "unnamed"
