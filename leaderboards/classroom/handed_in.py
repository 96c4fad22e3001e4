"""The submissions: their dates, those without an agent, and students who had one before."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from sweepstakes.registry.plugin_source import AGENT_FILE
from sweepstakes.tournaments.storage.atomic_file import write_text
from sweepstakes.untrusted.text import clean

STUDENTS = "students.json"
"""The file in the directory of the class that lists everyone who has submitted so far."""
_MAX_FILES = 10_000


class Absent(NamedTuple):
    """A student without a submission that can be entered."""

    label: str
    status: str
    """`no agent` or `withdrawn`."""
    reason: str
    submitted: datetime | None = None


def submitted_at(file: Path, folder: Path) -> datetime | None:
    """Return the date of the newest file of a submission, whose agent is in `file`. `folder` has all submissions."""
    root = file if file.parent.resolve() == folder.resolve() else file.parent
    return newest(root)


def newest(root: Path) -> datetime | None:
    """Return the date of the newest file below a folder, or the date of a file. Compiled copies do not count."""
    dates: list[float] = []
    with suppress(OSError):
        dates.extend(place.lstat().st_mtime for place in _files(root))
    return datetime.fromtimestamp(max(dates)).astimezone() if dates else None


def _files(root: Path) -> Iterable[Path]:
    if not root.is_dir():
        yield root
        return
    count = 0
    for folder, folders, names in os.walk(root):
        folders[:] = [name for name in folders if name != "__pycache__"]
        for name in names:
            count += 1
            if count > _MAX_FILES:
                return
            yield Path(folder, name)


def without_agent(folder: Path) -> list[Absent]:
    """Return everything in the folder of submissions that is not one: folders without an agent, and other files."""
    found = []
    for path in sorted(folder.iterdir()):
        if path.name.startswith(("_", ".")) or path.suffix == ".py":
            continue
        if not path.is_dir():
            reason = f"{clean(path.name, 60)}: expected a Python file, or a folder with {AGENT_FILE}"
        elif has_agent(path):
            continue
        else:
            named = clean(path.name, 60)
            reason = f"{named}/ has neither {AGENT_FILE} nor {named}.py"
        found.append(Absent(clean(path.stem if path.is_file() else path.name, 40), "no agent", reason, newest(path)))
    return found


def has_agent(folder: Path) -> bool:
    """Return whether the folder of a submission has the file of its agent."""
    return any((folder / name).exists() for name in (AGENT_FILE, f"{folder.name}.py"))


def withdrawn(out: Path, present: Mapping[str, datetime | None]) -> list[Absent]:
    """Return the students who had a submission before and have none now. Remember those who have one."""
    file = out / STUDENTS
    known: dict[str, Any] = {}
    with suppress(OSError, ValueError):
        read = json.loads(file.read_text(encoding="utf-8"))
        known = read if isinstance(read, dict) else {}
    gone = []
    for label, date in known.items():
        if label not in present:
            last = None
            with suppress(TypeError, ValueError):
                last = datetime.fromisoformat(date).astimezone()
            gone.append(Absent(clean(label, 60), "withdrawn", "its file is no longer in the folder", last))
    known.update({label: date.isoformat() if date is not None else None for label, date in present.items()})
    write_text(file, json.dumps(known, indent=1) + "\n")
    return gone


def shown(date: datetime | None) -> str:
    """Format a date for the tables, in local time; "" if it is unknown."""
    return date.strftime("%Y-%m-%d %H:%M") if date is not None else ""
