"""What a sealed process must not be able to do and what it must, tried for real by processes that seal themselves off.

The attempts are in a module for each subject, `catalogue` collects them, and `trying` has them made.
"""

from __future__ import annotations

import errno
import json
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from typing import NamedTuple

REFUSALS = (errno.EPERM, errno.EACCES, errno.ENOSYS, errno.EMFILE)
"""The errors by which the kernel refuses something to a sealed process."""


class Outcome(NamedTuple):
    """What came of an attempt."""

    name: str
    must_work: bool
    worked: bool
    why: str = ""
    """The error, if it did not work."""


def offered() -> list[tuple[str, str]]:
    """What this machine has for sealing: a name, and what is there, or what is missing."""
    from sweepstakes.hosting import sealing
    from sweepstakes.hosting.sealing import landlock, seccomp

    version = landlock.version() if sys.platform.startswith("linux") else 0
    scopes = "" if version >= landlock.SCOPES else f", signals are kept in from version {landlock.SCOPES} on"
    return [
        ("Landlock", f"version {version}{scopes}" if version else "missing"),
        ("seccomp", seccomp.lacking() or "there"),
        ("sealed", "; ".join(sealing.missing()) or "possible"),
    ]


def try_all() -> Iterator[Outcome]:
    """Have every attempt made by a process that is sealed."""
    from sweepstakes.hosting.sealing.attempts import trying  # noqa: F401 - which fills the catalogue
    from sweepstakes.hosting.sealing.attempts.catalogue import ALLOWED, ODD, REFUSED

    code = f"import sys; sys.path[:] = {sys.path!r}; from {__name__} import _main; _main()"
    with (
        tempfile.TemporaryDirectory(prefix="sweepstakes-") as folder,
        subprocess.Popen([sys.executable, "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process,
    ):
        assert process.stdin is not None
        assert process.stdout is not None
        for attempts, must_work in ((REFUSED, False), (ODD, False), (ALLOWED, True)):
            for attempt in attempts:
                request = json.dumps({"how": "sealed", "folder": folder, "attempt": attempt})
                process.stdin.write(request.encode() + b"\n")
                process.stdin.flush()
                said = json.loads(process.stdout.readline() or b'{"error": "it ended without a word"}')
                worked = "error" not in said if must_work else said.get("code") not in REFUSALS
                yield Outcome(attempt.replace("_", " "), must_work, worked, said.get("error", ""))


def _main() -> None:
    """In the process that has the attempts made: import what a host has imported, and serve."""
    import numpy  # noqa: F401

    from sweepstakes.hosting import sealing
    from sweepstakes.hosting.sealing.attempts.trying import serve

    sealing.prepare()
    serve({})
