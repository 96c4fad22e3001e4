"""Positions met in play, with the exact mine probability of every cell: data for supervised learning."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.agent import start_agent
from sweepstakes.errors import ParameterError, PositionError, located
from sweepstakes.game.game import Game
from sweepstakes.game.result import Ending
from sweepstakes.game.rules import CLASSIC, Rules
from sweepstakes.game.setup import EXACT_CLUES, UNIFORM
from sweepstakes.game.size import Size
from sweepstakes.game.view import View
from sweepstakes.inference import Posterior, Status, posterior_under_rules
from sweepstakes.learning.seeds import episode_board
from sweepstakes.registry.registry import Registry
from sweepstakes.spec import Spec
from sweepstakes.untrusted.files import write_file

EXACT = Spec("exact")
MAX_POSITIONS = 10_000_000
_MAX_EMPTY_GAMES = 1000
"""The search stops after this many games in a row without a suitable position."""


class Positions(NamedTuple):
    """Positions in the order in which they were met, game after game. They are the first index of every array."""

    shown: npt.NDArray[np.int8]
    """[n, rows, cols]: the codes of `View.shown`."""
    probability: npt.NDArray[np.float32]
    """[n, rows, cols]: the exact mine probability of covered and flagged cells, nan elsewhere. Flags are ignored."""
    certain: npt.NDArray[np.int8]
    """[n, rows, cols]: 1 if no consistent layout has a mine there, 2 if all of them have one, else 0."""
    exact: npt.NDArray[np.bool_]
    """[n]: whether the probabilities are exact. If not, the sum was too large and some clues were dropped."""
    game: npt.NDArray[np.int32]
    """[n]: the number of the game."""
    turn: npt.NDArray[np.int32]
    """[n]: how many turns of the game came before."""
    won: npt.NDArray[np.bool_]
    """[n]: whether the game was won in the end."""
    mines: int
    """The mines of every board."""

    def save(self, path: str | Path) -> None:
        """Write all fields under their names to a compressed `.npz` file, which numpy reads."""
        data = io.BytesIO()
        np.savez_compressed(data, **self._asdict())
        write_file(Path(path), data.getvalue(), PositionError)

    @classmethod
    def load(cls, path: str | Path) -> Positions:
        """Read a file that `save` wrote. Raise `PositionError` if it is not such a file."""
        try:
            with np.load(path, allow_pickle=False) as file:
                fields = {name: file[name] for name in cls._fields}
        except OSError as error:
            raise PositionError(f"{located(str(path))}: cannot be read: {error.strerror or error}") from None
        except (KeyError, TypeError, ValueError, EOFError, zipfile.BadZipFile) as error:
            raise PositionError(f"{located(str(path))}: not a file of positions: {error}") from None
        return cls(**(fields | {"mines": int(fields["mines"])}))


def positions(
    count: int,
    size: Size | str = "expert",
    seed: int = 0,
    *,
    agent: Spec | str = EXACT,
    rules: Rules = CLASSIC,
    source: Spec | str = UNIFORM,
    noise: Spec | str = EXACT_CLUES,
    registry: Registry | None = None,
) -> Positions:
    """Return `count` positions that a built-in agent meets in the games of a seed. No tournament plays these boards.

    Every view that the agent answers is a position. The exception is the first view of a game whose first click is safe
    by the rules, because its board has not been dealt yet. The last game may be cut short. The same arguments give the
    same positions.
    """
    if not 1 <= count <= MAX_POSITIONS:
        raise ParameterError(f"{count} positions: expected 1 to {MAX_POSITIONS:,}")
    size = Size.parse(size) if isinstance(size, str) else size
    shape = (count, size.rows, size.cols)
    found = Positions(
        np.empty(shape, np.int8),
        np.empty(shape, np.float32),
        np.empty(shape, np.int8),
        np.empty(count, np.bool_),
        np.empty(count, np.int32),
        np.empty(count, np.int32),
        np.empty(count, np.bool_),
        size.mines,
    )
    filled = last = 0
    registry = registry or Registry.default()
    for number, game in enumerate(_games(size, seed, rules, _spec(source), _spec(noise), registry)):
        begin = filled
        for turn, view, belief in _play(game, _spec(agent), registry):
            if filled < count and belief.status is not Status.INCONSISTENT and not math.isnan(belief.log_layouts):
                found.shown[filled] = view.shown
                found.probability[filled] = belief.probability
                found.certain[filled] = belief.certain
                found.exact[filled] = belief.status is Status.OK
                found.game[filled], found.turn[filled] = number, turn
                filled += 1
        found.won[begin:filled] = game.ending is Ending.WON
        last = number if filled > begin else last
        if filled == count:
            break
        if number - last >= _MAX_EMPTY_GAMES:
            raise PositionError(f"{_spec(agent)} meets no position on {size}: every game ends with the first turn")
    return found


def _spec(given: Spec | str) -> Spec:
    return Spec.parse(given) if isinstance(given, str) else given


def _games(size: Size, seed: int, rules: Rules, source: Spec, noise: Spec, registry: Registry) -> Iterator[Game]:
    """Yield the games of a seed, one after the other, without end."""
    dealer, label, clue_noise = registry.source(source), str(source.portable), registry.noise(noise)
    rules.check(size)
    number = 0
    while True:
        dealer.check(size, number + 1, rules)
        yield Game(episode_board(dealer, label, size, seed, number), rules, clue_noise)
        number += 1


def _play(game: Game, agent: Spec, registry: Registry) -> Iterator[tuple[int, View, Posterior]]:
    """Play a game to its end. Yield the number of each turn, the view before it, and its posterior."""
    player = start_agent(registry.agent(agent), game.agent_seed)
    turn = 0
    while not game.over:
        view = game.view()
        yield turn, view, posterior_under_rules(view, trust_flags=False)
        game.take(player.act(view))
        turn += 1
