"""The games of a run, for reading: rows in SQLite, looked up by what identifies them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from typing import Any

from sweepstakes.executor import Fixture
from sweepstakes.result import ENDINGS, Ending, GameResult
from sweepstakes.size import Size
from sweepstakes.tournaments.plan import Plan

SCHEMA = """
create table if not exists meta (key text primary key, value text not null);
create table if not exists agents (
    id integer primary key, key text not null unique, label text not null unique,
    name text not null, parameters text not null, version text not null);
create table if not exists conditions (
    id integer primary key, key text not null unique, label text not null, seed integer not null,
    rows integer not null, cols integer not null, mines integer not null, rules text not null,
    source text not null, source_version text not null, noise text not null, noise_version text not null);
create table if not exists games (
    condition integer not null references conditions (id), agent integer not null references agents (id),
    number integer not null, ending text not null, opened integer not null, right_flags integer not null,
    wrong_flags integer not null, detonated integer not null, turns integer not null, asked integer not null,
    guesses integer not null, fallbacks integer not null, fault text not null, measures text not null,
    seconds real, moves blob, limits text, primary key (condition, agent, number)) without rowid;
"""
COLUMNS = ("ending", "opened", "right_flags", "wrong_flags", "detonated", "turns", "asked", "guesses", "fallbacks") + (
    "fault",
    "measures",
)
"""The columns of a game's result."""


class Games:
    """The games of a plan in a database that somebody opened; games of other plans in it are passed over."""

    def __init__(self, db: sqlite3.Connection, plan: Plan) -> None:
        self.plan = plan
        self._db = db
        self._identify()

    def close(self) -> None:
        """Let go of the database."""
        self._db.close()

    def _identify(self) -> None:
        """Look up the plan's conditions and agents; what has not played yet has the number -1."""
        ids = dict(self._db.execute("select key, id from conditions"))
        self._conditions: list[int] = [ids.get(c.key, -1) for c in self.plan.conditions]
        ids = dict(self._db.execute("select key, id from agents"))
        self._agents: list[int] = [ids.get(entry.key, -1) for entry in self.plan.entries]

    def finished(self) -> int:
        """How many games of the plan are there."""
        (count,) = self._db.execute(
            f"select count(*) from games where number < ? and agent in ({self._ids(self._agents)}) "
            f"and condition in ({self._ids(self._conditions)})",
            [self.plan.config.games],
        ).fetchone()
        return int(count)

    def results(
        self, condition: int, agent: int, boards: range
    ) -> tuple[list[int], list[float | None], list[GameResult]]:
        """An agent's games on some boards: their numbers, seconds (None if taken over) and results."""
        found = self._db.execute(
            f"select number, seconds, {', '.join(COLUMNS)} from games "
            "where condition = ? and agent = ? and number >= ? and number < ? order by number",
            [self._conditions[condition], self._agents[agent], boards.start, boards.stop],
        ).fetchall()
        size = self.plan.conditions[condition].size
        return [row[0] for row in found], [row[1] for row in found], [_result(size, row[2:]) for row in found]

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Every game of the plan: the keys of condition and agent, the number, the result; in the plan's order."""
        for condition in range(len(self._conditions)):
            for agent in range(len(self._agents)):
                keys = self.plan.conditions[condition].key, self.plan.entries[agent].key
                for row in self._db.execute(
                    f"select number, {', '.join(COLUMNS)} from games "
                    "where condition = ? and agent = ? and number < ? order by number",
                    [self._conditions[condition], self._agents[agent], self.plan.config.games],
                ):
                    yield *keys, *row

    def moves(self, fixture: Fixture) -> bytes | None:
        """The packed turns of a game; None if they were not kept or the game is not there."""
        found = self._db.execute(
            "select moves from games where condition = ? and agent = ? and number = ?",
            [self._conditions[fixture.condition], self._agents[fixture.agent], fixture.number],
        ).fetchone()
        return found[0] if found else None

    def result(self, fixture: Fixture) -> GameResult | None:
        """How a game ended; None if it is not there."""
        found = self._db.execute(
            f"select {', '.join(COLUMNS)} from games where condition = ? and agent = ? and number = ?",
            [self._conditions[fixture.condition], self._agents[fixture.agent], fixture.number],
        ).fetchone()
        return None if found is None else _result(self.plan.conditions[fixture.condition].size, found)

    def kept(self) -> Iterator[tuple[Fixture, Ending]]:
        """The games whose moves were kept, condition by condition, agent by agent."""
        for condition, condition_id in enumerate(self._conditions):
            for agent, agent_id in enumerate(self._agents):
                for number, ending in self._db.execute(
                    "select number, ending from games where condition = ? and agent = ? and moves is not null "
                    "order by number",
                    [condition_id, agent_id],
                ):
                    yield Fixture(agent, condition, number), Ending(ending)

    @staticmethod
    def _ids(ids: list[int]) -> str:
        return ",".join(map(str, ids))


def _result(size: Size, columns: Sequence[Any]) -> GameResult:
    """The result in a row of `COLUMNS`."""
    ending, *counts, measures = columns
    return GameResult._make((*size, ENDINGS[ending], *counts, {} if measures == "{}" else json.loads(measures)))
