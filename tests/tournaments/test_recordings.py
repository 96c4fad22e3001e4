"""Games played elsewhere: RAWVF files, what the clicks in them do, and their review."""

from __future__ import annotations

import json
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sweepstakes.errors import PositionError
from sweepstakes.game.turn import flat_cells
from sweepstakes.review import review_game
from sweepstakes.tournaments.review.rawvf import RecordedGame, parse_recording, read_recording

HERE = Path(__file__).parent
Command = Callable[..., Any]
FILES = HERE / "recordings"
NAMES = ("won.rawvf", "lost.rawvf", "left.txt")
HEAD = "RawVF_Version: Rev6.2\nBoard:\n*0000\n00000\n000*0\n0000*\nEvents:\n"
OPEN = "0.1 lc 4 1\n0.2 lr 4 1\n"
"""Opens row 0, column 3, which floods all of row 0 and row 1 but their first cells."""


def turns_of(text: str, cols: int = 5) -> list[str]:
    """The turns of a recording as texts: `o` opens, `f` flags, `u` unflags."""
    return texts(parse_recording(text), cols)


def texts(game: RecordedGame, cols: int) -> list[str]:
    parts = [zip("ofu", turn[:3], strict=True) for turn in game.turns]
    return [
        " ".join(letter + ",".join(map(str, flat_cells(cells, cols))) for letter, cells in part if len(cells))
        for part in parts
    ]


def test_hand_made_files_are_read_as_they_were_meant() -> None:
    won, lost, left = (read_recording(str(FILES / name)) for name in NAMES)
    assert texts(won, 5) == ["o3", "f0", "o5,10,11,12", "f13", "o14", "o18"]
    assert won.times == [0.09, 0.8, 1.3, 2.0, 3.1, 3.6]
    assert won.rules.first_click == "safe"
    assert texts(lost, 5) == ["o3", "f13", "u13", "o5", "o0"]  # the third right click removes a question mark
    assert texts(left, 5) == ["o3", "f0", "o5,10,11,12"]


CLICKS = {
    "a chord by both buttons, the right one up last": (
        "1 rc 1 1\n1 rr 1 1\n2 lc 2 2\n2 rc 2 2\n2 lr 2 2\n2 rr 2 2", ["f0", "o5,10,11,12"]),
    "a chord by both buttons, the left one up last": (
        "1 rc 1 1\n1 rr 1 1\n2 rc 2 2\n2 lc 2 2\n2 rr 2 2\n2 lr 2 2", ["f0", "o5,10,11,12"]),
    "a chord by the middle button": ("1 rc 1 1\n1 rr 1 1\n2 mc 2 2\n2 mr 2 2", ["f0", "o5,10,11,12"]),
    "a chord by the left button with Shift": ("1 rc 1 1\n1 rr 1 1\n2 sc 2 2\n2 lr 2 2", ["f0", "o5,10,11,12"]),
    "a flag and a chord in one movement": ("1 rc 1 1\n2 lc 1 1\n2 mv 2 2\n2 lr 2 2\n2 rr 2 2", ["f0", "o5,10,11,12"]),
    "a chord without enough flags": ("2 mc 2 2\n2 mr 2 2\n3 sc 3 2\n3 lr 3 2", []),
    "a left click on an open cell": ("1 rc 1 1\n1 rr 1 1\n2 lc 2 2\n2 lr 2 2", ["f0"]),
    "a left click on a flag": ("1 rc 1 1\n1 rr 1 1\n2 lc 1 1\n2 lr 1 1", ["f0"]),
    "the left button after a chord that the right one ended": (
        "2 lc 1 2\n2 rc 1 2\n2 rr 1 2\n2 lr 1 2\n3 lc 1 2\n3 lr 1 2", ["o5"]),
    "a button that comes up beside the board": ("2 lc 1 2\n2 lr 0 2\n3 lc 1 2\n3 lr 1 2", ["o5"]),
    "a release without a press": ("2 lr 1 2\n2 rr 1 1\n2 mr 2 2", []),
    "flags that are taken away": ("1 rc 1 1\n1 rr 1 1\n2 rc 1 1\n2 rr 1 1\n3 rc 1 1\n3 rr 1 1", ["f0", "u0", "f0"]),
    "clicks after the end": ("2 lc 1 1\n2 lr 1 1\n3 lc 1 2\n3 lr 1 2", ["o0"]),
}  # fmt: skip


@pytest.mark.parametrize("what", CLICKS)
def test_clicks_do_what_they_do_in_the_usual_programs(what: str) -> None:
    clicks, expected = CLICKS[what]
    assert turns_of(HEAD + OPEN + clicks) == ["o3", *expected], what


def test_options_change_what_clicks_do() -> None:
    flags = "1 rc 1 1\n1 rr 1 1\n"
    three = "1 rc 1 1\n1 rr 1 1\n2 rc 1 1\n2 rr 1 1\n3 rc 1 1\n3 rr 1 1\n4 rc 1 1\n"
    assert turns_of("SuperClick: On\n" + HEAD + OPEN + flags + "2 lc 2 2\n2 lr 2 2") == ["o3", "f0", "o5,10,11,12"]
    assert turns_of("Marks: On\n" + HEAD + OPEN + three) == ["o3", "f0", "u0", "f0"]
    assert turns_of(HEAD + "0 mt\n" + OPEN + three) == ["o3", "f0", "u0", "f0"]
    assert turns_of("Elmar: On\n" + HEAD + "0.1 lc 4 1\n2 lc 1 2\n") == ["o3", "o5"]


def test_a_first_click_on_a_mine_was_not_protected() -> None:
    assert parse_recording(HEAD + "0.1 lc 1 1\n0.2 lr 1 1").rules.first_click == "any"


WRONG = {
    "no board": ("Width: 5\n", "no line 'Board:': expected a Minesweeper replay in the format RAWVF"),
    "no events": ("Board:\n*0\n", "no line 'Events:' after the board"),
    "an empty board": ("Board:\nEvents:\n", "the board has no rows"),
    "a mark": ("Board:\n*0\n0x\nEvents:\n", "line 3: 'x' in the board: expected '*' for a mine or '0'"),
    "a short row": ("Board:\n*00\n00\nEvents:\n", "line 3: a row of 2 cells: expected 3, as above it"),
    "another width": ("Width: 7\n" + HEAD + OPEN, "Width: '7', but the board has 5"),
    "another number of mines": ("Mines: 9\n" + HEAD + OPEN, "Mines: '9', but the board has 3"),
    "an unknown event": (HEAD + "0.1 xx 1 1\n", "line 8: unknown event 'xx'"),
    "an event without a cell": (HEAD + "0.1 lc\n", "line 8: expected column and row of the click, as in '1.25 lc"),
    "no event": (HEAD + "12 3\n", "line 8: '12 3': expected an event such as '1.25 lc 4 2 (51 19)'"),
    "no clicks": (HEAD + "0.1 mv 1 1 (3 3)\n", "no clicks after 'Events:'"),
    "clicks that do nothing": (HEAD + "0.1 lr 1 1\n", "the clicks open and flag nothing"),
    "another game": ("Nono: On\n" + HEAD + OPEN, "nono is on: games with this option cannot be read"),
    "a square of no size": ("SquareSize: 0\n" + HEAD + OPEN, "SquareSize: '0': expected a number of pixels"),
    "binary data": ("\x00\x01\ufffd" * 100, "no line 'Board:'"),
}


@pytest.mark.parametrize("what", WRONG)
def test_wrong_files_get_one_clear_line(what: str, tmp_path: Path, sweepstakes: Command) -> None:
    text, message = WRONG[what]
    with pytest.raises(PositionError) as error:
        parse_recording(text)
    assert str(error.value).startswith(message)
    file = tmp_path / "game.rawvf"
    file.write_text(text, encoding="utf-8")
    said = sweepstakes("review", str(file))
    assert said.code == 2
    assert message in said.err
    assert len(said.err.strip().splitlines()) == 1


def test_the_command_reviews_a_recording_turn_by_turn(sweepstakes: Command) -> None:
    said = sweepstakes("review", str(FILES / "won.rawvf"), "--quiet")
    assert said.code == 0, said.err
    assert "turn 3: opens (1, 0) (2, 0) (2, 1) (2, 2), and 3 more by flooding (1.30 s)" in said.out
    assert "accuracy 75.0 %: 3 of 4 clicks opened only cells that were as safe as possible" in said.out
    assert "1. missed proof" in said.out
    assert ": guess: " not in said.out
    assert "which its clicks do not show" not in said.out
    left = sweepstakes("review", str(FILES / "left.txt"), "--quiet")
    assert "the file says that the game was won, which its clicks do not show" in left.out


def test_options_for_runs_are_refused_with_a_recording(sweepstakes: Command) -> None:
    said = sweepstakes("review", str(FILES / "won.rawvf"), "basic/1/0", "--agent", "basic")
    assert said.code == 2
    assert "is one game: GAME and --agent cannot be used with it" in said.err
    missing = sweepstakes("review", "missing.rawvf")
    assert missing.code == 2
    assert "missing.rawvf" in missing.err


@pytest.mark.skipif(shutil.which("node") is None, reason="node is not installed")
def test_the_page_reads_plays_and_reviews_the_same() -> None:
    given = [(FILES / name).read_text(encoding="utf-8") for name in NAMES]
    given += [HEAD + OPEN + clicks for clicks, _ in CLICKS.values()]
    done = subprocess.run(
        ["node", str(HERE / "recordings.mjs")],
        input=json.dumps({"files": given, "wrong": [text for text, _ in WRONG.values()]}),
        capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    for text, one in zip(given, found["games"], strict=True):
        game = parse_recording(text)
        assert one["turns"] == texts(game, 5)
        assert one["times"] == game.times
        assert one["numbers"] == pytest.approx(list(review_game(game.game(), game.turns).summary[:5]), abs=1e-12)
    assert all(found["errors"])
