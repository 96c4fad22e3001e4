"""Faults are listed below the table, distort no column, and can be watched. Also what else `run` prints."""

from __future__ import annotations

import shlex
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sweepstakes.game.result import Ending
from sweepstakes.tournaments import run_tournament
from sweepstakes.tournaments.resolve.machine import usable_cores
from sweepstakes.tournaments.stored_run import open_run

AGENT = """
from sweepstakes import Agent, Turn, hookimpl

class Frail(Agent):
    def act(self, view):
        if len(view.open()) > 12:
            raise ValueError("too much to see")
        return Turn(open=view.covered()[:1], why="random")

@hookimpl
def sweepstakes_agents():
    return {"frail": Frail}
"""
TOURNAMENT = {
    "executor": "serial",
    "name": "frail",
    "games": 14,
    "boards": "6x6/3",
    "rules": {"on_mine": "end", "first_click": "safe"},
    "scores": ["win", "turns", "detonated"],
}


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run in which one agent has faults."""
    folder = tmp_path_factory.mktemp("frail")
    (folder / "frail.py").write_text(AGENT)
    agents = ["random", str(folder / "frail.py")]
    run_tournament(TOURNAMENT | {"agents": agents}, out=folder / "run")
    return folder / "run"


def test_means_of_counts_are_over_games_without_a_fault(played: Path) -> None:
    with open_run(played) as run:
        line = next(line for line in run.standings().tables[0].standings if line.agent == "frail")
        results = run.results(0, 1, range(14))[2]
        footnote = run.standings().footnote
    finished = [result for result in results if not result.ending.is_fault]
    assert 0 < len(finished) < 14
    assert line.faults == 14 - len(finished)
    assert line.scores[1].mean == pytest.approx(sum(result.turns for result in finished) / len(finished))
    assert "Means of turns, detonated are over games without a fault." in footnote


def test_a_count_that_ranks_counts_faults_as_the_worst(tmp_path: Path, played: Path) -> None:
    agents = ["random", str(played.parent / "frail.py")]
    scores = {"scores": ["turns"], "games": 6}
    standings = run_tournament(TOURNAMENT | {"agents": agents} | scores, out=tmp_path / "run")
    assert standings.tables[0].standings[-1].agent == "frail"
    assert standings.tables[0].standings[-1].scores[0].mean > 36


def test_games_lost_by_a_fault_keep_their_moves_and_their_command_shows_them(
    played: Path, sweepstakes: Callable[..., Any]
) -> None:
    with open_run(played) as run:
        (line,) = run.standings().faults
        kept = {fixture.number: result for fixture, result in run.kept() if fixture.agent == 1}
        lost = [n for n, r in enumerate(run.results(0, 1, range(14))[2]) if r.ending is Ending.ERROR]
    assert (line.agent, line.kind, line.games) == ("frail", "error", len(lost))
    assert lost[-1] >= 10, "only ten boards keep the moves of all games"
    assert set(lost) <= set(kept)
    shown = sweepstakes("leaderboard", str(played)).out
    command = next(row.strip() for row in shown.splitlines() if row.startswith("    sweepstakes replay "))
    assert command == f"sweepstakes replay {played} {line.game}"
    done = sweepstakes(*shlex.split(command)[1:])
    assert done.code == 0
    assert "turn 1" in done.out
    assert "raised ValueError: too much to see" in done.out


def test_a_run_that_is_complete_says_so_and_a_dry_run_says_what_is_there(
    tmp_path: Path, played: Path, sweepstakes: Callable[..., Any]
) -> None:
    file = str(played / "tournament.yaml")
    done = sweepstakes("run", file, "--out", str(played))
    assert "nothing to play: all 28 games are stored" in done.err
    local = ("--executor", "local", "--workers", "1")
    lines = sweepstakes("run", file, "--out", str(played), "--dry-run", "--games", "16", *local).out.splitlines()
    assert lines[-2] == "28 games stored, 4 to play"
    assert lines[-1].startswith("about ")
    assert " on 1 worker, estimated from a few games" in lines[-1]
    lines = sweepstakes("run", file, "--out", "new", "--dry-run", "--from", str(played)).out.splitlines()
    assert lines[-1] == "0 games stored, 28 to import, 0 to play"
    assert not (tmp_path / "new").exists()


def test_games_are_imported_from_several_runs(tmp_path: Path, sweepstakes: Callable[..., Any]) -> None:
    for name in ("random", "basic"):
        run_tournament(TOURNAMENT | {"agents": [name], "games": 3}, out=tmp_path / name)
    (tmp_path / "both.yaml").write_text(
        "{games: 3, boards: 6x6/3, rules: {on_mine: end, first_click: safe}, agents: [random, basic], scores: [win]}"
    )
    done = sweepstakes("run", "both.yaml", "--from", "random", "--from", "basic")
    assert done.code == 0, done.err
    assert done.err.count("3 games imported from ") == 2
    assert "nothing to play: all 6 games are stored" in done.err


def test_a_run_to_import_that_is_not_there_is_one_line_and_leaves_nothing(
    tmp_path: Path, sweepstakes: Callable[..., Any]
) -> None:
    for words in ([], ["--dry-run"], ["--shard", "1/2"]):
        done = sweepstakes("run", "quick", "--from", "nowhere", "--out", "new", *words)
        assert (done.code, done.out) == (2, "")
        what = "there is no such directory: expected the directory of a run or of a published leaderboard"
        assert done.err == f"sweepstakes: nowhere: {what}\n"
    assert not (tmp_path / "new").exists()


def test_the_presets_are_listed_each_with_what_it_asks(sweepstakes: Callable[..., Any]) -> None:
    lines = sweepstakes("run", "--list").out.splitlines()
    (classic,) = (line for line in lines if line.startswith("classic "))
    assert classic.split(None, 1)[1] == "Who wins at classic Minesweeper?"
    assert "--list shows the presets" in sweepstakes("run").err


def test_the_cores_are_those_that_the_process_may_use(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("os.sched_getaffinity", lambda pid: {1, 3, 4}, raising=False)
    assert usable_cores() == 3
