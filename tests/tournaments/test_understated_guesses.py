"""An agent that calls its guesses proofs is reported for too few `guesses`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

LIAR = """
from sweepstakes import Agent, Turn, hookimpl

class Liar(Agent):
    def act(self, view):
        return Turn(open=[view.covered()[0]], why="proof")

@hookimpl
def sweepstakes_agents():
    return {"liar": Liar}
"""
TOO_LOW = "guesses is too low for liar ("
LISTED = "more mines were hit than guesses made. The command review lists the wrong proofs."


def one_line(text: str) -> str:
    return " ".join(text.split())


@pytest.mark.parametrize("on_mine", ["end", "continue"])
def test_tables_comparisons_and_matches_say_that_guesses_are_too_low(
    sweepstakes: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, on_mine: str
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("liar.py").write_text(LIAR)
    tournament: dict[str, Any] = {"name": "lies", "games": 10, "boards": "6x6/8", "rules": {"on_mine": on_mine}}
    tournament |= {"agents": ["basic", "random", "./liar.py"], "scores": ["win", "guesses"]}
    Path("lies.yaml").write_text(json.dumps(tournament))
    done = sweepstakes("run", "lies.yaml", "--quiet", "--executor", "serial")
    assert done.code == 0, done.err
    assert TOO_LOW in one_line(done.out)
    assert LISTED in one_line(done.out)
    assert "too low" in one_line(sweepstakes("compare", "runs/lies", "basic", "liar", "--score", "guesses").out)
    assert "too low" not in one_line(sweepstakes("compare", "runs/lies", "basic", "liar").out)
    assert "too low" not in one_line(sweepstakes("compare", "runs/lies", "basic", "random", "--score", "guesses").out)
    options = "--boards", "6x6/8", "--score", "guesses", "--max", "10", "--on-mine", on_mine, "--executor", "serial"
    match = sweepstakes("match", "basic", "liar.py", *options)
    assert any(line.startswith(TOO_LOW) and line.endswith(LISTED) for line in match.out.splitlines()), match.err


def test_an_agent_that_trusts_noisy_clues_is_not_blamed(
    sweepstakes: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tournament = {"name": "fog", "games": 10, "boards": "8x8/10", "agents": ["trusting", "chain"]}
    Path("fog.yaml").write_text(json.dumps(tournament | {"noise": "optimistic(rate=1)", "scores": ["win", "guesses"]}))
    done = sweepstakes("run", "fog.yaml", "--quiet", "--executor", "serial")
    assert done.code == 0, done.err
    assert "too low" not in done.out
