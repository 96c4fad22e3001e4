"""`sweepstakes check --sealed`: real attempts show what this machine refuses to a sealed process."""

from __future__ import annotations

import json
import subprocess
import sys

import pytest
from click.testing import CliRunner

from sweepstakes.hosting import sealing
from sweepstakes.hosting.sealing import probes
from sweepstakes.tournaments.cli.check import check

sealable = pytest.mark.skipif(bool(sealing.missing()), reason="; ".join(sealing.missing()))


@pytest.mark.system
@sealable
def test_every_probe_ends_as_it_must() -> None:
    done = CliRunner().invoke(check, ["--sealed"])
    assert done.exit_code == 0, done.output
    assert "Landlock: version" in done.output
    assert done.output.count(" refused  ") == len(probes.REFUSED)
    assert done.output.count(" works    ") == len(probes.ALLOWED)


@pytest.mark.system
@sealable
def test_a_process_that_is_not_sealed_can_do_what_is_probed() -> None:
    code = f"import {probes.__name__} as probes; probes.sealing.seal = lambda _: None; probes._main()"
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True)
    said = dict(zip((*probes.REFUSED, *probes.ALLOWED), map(json.loads, done.stdout.splitlines()), strict=True))
    failed = {name: outcome for name, outcome in said.items() if outcome}
    failed.pop("read the memory of another process", None)  # a container, or Yama, refuses it to every process
    assert not failed


@sealable
def test_a_probe_that_succeeds_is_reported_and_the_exit_code_is_1(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = [probes.Outcome("fork", must_work=False, worked=True), probes.Outcome("play", True, False, "no")]
    monkeypatch.setattr(probes, "try_all", lambda: iter(outcomes))
    done = CliRunner().invoke(check, ["--sealed"])
    assert done.exit_code == 1
    assert "  1 ALLOWED  fork" in done.output
    assert "  2 FAILS    play" in done.output
    assert "0 of 2 probes" in done.output


def test_nothing_is_tried_on_a_machine_that_cannot_seal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sealing, "missing", lambda: ["the kernel has no Landlock"])
    done = CliRunner().invoke(check, ["--sealed"])
    assert done.exit_code == 1
    assert done.output.endswith("sealed: the kernel has no Landlock\n")


def test_without_an_agent_something_must_be_asked() -> None:
    assert CliRunner().invoke(check, []).exit_code == 2
