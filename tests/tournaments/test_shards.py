"""Shards: every game is in exactly one, and merged runs have the tables of a single run."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepstakes import SweepstakesError
from sweepstakes.executor import Chunk
from sweepstakes.tournaments.config.loading import parse
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.running.chunking import ChunkSizer
from sweepstakes.tournaments.shard import Shard

TABLES = ("leaderboard.md", "leaderboard.csv", "leaderboard.json", "head-to-head.csv")
FILE = """
seed: {seed}
games: 9
boards: [2x2/1, 3x3@0.2]
agents: [random, basic]
moves: all
executor: serial
"""


def plan(games: int = 9, **more: Any) -> Plan:
    return make_plan(parse({"boards": ["2x2/1", "3x3/1", "4x4/3"], "agents": ["random"], "games": games, **more}))[0]


@given(st.integers(1, 40), st.integers(1, 60), st.integers(0, 2**64))
def test_every_board_is_in_exactly_one_shard_and_shards_differ_by_one_board(count: int, games: int, seed: int) -> None:
    conditions = plan().conditions
    for condition in (each._replace(seed=seed) for each in conditions):
        shares = [Shard(number, count).boards(condition, games) for number in range(1, count + 1)]
        assert sorted(board for share in shares for board in share) == list(range(games))
        assert max(map(len, shares)) - min(map(len, shares)) <= 1


def test_a_board_stays_in_its_shard_when_the_tournament_grows_and_is_where_the_docs_say() -> None:
    small, large = plan(9), plan(500, agents=["basic", "random"])
    for one, other in zip(small.conditions, large.conditions, strict=True):
        for number in range(1, 8):
            boards = Shard(number, 7).boards(one, 9)
            assert list(boards) == [k for k in range(9) if (k + int(one.key, 16)) % 7 == number - 1]
            assert list(boards) == [k for k in Shard(number, 7).boards(other, 500) if k < 9]


def test_the_extra_boards_of_the_conditions_go_to_different_shards() -> None:
    many = plan(65, boards=[f"{rows}x{cols}/1" for rows in range(2, 14) for cols in range(2, 14)])
    sizes = [Shard(number, 64).games(many) for number in range(1, 65)]
    assert sum(sizes) == many.games
    assert max(sizes) < 1.05 * min(sizes)


@pytest.mark.parametrize("text", ["", "3", "0/4", "5/4", "1/0", "-1/4", "1/4/2", "a/b", "1/100001", "1.5/4"])
def test_text_that_is_no_shard_is_refused_in_one_line(text: str) -> None:
    with pytest.raises(SweepstakesError, match="expected NUMBER/COUNT") as refused:
        Shard.parse(text)
    assert "\n" not in str(refused.value)


@given(st.integers(0, 50), st.integers(0, 60), st.integers(1, 9))
def test_a_chunk_of_every_nth_board_is_cut_without_loss(first: int, games: int, step: int) -> None:
    chunk = Chunk(0, 0, first, first + games, step)
    parts = list(ChunkSizer().split([chunk]))
    assert [fixture for part in parts for fixture in part.fixtures()] == chunk.fixtures()
    assert chunk.cut(1, 3).fixtures() == chunk.fixtures()[1:3]


@pytest.fixture
def shards(sweepstakes: Callable[..., Any], tmp_path: Path) -> Path:
    """Three shards of a tournament, s.1 to s.3, and the same tournament in one run, `single`."""
    (tmp_path / "mine.yaml").write_text(FILE.format(seed=5))
    assert sweepstakes("run", "mine.yaml", "--out", "single").code == 0
    for number in (1, 2, 3):
        said = sweepstakes("run", "mine.yaml", "--shard", f"{number}/3", "--out", f"s.{number}")
        assert said.code == 0, said.err
        assert not (tmp_path / f"s.{number}" / "leaderboard.md").exists()
    return tmp_path


def same_tables(one: Path, other: Path) -> bool:
    return all((one / name).read_bytes() == (other / name).read_bytes() for name in TABLES)


def test_merged_shards_have_the_tables_and_moves_of_a_single_run(shards: Path, sweepstakes: Callable[..., Any]) -> None:
    said = sweepstakes("merge", "s.1", "s.2", "--out", "merged")
    assert said.code == 1
    assert "shard 3/3: it is in none of these runs" in said.err
    assert not (shards / "merged" / "leaderboard.md").exists()
    for _ in range(2):  # merging can be repeated
        said = sweepstakes("merge", "s.3", "s.1", "s.2", "--out", "merged")
        assert said.code == 0, said.err
        assert said.out == (shards / "single" / "leaderboard.md").read_text()
    assert same_tables(shards / "single", shards / "merged")
    query = "select condition, agent, number, moves, ending, turns from games order by 1, 2, 3"
    stored = [list(sqlite3.connect(shards / run / "games.sqlite").execute(query)) for run in ("single", "merged")]
    assert stored[0] == stored[1]
    assert sweepstakes("merge", "merged", "s.1", "--out", "merged").code == 2


def test_a_shard_that_was_interrupted_is_named_resumed_and_merged(
    shards: Path, sweepstakes: Callable[..., Any]
) -> None:
    with sqlite3.connect(shards / "s.2" / "games.sqlite") as db:  # as if it had been killed after half of its games
        db.execute("delete from games where number > 4")
    said = sweepstakes("merge", "s.1", "s.2", "s.3", "--out", "merged")
    assert said.code == 1
    assert "shard 2/3: s.2 is not finished" in said.err
    assert sweepstakes("run", "mine.yaml", "--shard", "2/3", "--out", "s.2").code == 0
    assert sweepstakes("merge", "s.1", "s.2", "s.3", "--out", "merged").code == 0
    assert same_tables(shards / "single", shards / "merged")


def test_two_results_of_one_game_are_refused_and_both_runs_named(shards: Path, sweepstakes: Callable[..., Any]) -> None:
    shutil.copytree(shards / "s.1", shards / "forged")
    with sqlite3.connect(shards / "forged" / "games.sqlite") as db:
        agent, condition, number = db.execute("select agent, condition, number from games limit 1").fetchone()
        db.execute("update games set fallbacks = turns where (agent, condition, number) = (?, ?, ?)",
                   [agent, condition, number])  # fmt: skip
    said = sweepstakes("merge", "s.1", "s.2", "forged", "--out", "merged")
    assert said.code == 2
    assert "has two results, fallbacks 0 in s.1, but fallbacks" in said.err
    assert "in forged" in said.err
    assert said.err.count("\n") == 1
    games = sqlite3.connect(shards / "merged" / "games.sqlite").execute("select count(*) from games").fetchone()
    assert games == (0,)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (["--seed", "6"], "the seed is 5 in s.1, but 6 in other"),
        (["--games", "8"], "`games` is 9 in s.1, but 8 in other"),
        (["--agent", "exact"], "the agents are"),
    ],
)
def test_runs_of_other_tournaments_are_not_merged(
    shards: Path, sweepstakes: Callable[..., Any], change: list[str], expected: str
) -> None:
    assert sweepstakes("run", "mine.yaml", "--shard", "2/3", "--out", "other", *change).code == 0
    said = sweepstakes("merge", "s.1", "other", "--out", "merged")
    assert said.code == 2
    assert expected in said.err
    assert not (shards / "merged").exists()


def test_shards_with_a_secret_seed_share_a_file_and_merging_publishes_the_seed(
    sweepstakes: Callable[..., Any], tmp_path: Path
) -> None:
    (tmp_path / "mine.yaml").write_text(FILE.format(seed="secret"))
    said = sweepstakes("run", "mine.yaml", "--shard", "1/2")
    assert said.code == 2
    assert "expected --seed-file FILE too" in said.err
    for number in (1, 2):
        said = sweepstakes("run", "mine.yaml", "--shard", f"{number}/2", "--seed-file", "seed")
        assert said.code == 0, said.err
    seed = (tmp_path / "seed").read_text()
    assert (tmp_path / "seed").stat().st_mode & 0o777 == 0o600
    assert seed not in (tmp_path / "runs" / "mine.1" / "seed.json").read_text()
    assert sweepstakes("merge", "runs/mine.1", "--out", "merged").code == 1
    assert seed not in (tmp_path / "merged" / "seed.json").read_text()
    for _ in range(2):
        said = sweepstakes("merge", "runs/mine.1", "runs/mine.2", "--out", "merged")
        assert said.code == 0, said.err
    assert seed in (tmp_path / "merged" / "seed.json").read_text()
    assert sweepstakes("run", "mine.yaml", "--seed", seed, "--out", "single").code == 0
    assert (tmp_path / "single" / "leaderboard.csv").read_bytes() == (
        tmp_path / "merged" / "leaderboard.csv"
    ).read_bytes()
    assert sweepstakes("run", "mine.yaml", "--shard", "2/2", "--seed-file", "seed2", "--out", "other").code == 0
    said = sweepstakes("merge", "runs/mine.1", "other", "--out", "merged2")
    assert said.code == 2
    assert "the seed is secret (SHA-256" in said.err
    (tmp_path / "seed").chmod(0o644)
    said = sweepstakes("run", "mine.yaml", "--shard", "1/2", "--seed-file", "seed")
    assert said.code == 2
    assert "others may read it" in said.err
    assert sweepstakes("run", "mine.yaml", "--seed", "1", "--seed-file", "seed").code == 2
