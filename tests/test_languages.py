"""The examples in other languages play whole games by the protocol, where the language is installed."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from line_programs import LANGUAGES, Running, command_of, greeted, play

from sweepstakes import Game, Registry, Rules, Size, Turn
from sweepstakes.game.result import Ending
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.size import PRESETS
from sweepstakes.testing.scenarios import every_noise, every_rule, odd_boards

EXAMPLES = ["first_c.c", "first_sh.sh", "random_js.js", "random_python.py", "single_clues.c"]


@pytest.fixture(scope="module", params=EXAMPLES)
def words(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return command_of(request.param, tmp_path_factory.mktemp("built"))


@pytest.fixture
def running(words: list[str]) -> Iterator[Running]:
    with Running(words) as program:
        yield program


def game_of(setup: GameSetup) -> Game:
    return setup.game(Registry.default())


def test_every_example_is_tried() -> None:
    files = {path.name for path in LANGUAGES.iterdir() if path.is_file() and path.name != "README.md"}
    assert files == set(EXAMPLES)
    page = (LANGUAGES / "README.md").read_text(encoding="utf-8")
    for name in EXAMPLES:
        assert f"`{name}`" in page


@pytest.mark.parametrize("name", [name for name in EXAMPLES if name != "single_clues.c"])
def test_a_first_example_is_short(name: str) -> None:
    assert len((LANGUAGES / name).read_text(encoding="utf-8").splitlines()) < 25


def test_an_example_plays_legal_games_under_every_rule_and_noise(running: Running) -> None:
    dialogue = greeted(running)
    for setup in (*every_rule(), *every_noise(), *odd_boards()):
        result = play(game_of(setup), dialogue)
        assert not result.ending.is_fault, f"{result.fault} in {setup}"
    dialogue.quit()
    assert running.wait(30)
    assert running.process.returncode == 0
    assert running.errors() == ""


def test_an_example_ends_at_the_end_of_its_input(running: Running) -> None:
    greeted(running)
    running.close()
    assert running.wait(30)
    assert running.process.returncode == 0


def test_an_example_plays_the_standard_sizes_and_a_board_of_many_cells(running: Running) -> None:
    dialogue = greeted(running)
    for size in (*PRESETS.values(), Size(100, 100, 1500)):
        result = play(game_of(GameSetup(size, rules=Rules("end", "opening"))), dialogue)
        assert not result.ending.is_fault, result.fault


def test_an_example_plays_by_the_seed_and_keeps_nothing(words: list[str]) -> None:
    setups = [GameSetup(Size(8, 8, 10), number=number) for number in range(2)]
    played = []
    for order in (setups, setups[::-1], setups[:1]):
        with Running(words) as running:
            dialogue = greeted(running)
            for setup in order:
                turns: list[Turn] = []
                play(game_of(setup), dialogue, turns)
                played.append((setup, turns))
    assert played[0] == played[3] == played[4]
    assert played[1] == played[2]


def test_no_example_of_a_shell_forks() -> None:
    code = (LANGUAGES / "first_sh.sh").read_text(encoding="utf-8")
    assert not re.search(r"\$\(|`|\||&", code)


def test_single_clues_wins_as_often_as_single_clues_can(tmp_path: Path) -> None:
    words = command_of("single_clues.c", tmp_path)
    won = {True: 0, False: 0}
    for flags in won:
        with Running(words) as running:
            dialogue = greeted(running, {"flags": flags})
            for number in range(60):
                turns: list[Turn] = []
                game = game_of(GameSetup(PRESETS["beginner"], number=number, rules=Rules("end", "opening")))
                result = play(game, dialogue, turns)
                won[flags] += result.ending == Ending.WON
                assert flags or not any(len(turn.flag) for turn in turns)
    assert won[True] > 12
    assert won[False] > 12


def test_what_single_clues_calls_proven_is_true(tmp_path: Path) -> None:
    with Running(command_of("single_clues.c", tmp_path)) as running:
        dialogue = greeted(running)
        proofs = 0
        for number in range(20):
            turns: list[Turn] = []
            game = game_of(GameSetup(PRESETS["intermediate"], number=number, rules=Rules("continue", "safe")))
            result = play(game, dialogue, turns)
            assert result.wrong_flags == 0
            assert result.detonated <= sum(turn.why == "random" for turn in turns)
            layout = np.frombuffer(game.board.layout, np.uint8)
            for turn in turns:
                if turn.why == "proof":
                    proofs += 1
                    assert not layout[np.asarray(turn.open, np.int64)].any()
                    assert layout[np.asarray(turn.flag, np.int64)].all()
        assert proofs > 100
