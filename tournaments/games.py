"""The games of a run, for reading: rows in SQLite, looked up by what identifies them."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, NamedTuple

from sweepstakes.errors import RunError
from sweepstakes.executor import Fixture
from sweepstakes.result import ENDINGS, Ending, GameResult, check_extras, check_result
from sweepstakes.rules import Rules
from sweepstakes.size import Size
from sweepstakes.text import clean
from sweepstakes.tournaments.database import SOUND_COPY, told
from sweepstakes.tournaments.plan import Plan

COLUMNS = ("ending", "opened", "right_flags", "wrong_flags", "detonated", "turns", "asked", "guesses", "fallbacks") + (
    "fault",
    "measures",
)
"""The columns of a game's result."""


MOST_GAMES = 1 << 40
"""Board numbers are below this."""


class StoredRow(NamedTuple):
    """A game as it stands in the database, which nobody has looked at."""

    fixture: Fixture
    columns: Sequence[Any]
    """Those of `COLUMNS`."""
    seconds: Any
    moves: Any


class Games:
    """The games of a plan in a database that somebody opened; games of other plans in it are passed over.

    Every row is checked when it is read: `RunError` names the file, the game and what cannot be.
    """

    def __init__(self, db: sqlite3.Connection, plan: Plan, file: Path) -> None:
        self.plan = plan
        self.file = file
        """What messages call the database."""
        self._db = db
        self._identify()

    def close(self) -> None:
        """Let go of the database."""
        self._db.close()

    def _identify(self) -> None:
        """Look up the plan's conditions and agents; what has not played yet has the number -1."""
        ids = dict(self._ask("select key, id from conditions"))
        self._conditions: list[int] = [ids.get(c.key, -1) for c in self.plan.conditions]
        ids = dict(self._ask("select key, id from agents"))
        self._agents: list[int] = [ids.get(entry.key, -1) for entry in self.plan.entries]

    def finished(self) -> int:
        """How many games of the plan are there."""
        ((count,),) = self._ask(
            f"select count(*) from games where number < ? and agent in ({self._ids(self._agents)}) "
            f"and condition in ({self._ids(self._conditions)})",
            [self.plan.config.games],
        )
        return int(count)

    def results(
        self, condition: int, agent: int, boards: range
    ) -> tuple[list[int], list[float | None], list[GameResult]]:
        """An agent's games on some boards: their numbers, seconds (None if taken over) and results."""
        found = list(
            self._ask(
                f"select number, seconds, {', '.join(COLUMNS)} from games "
                "where condition = ? and agent = ? and number >= ? and number < ? order by number",
                [self._conditions[condition], self._agents[agent], boards.start, boards.stop],
            )
        )
        results = [self._read(Fixture(agent, condition, row[0]), row[2:], row[1]) for row in found]
        return [row[0] for row in found], [row[1] for row in found], results

    def rows(self) -> Iterator[tuple[Any, ...]]:
        """Every game of the plan: the keys of condition and agent, the number, the result; in the plan's order."""
        for condition in range(len(self._conditions)):
            for agent in range(len(self._agents)):
                keys = self.plan.conditions[condition].key, self.plan.entries[agent].key
                for row in self._ask(
                    f"select number, {', '.join(COLUMNS)} from games "
                    "where condition = ? and agent = ? and number < ? order by number",
                    [self._conditions[condition], self._agents[agent], self.plan.config.games],
                ):
                    self._read(Fixture(agent, condition, row[0]), row[1:])
                    yield *keys, *row

    def stored(self) -> Iterator[StoredRow]:
        """Every game of the plan as it stands there, unchecked; condition by condition, agent by agent."""
        for condition, condition_id in enumerate(self._conditions):
            for agent, agent_id in enumerate(self._agents):
                for number, seconds, moves, *columns in self._ask(
                    f"select number, seconds, moves, {', '.join(COLUMNS)} from games "
                    "where condition = ? and agent = ? and number < ? order by number",
                    [condition_id, agent_id, self.plan.config.games],
                ):
                    yield StoredRow(Fixture(agent, condition, number), columns, seconds, moves)

    def moves(self, fixture: Fixture) -> bytes | None:
        """The packed turns of a game; None if they were not kept or the game is not there."""
        if fixture.number >= MOST_GAMES:
            return None
        found = self._ask(
            "select moves from games where condition = ? and agent = ? and number = ?",
            [self._conditions[fixture.condition], self._agents[fixture.agent], fixture.number],
        )
        return next((row[0] for row in found), None)

    def result(self, fixture: Fixture) -> GameResult | None:
        """How a game ended; None if it is not there."""
        if fixture.number >= MOST_GAMES:
            return None
        found = self._ask(
            f"select {', '.join(COLUMNS)} from games where condition = ? and agent = ? and number = ?",
            [self._conditions[fixture.condition], self._agents[fixture.agent], fixture.number],
        )
        return next((self._read(fixture, row) for row in found), None)

    def kept(self) -> Iterator[tuple[Fixture, Ending]]:
        """The games whose moves were kept, condition by condition, agent by agent."""
        for condition, condition_id in enumerate(self._conditions):
            for agent, agent_id in enumerate(self._agents):
                for number, *columns in self._ask(
                    f"select number, {', '.join(COLUMNS)} from games "
                    "where condition = ? and agent = ? and moves is not null order by number",
                    [condition_id, agent_id],
                ):
                    fixture = Fixture(agent, condition, number)
                    yield fixture, self._read(fixture, columns).ending

    def name(self, fixture: Fixture) -> str:
        """How a game is called: AGENT/CONDITION/NUMBER. Conditions count from 1, since their labels are long."""
        label = self.plan.entries[fixture.agent].label
        return f"{label}/{fixture.condition + 1}/{clean(str(fixture.number), 20)}"

    def read(self, row: StoredRow) -> GameResult:
        """The result in a row; `ValueError`, with a sentence, if no game can have it."""
        if type(row.fixture.number) is not int or not 0 <= row.fixture.number < MOST_GAMES:
            raise ValueError("its number is not that of a board")
        condition = self.plan.conditions[row.fixture.condition]
        check_extras(row.seconds, row.moves)
        return read_result(row.columns, condition.size, condition.rules)

    def _read(self, fixture: Fixture, columns: Sequence[Any], seconds: Any = None) -> GameResult:
        """The result in a row; `RunError` if no game can have it."""
        try:
            return self.read(StoredRow(fixture, columns, seconds, None))
        except ValueError as error:
            raise RunError(impossible(self.file, self.name(fixture), error)) from None

    def _ask(self, question: str, given: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows that answer a question; `RunError` if the database is damaged."""
        with told(self.file):
            for row in self._db.execute(question, given):  # noqa: UP028 - that would close it, after the database
                yield row

    @staticmethod
    def _ids(ids: list[int]) -> str:
        return ",".join(map(str, ids))


def read_result(columns: Sequence[Any], size: Size, rules: Rules) -> GameResult:
    """The result in a row of `COLUMNS`; `ValueError`, with a sentence, if no game of that kind can have it."""
    ending, *counts, fault, measures = columns
    if measures == "{}":
        measured: Any = {}
    else:
        try:
            measured = json.loads(measures) if type(measures) is str else None
        except (ValueError, RecursionError):
            raise ValueError("measures that are not JSON") from None
    result = GameResult._make((*size, ENDINGS.get(ending, ending), *counts, fault, measured))
    check_result(result, size, rules)
    return result


def impossible(file: Path, game: str, why: ValueError) -> str:
    """The line on a row that no game can have."""
    return f"{file}: game {clean(game, 80)}: {why}: no game ends so; the file was changed or damaged: {SOUND_COPY}"
