"""Find processes that a test has started, even detached ones, by an environment variable."""

from __future__ import annotations

from pathlib import Path

MARK = "LC_SWEEPSTAKES_TEST_MARK"
"""An environment variable that even sealed agents inherit."""


def marked(mark: str) -> list[str]:
    """Return the processes that were started with the mark, and their forks."""
    found = []
    for entry in Path("/proc").iterdir():
        try:
            if f"{MARK}={mark}".encode() in (entry / "environ").read_bytes().split(b"\0"):
                found.append(f"{entry.name}: {(entry / 'cmdline').read_bytes()[:60]!r}")
        except OSError:
            continue
    return found
