"""`sweepstakes review`: the audit of a run, the worst decisions, and one game turn by turn."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from sweepstakes import View, open_run
from sweepstakes.inference import posterior
from sweepstakes.plugins.executors.serial import Serial
from sweepstakes.tournaments import run_tournament
from sweepstakes.tournaments.review.run_review import review_run

FLAWED = str(Path(__file__).parents[1] / "plugins" / "flawed_agents.py")
Command = Callable[..., Any]


@pytest.fixture(scope="module")
def run(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run whose first ten games of each agent kept their moves; the others have to be played again."""
    folder = tmp_path_factory.mktemp("runs") / "flawed"
    run_tournament(
        {
            "name": "flawed",
            "boards": "8x8/10",
            "rules": {"on_mine": "end", "first_click": "safe"},
            "games": 12,
            "agents": ["exact", f"{FLAWED}:pretender", f"{FLAWED}:blind", f"{FLAWED}:painter"],
            "executor": "serial",
        },
        out=folder,
    )
    return folder


@pytest.mark.system
def test_the_weakness_of_each_agent_is_among_the_first_entries(run: Path, sweepstakes: Command) -> None:
    for agent, word in (("pretender", "unsound proof"), ("blind", "missed proof"), ("painter", "wrong flag")):
        said = sweepstakes("review", str(run), "--agent", agent, "--quiet", "--worst", "3")
        assert said.code == 0, said.err
        entries = re.findall(r"^(\d)\. ([a-z ]+):", said.out, re.MULTILINE)
        assert word in [label for _, label in entries], said.out
        assert entries[0][1] == word
    said = sweepstakes("review", str(run), "--agent", "exact", "--quiet")
    assert "no mistakes" in said.out
    assert "The worst decisions" not in said.out


def test_every_column_is_explained_and_games_without_moves_are_played_again(run: Path, sweepstakes: Command) -> None:
    said = sweepstakes("review", str(run), "--quiet", "--worst", "0")
    table = said.out.split("\n\n")[0].splitlines()
    assert [line.split()[:2] for line in table[2:]] == [
        ["exact", "12"],
        ["pretender", "12"],
        ["blind", "12"],
        ["painter", "12"],
    ]
    for column in re.split(r"\s{2,}", table[0].strip())[1:]:
        assert f"`{column}`: " in said.out.replace("\n", " ")


def test_positions_can_be_solved_and_the_better_cell_is_better(run: Path, sweepstakes: Command, tmp_path: Path) -> None:
    said = sweepstakes("review", str(run), "--agent", "blind", "--quiet", "--svg", str(tmp_path / "pictures"))
    entries = re.split(r"^\d+\. ", said.out, flags=re.MULTILINE)[1:]
    assert len(entries) == 10
    for entry in entries:
        text = "\n".join(line.strip() for line in entry.splitlines() if re.match(r"^   [\d.F*?]", line))
        view = View.parse(text)
        words = " ".join(entry.split())
        opened, better = re.search(r"opens \((\d+), (\d+)\)", words), re.search(r"\((\d+), (\d+)\) was cert", words)
        assert opened is not None
        assert better is not None
        found = posterior(view.shown, view.mines, trust_flags=False)
        row, col = map(int, better.groups())
        assert found.certain[row, col] == 1
        row, col = map(int, opened.groups())
        assert found.probability[row, col] > 0
    pictures = sorted((tmp_path / "pictures").iterdir())
    assert len(pictures) == 10
    for picture in pictures:
        ElementTree.fromstring(picture.read_text(encoding="utf-8"))


def test_a_game_is_reviewed_turn_by_turn(run: Path, sweepstakes: Command) -> None:
    for number in (0, 11):  # with its moves, and played again
        said = sweepstakes("review", str(run), f"blind/1/{number}", "--quiet")
        assert said.code == 0, said.err
        assert "turn 1: guess" in said.out
        assert "missed proof: open (" in said.out
        assert "was certainly safe, because of" in said.out
        luck, win, adjusted = map(
            float, re.findall(r"luck ([+-][\d.]+): win ([01]), win-adjusted (-?[\d.]+)", said.out)[0]
        )
        assert adjusted == pytest.approx(win - luck, abs=0.0011)


def test_one_line_says_what_is_wrong(run: Path, sweepstakes: Command, tmp_path: Path) -> None:
    for words, complaint in (
        (["nowhere"], "nowhere"),
        ([str(run), "--agent", "blond"], "no agent 'blond' in this run (did you mean 'blind'?)"),
        ([str(run), "blind/1/99"], "has not been played"),
        ([str(run), "--inaccuracy", "0.5"], "is more than --blunder"),
        ([str(run), "--blunder", "7"], "7"),
    ):
        said = sweepstakes("review", *words)
        assert said.code == 2
        assert complaint in said.err
        assert said.err.count("\n") == 1
    clustered = tmp_path / "clustered"
    boards = {"size": 8, "mines": 9, "source": "clustered"}
    run_tournament({"boards": boards, "agents": ["basic"], "games": 2, "executor": "serial"}, out=clustered)
    said = sweepstakes("review", str(clustered), "--quiet")
    assert said.code == 2
    assert "cannot be judged: only for 'uniform'" in said.err


def test_the_review_of_a_run_counts_its_losses(run: Path) -> None:
    with open_run(run) as opened:
        exact, pretender, *_ = review_run(opened, Serial())
    assert exact.games == exact.boards == 12
    assert exact.left_out == 0
    assert sum(exact.losses.values()) == 12 - exact.won
    assert {kind for _, kind in exact.losses} <= {"best guess"}
    assert {kind for _, kind in pretender.losses} <= {"unsound proof"}
    assert exact.win_adjusted.low <= exact.win_adjusted.mean <= exact.win_adjusted.high


def test_adjusted_scores_are_compared_in_pairs(sweepstakes: Command, tmp_path: Path) -> None:
    config = {
        "boards": "beginner",
        "rules": {"on_mine": "end", "first_click": "safe"},
        "agents": ["exact", "basic"],
        "games": 30,
        "scores": ["win", "win-adjusted"],
        "executor": "serial",
    }
    run_tournament(config, out=tmp_path / "run")
    said = sweepstakes("compare", str(tmp_path / "run"), "exact", "basic", "--score", "win-adjusted")
    assert said.code == 0, said.err
    assert "exact - basic, win-adjusted % (more is better)" in said.out
    standings = run_tournament(config | {"scores": ["win-adjusted", "win"]}, out=tmp_path / "run")
    (pair,) = standings.tables[0].pairs
    assert pair.difference.low < pair.difference.mean < pair.difference.high


def test_a_match_takes_adjusted_scores(sweepstakes: Command) -> None:
    words = "match exact random --boards beginner --on-mine end --first-click safe --max 200 --score win-adjusted"
    said = sweepstakes(*words.split(), "--quiet", "--executor", "serial")
    assert said.code == 0, said.err
    assert "exact is better than random" in said.out
    assert re.search(r"win-adjusted: exact 0\.\d+, random .*; exact leads by 0\.\d+", said.out)
