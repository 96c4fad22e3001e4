"""The review of a replay, as the browser reads it."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest

from sweepstakes import GameSetup, Registry, Rules, Size, Turn, open_run
from sweepstakes.review import review_game
from sweepstakes.spec import Spec
from sweepstakes.tournaments import run_tournament
from sweepstakes.tournaments.replay.replay import Replay
from sweepstakes.web.data.overview import Overview
from sweepstakes.web.data.review import serialize_review
from sweepstakes.web.data.serialize import serialize_replay
from sweepstakes.web.site.site import write_site


def test_the_chance_to_be_alive_is_the_product_of_the_chances_to_survive() -> None:
    setup = GameSetup(Size(5, 5, 5), 1, 4, Rules("continue"))
    turns = [Turn(open=[(r, c)], why="guess") for r in range(2) for c in range(5)]
    game = setup.game(Registry.default())
    for done, turn in enumerate(turns):
        if not game.view().is_covered(turn.open[0]):
            turns = turns[:done]
            break
        game.take(turn)
    review = review_game(setup, turns)
    data = serialize_review(review, len(turns))
    assert len(data["alive"]) == len(turns) + 1 == len(data["turns"]) + 1
    alive = 1.0
    for place, judgement in enumerate(review.judgements):
        alive *= 1 - judgement.probability
        assert data["alive"][place + 1] == pytest.approx(alive, abs=1e-5)
        assert data["turns"][place]["label"] == judgement.label.value
    assert sum(turn["luck"] for turn in data["turns"]) == pytest.approx(data["luck"], abs=1e-3)


def test_a_replay_has_its_review_and_a_site_its_agent_pages(tmp_path: Path) -> None:
    config = {
        "boards": "8x8/10",
        "rules": {"on_mine": "end", "first_click": "safe"},
        "agents": ["basic", "random"],
        "games": 6,
        "scores": ["win", "win-adjusted", "audit"],
        "moves": "all",
        "executor": "serial",
    }
    run_tournament(config, out=tmp_path / "run")
    with open_run(tmp_path / "run") as run:
        overview = Overview(run, run.registry)
        replays = [overview.replay(1, 2, number) for number in range(6)]
    json.dumps(replays, allow_nan=False)
    mistakes = [mistake for replay in replays for turn in replay["review"]["turns"] for mistake in turn["mistakes"]]
    missed = [mistake for mistake in mistakes if mistake["label"] == "missed proof"]
    assert missed
    assert all(mistake["best"] is not None and mistake["least"] == 0 for mistake in missed)
    page = write_site(tmp_path / "run", tmp_path / "site", boards=1)
    data = (page.parent / "static" / "data.js").read_text(encoding="utf-8")
    assert '"pages":{"basic":"agents/basic.html","random":"agents/random.html"}' in data
    text = (tmp_path / "site" / "agents" / "random.html").read_text(encoding="utf-8")
    assert "Where its games are lost" in text
    assert (tmp_path / "site" / "agents" / "random-1.svg").exists()


def test_boards_without_a_known_prior_have_no_review(tmp_path: Path) -> None:
    boards = {"size": 6, "mines": 5, "source": "clustered"}
    run_tournament({"boards": boards, "agents": ["random"], "games": 1, "executor": "serial"}, out=tmp_path / "run")
    with open_run(tmp_path / "run") as run:
        assert Overview(run, run.registry).replay(1, 1, 0)["review"] is None


def test_a_replay_has_the_true_numbers_of_clues_that_lied() -> None:
    setup = GameSetup(Size(5, 5, 5), 1, 4, Rules("end"), noise=Spec.parse("liar(rate=1)"))
    game = setup.game(Registry.default())
    truth = game.board.clues
    safe = [(int(row), int(col)) for row, col in np.argwhere(truth >= 0)]
    turns = [Turn(open=safe, why="guess")]
    game.take(turns[0])
    replay = Replay.of(setup.game(Registry.default()), turns, game.result())
    lies = {5 * row + col: int(truth[row, col]) for row, col in safe if game.view().shown[row, col] != truth[row, col]}
    assert serialize_replay(replay)["lies"] == lies
    assert len(lies) > len(safe) // 2
