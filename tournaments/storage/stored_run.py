"""A run directory or a published leaderboard, opened read-only and without a lock.

No code of an agent is loaded: the agents are the stored ones, by name. If a board source or a noise is not built in,
the plugins that the tournament names are loaded; if those are missing, the games can still be read.
"""

from __future__ import annotations

import json
import operator
from collections.abc import Iterator, Sequence
from functools import cached_property
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy.typing as npt

from sweepstakes.errors import PluginError, PositionError, RunError, SweepstakesError, brief, did_you_mean
from sweepstakes.executor import Fixture
from sweepstakes.game.board import Board
from sweepstakes.game.cell import Cell
from sweepstakes.game.game import Game
from sweepstakes.game.result import COLUMNS, GameResult, check_extras
from sweepstakes.game.setup import GameSetup
from sweepstakes.hosting.describing import describer_here
from sweepstakes.registry.registry import Registry
from sweepstakes.spec import Spec
from sweepstakes.tournaments.config.loading import load
from sweepstakes.tournaments.config.model import EARLIER, Tournament
from sweepstakes.tournaments.plan import SECRET, Condition, Entry, Plan
from sweepstakes.tournaments.resolve.conditions import make_conditions
from sweepstakes.tournaments.resolve.known_files import META, FileLists, read_lists
from sweepstakes.tournaments.resolve.planning import scores_of
from sweepstakes.tournaments.resolve.plugins import is_known, load_plugins, required_specs
from sweepstakes.tournaments.shard import Shard
from sweepstakes.tournaments.storage import database
from sweepstakes.tournaments.storage.database import SOUND_COPY, Database, InMemory, OnDisk, run_errors
from sweepstakes.tournaments.storage.published_database import load_publication
from sweepstakes.tournaments.storage.published_games import FILE
from sweepstakes.tournaments.storage.secret_seed import SEED_FILE, SecretSeed, read_seed
from sweepstakes.tournaments.storage.stored_plan import earlier_agents, stored_agents, stored_conditions
from sweepstakes.untrusted.text import clean

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from sweepstakes.standings import Standings
    from sweepstakes.tournaments.replay.replay import Replay
    from sweepstakes.tournaments.storage.game_columns import GameColumns

MOST_GAMES = 1 << 40
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


class StoredRun:
    """The stored games of a tournament. They can be read even if its agents have changed or are missing.

    Every row is checked when it is read: `RunError` names the file, the game and the impossible value. A run may be
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
        """The conditions whose board source or noise has another version now: their games cannot be repeated."""
        self.plugins = plugins
        """Plugin files besides those of the tournament."""
        self.secret = secret
        """The seed, if it is or was secret."""
        self._games = games
        self._identify()

    def __repr__(self) -> str:
        counts = f"{len(self.agents)} agents, {len(self.conditions)} conditions, {self.config.games:,} boards each"
        return f"<StoredRun {self.directory}: {counts}>"

    def __enter__(self) -> StoredRun:
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
        """The earlier versions of agents that have changed since, by label, as in `mine@1`."""
        return earlier_agents(self._games)

    def including(self, *labels: str) -> StoredRun:
        """The run with those of these agents that are earlier versions; the run itself if none of them is.

        The returned run shares the database with this one.
        """
        current = {entry.label for entry in self.agents}
        asked = [label for label in dict.fromkeys(labels) if isinstance(label, str) and label not in current]
        added = [self.earlier[label] for label in asked if EARLIER.fullmatch(label) and label in self.earlier]
        if not added:
            return self
        plan = self.plan._replace(entries=(*self.agents, *added))
        return StoredRun(self.directory, plan, self.registry, self._games, self.changed, self.plugins, self.secret)

    @property
    def conditions(self) -> tuple[Condition, ...]:
        """The conditions of the tournament."""
        return self.plan.conditions

    @cached_property
    def games(self) -> dict[str, npt.NDArray[Any]]:
        """Every game, one array for each column: `pandas.DataFrame(run.games)` or `polars.DataFrame(run.games)`.

        The columns are the label of the condition and its fields (`rows`, `cols`, `mines`, `density`, `rules`, `noise`,
        `source`), `agent` and its `version`, the `number` of the board, `ending`, `won`, the scores of the tournament,
        the counts of `GameResult`, `fault`, and `seconds` (NaN if imported). A score with the name of a count is called
        `score_turns`: it differs from the count where the agent had a fault. Games are in the order of the plan; they
        are read once: `reopened` reads those that have been played since.
        """
        return self.table()

    def table(self, conditions: Sequence[int] | None = None) -> dict[str, npt.NDArray[Any]]:
        """The columns of `games`, read now; of all conditions, or of some by their places in the plan."""
        from sweepstakes.tournaments.storage.game_columns import games_table  # which reads runs

        return games_table(self, self.columns(conditions))

    def columns(
        self,
        conditions: Sequence[int] | None = None,
        agents: Sequence[int] | None = None,
        boards: range | None = None,
    ) -> GameColumns:
        """The games of some conditions and agents, by their places in the plan, and on some boards, as arrays."""
        from sweepstakes.tournaments.storage.game_columns import Selection, read_columns  # which reads runs

        def by_id(ids: Sequence[int], chosen: Sequence[int] | None) -> dict[int, int]:
            return {ids[i]: i for i in (range(len(ids)) if chosen is None else chosen) if ids[i] != -1}

        boards = range(self.config.games) if boards is None else boards
        selection = Selection(by_id(self._conditions, conditions), by_id(self._agents, agents), boards)
        return read_columns(self, self._query, selection)

    def board(self, condition: str | int, number: int, first: tuple[int, int] | None = None) -> Board:
        """Board `number` of a condition, which is a label or a number from 1 on; `RunError` if there is none.

        If the rules protect the first click, the board depends on it: `first` is the cell (row, column) that was opened
        first. `replay` has the board of a stored game.
        """
        setup = self.conditions[place := self.condition_place(condition)].setup(_check_number(number, self.directory))
        self.check_unchanged(place, f"board {number} of condition {place + 1}")
        setup.check(self.registry)
        rules, cell = setup.rules, Cell(*first) if first is not None else setup.rules.start
        if cell is None and rules.first_click != "any":
            raise RunError(
                f"{self.directory}: board {number} of condition {place + 1} depends on the first click, which is "
                f"{rules.first_click}: expected first=(row, column), or the board of a replay"
            )
        if cell is not None and not (0 <= cell.row < setup.size.rows and 0 <= cell.col < setup.size.cols):
            raise PositionError(f"first: {cell} is not on a board of {setup.size.rows} x {setup.size.cols}")
        protected = rules.protected(setup.size, cell) if cell is not None else ()
        return setup.board_ref(self.registry).board(protected)

    def replay(self, agent: str, condition: str | int, number: int) -> Replay:
        """A stored game turn by turn, with reasons; an agent plays the game again if its moves were not kept.

        `condition` is a label or a number from 1 on. `RunError` if there is no such game, or if it cannot be played
        again.
        """
        from sweepstakes.tournaments.replay.explained import replay  # which reads runs
        from sweepstakes.warm_up import warm_up

        run = self.including(agent)
        fixture = Fixture(run.agent_place(agent), run.condition_place(condition), _check_number(number, run.directory))
        stored = run._stored(fixture)
        warm_up(quiet=True)
        return replay(run, stored)

    def standings(self) -> Standings:
        """Compute all tables from the games that are stored now."""
        from sweepstakes.tournaments.statistics.standings import standings  # which reads runs

        return standings(self)

    def plot(self, name: str = "ranking") -> Figure:
        """A figure of matplotlib, by the name of a plot in a publication, as in `score-density`.

        `RunError` lists the plots that the run has.
        """
        from sweepstakes.leaderboards.plots.figures import run_figure  # which reads runs

        return run_figure(self, name)

    def leaderboard(self) -> Any:
        """The contents of leaderboard.json; None if the run is not finished."""
        path = self.directory / "leaderboard.json"
        try:
            with run_errors(path):
                if not path.exists():
                    return None
                found = json.loads(path.read_text(encoding="utf-8"))
            _check_leaderboard(found)
        except (ValueError, RecursionError) as error:
            what = f"not a leaderboard: {clean(str(error), 100)}"
            raise RunError(f"{path}: {what}; run the tournament again, which rewrites it") from None
        return found

    def reopened(self) -> StoredRun:
        """Open the run again: a run that is being played may have new agents. A publication is returned as it is."""
        if not isinstance(self._games, OnDisk):
            return self
        return open_run(self.directory, self.plugins)

    def finished(self) -> int:
        """The number of stored games of the tournament."""
        return sum(map(self.finished_under, range(len(self.conditions))))

    def finished_under(self, condition: int) -> int:
        """The number of stored games of a condition, by its place in the plan."""
        ((count,),) = self._query(
            f"select count(*) from games where condition = ? and number < ? and agent in ({_ids(self._agents)})",
            [self._conditions[condition], self.config.games],
        )
        return int(count)

    @property
    def published(self) -> bool:
        """Whether this is a publication, not the directory of a run."""
        return isinstance(self._games, InMemory)

    @property
    def complete(self) -> bool:
        """Whether the tables are those of all games: of a publication always, of a run once it has been finished."""
        return self.published or (self.directory / "leaderboard.json").exists()

    def numbers(self, condition: int, agent: int) -> set[int]:
        """The numbers of the boards that an agent has played under a condition."""
        found = self._query("select number from games where condition = ? and agent = ?", self._block(condition, agent))
        return {number for (number,) in found}

    def beyond_plan(self) -> Iterator[tuple[str, str, int, int, int]]:
        """The stored games that are not in the plan: agent, condition, count, the lowest and the highest number."""
        for agent, condition, count, first, last in self._query(
            "select agents.label, conditions.label, count(*), min(number), max(number) from games "
            "join agents on agents.id = games.agent join conditions on conditions.id = games.condition "
            f"where number < 0 or number >= ? or games.agent not in ({_ids(self._agents)}) "
            f"or games.condition not in ({_ids(self._conditions)}) "
            "group by games.agent, games.condition",
            [self.config.games],
        ):
            yield clean(str(agent), 80), clean(str(condition), 80), int(count), int(first), int(last)

    def last_board(self, condition: int, agent: int) -> int | None:
        """The highest board number of an agent under a condition; None if it has played none."""
        ((last,),) = self._query(
            "select max(number) from games where condition = ? and agent = ?", self._block(condition, agent)
        )
        return _whole(last)

    def boards(self, condition: int) -> int:
        """One more than the highest board number that any agent has played under a condition."""
        ((last,),) = self._query(
            "select max((select max(number) from games where condition = ? and agent = agents.id)) from agents",
            [self._conditions[condition]],
        )
        if last is None:
            return 0
        if type(last) is not int or not 0 <= last < MOST_GAMES:
            raise RunError(f"{self.file}: damaged: a number of condition {condition + 1} is invalid; {SOUND_COPY}")
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
        results = [self.checked(StoredRow(Fixture(agent, condition, row[0]), row[2:], row[1], None)) for row in found]
        return [row[0] for row in found], [row[1] for row in found], results

    def rows(self, *, limited: bool = True) -> Iterator[tuple[Any, ...]]:
        """Every game: the keys of condition and agent, the number, the columns of the result; in the plan's order.

        With `limited=False`, games that reached a limit are left out: on another machine they may end otherwise.
        """
        where = "" if limited else "and limits is null "
        for condition, agent in self._blocks():
            keys = self.conditions[condition].key, self.agents[agent].key
            for row in self._query(
                f"select number, {RESULT} from games "
                f"where condition = ? and agent = ? and number < ? {where}order by number",
                [*self._block(condition, agent), self.config.games],
            ):
                self.checked(StoredRow(Fixture(agent, condition, row[0]), row[1:], None, None))
                yield *keys, *row

    def stored(self) -> Iterator[StoredRow]:
        """Every row, unchecked; condition by condition, agent by agent."""
        for row, _ in self.entire_rows():
            yield row

    def entire_rows(self) -> Iterator[tuple[StoredRow, Any]]:
        """As `stored`, each with the limits that it was stored with."""
        for condition, agent in self._blocks():
            for number, seconds, moves, limits, *columns in self._query(
                f"select number, seconds, moves, limits, {RESULT} from games "
                "where condition = ? and agent = ? and number < ? order by number",
                [*self._block(condition, agent), self.config.games],
            ):
                yield StoredRow(Fixture(agent, condition, number), columns, seconds, moves), limits

    def kept(self) -> Iterator[tuple[Fixture, GameResult]]:
        """The games whose moves were kept, condition by condition, agent by agent."""
        for condition, agent in self._blocks():
            for number, *columns in self._query(
                f"select number, {RESULT} from games "
                "where condition = ? and agent = ? and moves is not null order by number",
                self._block(condition, agent),
            ):
                row = StoredRow(Fixture(agent, condition, number), columns, None, None)
                yield row.fixture, self.checked(row)

    def find(self, fixture: Fixture) -> StoredGame | None:
        """A game by its place in the plan; None if it has not been played."""
        if not 0 <= fixture.number < MOST_GAMES:
            return None
        for moves, *columns in self._query(
            f"select moves, {RESULT} from games where condition = ? and agent = ? and number = ?",
            [*self._block(fixture.condition, fixture.agent), fixture.number],
        ):
            entry, condition = self.agents[fixture.agent], self.conditions[fixture.condition]
            result = self.checked(StoredRow(fixture, columns, None, moves))
            return StoredGame(self.name(fixture), fixture, entry, condition, result, moves)
        return None

    @property
    def shard(self) -> Shard | None:
        """The shard that the run has played last; None if it is no shard."""
        for (text,) in self._query("select value from meta where key = 'shard'"):
            return Shard.parse(str(text))
        return None

    def game(self, name: str) -> StoredGame:
        """The game AGENT/CONDITION/NUMBER, as in `basic/1/0`; AGENT/NUMBER if there is one condition."""
        return self._stored(self._fixture(name))

    def _stored(self, fixture: Fixture) -> StoredGame:
        found = self.find(fixture)
        if found is None:
            raise RunError(f"{self.directory}: game {clean(self.name(fixture), 80)} has not been played in this run")
        return found

    def name(self, fixture: Fixture) -> str:
        """The name of a game: AGENT/CONDITION/NUMBER."""
        return self.plan.title(fixture)

    def set_up(self, fixture: Fixture) -> Game:
        """A game before its first turn; its agent is not loaded."""
        return self.plan.game(fixture, self.registry)

    def read(self, row: StoredRow) -> GameResult:
        """The result in a row; `ValueError`, with a sentence, if no game can have it."""
        if type(row.fixture.number) is not int or not 0 <= row.fixture.number < MOST_GAMES:
            raise ValueError("its board number is invalid")
        check_extras(row.seconds, row.moves)
        condition = self.conditions[row.fixture.condition]
        result = GameResult.from_row(condition.size, row.columns)
        condition.check(result)
        return result

    def checked(self, row: StoredRow) -> GameResult:
        """The result in a row; `RunError` if no game can have it."""
        try:
            return self.read(row)
        except ValueError as error:
            raise self.impossible(row.fixture, error) from None

    def impossible(self, fixture: Fixture, why: ValueError, file: Path | None = None) -> RunError:
        """The error for a row that no game can have; `file` is the file of the row, by default that of this run."""
        name = clean(self.name(fixture), 80)
        what = f"{why}: no game ends so; the file was changed or damaged: {SOUND_COPY}"
        return RunError(f"{file or self.file}: game {name}: {what}")

    @property
    def file_lists(self) -> FileLists:
        """The data files that agents have opened while they played, by the key of the agent."""
        for (text,) in self._query("select value from meta where key = ?", [META]):
            return read_lists(text)
        return {}

    def make(self, kind: str, spec: Spec | str) -> Any:
        """Make a score or a report: a built-in one, or one of the run's plugins."""
        spec = Spec.of(spec)
        if not spec.file and spec.name in self.registry.offers(kind):
            return self.registry.make(kind, spec)
        return self._every_plugin.make(kind, spec)

    def load_plugins_into(self, registry: Registry) -> None:
        """Load the plugin files of the run's board sources and noises into a registry, if they exist."""
        if any(not is_known(Registry.default(), kind, spec) for kind, spec in required_specs(self.config)):
            for file in [*self.config.plugins, *(spec.file for _, spec in required_specs(self.config) if spec.file)]:
                describer = describer_here(self.config.isolation, self.config.limits)
                registry.add_file(file, asked_for=False, describer=describer)

    @cached_property
    def _every_plugin(self) -> Registry:
        registry = load_plugins(self.config, self.plugins)
        for file in self.plugins:
            plugin = registry.add_file(file)
            if plugin.error:
                raise PluginError(f"{file}: {plugin.error}")
        return registry

    def _fixture(self, text: str) -> Fixture:
        agent, *numbers = text.rsplit("/", 2 if text.count("/") > 1 else 1)
        if len(numbers) == 1 and len(self.conditions) == 1:
            numbers = ["1", *numbers]
        if len(numbers) != 2 or not all(number.isdecimal() and len(number) < 19 for number in numbers):
            example = next((self.name(fixture) for fixture, _ in self.kept()), "basic/1/0")
            raise RunError(
                f"{self.directory}: no game is called '{clean(text, 80)}': expected AGENT/CONDITION/NUMBER, "
                f"as in {example}"
            )
        condition, board = map(int, numbers)
        return Fixture(self.agent_place(agent), self.condition_place(condition), board)

    def agent_place(self, agent: str) -> int:
        """The place of an agent in the plan, by its label; `RunError` if there is none."""
        labels = [entry.label for entry in self.agents]
        if agent not in labels:
            name = agent if isinstance(agent, str) else brief(agent)
            raise RunError(f"{self.directory}: no agent '{clean(name, 80)}' in this run{did_you_mean(name, labels)}")
        return labels.index(agent)

    def condition_place(self, condition: str | int) -> int:
        """The place of a condition in the plan, by its label or its number from 1 on; `RunError` if there is none."""
        labels = [each.label for each in self.conditions]
        if isinstance(condition, str):
            if condition in labels:
                return labels.index(condition)
            hint = did_you_mean(condition, labels)
            raise RunError(f"{self.directory}: no condition '{clean(condition, 80)}' in this run{hint}")
        number = _whole(condition)
        if number is None or not 1 <= number <= len(labels):
            expected = f"expected 1 to {len(labels)}" + (", or a label" if number is None else "")
            raise RunError(f"{self.directory}: no condition {brief(condition)} in this run: {expected}")
        return number - 1

    def find_conditions(self, text: str | None) -> list[int]:
        """The places of the condition with this label, else of those whose label contains the text; None: of all.

        `RunError` if there are none.
        """
        labels = [each.label for each in self.conditions]
        chosen = [i for i, label in enumerate(labels) if text is None or text.lower() in label.lower()]
        if not chosen:
            raise RunError(f"{self.directory}: no condition contains '{text}' (there are: {'; '.join(labels)})")
        return [i for i in chosen if labels[i] == text] or chosen

    def check_unchanged(self, condition: int, what: str) -> None:
        """`RunError` about `what` if the games of the condition, by its place in the plan, cannot be repeated."""
        if condition in self.changed:
            why = "the board source or the noise has changed since it was played"
            raise RunError(f"{self.directory}: {what}: {why}")

    def _identify(self) -> None:
        """Look up the database ids of the plan's conditions and agents; -1 for those that are not stored yet."""
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
        """Run a query and return its rows; `RunError` if the database is damaged."""
        return self._games.query(sql, parameters)


def open_run(directory: str | Path, plugins: tuple[str, ...] = ()) -> StoredRun:
    """Open a run directory, also while it is being played, or a published leaderboard; `RunError` if it is neither.

    `plugins` are files that its board sources, noises, scores or reports may need.
    """
    directory = Path(directory)
    config, yaml = load(tournament_file(directory))
    secret = _secret_seed(directory, config)
    registry = Registry(third_party=False)
    if not all(is_known(registry, kind, spec) for kind, spec in required_specs(config)):
        registry = load_plugins(config, plugins)
    games = _database(directory)
    stored = {label: _checked_seed(condition, secret, games) for label, condition in stored_conditions(games).items()}
    try:
        conditions = list(make_conditions(config, registry, yaml))
    except SweepstakesError:  # a plugin, or a file that it reads, is missing: the stored games can still be read
        conditions = [_with_density(condition, config) for condition in stored.values()]
        changed = frozenset(range(len(stored)))
    else:
        if secret is not None:
            conditions = [c._replace(seed=secret.seed, commitment="") for c in conditions]
        as_played = [_as_played(condition, stored.get(condition.label)) for condition in conditions]
        changed = frozenset(i for i, (a, b) in enumerate(zip(conditions, as_played, strict=True)) if a.key != b.key)
        conditions = as_played
    scores = scores_of(config, registry, strict=False)
    plan = Plan(config, stored_agents(games), tuple(conditions), *scores)
    if secret is not None:
        plan = plan.with_seed(secret.seed, secret=not secret.revealed)
    return StoredRun(directory, plan, registry, games, changed, plugins, secret)


def _secret_seed(directory: Path, config: Tournament) -> SecretSeed | None:
    """The secret seed of a run or a publication; None if it has none."""
    if isinstance(config.seed, int) and not (directory / SEED_FILE).exists():
        return None
    secret = read_seed(directory)
    if config.seed not in (SECRET, secret.seed):
        what = f"tournament.yaml has the seed {config.seed}, {SEED_FILE} another one"
        raise RunError(f"{directory}: damaged: {what}; {SOUND_COPY}")
    return secret


def _checked_seed(condition: Condition, secret: SecretSeed | None, games: Database) -> Condition:
    """A stored condition with its seed; `RunError` if the games were not played with the seed of the directory."""
    if condition.commitment:
        if secret is None or secret.sha256 != condition.commitment:
            what = f"its games were played with a secret seed, whose SHA-256 is {condition.commitment}"
            raise RunError(f"{games.file}: {what}: {SEED_FILE} has another one, or is missing; bring it back")
        return condition._replace(seed=secret.seed)
    if secret is not None and secret.seed != condition.seed:
        raise RunError(f"{games.file}: damaged: its games were not played with the seed in {SEED_FILE}; {SOUND_COPY}")
    return condition


def _with_density(condition: Condition, config: Tournament) -> Condition:
    """A stored condition with the density that the tournament file gives its boards, which is not stored."""
    for boards in config.boards:
        for name, size, density in boards.sizes():
            if size == condition.size and condition.label.partition(", ")[0] == name:
                return condition._replace(density=density)
    return condition


def _as_played(condition: Condition, played: Condition | None) -> Condition:
    """The condition with the stored versions of its board source and noise."""
    if played is None:
        return condition
    return condition._replace(source_version=played.source_version, noise_version=played.noise_version)


def _check_leaderboard(found: Any) -> None:
    """Raise `ValueError` unless the data has the lists `scores` and `tables`, which the pages read."""
    if not isinstance(found, dict) or not all(isinstance(found.get(key), list) for key in ("scores", "tables")):
        raise ValueError("expected `scores` and `tables`")
    if not all(isinstance(s, dict) and isinstance(s.get("name"), str) for s in found["scores"]) or not found["scores"]:
        raise ValueError("expected names of scores")


def tournament_file(directory: Path) -> Path:
    """The tournament file of a run or a publication; `RunError` if the directory is neither."""
    file = directory / "tournament.yaml"
    if not file.is_file() or not any((directory / name).is_file() for name in (database.FILE, FILE)):
        what = "expected the directory of a run or of a published leaderboard"
        why = "no tournament has been run here" if directory.is_dir() else "there is no such directory"
        raise RunError(f"{directory}: {why}: {what}")
    return file


def usual_place(directory: Path, folder: str, name: str) -> str:
    """The directory of a tournament as printed commands name it: `folder/name` if it is there, else `.`.

    A page does not name other paths of the machine that wrote it. With `.` a command is typed beside the page.
    """
    place = PurePosixPath(folder, name)
    return str(place) if directory.absolute().parts[-len(place.parts) :] == place.parts else "."


def _database(directory: Path) -> Database:
    """The database of a run, or of a publication."""
    file = directory / database.FILE
    if file.is_file():
        return OnDisk(file)
    return InMemory(directory / FILE, load_publication(directory))


def _check_number(number: int, directory: Path) -> int:
    """The number of a board; `RunError` if there can be none."""
    whole = _whole(number)
    if whole is None or not 0 <= whole < MOST_GAMES:
        raise RunError(f"{directory}: no board {brief(number)}: expected a whole number from 0 on")
    return whole


def _whole(number: Any) -> int | None:
    """A whole number of Python or numpy as an int; None for anything else."""
    try:
        return None if isinstance(number, bool) else operator.index(number)
    except TypeError:
        return None


def _ids(ids: list[int]) -> str:
    return ",".join(map(str, ids))
