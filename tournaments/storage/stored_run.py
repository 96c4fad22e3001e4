"""A run directory or a published leaderboard, opened for reading: nothing is written and nobody is kept out.

No code of an agent is loaded: the agents are those that have played, by name. Board sources and noises come with us; if
one does not, the plugins that the tournament names are loaded, and if those are gone, the games can still be read.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sweepstakes.errors import PluginError, RunError, SweepstakesError, did_you_mean
from sweepstakes.executor import Fixture
from sweepstakes.game.game import Game
from sweepstakes.game.result import COLUMNS, GameResult, check_extras, check_result
from sweepstakes.game.setup import GameSetup
from sweepstakes.registry.registry import Registry
from sweepstakes.registry.spec import Spec
from sweepstakes.tournaments.config.loading import load
from sweepstakes.tournaments.config.model import Tournament
from sweepstakes.tournaments.plan import Condition, Entry, Plan
from sweepstakes.tournaments.planning import make_conditions, scores_of
from sweepstakes.tournaments.storage import database
from sweepstakes.tournaments.storage.database import SOUND_COPY, Database, InMemory, OnDisk, run_errors
from sweepstakes.tournaments.storage.published_database import load_publication
from sweepstakes.tournaments.storage.published_games import FILE
from sweepstakes.tournaments.storage.required_plugins import is_known, plugin_files, required_specs
from sweepstakes.tournaments.storage.stored_plan import stored_agents, stored_conditions
from sweepstakes.untrusted.text import clean

if TYPE_CHECKING:
    from sweepstakes.standings import Standings

MOST_GAMES = 1 << 40
"""Board numbers are below this."""
RESULT = ", ".join(COLUMNS)
"""The columns of a result, for SQL."""


class StoredRow(NamedTuple):
    """A game as it stands in the database, which nobody has looked at."""

    fixture: Fixture
    columns: Sequence[Any]
    """Those of a result."""
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
    """Its turns, packed, if they were kept."""

    @property
    def number(self) -> int:
        """That of its board."""
        return self.fixture.number

    @property
    def setup(self) -> GameSetup:
        """How to set it up again."""
        return self.condition.setup(self.fixture.number)


class StoredRun:
    """The games of a tournament as they were played, whatever has become of its agents since.

    Every row is checked when it is read: `RunError` names the file, the game and what cannot be. It may be read while
    the run is being played, and from several threads.
    """

    def __init__(
        self,
        directory: Path,
        plan: Plan,
        registry: Registry,
        games: Database,
        changed: frozenset[int] = frozenset(),
        plugins: tuple[str, ...] = (),
    ) -> None:
        self.directory = directory
        self.plan = plan
        self.registry = registry
        self.file = games.file
        """What messages call the database."""
        self.changed = changed
        """The conditions whose board source or noise has another version now: their games cannot be repeated."""
        self.plugins = plugins
        """Files with further plugins, which the reader has named."""
        self._games = games
        self._identify()

    def __enter__(self) -> StoredRun:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Let go of the games."""
        self._games.close()

    @property
    def config(self) -> Tournament:
        """The tournament as it is written down."""
        return self.plan.config

    @property
    def agents(self) -> tuple[Entry, ...]:
        """The agents of the tournament."""
        return self.plan.entries

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions that they play under."""
        return self.plan.conditions

    def standings(self) -> Standings:
        """All tables, from the games that are there now."""
        from sweepstakes.tournaments.statistics.standings import standings  # which reads runs

        return standings(self)

    def leaderboard(self) -> Any:
        """What leaderboard.json says; None if the run has not come to its end."""
        path = self.directory / "leaderboard.json"
        try:
            with run_errors(path):
                if not path.exists():
                    return None
                found = json.loads(path.read_text(encoding="utf-8"))
            _check_leaderboard(found)
        except (ValueError, RecursionError) as error:
            what = f"not a leaderboard: {clean(str(error), 100)}"
            raise RunError(f"{path}: {what}; run the tournament again, which writes it anew") from None
        return found

    def reopened(self) -> StoredRun:
        """The run as it stands now: it may be going on, with agents that were not there before."""
        if not isinstance(self._games, OnDisk):
            return self
        return open_run(self.directory, self.plugins)

    def finished(self) -> int:
        """How many games of the tournament are there."""
        ((count,),) = self._query(
            f"select count(*) from games where number < ? and agent in ({_ids(self._agents)}) "
            f"and condition in ({_ids(self._conditions)})",
            [self.config.games],
        )
        return int(count)

    def boards(self, condition: int) -> int:
        """One more than the highest board number that anybody has played under a condition."""
        ((last,),) = self._query(
            "select max((select max(number) from games where condition = ? and agent = agents.id)) from agents",
            [self._conditions[condition]],
        )
        if last is None:
            return 0
        if type(last) is not int or not 0 <= last < MOST_GAMES:
            raise RunError(f"{self.file}: damaged: a board of condition {condition + 1} has no number; {SOUND_COPY}")
        return last + 1

    def results(
        self, condition: int, agent: int, boards: range | None = None
    ) -> tuple[list[int], list[float | None], list[GameResult]]:
        """An agent's games, on some boards: their numbers, seconds (None if imported) and results."""
        boards = range(self.config.games) if boards is None else boards
        found = list(
            self._query(
                f"select number, seconds, {RESULT} from games "
                "where condition = ? and agent = ? and number >= ? and number < ? order by number",
                [*self._block(condition, agent), boards.start, boards.stop],
            )
        )
        results = [self._read(StoredRow(Fixture(agent, condition, row[0]), row[2:], row[1], None)) for row in found]
        return [row[0] for row in found], [row[1] for row in found], results

    def rows(self, *, limited: bool = True) -> Iterator[tuple[Any, ...]]:
        """Every game: the keys of condition and agent, the number, the columns of the result; in the plan's order.

        Unless `limited`, without those that struck a limit: on another machine they may end otherwise.
        """
        where = "" if limited else "and limits is null "
        for condition, agent in self._blocks():
            keys = self.conditions[condition].key, self.agents[agent].key
            for row in self._query(
                f"select number, {RESULT} from games "
                f"where condition = ? and agent = ? and number < ? {where}order by number",
                [*self._block(condition, agent), self.config.games],
            ):
                self._read(StoredRow(Fixture(agent, condition, row[0]), row[1:], None, None))
                yield *keys, *row

    def stored(self) -> Iterator[StoredRow]:
        """Every game as it stands there, unchecked; condition by condition, agent by agent."""
        for condition, agent in self._blocks():
            for number, seconds, moves, *columns in self._query(
                f"select number, seconds, moves, {RESULT} from games "
                "where condition = ? and agent = ? and number < ? order by number",
                [*self._block(condition, agent), self.config.games],
            ):
                yield StoredRow(Fixture(agent, condition, number), columns, seconds, moves)

    def kept(self) -> Iterator[tuple[Fixture, GameResult]]:
        """The games whose moves were kept, condition by condition, agent by agent."""
        for condition, agent in self._blocks():
            for number, *columns in self._query(
                f"select number, {RESULT} from games "
                "where condition = ? and agent = ? and moves is not null order by number",
                self._block(condition, agent),
            ):
                row = StoredRow(Fixture(agent, condition, number), columns, None, None)
                yield row.fixture, self._read(row)

    def find(self, fixture: Fixture) -> StoredGame | None:
        """A game by its place in the plan; None if it has not been played."""
        if not 0 <= fixture.number < MOST_GAMES:
            return None
        for moves, *columns in self._query(
            f"select moves, {RESULT} from games where condition = ? and agent = ? and number = ?",
            [*self._block(fixture.condition, fixture.agent), fixture.number],
        ):
            entry, condition = self.agents[fixture.agent], self.conditions[fixture.condition]
            result = self._read(StoredRow(fixture, columns, None, moves))
            return StoredGame(self.name(fixture), fixture, entry, condition, result, moves)
        return None

    def game(self, name: str) -> StoredGame:
        """The game AGENT/CONDITION/NUMBER, as in `basic/1/0`; AGENT/NUMBER will do where there is one condition."""
        found = self.find(self._fixture(name))
        if found is None:
            raise RunError(f"{self.directory}: game {clean(name, 80)} has not been played in this run")
        return found

    def name(self, fixture: Fixture) -> str:
        """What a game is called: AGENT/CONDITION/NUMBER."""
        return self.plan.title(fixture)

    def set_up(self, fixture: Fixture) -> Game:
        """A game before its first turn, with nothing of its agent but the name."""
        return self.plan.game(fixture, self.registry)

    def read(self, row: StoredRow) -> GameResult:
        """The result in a row; `ValueError`, with a sentence, if no game can have it."""
        if type(row.fixture.number) is not int or not 0 <= row.fixture.number < MOST_GAMES:
            raise ValueError("its number is not that of a board")
        check_extras(row.seconds, row.moves)
        condition = self.conditions[row.fixture.condition]
        result = GameResult.from_row(condition.size, row.columns)
        check_result(result, condition.size, condition.rules)
        return result

    def impossible(self, fixture: Fixture, why: ValueError, file: Path | None = None) -> RunError:
        """The error for a row that no game can have; `file` is where it comes from, if not from here."""
        name = clean(self.name(fixture), 80)
        what = f"{why}: no game ends so; the file was changed or damaged: {SOUND_COPY}"
        return RunError(f"{file or self.file}: game {name}: {what}")

    def make(self, kind: str, spec: Spec | str) -> Any:
        """A score or a report: what comes with us, or else what the run's own plugins offer."""
        spec = Spec.of(spec)
        if not spec.file and spec.name in self.registry.offers(kind):
            return self.registry.make(kind, spec)
        return self._every_plugin.make(kind, spec)

    def load_plugins_into(self, registry: Registry) -> None:
        """Load the files of the run's own board sources and noises into a registry, if they are there."""
        if any(not is_known(Registry.default(), kind, spec) for kind, spec in required_specs(self.config)):
            for file in [*self.config.plugins, *(spec.file for _, spec in required_specs(self.config) if spec.file)]:
                registry.add_file(file, asked_for=False)

    @cached_property
    def _every_plugin(self) -> Registry:
        registry = Registry((*plugin_files(self.config), *self.plugins))
        for file in self.plugins:
            plugin = registry.add_file(file)
            if plugin.error:
                raise PluginError(f"{file}: {plugin.error}")
        return registry

    def _read(self, row: StoredRow) -> GameResult:
        """The result in a row; `RunError` if no game can have it."""
        try:
            return self.read(row)
        except ValueError as error:
            raise self.impossible(row.fixture, error) from None

    def _fixture(self, text: str) -> Fixture:
        labels = [entry.label for entry in self.agents]
        agent, *numbers = text.rsplit("/", 2 if text.count("/") > 1 else 1)
        if len(numbers) == 1 and len(self.conditions) == 1:
            numbers = ["1", *numbers]
        if len(numbers) != 2 or not all(number.isdecimal() and len(number) < 19 for number in numbers):
            example = next((self.name(fixture) for fixture, _ in self.kept()), "basic/1/0")
            raise RunError(
                f"{self.directory}: no game is called '{clean(text, 80)}': expected AGENT/CONDITION/NUMBER, "
                f"as in {example}"
            )
        if agent not in labels:
            raise RunError(f"{self.directory}: no agent '{clean(agent, 80)}' in this run{did_you_mean(agent, labels)}")
        condition, board = map(int, numbers)
        if not 1 <= condition <= len(self.conditions):
            expected = f"expected 1 to {len(self.conditions)}"
            raise RunError(f"{self.directory}: no condition {condition} in this run: {expected}")
        return Fixture(labels.index(agent), condition - 1, board)

    def _identify(self) -> None:
        """Look up the plan's conditions and agents; what has not played yet has the number -1."""
        ids = dict(self._query("select key, id from conditions"))
        self._conditions: list[int] = [ids.get(c.key, -1) for c in self.conditions]
        ids = dict(self._query("select key, id from agents"))
        self._agents: list[int] = [ids.get(entry.key, -1) for entry in self.agents]

    def _blocks(self) -> Iterator[tuple[int, int]]:
        for condition in range(len(self._conditions)):
            for agent in range(len(self._agents)):
                yield condition, agent

    def _block(self, condition: int, agent: int) -> list[int]:
        return [self._conditions[condition], self._agents[agent]]

    def _query(self, sql: str, parameters: Sequence[Any] = ()) -> Iterator[tuple[Any, ...]]:
        """The rows that answer a question; `RunError` if the database is damaged."""
        return self._games.query(sql, parameters)


def open_run(directory: str | Path, plugins: tuple[str, ...] = ()) -> StoredRun:
    """Open a run directory, also while it is being played, or a published leaderboard; `RunError` if it is neither.

    `plugins` are files that its board sources, noises, scores or reports may need.
    """
    directory = Path(directory)
    config, yaml = load(_tournament(directory))
    registry = Registry(third_party=False)
    if not all(is_known(registry, kind, spec) for kind, spec in required_specs(config)):
        registry = Registry((*plugin_files(config), *plugins))
    games = _database(directory)
    then = stored_conditions(games)
    try:
        now = list(make_conditions(config, registry, yaml))
    except SweepstakesError:  # a plugin, or what it reads, is gone: what was played can still be told
        now, changed = list(then.values()), frozenset(range(len(then)))
    else:
        as_played = [_as_played(condition, then.get(condition.label)) for condition in now]
        changed = frozenset(i for i, (a, b) in enumerate(zip(now, as_played, strict=True)) if a.key != b.key)
        now = as_played
    scores = scores_of(config, registry, strict=False)
    plan = Plan(config, stored_agents(games), tuple(now), *scores, ())
    return StoredRun(directory, plan, registry, games, changed, plugins)


def _as_played(condition: Condition, played: Condition | None) -> Condition:
    """The condition with the versions that it was played with."""
    if played is None:
        return condition
    return condition._replace(source_version=played.source_version, noise_version=played.noise_version)


def _check_leaderboard(found: Any) -> None:
    """`ValueError` unless it has what the pages look at: its scores and its tables."""
    if not isinstance(found, dict) or not all(isinstance(found.get(key), list) for key in ("scores", "tables")):
        raise ValueError("expected `scores` and `tables`")
    if not all(isinstance(s, dict) and isinstance(s.get("name"), str) for s in found["scores"]) or not found["scores"]:
        raise ValueError("expected names of scores")


def _tournament(directory: Path) -> Path:
    """The file of the tournament; `RunError` if no games lie beside it."""
    file = directory / "tournament.yaml"
    if not file.is_file() or not any((directory / name).is_file() for name in (database.FILE, FILE)):
        what = "expected the directory of a run or of a published leaderboard"
        why = "no tournament has been run here" if directory.is_dir() else "there is no such directory"
        raise RunError(f"{directory}: {why}: {what}")
    return file


def _database(directory: Path) -> Database:
    """Where the games come from."""
    file = directory / database.FILE
    if file.is_file():
        return OnDisk(file)
    return InMemory(directory / FILE, load_publication(directory))


def _ids(ids: list[int]) -> str:
    return ",".join(map(str, ids))
