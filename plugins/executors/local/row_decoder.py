"""Makes rows of the plain data that workers send, and trusts none of it."""

from __future__ import annotations

from typing import Any

from sweepstakes import Ending, GameResult
from sweepstakes.executor import Fixture, Row, Workload
from sweepstakes.game.result import ENDINGS, LONGEST_FAULT
from sweepstakes.game.size import Size
from sweepstakes.hosting.file_watch import read_files
from sweepstakes.hosting.written import read_output
from sweepstakes.plugins.executors.local.worker_slot import Task
from sweepstakes.untrusted.text import clean

WROTE_INTO_FILES = "wrote into the files of its process"


class RowDecoder:
    """Decodes and checks rows, and keeps the first rows of games that are being played a second time."""

    def __init__(self, workload: Workload) -> None:
        self._stage = workload
        self._first_rows: dict[Fixture, Row] = {}

    def decode(self, task: Task, index: int, data: tuple[Any, ...]) -> Row:
        """The row of the game at an index of the task; `ValueError` if the data are of another game.

        A row that no game can have was not written by the worker's own code: its agent crashed the game.
        """
        sent_index, result, *rest = data
        if sent_index != index:
            raise ValueError("rows out of order")
        fixture = task.fixture(index)
        try:
            row = self._decode_unchecked(fixture, result, rest)
            self._stage.check(row)
        except (TypeError, ValueError, LookupError, RecursionError):
            return self.forfeit(fixture, Ending.CRASH, WROTE_INTO_FILES, 0.0, 0.0)
        return row

    def _decode_unchecked(self, fixture: Fixture, result: Any, rest: list[Any]) -> Row:
        if isinstance(result, tuple):
            seconds, moves, took, output, files = rest
            ended = GameResult.from_row(Size(*result[0]), result[1])
            ended = ended._replace(fault=clean(ended.fault, LONGEST_FAULT))
            return Row(fixture, ended, seconds, moves, took, read_output(output), read_files(files))
        what, seconds, took = rest
        return self.forfeit(fixture, ENDINGS[result], clean(what), seconds, took)

    def forfeit(self, fixture: Fixture, ending: Ending, what: str, seconds: float, took: float) -> Row:
        """The row of a game that its agent lost because of what it did, as in "took more than 1 s for a turn"."""
        return self._stage.forfeit(fixture, ending, what, seconds)._replace(took=took)

    def keep_first_row(self, row: Row) -> None:
        """Keep the row of a game that is about to be played a second time; if one was kept before, that one stays."""
        self._first_rows.setdefault(row.fixture, row)

    def take_first_row(self, fixture: Fixture) -> Row | None:
        """The first row of a game that was being played a second time; from now on it is kept no longer."""
        return self._first_rows.pop(fixture, None)

    def merge_with_first_row(self, row: Row) -> Row:
        """The row, if its game was played once; else the game's first row, with the measures of the second playing.

        The measures are those of another game, and left out, if the two rows differ in anything else.
        """
        first = self.take_first_row(row.fixture)
        if first is None:
            return row
        measured = first.result._replace(measures=row.result.measures)
        return first._replace(result=measured, took=row.took) if measured == row.result else first
