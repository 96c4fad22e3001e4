"""The games of a run as columns: arrays of numbers and texts, for data frames and plots.

Numbers are read and checked all at once. Rows with a fault or measures, and rows that fail the check, are read one by
one, so that an error names the game.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.errors import RunError, SweepstakesError
from sweepstakes.executor import Fixture
from sweepstakes.game.result import COLUMNS, MAX_MEASURE, OPTIONAL, GameResult
from sweepstakes.game.result_columns import ENDINGS_BY_NUMBER, ResultColumns
from sweepstakes.game.size import Size
from sweepstakes.score import rate
from sweepstakes.standings import ConditionFields
from sweepstakes.tournaments.storage.database import SOUND_COPY
from sweepstakes.tournaments.storage.run_reader import RunReader, StoredRow

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
COUNTS = [name for name, kind in COLUMNS.items() if kind == "integer"]
"""The columns of a result that are whole numbers."""
_RESULT = ", ".join(COLUMNS)
_ENDING = " ".join(f"when '{ending}' then {place}" for place, ending in enumerate(ENDINGS_BY_NUMBER))
_COUNTS = {name: f"ifnull({name}, -1)" if name in OPTIONAL else name for name in COUNTS}
_NANOSECONDS = "ifnull(cast(seconds * 1e9 + 0.5 as integer), -1)"
_ENDINGS = ", ".join(f"'{ending}'" for ending in ENDINGS_BY_NUMBER)
_ARE_NUMBERS = " and ".join(
    [
        *(f"{count} between -{name in OPTIONAL:d} and {MAX_MEASURE - 1}" for name, count in _COUNTS.items()),
        f"typeof(number + {' + '.join(_COUNTS.values())}) = 'integer'",
        f"ending in ({_ENDINGS})",
        "ifnull(seconds between 0 and 1e9, 1)",
    ]
)
_NUMBERS = ("number", f"case ending {_ENDING} end", *_COUNTS.values(), _NANOSECONDS)
_TEXTS = ", ".join(f"group_concat({number})" for number in _NUMBERS)
"""SQL for the numbers of many rows: one text per column instead of one Python object per number."""
_ATTEMPTS = 3
"""How often to read rows again if they were invalid when read together, but are valid when read one by one."""


class Selection(NamedTuple):
    """Which games to read. Maps the database ids of conditions and agents to their places in the plan."""

    conditions: Mapping[int, int]
    agents: Mapping[int, int]
    boards: range
    """The numbers of the boards."""

    def sql(self, columns: str, where: str = "", end: str = "") -> str:
        """Return the query for columns of the games."""
        conditions, agents = (",".join(map(str, ids)) for ids in (self.conditions, self.agents))
        chosen = f"condition in ({conditions}) and agent in ({agents}) and number < {self.boards.stop}"
        if self.boards.start:
            chosen += f" and number >= {self.boards.start}"
        return f"select {columns} from games where {chosen} {where} {end}"


class GameColumns(NamedTuple):
    """Some games of a run in the order of the plan: by condition, agent and number of the board."""

    condition: Ints
    """The place of the condition in the plan."""
    agent: Ints
    """The place of the agent in the plan."""
    number: Ints
    seconds: Floats
    """The agent's processor time, to the nanosecond; NaN for imported games."""
    results: ResultColumns


def read_columns(
    run: RunReader,
    conditions: Sequence[int] | None = None,
    agents: Sequence[int] | None = None,
    boards: range | None = None,
) -> GameColumns:
    """Read the games of some conditions and agents, given by their places in the plan, on some boards.

    Raise `RunError` with the first row that no game can have.
    """
    boards = range(run.config.games) if boards is None else boards
    selection = Selection(_by_id(run.condition_ids, conditions), _by_id(run.agent_ids, agents), boards)
    condition, agent, (number, ending, *counts, nanoseconds) = _read_numbers(run, selection)
    keys = _key(condition, agent, number)
    if (keys[1:] <= keys[:-1]).any():
        order = np.argsort(keys, kind="stable")
        condition, agent, number, ending, nanoseconds, keys, *counts = (
            each[order] for each in (condition, agent, number, ending, nanoseconds, keys, *counts)
        )
        if (keys[1:] == keys[:-1]).any():
            raise RunError(f"{run.file}: damaged: the number of a board is invalid; {SOUND_COPY}")
    fault, measures = _read_texts(run, selection, keys)
    sizes = np.array([c.size for c in run.conditions], np.int64).reshape(-1, 3).T
    size = {name: each[condition] for name, each in zip(Size._fields, sizes, strict=True)}
    named = dict(zip(COUNTS, counts, strict=True))
    results = ResultColumns(**size, ending=ending.astype(np.int8), **named, fault=fault, measures=measures)
    seconds = np.where(nanoseconds < 0, np.nan, nanoseconds / 1e9)
    columns = GameColumns(condition, agent, number, seconds, results)
    last_mine = np.array([c.rules.last_mine for c in run.conditions], np.int64)
    impossible = results.impossible(last_mine[condition])
    return _read_again(run, columns, np.flatnonzero(impossible).tolist()) if impossible.any() else columns


def _by_id(ids: Sequence[int], chosen: Sequence[int] | None) -> dict[int, int]:
    return {ids[i]: i for i in (range(len(ids)) if chosen is None else chosen) if ids[i] != -1}


def _read_numbers(run: RunReader, selection: Selection) -> tuple[Ints, Ints, list[Ints]]:
    """Return the places of condition and agent of each game, and its numbers in the order of `_NUMBERS`.

    If a value is not a number, read the rows of that agent and condition one by one, so that the error names the game.
    If they are all valid, the row was replaced in the meantime, since a run may be read while it is being played.
    """
    sql = selection.sql(f"condition, agent, min(ifnull({_ARE_NUMBERS}, 0)), {_TEXTS}", end="group by condition, agent")
    for _ in range(_ATTEMPTS):
        found = [
            (selection.conditions[condition], selection.agents[agent], *others)
            for condition, agent, *others in run.query(sql)
        ]
        refused = [(block[0], block[1]) for block in found if not block[2]]
        if not refused:
            break
        for condition, agent in refused:
            run.results(condition, agent, selection.boards)
    else:
        raise RunError(f"{run.file}: damaged: a number of condition {refused[0][0] + 1} is invalid; {SOUND_COPY}")
    columns = [[np.fromstring(text, np.int64, sep=",") for text in block[3:]] for block in found]
    places = np.array([block[:2] for block in found], np.int64).reshape(-1, 2)
    condition, agent = np.repeat(places, [len(block[0]) for block in columns], axis=0).T
    nothing = [[np.empty(0, np.int64)] * len(_NUMBERS)]
    return condition, agent, [np.concatenate(each) for each in zip(*(columns or nothing), strict=True)]


def _key(condition: Any, agent: Any, number: Any) -> Any:
    """Return numbers that sort games in the order of the plan: there are below 2^14 conditions and 2^24 boards."""
    return ((condition << 24) + agent << 24) + number


def _read_texts(
    run: RunReader, selection: Selection, keys: Ints
) -> tuple[npt.NDArray[np.object_], dict[int, Mapping[str, float | None]]]:
    """Return the faults of all games, and the measures by the index of the game. Check each of these rows."""
    fault = np.full(len(keys), "", np.object_)
    measures: dict[int, Mapping[str, float | None]] = {}
    columns = f"condition, agent, number, seconds, {_RESULT}"
    for condition, agent, number, seconds, *row in run.query(
        selection.sql(columns, "and (fault <> '' or measures <> '{}')")
    ):
        fixture = Fixture(selection.agents[agent], selection.conditions[condition], number)
        result = run.checked(StoredRow(fixture, row, seconds, None))
        key = _key(fixture.condition, fixture.agent, number)
        place = int(np.searchsorted(keys, key))
        if place < len(keys) and keys[place] == key:  # else the game was stored after the numbers were read
            fault[place] = result.fault
            if result.measures:
                measures[place] = result.measures
    return fault, measures


def _read_again(run: RunReader, columns: GameColumns, places: Sequence[int]) -> GameColumns:
    """Return the columns with some rows read again one by one. Raise an error that names the first impossible row.

    A row that is valid now was replaced while the columns were read, since a run may be read while it is being played.
    """
    fields = {name: getattr(columns.results, name).copy() for name in ("ending", *COUNTS, "fault")}
    seconds, measures = columns.seconds.copy(), dict(columns.results.measures)
    for place in places:
        number = int(columns.number[place])
        condition, agent = int(columns.condition[place]), int(columns.agent[place])
        _, times, results = run.results(condition, agent, range(number, number + 1))
        if not results:
            raise RunError(f"{run.file}: damaged: a number of condition {condition + 1} is invalid; {SOUND_COPY}")
        seconds[place] = np.nan if times[0] is None else int(times[0] * 1e9 + 0.5) / 1e9
        measures[place] = results[0].measures
        for name, column in fields.items():
            column[place] = _field(results[0], name)
    results_again = replace(columns.results, **fields, measures={p: m for p, m in measures.items() if m})
    return columns._replace(seconds=seconds, results=results_again)


def _field(result: GameResult, name: str) -> Any:
    if name == "ending":
        return result.ending.number
    found = getattr(result, name)
    return -1 if found is None else found


def games_table(run: RunReader, conditions: Sequence[int] | None = None) -> dict[str, npt.NDArray[Any]]:
    """Return the games of some conditions as a table: see `StoredRun.games`."""
    columns = read_columns(run, conditions)
    results = columns.results
    table: dict[str, npt.NDArray[Any]] = {"condition": _texts([c.label for c in run.conditions])[columns.condition]}
    parts = zip(*(c.fields for c in run.conditions), strict=True)
    for name, values in zip(ConditionFields._fields, parts, strict=True):
        array = _texts(values) if isinstance(values[0], str) else np.array(values)
        table[name] = array[columns.condition]
    table["agent"] = _texts([entry.label for entry in run.agents])[columns.agent]
    table["version"] = _texts([entry.version for entry in run.agents])[columns.agent]
    table["number"] = columns.number
    table["ending"] = _texts([ending.value for ending in ENDINGS_BY_NUMBER])[results.ending]
    table["won"] = results.won

    def game(place: int) -> str:
        return run.name(Fixture(*(int(each[place]) for each in (columns.agent, columns.condition, columns.number))))

    for score in run.plan.scores:
        try:
            scores = rate(run.make("score", score), score, results, game)
        except SweepstakesError as error:
            warnings.warn(f"{run.directory}: no column for the score {score}: {error}", stacklevel=3)
            continue
        table[f"score_{score}" if score in COUNTS else score] = scores
    table |= {name: _count(getattr(results, name)) for name in COUNTS}
    return table | {"fault": results.fault, "seconds": columns.seconds}


def _count(column: Ints) -> npt.NDArray[Any]:
    """Return a count for people, with NaN for unknown values."""
    unknown = column < 0
    return np.where(unknown, np.nan, column) if unknown.any() else column


def _texts(values: Sequence[str]) -> npt.NDArray[np.object_]:
    """Return texts as an array of Python strings, which share memory and which data frames treat as texts."""
    array = np.empty(len(values), np.object_)
    array[:] = values
    return array
