"""Runs and publications that earlier versions wrote are read, resumed, merged, compared, published and verified.

`tests/formats/3` was written by the last version of format 3. Its files are never written again.
"""

from __future__ import annotations

import gzip
import json
import shutil
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from said import Said

from sweepstakes.tournaments.storage.migrations import FORMAT
from sweepstakes.tournaments.storage.stored_run import open_run

FORMATS = Path(__file__).parents[1] / "formats"
TABLES = ("leaderboard.csv", "leaderboard.json", "head-to-head.csv")
Terminal = Callable[..., Said]


@pytest.fixture(params=sorted(path.name for path in FORMATS.iterdir()))
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of what a version of that format wrote: its tournament file and agent, a run and a publication."""
    return Path(shutil.copytree(FORMATS / request.param, tmp_path / "old"))


def change(run: Path, *statements: str) -> None:
    with closing(sqlite3.connect(run / "games.sqlite")) as db, db:
        for statement in statements:
            db.execute(statement)


def edit_published(directory: Path, line: Callable[[int, str], str]) -> None:
    """Rewrite the lines of games.csv.gz, each by its number from 0 on."""
    lines = gzip.decompress((directory / "games.csv.gz").read_bytes()).decode().splitlines()
    text = "".join(line(number, each) + "\n" for number, each in enumerate(lines))
    (directory / "games.csv.gz").write_bytes(gzip.compress(text.encode(), mtime=0))


def delete_games(run: Path, which: str) -> None:
    change(run, f"delete from games where {which}")


def tables(directory: Path) -> dict[str, str]:
    return {name: (directory / name).read_text() for name in TABLES}


def files(directory: Path) -> dict[str, bytes]:
    return {str(path.relative_to(directory)): path.read_bytes() for path in directory.rglob("*") if path.is_file()}


def test_reading_changes_nothing_in_the_directory(old: Path, sweepstakes: Terminal) -> None:
    before = files(old)
    for directory in ("old/run", "old/published"):
        for words in (["leaderboard", directory], ["compare", directory, "exact", "basic"], ["replay", directory]):
            assert sweepstakes(*words).code == 0
        with open_run(directory) as run:
            assert len(run.games["number"]) == 72
            assert sum(run.games["ending"] == "error") == 9
            assert sum(run.games["won"] & (run.games["agent"] == "exact")) == 23
    assert files(old) == before


@pytest.mark.parametrize("kind", ["run", "published"])
def test_every_row_and_table_is_verified(kind: str, old: Path, sweepstakes: Terminal) -> None:
    done = sweepstakes("verify", f"old/{kind}", "--sample", "1")
    assert done.code == 0, done.err
    assert "72 of 72 games played again" in done.out
    assert ("the turns of 61 games repeated" in done.out) == (kind == "run")


def test_a_run_resumes_and_ends_with_the_same_tables(old: Path, sweepstakes: Terminal) -> None:
    before = tables(old / "run")
    delete_games(old / "run", "number % 3 = 1")
    for name in TABLES:
        (old / "run" / name).unlink()
    done = sweepstakes("run", "old/format-3.yaml", "--out", "old/run")
    assert done.code == 0, done.err
    assert tables(old / "run") == before
    assert sweepstakes("verify", "old/run", "--sample", "0.1").code == 0


def test_shares_of_runs_are_merged(old: Path, sweepstakes: Terminal) -> None:
    shutil.copytree(old / "run", old / "other")
    delete_games(old / "run", "number < 5")
    delete_games(old / "other", "number >= 5")
    done = sweepstakes("merge", "old/run", "old/other", "--out", "old/merged")
    assert done.code == 0, done.err
    assert tables(old / "merged") == tables(old / "run")


def test_published_games_are_imported_and_not_played_again(old: Path, sweepstakes: Terminal) -> None:
    done = sweepstakes("run", "old/format-3.yaml", "--out", "old/new", "--from", "old/published")
    assert done.code == 0, done.err
    assert "72 games imported" in done.err
    assert "nothing to play" in done.err
    assert tables(old / "new") == tables(old / "published")


@pytest.mark.parametrize("kind", ["run", "published"])
def test_it_is_published_again_with_the_same_tables(kind: str, old: Path, sweepstakes: Terminal) -> None:
    done = sweepstakes("publish", f"old/{kind}", "--to", "old/again", "--quiet")
    assert done.code == 0, done.err
    assert tables(old / "again") == tables(old / "published")
    assert sweepstakes("verify", "old/again", "--sample", "1").code == 0


def test_an_unknown_column_is_ignored(old: Path, sweepstakes: Terminal) -> None:
    change(old / "run", "alter table games add column mood text", "update games set mood = 'sunny'")
    edit_published(old / "published", lambda number, line: f"{'sunny' if number else 'mood'},{line}")
    (old / "published" / "citation.md").unlink()  # it has the hash of the games
    for kind in ("run", "published"):
        done = sweepstakes("verify", f"old/{kind}", "--sample", "1")
        assert "all rows and tables agree" in done.out
    delete_games(old / "run", "number = 1")
    done = sweepstakes("run", "old/format-3.yaml", "--out", "old/run", "--quiet")
    assert done.code == 0, done.err
    assert tables(old / "run") == tables(old / "published")


def test_a_missing_or_repeated_column_is_named(old: Path, sweepstakes: Terminal) -> None:
    change(old / "run", "alter table games drop column guesses")
    done = sweepstakes("leaderboard", "old/run")
    assert done.code == 2
    assert "damaged: the table 'games' has no column 'guesses'" in done.err
    edit_published(old / "published", lambda number, line: line if number else line.replace("turns", "guesses"))
    done = sweepstakes("leaderboard", "old/published")
    assert done.code == 2
    assert "expected the columns condition, agent, number, ending, opened" in done.err


def test_a_newer_run_or_publication_gets_one_line(old: Path, sweepstakes: Terminal) -> None:
    newer = FORMAT + 1
    change(old / "run", f"update meta set value = '{newer}' where key = 'format'")
    keys = old / "published" / "keys.json"
    keys.write_text(json.dumps(json.loads(keys.read_text()) | {"format": newer}))
    for kind in ("run", "published"):
        start = ["run", "old/format-3.yaml", "--quiet"]
        place = ["--out", "old/run"] if kind == "run" else ["--out", "old/new", "--from", "old/published"]
        for words in (["leaderboard", f"old/{kind}"], ["verify", f"old/{kind}"], [*start, *place]):
            before = files(old / kind)
            done = sweepstakes(*words)
            assert done.code == 2
            assert done.err.count("\n") == 1
            assert f"old/{kind}: written in format {newer}, this version reads" in done.err
            assert "install a newer version" in done.err
            after = files(old / kind)
            after.pop("run.lock", None)
            assert after == before
