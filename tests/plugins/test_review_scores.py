"""The scores of a review are measured for every game as it is played, and find out what agents do wrong."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sweepstakes import ConfigError, GameResult, open_run
from sweepstakes.game.turn_codec import read_turns
from sweepstakes.review import Audit, GameReview, Label, review_game
from sweepstakes.tournaments import run_tournament

FLAWED = str(Path(__file__).with_name("flawed_agents.py"))
AUDIT = [
    "proofs",
    "unsound-proofs",
    "missed-proofs",
    "excess-risk",
    "best-guesses",
    "wrong-flags",
    "brier",
    "log-score",
]


def play(folder: Path, agents: list[str], **changes: Any) -> Any:
    config = {
        "boards": "8x8/12",
        "rules": {"on_mine": "end", "first_click": "safe"},
        "games": 12,
        "agents": agents,
        "scores": ["win", "win-adjusted", "luck", "audit"],
        "moves": "all",
        "executor": "serial",
        **changes,
    }
    return run_tournament(config, out=folder)


def reviews(folder: Path, agent: str) -> list[tuple[GameResult, GameReview]]:
    """The result of each game of an agent, and its review."""
    found = []
    with open_run(folder) as run:
        place = [entry.label for entry in run.agents].index(agent)
        for number in range(run.config.games):
            stored = run.game(f"{agent}/1/{number}")
            assert stored.moves is not None
            game = run.set_up(stored.fixture)
            found.append((stored.result, review_game(game, read_turns(stored.moves))))
        assert place >= 0
    return found


def audit(folder: Path, agent: str) -> Audit:
    return Audit.total(review.audit for _, review in reviews(folder, agent))


def test_the_stored_measures_are_those_of_a_review(tmp_path: Path) -> None:
    standings = play(tmp_path / "run", ["exact", "basic"])
    assert [column.name for column in standings.scores] == ["win", "win-adjusted", "luck", *AUDIT]
    for agent in ("exact", "basic"):
        for result, review in reviews(tmp_path / "run", agent):
            measured = result.measures
            assert measured["luck"] == measured["win-adjusted"] == pytest.approx(review.luck.win, abs=1e-6)
            assert measured["proofs"] == review.audit.proofs
            assert measured["missed-proofs"] == review.audit.missed
            assert measured["excess-risk"] == pytest.approx(review.audit.excess, abs=1e-6)
            best = review.audit.best_share if review.audit.guesses else -1
            assert measured["best-guesses"] == pytest.approx(best, abs=1e-6)
    lines = {line.agent: line for line in standings.tables[0].standings}
    exact, basic = (
        {c.name: i.mean for c, i in zip(standings.scores, lines[agent].scores, strict=True)}
        for agent in ("exact", "basic")
    )
    assert exact["unsound-proofs"] == exact["missed-proofs"] == exact["excess-risk"] == 0
    assert exact["best-guesses"] == 1
    assert basic["excess-risk"] > 0
    assert basic["win-adjusted"] == pytest.approx(basic["win"] - basic["luck"], abs=1e-6)


def test_only_the_scores_asked_for_are_stored(tmp_path: Path) -> None:
    play(tmp_path / "run", ["basic"], scores=["win", "win-adjusted"], games=3)
    with open_run(tmp_path / "run") as run:
        assert list(run.game("basic/0").result.measures) == ["win-adjusted"]


def test_weaknesses_are_found_out_with_the_right_counts(tmp_path: Path) -> None:
    folder = tmp_path / "run"
    play(folder, [FLAWED], games=10, rules={"on_mine": "continue", "first_click": "any"})
    pretender, blind, bluffer = (audit(folder, name) for name in ("pretender", "blind", "bluffer"))
    painter = audit(folder, "painter")
    guesses = sum(not judged.certain for _, review in reviews(folder, "pretender") for judged in review.judgements)
    assert pretender.unsound == guesses > 0
    assert pretender.guesses == pretender.missed == 0
    assert pretender.excess == pytest.approx(0, abs=1e-9)
    assert blind.missed > 0
    assert blind.unsound == 0
    assert blind.error < 1e-6
    assert bluffer.unsound == bluffer.missed == bluffer.blunders == 0
    assert bluffer.error > 0.3
    assert bluffer.brier > 0.3
    wrong = sum(judged.label is Label.WRONG_FLAG for _, r in reviews(folder, "painter") for judged in r.judgements)
    assert painter.wrong_flags == wrong > 0


def test_a_game_that_ends_by_a_fault_keeps_its_luck(tmp_path: Path) -> None:
    rules = {"on_mine": "continue", "first_click": "any"}
    standings = play(tmp_path / "run", [f"{FLAWED}:faller"], scores=["win-adjusted", "audit"], rules=rules, games=30)
    with open_run(tmp_path / "run") as run:
        for number in range(30):
            stored = run.game(f"faller/{number}")
            assert stored.result.ending.is_fault
            luck = stored.result.measures["win-adjusted"]
            assert luck is not None
            assert luck != 0
            score = run.make("score", "win-adjusted")
            assert score(stored.result) == -luck
    (line,) = standings.tables[0].standings
    assert line.faults == 30
    assert line.scores[0].mean != 0


def test_a_run_that_gets_a_score_of_reviews_plays_its_games_again(tmp_path: Path) -> None:
    play(tmp_path / "run", ["basic"], scores=["win"], games=5)
    standings = play(tmp_path / "run", ["basic"], scores=["win", "win-adjusted"], games=5)
    (line,) = standings.tables[0].standings
    assert line.scores[1].mean == line.scores[1].mean  # not missing
    assert line.missing == 0


def test_boards_without_a_known_prior_are_refused_in_one_line(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="score 'luck' is measured on boards of 'uniform' only"):
        play(tmp_path / "run", ["basic"], scores=["win", "luck"], boards={"size": 8, "mines": 9, "source": "clustered"})


def test_workers_measure_the_same(tmp_path: Path) -> None:
    serial = play(tmp_path / "serial", ["basic", f"{FLAWED}:blind"], games=4)
    local = play(tmp_path / "local", ["basic", f"{FLAWED}:blind"], games=4, executor="local")
    assert serial.tables[0].standings == local.tables[0].standings


def test_the_names_are_listed(sweepstakes: Callable[..., Any]) -> None:
    said = sweepstakes("scores")
    assert said.code == 0
    for name in (*AUDIT, "win-adjusted", "identified-adjusted", "luck", "audit"):
        assert name in said.out
