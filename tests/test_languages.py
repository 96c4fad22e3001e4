"""The examples in other languages play whole games by the protocol, where the language is installed."""

from __future__ import annotations

import re
import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest
from line_programs import LANGUAGES, Running, command_of, greeted, play

from sweepstakes import Game, Registry, Rules, Size, Turn
from sweepstakes.game.result import Ending
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.size import PRESETS
from sweepstakes.hosting.lines import QUIT, likelihood_lines
from sweepstakes.testing.scenarios import Games
from sweepstakes.tournaments.config.loading import load

PROTOCOL = LANGUAGES.parents[1] / "docs" / "protocol.md"
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
    games = Games()
    for setup in (*games.every_rule(), *games.every_noise(), *games.odd_boards(), *games.noisy_sample()):
        result = play(game_of(setup), dialogue)
        assert not result.ending.is_fault, f"{result.fault} in {setup}"
    running.send([QUIT])
    assert running.wait(300)
    assert running.process.returncode == 0
    assert running.errors() == ""


def test_an_example_ends_at_the_end_of_its_input(running: Running) -> None:
    greeted(running)
    running.close()
    assert running.wait(300)
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


def test_the_game_of_the_page_is_what_the_example_plays(tmp_path: Path) -> None:
    (shown,) = re.findall(r"```text\n(> sweepstakes.*?)```", PROTOCOL.read_text(encoding="utf-8"), re.DOTALL)
    with Running(command_of("single_clues.c", tmp_path)) as running:
        dialogue = greeted(running, {"flags": True})
        play(game_of(GameSetup(Size(4, 6, 5), number=11, rules=Rules("end", "safe"))), dialogue)
        running.send([QUIT])
        assert running.transcript == shown.splitlines()


def test_the_page_of_the_examples_prints_what_it_says(tmp_path: Path) -> None:
    command_of("first_c.c", tmp_path)
    page = (LANGUAGES / "README.md").read_text(encoding="utf-8")
    (typed,) = re.findall(r"^printf .*", page, re.MULTILINE)
    (printed,) = re.findall(r"```text\n(.*?)```", page, re.DOTALL)
    assert subprocess.run(["sh", "-c", typed], cwd=tmp_path, capture_output=True, text=True).stdout == printed


def test_the_tournament_of_the_page_names_every_example(tmp_path: Path) -> None:
    (text,) = re.findall(r"```yaml\n(.*?)```", (LANGUAGES / "README.md").read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "t.yaml").write_text(text)
    for name in EXAMPLES:
        (tmp_path / name).touch()
    config, _ = load(tmp_path / "t.yaml")
    named = {Path(item.spec.words[-1]).stem for item in config.agents}
    assert named == {Path(name).stem for name in EXAMPLES}
    (text,) = re.findall(r"```yaml\n(.*?)```", PROTOCOL.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "t.yaml").write_text(f"boards: beginner\n{text}")
    specs = [item.spec for item in load(tmp_path / "t.yaml")[0].agents]
    assert [dict(spec.parameters) for spec in specs] == [{"window": 6}, {}, {"flags": False}]


def test_the_lines_of_c_on_the_page_read_the_likelihoods(tmp_path: Path) -> None:
    if shutil.which("cc") is None:
        pytest.skip("cc is not installed")
    (code,) = re.findall(r"```c\n(.*?)```", PROTOCOL.read_text(encoding="utf-8"), re.DOTALL)
    (tmp_path / "read.c").write_text(
        "#include <stdio.h>\n#include <stdlib.h>\nstatic double table[9][9][10];\nint main(void) {\n"
        f"char line[400], *rest;\nint n, m, used;\nwhile (fgets(line, sizeof line, stdin))\n{code}"
        "for (n = 0; n < 9; n++) for (m = 0; m <= n; m++) for (used = 0; used < 10; used++)\n"
        'printf("%.17g\\n", table[n][m][used]);\nreturn 0; }\n'
    )
    subprocess.run(["cc", "-Wall", "-Werror", "-o", tmp_path / "read", tmp_path / "read.c"], check=True)
    noise = Registry.default().noise("liar(rate=0.3)")
    lines = "".join(f"{line}\n" for line in likelihood_lines(noise))
    done = subprocess.run([tmp_path / "read"], input=lines, capture_output=True, text=True, check=True)
    expected = [p for n in range(9) for m in range(n + 1) for p in noise.table[n, m].tolist()]
    assert [float(word) for word in done.stdout.split()] == expected
