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
    """The number of passed and of tried steps, and the message of the first one that failed."""

    passed: int
    tried: int
    message: str = ""

    @property
    def is_final(self) -> bool:
        """Whether another check would have the same result. After a time-out it may not: the machine may be busy."""
        return "took more than" not in self.message


def check_submission(
    file: str, isolation: str, limits: Limits, hosts: Hosts, games: Games, *, alone: bool = False
) -> Checked:
    """Check the agent in a file, under `limits`. An agent that is `alone` imports nothing from its folder."""
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
    except RunError:  # this machine cannot start hosts, which is not the submission's fault
        raise
    except SweepstakesError as error:
        return Checked(passed, passed + 1, str(error))
    return Checked(passed, passed)
