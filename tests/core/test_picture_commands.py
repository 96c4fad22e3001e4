"""Pictures, statistics and addresses on the command line."""

from __future__ import annotations

import math
import xml.etree.ElementTree as ET
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sweepstakes import PRESETS, Board, View, board_statistics, board_url, svg, view_url
from sweepstakes.inference.solving import solve

Terminal = Callable[..., Any]
POSITION = "3 3 3\n2.1\n...\n.3.\n"


def test_a_board_is_drawn_and_nothing_is_printed(sweepstakes: Terminal, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("*..\n...\n")
    done = sweepstakes("board", "a.txt", "--svg", "a.svg", "--theme", "dark")
    assert (done.code, done.out, done.err) == (0, "", "picture written to a.svg\n")
    assert (tmp_path / "a.svg").read_text() == svg(Board.parse("*..\n..."), theme="dark")


def test_a_picture_can_be_piped(sweepstakes: Terminal) -> None:
    assert ET.fromstring(sweepstakes("board", "3x3/1", "--svg", "-").out).tag.endswith("svg")


def test_a_board_is_drawn_converted_and_counted_at_once(sweepstakes: Terminal, tmp_path: Path) -> None:
    done = sweepstakes("board", "beginner", "--svg", "a.svg", "--out", "a.mbf", "--stats")
    assert done.code == 0
    assert (tmp_path / "a.svg").exists()
    assert (tmp_path / "a.mbf").stat().st_size == 24
    assert "3BV: " in done.out


@pytest.mark.parametrize("form", ["pttacg", "llamasweeper", "jsminesweeper"])
def test_boards_travel_by_address(sweepstakes: Terminal, form: str) -> None:
    url = sweepstakes("board", "expert", "--seed", "7", "--format", form).out.strip()
    assert url.startswith("https://")
    assert sweepstakes("board", url).out == sweepstakes("board", "expert", "--seed", "7").out


def test_an_address_can_be_played_and_be_part_of_a_tournament(sweepstakes: Terminal, tmp_path: Path) -> None:
    url = board_url(Board.parse("*..\n...\n..*"), "pttacg")
    assert "random on" in sweepstakes("watch", "random", "--board", url).out
    (tmp_path / "one.yaml").write_text(
        f"games: 1\nboards: {{rows: 3, cols: 3, mines: 2, source: {{file: {{path: '{url}'}}}}}}\nagents: [random]\n"
    )
    done = sweepstakes("run", "one.yaml", "--quiet", "--executor", "serial")
    assert done.code == 0, done.err


def test_statistics_are_printed(sweepstakes: Terminal) -> None:
    board = Board.parse(sweepstakes("board", "beginner", "--seed", "7").out)
    found = board_statistics(board)
    lines = sweepstakes("board", "beginner", "--seed", "7", "--stats").out.splitlines()
    assert lines[:4] == [
        "size: 9 x 9, 10 mines (12.3%)",
        f"3BV: {found.three_bv}",
        f"openings: {found.openings}",
        f"islands: {found.islands}",
    ]
    assert lines[-1] == "needs a guess: depends on --start ROW,COL"


def test_statistics_of_many_boards_are_a_table(sweepstakes: Terminal) -> None:
    done = sweepstakes("board", "beginner", "--stats", "--count", "3", "--start", "0,0", "--first-click", "safe")
    head, *rows = done.out.splitlines()
    assert head == "board,3bv,openings,islands,needs_guess"
    assert [row.split(",")[0] for row in rows] == ["0", "1", "2"]
    assert all(row.rsplit(",", 1)[1] in ("yes", "no") for row in rows)


def test_a_start_on_a_mine_is_said_and_stops_nothing(sweepstakes: Terminal, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("*..\n...\n...\n")
    for start, answer in (("0,0", "start is a mine, from (0, 0)"), ("2,2", "no, from (2, 2)")):
        done = sweepstakes("board", "a.txt", "--stats", "--start", start)
        assert done.out.splitlines()[-1] == f"needs a guess: {answer}"


def test_a_position_is_drawn_with_its_probabilities_and_a_proof(sweepstakes: Terminal, tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text(POSITION)
    done = sweepstakes("solve", "p.txt", "--svg", "p.svg")
    assert "best: " in done.out
    assert (tmp_path / "p.svg").read_text() == svg(solve(View.parse(POSITION)))
    sweepstakes("solve", "p.txt", "--why", "0,1", "--svg", "why.svg")
    assert 'class="proof"' in (tmp_path / "why.svg").read_text()


def test_a_position_of_jsminesweeper_is_solved(sweepstakes: Terminal, tmp_path: Path) -> None:
    (tmp_path / "p.txt").write_text(POSITION)
    assert sweepstakes("solve", view_url(View.parse(POSITION))).out == sweepstakes("solve", "p.txt").out


def test_layouts_are_counted_with_all_digits(sweepstakes: Terminal, tmp_path: Path) -> None:
    size = PRESETS["expert"]
    (tmp_path / "p.txt").write_text("16 30 99\n" + "\n".join(["." * 30] * 16))
    assert int(sweepstakes("solve", "p.txt", "--layouts").out) == math.comb(size.cells, size.mines)


def test_a_game_is_drawn_turn_by_turn(sweepstakes: Terminal, tmp_path: Path) -> None:
    words = ["watch", "random", "--board", "3x3/2", "--seed", "1"]
    for options, name in ((["--svg", "end.svg"], "end.svg"), (["--svg", "first.svg", "--turn", "1"], "first.svg")):
        done = sweepstakes(*words, *options)
        assert (done.code, done.out) == (0, ""), done.err
        assert ET.parse(tmp_path / name).getroot().tag.endswith("svg")
    done = sweepstakes(*words, "--gif", "game.gif", "--delay", "0.2")
    assert (tmp_path / "game.gif").read_bytes()[:6] == b"GIF89a"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["board", "beginner", "--count", "2", "--svg", "a.svg"], "--svg draws one board: omit --count"),
        (["board", "beginner", "--svg", "/proc/no/a.svg"], "cannot be written"),
        (["board", "?b=1&m=zz"], "character 1 of m= is 'z': expected 0-9 or a-v"),
        (["board", "https://minesweeper.online/game/1"], "names a game, not its mines"),
        (["board", "?b=1", "--number", "1"], "an address has one board, number 0"),
        (["board", "beginner", "--stats", "--start", "9,9"], "is not on a board of 9 x 9"),
        (["solve", "?analysis=xx"], "expected width, height, mines and the cells"),
        (["solve", "https://example.org"], "no board in this address"),
        (["solve", "?b=1", "--mines", "100"], "100 mines on 9 x 9: expected 0 to 81"),
        (["watch", "random", "--board", "3x3/2", "--svg", "a.svg", "--turn", "99"], "--turn 99: the game has"),
        (["replay", "nowhere", "--gif", "a.gif"], "--svg and --gif draw one game: name it"),
    ],
)
def test_bad_input_gets_one_line(sweepstakes: Terminal, words: list[str], expected: str) -> None:
    done = sweepstakes(*words)
    assert done.code == 2
    assert expected in done.err
    assert len(done.err.splitlines()) == 1
