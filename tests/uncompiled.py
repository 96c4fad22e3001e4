"""Run a script with compiled kernels and with the same kernels as plain Python."""

from __future__ import annotations

import os
import subprocess
import sys


def said_alike(script: str) -> str:
    """Return what the script prints; assert that it prints the same without the compiler, and does not warn."""
    said = []
    for disabled in ("0", "1"):
        environment = os.environ | {"NUMBA_DISABLE_JIT": disabled}
        run = subprocess.run(
            [sys.executable, "-W", "error", "-c", script], capture_output=True, text=True, env=environment, check=False
        )
        assert run.returncode == 0, run.stderr
        said.append(run.stdout)
    assert said[0] == said[1]
    return said[0]
