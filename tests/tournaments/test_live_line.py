"""The line of a run that is being played: one condition at a time, with the scores that its table will have."""

from __future__ import annotations

import json
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sweepstakes.tournaments.running import progress

FILE = """
games: 12
boards: [{rows: 4, cols: 4, density: 0.05}, 4x4/8, 4x4/4]
agents: [random, basic]
rules: {on_mine: end}
scores: [safe-opened]
executor: serial
"""
LINE = re.compile(
    r"(?P<done>\d+) of 72 games, [\d,]+/s; condition (?P<place>\d) of 3, (?P<label>[^:]+): (?P<here>\d+) of 24 games"
    r"(?P<left>, about [\d.]+ (s|min|h) left)?(; safe-opened so far: (?P<means>.+))?"
)


@pytest.fixture
def lines(
    sweepstakes: Callable[..., Any], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> Callable[..., list[re.Match[str]]]:
    monkeypatch.setattr(progress, "LINE_SECONDS", -1.0)
    (tmp_path / "t.yaml").write_text(FILE)

    def run() -> list[re.Match[str]]:
        said = sweepstakes("run", "t.yaml", "--out", "run")
        assert said.code == 0, said.err
        found = [LINE.fullmatch(line) for line in said.err.splitlines() if " of 72 games" in line]
        assert None not in found, said.err
        return [line for line in found if line]

    return run


def means(directory: Path) -> dict[str, dict[str, str]]:
    """The means of the final tables, by condition and agent."""
    tables = json.loads((directory / "leaderboard.json").read_text())["tables"][1:]
    return {
        table["condition"]: {
            each["agent"]: f"{each['scores']['safe-opened']['mean']:.3f}" for each in table["standings"]
        }
        for table in tables
    }


def check(found: list[re.Match[str]], expected: dict[str, dict[str, str]]) -> None:
    places = [int(line["place"]) for line in found]
    assert places == sorted(places)
    for place in set(places):
        last = [line for line in found if int(line["place"]) == place][-1]
        shown = dict(text.rsplit(" ", 1) for text in last["means"].split(", "))
        if last["here"] == "24":
            assert shown == expected[last["label"]]
    assert found[-1]["here"] == "24"
    assert not found[-1]["left"]


def test_the_line_shows_one_condition_at_a_time_and_ends_with_the_means_of_the_table(
    lines: Callable[..., list[re.Match[str]]], tmp_path: Path
) -> None:
    found = lines()
    assert {line["place"] for line in found} == {"1", "2", "3"}
    check(found, means(tmp_path / "run"))


def test_a_resumed_run_counts_the_games_that_were_stored(
    lines: Callable[..., list[re.Match[str]]], tmp_path: Path
) -> None:
    lines()
    with sqlite3.connect(tmp_path / "run" / "games.sqlite") as db:
        db.execute("delete from games where condition = 3 and number > 7")
    found = lines()
    assert {line["place"] for line in found} == {"3"}
    assert int(found[0]["here"]) > 16
    check(found, means(tmp_path / "run"))
