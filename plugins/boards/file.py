"""`file`: boards read from files."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from sweepstakes import Board, BoardSource, PositionError, Rng, Rules, Size, hookimpl
from sweepstakes.errors import located
from sweepstakes.game.board_formats import board_files, read_board
from sweepstakes.game.board_urls import board_from_url
from sweepstakes.untrusted.files import is_url


class FileBoards(BoardSource):
    """Boards from files (.txt, .mbf, .json) or addresses: board k is the k-th of a file, a list of files or a folder.

    A board is played as written, unless the first click is protected and hits a mine. Then the mine moves to a free
    cell drawn from the board's seed. (Some programs use the first free cell, which would tell an agent where to look.)
    """

    version = 1

    def __init__(self, path: str | Sequence[str]) -> None:
        paths = [path] if isinstance(path, str) else list(path)
        self._files: list[str | Path] = []
        for name in paths:
            self._files += [name] if is_url(name) else board_files(Path(name))
        if not self._files:
            raise PositionError("file: the list of boards is empty")
        self._boards = [read_board(file) if isinstance(file, Path) else board_from_url(file) for file in self._files]

    def contents(self) -> str:
        """Return a digest of the boards."""
        return hashlib.sha256("\n\n".join(map(str, self._boards)).encode()).hexdigest()[:12]

    def check(self, size: Size, boards: int, rules: Rules) -> None:
        """Raise `PositionError` if there are fewer than `boards` boards or one of them has another size."""
        for number in range(boards):
            self._find(number, size)

    def board(self, seed: int, number: int, size: Size, protected: tuple[int, ...]) -> Board:
        """Return the board as written, with mines on protected cells moved to free cells drawn from the seed."""
        board = self._find(number, size)
        caught = [cell for cell in protected if board.layout[cell]]
        if not caught:
            return board
        free = [cell for cell, mine in enumerate(board.layout) if not mine and cell not in protected]
        Rng(seed).shuffle(free)
        layout = bytearray(board.layout)
        for cell, other in zip(caught, free, strict=False):
            layout[cell], layout[other] = 0, 1
        return Board(board.rows, board.cols, bytes(layout))

    def _find(self, number: int, size: Size) -> Board:
        if number >= len(self._boards):
            raise PositionError(
                f"there is no board number {number}: the source has {len(self._boards)}, counted from 0"
            )
        board = self._boards[number]
        if board.size != size:
            raise PositionError(f"{located(self._files[number])} is a board of {board.size}, expected {size}")
        return board


@hookimpl
def sweepstakes_boards() -> Mapping[str, Callable[..., BoardSource]]:
    """Offer `file`."""
    return {"file": FileBoards}
