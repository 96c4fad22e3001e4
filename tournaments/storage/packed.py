"""Packed games: the scores of many games in one block, instead of their rows and turns.

With `keep_boards: N` the games on the first N boards of each condition keep rows and turns. For all others a worker
sends a block per chunk, which the table `packed` stores unchanged. A block has a column of numbers for each score of
the tournament and for each of `COUNTS`, and the faults by the index of the game. `head` is JSON:

    {"limited": false, "columns": [["win", "won"], ["win-adjusted", "won-micro"], ...],
     "faults": [[12, "error", "agent ..."], ...]}

`data` is the columns one after the other, compressed by zlib. Nothing is lost: an encoding is used only if it restores
each number to the last bit. With w = 1 for a won game and 0 for any other, the integers k of four bytes mean:

    won         w, no bytes               whole       -k
    bits        0 or 1, a bit each        micro       -k / 1,000,000
    float       eight bytes each          won-micro   w - k / 1,000,000, as a score less its luck

The lowest k is a missing number. If several blocks contain a game, the last one counts. A row overrides blocks.
"""

from __future__ import annotations

import json
import sqlite3
import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.errors import RunError
from sweepstakes.executor import Chunk, Finished, Fixture, PackedRows, Row
from sweepstakes.game.faults import FORFEITED, is_forfeit, stored_kind
from sweepstakes.game.result import LONGEST_FAULT, Ending, GameResult
from sweepstakes.game.result_columns import ResultColumns
from sweepstakes.limits import Limits
from sweepstakes.score import MAX_SCORE, Score, rate
from sweepstakes.tournaments import game_counts
from sweepstakes.tournaments.game_counts import count_games
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.storage.database import SOUND_COPY
from sweepstakes.tournaments.storage.run_reader import RunReader
from sweepstakes.untrusted.text import clean

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Mask = npt.NDArray[np.bool_]
COUNTS = (".won", *(f".{name}" for name in game_counts.COUNTS))
"""Columns besides the scores: whether the game was won, and what tables count."""
TIMED_OUT = (str(Ending.TIME_OUT), FORFEITED)
"""The kinds of faults of games that took too long."""
LIMITED = (*TIMED_OUT, str(Ending.MEMORY))
"""The kinds of faults that higher limits may prevent."""
PORTION = 8192
"""The number of boards in a block of a finished run."""
_MISSING = -(1 << 31)
_MICRO = {"whole": 1.0, "micro": 1e6, "won-micro": 1e6}
"""The encodings as integers, with their scales."""
_LONGEST_HEAD = 1 << 24


class PackedGames(NamedTuple):
    """Games of one agent under one condition. Only their scores are known."""

    numbers: Ints
    """The boards, ascending."""
    columns: Mapping[str, Floats]
    """The numbers by name: a score, or one of `COUNTS`. NaN is missing."""
    faults: Mapping[int, tuple[str, str]]
    """The kind and the message of each fault, by board. Only the first fault of a kind in a block has a message."""

    def score(self, run: RunReader, name: str) -> Floats:
        """Return the scores of this name. Raise `RunError` if they were not packed."""
        if name not in self.columns:
            raise run.needs_row(f"the score {name}")
        return self.columns[name]

    def at(self, chosen: Mask) -> PackedGames:
        """Return some of the games."""
        numbers = self.numbers[chosen]
        left = set(numbers.tolist()) if self.faults else ()
        faults = {number: fault for number, fault in self.faults.items() if number in left}
        return PackedGames(numbers, {name: column[chosen] for name, column in self.columns.items()}, faults)

    def without(self, numbers: Any) -> PackedGames:
        """Return the games that are not on the boards `numbers`."""
        return self.at(~np.isin(self.numbers, np.asarray(list(numbers), np.int64)))


class Block(NamedTuple):
    """Packed games as they are stored: a row of the table `packed`."""

    first: int
    last: int
    step: int
    head: str
    data: bytes

    @classmethod
    def of(cls, packed: PackedRows) -> Block:
        """Convert the block that a worker packed."""
        return cls(packed.chunk.first, packed.chunk.last, packed.chunk.step, packed.head, packed.data)

    @property
    def boards(self) -> range:
        """The boards of the games."""
        return range(self.first, self.last, self.step)


class Packer:
    """Packs the games of a plan that keep no rows. `make` creates a score by its name."""

    def __init__(self, plan: Plan, make: Callable[[str], Score]) -> None:
        self._plan = plan
        keep = plan.config.keep_boards
        self._packed = [keep is not None and entry.repeatable for entry in plan.entries]
        self._keep = keep or 0
        self._make = make

    @cached_property
    def _scores(self) -> dict[str, Score]:
        return {name: self._make(name) for name in self._plan.scores}

    def packs(self, fixture: Fixture) -> bool:
        """Return whether the game keeps no row. Games that cannot be played again always keep theirs."""
        return self._packed[fixture.agent] and fixture.number >= self._keep

    def pack(self, finished: Iterable[Finished]) -> list[Finished]:
        """Pack the rows that are not kept.

        The boards in a block are evenly spaced, and forfeits have separate blocks.
        """
        kept: list[Finished] = []
        rows: list[Row] = []
        for each in finished:
            if isinstance(each, Row) and self.packs(each.fixture):
                rows.append(each)
            else:
                kept.append(each)
        for (agent, condition, _), group in groupby(rows, lambda row: (*row.fixture[:2], is_forfeit(row.result))):
            played = {row.fixture.number: row for row in group}
            for boards in evenly_spaced(sorted(played)):
                chunk = Chunk(agent, condition, boards.start, boards.stop, boards.step)
                kept.append(self._block(chunk, [played[number] for number in boards]))
        return kept

    def _block(self, chunk: Chunk, rows: Sequence[Row]) -> PackedRows:
        games = self.games(chunk.condition, chunk.agent, chunk.numbers, [row.result for row in rows])
        block = encode(games, chunk.numbers)
        ranking = games.columns[self._plan.scores[0]]
        known = ranking[~np.isnan(ranking)]
        noted = tuple(row for row in rows if row.output or row.files)
        took = sum(row.took for row in rows)
        return PackedRows(chunk, block.head, block.data, took, len(known), float(known.sum()), noted)

    def games(self, condition: int, agent: int, numbers: Sequence[int], results: Sequence[GameResult]) -> PackedGames:
        """Return the games on these boards in packed form."""
        fixtures = [Fixture(agent, condition, number) for number in numbers]
        rows = ResultColumns.of(results)
        columns = {
            name: rate(score, name, rows, lambda place: self._plan.title(fixtures[place]))
            for name, score in self._scores.items()
        }
        columns[".won"] = rows.won.astype(np.float64)
        counts = count_games(rows, list(self._scores.values()), self._plan.conditions[condition].noise)
        columns |= {f".{name}": column for name, column in counts.items()}
        faults = {
            fixture.number: (stored_kind(result), result.fault)
            for fixture, result in zip(fixtures, results, strict=True)
            if result.ending.is_fault
        }
        return PackedGames(np.array(numbers, np.int64), columns, faults)


def evenly_spaced(numbers: Sequence[int]) -> Iterator[range]:
    """Divide ascending numbers into ranges."""
    start = 0
    while start < len(numbers):
        step = numbers[start + 1] - numbers[start] if start + 1 < len(numbers) else 1
        stop = start + 1
        while stop < len(numbers) and numbers[stop] - numbers[stop - 1] == step:
            stop += 1
        yield range(numbers[start], numbers[stop - 1] + 1, step if stop > start + 1 else 1)
        start = stop


def blocks_of(games: PackedGames) -> Iterator[Block]:
    """Yield the games as blocks."""
    for boards in evenly_spaced(games.numbers.tolist()):
        yield encode(games.at((games.numbers >= boards.start) & (games.numbers < boards.stop)), boards)


def encode(games: PackedGames, boards: range) -> Block:
    """Return the games, which are on exactly these boards, as a block."""
    won = games.columns[".won"]
    columns, parts, seen, faults = [], [], set(), []
    for name, values in games.columns.items():
        encoding, part = _encode_column(values, won if name != ".won" else None)
        columns.append([name, encoding])
        parts.append(part)
    for number, (kind, message) in sorted(games.faults.items()):
        faults.append([boards.index(number), kind, "" if kind in seen else message])
        seen.add(kind)
    limited = bool(games.columns[".missing"].any()) or not seen.isdisjoint(LIMITED)
    head = json.dumps({"limited": limited, "columns": columns, "faults": faults}, separators=(",", ":"))
    return Block(boards.start, boards.stop, boards.step, head, zlib.compress(b"".join(parts)))


def _encode_column(values: Floats, won: Floats | None) -> tuple[str, bytes]:
    if won is not None and np.array_equal(values, won):
        return "won", b""
    if np.isin(values, (0.0, 1.0)).all():
        return "bits", np.packbits(values == 1).tobytes()
    missing = np.isnan(values)
    for encoding, scale in _MICRO.items():
        base = won if encoding == "won-micro" else np.zeros(len(values))
        if base is not None:
            whole = np.rint((base - values) * scale)
            known = np.abs(whole) < -_MISSING  # False for missing values
            if (missing | (known & (base - whole / scale == values))).all():
                return encoding, np.where(missing, _MISSING, whole).astype("<i4").tobytes()
    return "float", values.astype("<f8").tobytes()


def decode(block: Block) -> PackedGames:
    """Return the games of a block. Raise `ValueError` with the reason if it is damaged."""
    boards, n = block.boards, len(block.boards)
    head = read_head(block)
    names, encodings = zip(*head["columns"], strict=True)
    sizes = [{"won": 0, "bits": -(-n // 8), "float": 8 * n}.get(encoding, 4 * n) for encoding in encodings]
    unpacker = zlib.decompressobj()
    try:
        data = unpacker.decompress(block.data, sum(sizes) + 1)
    except zlib.error as error:
        raise ValueError(f"data that zlib refuses: {error}") from None
    if len(data) != sum(sizes) or not unpacker.eof:
        raise ValueError(f"{len(data):,} bytes of data, expected {sum(sizes):,}")
    ends = np.cumsum(sizes).tolist()
    parts = {name: data[end - size : end] for name, size, end in zip(names, sizes, ends, strict=True)}
    encoding_of = dict(zip(names, encodings, strict=True))
    won = _decode_column("bits", parts[".won"], n, np.zeros(0))
    columns = {name: _decode_column(encoding_of[name], part, n, won) for name, part in parts.items()}
    for name, column in columns.items():
        if not (np.isnan(column) | (np.abs(column) <= MAX_SCORE)).all():
            raise ValueError(f"a value of {clean(name, 60)} that no score has")
    faults = {boards[place]: (kind, message) for place, kind, message in head["faults"]}
    return PackedGames(np.array(boards, np.int64), columns, faults)


def _decode_column(encoding: str, part: bytes, n: int, won: Floats) -> Floats:
    if encoding == "won":
        return won
    if encoding == "bits":
        return np.unpackbits(np.frombuffer(part, np.uint8), count=n).astype(np.float64)
    if encoding == "float":
        return np.frombuffer(part, "<f8").astype(np.float64)
    whole = np.frombuffer(part, "<i4")
    values = (won if encoding == "won-micro" else 0.0) - whole / _MICRO[encoding]
    return np.where(whole == _MISSING, np.nan, values)


def read_head(block: Block) -> dict[str, Any]:
    """Return the head of a block. Raise `ValueError` with the reason unless it describes games on its boards."""
    if not all(type(each) is int for each in block[:3]) or not 0 <= block.first < block.last or block.step < 1:
        raise ValueError("impossible boards")
    if type(block.head) is not str or type(block.data) is not bytes or len(block.head) > _LONGEST_HEAD:
        raise ValueError("a head or data of another type")
    try:
        head = json.loads(block.head)
        names = [name for name, encoding in head["columns"] if encoding in (*_MICRO, "won", "bits", "float")]
        faults = [
            type(kind) is type(message) is str and len(message) <= LONGEST_FAULT and 0 <= place < len(block.boards)
            for place, kind, message in head["faults"]
        ]
        sound = (
            type(head["limited"]) is bool
            and len(set(names)) == len(head["columns"])
            and set(COUNTS) <= set(names)
            and all(faults)
        )
    except (ValueError, TypeError, LookupError, RecursionError):
        sound = False
    if not sound or [".won", "bits"] not in head["columns"]:
        raise ValueError("a head that describes no games")
    return head  # type: ignore[no-any-return]


def stored_blocks(run: RunReader, condition: int, agent: int, boards: range) -> Iterator[tuple[Block, str | None]]:
    """Yield the blocks with games on these boards, oldest first, each with the limits of its games if they matter."""
    sql = (
        "select first, last, step, head, data, limits from packed "
        "where condition = ? and agent = ? and first < ? and last > ? order by id"
    )
    for *block, limits in run.query(sql, [*run.block(condition, agent), boards.stop, boards.start]):
        yield Block(*block), limits


def damaged(run: RunReader, condition: int, agent: int, error: ValueError) -> RunError:
    """Return the error for a block that cannot be read."""
    where = f"a packed block of {clean(run.agents[agent].label, 60)} under condition {condition + 1}"
    return RunError(f"{run.file}: damaged: {where} has {error}; {SOUND_COPY}")


def read_packed(run: RunReader, condition: int, agent: int, boards: range) -> PackedGames | None:
    """Return the packed games without a row on these boards (a range without gaps), or None."""
    found = None
    known = np.zeros(len(boards), np.bool_)
    columns: dict[str, Floats] = {}
    faults: dict[int, tuple[str, str]] = {}
    for block, _ in stored_blocks(run, condition, agent, boards):
        try:
            found = decode(block)
        except ValueError as error:
            raise damaged(run, condition, agent, error) from None
        found = found.at((found.numbers >= boards.start) & (found.numbers < boards.stop))
        places = found.numbers - boards.start
        for name in columns.keys() - found.columns.keys():
            columns[name][places] = np.nan
        for name, column in found.columns.items():
            columns.setdefault(name, np.full(len(boards), np.nan))[places] = column
        if faults and known[places].any():
            faults = {number: fault for number, fault in faults.items() if number not in set(found.numbers.tolist())}
        known[places] = True
        faults.update(found.faults)
    if found is None:
        return None
    rows = run.query(
        "select number from games where condition = ? and agent = ? and number >= ? and number < ?",
        [*run.block(condition, agent), boards.start, boards.stop],
    )
    games = PackedGames(np.arange(boards.start, boards.stop), columns, faults).at(known)
    return games.without(number for (number,) in rows)


def read_stored(run: RunReader, condition: int, agent: int, boards: range, first: int = 0) -> PackedGames | None:
    """Return the games on these boards in packed form, including those that have a row if on boards from `first` on."""
    packed = read_packed(run, condition, agent, boards)
    numbers, _, results = run.results(condition, agent, range(max(first, boards.start), boards.stop))
    if not numbers:
        return packed
    rows = Packer(run.plan, partial(run.make, "score")).games(condition, agent, numbers, results)
    if packed is None:
        return rows
    order = np.argsort(both := np.concatenate([packed.numbers, rows.numbers]))
    names = packed.columns.keys() & rows.columns.keys()
    columns = {name: np.concatenate([packed.columns[name], rows.columns[name]])[order] for name in sorted(names)}
    return PackedGames(both[order], columns, {**packed.faults, **rows.faults})


def read_portions(run: RunReader, condition: int, agent: int) -> Iterator[PackedGames]:
    """Yield the packed games of an agent under a condition, without those that have a row, a portion at a time."""
    for start in range(0, run.config.games, PORTION):
        games = read_packed(run, condition, agent, range(start, min(start + PORTION, run.config.games)))
        if games is not None and len(games.numbers):
            yield games


class Standing(NamedTuple):
    """The stored games on some boards that need not be played again."""

    stands: Mask
    """Whether the game on each board counts, by the index of the board."""
    timed_out: set[int]
    """The boards whose games took too long."""


def packed_standing(
    run: RunReader, condition: int, agent: int, boards: range, limits: Limits, *, faults_again: bool
) -> Standing:
    """Return which packed games on these boards need not be played again, and which of these took too long.

    A game is played again if it lacks a score of the plan, or if it reached a limit that is higher now. With
    `faults_again`, it is also played again if it was lost by a fault.
    """
    found = Standing(np.zeros(len(boards), np.bool_), set())
    for block, text in stored_blocks(run, condition, agent, boards):
        try:
            head = read_head(block)
            raised = text is not None and is_raised(Limits(*json.loads(text)), limits)
            games = decode(block) if raised else None  # shows where a measure is missing
        except (ValueError, TypeError) as error:
            raise damaged(run, condition, agent, ValueError(error)) from None
        numbers = np.array(block.boards, np.int64)
        good = np.full(len(numbers), set(run.plan.scores) <= {name for name, _ in head["columns"]})
        if games is not None:
            good &= games.columns[".missing"] == 0
        for place, kind, _ in head["faults"]:
            good[place] &= not faults_again and not (raised and kind in LIMITED)
        inside = np.isin(numbers, boards) if boards.step > 1 else (numbers >= boards.start) & (numbers < boards.stop)
        found.stands[(numbers[inside] - boards.start) // boards.step] = good[inside]
        found.timed_out.difference_update(numbers.tolist() if found.timed_out else ())
        late = [place for place, kind, _ in head["faults"] if kind in TIMED_OUT]
        found.timed_out.update(block.boards[place] for place in late if good[place] and inside[place])
    return found


def timed_out_boards(packed: PackedRows) -> list[int]:
    """Return the boards of a block whose games took too long."""
    if '"faults":[]' in packed.head:
        return []
    return [packed.chunk.numbers[place] for place, kind, _ in json.loads(packed.head)["faults"] if kind in TIMED_OUT]


def true_ranges(mask: Mask) -> Iterator[range]:
    """Yield the ranges of indices where a mask is true."""
    edges = np.flatnonzero(np.diff(mask, prepend=False, append=False)).tolist()
    return (range(start, stop) for start, stop in zip(edges[::2], edges[1::2], strict=True))


def is_raised(then: Limits, now: Limits) -> bool:
    """Return whether any limit is higher in `now` or no longer set."""
    pairs: Iterable[tuple[Any, Any]] = zip(then, now, strict=True)
    return any(old is not None and (new is None or new > old) for old, new in pairs)


def store_block(db: sqlite3.Connection, ids: Sequence[int], block: Block, limits: str | None) -> None:
    """Store a block instead of earlier games on its boards. `ids` are the ids of its condition and agent.

    `limits` are the limits of the games, if games might end differently with higher limits.
    """
    kept = limits if block.head.startswith('{"limited":true') else None
    db.execute(
        "insert into packed (condition, agent, first, last, step, head, data, limits) values (?, ?, ?, ?, ?, ?, ?, ?)",
        [*ids, *block, kept],
    )
    db.execute(
        "delete from games where condition = ? and agent = ? and number >= ? and number < ? and (number - ?) % ? = 0",
        [*ids, block.first, block.last, block.first, block.step],
    )
