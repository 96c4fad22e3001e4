"""The referee: one game from the first turn to the end."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from sweepstakes.boards import BoardRef, FixedBoard
from sweepstakes.drawing.drawing import Drawing
from sweepstakes.drawing.svg import svg
from sweepstakes.errors import IllegalMove
from sweepstakes.game import referee_kernels
from sweepstakes.game.board import Board
from sweepstakes.game.cell import Cell
from sweepstakes.game.codes import COVERED
from sweepstakes.game.result import (
    Ending,
    GameResult,
    max_cells_in_turn,
    max_evidence_cells,
    max_named_cells,
    max_turns,
)
from sweepstakes.game.rng import derive, derive_keyed
from sweepstakes.game.rules import Rules
from sweepstakes.game.size import Size
from sweepstakes.game.turn import Named, Turn
from sweepstakes.game.turn_log import ALL_FLAT, CHANCE, PLACES, Log
from sweepstakes.game.untrusted_turn import NO_CELLS, UnreadableTurn, read_turn
from sweepstakes.game.view import View
from sweepstakes.noise import EXACT, Noise
from sweepstakes.untrusted.text import clean

_NO_LOG = np.empty(0, np.int64)
_NEW = tuple.__new__  # like View(...), in half the time
_SENTENCES = {
    referee_kernels.OUTSIDE: "which is not on the board",
    referee_kernels.OPEN: "which is already open",
    referee_kernels.DETONATED_BEFORE: "whose mine went off before",
    referee_kernels.FLAGGED: "which is flagged",
    referee_kernels.NOT_FLAGGED: "which is not flagged",
}
VERDICTS = {
    referee_kernels.GOES_ON: None,
    referee_kernels.WON: Ending.WON,
    referee_kernels.LOST: Ending.LOST,
    referee_kernels.FINISHED: Ending.FINISHED,
}


@lru_cache(maxsize=256)
def blank(rules: Rules, size: Size, floods: bool) -> tuple[bytes, npt.NDArray[np.int64]]:
    """Return the initial planes and counters of a game, to be copied. Raise `PositionError` if no such game exists."""
    rules.check(size)
    counters = np.zeros(referee_kernels.ENTRIES, np.int64)
    counters[referee_kernels.ROWS], counters[referee_kernels.COLS] = size.rows, size.cols
    counters[referee_kernels.SAFE] = size.cells - size.mines
    counters[referee_kernels.FLOODS] = rules.flood and floods
    counters[referee_kernels.LAST_MINE] = rules.last_mine
    counters[referee_kernels.MAX_TURNS] = max_turns(size.cells)
    return bytes([COVERED & 0xFF]) * size.cells + bytes(2 * size.cells), counters


def deal(ref: BoardRef, rules: Rules, noise: Noise, first: Cell | None, revealed: npt.NDArray[np.int8]) -> Board:
    """Make the board, with no mine on the cells that the first click protects.

    Write to `revealed` what each cell shows once opened.
    """
    size = ref.size
    board = ref.board(rules.protected(size, first) if first is not None else ())
    referee_kernels.count_mines(np.frombuffer(board.layout, np.uint8), size.rows, size.cols, revealed)
    if not noise.exact:
        seed = np.uint64(derive("noise", ref.seed))
        referee_kernels.blur(revealed, size.rows, size.cols, noise.table, seed)
    return board


def count_result(
    size: Size, ending: Ending, planes: npt.NDArray[np.int8], counters: npt.NDArray[np.int64], fault: str = ""
) -> GameResult:
    """Compute the result of a finished game from its arrays. A game with flags has a board that has been dealt."""
    turns, opened, detonated, flags, cells_clicked, guesses, fallbacks, *_ = counters.tolist()
    right = int(referee_kernels.standing_flags(planes, len(planes) // 3)) if flags else 0
    won = ending is Ending.WON and opened and counters[referee_kernels.FLOODS]
    return GameResult(
        *size,
        ending,
        opened=opened,
        right_flags=right,
        wrong_flags=flags - right,
        detonated=detonated,
        turns=turns,
        cells_clicked=cells_clicked,
        guesses=guesses,
        fallbacks=fallbacks,
        clicks=cells_clicked + int(counters[referee_kernels.FLAG_CLICKS]),
        three_bv=int(referee_kernels.three_bv(planes, size.rows, size.cols)) if won else 0,
        fault=fault,
    )


_text = lru_cache(maxsize=256)(str)
"""The rules as text, cached because every game needs it."""


def agent_seed(ref: BoardRef, rules: Rules, noise: Noise) -> int:
    """Return the seed of the agent's random numbers in a game. It is independent of the mines."""
    return derive_keyed(ref.tournament_seed, "agent", ref.label, *ref.size, _text(rules), noise.name, ref.number)


class Game:
    """The referee of one game: hides the board from the agent, carries out its turns and counts.

    `agent` is the agent's name in messages. With first click `safe` or `opening` and no fixed start, the board is made
    when the first cell is opened.
    """

    def __init__(
        self, board: BoardRef | Board, rules: Rules = Rules(), noise: Noise = EXACT, agent: str = "agent"
    ) -> None:
        ref = BoardRef(FixedBoard(board), board.size, 0) if isinstance(board, Board) else board
        self.board_ref = ref
        self._size = ref.size
        self.rules = rules
        self.noise = noise
        self.agent = agent
        self.ending: Ending | None = None
        self.fault = ""
        self.turns: list[Turn] | None = None
        """Set this to a list to record copies of all turns with their evidence. The last turn may be illegal."""
        self.log: Log | None = None
        """Set this to a log to record all turns without evidence, which is faster."""
        self._head = (*ref.size, rules, noise)
        planes, counters = blank(rules, ref.size, noise.floods)
        self._planes = np.frombuffer(bytearray(planes), np.int8)
        self._counters = counters.copy()
        self._cells = cells = len(planes) // 3
        self._most = max_cells_in_turn(cells)
        self._named = self._cited = 0
        """Number of cells named in all turns so far, and in their evidence."""
        self._shown = self._planes[:cells]
        self._board: Board | None = None
        if rules.start is not None:
            self._set_up(rules.start)
            start = self._flat((rules.start,))
            verdict = referee_kernels.take(self._planes, self._counters, _NO_LOG, NO_CELLS, NO_CELLS, start, 0)
            self.ending = VERDICTS.get(verdict)
            self._counters[referee_kernels.TURNS] = self._counters[referee_kernels.CLICKED] = 0
        else:
            if rules.first_click == "any":
                self._set_up(None)
            if rules.last_mine and ref.size.mines == cells:
                self.ending = Ending.WON

    def __repr__(self) -> str:
        """Describe the game in a line. Error messages may contain it, so it does not reveal the board."""
        turns = int(self._counters[referee_kernels.TURNS])
        state = f"{self.ending} after {turns} turn{'s' * (turns != 1)}" if self.ending else f"turn {turns}"
        return f"<Game {self._size}, {self.rules}, {self.noise.name}, {state}>"

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.ending is not None

    @property
    def board(self) -> Board:
        """The board. It contains the mines: never pass it to an agent."""
        if self._board is None:
            if self.ending is None:
                raise RuntimeError("there is no board before the first cell is opened")
            self._set_up(None)
        assert self._board is not None
        return self._board

    @property
    def agent_seed(self) -> int:
        """The seed of the agent's random numbers: the same for every agent, and independent of the mines."""
        return agent_seed(self.board_ref, self.rules, self.noise)

    def view(self) -> View:
        """Return the current view of the agent."""
        return _NEW(View, (*self._head, self._shown.tobytes()))

    def take(self, turn: Turn) -> None:
        """Carry out a turn. Raise `IllegalMove` at the first cell that breaks a rule; earlier cells stay changed.

        The turn comes from third-party code. If a part has the wrong type, or raises an exception while it is read,
        that is also an `IllegalMove`, and no cell changes. Only a lack of memory and the user's Ctrl-C are passed on.

        A turn may name up to `max_cells_in_turn` cells; longer lists are not read to their end. All turns together may
        name up to `max_named_cells`, so that an agent that flags and unflags everything in every turn cannot fill
        memory or disk.
        """
        if self.ending is not None:
            raise self._illegal("moved after the end")
        try:
            opens, flags, unflags, named, flat, why, probability, evidence, fallback = read_turn(
                turn, self._size, self._most
            )
        except UnreadableTurn as error:
            raise self._illegal(str(error)) from None
        self._named += named
        if self._named > self._most and self._named > max_named_cells(self._cells):
            raise self._illegal(f"named more than {max_named_cells(self._cells)} cells in all its turns")
        bits = PLACES[why]
        if self.turns is not None:
            if evidence is not None:
                self._cited += len(evidence) + sum(map(len, evidence.values()))
                if self._cited > max_evidence_cells(self._cells):
                    raise self._illegal(f"gave more than {max_evidence_cells(self._cells)} cells as evidence")
            self.turns.append(Turn(_copy(opens), _copy(flags), _copy(unflags), why, probability, evidence, fallback))
        if fallback:
            bits += referee_kernels.FALLBACK
        log = self.log
        if log is not None and probability is not None:
            bits += CHANCE
            log.chances.append(probability)
        log_array = _NO_LOG
        if flat and named:
            open_, flag, unflag = opens, flags, unflags
            if log is not None:  # the kernel records the turn
                bits += ALL_FLAT
                log_array = log.array
        else:
            if log is not None:
                log.add(opens, flags, unflags, bits, probability)
            if not named:
                self.ending = Ending.GAVE_UP
                return
            open_, flag, unflag = self._flat(opens), self._flat(flags), self._flat(unflags)
        if self._board is None and len(open_) and self._counters[referee_kernels.TURNS] < self.max_turns:
            first = int(open_[0])
            self._set_up(Cell(*divmod(first, self._size.cols)) if 0 <= first < self._cells else None)
        verdict = referee_kernels.take(self._planes, self._counters, log_array, unflag, flag, open_, bits)
        if verdict != referee_kernels.GOES_ON:
            while verdict == referee_kernels.LOG_FULL and log is not None:
                verdict = referee_kernels.take(self._planes, self._counters, log.grow(), unflag, flag, open_, bits)
            self._end(verdict, (unflags, flags, opens))

    def _end(self, verdict: int, named: tuple[Named, Named, Named]) -> None:
        """End the game according to the kernel's verdict. Raise `IllegalMove` if the turn broke a rule."""
        if verdict == referee_kernels.STALLED:
            self.forfeit(Ending.STALLED, f"{self._who()} took more than {self.max_turns} turns{self.where()}")
        elif verdict in VERDICTS:
            self.ending = VERDICTS[verdict]
        else:
            which, place = int(self._counters[referee_kernels.LIST]), int(self._counters[referee_kernels.PLACE])
            done = ("unflagged", "flagged", "opened")[which]
            raise self._illegal(f"{done} {self._name(named[which], place)}, {_SENTENCES[verdict]},")

    @property
    def max_turns(self) -> int:
        """The number of turns after which the game counts as stalled."""
        return int(self._counters[referee_kernels.MAX_TURNS])

    def forfeit(self, ending: Ending, fault: str) -> None:
        """End the game by a fault of the agent. Opened cells and flags stay as they are."""
        self.ending = ending
        self.fault = fault

    def result(self) -> GameResult:
        """Return the counts of the finished game."""
        if self.ending is None:
            raise RuntimeError("the game is not over")
        if self._board is None and self._counters[referee_kernels.FLAGS]:
            self._set_up(None)
        return count_result(self._size, self.ending, self._planes, self._counters, self.fault)

    def revealed(self, first: Cell | None) -> npt.NDArray[np.int8]:
        """Return what every cell would show once opened, row by row, given that `first` is opened first.

        This reveals the mines, so agents must never get it.
        """
        if self._board is None:
            self._set_up(first)
        return self._planes[self._cells : 2 * self._cells]

    def drawing(self) -> Drawing:
        """Return the drawing of the current view, with the mines once the game is over."""
        drawing = self.view().drawing()
        return drawing._replace(mines=self.board.layout) if self.over else drawing

    def _repr_svg_(self) -> str:
        return svg(self)

    def _set_up(self, first: Cell | None) -> None:
        """Make the board, with no mine on the cells that the first click protects."""
        revealed = self._planes[self._cells : 2 * self._cells]
        self._board = deal(self.board_ref, self.rules, self.noise, first, revealed)

    def _flat(self, cells: Named) -> npt.NDArray[np.int64]:
        """Return the flat indices of cells, and -1 for cells that are not on the board."""
        if not isinstance(cells, tuple):
            return cells
        rows, cols, _ = self._size
        places = [row * cols + col if 0 <= row < rows and 0 <= col < cols else -1 for row, col in cells]
        return np.array(places, np.int64)

    def _name(self, named: Named, place: int) -> str:
        """Return one of the cells that the agent named, as text for a message."""
        if isinstance(named, tuple):
            return str(named[place])
        flat = int(named[place])
        return str(Cell(*divmod(flat, self._size.cols))) if 0 <= flat < self._cells else f"cell {flat}"

    def _who(self) -> str:
        return f"agent '{clean(self.agent)}'"

    def where(self) -> str:
        """Return the number of the game, and its seed unless that is secret, as the end of a message."""
        return self.board_ref.where()

    def _illegal(self, what: str) -> IllegalMove:
        return IllegalMove(f"{self._who()} {clean(what)}{self.where()}")


def _copy(cells: Named) -> Named:
    return () if not len(cells) else cells if isinstance(cells, tuple) else cells.copy()
