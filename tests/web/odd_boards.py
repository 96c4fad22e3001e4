"""A board source that misbehaves as its parameter says, after writing the id of its process to a folder."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path

from sweepstakes import Board, BoardSource, Size, hookimpl


class Odd(BoardSource):
    """Hangs in C, ends its process, prints, or raises."""

    def __init__(self, traces: str, what: str) -> None:
        self.traces = traces
        self.what = what

    def board(self, seed: int, number: int, size: Size, protected: tuple[int, ...]) -> Board:
        Path(self.traces, str(os.getpid())).touch()
        if self.what == "hang":
            return 9**9**9  # type: ignore[no-any-return]  # no other thread of Python runs meanwhile
        if self.what == "exit":
            os._exit(3)
        if self.what == "raise":
            raise KeyError("no idea")
        print("a board of", size, flush=True)
        os.write(1, b"for you\n")
        return Board.of(size.rows, size.cols, [divmod(cell, size.cols) for cell in range(size.mines)])


@hookimpl
def sweepstakes_boards() -> Mapping[str, Callable[..., BoardSource]]:
    return {"odd": Odd}
