"""Damaged run directories and publications: every command that reads them prints one line, or is not affected."""

from __future__ import annotations

import functools
import gzip
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from sweepstakes import Registry, RunError, SweepstakesError
from sweepstakes.game.turn_codec import MAX_BYTES
from sweepstakes.leaderboards.publish import publish
from sweepstakes.tournaments import run_tournament
from sweepstakes.tournaments.stored_run import open_run
from sweepstakes.web.data.overview import Overview
from sweepstakes.web.server.api_error import ApiError

Terminal = Callable[..., Any]
Damage = Callable[[Path, random.Random], None]

DATA: dict[str, Any] = {
    "executor": "serial",
    "name": "small",
    "games": 4,
    "boards": [{"size": 5, "mines": 4}, {"size": 4, "density": 0.2}],
    "agents": ["random", {"agent": "basic", "scope": "last"}],
    "scores": ["identified", "chain-length"],
}
GAMES = [
    *("number", "ending", "opened", "right_flags", "wrong_flags", "detonated", "turns", "cells_clicked", "guesses"),
    *("fallbacks", "fault", "measures", "seconds", "moves", "limits", "condition", "agent"),
]
AGENTS = ["key", "label", "name", "parameters", "version"]
CONDITIONS = ["key", "label", "seed", "rows", "cols", "mines", "rules", "source", "source_version", "noise"]
VALUES: list[Any] = [
    -1,
    2**62,
    2**63 - 1,
    1.5,
    float("inf"),
    "",
    "nonsense",
    "\u202e\x1b[31m",
    "x" * 100_000,
    b"\xff\x00",
    "[]",
    "{",
]
BROKEN_JSON = [
    "{",
    "[]",
    "7",
    "null",
    '{"a": NaN}',
    '{"a": 1e999}',
    '{"a": "b"}',
    "[" * 100_000,
    '{"a": {"b": 1}}',
    "\x00",
]


@functools.cache
def bomb() -> bytes:
    """A few bytes that unpack to more than memory should be asked for."""
    return zlib.compress(b"0" * (MAX_BYTES + 1))


@pytest.fixture(scope="module")
def sound(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run, and next to it its publication."""
    home = tmp_path_factory.mktemp("sound")
    run_tournament(DATA, out=home / "run")
    with closing(open_run(home / "run")) as opened:
        publish(opened, home / "published", with_plots=False)
    with closing(sqlite3.connect(home / "run" / "games.sqlite")) as db:
        db.execute("pragma wal_checkpoint(truncate)")
        db.execute("pragma journal_mode = delete")
    return home


def sql(*commands: str) -> Damage:
    def damage(run: Path, chance: random.Random) -> None:
        with closing(sqlite3.connect(run / "games.sqlite")) as db, db:
            db.execute("pragma synchronous = off")
            db.execute("pragma writable_schema = on")
            for command in commands:
                db.execute(command)

    return damage


def put(table: str, column: str, value: Any) -> Damage:
    """One row, or all of them, with another value in a column."""

    def damage(run: Path, chance: random.Random) -> None:
        where = "" if chance.random() < 0.5 else " where rowid = 1"
        if table == "games" and where:
            where = " where number = 1 and agent = 1 and condition = 1"
        with closing(sqlite3.connect(run / "games.sqlite")) as db, db:
            db.execute(f"update or ignore {table} set {column} = ?{where}", [value])

    return damage


def put_broken_text(run: Path, chance: random.Random) -> None:
    sql("update games set fault = cast(x'fffe' as text), ending = cast(x'ff' as text)")(run, chance)


def flip(name: str) -> Damage:
    def damage(run: Path, chance: random.Random) -> None:
        data = bytearray((run / name).read_bytes())
        for _ in range(chance.choice([1, 5, 50, 500])):
            data[chance.randrange(len(data))] = chance.randrange(256)
        (run / name).write_bytes(data)

    return damage


def cut(name: str) -> Damage:
    def damage(run: Path, chance: random.Random) -> None:
        data = (run / name).read_bytes()
        (run / name).write_bytes(data[: chance.choice([0, 1, 99, 100, chance.randrange(len(data))])])

    return damage


def replace(name: str, data: bytes) -> Damage:
    def damage(run: Path, chance: random.Random) -> None:
        (run / name).write_bytes(data)

    return damage


def folder(name: str) -> Damage:
    def damage(run: Path, chance: random.Random) -> None:
        (run / name).unlink()
        (run / name).mkdir()

    return damage


def keys(change: Callable[[Any], Any]) -> Damage:
    def damage(run: Path, chance: random.Random) -> None:
        data = json.loads((run / "keys.json").read_text())
        (run / "keys.json").write_text(json.dumps(change(data)))

    return damage


def rows(change: Callable[[list[bytes]], list[bytes]]) -> Damage:
    def damage(run: Path, chance: random.Random) -> None:
        lines = gzip.decompress((run / "games.csv.gz").read_bytes()).splitlines()
        (run / "games.csv.gz").write_bytes(gzip.compress(b"\n".join(change(lines)) + b"\n"))

    return damage


def field(place: int, text: bytes) -> Damage:
    """The second game of a publication with another text in a field."""

    def change(lines: list[bytes]) -> list[bytes]:
        fields = lines[2].split(b",")
        fields[place] = text
        return [*lines[:2], b",".join(fields), *lines[3:]]

    return rows(change)


def database_damages() -> Iterator[Damage]:
    for i, column in enumerate(GAMES):
        for k in range(3):
            yield put("games", column, VALUES[(3 * i + k) % len(VALUES)])
    for i, column in enumerate(AGENTS):
        yield put("agents", column, VALUES[(5 * i + 3) % len(VALUES)])
        yield put("agents", column, b"\xff\x00")
    for i, column in enumerate(CONDITIONS):
        yield put("conditions", column, VALUES[(5 * i + 1) % len(VALUES)])
        yield put("conditions", column, b"\xff\x00")
    for text in BROKEN_JSON:
        for table, column in (("games", "measures"), ("agents", "parameters"), ("games", "limits")):
            yield put(table, column, text)
    for moves in (b"", b"nonsense", zlib.compress(b"[1]"), zlib.compress(b'[["proof",null,["a"],[],[],0,null]]')):
        yield put("games", "moves", moves)
    yield put("games", "moves", zlib.compress(b'[["proof",null,[[9,9]],[],[],0,[[70,80,[[90,90]]]]]]'))
    yield put("games", "moves", bomb())
    for table in ("meta", "agents", "conditions", "games"):
        yield sql(f"drop table {table}")
        yield sql(f"alter table {table} add column more text")
    yield sql("alter table games rename column fault to mistake")
    yield sql("alter table games rename to plays")
    yield sql("delete from meta")
    yield sql("update meta set value = '1'")
    yield sql("update meta set value = x'ff'")
    yield sql("delete from agents")
    yield sql("delete from conditions")
    yield put_broken_text
    for _ in range(12):
        yield flip("games.sqlite")
        yield cut("games.sqlite")
    yield replace("games.sqlite", b"this is no database" * 100)
    yield folder("games.sqlite")
    for data in (b"\xff", b"[]", b"{}", b'{"scores": [], "tables": []}', b"[" * 100_000):
        yield replace("leaderboard.json", data)
    yield replace("tournament.yaml", b"\xff\xfe")


def publication_damages() -> Iterator[Damage]:
    for data in (b"", b"\xff", b"{", b"[]", b"7", b"null", b"{}", b"[" * 100_000, b'{"format": 3}'):
        yield replace("keys.json", data)
    yield keys(lambda data: data | {"format": 1})
    yield keys(lambda data: {key: value for key, value in data.items() if key != "format"})
    yield keys(lambda data: data | {"format": "3"})
    yield keys(lambda data: data | {"agents": []})
    yield keys(lambda data: data | {"agents": {}})
    yield keys(lambda data: data | {"conditions": {"x": 1}})
    yield keys(lambda data: data | {"more": 1})
    for part, name in (("agents", "parameters"), ("agents", "label"), ("conditions", "seed"), ("conditions", "rows")):
        for value in (None, 10**30, -1, "x" * 5000, [1], {"a": {"b": [1]}}, 1.5, True):
            yield keys(
                lambda data, part=part, name=name, value=value: (
                    data  # type: ignore[misc]
                    | {part: {key: inner | {name: value} for key, inner in data[part].items()}}
                )
            )
    for place in range(14):
        for text in (b"", b"-1", b"9" * 40, b"\xff\xfe", "٣".encode(), b"x" * 200_000, b'"{""a"": 1e999}"'):
            yield field(place, text)
    yield rows(lambda lines: lines[1:])
    yield rows(lambda lines: lines[:1])
    yield rows(lambda lines: [])
    yield rows(lambda lines: [*lines, lines[-1]])
    yield rows(lambda lines: [*lines, b"a,b"])
    yield rows(lambda lines: [*lines, b"\0" * 100])
    yield rows(lambda lines: [*lines, b'"' + b"x" * 1_000_000])
    for _ in range(6):
        yield flip("games.csv.gz")
        yield cut("games.csv.gz")
        yield flip("keys.json")
    yield replace("games.csv.gz", b"no gzip at all")
    yield folder("games.csv.gz")
    yield folder("keys.json")


def pages(run: Path) -> None:
    """All that the browser's pages ask of a run."""
    found = Overview(open_run(run), Registry.default())
    found.overview()
    list(found.run.kept())
    for condition in range(1, len(found.run.conditions) + 1):
        found.decisive(condition, 1, 2)
        for agent in range(1, len(found.run.agents) + 1):
            found.results(condition, agent)
            found.replay(condition, agent, 1)


COMMANDS = (
    "leaderboard DIR",
    "leaderboard DIR --games games.csv",
    "compare DIR random basic",
    "replay DIR",
    "replay DIR basic/1/1",
    "publish DIR --to published-again --quiet",
    "verify DIR --sample 0 --quiet",
    "run t.yaml --from DIR --out new --quiet",
    "run t.yaml --out DIR --quiet",
)


def look(sweepstakes: Terminal, directory: Path) -> list[str]:
    """Return the complaints of every command that reads a run or a publication."""
    Path("t.yaml").write_text(json.dumps(DATA))
    complaints: list[str] = []
    for command in COMMANDS:
        done = sweepstakes(*command.replace("DIR", directory.name).split())
        if done.code == 2:
            assert done.err.startswith("sweepstakes: "), (command, done.err)
            assert done.err.count("\n") == 1, (command, done.err)
            assert len(done.err) < 500, (command, done.err)
            complaints.append(done.err)
        else:
            allowed = {"verify": (0, 1, 3), "replay": (0, 1)}.get(command.split()[0], (0,))
            assert done.code in allowed, (command, done)
        assert "Traceback" not in done.err + done.out, (command, done.err)
        assert "internal error" not in done.err, (command, done.err)
    return complaints


def refused(damages: list[Damage], sound: Path, place: Path) -> float:
    """Have the reader read every damaged copy; return the share of those that it refuses, each with one line."""
    count = 0
    for number, damage in enumerate(damages):
        shutil.copytree(sound, place, ignore=shutil.ignore_patterns("plots"))
        damage(place, random.Random(number))
        complaint = ""
        try:
            pages(place)
        except (SweepstakesError, ApiError) as error:
            complaint = str(error)
        assert "\n" not in complaint
        assert len(complaint) < 500
        count += bool(complaint)
        shutil.rmtree(place)
    return count / len(damages)


def test_every_damaged_run_is_read_or_refused_with_one_line(sound: Path, tmp_path: Path) -> None:
    assert refused(list(database_damages()), sound / "run", tmp_path / "run") > 0.5  # some hit what nobody reads


def test_every_damaged_publication_is_read_or_refused_with_one_line(sound: Path, tmp_path: Path) -> None:
    assert refused(list(publication_damages()), sound / "published", tmp_path / "published") > 0.7


@pytest.mark.parametrize(
    "damage",
    [
        put("games", "ending", "nonsense"),
        put("agents", "parameters", b"\xff\x00"),
        sql("drop table games"),
        cut("games.sqlite"),
        replace("games.sqlite", b"this is no database" * 100),
        folder("games.sqlite"),
    ],
    ids=["ending", "parameters", "table", "cut", "replaced", "folder"],
)
def test_every_command_answers_a_damaged_run_with_one_line(
    damage: Damage, sweepstakes: Terminal, sound: Path, tmp_path: Path
) -> None:
    run = tmp_path / "run-damaged"
    shutil.copytree(sound / "run", run)
    damage(run, random.Random(1))
    complaints = look(sweepstakes, run)
    assert complaints
    assert all("run-damaged" in complaint or "--out" in complaint for complaint in complaints), complaints


@pytest.mark.parametrize(
    "damage",
    [
        replace("keys.json", b"{"),
        keys(lambda data: data | {"agents": {}}),
        field(3, b"9" * 40),
        rows(lambda lines: [*lines, lines[-1]]),
        cut("games.csv.gz"),
        folder("keys.json"),
    ],
    ids=["json", "agents", "field", "twice", "cut", "folder"],
)
def test_every_command_answers_a_damaged_publication_with_one_line(
    damage: Damage, sweepstakes: Terminal, sound: Path, tmp_path: Path
) -> None:
    published = tmp_path / "published-damaged"
    shutil.copytree(sound / "published", published, ignore=shutil.ignore_patterns("plots"))
    damage(published, random.Random(1))
    assert look(sweepstakes, published)


def test_an_older_run_or_publication_is_called_by_its_format(
    sweepstakes: Terminal, sound: Path, tmp_path: Path
) -> None:
    shutil.copytree(sound / "run", tmp_path / "run-old")
    sql("update meta set value = '1'")(tmp_path / "run-old", random.Random())
    shutil.copytree(sound / "published", tmp_path / "published-old", ignore=shutil.ignore_patterns("plots"))
    keys(lambda data: {name: data[name] for name in ("conditions", "agents")})(
        tmp_path / "published-old", random.Random()
    )
    Path("t.yaml").write_text(json.dumps(DATA))
    for old in ("run-old", "published-old"):
        for words in (["leaderboard", old], ["verify", old], ["run", "t.yaml", "--from", old, "--quiet"]):
            done = sweepstakes(*words)
            assert done.code == 2
            assert done.err == (
                f"sweepstakes: {old}: written in format 1, this version reads formats 3 to 5: "
                "play the tournament again, in another directory\n"
            )
    with pytest.raises(RunError, match="written in format 1, this version reads formats 3 to 5"):
        open_run(tmp_path / "run-old")


FULL = """
import os, resource, signal, sys
from pathlib import Path
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (int(sys.argv[1]), resource.RLIM_INFINITY))
from sweepstakes.cli.main import main
sys.argv = ["sweepstakes", *sys.argv[2:]]
main()
"""


def said_by(process: subprocess.CompletedProcess[str]) -> str:
    """The one line of a command that could not be carried out."""
    assert process.returncode == 2, process
    assert process.stderr.count("\n") == 1, process.stderr
    assert len(process.stderr) < 500
    assert "damaged" not in process.stderr
    assert "move it away" not in process.stderr
    return process.stderr


@pytest.mark.system
@pytest.mark.parametrize("allowed", [20_000, *(pytest.param(n, marks=pytest.mark.slow) for n in (60_000, 150_000))])
def test_a_file_that_may_not_grow_loses_nothing_and_is_not_called_damaged(tmp_path: Path, allowed: int) -> None:
    (tmp_path / "t.yaml").write_text(json.dumps(DATA | {"games": 300, "moves": "all"}))
    words = ["run", "t.yaml", "--quiet", "--out", "run"]
    environment = os.environ | {"NUMBA_CACHE_DIR": os.environ.get("NUMBA_CACHE_DIR", "")}
    full = subprocess.run(
        [sys.executable, "-c", FULL, str(allowed), *words],
        cwd=tmp_path, env=environment, capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert "nothing finished is lost" in said_by(full)
    subprocess.run([sys.executable, "-m", "sweepstakes", *words], cwd=tmp_path, check=True, capture_output=True)
    words[-1] = "whole"
    subprocess.run([sys.executable, "-m", "sweepstakes", *words], cwd=tmp_path, check=True, capture_output=True)
    for name in ("leaderboard.csv", "head-to-head.csv"):
        assert (tmp_path / "run" / name).read_bytes() == (tmp_path / "whole" / name).read_bytes()


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    """A real file system of few bytes; where none can be mounted, the test is skipped."""
    place = tmp_path / "disk"
    place.mkdir()
    command = ["mount", "-t", "tmpfs", "-o", "size=400k", "none", str(place)]
    try:
        mounted = subprocess.run(command, capture_output=True, check=False).returncode == 0
    except OSError:
        mounted = False
    if not mounted:
        pytest.skip("no file system can be mounted here")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.mark.slow
def test_a_full_disk_is_called_so(small_disk: Path, tmp_path: Path, sound: Path) -> None:
    (tmp_path / "t.yaml").write_text(json.dumps(DATA | {"games": 2000, "moves": "all"}))
    run = [sys.executable, "-m", "sweepstakes", "run", "t.yaml", "--quiet", "--out", str(small_disk / "run")]
    said = said_by(subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, check=False))
    assert "the disk is full; nothing finished is lost: make room and give the same command again" in said
    shutil.copytree(small_disk / "run", tmp_path / "moved")
    run[-1] = str(tmp_path / "moved")
    subprocess.run(run, cwd=tmp_path, check=True, capture_output=True)
    to = [sys.executable, "-m", "sweepstakes", "publish", str(sound / "run"), "--quiet"]
    to += ["--to", str(small_disk / "to")]
    assert "the disk is full" in said_by(subprocess.run(to, capture_output=True, text=True, check=False))


@pytest.mark.system
@pytest.mark.parametrize("words", [["run", "t.yaml", "--quiet"], ["leaderboard", "RUN"], ["verify", "RUN", "--quiet"]])
def test_too_few_file_handles_are_said_in_a_line(words: list[str], tmp_path: Path, sound: Path) -> None:
    (tmp_path / "t.yaml").write_text(json.dumps(DATA))
    command = [sys.executable, "-m", "sweepstakes", *(str(sound / "run") if word == "RUN" else word for word in words)]
    for allowed in (6, 20):
        done = subprocess.run(
            ["sh", "-c", f'ulimit -n {allowed}; exec "$@"', "sh", *command],
            cwd=tmp_path, capture_output=True, text=True, check=False,
        )  # fmt: skip
        assert done.returncode == 0 or re.search("files may be open at once here|too many open files", said_by(done))
