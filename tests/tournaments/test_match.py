"""Matches: the verdict depends on the boards, not on who was faster."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

from sweepstakes.tournaments.config.loading import parse
from sweepstakes.tournaments.match import play_match
from sweepstakes.tournaments.planning import make_plan
from sweepstakes.tournaments.running.runner import LOCAL, pick_executor
from sweepstakes.tournaments.statistics.sequential_test import Verdict


def test_a_clear_lead_ends_a_match_early_and_alike_on_any_number_of_workers() -> None:
    config = parse({"boards": "beginner", "games": 2000, "agents": ["basic", "random"], "moves": "none"})
    plan, registry = make_plan(config)
    states = [play_match(plan, registry, pick_executor(registry, LOCAL, workers), 0.02) for workers in (1, 2)]
    assert states[0] == states[1]
    assert states[0].verdict is Verdict.BETTER
    assert states[0].boards == 100


def sweepstakes(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "sweepstakes", *words], cwd=cwd, capture_output=True, text=True)


def test_the_command_says_who_is_better_and_by_how_much(tmp_path: Path) -> None:
    done = sweepstakes("match", "random", "basic", "--boards", "beginner", "--max", "200", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert "random is worse than basic" in done.stdout
    assert "95 % interval" in done.stdout


def test_an_agent_against_itself_is_equal(tmp_path: Path) -> None:
    done = sweepstakes("match", "basic", "basic", "--boards", "beginner", "--max", "100", cwd=tmp_path)
    assert "equal on all boards so far" in done.stdout


def test_a_misspelt_agent_is_answered_by_one_line(tmp_path: Path) -> None:
    done = sweepstakes("match", "basik", "random", cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, "")
    assert done.stderr == "sweepstakes: unknown agent 'basik' (did you mean 'basic'?)\n"
