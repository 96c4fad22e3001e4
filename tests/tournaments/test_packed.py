"""Packed runs: the games of most boards are blocks of scores. Their tables are those of a run with all rows."""

from __future__ import annotations

import shutil
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from said import Said

from sweepstakes.tournaments.storage.packed import (
    COUNTS,
    PackedGames,
    blocks_of,
    decode,
    evenly_spaced,
    read_head,
    read_packed,
    store_block,
)
from sweepstakes.tournaments.stored_run import open_run

Terminal = Callable[..., Said]
TABLES = ("leaderboard.csv", "leaderboard.json", "head-to-head.csv", "leaderboard.md")
FAULTY = """
from sweepstakes import Agent, Turn, hookimpl

class Faulty(Agent):
    "Opens cells row by row; it fails on some boards, and names a cell that does not exist on others."

    def act(self, view):
        covered = view.covered()
        if len(covered) == 19:
            raise RuntimeError(f"nineteen cells are covered, the first is {covered[0]}")
        return Turn(open=[(99, 99) if len(covered) == 18 else covered[0]], why="guess")

@hookimpl
def sweepstakes_agents():
    return {"faulty": Faulty}
"""
YAML = """
seed: 3
games: 200
boards: [5x5/5, 6x6/8]
rules: {on_mine: end, first_click: safe}
agents: [random, exact, faulty.py]
scores: [win, win-adjusted, identified, guesses, turns, efficiency, best-guesses]
moves: none
executor: serial
"""


def tables(directory: str | Path) -> dict[str, bytes]:
    return {name: (Path(directory) / name).read_bytes() for name in TABLES}


def count(run: str | Path, what: str) -> int:
    with closing(sqlite3.connect(Path(run) / "games.sqlite")) as db:
        return int(db.execute(f"select {what}").fetchone()[0])


@pytest.fixture(scope="module")
def played(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the tournament, and the run with all rows in `full`."""
    from sweepstakes.tournaments import run_tournament

    folder = tmp_path_factory.mktemp("packed")
    (folder / "faulty.py").write_text(FAULTY)
    (folder / "t.yaml").write_text(YAML)
    run_tournament(folder / "t.yaml", out=folder / "full")
    return folder


@pytest.fixture
def home(played: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder in which the tests work; `full` is the run with all rows."""
    for name in ("faulty.py", "t.yaml"):
        (tmp_path / name).write_text((played / name).read_text())
    (tmp_path / "full").symlink_to(played / "full")
    monkeypatch.chdir(tmp_path)
    return tmp_path


def pack(sweepstakes: Terminal, *words: str, out: str = "packed") -> None:
    done = sweepstakes("run", "t.yaml", "--out", out, "--keep-boards", "20", "--quiet", *words)
    assert done.code == 0, done.err


def test_the_tables_of_a_packed_run_are_those_of_a_run_with_all_rows(home: Path, sweepstakes: Terminal) -> None:
    pack(sweepstakes)
    assert tables("packed") == tables("full")
    assert b"error" in tables("full")["leaderboard.md"]
    assert b"illegal move" in tables("full")["leaderboard.md"]
    assert count("packed", "count(*) from games") == 2 * 3 * 20
    assert count("packed", "max(number) from games") == 19
    assert count("packed", "sum((last - first) / step) from packed") == 2 * 3 * 180


@given(st.data())
def test_every_number_of_a_block_comes_back_to_the_last_bit(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 40))
    won = np.array(data.draw(st.lists(st.sampled_from([0.0, 1.0]), min_size=n, max_size=n)))
    numbers = st.one_of(
        st.integers(-(10**6), 10**6).map(lambda k: k / 1e6),
        st.integers(-9, 5000).map(float),
        st.floats(-1e99, 1e99),
        st.just(float("nan")),
    )
    kinds = [
        st.integers(-(10**6), 10**6).map(lambda k: k / 1e6),
        st.integers(0, 2 * 10**9).map(float),
        st.sampled_from([0.0, 1.0]),
        numbers,
    ]
    columns = {name: won if name == ".won" else np.zeros(n) for name in COUNTS}
    for place, kind in enumerate(kinds):
        drawn = np.array(data.draw(st.lists(kind, min_size=n, max_size=n)), np.float64)
        columns |= {f"plain-{place}": drawn, f"less-{place}": won - drawn}
    boards = np.cumsum(data.draw(st.lists(st.integers(1, 3), min_size=n, max_size=n)))
    faults = {int(board): ("error", f"on {board}") for board in data.draw(st.sets(st.sampled_from(boards.tolist())))}
    found = [decode(block) for block in blocks_of(PackedGames(boards, columns, faults))]
    assert np.concatenate([games.numbers for games in found]).tolist() == boards.tolist()
    for name, column in columns.items():
        assert np.array_equal(np.concatenate([games.columns[name] for games in found]), column, equal_nan=True)
    assert {board for games in found for board in games.faults} == set(faults)
    assert all(games.faults[min(games.faults)][1] == f"on {min(games.faults)}" for games in found if games.faults)


def test_luck_adjusted_scores_take_four_bytes() -> None:
    luck = np.arange(-4000, 4000) / 8000.0
    won = np.tile([0.0, 1.0, 1.0, 0.0], 2000)
    columns = {"win": won, "win-adjusted": won - np.round(luck, 6)} | {name: np.zeros(8000) for name in COUNTS}
    (block,) = blocks_of(PackedGames(np.arange(8000), columns | {".won": won}, {}))
    assert ["win-adjusted", "won-micro"] in read_head(block)["columns"]
    assert len(block.data) < 4.2 * 8000


def test_boards_are_divided_into_ranges() -> None:
    assert list(evenly_spaced([3])) == [range(3, 4)]
    assert list(evenly_spaced([1, 2, 3, 7, 10, 13, 14])) == [range(1, 4), range(7, 14, 3), range(14, 15)]


def test_agents_and_boards_added_later_join_the_packed_games(home: Path, sweepstakes: Terminal) -> None:
    text = Path("t.yaml").read_text()
    Path("t.yaml").write_text(text.replace("random, exact, faulty.py", "exact").replace("200", "150"))
    pack(sweepstakes)
    Path("t.yaml").write_text(text)
    pack(sweepstakes)
    assert tables("packed") == tables("full")


def test_a_comparison_lists_only_boards_whose_games_can_be_replayed(home: Path, sweepstakes: Terminal) -> None:
    pack(sweepstakes)
    done = sweepstakes("compare", "packed", "exact", "random")
    commands = [line.split() for line in done.out.splitlines() if line.strip().startswith("sweepstakes replay")]
    assert len(commands) > 4
    assert not [words[-1] for words in commands if int(words[-1].rpartition("/")[2]) >= 20]
    assert sweepstakes(*commands[0][1:]).code == 0
    assert "cannot be replayed and are not listed" in " ".join(done.out.split())


def test_a_score_added_later_has_the_packed_games_played_again(home: Path, sweepstakes: Terminal) -> None:
    text = Path("t.yaml").read_text()
    Path("t.yaml").write_text(text.replace("guesses, turns, ", ""))
    pack(sweepstakes)
    before = count("packed", "count(*) from games")
    done = sweepstakes("compare", "packed", "exact", "random", "--score", "turns")
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert "the score turns needs rows, and only the games on the first 20 boards" in done.err
    Path("t.yaml").write_text(text)
    pack(sweepstakes)
    assert tables("packed") == tables("full")
    assert count("packed", "count(*) from games") == before


def test_without_keep_boards_new_games_keep_rows_and_packed_ones_stay(home: Path, sweepstakes: Terminal) -> None:
    text = Path("t.yaml").read_text()
    Path("t.yaml").write_text(text.replace("200", "100"))
    pack(sweepstakes)
    Path("t.yaml").write_text(text)
    assert sweepstakes("run", "t.yaml", "--out", "packed", "--quiet").code == 0
    assert tables("packed") == tables("full")
    assert count("packed", "count(*) from games") == 2 * 3 * 120


def test_a_finished_run_has_even_blocks(home: Path, sweepstakes: Terminal) -> None:
    pack(sweepstakes)
    assert count("packed", "count(*) from packed") == 6
    assert count("packed", "sum(first = 20 and last = 200 and step = 1) from packed") == 6


def test_a_damaged_block_gets_one_line(home: Path, sweepstakes: Terminal) -> None:
    pack(sweepstakes)
    for change in (
        "data = x'00'",
        "data = substr(data, 1, 20)",
        "head = '{}'",
        "head = replace(head, 'bits', 'float')",
        "head = replace(head, '.won', 'won')",
        "last = 250",
        "step = 0",
    ):
        Path("damaged").mkdir()
        for name in ("tournament.yaml", "games.sqlite"):
            Path("damaged", name).write_bytes(Path("packed", name).read_bytes())
        with closing(sqlite3.connect("damaged/games.sqlite")) as db, db:
            db.execute(f"update packed set {change} where id = (select max(id) from packed)")
        done = sweepstakes("leaderboard", "damaged")
        assert done.code == 2, change
        assert done.err.count("\n") == 1
        assert "damaged: a packed block of" in done.err
        shutil.rmtree("damaged")


@pytest.mark.system
@pytest.mark.parametrize("kills", [3, pytest.param(10, marks=pytest.mark.slow)])
def test_a_packed_run_that_is_killed_again_and_again_ends_with_the_same_tables(
    kills: int, home: Path, sweepstakes: Terminal
) -> None:
    command = [sys.executable, "-m", "sweepstakes", "run", "t.yaml", "--out", "packed", "--keep-boards", "20"]
    command += ["--quiet", "--executor", "local(workers=2)"]
    stored = 0
    for _ in range(kills):
        run = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        while run.poll() is None:
            now = sum_of_games("packed")
            if now > stored:
                break
            time.sleep(0.02)
        run.send_signal(signal.SIGKILL)
        run.wait()
        stored = sum_of_games("packed")
    pack(sweepstakes, "--executor", "local(workers=2)")
    assert tables("packed") == tables("full")


def sum_of_games(run: str) -> int:
    try:
        return count(run, "(select count(*) from games) + (select total((last - first) / step) from packed)")
    except (sqlite3.Error, OSError):
        return 0  # the run has not begun to store


def test_shards_of_a_packed_run_are_merged(home: Path, sweepstakes: Terminal) -> None:
    for shard in (1, 2, 3):
        pack(sweepstakes, "--shard", f"{shard}/3", out=f"shard{shard}")
    done = sweepstakes("merge", "shard1", "shard2", "--out", "merged")
    assert done.code == 1
    assert "shard 3/3: it is in none of these runs, 402 games" in done.err + done.out
    done = sweepstakes("merge", "shard1", "shard2", "shard3", "--out", "merged")
    assert done.code == 0, done.err
    assert tables("merged") == tables("full")
    assert count("merged", "count(*) from packed") == 6


def test_two_results_of_a_packed_game_are_not_merged(home: Path, sweepstakes: Terminal) -> None:
    pack(sweepstakes)
    shutil.copytree("packed", "other")
    with open_run("packed") as run:
        boards = range(100, 101)
        games = read_packed(run, 0, 1, boards)
        assert games is not None
        changed = games._replace(columns={**games.columns, "win": 1 - games.columns["win"]})
    with closing(sqlite3.connect("other/games.sqlite")) as db, db:
        ids = db.execute("select c.id, a.id from conditions c, agents a where a.label = 'exact'").fetchone()
        store_block(db, ids, next(blocks_of(changed)), None)
    done = sweepstakes("merge", "packed", "other", "--out", "merged")
    assert done.code == 2
    assert "game exact/1/100 has two results, win" in done.err
    done = sweepstakes("merge", "other", "full", "--out", "merged")
    assert done.code == 2
    assert "game exact/1/100 has two results, win" in done.err


def test_a_packed_run_is_imported_by_a_run_with_rows_and_by_a_packed_one(home: Path, sweepstakes: Terminal) -> None:
    pack(sweepstakes)
    for words in (["--keep-boards", "20"], []):
        done = sweepstakes("run", "t.yaml", "--out", f"new{len(words)}", "--from", "packed", *words)
        assert done.code == 0, done.err
        assert "1,200 games imported from packed" in done.err
        assert "nothing to play" in done.err
        assert tables(f"new{len(words)}") == tables("full")


def test_a_packed_run_is_published_verified_and_imported(home: Path, sweepstakes: Terminal) -> None:
    pack(sweepstakes)
    for start, words in (("packed", []), ("full", ["--keep-boards", "20"])):
        done = sweepstakes("publish", start, "--to", f"of-{start}", "--quiet", *words)
        assert done.code == 0, done.err
    for name in (*TABLES[:3], "packed.jsonl.gz", "games.csv.gz"):
        assert Path("of-packed", name).read_bytes() == Path("of-full", name).read_bytes()
    for directory in ("packed", "of-packed"):
        done = sweepstakes("verify", directory, "--sample", "0.1")
        assert done.code == 0, done.out + done.err
        assert "120 of 1,200 games played again" in done.out
        there, full = (sweepstakes("compare", run, "exact", "random").out for run in (directory, "full"))
        assert there.partition("The boards on which")[0] == full.partition("The boards on which")[0] != full
        done = sweepstakes("replay", directory, "exact/1/150")
        assert done.code == 2
        assert "game exact/1/150: the replay needs rows" in done.err
        done = sweepstakes("review", directory, "--agent", "exact", "--quiet")
        assert "reviewed: the games on the first 20 boards of each condition" in done.out, done.out + done.err
    printed = sweepstakes("leaderboard", "of-packed").out.replace("of-packed", "full")
    assert printed == sweepstakes("leaderboard", "full").out
    done = sweepstakes("run", "t.yaml", "--out", "new", "--from", "of-packed")
    assert "nothing to play" in done.err
    assert tables("new") == tables("full")
