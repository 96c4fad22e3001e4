"""Races: who leaves depends on the boards alone, and a race that was killed ends as if it had not been."""

from __future__ import annotations

import csv
import math
import re
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sweepstakes.errors import ConfigError
from sweepstakes.tournaments.config.ranges import expand_ranges
from sweepstakes.tournaments.statistics.betting import Bets
from sweepstakes.tournaments.statistics.confidence_sequence import half_width
from sweepstakes.tournaments.statistics.sequential_race import Leaving, Outcome, SequentialRace, runner_up
from sweepstakes.tournaments.statistics.sequential_test import ALPHA, BATCH, Method


def race_slowly(scores: np.ndarray[Any, Any], delta: float, method: Method) -> tuple[list[Leaving], set[int], Outcome]:
    """The race pair by pair, by the test of one match for each pair and each round."""
    agents, boards = scores.shape
    level = ALPHA / (agents - 1)
    inside, left = set(range(agents)), []
    for last in range(BATCH, boards + 1, BATCH):

        def above(i: int, j: int, mean: float, last: int = last) -> bool:
            differences = scores[i, :last] - scores[j, :last]
            if method is Method.BETTING:
                bets = Bets(1.0)
                bets.add(differences)
                return bets.log_wealth(mean, 1) >= math.log(1 / level)
            scatter = float(np.square(differences - differences.mean()).sum())
            wide = half_width(last, scatter, float(np.abs(differences).max()), 2 * level)
            return float(differences.mean() - wide) > mean

        leader = max(inside, key=lambda agent: (scores[agent, :last].sum(), -agent))
        gone = []
        for agent in sorted(inside):
            rivals = [other for other in inside if other != agent and above(other, agent, 0.0)]
            if rivals:
                best = max(rivals, key=lambda other: scores[other, :last].sum())
                gone.append(Leaving(agent, last, leader if leader in rivals else best))
        left += gone
        inside -= {leaving.agent for leaving in gone}
        if len(inside) == 1:
            return left, inside, Outcome.ONE
        pairs = [pair for agent in inside - {leader} for pair in ((agent, leader), (leader, agent))]
        if all(above(i, j, -delta) for i, j in pairs):
            return left, inside, Outcome.EVEN
    return left, inside, Outcome.MAXIMUM


@pytest.mark.parametrize("method", [Method.BETTING, Method.ASYMPTOTIC])
@pytest.mark.parametrize("seed", range(4))
def test_a_race_is_that_of_its_pairs_one_by_one(method: Method, seed: int) -> None:
    rng = np.random.default_rng(seed)
    rates = np.array([[0.7, 0.7, 0.6, 0.3], [0.5, 0.5, 0.5, 0.5], [0.8, 0.7, 0.6, 0.5], [0.9, 0.9, 0.9, 0.1]][seed])
    scores = (rng.random((4, 2000)) < rates[:, None]).astype(np.float64)
    race = SequentialRace(4, 0.1, 2000, 1.0 if method is Method.BETTING else math.inf, method)
    while not race.over:
        boards = race.next_round
        race.add(scores[:, boards.start : boards.stop])
    left, inside, outcome = race_slowly(scores, 0.1, method)
    assert (race.left, set(race.inside), race.outcome) == (left, inside, outcome)


def test_the_best_of_three_equal_agents_is_dropped_rarely() -> None:
    rng = np.random.default_rng(5)
    dropped = 0
    for _ in range(100):
        race = SequentialRace(3, 0.1, 1500, 1.0, Method.BETTING)
        while not race.over:
            race.add((rng.random((3, BATCH)) < 0.5).astype(np.float64))
        dropped += 0 not in race.inside
    assert dropped <= 5


def test_missing_scores_are_left_out_and_the_leader_stays() -> None:
    scores = np.tile([[1.0], [0.0], [0.5]], (1, 100))
    scores[0, ::2] = math.nan
    race = SequentialRace(3, 0.1, 1000, 1.0, Method.BETTING)
    race.add(scores)
    assert race.leader == 0
    assert race.outcome is Outcome.ONE
    assert runner_up(race) == 2


def test_a_range_is_one_agent_for_each_value() -> None:
    assert expand_ranges("chain(window=2..4)") == ["chain(window=2)", "chain(window=3)", "chain(window=4)"]
    assert expand_ranges("basic") == ["basic"]
    assert len(expand_ranges("../mine.py(depth=-1..1, width=1..2)")) == 6


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("chain(window=8..2)", "the range 'window=8..2' is empty: expected window=2..8"),
        ("chain(window=2..)", "'window=2..' is not a range: expected two whole numbers, as in window=2..8"),
        ("chain(window=0.5..2)", "'window=0.5..2' is not a range"),
        ("chain(window=1..999)", "999 agents, expected at most 200"),
    ],
)
def test_a_bad_range_is_answered_by_one_line(sweepstakes: Callable[..., Any], text: str, said: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(said)):
        expand_ranges(text)
    done = sweepstakes("race", text, "basic")
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)


OPTIONS = ("--boards", "beginner", "--max", "600", "--fresh", "60", "--workers", "1")


def test_a_race_says_who_won_who_left_when_and_why(
    sweepstakes: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    done = sweepstakes("race", "random", "basic", "exact", *OPTIONS)
    assert done.code == 0, done.err
    assert re.match(r"exact wins the race of 3 agents after \d+ boards\.\n", done.out)
    assert "on 60 further boards that were not used for choosing it" in done.out
    assert "error guarantee: the best agent is dropped in at most 5 %" in done.out
    assert re.search(r"\| random +\| +100 \|.*left after 100: (exact|basic) is better \|", done.out)
    assert "in the race, exact leads" in done.err
    rows = list(csv.DictReader((tmp_path / "runs/race/race.csv").read_text().splitlines()))
    assert [row["agent"] for row in rows] == ["exact", "basic", "random"]
    refused = sweepstakes("publish", "runs/race", "--to", "published")
    assert refused.code == 2
    assert refused.err.startswith(
        "sweepstakes: runs/race: a race cannot be published, since its agents played different"
    )
    assert (tmp_path / "runs/race/race.png").read_bytes().startswith(b"\x89PNG")
    again = sweepstakes("race", "random", "basic", "exact", *OPTIONS)
    assert again.out == done.out
    assert "games were already stored" in again.err


def test_a_race_by_a_luck_adjusted_score_is_called_asymptotic_and_one_without_bounds_is_refused(
    sweepstakes: Callable[..., Any], tmp_path: Path
) -> None:
    options = (*OPTIONS, "--out", str(tmp_path / "race"), "--quiet")
    done = sweepstakes("race", "random", "exact", *options, "--score", "win-adjusted")
    assert "approximate error guarantee" in done.out, done.err
    refused = sweepstakes("race", "random", "exact", *options, "--score", "proofs")
    assert refused.code == 2
    assert "score proofs: it has no bounds" in refused.err


MINE = """
from sweepstakes import Agent, Turn, hookimpl

class Mine(Agent):
    def act(self, view):
        return Turn(open=[{cell}], why="random")

@hookimpl
def sweepstakes_agents():
    return {{"mine": Mine}}
"""


@pytest.mark.system
def test_sealed_agents_race_and_one_that_only_fails_leaves(sweepstakes: Callable[..., Any], tmp_path: Path) -> None:
    for name, cell in (("good", "view.covered()[0]"), ("bad", "(99, 99)")):
        (tmp_path / f"{name}.py").write_text(MINE.format(cell=cell).replace("mine", name))
    files = [str(tmp_path / f"{name}.py") for name in ("good", "bad")]
    isolation = ("--isolation", "sealed-if-possible", "--out", str(tmp_path / "race"))
    done = sweepstakes("race", "basic", *files, *OPTIONS, *isolation)
    assert done.code == 0, done.err
    assert "basic wins the race of 3 agents" in done.out
    assert "left after 3: lost its first games by faults" in done.out
    assert "bad: illegal move in 3 games, the first being" in done.out


@pytest.mark.system
def test_a_race_that_is_killed_resumes_and_ends_the_same(sweepstakes: Callable[..., Any], tmp_path: Path) -> None:
    words = [
        "race",
        "basic",
        "chain(window=2..3)",
        "exact",
        "--boards",
        "intermediate",
        "--max",
        "400",
        "--fresh",
        "50",
    ]
    whole = sweepstakes(*words, "--workers", "1", "--out", str(tmp_path / "whole"))
    command = [sys.executable, "-m", "sweepstakes", *words, "--workers", "1", "--out", str(tmp_path / "killed")]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr is not None
        for line in process.stderr:
            if " boards: " in line:
                break
        process.send_signal(signal.SIGKILL)
    resumed = sweepstakes(*words, "--workers", "2", "--out", str(tmp_path / "killed"))
    assert resumed.out == whole.out
    assert "games were already stored" in resumed.err
    assert (tmp_path / "killed/race.csv").read_bytes() == (tmp_path / "whole/race.csv").read_bytes()
