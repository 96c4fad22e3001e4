"""Many games of one kind, played in parallel. The environments step them."""

from __future__ import annotations

from collections.abc import Mapping
from operator import index
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.boards import BoardRef, board_seed
from sweepstakes.errors import ParameterError, PositionError, brief
from sweepstakes.game import referee_kernels
from sweepstakes.game.cell import Cell
from sweepstakes.game.codes import COVERED
from sweepstakes.game.game import VERDICTS, blank, count_result, deal
from sweepstakes.game.result import GameResult
from sweepstakes.game.rng import LARGEST_SEED
from sweepstakes.game.rules import CLASSIC, RULES, Rules
from sweepstakes.game.setup import EXACT_CLUES, UNIFORM
from sweepstakes.game.size import Size
from sweepstakes.game.view import View
from sweepstakes.learning import step_kernels
from sweepstakes.learning.rewards import Rewards, read_rewards
from sweepstakes.learning.seeds import stream
from sweepstakes.learning.step_kernels import (
    BOARD,
    DEALT,
    DISABLED,
    DONE,
    EPISODES,
    FIELDS,
    NEXT,
    REPORTED,
    TOURNAMENT,
    VERDICT,
)
from sweepstakes.registry.registry import Registry
from sweepstakes.spec import Spec

ENDINGS = np.array([str(VERDICTS.get(verdict) or "") for verdict in range(referee_kernels.FINISHED + 1)])
"""The ending of a game as text, by the verdict that is reported; "" while it goes on."""


class Stepped(NamedTuple):
    """The observations of all games after a step, in new arrays."""

    shown: npt.NDArray[np.int8]
    """[game, cell]: the codes of `View.shown`."""
    masks: npt.NDArray[np.bool_]
    """[game, action]"""
    rewards: npt.NDArray[np.float64]
    terminated: npt.NDArray[np.bool_]
    truncated: npt.NDArray[np.bool_]
    reports: npt.NDArray[np.int64]
    """[game, number]: the numbers of `REPORTED`."""
    ended: int
    """Number of games that ended in this step."""
    final_shown: npt.NDArray[np.int8]
    """[game, cell]: the last codes of games that ended and began again in the same step; undefined for other games.
    This array is reused in the next step."""
    final_reports: npt.NDArray[np.int64]


class GameKind(NamedTuple):
    """The settings that all games of an environment share. `of` raises `ParameterError` or `PositionError`."""

    size: Size
    rules: Rules
    source: Spec
    noise: Spec
    flags: bool

    @classmethod
    def of(
        cls,
        size: Size | str | None,
        rows: int | None,
        cols: int | None,
        mines: int | None,
        density: float | None,
        rules: Rules | Mapping[str, Any] | None,
        source: Spec | str | None,
        noise: Spec | str | None,
        flags: bool,
    ) -> GameKind:
        """Return the kind from the arguments of an environment."""
        if size is not None:
            if any(part is not None for part in (rows, cols, mines, density)):
                raise PositionError("expected a size, or rows and cols with mines or density, not both")
            size = Size.parse(size) if isinstance(size, str) else size
        elif rows is None or cols is None:
            raise PositionError("expected a size, or rows and cols with mines or density")
        else:
            size = Size.of(rows, cols, mines=mines, density=density)
        return cls(
            size,
            _read_rules(rules),
            Spec.parse(source) if isinstance(source, str) else source or UNIFORM,
            Spec.parse(noise) if isinstance(noise, str) else noise or EXACT_CLUES,
            bool(flags),
        )


def _read_rules(given: Rules | Mapping[str, Any] | None) -> Rules:
    if given is None:
        return CLASSIC
    if isinstance(given, Rules):
        return given
    unknown = [key for key in given if key not in Rules._fields]
    if unknown:
        raise ParameterError(f"no rule {brief(unknown[0])}: expected {', '.join(Rules._fields)}")
    return Rules.of(given, CLASSIC)


class Games:
    """`count` games of one kind. Each has its own stream of random numbers for its boards.

    Boards of the source `uniform` with exact clues are dealt by compiled code, others in Python, one by one.
    """

    def __init__(
        self,
        kind: GameKind,
        count: int,
        *,
        rewards: str | Mapping[str, float] | Rewards = "win",
        shaping: float = 0.0,
        gamma: float = 1.0,
        autoreset: int = DISABLED,
        registry: Registry | None = None,
    ) -> None:
        registry = registry or Registry.default()
        self.kind, self.count = kind, count
        self.size = size = kind.size
        self.actions = size.cells * (2 if kind.flags else 1)
        self._source = registry.source(kind.source)
        self._source.check(size, 1, kind.rules)
        self._label = str(kind.source.portable)
        self._noise = registry.noise(kind.noise)
        self._compiled = kind.source == UNIFORM and self._noise.exact
        planes, self._zero = blank(kind.rules, size, self._noise.floods)
        self._blank = np.frombuffer(bytearray(planes), np.int8)
        self._table = read_rewards(rewards, shaping, gamma)
        start = kind.rules.start
        self._start = -1 if start is None else start.row * size.cols + start.col
        first_click = RULES["first_click"].words.index(kind.rules.first_click)
        self._kind = np.array([size.mines, first_click, self._start, self._compiled, autoreset], np.int64)
        self._planes = np.empty((count, 3 * size.cells), np.int8)
        self._counters = np.empty((count, referee_kernels.ENTRIES), np.int64)
        self._states = np.zeros((count, FIELDS), np.int64)
        self._states[:, DONE] = 1
        self._bases = np.zeros(count, np.uint64)
        self._seeds = np.zeros(count, np.uint64)
        self._streams = np.zeros(count, object)
        self._tournaments = np.zeros(count, object)
        self._one = np.empty(1, np.int64)
        self._final_shown = np.empty((count, size.cells), np.int8)
        self._final_reports = np.empty((count, len(REPORTED)), np.int64)

    def seed(self, game: int, seed: int) -> None:
        """Give a game a new stream. Its next board is number 0 of the stream."""
        seed = _read_number(seed, "seed")
        self._bases[game] = stream(seed, self._label, self.size)
        self._streams[game] = seed
        self._states[game, EPISODES] = 0

    def take_from_tournament(self, game: int, seed: int, number: int) -> None:
        """Make a game begin with board `number` of a tournament with this seed."""
        self._tournaments[game] = seed = _read_number(seed, "tournament")
        number = _read_number(number, "board")
        self._source.check(self.size, number + 1, self.kind.rules)
        self._seeds[game] = board_seed(self._label, self.size, seed, number)
        self._states[game, BOARD], self._states[game, TOURNAMENT] = number, NEXT

    def begin(self, which: npt.NDArray[np.bool_]) -> None:
        """Begin new games where `which` is set, on the requested board of a tournament or on the next board of the
        stream."""
        arrays = (self._planes, self._counters, self._states, self._bases, self._seeds, self._kind)
        step_kernels.begin(*arrays, self._blank, self._zero, self._one, which)
        if not self._compiled and self._start >= 0:
            self._open_starts()

    def step(self, actions: npt.NDArray[np.int64]) -> Stepped:
        """Carry out one action in each game."""
        if not self._compiled:
            self._deal_for(actions)
        stepped = self._empty()
        ended = step_kernels.step(
            self._planes,
            self._counters,
            self._states,
            self._bases,
            self._seeds,
            self._kind,
            self._table,
            self._blank,
            self._zero,
            self._one,
            actions,
            *stepped[:6],
            self._final_shown,
            self._final_reports,
        )
        if ended < 0:
            raise ParameterError(f"action {_outside(actions, self.actions)}: expected 0 to {self.actions - 1}")
        if not self._compiled and self._start >= 0 and self._open_starts():
            self._show(stepped)
        return stepped._replace(ended=ended)

    def show(self) -> Stepped:
        """Return the observations of all games, without rewards."""
        stepped = self._empty()
        stepped.rewards.fill(0)
        stepped.terminated.fill(False)
        stepped.truncated.fill(False)
        self._show(stepped)
        return stepped

    def _show(self, stepped: Stepped) -> None:
        arrays = (self._planes, self._counters, self._states)
        step_kernels.show(*arrays, stepped.shown, stepped.masks, stepped.reports)

    def seeds(self) -> npt.NDArray[np.object_]:
        """Return the seed of the stream, or of the tournament, that each game's board is from."""
        taken = self._states[:, TOURNAMENT]
        return np.where(taken, self._tournaments, self._streams) if taken.any() else self._streams.copy()

    def result(self, game: int) -> GameResult | None:
        """Return the result of a game, None while it goes on."""
        ending = VERDICTS[int(self._states[game, VERDICT])]
        if ending is None:
            return None
        if not self._states[game, DEALT] and self._counters[game, referee_kernels.FLAGS]:
            self._deal(game, None)
        return count_result(self.size, ending, self._planes[game], self._counters[game])

    def view(self, game: int) -> View:
        """Return the view of a game, as agents see it."""
        return View(*self.size, self.kind.rules, self._noise, self._planes[game, : self.size.cells].tobytes())

    def is_done(self) -> npt.NDArray[np.bool_]:
        """Return which games have ended or have never begun."""
        return np.not_equal(self._states[:, DONE], 0)

    def _empty(self) -> Stepped:
        """Return new arrays for what all games show. Only the `final` arrays are reused from step to step."""
        n, cells = self.count, self.size.cells
        return Stepped(
            np.empty((n, cells), np.int8),
            np.empty((n, self.actions), np.bool_),
            np.empty(n),
            np.empty(n, np.bool_),
            np.empty(n, np.bool_),
            np.empty((n, len(REPORTED)), np.int64),
            0,
            self._final_shown,
            self._final_reports,
        )

    def _deal_for(self, actions: npt.NDArray[np.int64]) -> None:
        """Deal the boards of games whose first cell is opened now."""
        for game in np.flatnonzero((self._states[:, DEALT] == 0) & (self._states[:, DONE] == 0)):
            cell = int(actions[game])
            if 0 <= cell < self.size.cells and self._planes[game, cell] == COVERED:
                self._deal(int(game), Cell(*divmod(cell, self.size.cols)))

    def _open_starts(self) -> bool:
        """Deal the boards of games that begin with a start cell and open it. Return whether there were any."""
        games = np.flatnonzero((self._states[:, DEALT] == 0) & (self._states[:, DONE] == 0))
        for game in games:
            self._deal(int(game), self.kind.rules.start)
            arrays = self._planes[game], self._counters[game], self._states[game]
            step_kernels.open_start(*arrays, self._start, self._one)
        return bool(games.size)

    def _deal(self, game: int, first: Cell | None) -> None:
        """Make the board of a game in Python."""
        state, cells = self._states[game], self.size.cells
        seed = self._tournaments[game] if state[TOURNAMENT] else self._streams[game]
        ref = BoardRef(self._source, self.size, int(self._seeds[game]), int(state[BOARD]), self._label, seed)
        deal(ref, self.kind.rules, self._noise, first, self._planes[game, cells : 2 * cells])
        state[DEALT] = 1


def _read_number(value: Any, name: str) -> int:
    try:
        number = int(index(value))
    except TypeError:
        number = -1
    if not 0 <= number <= LARGEST_SEED:
        raise ParameterError(f"{name} {brief(value)}: expected a whole number, 0 or more")
    return number


def _outside(actions: npt.NDArray[np.int64], count: int) -> int:
    """Return the first action that does not exist."""
    return int(actions[(actions < 0) | (actions >= count)][0])
