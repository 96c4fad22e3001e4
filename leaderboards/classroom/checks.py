"""The check of one submission, as `sweepstakes check` makes it, up to the first step that fails."""

from __future__ import annotations

from typing import NamedTuple

from sweepstakes.errors import RunError, SweepstakesError
from sweepstakes.executor import Limits
from sweepstakes.hosting.client import Hosts
from sweepstakes.testing.scenarios import Games
from sweepstakes.testing.step_runner import run_steps
from sweepstakes.warm_up import warm_up

SECONDS = 60.0
"""Seconds that all steps of a submission may take."""


class Checked(NamedTuple):
    """How many steps passed, of how many that were tried, and what the first one that failed says."""

    passed: int
    tried: int
    message: str = ""

    @property
    def is_final(self) -> bool:
        """Whether another check would say the same: not if time ran out, since the machine may have been busy."""
        return "took more than" not in self.message


def check_submission(
    file: str, isolation: str, limits: Limits, hosts: Hosts, games: Games, *, alone: bool = False
) -> Checked:
    """Check the agent in a file, under `limits`. An agent that is `alone` imports nothing from beside it."""
    passed = 0
    try:
        for step in run_steps(
            file,
            (),
            SECONDS,
            lambda: warm_up(quiet=True),
            isolation,
            limits=limits,
            exit_first=True,
            hosts=hosts,
            alone=alone,
            games=games,
            noise=True,
        ):
            if not step.passed:
                return Checked(passed, passed + 1, f"{step.name}: {step.message}")
            passed += 1
    except RunError:  # this machine cannot start hosts: no fault of the submission
        raise
    except SweepstakesError as error:
        return Checked(passed, passed + 1, str(error))
    return Checked(passed, passed)
