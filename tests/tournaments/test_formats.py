"""Runs and publications that earlier versions wrote are read, resumed, merged, compared, published and verified.

`tests/formats/N` was written by the last version of format N. These files must never be rewritten.
"""

from __future__ import annotations

import gzip
import json
import re
import shutil
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from said import Said

from sweepstakes.game.result import COLUMNS
from sweepstakes.tournaments.storage.migrations import DEFAULTS, FORMAT, STEPS
from sweepstakes.tournaments.stored_run import open_run

ROOT = Path(__file__).parents[2]
FORMATS = ROOT / "tests" / "formats"
TABLES = ("leaderboard.csv", "leaderboard.json", "head-to-head.csv")
Terminal = Callable[..., Said]


@pytest.fixture(params=sorted(path.name for path in FORMATS.iterdir()))
def old(request: pytest.FixtureRequest, tmp_path: Path) -> Path:
    """A copy of what a version of that format wrote: its tournament file and agent, a run and a publication."""
    copy = Path(shutil.copytree(FORMATS / request.param, tmp_path / "old"))
    next(copy.glob("format-*.yaml")).rename(copy / "tournament.yaml")
    return copy


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
    """Return the tables without their footnotes, which are prose."""
    return {name: re.sub('"footnote": .*', "", (directory / name).read_text()) for name in TABLES}


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
    done = sweepstakes("run", "old/tournament.yaml", "--out", "old/run")
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


@pytest.mark.system
def test_published_games_are_imported_and_not_played_again(old: Path, sweepstakes: Terminal) -> None:
    done = sweepstakes("run", "old/tournament.yaml", "--out", "old/new", "--from", "old/published")
    assert done.code == 0, done.err
    assert "72 games imported" in done.err
    assert "nothing to play" in done.err
    assert tables(old / "new") == tables(old / "published")


@pytest.mark.system
@pytest.mark.parametrize("kind", [pytest.param("run", marks=pytest.mark.slow), "published"])
def test_it_is_published_again_with_the_same_tables(kind: str, old: Path, sweepstakes: Terminal) -> None:
    done = sweepstakes("publish", f"old/{kind}", "--to", "old/again", "--quiet")
    assert done.code == 0, done.err
    assert tables(old / "again") == tables(old / "published")
    assert sweepstakes("verify", "old/again", "--sample", "1").code == 0


def meta(run: Path) -> dict[str, str]:
    with closing(sqlite3.connect(run / "games.sqlite")) as db:
        return dict(db.execute("select key, value from meta"))


def columns(run: Path) -> set[str]:
    with closing(sqlite3.connect(run / "games.sqlite")) as db:
        return {row[1] for row in db.execute("pragma table_info(games)")}


def schema(run: Path) -> list[tuple[str, str]]:
    with closing(sqlite3.connect(run / "games.sqlite")) as db:
        return list(db.execute("select name, sql from sqlite_master order by name"))


def test_a_run_is_upgraded_when_it_is_written_to(old: Path, sweepstakes: Terminal) -> None:
    before = meta(old / "run")["format"]
    delete_games(old / "run", "number = 3")
    assert sweepstakes("run", "old/tournament.yaml", "--out", "old/run", "--quiet").code == 0
    assert meta(old / "run")["format"] == str(FORMAT)
    assert columns(old / "run") >= COLUMNS.keys()
    with open_run("old/run") as run:
        new = run.games["number"] == 3
        for name, default in DEFAULTS.items() if before == "3" else ():
            assert (np.isnan(run.games[name][~new]) if default is None else run.games[name][~new] == default).all()
            assert not np.isnan(run.games[name][new]).any()
    assert sweepstakes("verify", "old/run", "--sample", "1").code == 0


KILLED = """
import os, signal, sys
from sweepstakes.cli.main import main
from sweepstakes.tournaments.storage import run_writer
upgrade = run_writer.upgrade
def killed(db):
    upgrade(db)
    os.kill(os.getpid(), signal.SIGKILL)
run_writer.upgrade = killed
sys.argv = ["sweepstakes", "run", "old/tournament.yaml", "--out", "old/run", "--quiet"]
main()
"""


def test_a_run_killed_during_its_upgrade_is_as_it_was(old: Path, sweepstakes: Terminal) -> None:
    before, expected, found = meta(old / "run"), tables(old / "run"), schema(old / "run")
    delete_games(old / "run", "number = 3")
    done = subprocess.run([sys.executable, "-c", KILLED], cwd=old.parent, check=False)
    assert done.returncode == -signal.SIGKILL
    assert sweepstakes("compare", "old/run", "exact", "basic").code == 0
    assert meta(old / "run") == before
    assert schema(old / "run") == found
    assert sweepstakes("run", "old/tournament.yaml", "--out", "old/run", "--quiet").code == 0
    assert tables(old / "run") == expected
    assert meta(old / "run")["format"] == str(FORMAT)


@pytest.mark.parametrize("executor", ["serial", pytest.param("local(workers=2)", marks=pytest.mark.slow)])
def test_what_old_games_lack_is_measured_from_their_turns(executor: str, old: Path, sweepstakes: Terminal) -> None:
    """Of 72 games 60 on the first ten boards kept their turns, and one of those that ended by a fault later."""
    file = old / "tournament.yaml"
    scores = "[win, identified, missed-proofs, efficiency, best-guesses, chain-length]"
    file.write_text(file.read_text().replace("[win, identified, missed-proofs]", scores))
    with closing(sqlite3.connect(old / "run" / "games.sqlite")) as db:
        kept = "select agent, condition, number, seconds, moves from games where moves is not null order by 1, 2, 3"
        before = list(db.execute(kept))
        done = sweepstakes("run", str(file), "--out", "old/run", "--executor", executor)
        assert done.code == 0, done.err
        assert list(db.execute(kept)) == before
    assert "72 stored games lack a score: 61 are measured from their moves, 11 without moves are played" in done.err
    assert sweepstakes("run", str(file), "--out", "old/again", "--executor", "serial", "--quiet").code == 0
    assert tables(old / "run") == tables(old / "again")
    with open_run("old/run") as run, open_run("old/again") as again:
        assert list(run.rows()) == list(again.rows())
    done = sweepstakes("run", str(file), "--out", "old/run")
    assert "nothing to play" in done.err
    assert "lack a score" not in done.err
    assert sweepstakes("verify", "old/run", "--sample", "1").code == 0


@pytest.mark.system
@pytest.mark.parametrize("old", ["3"], indirect=True)  # later formats have what `efficiency` needs
def test_turns_that_are_not_those_of_the_row_are_not_measured(old: Path, sweepstakes: Terminal) -> None:
    file = old / "tournament.yaml"
    file.write_text(file.read_text().replace("missed-proofs]", "missed-proofs, efficiency]"))
    other = "(select moves from games g where g.agent = games.agent and g.condition = games.condition and g.number = 4)"
    change(old / "run", f"update games set moves = {other} where number = 5")
    change(old / "run", "update games set moves = x'00' where number = 6")
    assert sweepstakes("run", str(file), "--out", "old/run").code == 0
    assert sweepstakes("verify", "old/run", "--sample", "1").code == 1  # games that were not won still have these turns
    change(old / "run", "delete from games where ending <> 'won'")
    assert sweepstakes("run", str(file), "--out", "old/run").code == 0
    assert sweepstakes("verify", "old/run", "--sample", "1").code == 0


def test_a_run_that_is_refused_is_not_upgraded(old: Path, sweepstakes: Terminal) -> None:
    before = meta(old / "run"), schema(old / "run")
    done = sweepstakes("run", "old/tournament.yaml", "--out", "old/run", "--seed", "8", "--quiet")
    assert done.code == 2
    assert "holds another tournament" in done.err
    assert (meta(old / "run"), schema(old / "run")) == before


@pytest.mark.system
def test_what_one_run_knows_of_a_game_is_merged_into_another(old: Path, sweepstakes: Terminal) -> None:
    assert sweepstakes("run", "old/tournament.yaml", "--out", "old/new", "--quiet").code == 0
    for order in (["old/run", "old/new"], ["old/new", "old/run"]):
        out = f"old/merged-from-{Path(order[0]).name}"
        done = sweepstakes("merge", *order, "--out", out)
        assert done.code == 0, done.err
        with open_run(out) as merged, open_run("old/new") as new:
            for name in COLUMNS.keys() - {"ending", "measures"}:
                assert (merged.games[name] == new.games[name]).all()


def test_every_column_is_documented_with_its_default() -> None:
    page = (ROOT / "docs" / "files.md").read_text(encoding="utf-8")
    for name in COLUMNS:
        assert re.search(rf"^\| [^|]*`{name}`", page, re.MULTILINE), name
    for name, default in DEFAULTS.items():
        assert re.search(rf"^\| \d+ \| `{name}` \| {'unknown' if default is None else default}", page, re.MULTILINE)
    assert f"format {FORMAT}." in page
    assert list(STEPS) == list(range(4, FORMAT + 1))


@pytest.mark.system
def test_an_unknown_column_is_ignored(old: Path, sweepstakes: Terminal) -> None:
    change(old / "run", "alter table games add column mood text", "update games set mood = 'sunny'")
    edit_published(old / "published", lambda number, line: f"{'sunny' if number else 'mood'},{line}")
    (old / "published" / "citation.md").unlink()  # it has the hash of the games
    for kind in ("run", "published"):
        done = sweepstakes("verify", f"old/{kind}", "--sample", "1")
        assert "all rows and tables agree" in done.out
    delete_games(old / "run", "number = 1")
    done = sweepstakes("run", "old/tournament.yaml", "--out", "old/run", "--quiet")
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
        start = ["run", "old/tournament.yaml", "--quiet"]
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
