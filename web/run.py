"""A run directory, read and never written."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from sweepstakes.errors import PositionError, RunError
from sweepstakes.result import GameResult
from sweepstakes.size import Size
from sweepstakes.text import clean
from sweepstakes.tournaments.database import SOUND_COPY, check_form, told
from sweepstakes.tournaments.games import COLUMNS, MOST_GAMES, impossible, read_result
from sweepstakes.view import View
from sweepstakes.web.setting import Setting


class StoredCondition(NamedTuple):
    """A block of boards, as the run wrote it down."""

    id: int
    label: str
    setting: Setting
    """That of its board 0."""
    boards: int
    """One more than the highest board number played."""


class StoredAgent(NamedTuple):
    """An agent, as the run wrote it down."""

    id: int
    label: str
    name: str
    parameters: Mapping[str, Any]
    version: str


class StoredGame(NamedTuple):
    """A finished game: its result, and its turns, packed, if they were kept."""

    condition: StoredCondition
    agent: StoredAgent
    number: int
    result: GameResult
    moves: bytes | None

    @property
    def setting(self) -> Setting:
        """How to set it up again."""
        return self.condition.setting._replace(number=self.number)


class Run:
    """The games and the leaderboard of a run; `RunError` if there are none."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory
        self._file = directory / "games.sqlite"
        if not self._file.is_file():
            raise RunError(f"{directory}: there is no games.sqlite: expected the directory of a run")
        self.reload()

    def reload(self) -> None:
        """Read anew which agents and conditions there are: the run may be going on."""
        with self._read() as db:
            check_form(db, self._file)
            self.agents = {
                row[0]: self._agent(*row)
                for row in db.execute("select id, label, name, parameters, version from agents order by id")
            }
            self.conditions = {found.id: found for found in self._conditions(db)}

    def leaderboard(self) -> Any:
        """What leaderboard.json says; None if the run has not come to its end."""
        path = self.directory / "leaderboard.json"
        try:
            with told(path):
                if not path.exists():
                    return None
                found = json.loads(path.read_text(encoding="utf-8"))
            _check_leaderboard(found)
        except (ValueError, RecursionError) as error:
            what = f"not a leaderboard: {clean(str(error), 100)}"
            raise RunError(f"{path}: {what}; run the tournament again, which writes it anew") from None
        return found

    def game(self, condition: int, agent: int, number: int) -> StoredGame | None:
        """A finished game; None if it is not there."""
        if condition not in self.conditions or agent not in self.agents:
            return None
        with self._read() as db:
            row = db.execute(
                f"select moves, {', '.join(COLUMNS)} from games where condition = ? and agent = ? and number = ?",
                [condition, agent, number],
            ).fetchone()
        if row is None:
            return None
        where = self.conditions[condition]
        return StoredGame(where, self.agents[agent], number, self._result(where, agent, number, row[1:]), row[0])

    def results(self, condition: int, agent: int) -> dict[int, GameResult]:
        """The results of an agent under a condition, by board."""
        where = self.conditions[condition]
        with self._read() as db:
            return {
                row[0]: self._result(where, agent, row[0], row[1:])
                for row in db.execute(
                    f"select number, {', '.join(COLUMNS)} from games where condition = ? and agent = ?",
                    [condition, agent],
                )
            }

    def kept(self, condition: int) -> dict[int, set[int]]:
        """The boards whose games kept their moves, each with the agents that have."""
        boards: dict[int, set[int]] = {}
        with self._read() as db:
            for number, agent in db.execute(
                "select number, agent from games where condition = ? and moves is not null", [condition]
            ):
                boards.setdefault(number, set()).add(agent)
        return boards

    def _conditions(self, db: sqlite3.Connection) -> Iterator[StoredCondition]:
        columns = "id, label, seed, rows, cols, mines, rules, source, noise"
        for row in db.execute(f"select {columns} from conditions order by id").fetchall():
            identity, label, seed, rows, cols, mines, rules, source, noise = row
            try:
                if not all(type(text) is str for text in (label, rules, source, noise)) or type(seed) is not int:
                    raise PositionError("it is not called by texts, or has no seed")
                size = Size.of(rows, cols, mines=mines)
                head = f"{rows} {cols} {mines} {rules}"
                covered = View.parse("\n".join([head, *["." * cols] * rows]))
            except PositionError as error:
                what = f"damaged: condition {identity}: {clean(str(error), 100)}"
                raise RunError(f"{self._file}: {what}; {SOUND_COPY}") from None
            (last,) = db.execute(
                "select max((select max(number) from games where condition = ? and agent = agents.id)) from agents",
                [identity],
            ).fetchone()
            if last is not None and (type(last) is not int or not 0 <= last < MOST_GAMES):
                raise RunError(f"{self._file}: damaged: a board of condition {identity} has no number; {SOUND_COPY}")
            setting = Setting(source, size, seed, 0, covered.rules, noise)
            yield StoredCondition(identity, label, setting, 0 if last is None else last + 1)

    def _agent(self, identity: int, label: Any, name: Any, text: Any, version: Any) -> StoredAgent:
        try:
            parameters = json.loads(text)
        except (TypeError, ValueError, RecursionError):
            parameters = None
        if not (all(type(part) is str for part in (label, name, version)) and isinstance(parameters, dict)):
            what = f"damaged: agent {identity} is not called by texts, or its parameters are none"
            raise RunError(f"{self._file}: {what}; {SOUND_COPY}")
        return StoredAgent(identity, label, name, parameters, version)

    def _result(self, where: StoredCondition, agent: int, number: Any, columns: tuple[Any, ...]) -> GameResult:
        """The result in a row; `RunError` if no game can have it."""
        try:
            if type(number) is not int or not 0 <= number < MOST_GAMES:
                raise ValueError("its number is not that of a board")
            return read_result(columns, where.setting.size, where.setting.rules)
        except ValueError as error:
            game = f"{self.agents[agent].label}/{where.id}/{number}"
            raise RunError(impossible(self._file, game, error)) from None

    @contextmanager
    def _read(self) -> Iterator[sqlite3.Connection]:
        """A connection that cannot write. Unless the run is being played it leaves no file beside it either."""
        busy = self._file.with_name(self._file.name + "-wal").exists()
        how = "mode=ro" if busy else "mode=ro&immutable=1"
        with (
            told(self._file),
            closing(sqlite3.connect(f"file:{quote(str(self._file.resolve()))}?{how}", uri=True)) as db,
        ):
            yield db


def _check_leaderboard(found: Any) -> None:
    """`ValueError` unless it has what the pages look at: its scores and its tables."""
    if not isinstance(found, dict) or not all(isinstance(found.get(key), list) for key in ("scores", "tables")):
        raise ValueError("expected `scores` and `tables`")
    if not all(isinstance(s, dict) and isinstance(s.get("name"), str) for s in found["scores"]) or not found["scores"]:
        raise ValueError("expected names of scores")
