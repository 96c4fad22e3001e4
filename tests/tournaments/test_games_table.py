"""The games of a run as columns, in Python and as files."""

from __future__ import annotations

import csv
import json
import sqlite3
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sweepstakes import RunError, open_run
from sweepstakes.game.result import COLUMNS, GameResult
from sweepstakes.leaderboards.publish import publish
from sweepstakes.tournaments import run_tournament
from sweepstakes.tournaments.stored_run import StoredRun

Terminal = Callable[..., Any]
FAULTY = """\
from sweepstakes import Agent, Turn, hookimpl


class Sometimes(Agent):
    def act(self, view):
        if len(view.open()) > 12:
            raise ValueError("enough, \\"said\\" it, really")
        return Turn(open=[self.rng.choice(view.covered())], why="random")


@hookimpl
def sweepstakes_agents():
    return {"sometimes": Sometimes}
"""
COUNTS = [name for name, kind in COLUMNS.items() if kind == "integer"]


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with faults and measured scores under two rules and two noises, and next to it its publication."""
    home = tmp_path_factory.mktemp("games")
    (home / "faulty.py").write_text(FAULTY)
    run_tournament(
        {
            "name": "small",
            "executor": "serial",
            "seed": 4,
            "games": 12,
            "boards": ["6x6/6", "5x7@0.2"],
            "rules": [{"on_mine": "end"}, {"first_click": "safe"}],
            "noise": ["exact-clues", "hidden(rate=0.25)"],
            "agents": ["random", {"agent": "basic", "scope": "last"}, str(home / "faulty.py")],
            "scores": ["win", "turns", "identified", "chain-length"],
        },
        out=home / "run",
    )
    with open_run(home / "run") as run:
        publish(run, home / "published", with_plots=False)
    return home


@pytest.fixture(params=["run", "published"])
def run(request: pytest.FixtureRequest, home: Path) -> StoredRun:
    return open_run(home / str(request.param))


def one_by_one(run: StoredRun) -> list[tuple[str, str, int, Any, GameResult]]:
    """Every game as the tables read it: condition, agent, number, seconds and result."""
    return [
        (c.label, entry.label, number, seconds, result)
        for i, c in enumerate(run.conditions)
        for k, entry in enumerate(run.agents)
        for number, seconds, result in zip(*run.results(i, k), strict=True)
    ]


def test_every_game_is_a_row_with_what_is_known_of_it(run: StoredRun) -> None:
    games, expected = run.games, one_by_one(run)
    assert len(expected) == 8 * 3 * 12
    assert {len(column) for column in games.values()} == {len(expected)}
    assert list(zip(games["condition"], games["agent"], games["number"], strict=True)) == [e[:3] for e in expected]
    seconds = [np.nan if e[3] is None else e[3] for e in expected]
    assert np.allclose(games["seconds"], np.array(seconds), rtol=0, atol=1e-9, equal_nan=True)
    results = [e[4] for e in expected]
    for name in ("rows", "cols", "mines", *COUNTS, "won", "ending", "fault"):
        assert games[name].tolist() == [getattr(result, name) for result in results], name
    assert any(games["fault"]), "no agent had a fault"
    conditions = {c.label: c for c in run.conditions}
    for name in ("rules", "noise", "source"):
        assert games[name].tolist() == [getattr(conditions[label].fields, name) for label in games["condition"]]
    assert set(games["density"].tolist()) == {0.2, round(6 / 36, 6)}
    assert games["version"].tolist() == [{e.label: e.version for e in run.agents}[label] for label in games["agent"]]


def test_the_scores_of_the_rows_have_the_means_of_the_tables(run: StoredRun) -> None:
    games, standings = run.games, run.standings()
    names = {"turns": "score_turns"}
    assert "turns" in games
    assert any(games["turns"] != games["score_turns"]), "a fault takes the most turns"
    for table in standings.tables[1:]:
        for line in table.standings:
            rows = (games["condition"] == table.condition) & (games["agent"] == line.agent)
            for place, (column, interval) in enumerate(zip(standings.scores, line.scores, strict=True)):
                counts = place > 0 and run.make("score", column.name).count  # over games without a fault
                values = games[names.get(column.name, column.name)][rows & (games["fault"] == "") if counts else rows]
                mean = np.nanmean(values) if len(values) else np.nan
                assert mean == pytest.approx(interval.mean, abs=1e-12, nan_ok=True), (table.condition, column.name)


def test_the_rows_of_some_conditions_are_a_part_of_all_rows(run: StoredRun) -> None:
    part, whole = run.table([3, 1]), run.games
    labels = [run.conditions[1].label, run.conditions[3].label]
    chosen = np.isin(whole["condition"].astype(str), labels)
    for name, column in part.items():
        assert np.array_equal(column, whole[name][chosen], equal_nan=column.dtype == np.float64), name


def test_a_run_whose_agents_changed_places_has_its_games_in_the_order_of_the_plan(tmp_path: Path) -> None:
    data = {"executor": "serial", "games": 3, "boards": "4x4/3", "agents": ["random", "basic"], "scores": ["win"]}
    run_tournament(data, out=tmp_path)
    run_tournament(data | {"agents": ["basic", "random"]}, out=tmp_path)
    games = open_run(tmp_path).games
    assert games["agent"].tolist() == ["basic"] * 3 + ["random"] * 3
    assert games["number"].tolist() == [0, 1, 2, 0, 1, 2]
    assert [e[4].turns for e in one_by_one(open_run(tmp_path))] == games["turns"].tolist()


def test_games_are_read_once_and_again_when_the_run_is_reopened(tmp_path: Path) -> None:
    data = {"executor": "serial", "games": 3, "boards": "4x4/3", "agents": ["random"], "scores": ["win"]}
    run_tournament(data, out=tmp_path)
    run = open_run(tmp_path)
    assert run.games is run.games
    run_tournament(data | {"games": 5}, out=tmp_path)
    assert len(run.games["number"]) == 3
    assert len(run.reopened().games["number"]) == 5


def test_a_run_without_games_has_columns_without_rows(home: Path, tmp_path: Path) -> None:
    copy = tmp_path / "empty"
    copy.mkdir()
    for name in ("tournament.yaml", "games.sqlite"):
        (copy / name).write_bytes((home / "run" / name).read_bytes())
    with closing(sqlite3.connect(copy / "games.sqlite")) as db, db:
        db.execute("delete from games")
    games = open_run(copy).games
    assert games.keys() == open_run(home / "run").games.keys()
    assert {len(column) for column in games.values()} == {0}


@pytest.mark.parametrize(
    "change",
    [
        *("opened = 99", "turns = -1", "guesses = 'many'", "ending = 'won'", "ending = 'nothing'", "fault = x'00'"),
        *("measures = '{'", "seconds = -3.5", "seconds = 'long'", "number = -7", "fallbacks = 1.5"),
    ],
)
def test_an_impossible_row_is_named(home: Path, tmp_path: Path, change: str) -> None:
    for name in ("tournament.yaml", "games.sqlite"):
        (tmp_path / name).write_bytes((home / "run" / name).read_bytes())
    with closing(sqlite3.connect(tmp_path / "games.sqlite")) as db, db:
        db.execute(f"update games set {change} where number = 5 and agent = 1 and condition = 2")
    number = "-7" if "number" in change else "5"
    with pytest.raises(RunError, match=f"game random/2/{number}: .*no finished game can have this result"):
        _ = open_run(tmp_path).games


def test_a_row_that_is_replaced_while_the_games_are_read_is_read_again(
    home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = open_run(home / "run")
    expected = run.games
    copy = tmp_path / "games.sqlite"
    copy.write_bytes((home / "run" / "games.sqlite").read_bytes())

    def query_then_replace(sql: str, parameters: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        rows = db.execute(sql, parameters).fetchall()
        db.rollback()  # the impossible rows are those of the first query only
        return iter(rows)

    with closing(sqlite3.connect(copy)) as db:
        db.execute("update games set opened = 99 where number = 0")
        monkeypatch.setattr(run, "query", query_then_replace)
        found = run.table()
    for name, column in expected.items():
        assert np.array_equal(column, found[name], equal_nan=column.dtype == np.float64), name


def test_data_frames_take_the_columns_as_they_are(run: StoredRun) -> None:
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame(run.games)
    assert list(frame.columns) == list(run.games)
    assert frame["agent"].tolist() == run.games["agent"].tolist()
    assert frame.groupby(["density", "agent"])["win"].mean().shape == (6,)
    assert pandas.DataFrame(run.standings().columns())["rank"].min() == 1


def test_polars_takes_the_columns_as_they_are(run: StoredRun) -> None:
    polars = pytest.importorskip("polars")
    frame = polars.DataFrame(run.games)
    texts = {name for name, kind in frame.schema.items() if kind == polars.String}
    assert texts == {"condition", "rules", "noise", "source", "agent", "version", "ending", "fault"}
    assert frame["fault"].to_list() == run.games["fault"].tolist()
    assert polars.DataFrame(run.standings().pairs()).height == 9 * 3


def test_the_leaderboard_command_writes_the_games(home: Path, sweepstakes: Terminal) -> None:
    games = open_run(home / "run").games
    rows = [dict(zip(games, row, strict=True)) for row in zip(*(c.tolist() for c in games.values()), strict=True)]
    for file in ("games.csv", "games.jsonl"):
        said = sweepstakes("leaderboard", str(home / "run"), "--games", file)
        assert (said.code, said.out) == (0, ""), said.err
        assert f"288 games written to {file}" in said.err
    with Path("games.csv").open(encoding="utf-8", newline="") as table:
        read = list(csv.DictReader(table))
    assert len(read) == len(rows)
    for row, text in zip(rows, read, strict=True):
        for name, value in row.items():
            expected = "" if value != value else str(value).lower() if isinstance(value, bool) else str(value)
            assert text[name] == expected, name
    with Path("games.jsonl").open(encoding="utf-8") as lines:
        data = [json.loads(line) for line in lines]
    assert data == [{name: None if value != value else value for name, value in row.items()} for row in rows]
    part = sweepstakes("leaderboard", str(home / "run"), "--games", "part.csv", "--condition", "5x7")
    assert "144 games written to part.csv" in part.err


def test_parquet_holds_the_same_games(home: Path, sweepstakes: Terminal) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    assert sweepstakes("leaderboard", str(home / "published"), "--games", "games.parquet").code == 0
    read = parquet.read_table("games.parquet").to_pydict()
    for name, column in open_run(home / "published").games.items():
        assert read[name] == [None if value != value else value for value in column.tolist()], name


def test_a_file_of_another_kind_or_a_missing_library_is_answered_by_one_line(
    home: Path, sweepstakes: Terminal, monkeypatch: pytest.MonkeyPatch
) -> None:
    said = sweepstakes("leaderboard", str(home / "run"), "--games", "games.xlsx")
    assert (said.code, said.err.count("\n")) == (2, 1)
    assert "expected a name that ends in .csv, .jsonl, .parquet" in said.err
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    said = sweepstakes("leaderboard", str(home / "run"), "--games", "games.parquet")
    assert (said.code, "the extra [parquet]" in said.err, said.err.count("\n")) == (2, True, 1)
    said = sweepstakes("leaderboard", str(home / "run"), "--games", "no/such/folder/games.csv")
    assert (said.code, said.err.count("\n")) == (2, 1), said.err
    assert not list(Path().glob("*.part"))


def test_a_score_whose_plugin_is_gone_has_no_column_and_says_so(tmp_path: Path) -> None:
    score = FAULTY.replace("Agent, Turn, hookimpl", "Score, hookimpl").partition("class")[0]
    (tmp_path / "bold.py").write_text(
        f"{score}class Bold(Score):\n    def of(self, result):\n        return float(result.detonated)\n\n"
        "    worst = of\n\n\n@hookimpl\ndef sweepstakes_scores():\n    return {'bold': Bold}\n"
    )
    bold = f"{tmp_path / 'bold.py'}:bold"
    data = {"executor": "serial", "games": 3, "boards": "4x4/3", "agents": ["random"], "scores": ["win", bold]}
    run_tournament(data, out=tmp_path / "run")
    games = open_run(tmp_path / "run").games
    assert games["bold"].tolist() == games["detonated"].tolist()
    (tmp_path / "bold.py").unlink()
    with pytest.warns(UserWarning, match="no column for the score bold"):
        games = open_run(tmp_path / "run").games
    assert "bold" not in games
    assert "win" in games
