"""Games watched and replayed."""

from __future__ import annotations

import os
import pty
import select
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from rich.console import Console

from sweepstakes import Board, Cell, Game, Turn
from sweepstakes.tournaments.replay.replay import Replay
from sweepstakes.tournaments.replay.terminal import render_frame

Terminal = Callable[..., Any]


@pytest.fixture
def short() -> Replay:
    board = Board.parse("*....\n.....\n....*")
    turns = [
        Turn(open=[(2, 0)], why="random"),
        Turn(flag=[(0, 0)], why="proof", evidence={Cell(0, 0): [Cell(1, 0), Cell(1, 1)]}),
        Turn(open=[(2, 4)], why="guess", probability=0.25),
    ]
    return replay("short", board, turns)


def replay(title: str, board: Board, turns: list[Turn]) -> Replay:
    """Return the game with these turns. It is given up if they do not end it."""
    game = Game(board)
    for turn in turns:
        game.take(turn)
    if not game.over:
        game.take(Turn())
    return Replay.of(Game(board), turns, game.result(), title)


def test_every_turn_says_what_was_done_and_why(short: Replay) -> None:
    assert [frame.headline() for frame in short.frames] == [
        "start",
        "turn 1: random: opens (2, 0), and 12 more by flooding",
        "turn 2: proof: flags (0, 0)",
        "turn 3: guess, a mine with probability 0.250: opens (2, 4); a mine goes off at (2, 4)",
    ]
    assert short.frames[2].reasons() == ["(0, 0) is a mine because of the 1 at (1, 0) and the 1 at (1, 1)"]
    assert short.ending() == (
        "finished after 3 turns: 13 of 13 safe cells open, 1 of 2 mines flagged, 1 detonated, 2 guesses"
    )


def test_a_log_has_a_line_for_each_flagged_or_opened_cell(short: Replay) -> None:
    lines = [line for frame in short.frames for line in frame.log()]
    assert lines[:2] == ["turn 1: opens (2, 0): shows 0", "turn 1: opens (0, 1): shows 1"]
    assert lines[-2:] == ["turn 2: flags (0, 0)", "turn 3: opens (2, 4): a mine"]
    assert len(lines) == 13 + 2


def test_watch_prints_a_log_of_every_cell(sweepstakes: Terminal) -> None:
    board = str(Path(__file__).parents[2] / "examples" / "boards" / "game-of-100-plays.txt")
    done = sweepstakes("watch", "triples", "--board", board, "--start", "2,8", "--cells")
    lines = done.out.splitlines()
    opened = [line for line in lines if " opens " in line]
    assert lines[1] == "start: opens (2, 8): shows 1"
    assert len({line.partition(" opens ")[2].partition(":")[0] for line in opened}) == len(opened)
    mines = sum(line.endswith(": a mine") for line in opened)
    assert len(opened) - mines == 90


@pytest.mark.parametrize(("width", "height"), [(100, 40), (30, 12), (20, 8)])
def test_a_picture_fits_its_terminal(short: Replay, width: int, height: int) -> None:
    for place in range(len(short.frames)):
        console = Console(width=width, height=height, force_terminal=True)
        lines = console.render_lines(render_frame(short, place, width, height), pad=False)
        assert all(sum(piece.cell_length for piece in line) <= width for line in lines)


def test_a_large_board_shows_the_part_that_changes() -> None:
    large = replay("large", Board.of(100, 100, [(0, 0)]), [Turn(flag=[(80, 90)])])
    console = Console(width=60, height=30, record=True, file=open(os.devnull, "w"))  # noqa: PTH123, SIM115
    console.print(render_frame(large, 1, 60, 30))
    text = console.export_text()
    console.file.close()
    assert " 80  " in text
    assert "⚑" in text
    assert len(text.splitlines()) <= 30


def test_a_game_that_ended_by_a_fault_is_shown_to_the_fault(sweepstakes: Terminal, tmp_path: Path) -> None:
    (tmp_path / "twice.py").write_text(
        "from sweepstakes import Agent, Turn, hookimpl\n"
        "class Twice(Agent):\n"
        "    def act(self, view):\n"
        "        return Turn(open=[(0, 0)])\n"
        "@hookimpl\n"
        "def sweepstakes_agents():\n"
        "    return {'twice': Twice}\n"
    )
    done = sweepstakes("watch", "twice.py", "--board", "3x3/0", "--first-click", "safe")
    assert (done.code, done.err) == (0, "")
    assert "won after 1 turn:" in done.out
    done = sweepstakes("watch", "twice.py", "--board", "9x9/10")
    assert "agent 'twice' opened (0, 0), which is already open, in game 0" in done.out


def test_watch_takes_rules_noise_source_and_parameters(sweepstakes: Terminal) -> None:
    done = sweepstakes(
        "watch", "basic(scope=last)", "--board", "8x8@0.2", "--noise", "hidden(rate=0.5)", "--source", "clustered",
        "--on-mine", "end", "--first-click", "opening", "--start", "4,4",
    )  # fmt: skip
    assert done.code == 0, done.err
    assert done.out.startswith('basic(scope="last") on 8x8@0.2, first click opens a blank, first mine ends the game, ')
    assert "start: " in done.out
    assert ", clues withheld with probability 0.5, seed 0, board 0" in done.out


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["bsic"], "unknown agent 'bsic' (did you mean 'basic'?)"),
        (["none.py"], "none.py: there is no such file"),
        (["basic", "--noise", "hiden(rate=1)"], "did you mean 'hidden'?"),
        (["basic", "--board", "9x9/81", "--first-click", "safe"], "leave no room for a first click"),
    ],
)
def test_what_cannot_be_watched_is_said_in_a_line(sweepstakes: Terminal, words: list[str], expected: str) -> None:
    done = sweepstakes("watch", *words)
    assert (done.code, done.err.count("\n")) == (2, 1)
    assert expected in done.err


def test_stored_games_are_listed_and_replayed(sweepstakes: Terminal, tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("games: 12\nboards: beginner\nnoise: {hidden: {rate: 0.2}}\nagents: [basic]\n")
    assert sweepstakes("run", "t.yaml", "--quiet", "--executor", "serial").code == 0
    listed = sweepstakes("replay", "runs/t")
    assert listed.out.startswith("condition 1: Beginner\nbasic/1/NUMBER: 0 ")
    shown = sweepstakes("replay", "runs/t", "basic/1/3")
    watched = sweepstakes("watch", "basic", "--number", "3", "--noise", "hidden(rate=0.2)")
    assert shown.out == watched.out
    assert sweepstakes("replay", "runs/t", "basic/3").out == shown.out
    again = sweepstakes("replay", "runs/t", "basic/1/11")  # whose moves were not kept
    assert again.out == sweepstakes("watch", "basic", "--number", "11", "--noise", "hidden(rate=0.2)").out
    for game, expected in {
        "basic/1/12": "has not been played",
        "basik/1/1": "did you mean 'basic'?",
        "basic/2/1": "no condition 2 in this run: expected 1",
        "basic": "expected AGENT/CONDITION/NUMBER, as in basic/1/0",
    }.items():
        done = sweepstakes("replay", "runs/t", game)
        assert (done.code, expected in done.err) == (2, True), done.err
    assert "no tournament has been run here" in sweepstakes("replay", "runs").err


@pytest.mark.system
def test_keys_go_through_the_game_in_a_terminal(tmp_path: Path) -> None:
    parent, child = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "sweepstakes", "watch", "basic", "--delay", "0.05"],
        stdin=child, stdout=child, stderr=subprocess.DEVNULL, cwd=tmp_path,
        env=os.environ | {"TERM": "xterm", "COLUMNS": "100", "LINES": "40"},
    )  # fmt: skip
    os.close(child)
    seen = ""

    def until(text: str) -> None:
        nonlocal seen
        end = time.monotonic() + 300
        while text not in seen:
            assert time.monotonic() < end, seen[-2000:]
            if select.select([parent], [], [], 1)[0]:
                seen += os.read(parent, 65536).decode(errors="replace")

    until("0 of ")
    for keys, expected in (("n", "1 of "), ("n", "2 of "), ("b", "1 of "), ("p", "detonated, "), ("g", "0 of ")):
        seen = ""
        os.write(parent, keys.encode())
        until(expected)
    os.write(parent, b"q")
    assert process.wait(300) == 0
    os.close(parent)


TELLER = """
import os
from sweepstakes import Agent, Registry, Turn, hookimpl

class Teller(Agent):
    def act(self, view):
        inner = Registry.default().agent("exact")()
        inner._seed = self._seed
        turn = inner.act(view)
        if self.explain:
            DEED
        return turn

@hookimpl
def sweepstakes_agents():
    return {"teller": Teller}
"""


def test_watch_and_replay_show_the_reasons_of_a_second_playing(sweepstakes: Terminal, tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text("games: 2\nboards: beginner\nagents: [exact, basic]\n")
    assert sweepstakes("run", "t.yaml", "--quiet", "--executor", "serial").code == 0
    for agent in ("exact", "basic"):
        shown = sweepstakes("replay", "runs/t", f"{agent}/1")
        assert " because of the " in shown.out
        assert shown.out == sweepstakes("watch", agent, "--number", "1").out
        assert "smallest proofs" not in shown.out


@pytest.mark.system
def test_who_cannot_be_played_again_is_shown_with_the_engines_proofs_and_a_line(
    sweepstakes: Terminal, tmp_path: Path
) -> None:
    file = tmp_path / "teller.py"
    file.write_text(TELLER.replace("DEED", "pass"))
    (tmp_path / "t.yaml").write_text("games: 1\nboards: beginner\nagents: [teller.py, basic]\n")
    assert sweepstakes("run", "t.yaml", "--quiet", "--executor", "serial").code == 0
    silent = sweepstakes("replay", "runs/t", "teller/0")
    assert (silent.code, "smallest proofs" in silent.out) == (0, False), silent.err
    title, *turns = silent.out.splitlines()
    assert any(" because of the " in line for line in turns)  # it gives no evidence: the engine does
    note = "the reasons shown are the engine's own smallest proofs: agent 'teller' "

    def check(why: str) -> None:
        shown = sweepstakes("replay", "runs/t", "teller/0")
        assert shown.code == 0, shown.err
        first, said, *rest = shown.out.splitlines()
        assert (first, rest) == (title, turns)
        assert said.startswith(note + "cannot be played again: " + why)

    file.write_text(TELLER.replace("DEED", "pass") + "\n# changed\n")
    check("it has changed since: version ")
    file.unlink()
    check(f"{file}: there is no such file")
    assert "0 of 10" not in sweepstakes("replay", "runs/t").out
    assert sweepstakes("replay", "runs/t", "basic/0").code == 0


@pytest.mark.system
@pytest.mark.parametrize("action", ["return Turn()", "raise ValueError", "os._exit(3)"])
def test_a_second_playing_that_fails_does_not_stop_a_replay(sweepstakes: Terminal, tmp_path: Path, action: str) -> None:
    (tmp_path / "teller.py").write_text(TELLER.replace("DEED", action))
    (tmp_path / "t.yaml").write_text("games: 1\nboards: beginner\nagents: [teller.py]\n")
    assert sweepstakes("run", "t.yaml", "--quiet", "--executor", "serial").code == 0
    shown = sweepstakes("replay", "runs/t", "teller/0")
    assert shown.code == 0, shown.err
    note = (
        "the reasons shown are the engine's own smallest proofs: agent 'teller' did not explain itself "
        "(a second playing broke off, took other turns or took too long)"
    )
    assert shown.out.splitlines()[1] == note
    assert " because of the " in shown.out
    if "_exit" not in action:
        assert sweepstakes("watch", "teller.py").out.splitlines()[1] == note
