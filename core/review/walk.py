"""Walk through a finished game and compare each cell with the exact posterior before it is opened or flagged.

The posterior is computed only where it is needed. What was certain once stays certain, whatever is shown later, and
compiled code keeps track of what single clues prove. The posterior is therefore
not computed for a cell that is known to be safe.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import exp, nan
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.game.cell import Cell, neighbours
from sweepstakes.game.codes import COVERED, FLAG
from sweepstakes.game.game import Game, blank
from sweepstakes.game.referee_kernels import MARKS, MINES_DETONATED, OPENED, REASON, SAFE
from sweepstakes.game.result import max_turns
from sweepstakes.game.size import Size
from sweepstakes.game.turn import REASONS, Cells, Turn, Why
from sweepstakes.game.turn_log import ALL_FLAT, CHANCE, Log, head_of
from sweepstakes.inference import Posterior, Status, posterior, weigh
from sweepstakes.inference.exact.layout import IGNORED
from sweepstakes.review import review_kernels
from sweepstakes.review.review_kernels import SURELY_MINE, SURELY_SAFE, go_on, possible_clues

Ints = npt.NDArray[np.int64]
REFEREE = -1
"""The turn in which the referee opens the start cell."""


class Uncertain(NamedTuple):
    """A cell that a turn opened or flagged although it was not certain, or not known to be certain."""

    turn: int
    flags: bool
    cell: int
    shown: bytes
    """The shown codes before the decision."""
    exact: bool
    """Whether the position was small enough for the exact sum. If not, only `mine` is known."""
    probability: float
    """The probability that the cell is a mine."""
    least: float
    """The lowest mine probability of all cells that were not open."""
    escape: bool
    """Whether a cell was certainly safe."""
    mine: bool
    """Whether it really is a mine."""
    after: int
    """Number of earlier decisions about certain cells."""

    @property
    def excess(self) -> float:
        """The risk above the lowest one; 0 for a flag, nan if the position is too large."""
        return 0.0 if self.flags else max(self.probability - self.least, 0.0)  # nan stays nan


class Reveal(NamedTuple):
    """An opening whose outcome depended on chance: the value of the outcome, minus its expectation."""

    turn: int
    survival: float
    """1 if the cell is safe, else 0, minus the probability that it is safe."""
    outlook: float
    """The safety of the best cell afterwards (0 after a mine) minus its expectation; 0 if it was not computed."""
    probability: float
    """The probability that the cell is a mine."""
    unknown: int
    """Cells that were not open before."""
    mines: int
    """Mines among them."""
    flags: int
    """Number of flags before it."""
    detonated: int
    """Mines that were detonated before."""
    excess: float
    """The risk above the lowest one, summed over the openings up to and including this one."""


class TurnArrays:
    """The turns of a game as arrays: the marks and the numbers of a log, with flat indices."""

    def __init__(self, turns: Sequence[Turn], size: Size) -> None:
        if isinstance(turns, Log) and not turns.odd and (turns.marks[::MARKS] & ALL_FLAT == ALL_FLAT).all():
            self.marks, self.numbers, chances = turns.marks, turns.numbers, turns.chances
        else:
            marks: list[int] = []
            lists = [np.empty(0, np.int64)]
            for turn in turns:
                lists += [_flat(cells, size) for cells in turn[:3]]
                marks += [head_of(turn.why, False, turn.probability), *map(len, lists[-3:])]
            self.marks, self.numbers = np.array(marks, np.int64), np.concatenate(lists)
            chances = [turn.probability for turn in turns if turn.probability is not None]
        self.marks = self.marks[: MARKS * max_turns(size.cells)]
        self.heads: list[int] = self.marks[::MARKS].tolist()
        stating = [number for number, head in enumerate(self.heads) if head & CHANCE]
        self.stated = dict(zip(stating, chances, strict=False))
        """The probability that a turn states, by the number of the turn."""

    def why(self, turn: int) -> Why:
        """Return the reason of a turn."""
        return REASONS[self.heads[turn] & REASON]


def _flat(cells: Cells, size: Size) -> Ints:
    """Return cells as flat indices, and -1 for cells that are not on the board."""
    if isinstance(cells, np.ndarray):
        return cells.astype(np.int64)
    rows, cols, _ = size
    return np.array([r * cols + c if 0 <= r < rows and 0 <= c < cols else -1 for r, c in cells], np.int64)


class Walk:
    """A walk through the turns of a game, which must not have begun. The results are in its attributes."""

    def __init__(self, game: Game, turns: Sequence[Turn], *, lookahead: bool = True, budget: int | None = None) -> None:
        self._game = game
        self._size = size = game.board_ref.size
        self._noise = None if game.noise.exact else game.noise.table
        self._lookahead = lookahead
        self._budget = budget
        planes, counters = blank(game.rules, size, game.noise.floods)
        self._planes = np.frombuffer(bytearray(planes), np.int8)
        self._counters = counters.copy()
        self._shown = self._planes[: size.cells]
        self._position = self._shown.reshape(size.rows, size.cols).view()
        self._position.flags.writeable = False
        self._sure = np.zeros(size.cells, np.int8)
        """By cell: 1 if certainly safe, 2 if certainly a mine, as far as it was computed."""
        self._protected: list[int] = []
        """Cells that are safe by the rule on the first click, even if no clue proves it."""
        self._posterior: Posterior | None = None
        """The posterior of the position, if it was computed since the last cell was opened."""
        self._at = np.zeros(review_kernels.ENTRIES, np.int64)
        self.uncertain: list[Uncertain] = []
        """The decisions about uncertain cells."""
        self.reveals: list[Reveal] = []
        self._excess = 0.0
        self.arrays = TurnArrays(turns, size)
        self._found = np.empty(2 * len(self.arrays.numbers), np.int64)
        self.opened = np.zeros(len(self.arrays.heads), np.int8)
        """By turn: whether it opened a cell by name, and whether the first one was certain (see `review_kernels`)."""
        self.left = np.full(len(self.arrays.heads), -1, np.int64)
        """By turn: the safe cells that were not open before it, -1 after the end of the game."""
        if game.rules.first_click == "any":
            self._planes[size.cells : 2 * size.cells] = game.revealed(None)
        else:
            self._at[review_kernels.PENDING] = 1
        if game.rules.start is not None:
            start = TurnArrays([Turn(open=[game.rules.start])], size)
            self._walk(start, np.empty(2, np.int64), np.zeros(1, np.int8), np.zeros(1, np.int64))
            self._at[:] = 0
            self.uncertain.clear()
            self.reveals = [reveal._replace(turn=REFEREE) for reveal in self.reveals]
        self._walk(self.arrays, self._found, self.opened, self.left)
        if self.uncertain and self.uncertain[0].flags and game.rules.start is None:
            self._complete_flags()

    @property
    def won(self) -> bool:
        """Whether the turns opened all safe cells and no mine."""
        opened, safe = self._counters[OPENED], self._counters[SAFE]
        return bool(opened == safe and not self._counters[MINES_DETONATED])

    @property
    def certain(self) -> list[list[int]]:
        """Decisions about certain cells: 2 x turn (plus 1 for a flag), and the cell."""
        pairs: list[list[int]] = self._found[: 2 * int(self._at[review_kernels.CERTAIN])].reshape(-1, 2).tolist()
        return pairs

    def certain_count(self, entry: int) -> int:
        """Return one of the counts of decisions about certain cells (see `review_kernels`)."""
        return int(self._at[entry])

    def _walk(self, turns: TurnArrays, found: Ints, opened: npt.NDArray[np.int8], left: Ints) -> None:
        planes, counters, sure, at = self._planes, self._counters, self._sure, self._at
        exact = self._noise is None
        while True:
            before = counters[OPENED] + counters[MINES_DETONATED]
            stopped = go_on(planes, counters, sure, exact, turns.marks, turns.numbers, at, found, opened, left)
            if counters[OPENED] + counters[MINES_DETONATED] != before:
                self._posterior = None
            if stopped == review_kernels.OVER:
                return
            turn, cell = int(at[review_kernels.TURN]), int(at[review_kernels.CELL])
            if stopped == review_kernels.FIRST:
                if not 0 <= cell < self._size.cells or self._shown[cell] != COVERED:
                    return
                self._protect(turn, cell)
                continue
            belief = self._belief()
            flags = stopped == review_kernels.JUDGE_FLAG
            if sure[cell] == (SURELY_MINE if flags else SURELY_SAFE):
                if not flags and opened[turn] == review_kernels.UNCERTAIN_OPENED:
                    self._correct(opened, turn)
                continue
            event = self._judge(turn, flags, cell, belief)
            self.uncertain.append(event)
            at[review_kernels.FORCE] = 1
            if event.exact and not flags:
                self._excess += event.excess
                self._reveal(turn, cell, event.probability, belief.log_layouts)

    def _correct(self, opened: npt.NDArray[np.int8], turn: int) -> None:
        """Record that the first cell of a turn was certain after all, unless an uncertain one was opened before it."""
        if not (self.uncertain and self.uncertain[-1].turn == turn and not self.uncertain[-1].flags):
            opened[turn] = review_kernels.NONE_OPENED

    def _protect(self, turn: int, first: int) -> None:
        """Make the board for a first click that the rules protect, and weigh what it may show."""
        self._at[review_kernels.PENDING] = 0
        self._posterior = None
        size = self._size
        where = Cell(*divmod(first, size.cols))
        self._planes[size.cells : 2 * size.cells] = self._game.revealed(where)
        protected = self._game.rules.protected(size, where)
        self._sure[list(protected)] = SURELY_SAFE
        if self._noise is not None:
            self._protected = [cell for cell in protected if cell != first]
        if len(protected) == 1 and self._lookahead:  # an opening has no mine around it, so its clue is known
            self._shown[first] = IGNORED
            weight = weigh(self._position, size.mines, self._noise, False, self._budget).log_layouts
            self._shown[first] = COVERED
            self._reveal(turn, first, 0.0, weight)

    def _complete_flags(self) -> None:
        """Fill in `mine` for the flags before the first click. When they were put, the board did not exist yet."""
        revealed = self._game.revealed(None)
        self.uncertain = [
            event._replace(mine=bool(revealed[event.cell] < 0)) if event.flags else event for event in self.uncertain
        ]

    def _belief(self) -> Posterior:
        """Return the posterior of the current position, and update `_sure` with it."""
        if self._posterior is None:
            self._posterior = posterior(
                self._known(), self._size.mines, noise=self._noise, trust_flags=False, budget=self._budget
            )
            np.maximum(self._sure, self._posterior.certain.reshape(-1), out=self._sure)
        return self._posterior

    def _known(self) -> npt.NDArray[np.int8]:
        """Return the shown codes, with cells marked as open if only the rule on the first click makes them safe."""
        covered = [cell for cell in self._protected if self._shown[cell] < 0] if self._protected else []
        if not covered:
            return self._position
        known = self._position.copy()
        known.reshape(-1)[covered] = IGNORED
        return known

    def _judge(self, turn: int, flags: bool, cell: int, belief: Posterior) -> Uncertain:
        size, shown, decision = self._size, self._shown, belief.decision
        after = int(self._at[review_kernels.CERTAIN])
        before = shown.tobytes()
        if self._at[review_kernels.PENDING]:  # a flag before the first click: any cell can be opened safely
            return Uncertain(turn, flags, cell, before, True, size.mines / size.cells, 0.0, True, False, after)
        mine = bool(self._planes[size.cells + cell] < 0)
        escape = bool(len(decision.safe)) or any(shown[other] < 0 for other in self._protected)
        if decision.status is not Status.OK:
            return Uncertain(turn, flags, cell, before, False, nan, nan, escape, mine, after)
        least = 0.0 if escape else decision.probability if decision.guess >= 0 else 1.0
        chance = 0.0 if self._sure[cell] == SURELY_SAFE else float(belief.probability.reshape(-1)[cell])
        return Uncertain(turn, flags, cell, before, True, min(chance, 1.0), min(least, 1.0), escape, mine, after)

    def _reveal(self, turn: int, cell: int, chance: float, weight: float) -> None:
        """Record the value of opening a cell, before it is opened."""
        size, shown = self._size, self._shown
        safe = bool(self._planes[size.cells + cell] >= 0)
        detonated = int(self._counters[MINES_DETONATED])
        outlook = self._outlook(cell, weight) if self._lookahead and not detonated else 0.0
        flags = int(np.count_nonzero(shown == FLAG))
        unknown = int(np.count_nonzero(shown == COVERED)) + flags
        self.reveals.append(
            Reveal(
                turn,
                safe - (1.0 - chance),
                outlook,
                chance,
                unknown,
                size.mines - detonated,
                flags,
                detonated,
                self._excess,
            )
        )

    def _outlook(self, cell: int, weight: float) -> float:
        """Return the safety of the best cell after opening the cell, minus its expectation; 0 if a sum is too large.

        Each clue that the cell may show leads to a position. Its weight divided by that of the current position is the
        probability of the clue. Cells that a flood opens in addition are ignored, since any function of the clue will
        do.
        """
        size, shown = self._size, self._shown
        truth = int(self._planes[size.cells + cell])
        clues: Sequence[int]
        if self._noise is None:
            fewest, most = possible_clues(shown, size.cols, self._sure, cell)
            clues = range(fewest, most + 1)
        else:  # the engine ignores a clue that no count can show
            around = len(neighbours(size.rows, size.cols, *divmod(cell, size.cols)))
            clues = np.flatnonzero(self._noise[around, : around + 1].any(axis=0)).tolist()
        outcome = expected = 0.0
        try:
            for clue in clues:
                shown[cell] = clue
                status, log_layouts, safety = weigh(self._known(), size.mines, self._noise, False, self._budget)
                if status is Status.INCONSISTENT:
                    continue
                if status is not Status.OK:
                    return 0.0
                expected += exp(log_layouts - weight) * safety
                if clue == truth:
                    outcome = safety
        finally:
            shown[cell] = COVERED
        return outcome - expected
