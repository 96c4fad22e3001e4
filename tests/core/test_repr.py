"""Values have a `repr` of one short line, and `dir` of the package lists its contents."""

from __future__ import annotations

import importlib.metadata
import tomllib
from pathlib import Path

import sweepstakes
from sweepstakes import Cell, Game, GameSetup, Registry, Rules, Size, Turn, View, play_game, tournaments
from sweepstakes.inference import posterior


def test_the_version_is_that_of_the_project_file() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert sweepstakes.__version__ == importlib.metadata.version("sweepstakes")
    assert sweepstakes.__version__ == project["version"], "the installed version is old: run pip install -e ."


def test_dir_lists_every_public_name_before_it_is_used() -> None:
    for package in (sweepstakes, tournaments):
        assert set(package.__all__) <= set(dir(package))
    assert "__version__" in dir(sweepstakes)


def test_values_of_a_game_are_short_lines() -> None:
    setup = GameSetup(Size(16, 30, 99), rules=Rules(first_click="safe"))
    game: Game = setup.game()
    assert repr(game) == "<Game 16x30/99, on_mine=continue first_click=safe, exact-clues, turn 0>"
    game.take(Turn(flag=[Cell(0, 0)]))
    assert repr(game.view()) == "<View 16x30/99, 479 covered, 1 flags>"
    assert repr(game.noise) == "<Noise exact-clues>"
    game.take(Turn())
    assert repr(game).endswith("gave up after 1 turn>")
    noisy = View.parse("1 3 1\n...", noise=Registry.default().noise("liar(rate=0.25)"))
    assert repr(noisy) == "<View 1x3/1, 3 covered, 0 flags, liar(rate=0.25)>"
    assert repr(posterior(View.parse("1 3 1\n1..").shown, mines=1)) == "<Posterior 1x3: 1 safe, 1 mines, ok>"


def test_a_replay_and_its_frames_are_short_lines() -> None:
    setup = GameSetup(Size(2, 2, 1))
    played = play_game(setup.game(), Registry.default().agent("basic"), keep_turns=True)
    assert played.turns is not None
    replay = tournaments.Replay.of(setup.game(), played.turns, played.result, "basic on 2x2/1")
    assert repr(replay) == f"<Replay basic on 2x2/1: {replay.ending()}>"
    assert repr(replay.frames[0]) == "<Frame start>"
    assert repr(replay.frames[1]) == f"<Frame {replay.frames[1].headline()}>"
