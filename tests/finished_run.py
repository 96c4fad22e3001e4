"""A finished run and its publication, shared by all tests of a session that need a run but not a particular one."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest
from waiting import wait_until

FINISHED: dict[str, Any] = {
    "executor": "serial",
    "name": "small",
    "seed": 5,
    "games": 12,
    "boards": {"size": 6, "density": [0.1, 0.2, 0.3]},
    "agents": ["random", "basic", "exact"],
}


def make_once(folder: pytest.TempPathFactory) -> Path:
    """Return the folder with `run` and `published`. The first process of a parallel session makes it; others wait."""
    base = folder.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        base = base.parent  # the folder that all workers share
    home, done, lock = base / "finished", base / "finished.done", base / "finished.lock"
    while not done.exists():
        try:
            lock.touch(exist_ok=False)
        except FileExistsError:  # another process is making it; if it fails, it removes the lock, and this one tries
            assert wait_until(lambda: done.exists() or not lock.exists(), 600)
            continue
        try:
            _make(home)
            done.touch()
        finally:
            lock.unlink()
    return home


def _make(home: Path) -> None:
    from sweepstakes import open_run
    from sweepstakes.leaderboards.publish import publish
    from sweepstakes.tournaments import run_tournament

    run_tournament(FINISHED, out=home / "run")
    with open_run(home / "run") as run:
        publish(run, home / "published", with_plots=False)
