"""The games of a run as columns: arrays of numbers and texts, for data frames and plots.

Numbers are read and checked all at once. Rows with a fault or with measures, and rows that the check refuses, are read
one by one, so that an error names the game as everywhere else.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.errors import RunError, SweepstakesError
from sweepstakes.executor import Fixture
from sweepstakes.game.result import COLUMNS, GameResult
from sweepstakes.game.result_columns import ENDINGS, ResultColumns
from sweepstakes.standings import ConditionFields
from sweepstakes.tournaments.storage.database import SOUND_COPY
from sweepstakes.tournaments.storage.stored_run import StoredRow, StoredRun

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Query = Callable[[str], Iterator[tuple[Any, ...]]]
COUNTS = [name for name, kind in COLUMNS.items() if kind == "integer"]
"""The columns of a result that are whole numbers."""
_RESULT = ", ".join(COLUMNS)
_ENDING = " ".join(f"when '{ending}' then {place}" for place, ending in enumerate(ENDINGS))
_NUMBERS = ["condition", "agent", "number", *COUNTS, f"case ending {_ENDING} else -1 end", "ifnull(seconds, -1)"]
_WHOLE = 3 + len(COUNTS)
"""How many of these columns hold whole numbers from 0 on."""
_LARGEST = float(1 << 53)
_MISSING = -1
"""Seconds that are missing."""


class Selection(NamedTuple):
    """Which games to read: the places of conditions and agents in the plan, by their ids in the database."""

    conditions: Mapping[int, int]
    agents: Mapping[int, int]
    boards: int
    """Boards of each condition."""

    def sql(self, columns: str, where: str = "") -> str:
        """The query for columns of the games."""
        conditions, agents = (",".join(map(str, ids)) for ids in (self.conditions, self.agents))
        chosen = f"condition in ({conditions}) and agent in ({agents}) and number < {self.boards}"
        return f"select {columns} from games where {chosen} {where} order by condition, agent, number"


class GameColumns(NamedTuple):
    """Some games of a run, by condition, agent and number of the board, in the order of the plan."""

    condition: Ints
    """The place of the condition in the plan."""
    agent: Ints
    """The place of the agent in the plan."""
    number: Ints
    seconds: Floats
    """The agent's processor time; NaN for games that were imported."""
    results: ResultColumns


def read_columns(run: StoredRun, query: Query, selection: Selection) -> GameColumns:
    """Read the selected games of a run; `RunError` names the first row that no game can have."""
    numbers, refused = _read_numbers(run, query, selection)
    condition = _places(selection.conditions, numbers[0])
    agent = _places(selection.agents, numbers[1])
    number = numbers[2].astype(np.int64)
    keys: Ints = _key(condition, agent, number)
    if (keys[1:] < keys[:-1]).any():  # the database has another order than the plan
        order = np.argsort(keys)
        numbers, refused, keys = numbers[:, order], refused[order], keys[order]
        condition, agent, number = condition[order], agent[order], number[order]
    fault, measures = _read_texts(run, query, selection, keys)
    sizes = np.array([c.size for c in run.conditions], np.int64).reshape(-1, 3)
    counts = numbers[3:_WHOLE].astype(np.int64)
    results = ResultColumns(*sizes[condition].T, numbers[-2].astype(np.int8), *counts, fault, measures)
    seconds = np.where(numbers[-1] == _MISSING, np.nan, numbers[-1])
    columns = GameColumns(condition, agent, number, seconds, results)
    ends = np.array([c.rules.on_mine == "end" for c in run.conditions], np.bool_)
    refused |= results.impossible(ends[condition])
    return _read_again(run, columns, np.flatnonzero(refused).tolist()) if refused.any() else columns


def _read_numbers(run: StoredRun, query: Query, selection: Selection) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """The columns `_NUMBERS` of all rows, and which rows have a number that is none; there it is 0."""
    try:
        flat = np.fromiter(chain.from_iterable(query(selection.sql(", ".join(_NUMBERS)))), np.float64)
    except (TypeError, ValueError):  # a text
        for condition in selection.conditions.values():
            for agent in selection.agents.values():
                run.results(condition, agent)  # which raises an error that names the row
        raise RunError(f"{run.file}: damaged: a column of numbers has something else; {SOUND_COPY}") from None
    numbers = flat.reshape(-1, len(_NUMBERS)).T.copy()
    whole, ending, seconds = numbers[:_WHOLE], numbers[-2], numbers[-1]
    good = (whole >= 0) & (whole < _LARGEST) & (whole == np.floor(whole))
    fine = good.all(axis=0) & (ending >= 0) & ((seconds >= 0) | (seconds == _MISSING)) & np.isfinite(seconds)
    if not fine.all():
        whole[3:][~good[3:]] = 0
        ending[ending < 0] = 0
    return numbers, ~fine


def _places(places: Mapping[int, int], ids: Floats) -> Ints:
    known = sorted(places)
    return np.array([places[each] for each in known], np.int64)[np.searchsorted(known, ids)]


def _key(condition: Any, agent: Any, number: Any) -> Any:
    """A number for each game, ascending in the order of the plan: there are below 2^14 conditions, 2^24 boards."""
    return ((condition << 24) + agent << 24) + number


def _read_texts(
    run: StoredRun, query: Query, selection: Selection, keys: Ints
) -> tuple[npt.NDArray[np.object_], dict[int, Mapping[str, float | None]]]:
    """The faults of all games, and the measures by the place of the game; each such row is checked."""
    fault = np.full(len(keys), "", np.object_)
    measures: dict[int, Mapping[str, float | None]] = {}
    columns = f"condition, agent, number, seconds, {_RESULT}"
    for condition, agent, number, seconds, *row in query(
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


def _read_again(run: StoredRun, columns: GameColumns, places: Sequence[int]) -> GameColumns:
    """The columns with some rows read one by one, which raises an error that names an impossible row.

    A row that passes was replaced while the columns were read, since a run may be read while it is being played.
    """
    fields = {name: getattr(columns.results, name).copy() for name in ("ending", *COUNTS, "fault")}
    seconds, measures = columns.seconds.copy(), dict(columns.results.measures)
    for place in places:
        number = int(columns.number[place])
        condition, agent = int(columns.condition[place]), int(columns.agent[place])
        _, times, results = run.results(condition, agent, range(number, number + 1))
        if not results:
            raise RunError(f"{run.file}: damaged: a number of condition {condition + 1} is invalid; {SOUND_COPY}")
        seconds[place] = np.nan if times[0] is None else times[0]
        measures[place] = results[0].measures
        for name, column in fields.items():
            column[place] = _field(results[0], name)
    results_again = replace(columns.results, **fields, measures={p: m for p, m in measures.items() if m})
    return columns._replace(seconds=seconds, results=results_again)


def _field(result: GameResult, name: str) -> Any:
    return ENDINGS.index(result.ending) if name == "ending" else getattr(result, name)


def games_table(run: StoredRun, columns: GameColumns) -> dict[str, npt.NDArray[Any]]:
    """The games as a table: see `StoredRun.games`."""
    results = columns.results
    table: dict[str, npt.NDArray[Any]] = {"condition": _texts([c.label for c in run.conditions])[columns.condition]}
    parts = zip(*(c.fields for c in run.conditions), strict=True)
    for name, values in zip(ConditionFields._fields, parts, strict=True):
        array = _texts(values) if isinstance(values[0], str) else np.array(values)
        table[name] = array[columns.condition]
    table["agent"] = _texts([entry.label for entry in run.agents])[columns.agent]
    table["version"] = _texts([entry.version for entry in run.agents])[columns.agent]
    table["number"] = columns.number
    table["ending"] = _texts([ending.value for ending in ENDINGS])[results.ending]
    table["won"] = results.won
    for score in run.plan.scores:
        try:
            scores = run.make("score", score).column(results)
        except SweepstakesError as error:
            warnings.warn(f"{run.directory}: no column for the score {score}: {error}", stacklevel=3)
            continue
        table[f"score_{score}" if score in COUNTS else score] = scores
    table |= {name: getattr(results, name) for name in COUNTS}
    return table | {"fault": results.fault, "seconds": columns.seconds}


def _texts(values: Sequence[str]) -> npt.NDArray[np.object_]:
    """Texts as an array of Python strings: they share memory, and data frames take them for texts."""
    array = np.empty(len(values), np.object_)
    array[:] = values
    return array
