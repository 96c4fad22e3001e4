"""The first compilation, in an environment that has compiled nothing yet."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

COUNTING = """
import sys
from sweepstakes.warm_up import warm_up

begun = []
sys.addaudithook(lambda event, given: begun.append(given) if event == "subprocess.Popen" else None)
for _ in range(2):
    warm_up(quiet=True)
print(len(begun))
"""


def processes_started(cache: Path) -> str:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, "-c", COUNTING], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


@pytest.mark.slow
def test_another_process_helps_once_and_only_where_nothing_was_compiled(tmp_path: Path) -> None:
    assert processes_started(tmp_path) == "1"
    assert processes_started(tmp_path) == "0"


WITHOUT = """
import os, subprocess, sys
import numpy as np
from sweepstakes.compiling import cache
from sweepstakes.game.referee_kernels import place_mines

place_mines(0, 1, 1, np.zeros(1, np.int64), np.zeros(4, np.uint8))
stats = place_mines.stats
print(sum(stats.cache_misses.values()), sum(stats.cache_hits.values()), cache.is_private())
if sys.argv[1:]:
    print(os.environ["NUMBA_CACHE_DIR"], os.path.isdir(os.environ["NUMBA_CACHE_DIR"]))
    sys.stdout.flush()
    subprocess.run([sys.executable, "-c", sys.argv[1]], check=True)
"""


def test_without_a_place_to_write_what_is_compiled_serves_the_processes_of_this_run_and_then_goes() -> None:
    # A locator of numba's that looks nowhere else, since a test may write everywhere.
    nowhere = {"NUMBA_CACHE_DIR": "/proc/nowhere", "NUMBA_CACHE_LOCATOR_CLASSES": "UserProvidedCacheLocator"}
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT, WITHOUT], env=os.environ | nowhere, capture_output=True, text=True, check=True
    )
    first, folder, second = (line.split() for line in done.stdout.splitlines())
    assert first == ["1", "0", "True"]
    assert folder[1] == "True"
    assert second == ["0", "1", "False"], "the other process has found what the first one compiled"
    assert not Path(folder[0]).exists()
