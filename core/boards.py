"""Board sources, and references to single boards."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import ClassVar, NamedTuple

from sweepstakes.errors import PluginError, PositionError, SweepstakesError
from sweepstakes.game.board import Board
from sweepstakes.game.rng import derive
from sweepstakes.game.rules import Rules
from sweepstakes.game.size import Size
from sweepstakes.untrusted.exceptions import describe_error


class BoardSource(ABC):
    """Makes boards. The same arguments always give the same board, on every machine."""

    version: ClassVar[int] = 1
    """The version of a built-in source, increased when it makes other boards; others are identified by their files."""

    @abstractmethod
    def board(self, seed: int, number: int, size: Size, protected: tuple[int, ...]) -> Board:
        """Make board `number` of this size from the 64-bit `seed`, with no mine on a protected cell.

        `protected` lists flat indices (row x columns + column). The seed differs from board to board: a source that
        draws from the seed may ignore the number.
        """

    def check(self, size: Size, boards: int, rules: Rules) -> None:  # noqa: B027 - optional
        """Raise `PositionError` if the source cannot make boards 0 to `boards` - 1 of this size under these rules.

        Called once, before the first game. By default every size, number of boards and rule is accepted.
        """

    def contents(self) -> str:
        """Return a digest of further inputs of the boards, such as the text of files, or "" if there are no others.

        It is part of the identity of a board, in addition to the seed and the parameters of the source.
        """
        return ""


def board_seed(label: str, size: Size, tournament_seed: int, number: int) -> int:
    """Return the seed of one board of a tournament; `label` is the source with its parameters."""
    return derive("board", tournament_seed, label, *size, number)


def where(number: int, seed: int | None) -> str:
    """Return the number and seed of a game as the end of a message about a fault. A secret seed is None."""
    return f" in game {number}" if seed is None else f" in game {number} (seed {seed})"


class BoardRef(NamedTuple):
    """A reference to a board. The board is made once the first click is known, since that protects cells."""

    source: BoardSource
    size: Size
    seed: int
    """The seed of the board: a hash of the tournament's seed, the source, the size and the number."""
    number: int = 0
    label: str = "given"
    """The source with its parameters."""
    tournament_seed: int = 0
    secret: bool = False
    """Whether the seed is still secret. If so, no message contains it."""

    @classmethod
    def of(
        cls, source: BoardSource, label: str, size: Size, tournament_seed: int, number: int, *, secret: bool = False
    ) -> BoardRef:
        """Return the reference to board `number` of a tournament; `label` is the source with its parameters."""
        seed = board_seed(label, size, tournament_seed, number)
        return cls(source, size, seed, number, label, tournament_seed, secret)

    def where(self) -> str:
        """Return the number and seed of the game on this board, as the end of a message about a fault."""
        return where(self.number, None if self.secret else self.seed)

    def board(self, protected: tuple[int, ...] = ()) -> Board:
        """Make the board, with no mine on the protected cells (flat indices).

        Raise `PositionError` if the source returned something else.
        """
        try:
            board = self.source.board(self.seed, self.number, self.size, protected)
        except (SweepstakesError, MemoryError, RecursionError):
            raise
        except (Exception, SystemExit) as error:  # noqa: BLE001 - third-party code may raise anything
            raise PluginError(f"board source '{self.label}' raised {describe_error(error)}{self.where()}") from None
        rows, cols, mines = self.size
        if type(board) is Board and type(board.layout) is bytes:
            layout = board.layout
            fits = board.rows == rows and board.cols == cols and len(layout) == rows * cols
            nonzero = layout.translate(None, b"\0")
            if fits and nonzero == b"\1" * mines and not (protected and any(layout[cell] for cell in protected)):
                return board
        name = type(self.source).__name__ if self.label == "given" else f"board source '{self.label}'"
        raise PositionError(f"{name} {self._complaint(board, protected)}")

    def _complaint(self, board: Board, protected: tuple[int, ...]) -> str:
        """Describe what is wrong with the board that the source made."""
        if not isinstance(board, Board):
            return f"made a {type(board).__name__}, expected a Board"
        if (board.rows, board.cols, board.layout.count(1)) != self.size:
            return f"made a board of {board.size}, expected {self.size}"
        layout = board.layout
        if type(layout) is not bytes or not layout.count(0) + layout.count(1) == len(layout) == self.size.cells:
            return f"made a board whose layout is not {self.size.cells} bytes of 0 and 1"
        return "put a mine where the first click is safe"


class FixedBoard(BoardSource):
    """A source with a single, fixed board."""

    def __init__(self, board: Board) -> None:
        self._board = board

    def board(self, seed: int, number: int, size: Size, protected: tuple[int, ...]) -> Board:
        """Return the fixed board, whatever the arguments."""
        return self._board
