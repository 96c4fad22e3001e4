"""Where boards come from: a source, and one board of it by number."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

from sweepstakes.errors import PositionError
from sweepstakes.game.board import Board
from sweepstakes.game.rng import derive
from sweepstakes.game.rules import Rules
from sweepstakes.game.size import Size


class BoardSource(ABC):
    """Makes boards; the same arguments give the same board for ever, on every machine."""

    version: ClassVar[int] = 1
    """Raised when the same arguments begin to give another board."""

    @abstractmethod
    def board(self, seed: int, number: int, size: Size, protected: tuple[int, ...]) -> Board:
        """The board number `number` of its size, made from the 64-bit `seed`, with no mine on a protected cell.

        `protected` lists flat indices (row x columns + column). A source that draws from the seed need not look at the
        number.
        """

    def check(self, size: Size, boards: int, rules: Rules) -> None:  # noqa: B027 - most have nothing to say
        """`PositionError` if boards 0 to `boards` - 1 of this size cannot be had under these rules.

        Asked once, before anything is played. Every source can do everything unless it says otherwise here.
        """

    def contents(self) -> str:
        """A digest of what its boards depend on besides seed and parameters, such as files: part of their identity."""
        return ""


def board_seed(label: str, size: Size, tournament_seed: int, number: int) -> int:
    """The seed of a tournament's board; `label` names the source with its parameters."""
    return derive("board", tournament_seed, label, *size, number)


def where(number: int, seed: int) -> str:
    """Which game it is, as messages about a fault say it."""
    return f" in game {number} (seed {seed})"


class BoardRef(NamedTuple):
    """One board that can be made again at any time, except for what the first click protects."""

    source: BoardSource
    size: Size
    seed: int
    """Decides the board: a hash of the tournament's seed, the source, the size and the number."""
    number: int = 0
    label: str = "given"
    """The source with its parameters."""
    tournament_seed: int = 0

    @classmethod
    def of(cls, source: BoardSource, label: str, size: Size, tournament_seed: int, number: int) -> BoardRef:
        """Board `number` of a tournament. `label` names the source with its parameters."""
        seed = board_seed(label, size, tournament_seed, number)
        return cls(source, size, seed, number, label, tournament_seed)

    def board(self, protected: tuple[int, ...] = ()) -> Board:
        """The board, with no mine on the protected cells (flat indices)."""
        board = self.source.board(self.seed, self.number, self.size, protected)
        rows, cols, mines = self.size
        if type(board) is Board and type(board.layout) is bytes:
            layout = board.layout
            fits = board.rows == rows and board.cols == cols and len(layout) == rows * cols
            mined = layout.translate(None, b"\0")  # what is left without the zeros
            if fits and mined == b"\1" * mines and not (protected and any(layout[cell] for cell in protected)):
                return board
        raise PositionError(f"{type(self.source).__name__} {self._complaint(board, protected)}")

    def _complaint(self, board: Board, protected: tuple[int, ...]) -> str:
        """What is wrong with what the source made."""
        if not isinstance(board, Board):
            return f"made a {type(board).__name__}, expected a Board"
        if (board.rows, board.cols, board.layout.count(1)) != self.size:
            return f"made a board of {board.size}, expected {self.size}"
        layout = board.layout
        if type(layout) is not bytes or not layout.count(0) + layout.count(1) == len(layout) == self.size.cells:
            return f"made a board whose layout is not {self.size.cells} bytes of 0 and 1"
        return "put a mine where the first click is safe"


class FixedBoard(BoardSource):
    """The one board it was made with."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def board(self, seed: int, number: int, size: Size, protected: tuple[int, ...]) -> Board:
        """The given board, whatever the seed."""
        return self._board
