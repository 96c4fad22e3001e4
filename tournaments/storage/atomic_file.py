"""Files that are replaced as a whole: a reader never sees half of one, even if the writing process is killed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sweepstakes.tournaments.storage.database import run_errors


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """A file beside `path` to write to, which takes its place at the end; `RunError` if it cannot be written."""
    part = path.with_name(path.name + ".part")
    with run_errors(path, "written"):
        try:
            yield part
            part.replace(path)
        except BaseException:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise


def write_text(path: Path, text: str) -> None:
    """Replace the file by one with this text."""
    with replacing(path) as part:
        part.write_text(text, encoding="utf-8")
