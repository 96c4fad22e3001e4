"""The check of one submission, as `sweepstakes check` makes it, up to the first step that fails."""

from __future__ import annotations

from typing import NamedTuple

from sweepstakes.cli.check import run_steps
from sweepstakes.compiling.warm_up import warm_up
from sweepstakes.errors import SweepstakesError

SECONDS = 20.0
"""Seconds that a step may take."""


class Checked(NamedTuple):
    """How many steps passed, of how many that were tried, and what the first one that failed says."""

    passed: int
    tried: int
    message: str = ""


def check_submission(file: str, isolation: str = "process") -> Checked:
    """Check the agent in a file, in hosts of this isolation."""
    passed = 0
    try:
        for step in run_steps(file, (), SECONDS, lambda: warm_up(quiet=True), isolation):
            if not step.passed:
                return Checked(passed, passed + 1, f"{step.name}: {step.message}")
            passed += 1
    except SweepstakesError as error:
        return Checked(passed, passed + 1, str(error))
    return Checked(passed, passed)
