"""Adds packed games of other runs to a run, and divides the packed games of a finished run into even blocks."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Sequence
from functools import partial
from math import isclose, isnan

import numpy as np

from sweepstakes.errors import RunError
from sweepstakes.executor import Fixture
from sweepstakes.game.faults import FORFEITED
from sweepstakes.game.result import GameResult
from sweepstakes.limits import Limits
from sweepstakes.tournaments.storage.database import run_errors
from sweepstakes.tournaments.storage.packed import (
    LIMITED,
    PORTION,
    PackedGames,
    Packer,
    blocks_of,
    read_portions,
    read_stored,
    store_block,
)
from sweepstakes.tournaments.storage.run_reader import RunReader
from sweepstakes.tournaments.storage.run_writer import RunWriter


def pack_result(run: RunReader, fixture: Fixture, result: GameResult) -> PackedGames:
    """Return one game in packed form, even if it keeps its row."""
    agent, condition, number = fixture
    return Packer(run.plan, partial(run.make, "score")).games(condition, agent, [number], [result])


def difference(one: PackedGames, other: PackedGames) -> str:
    """Describe how two records of a game differ, with the two values, or return "" if they agree.

    Both have one game, on the same board. Values that either lacks are ignored. Measured scores may differ by rounding.
    """
    faults = [next((kind for kind, _ in each.faults.values()), "no fault") for each in (one, other)]
    if faults[0] != faults[1]:
        return f"{faults[0]}, not {faults[1]}"
    for name, values in one.columns.items():
        if name in other.columns:
            a, b = float(values[0]), float(other.columns[name][0])
            if not (isnan(a) and isnan(b)) and not isclose(a, b, rel_tol=1e-9, abs_tol=1e-9):
                return f"{name.removeprefix('.')} {a:g}, not {b:g}"
    return ""


def merge_packed(writer: RunWriter, runs: Sequence[RunReader]) -> None:
    """Store the packed games of other runs of the same plan, in the transaction that stores their rows.

    Raise `RunError` if two runs have different results of one game. Forfeits after time-outs are left out, as for rows.
    """
    for run in runs:
        for condition, agent in _pairs(run):
            limits = _lowest_limits(run, condition, agent)
            for games in read_portions(run, condition, agent):
                new = games.without(n for n, (kind, _) in games.faults.items() if kind == FORFEITED)
                known = _known(writer, condition, agent, new)
                for number in np.intersect1d(new.numbers, known.numbers).tolist():
                    one, other = (each.at(each.numbers == number) for each in (known, new))
                    if how := difference(one, other):
                        name = writer.name(Fixture(agent, condition, number))
                        what = f"{how} as in {run.directory}"
                        raise RunError(f"game {name} has two results, {what}: nothing is merged; leave one run out")
                for block in blocks_of(new.without(known.numbers)):
                    store_block(writer.db, writer.block(condition, agent), block, limits)


def import_packed(
    writer: RunWriter, run: RunReader, left_out: Collection[str]
) -> Iterator[tuple[int, int, PackedGames]]:
    """Store the packed games of another run or a publication that are in the plan and have all its scores.

    Yield condition, agent and games of what was stored. Leave out games that may end differently on another machine.
    """
    conditions = {c.key: i for i, c in enumerate(writer.conditions)}
    agents = {entry.key: i for i, entry in enumerate(writer.agents) if entry.key not in left_out}
    for condition, agent in _pairs(run):
        keys = run.conditions[condition].key, run.agents[agent].key
        if keys[0] not in conditions or keys[1] not in agents:
            continue
        place = conditions[keys[0]], agents[keys[1]]
        for games in read_portions(run, condition, agent):
            if not set(writer.plan.scores) <= games.columns.keys():
                break
            limited = [number for number, (kind, _) in games.faults.items() if kind in LIMITED]
            lacking = games.numbers[games.columns[".missing"] > 0]
            known = _known(writer, *place, games).numbers
            new = games.at(games.numbers < writer.config.games).without([*limited, *lacking, *known])
            for block in blocks_of(new):
                store_block(writer.db, writer.block(*place), block, None)
            if len(new.numbers):
                yield *place, new


def compact(writer: RunWriter) -> None:
    """Divide the packed games of a run into even blocks, independent of the chunks that workers played."""
    changed = False
    for condition, agent in _pairs(writer):
        ids = writer.block(condition, agent)
        sql = "select count(*), max(id) from packed where condition = ? and agent = ?"
        ((count, last),) = writer.query(sql, ids)
        if count <= -(-writer.config.games // PORTION):
            continue
        with run_errors(writer.file, "written"), writer.db:
            limits = _lowest_limits(writer, condition, agent)
            blocks = [block for games in read_portions(writer, condition, agent) for block in blocks_of(games)]
            for block in blocks:
                store_block(writer.db, ids, block, limits)
            writer.db.execute("delete from packed where condition = ? and agent = ? and id <= ?", [*ids, last])
        changed = True
    if changed:
        writer.shrink()


def _pairs(run: RunReader) -> Iterator[tuple[int, int]]:
    """Yield the places of conditions and agents."""
    return ((condition, agent) for condition in range(len(run.conditions)) for agent in range(len(run.agents)))


def _known(writer: RunWriter, condition: int, agent: int, games: PackedGames) -> PackedGames:
    """Return the stored counterparts of `games`, from rows or packed games of the run."""
    if not len(games.numbers):
        return games
    boards = range(int(games.numbers[0]), int(games.numbers[-1]) + 1)
    known = read_stored(writer, condition, agent, boards)
    return games.at(np.zeros(len(games.numbers), np.bool_)) if known is None else known


def _lowest_limits(run: RunReader, condition: int, agent: int) -> str | None:
    """Return the lowest limits of packed games that reached a limit, or None if no game did."""
    sql = "select distinct limits from packed where condition = ? and agent = ? and limits is not null"
    found = [Limits(*json.loads(text)) for (text,) in run.query(sql, run.block(condition, agent))]
    lowest = [min((limit for limit in each if limit is not None), default=None) for each in zip(*found, strict=True)]
    return json.dumps(lowest) if found else None
