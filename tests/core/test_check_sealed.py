"""`sweepstakes check --sealed`: what this machine refuses to a sealed process, tried for real."""

from __future__ import annotations

import pytest
from click.testing import CliRunner

from sweepstakes.hosting import sealing
from sweepstakes.hosting.sealing import attempts
from sweepstakes.hosting.sealing.attempts.catalogue import ALLOWED, ODD, REFUSED
from sweepstakes.tournaments.cli.check import check

pytestmark = [pytest.mark.system, pytest.mark.skipif(bool(sealing.missing()), reason="; ".join(sealing.missing()))]


def test_every_attempt_is_refused_and_play_goes_on() -> None:
    done = CliRunner().invoke(check, ["--sealed"])
    assert done.exit_code == 0, done.output
    assert "Landlock: version" in done.output
    assert done.output.count(" refused  ") == len(REFUSED) + len(ODD)
    assert done.output.count(" works    ") == len(ALLOWED)


def test_an_attempt_that_succeeds_is_said_and_the_exit_code_is_1(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = [attempts.Outcome("fork", must_work=False, worked=True), attempts.Outcome("play", True, False, "no")]
    monkeypatch.setattr(attempts, "try_all", lambda: iter(outcomes))
    done = CliRunner().invoke(check, ["--sealed"])
    assert done.exit_code == 1
    assert "  1 ALLOWED  fork" in done.output
    assert "  2 FAILS    play" in done.output
    assert "0 of 2 attempts" in done.output


def test_without_an_agent_something_must_be_asked() -> None:
    assert CliRunner().invoke(check, []).exit_code == 2
