"""Finds processes that a test has started, however they were detached: by a variable of their environment."""

from __future__ import annotations

from pathlib import Path

MARK = "LC_SWEEPSTAKES_TEST_MARK"
"""An environment variable that sealed agents keep too."""


def marked(mark: str) -> list[str]:
    """The processes that were started under the mark, and their forks."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if f"{MARK}={mark}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                found.append(f"{entry.name}: {(entry / 'cmdline').read_bytes()[:60]!r}")
        except OSError:
            continue
    return found
