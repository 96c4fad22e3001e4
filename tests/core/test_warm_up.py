"""Compiling for the first time, in an environment that has compiled nothing yet."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

COUNTING = """
import subprocess, sys
from sweepstakes import inference, warm_up

begun = []

class Beside(subprocess.Popen):
    def __init__(self, command, **options):
        begun.append(command)
        super().__init__([sys.executable, "-c", ""], **options)

warm_up.subprocess.Popen = Beside
inference.Knowledge.of = lambda *position: None
for _ in range(3):
    with warm_up._engine_beside():
        pass
print(len(begun))
"""


def processes_started(cache: Path) -> str:
    environment = os.environ | {"NUMBA_CACHE_DIR": str(cache)}
    done = subprocess.run([sys.executable, "-c", COUNTING], env=environment, capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_another_process_compiles_the_engine_once_and_only_where_nothing_was_compiled(tmp_path: Path) -> None:
    assert processes_started(tmp_path) == "1"
    assert processes_started(tmp_path) == "0"
