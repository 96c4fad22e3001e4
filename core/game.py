"""The referee: one game from the first turn to the end."""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import lru_cache
from operator import index
from typing import Any

import numpy as np
import numpy.typing as npt

from sweepstakes import _kernels
from sweepstakes.board import Board
from sweepstakes.cell import Cell
from sweepstakes.deal import Deal, Given
from sweepstakes.errors import IllegalMove
from sweepstakes.noise import EXACT, Noise
from sweepstakes.result import Ending, GameResult
from sweepstakes.rng import derive
from sweepstakes.rules import Rules
from sweepstakes.shown import COVERED
from sweepstakes.size import Size
from sweepstakes.turn import Cells, Turn
from sweepstakes.view import View

_NOTHING = np.empty(0, np.int64)
_REASONS = ("proof", "guess", "random")
_SENTENCES = {
    _kernels.OUTSIDE: "which is not on the board",
    _kernels.OPEN: "which is already open",
    _kernels.DETONATED_BEFORE: "whose mine went off before",
    _kernels.FLAGGED: "which is flagged",
    _kernels.NOT_FLAGGED: "which is not flagged",
}


_COVERED = bytes([COVERED & 0xFF])


@lru_cache(maxsize=256)
def _check(rules: Rules, size: Size) -> None:
    """`PositionError` if there is no such game; asked for every game, answered once."""
    rules.check(size)


class Game:
    """Keeps the board from the agent, carries out its turns and counts.

    `agent` is the name that messages use. A game with first click `safe` or `opening` and no fixed start has no
    board before the first cell is opened.
    """

    def __init__(self, deal: Deal | Board, rules: Rules = Rules(), noise: Noise = EXACT, agent: str = "agent") -> None:
        if isinstance(deal, Board):
            deal = Deal(Given(deal), deal.size, 0)
        self.deal = deal
        self.rules = rules
        self.noise = noise
        self.agent = agent
        self.ending: Ending | None = None
        self.fault = ""
        self.guesses = 0
        self.fallbacks = 0
        self.turns: list[Turn] | None = None
        """The turns, in values that the agent does not hold, if somebody puts a list here; the last may be illegal."""
        rows, cols, mines = deal.size
        _check(rules, deal.size)
        self._head = (rows, cols, mines, rules, noise)
        self._cells = rows * cols
        self._asked = 0
        self._taken = 0
        self._safe = self._cells - mines
        self._ends = rules.on_mine == "end"
        self._floods = rules.flood and noise.floods
        self._shown = np.frombuffer(bytearray(_COVERED * self._cells), np.int8)  # faster than to allocate and fill
        self._marks = np.zeros(self._cells, np.int32)
        self._counters = np.zeros(7, np.int64)
        self._board: Board | None = None
        self._faces = self._shown  # until there is a board nothing is opened, so nothing is read
        if rules.start is not None:
            self._set_up(rules.start)
            self._take(_NOTHING, _NOTHING, np.array([rules.start.row * cols + rules.start.col]))
            self._counters[_kernels.TURNS] = self._counters[_kernels.ASKED] = 0
            self._marks[:] = 0
        elif rules.first_click == "any":
            self._set_up(None)
        self._close(*self._counters[_kernels.OPENED : _kernels.ASKED].tolist())

    @property
    def over(self) -> bool:
        """Whether the game has ended."""
        return self.ending is not None

    @property
    def board(self) -> Board:
        """The board. Only the referee's side of the table may look at it."""
        if self._board is None:
            if self.ending is None:
                raise RuntimeError("there is no board before the first cell is opened")
            self._set_up(None)
        assert self._board is not None
        return self._board

    def view(self) -> View:
        """What the agent may see now."""
        return View(*self._head, self._shown.tobytes())

    def take(self, turn: Turn) -> None:
        """Carry out a turn. `IllegalMove` at the first cell that breaks a rule; what came before it stands."""
        if self.ending is not None:
            raise self._illegal("moved after the end")
        if type(turn) is not Turn:  # a subclass could run code of its own in here
            raise self._illegal(f"answered {_brief(turn)}, which is not a Turn")
        if not isinstance(turn.why, str) or (why := str.__str__(turn.why)) not in _REASONS:
            raise self._illegal(f"gave the reason {_brief(turn.why)}: expected proof, guess or random")
        probability = None if turn.probability is None else self._probability(turn.probability)
        if turn.fallback is not False and not isinstance(turn.fallback, (bool, np.bool_)):
            raise self._illegal(f"gave the fallback {_brief(turn.fallback)}: expected True or False")
        evidence = None if turn.evidence is None else self._evidence(turn.evidence)
        to_unflag, unflag = self._flat(turn.unflag, "unflagged")
        to_flag, flag = self._flat(turn.flag, "flagged")
        to_open, opens = self._flat(turn.open, "opened")
        if self.turns is not None:
            self.turns.append(Turn(to_open, to_flag, to_unflag, turn.why, probability, evidence, bool(turn.fallback)))
        if not (unflag.size or flag.size or opens.size):
            self.ending = Ending.GAVE_UP
            return
        if self._taken >= self.most_turns:
            self.forfeit(Ending.STALLED, f"{self._who()} took more than {self.most_turns} turns{self.where()}")
            return
        if self._board is None and opens.size:
            first = int(opens[0])
            self._set_up(Cell(*divmod(first, self.deal.size.cols)) if 0 <= first < self._cells else None)
        verdict = self._take(unflag, flag, opens)
        self._taken, opened, detonated, flags, asked, which, place = self._counters.tolist()
        if asked > self._asked:
            self._asked = asked
            if why != "proof":
                self.guesses += 1
        if turn.fallback:
            self.fallbacks += 1
        if verdict != _kernels.LEGAL:
            done = ("unflagged", "flagged", "opened")[which]
            named = (to_unflag, to_flag, to_open)[which]
            if isinstance(named, np.ndarray):
                named = (turn.unflag, turn.flag, turn.open)[which]  # as the agent wrote it, before it became an int64
            cell = self._name(named, place)
            raise self._illegal(f"{done} {cell}, {_SENTENCES[verdict]},")
        self._close(opened, detonated, flags)

    @property
    def most_turns(self) -> int:
        """How many turns a game may take before it is called stalled."""
        return 4 * self._cells + 16

    def forfeit(self, ending: Ending, fault: str) -> None:
        """End the game by the agent's fault; what stands, stands."""
        self.ending = ending
        self.fault = fault

    def result(self) -> GameResult:
        """The finished game in numbers."""
        if self.ending is None:
            raise RuntimeError("the game is not over")
        turns, opened, detonated, flags, asked = self._counters[: _kernels.LIST].tolist()
        right = 0
        if flags:
            if self._board is None:
                self._set_up(None)
            right = int(_kernels.standing_flags(self._shown, self._faces))
        return GameResult(
            *self.deal.size,
            self.ending,
            opened,
            right,
            flags - right,
            detonated,
            turns,
            asked,
            self.guesses,
            self.fallbacks,
            self.fault,
        )

    def _set_up(self, first: Cell | None) -> None:
        """Make the board, with the protection that the first click asks for."""
        size, seed = self.deal.size, self.deal.seed
        self._board = self.deal.board(self.rules.protected(size, first) if first is not None else ())
        self._faces = self._board.faces()
        if not self.noise.exact:
            noise_seed = np.uint64(derive("noise", seed))
            _kernels.blur(self._faces, size.rows, size.cols, self.noise.table, noise_seed)

    def _take(self, unflag: npt.NDArray[np.int64], flag: npt.NDArray[np.int64], opens: npt.NDArray[np.int64]) -> int:
        rows, cols, _ = self.deal.size
        return _kernels.take(
            self._shown,
            self._faces,
            self._marks,
            self._counters,
            unflag,
            flag,
            opens,
            rows,
            cols,
            self._safe,
            self._floods,
            self._ends,
        )

    def _close(self, opened: int, detonated: int, flags: int) -> None:
        """End the game if it is over."""
        if self._ends:
            if detonated:
                self.ending = Ending.LOST
            elif opened == self._safe:
                self.ending = Ending.WON
        elif opened + detonated + flags == self._cells:
            self.ending = Ending.WON if opened == self._safe and not detonated else Ending.FINISHED

    def _flat(self, cells: Any, done: str) -> tuple[Cells, npt.NDArray[np.int64]]:
        """The cells of a turn, read once, as they were named and as flat indices; `IllegalMove` if they are none.

        Always copies: what the agent still holds may change, and a read-only array would be compiled for again.
        """
        if type(cells) is tuple and not cells:
            return (), _NOTHING
        if isinstance(cells, np.ndarray):
            if cells.ndim != 1 or (cells.size and cells.dtype.kind not in "iu"):
                raise self._illegal(f"{done} an array of {cells.dtype} {cells.shape}: expected flat integers")
            flat = cells.astype(np.int64) if cells.size else _NOTHING
            return flat, flat
        rows, cols, _ = self.deal.size
        try:
            named = tuple(Cell(int(index(row)), int(index(col))) for row, col in cells)
            places = [row * cols + col if 0 <= row < rows and 0 <= col < cols else -1 for row, col in named]
        except (Exception, SystemExit):  # noqa: BLE001 - the agent's own objects may raise anything
            raise self._illegal(f"{done} {_brief(cells)}: expected a list of (row, col) cells") from None
        return named, np.array(places, np.int64) if places else _NOTHING

    def _name(self, named: Cells, place: int) -> str:
        """How a message calls one of the cells that the agent named."""
        if not isinstance(named, np.ndarray):
            return str(named[place])
        flat = int(named[place])
        return str(Cell(*divmod(flat, self.deal.size.cols))) if 0 <= flat < self._cells else f"cell {flat}"

    def _probability(self, given: Any) -> float:
        try:
            if 0 <= given <= 1:
                return float(given)
        except (Exception, SystemExit):  # noqa: BLE001 - the agent's own objects may raise anything
            pass
        raise self._illegal(f"gave the probability {_brief(given)}: expected 0 to 1")

    def _evidence(self, given: Any) -> Mapping[Cell, tuple[Cell, ...]]:
        rows, cols, _ = self.deal.size
        try:
            evidence = {
                Cell(int(index(row)), int(index(col))): tuple(Cell(int(index(r)), int(index(c))) for r, c in clues)
                for (row, col), clues in given.items()
            }
        except (Exception, SystemExit):  # noqa: BLE001 - the agent's own objects may raise anything
            evidence = {Cell(-1, -1): ()}
        if not all(0 <= r < rows and 0 <= c < cols for cell, clues in evidence.items() for r, c in (cell, *clues)):
            raise self._illegal(f"gave the evidence {_brief(given)}: expected a mapping of cell -> cells")
        return evidence

    def _who(self) -> str:
        return f"agent '{self.agent}'"

    def where(self) -> str:
        """Which game this is, as messages say it."""
        return f" in game {self.deal.number} (seed {self.deal.seed})"

    def _illegal(self, what: str) -> IllegalMove:
        return IllegalMove(f"{self._who()} {what}{self.where()}")


def plain(text: str) -> str:
    """A stranger's text in one line, without what differs each time: where in memory a thing lies."""
    return re.sub(r" at 0x[0-9a-fA-F]+", "", " ".join(text.split()))


def _brief(thing: Any) -> str:
    """A stranger's object in a few characters, even if it refuses to be printed."""
    try:
        text = plain(repr(thing))
    except (Exception, SystemExit):  # noqa: BLE001 - the agent's own objects may raise anything
        text = f"a {type(thing).__name__}"
    return text if len(text) <= 60 else text[:57] + "..."
