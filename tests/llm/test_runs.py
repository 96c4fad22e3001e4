"""Tournaments with language models: failures of the network, resuming, limits, what is stored and what is repeated."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from said import Said
from scripted_endpoint import (
    KEY,
    Endpoint,
    Handler,
    Script,
    in_order,
    open_first_covered,
    plays,
    says,
    serve_fixture,  # noqa: F401 - the fixture `serve`
    status,
    turn_text,
)

from sweepstakes import Registry
from sweepstakes.plugins import NOT_REPEATABLE
from sweepstakes.tournaments.stored_run import open_run

TOURNAMENT = """
boards: 4x4/3
games: 4
seed: 1
moves: all
rules: {on_mine: end, first_click: safe}
agents: [random, {agent: llm, model: m, retries: 1, request_seconds: 5}]
scores: [win, tokens, calls]
"""


def dying_after(requests: int) -> Script:
    """An endpoint that answers `requests` requests, and none afterwards."""
    return lambda number, body: open_first_covered(number, body) if number < requests else status(503)


def results(run: str) -> list[tuple[str, int, dict[str, Any]]]:
    with open_run(run) as stored:
        numbers, _, found = stored.results(0, 1)
        return [(result.ending.value, result.turns, dict(result.measures)) for result in found if len(numbers)]


def test_a_run_whose_endpoint_dies_stops_with_one_line_and_resumes_without_paying_twice(
    serve: Callable[[Script], Endpoint], sweepstakes: Callable[..., Said], tmp_path: Path
) -> None:
    (tmp_path / "t.yaml").write_text(TOURNAMENT + "executor: serial\n")
    whole = serve(open_first_covered)
    assert sweepstakes("run", "t.yaml", "--out", "whole", "--quiet").code == 0
    asked = len(whole.requests)
    expected = results("whole")
    dying = serve(dying_after(asked - 1))
    said = sweepstakes("run", "t.yaml", "--out", "run", "--quiet")
    assert said.code == 2
    line = "the endpoint of SWEEPSTAKES_LLM_URL answered with status 503 after 2 tries"
    assert said.err.startswith(f"sweepstakes: {line}")
    assert said.err.count("\n") == 1
    dying.script = open_first_covered
    served = len(dying.requests)
    assert sweepstakes("run", "t.yaml", "--out", "run", "--quiet").code == 0
    assert len(dying.requests) == served + 1, "every other answer was kept"
    ends = [(ending, turns, measures["tokens"]) for ending, turns, measures in results("run")]
    assert ends == [(ending, turns, measures["tokens"]) for ending, turns, measures in expected]


@pytest.mark.system
def test_a_run_that_was_killed_pays_again_only_for_the_answer_it_waited_for(
    serve: Callable[[Script], Endpoint], sweepstakes: Callable[..., Said], tmp_path: Path
) -> None:
    """Killed by SIGKILL in the middle of a game, whose turns so far are only in the cache."""
    (tmp_path / "t.yaml").write_text(TOURNAMENT + "executor: serial\n")
    whole = serve(open_first_covered)
    assert sweepstakes("run", "t.yaml", "--out", "whole", "--quiet").code == 0
    asked, expected = len(whole.requests), results("whole")
    finished = expected[0][1]
    killed_at = finished + 1
    assert expected[1][1] > 1, "the second game is the one that is killed, at its second turn"
    command = [sys.executable, "-m", "sweepstakes", "run", "t.yaml", "--out", "run", "--quiet"]
    running: list[subprocess.Popen[bytes]] = []

    def kill(handler: Handler) -> None:
        running[0].kill()
        running[0].wait()

    endpoint = serve(lambda number, body: kill if number == killed_at else open_first_covered(number, body))
    with endpoint.lock:  # no request is answered before `running` has the process
        running.append(subprocess.Popen(command, cwd=tmp_path))
    assert running[0].wait(timeout=300) == -signal.SIGKILL
    assert len(endpoint.requests) == killed_at + 1
    assert len(results("run")) == 1
    assert sweepstakes("run", "t.yaml", "--out", "run", "--quiet").code == 0
    assert len(endpoint.requests) == asked + 1, "the answer that never came is asked for again"
    assert [row[:2] for row in results("run")] == [row[:2] for row in expected]


def test_no_cache_asks_again(
    serve: Callable[[Script], Endpoint],
    sweepstakes: Callable[..., Said],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "t.yaml").write_text(TOURNAMENT + "executor: serial\n")
    endpoint = serve(open_first_covered)
    sweepstakes("run", "t.yaml", "--out", "a", "--quiet")
    asked = len(endpoint.requests)
    sweepstakes("run", "t.yaml", "--out", "b", "--quiet")
    assert len(endpoint.requests) == asked
    sweepstakes("run", "t.yaml", "--out", "c", "--quiet", "--no-cache")
    assert len(endpoint.requests) == 2 * asked


def test_tokens_calls_and_cost_are_stored_and_shown(
    serve: Callable[[Script], Endpoint],
    sweepstakes: Callable[..., Said],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "prices.json").write_text(json.dumps({"m": {"prompt": 10.0, "completion": 100.0}}))
    monkeypatch.setenv("SWEEPSTAKES_LLM_PRICES", str(tmp_path / "prices.json"))
    (tmp_path / "t.yaml").write_text(
        TOURNAMENT.replace("[win, tokens, calls]", "[win, tokens, calls, cost]") + "executor: serial\n"
    )
    serve(open_first_covered)
    said = sweepstakes("run", "t.yaml", "--out", "run", "--quiet")
    assert said.code == 0, said.err
    for _, turns, measures in results("run"):
        assert (measures["calls"], measures["tokens"]) == (turns, 110 * turns)
        assert measures["cost"] == pytest.approx(turns * (100 * 10 + 10 * 100) / 1e6)
    assert "Not repeatable: llm(" in said.out.replace("\n", " ")
    assert "tokens" in said.out


def test_an_agent_that_is_not_repeatable_is_asked_once(
    serve: Callable[[Script], Endpoint], sweepstakes: Callable[..., Said], tmp_path: Path
) -> None:
    """Scores that need evidence, replays and verification ask it for nothing."""
    (tmp_path / "t.yaml").write_text(TOURNAMENT.replace("[win, ", "[win, proof-clues, ") + "executor: serial\n")
    endpoint = serve(open_first_covered)
    assert sweepstakes("run", "t.yaml", "--out", "run", "--quiet", "--no-cache").code == 0
    turns = sum(turns for _, turns, _ in results("run"))
    assert len(endpoint.requests) == turns
    label = 'llm(model="m",request_seconds=5,retries=1)'
    said = sweepstakes("replay", "run", f"{label}/1/0", "--plain")
    assert said.code == 0, said.err
    said = sweepstakes("verify", "run", "--sample", "1", "--workers", "1")
    assert said.code == 3, said.err
    assert "not repeatable" in said.out + said.err
    assert len(endpoint.requests) == turns


@pytest.mark.parametrize(
    ("agents", "estimate"),
    [("[random, ", "for the other agents, estimated from a few games"), ("[", "how long that takes is not known")],
)
def test_a_dry_run_asks_nothing(
    serve: Callable[[Script], Endpoint],
    sweepstakes: Callable[..., Said],
    tmp_path: Path,
    agents: str,
    estimate: str,
) -> None:
    endpoint = serve(open_first_covered)
    (tmp_path / "t.yaml").write_text(TOURNAMENT.replace("[random, ", agents))
    said = sweepstakes("run", "t.yaml", "--out", "run", "--dry-run")
    assert said.code == 0, said.err
    assert estimate in said.out
    assert 'games of llm(model="m",request_seconds=5,retries=1) are not played for an estimate' in said.out
    assert not endpoint.requests


def test_a_check_asks_nothing(serve: Callable[[Script], Endpoint], sweepstakes: Callable[..., Said]) -> None:
    endpoint = serve(open_first_covered)
    said = sweepstakes("check", 'llm(model="m")')
    assert said.code == 2
    assert said.err.startswith("sweepstakes: agent 'llm(model=\"m\")' is not repeatable, and a check plays hundreds of")
    assert not endpoint.requests


def test_a_run_stops_between_games_when_its_tokens_are_spent(
    serve: Callable[[Script], Endpoint], sweepstakes: Callable[..., Said], tmp_path: Path
) -> None:
    serve(open_first_covered)
    (tmp_path / "t.yaml").write_text(TOURNAMENT + "executor: serial\nlimits: {run_tokens: 100}\n")
    said = sweepstakes("run", "t.yaml", "--out", "run", "--quiet")
    assert said.code == 2
    assert "limits.run_tokens is 100: its games are kept" in said.err
    kept = results("run")
    assert kept
    assert sweepstakes("run", "t.yaml", "--out", "run", "--quiet").code == 2, "what was spent before counts"
    (tmp_path / "t.yaml").write_text(TOURNAMENT + "executor: serial\nlimits: {run_tokens: 1000000}\n")
    assert sweepstakes("run", "t.yaml", "--out", "run", "--quiet").code == 0
    assert results("run")[: len(kept)] == kept


def test_a_run_stops_between_games_when_its_money_is_spent(
    serve: Callable[[Script], Endpoint],
    sweepstakes: Callable[..., Said],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "prices.json").write_text(json.dumps({"m": {"prompt": 10.0, "completion": 100.0}}))
    monkeypatch.setenv("SWEEPSTAKES_LLM_PRICES", str(tmp_path / "prices.json"))
    serve(open_first_covered)
    text = TOURNAMENT.replace("calls]", "calls, cost]") + "executor: serial\n"
    (tmp_path / "t.yaml").write_text(text + "limits: {run_cost: 0.001}\n")
    said = sweepstakes("run", "t.yaml", "--out", "run", "--quiet")
    assert said.code == 2
    assert "limits.run_cost is 0.001: its games are kept" in said.err
    kept = results("run")
    assert len(kept) == 1, "a turn costs 0.002"
    (tmp_path / "t.yaml").write_text(text + "limits: {run_cost: 100}\n")
    assert sweepstakes("run", "t.yaml", "--out", "run", "--quiet").code == 0
    assert results("run")[:1] == kept


@pytest.mark.parametrize(
    ("limit", "reported"), [("run_cost: 1", True), ("run_cost: 1", False), ("run_tokens: 9", False)]
)
def test_a_limit_that_cannot_be_kept_stops_the_run(
    serve: Callable[[Script], Endpoint],
    sweepstakes: Callable[..., Said],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    limit: str,
    reported: bool,
) -> None:
    """Without a price, or if the endpoint reports no tokens, a limit would otherwise never be reached."""
    if not reported:
        (tmp_path / "prices.json").write_text(json.dumps({"m": {"prompt": 10.0, "completion": 100.0}}))
        monkeypatch.setenv("SWEEPSTAKES_LLM_PRICES", str(tmp_path / "prices.json"))
    serve(in_order(plays(open=[(0, 0)]) if reported else says(turn_text(open=[(0, 0)]), usage={})))
    (tmp_path / "t.yaml").write_text(TOURNAMENT + f"executor: serial\nlimits: {{{limit}}}\n")
    said = sweepstakes("run", "t.yaml", "--out", "run", "--quiet")
    assert said.code == 2
    name = limit.partition(":")[0]
    assert said.err.startswith(f"sweepstakes: limits.{name}: the {name[4:]} of agent 'llm(")
    assert said.err.count("\n") == 1


def test_the_list_of_agents_that_are_not_repeatable_is_what_the_classes_say() -> None:
    offers = Registry.built_in().offers("agent")
    assert {name for name, offer in offers.items() if not offer.repeatable} == NOT_REPEATABLE


def test_faults_of_each_kind_are_counted_below_the_table(
    serve: Callable[[Script], Endpoint], sweepstakes: Callable[..., Said], tmp_path: Path
) -> None:
    bad = [says(""), says("hm"), says("x", finish="length"), plays(open=[(9, 9)])]
    text = TOURNAMENT.replace("retries: 1", "retries: 1, attempts: 1") + "executor: serial\n"
    (tmp_path / "t.yaml").write_text(text)
    serve(in_order(*bad))
    said = sweepstakes("run", "t.yaml", "--out", "run", "--quiet")
    for kind in ("empty answer", "unreadable answer", "truncated answer", "illegal move"):
        assert kind in said.out, said.out


@pytest.mark.system
def test_workers_wait_for_slow_answers_and_stop_when_the_endpoint_is_gone(
    serve: Callable[[Script], Endpoint], sweepstakes: Callable[..., Said], tmp_path: Path
) -> None:
    """A turn may take longer than the tournament allows other agents, and a worker that waits is not killed."""

    def slow(handler: Handler) -> None:
        time.sleep(2.5)
        open_first_covered(0, handler.server.requests[-1])(handler)

    limits = "limits: {turn_seconds: 1, game_seconds: 1}\n"
    (tmp_path / "t.yaml").write_text(TOURNAMENT.replace("games: 4", "games: 1") + limits)
    endpoint = serve(lambda number, body: slow if number == 0 else open_first_covered(number, body))
    executor = "local(workers=1, stall_seconds=0.1)"
    said = sweepstakes("run", "t.yaml", "--out", "run", "--quiet", "--executor", executor)
    assert said.code == 0, said.err
    assert results("run")[0][0] in ("won", "lost")
    endpoint.script = dying_after(0)
    said = sweepstakes("run", "t.yaml", "--out", "run", "--games", "6", "--quiet", "--workers", "2")
    assert said.code == 2
    assert "answered with status 503 after 2 tries" in said.err
    assert len(results("run")) == 1
    endpoint.script = open_first_covered
    assert sweepstakes("run", "t.yaml", "--out", "run", "--games", "6", "--quiet", "--workers", "2").code == 0
    assert len(results("run")) == 6
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes(), file
