"""Reads the rows of a run directory or of a published leaderboard, without a lock.

No code of an agent is loaded. The agents are read from the database.
"""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from functools import cached_property
from itertools import product
from pathlib import Path
from typing import Any, NamedTuple, Self

import numpy as np
import numpy.typing as npt

from sweepstakes.errors import PluginError, RunError, brief, did_you_mean
from sweepstakes.executor import Fixture
from sweepstakes.game.game import Game
from sweepstakes.game.result import COLUMNS, GameResult
from sweepstakes.game.setup import GameSetup
from sweepstakes.registry.registry import Registry
from sweepstakes.spec import Spec
from sweepstakes.tournaments.config.model import EARLIER, Tournament
from sweepstakes.tournaments.plan import Condition, Entry, Plan
from sweepstakes.tournaments.resolve.known_files import META, FileLists, read_lists
from sweepstakes.tournaments.resolve.plugins import load_plugins
from sweepstakes.tournaments.shard import Shard
from sweepstakes.tournaments.storage.database import SOUND_COPY, Database, InMemory
from sweepstakes.tournaments.storage.secret_seed import SecretSeed
from sweepstakes.tournaments.storage.stored_plan import earlier_agents
from sweepstakes.untrusted.text import clean

MAX_BOARD_NUMBER = 1 << 40
"""The upper bound of board numbers, exclusive."""
RESULT = ", ".join(COLUMNS)
"""The columns of a result, for SQL."""


class StoredRow(NamedTuple):
    """A row of the table `games`, unchecked."""

    fixture: Fixture
    columns: Sequence[Any]
    """The columns of the result."""
    seconds: Any
    moves: Any


class StoredGame(NamedTuple):
    """A finished game."""

    name: str
    """AGENT/CONDITION/NUMBER."""
    fixture: Fixture
    agent: Entry
    condition: Condition
    result: GameResult
    moves: bytes | None
    """The packed turns, if they were kept."""

    @property
    def number(self) -> int:
        """The number of the board."""
        return self.fixture.number

    @property
    def setup(self) -> GameSetup:
        """The setup of the game."""
        return self.condition.setup(self.fixture.number)


class RunReader:
    """The stored games of a tournament. They can be read even if its agents have changed or are missing.

    Every row is checked when it is read. A `RunError` names the file, the game and the impossible value. A run may be
    read while it is being played, and from several threads.
    """

    def __init__(
        self,
        directory: Path,
        plan: Plan,
        registry: Registry,
        games: Database,
        changed: frozenset[int] = frozenset(),
        plugins: tuple[str, ...] = (),
        secret: SecretSeed | None = None,
    ) -> None:
        self.directory = directory
        self.plan = plan
        self.registry = registry
        self.file = games.file
        """The file that error messages name."""
        self.changed = changed
        """The conditions whose board source or noise has another version now. Their games cannot be repeated."""
        self.plugins = plugins
        """Plugin files besides those of the tournament."""
        self.secret = secret
        """The seed, if it is or was secret."""
        self._games = games
        self._identify()

    def __repr__(self) -> str:
        counts = f"{len(self.agents)} agents, {len(self.conditions)} conditions, {self.config.games:,} boards each"
        return f"<{type(self).__name__} {self.directory}: {counts}>"

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the database."""
        self._games.close()

    @property
    def config(self) -> Tournament:
        """The model of the tournament file."""
        return self.plan.config

    @property
    def agents(self) -> tuple[Entry, ...]:
        """The agents of the tournament."""
        return self.plan.entries

    @property
    def earlier(self) -> dict[str, Entry]:
        """The earlier versions of agents that have changed, by label, as in `mine@1`."""
        return earlier_agents(self._games)

    def including(self, *labels: str) -> Self:
        """Return the run with those of `labels` added that are earlier versions, or the run itself if none is.

        The returned run shares the database with this one.
        """
        current = {entry.label for entry in self.agents}
        asked = [label for label in dict.fromkeys(labels) if isinstance(label, str) and label not in current]
        added = [self.earlier[label] for label in asked if EARLIER.fullmatch(label) and label in self.earlier]
        if not added:
            return self
        plan = self.plan._replace(entries=(*self.agents, *added))
        return type(self)(self.directory, plan, self.registry, self._games, self.changed, self.plugins, self.secret)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions of the tournament."""
        return self.plan.conditions

    def finished(self) -> int:
        """Return the number of stored games of the tournament."""
        return sum(map(self.finished_under, range(len(self.conditions))))

    def finished_under(self, condition: int) -> int:
        """Return the number of stored games of a condition, by its place in the plan."""
        ((count,),) = self.query(
            f"select count(*) from games where condition = ? and number < ? and agent in ({_ids(self.agent_ids)})",
            [self.condition_ids[condition], self.config.games],
        )
        if not list(self.query("select 1 from packed where condition = ? limit 1", [self.condition_ids[condition]])):
            return int(count)
        return sum(int(self.played(condition, agent).sum()) for agent in range(len(self.agents)))

    @property
    def published(self) -> bool:
        """Whether this is a publication, not the directory of a run."""
        return isinstance(self._games, InMemory)

    @property
    def complete(self) -> bool:
        """Whether the tables cover all games. Always true for a publication; true for a run once it is finished."""
        return self.published or (self.directory / "leaderboard.json").exists()

    def played(self, condition: int, agent: int) -> npt.NDArray[np.bool_]:
        """Return a mask of the boards of the tournament that an agent has played under a condition."""
        played = np.zeros(self.config.games, np.bool_)
        block = self.block(condition, agent)
        for first, last, step in self.query(
            "select first, last, step from packed where condition = ? and agent = ? and first >= 0 and step > 0", block
        ):
            played[first:last:step] = True
        sql = "select number from games where condition = ? and agent = ? and number >= 0 and number < ?"
        played[[number for (number,) in self.query(sql, [*block, len(played)])]] = True
        return played

    def beyond_plan(self) -> Iterator[tuple[str, str, int, int, int]]:
        """Yield the stored games beyond the plan as (agent, condition, count, lowest number, highest number)."""
        for agent, condition, count, first, last in self.query(
            "select agents.label, conditions.label, count(*), min(number), max(number) from games "
            "join agents on agents.id = games.agent join conditions on conditions.id = games.condition "
            f"where number < 0 or number >= ? or games.agent not in ({_ids(self.agent_ids)}) "
            f"or games.condition not in ({_ids(self.condition_ids)}) "
            "group by games.agent, games.condition",
            [self.config.games],
        ):
            yield clean(str(agent), 80), clean(str(condition), 80), int(count), int(first), int(last)

    def last_board(self, condition: int, agent: int) -> int | None:
        """Return the highest board number of an agent under a condition, or None if it has no games."""
        ((last,),) = self.query(
            "select max(number) from games where condition = ? and agent = ?", self.block(condition, agent)
        )
        return whole_number(last)

    def boards(self, condition: int) -> int:
        """Return one more than the highest board number that any agent has played under a condition."""
        ((last,),) = self.query(
            "select max((select max(number) from games where condition = ? and agent = agents.id)) from agents",
            [self.condition_ids[condition]],
        )
        if last is None:
            return 0
        if type(last) is not int or not 0 <= last < MAX_BOARD_NUMBER:
            raise RunError(f"{self.file}: damaged: a number of condition {condition + 1} is invalid; {SOUND_COPY}")
        return last + 1

    def results(
        self, condition: int, agent: int, boards: range | None = None
    ) -> tuple[list[int], list[float | None], list[GameResult]]:
        """Return an agent's games, on some boards: their numbers, seconds (None if imported) and results."""
        boards = range(self.config.games) if boards is None else boards
        found = list(
            self.query(
                f"select number, seconds, {RESULT} from games "
                "where condition = ? and agent = ? and number >= ? and number < ? order by number",
                [*self.block(condition, agent), boards.start, boards.stop],
            )
        )
        results = [self.checked(StoredRow(Fixture(agent, condition, row[0]), row[2:], row[1], None)) for row in found]
        return [row[0] for row in found], [row[1] for row in found], results

    def rows(self, *, limited: bool = True) -> Iterator[tuple[Any, ...]]:
        """Yield keys of condition and agent, number and result columns of every game, in the order of the plan.

        With `limited=False`, games that reached a limit are left out: on another machine they may end differently.
        """
        where = "" if limited else "and limits is null "
        for condition, agent in self._blocks():
            keys = self.conditions[condition].key, self.agents[agent].key
            for row in self.query(
                f"select number, {RESULT} from games "
                f"where condition = ? and agent = ? and number < ? {where}order by number",
                [*self.block(condition, agent), self.config.games],
            ):
                self.checked(StoredRow(Fixture(agent, condition, row[0]), row[1:], None, None))
                yield *keys, *row

    def stored(self) -> Iterator[StoredRow]:
        """Yield every row, unchecked; condition by condition, agent by agent."""
        for row, _ in self.entire_rows():
            yield row

    def entire_rows(self) -> Iterator[tuple[StoredRow, Any]]:
        """Yield every row like `stored`, each with its stored limits."""
        for condition, agent in self._blocks():
            for number, seconds, moves, limits, *columns in self.query(
                f"select number, seconds, moves, limits, {RESULT} from games "
                "where condition = ? and agent = ? and number < ? order by number",
                [*self.block(condition, agent), self.config.games],
            ):
                yield StoredRow(Fixture(agent, condition, number), columns, seconds, moves), limits

    def kept(self) -> Iterator[tuple[Fixture, GameResult]]:
        """Yield the games whose moves were kept, condition by condition, agent by agent."""
        for condition, agent in self._blocks():
            for number, *columns in self.query(
                f"select number, {RESULT} from games "
                "where condition = ? and agent = ? and moves is not null order by number",
                self.block(condition, agent),
            ):
                row = StoredRow(Fixture(agent, condition, number), columns, None, None)
                yield row.fixture, self.checked(row)

    def find(self, fixture: Fixture) -> StoredGame | None:
        """Return a game by its place in the plan, or None if it has not been played."""
        if not 0 <= fixture.number < MAX_BOARD_NUMBER:
            return None
        for moves, *columns in self.query(
            f"select moves, {RESULT} from games where condition = ? and agent = ? and number = ?",
            [*self.block(fixture.condition, fixture.agent), fixture.number],
        ):
            entry, condition = self.agents[fixture.agent], self.conditions[fixture.condition]
            result = self.checked(StoredRow(fixture, columns, None, moves))
            return StoredGame(self.name(fixture), fixture, entry, condition, result, moves)
        return None

    @property
    def shard(self) -> Shard | None:
        """The shard that the run has played last; None if the run is not a shard."""
        for (text,) in self.query("select value from meta where key = 'shard'"):
            return Shard.parse(str(text))
        return None

    def stored_game(self, fixture: Fixture) -> StoredGame:
        """Return a game by its place in the plan. Raise `RunError` if it has not been played."""
        found = self.find(fixture)
        if found is None:
            number = fixture.number
            if 0 <= number < self.config.games and self.played(fixture.condition, fixture.agent)[number]:
                raise self.needs_row(f"game {clean(self.name(fixture), 80)}: the replay")
            raise RunError(f"{self.directory}: game {clean(self.name(fixture), 80)} has not been played in this run")
        return found

    def name(self, fixture: Fixture) -> str:
        """Return the name of a game: AGENT/CONDITION/NUMBER."""
        return self.plan.title(fixture)

    def set_up(self, fixture: Fixture) -> Game:
        """Return a game before its first turn; its agent is not loaded."""
        return self.plan.game(fixture, self.registry)

    def read(self, row: StoredRow) -> GameResult:
        """Return the result in a row. Raise `ValueError` with the reason if no game can have it."""
        if type(row.fixture.number) is not int or not 0 <= row.fixture.number < MAX_BOARD_NUMBER:
            raise ValueError("its board number is invalid")
        condition = self.conditions[row.fixture.condition]
        result = GameResult.from_row(condition.size, row.columns)
        condition.check(result, row.seconds, row.moves)
        return result

    def checked(self, row: StoredRow) -> GameResult:
        """Return the result in a row. Raise `RunError` if no game can have it."""
        try:
            return self.read(row)
        except ValueError as error:
            raise self.impossible(row.fixture, error) from None

    def impossible(self, fixture: Fixture, why: ValueError, file: Path | None = None) -> RunError:
        """Return the error for a row that no game can have.

        `file` is the file of the row, by default that of this run.
        """
        name = clean(self.name(fixture), 80)
        what = f"{why}: no finished game can have this result; the file was changed or damaged: {SOUND_COPY}"
        return RunError(f"{file or self.file}: game {name}: {what}")

    @property
    def file_lists(self) -> FileLists:
        """Return the data files opened by each agent, keyed by agent."""
        for (text,) in self.query("select value from meta where key = ?", [META]):
            return read_lists(text)
        return {}

    @property
    def kept_boards(self) -> int | None:
        """Return N if games on the first N boards of each condition keep rows, or None if no game is packed."""
        if not list(self.query("select 1 from packed limit 1")):
            return None
        ((last,),) = self.query("select ifnull(max(number), -1) from games")
        return self.config.keep_boards or int(last) + 1

    def needs_row(self, what: str) -> RunError:
        """Return the error for `what`, which packed games do not have."""
        kept = f"only the games on the first {self.kept_boards or 0:,} boards of each condition keep rows"
        return RunError(f"{self.directory}: {what} needs rows, and {kept}: the others are packed")

    def make(self, kind: str, spec: Spec | str) -> Any:
        """Make a score or a report: a built-in one, or one of the run's plugins."""
        spec = Spec.of(spec)
        if not spec.file and spec.name in self.registry.offers(kind):
            return self.registry.make(kind, spec)
        return self._every_plugin.make(kind, spec)

    @cached_property
    def _every_plugin(self) -> Registry:
        registry = load_plugins(self.config, self.plugins)
        for file in self.plugins:
            plugin = registry.add_file(file)
            if plugin.error:
                raise PluginError(f"{file}: {plugin.error}")
        return registry

    def agent_place(self, agent: str) -> int:
        """Return the place of an agent in the plan, by its label. Raise `RunError` if it is unknown."""
        labels = [entry.label for entry in self.agents]
        if agent not in labels:
            name = agent if isinstance(agent, str) else brief(agent)
            raise RunError(f"{self.directory}: no agent '{clean(name, 80)}' in this run{did_you_mean(name, labels)}")
        return labels.index(agent)

    def condition_place(self, condition: str | int) -> int:
        """Return the place of a condition in the plan, by its label, its title or its number, counted from 1.

        Raise `RunError` if there is no such condition.
        """
        labels = [each.label for each in self.conditions]
        if isinstance(condition, str):
            for names in (labels, [each.title for each in self.conditions]):
                if condition in names:
                    return names.index(condition)
            hint = did_you_mean(condition, labels)
            raise RunError(f"{self.directory}: no condition '{clean(condition, 80)}' in this run{hint}")
        number = whole_number(condition)
        if number is None or not 1 <= number <= len(labels):
            expected = "expected " + (f"1 to {len(labels)}" if len(labels) > 1 else "1")
            expected += ", or a label" if number is None else ""
            raise RunError(f"{self.directory}: no condition {brief(condition)} in this run: {expected}")
        return number - 1

    def find_conditions(self, text: str | None) -> list[int]:
        """Return the places of the conditions whose label or title contains the text, or all for None.

        A condition whose label equals the text is returned alone. Raise `RunError` if no condition contains the text.
        """
        names = [(each.label, each.title) for each in self.conditions]
        chosen = [
            i for i, name in enumerate(names) if text is None or any(text.lower() in each.lower() for each in name)
        ]
        if not chosen:
            titles = "; ".join(each.title for each in self.conditions)
            raise RunError(f"{self.directory}: no condition contains '{text}' (conditions: {titles})")
        return [i for i in chosen if text in names[i]] or chosen

    def check_unchanged(self, condition: int, what: str) -> None:
        """Raise `RunError` about `what` if the games of the condition cannot be repeated."""
        if condition in self.changed:
            why = "the board source or the noise has changed since it was played"
            raise RunError(f"{self.directory}: {what}: {why}")

    def _identify(self) -> None:
        """Look up the database ids of the plan's conditions and agents. The id is -1 if not stored yet."""
        ids = dict(self.query("select key, id from conditions"))
        self.condition_ids: list[int] = [ids.get(c.key, -1) for c in self.conditions]
        ids = dict(self.query("select key, id from agents"))
        self.agent_ids: list[int] = [ids.get(entry.key, -1) for entry in self.agents]

    def _blocks(self) -> Iterator[tuple[int, int]]:
        return product(range(len(self.condition_ids)), range(len(self.agent_ids)))

    def block(self, condition: int, agent: int) -> list[int]:
        """Return the database ids of a condition and an agent, given by their places in the plan."""
        return [self.condition_ids[condition], self.agent_ids[agent]]

    def query(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """Run a query and return its rows. Raise `RunError` if the database is damaged."""
        return self._games.query(sql, parameters)


def whole_number(number: Any) -> int | None:
    """Return a whole number of Python or numpy as an int, or None for anything else."""
    try:
        return None if isinstance(number, bool) else operator.index(number)
    except TypeError:
        return None


def _ids(ids: list[int]) -> str:
    return ",".join(map(str, ids))
