"""The packed games of a publication, `packed.jsonl.gz`: a line of JSON for each block, in the order of the plan.

A line has the keys of condition and agent, then the columns of the table `packed`, with `data` in base64.
"""

from __future__ import annotations

import gzip
import json
import zlib
from base64 import b64decode, b64encode
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from sweepstakes.errors import RunError
from sweepstakes.tournaments.storage.atomic_file import replacing
from sweepstakes.tournaments.storage.database import SOUND_COPY, run_errors
from sweepstakes.tournaments.storage.packed import PORTION, Block, blocks_of, read_stored
from sweepstakes.tournaments.storage.run_reader import RunReader
from sweepstakes.untrusted.text import clean

FILE = "packed.jsonl.gz"
_LONGEST_LINE = 1 << 24


def write_packed(run: RunReader, first: int, path: Path) -> None:
    """Write the packed games, and the games with rows on boards from `first` on. The same games give the same bytes.

    Agents whose games cannot be played again keep their rows.
    """
    with replacing(path) as part, part.open("wb") as raw, gzip.GzipFile("", "wb", 9, raw, mtime=0) as file:
        for condition, agent, block in _blocks(run, first):
            keys = run.conditions[condition].key, run.agents[agent].key
            data = b64encode(block.data).decode()
            file.write(json.dumps([*keys, *block[:3], block.head, data], separators=(",", ":")).encode() + b"\n")


def _blocks(run: RunReader, first: int) -> Iterator[tuple[int, int, Block]]:
    for condition in range(len(run.conditions)):
        for agent, entry in enumerate(run.agents):
            rows_from = first if entry.repeatable else run.config.games
            for start in range(0, run.config.games, PORTION):
                boards = range(start, min(start + PORTION, run.config.games))
                games = read_stored(run, condition, agent, boards, rows_from)
                for block in blocks_of(games) if games is not None else ():
                    yield condition, agent, block


def read_packed_lines(path: Path) -> Iterator[tuple[str, str, Block]]:
    """Yield the keys of condition and agent, and each block, unchecked. Raise `RunError` for the first invalid line."""
    number = 0
    with run_errors(path), gzip.open(path, "rb") as file:
        try:
            while line := file.readline(_LONGEST_LINE):
                number += 1
                condition, agent, first, last, step, head, data = json.loads(line)
                types: list[Any] = [str, str, int, int, int, str, str]
                if [type(each) for each in (condition, agent, first, last, step, head, data)] != types:
                    raise ValueError("values of other types")
                yield condition, agent, Block(first, last, step, head, b64decode(data, validate=True))
        except (ValueError, TypeError, EOFError, gzip.BadGzipFile, zlib.error, RecursionError) as error:
            raise RunError(f"{path}: line {max(number, 1)}: {clean(str(error), 200)}; {SOUND_COPY}") from None
