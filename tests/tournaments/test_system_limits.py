"""Limits of the system that batch systems set: they are kept, and never charged to an agent."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems have no such limits"),
]

AGENT = """from sweepstakes import Agent, Turn, hookimpl

class First(Agent):
    def act(self, view):
        return Turn(open=view.covered()[:1])

@hookimpl
def sweepstakes_agents():
    return {"first": First}
"""
TOURNAMENT = """name: t
games: 2
boards: 4x4/3
agents: ./submissions/
limits: {memory_mb: MB}
"""


def run(folder: Path, memory_mb: int, *limits: str, isolation: str = "process") -> subprocess.CompletedProcess[str]:
    """Play two submissions under limits as in `ulimit -n 40`."""
    (folder / "submissions").mkdir()
    for name in ("ann", "ben"):
        (folder / "submissions" / f"{name}.py").write_text(f"# {name}\n{AGENT}")
    (folder / "t.yaml").write_text(TOURNAMENT.replace("MB", str(memory_mb)))
    command = [sys.executable, "-m", "sweepstakes", "run", "t.yaml", "--workers", "2", "--isolation", isolation]
    script = "".join(f"ulimit {limit} && " for limit in limits) + 'exec "$@"'
    return subprocess.run(["sh", "-c", script, "sh", *command], cwd=folder, capture_output=True, text=True, check=False)


@pytest.mark.parametrize(
    ("limit", "said"),
    [
        ("-n 40", "only 40 files may be open at once here (`ulimit -n`), but playing takes 68: have the limit raised"),
        ("-d 900000", "a process may have 878 MB of memory here (`ulimit -d`), an agent takes "),
        ("-v 1200000", "a process may have 1171 MB of memory here (`ulimit -v`), an agent takes "),
    ],
)
def test_a_limit_that_is_too_low_stops_the_run_before_its_first_game(tmp_path: Path, limit: str, said: str) -> None:
    done = run(tmp_path, 1024, limit)
    assert done.returncode == 2
    assert said in done.stderr.splitlines()[-1]
    assert "forfeit" not in done.stderr
    assert done.stdout == ""


@pytest.mark.parametrize("isolation", ["process", "sealed-if-possible"])
def test_agents_play_under_lower_limits_that_leave_them_enough(tmp_path: Path, isolation: str) -> None:
    done = run(tmp_path, 128, "-n 80", "-d 600000", "-v 4000000", isolation=isolation)
    assert done.returncode == 0, done.stderr
    assert "forfeit" not in done.stderr
    assert "## Faults" not in done.stdout
