"""Matches: the verdict depends on the boards, not on who was faster."""

from __future__ import annotations

import json
import re
import shlex
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sweepstakes.plugins.scores.standard import Identified, SafeOpened, Turns, Win
from sweepstakes.score import Score
from sweepstakes.tournaments.config.loading import parse
from sweepstakes.tournaments.match import play_match, suitable_delta
from sweepstakes.tournaments.match_text import match_lines
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.running.executors import LOCAL, pick_executor
from sweepstakes.tournaments.statistics.sequential_test import Method, SequentialMatch, Verdict
from sweepstakes.tournaments.stored_run import open_run


def test_a_clear_lead_ends_a_match_early_and_alike_on_any_number_of_workers() -> None:
    config = parse({"boards": "beginner", "games": 2000, "agents": ["basic", "random"], "moves": "none"})
    plan, registry = make_plan(config)
    states = [play_match(plan, registry, pick_executor(registry, LOCAL, workers), 0.02) for workers in (1, 2)]
    assert states[0] == states[1]
    assert states[0].verdict is Verdict.BETTER
    assert states[0].boards == 100


def test_the_command_says_who_is_better_and_by_how_much(sweepstakes: Callable[..., Any]) -> None:
    done = sweepstakes("match", "random", "basic", "--boards", "beginner", "--max", "200")
    assert done.code == 0, done.err
    verdict, lead, boards, test = done.out.splitlines()
    assert verdict.startswith("random is worse than basic, after ")
    assert re.fullmatch(r"win: random \S+ %, basic \S+ %; basic leads by \S+ points \(95 % interval \S+ to \S+\)", lead)
    assert re.fullmatch(
        r"boards: random did better on \d+, basic on \d+, the same on \d+; Elo −\d+ \(−\d+ to −\d+\)", boards
    )
    assert re.fullmatch(
        r"test for a lead of 0.02: LLR of random −\S+ \(bounds −2.94 and \+2.94\), "
        r"of basic \+\S+ \(−2.94 and \+4.55\)",
        test,
    )


def test_an_agent_against_itself_is_equal(sweepstakes: Callable[..., Any]) -> None:
    done = sweepstakes("match", "basic", "basic", "--boards", "beginner", "--max", "100")
    assert "equal on all boards so far" in done.out
    assert "Elo 0 (" in done.out
    assert "more boards: all boards so far ended equal" in done.out


def lines_of(differences: list[float], score: Score, delta: float = 0.02) -> str:
    match = SequentialMatch(delta, 10_000, method=Method.ASYMPTOTIC)
    match.add(differences)
    return "\n".join(match_lines(match.stop(), "alice", "bob", "points", score))


def test_a_small_lead_is_stated_and_not_called_neither_better_nor_worse() -> None:
    text = lines_of([0.008, 0.006] * 500, Identified())
    assert text.startswith("alice is better than bob, though not by 0.02 or more, after ")
    assert "alice leads by 0.007 (" in text
    text = lines_of([0.3, -0.299] * 1000, Identified(), delta=0.1)
    assert text.startswith("Neither alice nor bob is better by 0.1 or more, after ")
    assert "would show who leads at all" in text


def test_an_open_match_says_how_many_more_boards_would_decide() -> None:
    text = lines_of([1.0, -1.0, 1.0, 0.0] * 40, Identified())
    assert text.startswith("alice against bob is undecided after 160 boards.")
    assert re.search(r"more boards: about [\d,]+ would decide", text)


def test_where_less_is_better_the_lead_is_that_of_the_one_with_less() -> None:
    text = lines_of([-2.0, -1.0] * 100, Turns(), delta=1.0)
    assert "bob leads by 1.50 (asymptotic 95 % interval +1." in text
    assert text.splitlines()[1].endswith("; less is better")


def test_a_lead_that_suits_the_score_is_looked_for() -> None:
    assert suitable_delta(Win()) == suitable_delta(Identified()) == 0.02
    assert suitable_delta(Turns()) is None


def test_a_misspelt_agent_is_answered_by_one_line(sweepstakes: Callable[..., Any]) -> None:
    done = sweepstakes("match", "basik", "random")
    assert (done.code, done.out) == (2, "")
    assert done.err == "sweepstakes: unknown agent 'basik' (did you mean 'basic'?)\n"


BROKEN = """
from sweepstakes import Agent, Turn, hookimpl

class {name}(Agent):
    def act(self, view):
        {body}

@hookimpl
def sweepstakes_agents():
    return {{"{label}": {name}}}
"""


def test_an_agent_that_finishes_no_game_stops_the_match_and_its_fault_is_shown(
    sweepstakes: Callable[..., Any], tmp_path: Path
) -> None:
    file = tmp_path / "off_board.py"
    file.write_text(BROKEN.format(name="OffBoard", label="off-board", body="return Turn(open=[(99, 99)])"))
    done = sweepstakes("match", "basic", str(file), "--boards", "beginner", "--noise", "hidden(rate=0.1)")
    assert done.code == 1, done.err
    verdict, count, message, command = done.out.splitlines()
    assert verdict == "off-board finished no game, so the match was stopped. No winner is named."
    assert count == "off-board: illegal move in 3 games, the first being"
    assert "opened (99, 99), which is not on the board" in message
    shown = sweepstakes(*shlex.split(command)[1:])
    assert "opened (99, 99), which is not on the board" in shown.out + shown.err


def test_faults_of_an_agent_that_finishes_some_games_are_counted(
    sweepstakes: Callable[..., Any], tmp_path: Path
) -> None:
    body = 'return Turn(open=[(99, 99)] if view.covered()[0] != (0, 0) else [(0, 0)], why="random")'
    file = tmp_path / "shaky.py"
    file.write_text(BROKEN.format(name="Shaky", label="shaky", body=body))
    done = sweepstakes("match", str(file), "basic", "--boards", "4x4/2", "--first-click", "opening", "--max", "100")
    assert done.code in (0, 1), done.err
    assert re.search(r"^shaky: illegal move in [\d,]+ games, the first being$", done.out, re.MULTILINE)


def test_a_match_fails_on_request_if_a_is_worse_and_only_then(sweepstakes: Callable[..., Any]) -> None:
    options = ("--boards", "beginner", "--max", "200", "--fail-if-worse")
    assert sweepstakes("match", "random", "basic", *options).code == 1
    assert sweepstakes("match", "basic", "random", *options).code == 0


def test_a_match_fails_on_request_by_the_faults_of_a_and_not_of_b(
    sweepstakes: Callable[..., Any], tmp_path: Path
) -> None:
    file = tmp_path / "off_board.py"
    file.write_text(BROKEN.format(name="OffBoard", label="off-board", body="return Turn(open=[(99, 99)])"))
    options = ("--boards", "4x4/2", "--max", "3", "--fail-if-worse")
    assert sweepstakes("match", str(file), "basic", *options).code == 1
    assert sweepstakes("match", "basic", str(file), *options).code == 0


def test_a_lead_stays_within_what_is_possible_and_few_boards_are_called_few(sweepstakes: Callable[..., Any]) -> None:
    done = sweepstakes("match", "exact", "basic", "--boards", "beginner", "--max", "3")
    assert "(95 % interval −100.0 to +100.0)" in done.out
    assert "more boards: after fewer than 100 it cannot be said how many would decide" in done.out


def test_a_lead_that_no_score_can_have_is_refused(sweepstakes: Callable[..., Any]) -> None:
    done = sweepstakes("match", "exact", "basic", "--delta", "1")
    assert done.code == 2
    assert "delta 1 is too large: two means of win differ by at most 1" in done.err


@pytest.mark.parametrize(
    ("score", "test"),
    [
        ("identified", r"test for a lead of 0.02: bets on exact turned 1 into \S+ \(20 name a winner\), on basic into"),
        ("win-adjusted", r"test for a lead of 0.02 \(asymptotic: its error rates hold approximately\): LLR of exact"),
        ("proofs", r"no test: proofs has no bounds, so a rare game may undo any lead"),
    ],
)
def test_the_test_suits_what_is_known_of_the_score(sweepstakes: Callable[..., Any], score: str, test: str) -> None:
    done = sweepstakes("match", "exact", "basic", "--boards", "beginner", "--score", score, "--max", "100", "--quiet")
    assert done.code == 0, done.err
    assert re.search(test, done.out)
    assert ("asymptotic 95 % interval" in done.out) == (score != "identified")


SKEWED = """
from sweepstakes import Score, hookimpl

class Skewed(Score):
    def of(self, result):
        return {value}

    def worst(self, result):
        return 0.0
{bounds}
@hookimpl
def sweepstakes_scores():
    return {{"skewed": Skewed}}
"""
BOUNDS = """
    def bounds(self, size):
        return 0.0, 1.0
"""


def test_a_score_beyond_its_own_bounds_is_named(sweepstakes: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "skewed.py"
    file.write_text(SKEWED.format(value="7.0", bounds=BOUNDS))
    done = sweepstakes("match", "exact", "basic", "--boards", "4x4/2", "--score", "skewed", "--plugin", str(file))
    assert done.code == 2
    assert "score 'skewed' gave 7 for game" in done.err
    assert "its bounds are 0 and 1" in done.err


def test_by_a_score_without_bounds_no_winner_is_named(sweepstakes: Callable[..., Any], tmp_path: Path) -> None:
    file = tmp_path / "skewed.py"
    file.write_text(SKEWED.format(value="float(result.won)", bounds=""))
    options = "--boards", "beginner", "--score", "skewed", "--plugin", str(file), "--max", "300"
    done = sweepstakes("match", "exact", "random", *options)
    assert done.out.startswith("exact against random is undecided after 300 boards."), done.err
    assert "no test: skewed has no bounds" in done.out


LUNA = """
from sweepstakes import Agent, Turn, hookimpl

class Luna(Agent):
    def act(self, view):
        if {fault}:
            raise ValueError("too dark")
        return Turn(open=[view.covered()[{place}]], why="random")

@hookimpl
def sweepstakes_agents():
    return {{"luna": Luna}}
"""


@pytest.mark.system
def test_an_agent_is_matched_with_an_earlier_version_of_itself_by_the_games_of_the_run(
    sweepstakes: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    tournament = {"name": "dark", "games": 12, "boards": ["5x5/3", "6x6/4"], "agents": ["basic", "./luna.py"]}
    Path("dark.yaml").write_text(json.dumps(tournament | {"scores": ["safe-opened", "win"]}))
    for place, fault in ((0, "False"), (-1, "any(view.clue(cell) == 3 for cell in view.open())"), (0, "0")):
        Path("luna.py").write_text(LUNA.format(place=place, fault=fault))
        assert sweepstakes("run", "dark.yaml", "--quiet").code == 0
    Path("luna.py").write_text(LUNA.format(place=-1, fault="False"))

    done = sweepstakes("match", "luna.py", "luna@2", "--score", "safe-opened", "--boards", "6x6/4")
    assert done.code == 0, done.err
    assert "luna@2: 12 games of runs/dark\n" in done.err
    assert "luna against luna@2 on 6x6/4, first click may hit a mine, game continues after a mine" in done.err
    with open_run(tmp_path / "runs" / "dark") as stored:
        run = stored.including("luna@2")
        expected = np.mean([SafeOpened()(result) for result in run.results(1, run.agent_place("luna@2"))[2]])
    assert f"luna@2 {expected:.4g}; " in done.out
    assert "luna@2 has no games on further boards" in done.out
    assert re.search(r"^luna@2: error in \d+ games, the first being$", done.out, re.MULTILINE)
    command = done.out.splitlines()[-1]
    assert "too dark" in sweepstakes(*shlex.split(command)[1:]).out

    newest = sweepstakes("match", "luna@3", "luna.py", "--quiet")
    assert newest.out.startswith("luna@3 "), "the version that the run played last, which it still calls luna"
    wrong = sweepstakes("match", "luna.py", "luna@9")
    assert wrong.code == 2
    assert "no run in runs/ has an earlier version 'luna@9' (did you mean 'luna@" in wrong.err
    both = sweepstakes("match", "luna@1", "luna@2")
    assert both.err.endswith("are both earlier versions: use `sweepstakes compare RUN luna@1 luna@2`\n")
    shutil.copytree("runs/dark", "runs/other")
    assert "choose one with --run DIR" in sweepstakes("match", "luna.py", "luna@2").err
    assert sweepstakes("match", "luna.py", "luna@2", "--run", "runs/other", "--quiet").code == 0


EQUALS = """
from sweepstakes import Agent, Turn, hookimpl

class Steady(Agent):
    def act(self, view):
        return Turn()

class Risky(Agent):
    def act(self, view):
        if view.flagged():
            return Turn()
        return Turn(flag=[(0, 0)] if self.rng.below(5000) else [(0, 0), (0, 1)], why="guess")

@hookimpl
def sweepstakes_agents():
    return {"steady": Steady, "risky": Risky}
"""


def test_a_steady_gain_that_a_rare_loss_undoes_is_not_named_a_lead(
    sweepstakes: Callable[..., Any], tmp_path: Path
) -> None:
    agents, score = tmp_path / "equals.py", tmp_path / "skewed.py"
    agents.write_text(EQUALS)
    value = "(0.9, 0.9 + 0.9 / 4999, 0.0)[result.right_flags + result.wrong_flags]"
    score.write_text(SKEWED.format(value=value, bounds=BOUNDS))
    options = "--boards", "4x4/2", "--score", "skewed", "--plugin", str(score), "--delta", "0.0002", "--max", "300"
    done = sweepstakes("match", f"{agents}:risky", f"{agents}:steady", *options)
    assert done.code == 0, done.err
    assert done.out.startswith("risky against steady is undecided after 300 boards."), "both have a mean of 0.9"
    assert "risky did better on 300" in done.out
    before = SequentialMatch(0.0002, 300, 1.0, Method.ASYMPTOTIC).add(np.full(300, 0.9 / 4999))
    assert before.verdict is Verdict.BETTER
