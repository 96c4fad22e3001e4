"""A run directory, read and never written."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from sweepstakes.errors import RunError
from sweepstakes.result import Ending, GameResult
from sweepstakes.size import Size
from sweepstakes.tournaments.games import COLUMNS
from sweepstakes.tournaments.store import FORMAT
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
            (version,) = db.execute("select value from meta where key = 'format'").fetchone() or ("nothing",)
            if version != str(FORMAT):
                raise RunError(f"{self.directory}: written in format {version}, expected {FORMAT}")
            self.agents = {
                row[0]: StoredAgent(row[0], row[1], row[2], json.loads(row[3]), row[4])
                for row in db.execute("select id, label, name, parameters, version from agents order by id")
            }
            self.conditions = {found.id: found for found in self._conditions(db)}

    def leaderboard(self) -> Any:
        """What leaderboard.json says; None if the run has not come to its end."""
        try:
            return json.loads((self.directory / "leaderboard.json").read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError) as error:
            raise RunError(f"{self.directory / 'leaderboard.json'}: cannot be read: {error}") from None

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
        return StoredGame(where, self.agents[agent], number, _result(where.setting.size, row[1:]), row[0])

    def results(self, condition: int, agent: int) -> dict[int, GameResult]:
        """The results of an agent under a condition, by board."""
        size = self.conditions[condition].setting.size
        with self._read() as db:
            return {
                row[0]: _result(size, row[1:])
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
            head = f"{rows} {cols} {mines} {rules}"
            covered = View.parse("\n".join([head, *["." * cols] * rows]))
            (last,) = db.execute(
                "select max((select max(number) from games where condition = ? and agent = agents.id)) from agents",
                [identity],
            ).fetchone()
            setting = Setting(source, Size(rows, cols, mines), seed, 0, covered.rules, noise)
            yield StoredCondition(identity, label, setting, 0 if last is None else last + 1)

    @contextmanager
    def _read(self) -> Iterator[sqlite3.Connection]:
        """A connection that cannot write. Unless the run is being played it leaves no file beside it either."""
        busy = self._file.with_name(self._file.name + "-wal").exists()
        how = "mode=ro" if busy else "mode=ro&immutable=1"
        db = None
        try:
            db = sqlite3.connect(f"file:{quote(str(self._file.resolve()))}?{how}", uri=True)
            yield db
        except sqlite3.Error as error:
            raise RunError(f"{self._file}: {error}") from None
        finally:
            if db is not None:
                db.close()


def _result(size: Size, columns: tuple[Any, ...]) -> GameResult:
    ending, *counts, fault, measures = columns
    return GameResult(*size, Ending(ending), *counts)._replace(fault=fault, measures=json.loads(measures))
