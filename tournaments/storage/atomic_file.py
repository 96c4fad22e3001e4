"""Replaces files as a whole. A reader never sees an incomplete file, even if the writing process is killed."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from sweepstakes.tournaments.storage.database import run_errors


@contextmanager
def replacing(path: Path) -> Iterator[Path]:
    """Yield a temporary file that replaces `path` at the end of the block. Raise `RunError` if it cannot be written."""
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
