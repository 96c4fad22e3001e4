"""`sweepstakes board`, as a user types it."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sweepstakes import PRESETS, Board, BoardRef, Registry

Terminal = Callable[..., Any]


def test_it_prints_the_board_that_a_tournament_plays(sweepstakes: Terminal) -> None:
    done = sweepstakes("board", "expert", "--seed", "7", "--number", "3")
    uniform = Registry.default().make("board source", "uniform")
    assert Board.parse(done.out) == BoardRef.of(uniform, "uniform", PRESETS["expert"], 7, 3).board()


def test_boards_are_exported_and_converted(sweepstakes: Terminal, tmp_path: Path) -> None:
    source = ["--source", "clustered", "--param", "group=3"]
    made = sweepstakes("board", "9x9@0.2", *source, "--count", "2", "--format", "mbf", "--out", "b")
    assert made.code == 0, made.err
    assert [file.name for file in sorted((tmp_path / "b").iterdir())] == ["000000.mbf", "000001.mbf"]
    second = sweepstakes("board", "b", "--number", "1", "--out", "second.json")
    assert second.code == 0, second.err
    assert len(json.loads((tmp_path / "second.json").read_text())["mines"]) == 16
    direct = sweepstakes("board", "9x9/16", "--source", "clustered(group=3)", "--number", "1")
    assert sweepstakes("board", "second.json").out == direct.out


def test_boards_of_a_tournament_file_lie_beside_it_and_are_part_of_its_identity(
    sweepstakes: Terminal, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    sweepstakes("board", "9x9/16", "--count", "2", "--format", "mbf", "--out", "b")
    (tmp_path / "file.yaml").write_text(
        "games: 2\nboards: {rows: 9, cols: 9, mines: 16, source: {file: {path: b}}}\nagents: [basic]\nmoves: none\n"
    )
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    played = sweepstakes("run", "../file.yaml", "--quiet", "--executor", "serial")
    assert played.code == 0, played.err
    assert '9x9 with 16 mines, file(path="b")' in played.out
    (tmp_path / "b" / "000000.mbf").write_bytes((tmp_path / "b" / "000001.mbf").read_bytes())
    changed = sweepstakes("run", "../file.yaml", "--quiet", "--executor", "serial")
    assert changed.code == 2
    assert "board source or noise" in changed.err
    more = sweepstakes("run", "../file.yaml", "--quiet", "--games", "3", "--executor", "serial")
    assert (more.code, "there is no board number 2" in more.err) == (2, True)


def test_clues_show_a_solved_board(sweepstakes: Terminal, tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("*..\n...\n")
    assert sweepstakes("board", "a.txt", "--format", "clues").out == "*1.\n11.\n"


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["exprt"], "unknown board size 'exprt'"),
        (["9x9/100"], "100 mines on 9 x 9: expected 0 to 81"),
        (["none.mbf"], "none.mbf: cannot be read"),
        (["beginner", "--source", "clusterd"], "did you mean 'clustered'?"),
        (["beginner", "--source", "clustered", "--param", "grup=2"], "did you mean 'group'?"),
        (["beginner", "--source", "clustered", "--param", "group"], "expected KEY=VALUE"),
        (["beginner", "--source", "no-guess"], "expected first_click: safe or opening"),
        (["beginner", "--first-click", "safe"], "give --start ROW,COL"),
        (["beginner", "--start", "9,0", "--first-click", "safe"], "start cell (9, 0) is not on a board"),
        (["beginner", "--start", "9"], "expected ROW,COL"),
        (["beginner", "--out", "/proc/no/such.txt"], "cannot be written"),
    ],
)
def test_bad_input_gets_one_line_and_exit_code_2(sweepstakes: Terminal, words: list[str], expected: str) -> None:
    done = sweepstakes("board", *words)
    assert done.code == 2
    assert expected in done.err
    assert done.err.count("\n") == 1
