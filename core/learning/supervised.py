"""Positions met in play, with the exact mine probability of every cell: data for supervised learning."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.agent import start_agent
from sweepstakes.errors import ParameterError, PositionError
from sweepstakes.game.game import Game
from sweepstakes.game.result import Ending
from sweepstakes.game.rules import Rules
from sweepstakes.game.setup import EXACT_CLUES, UNIFORM
from sweepstakes.game.size import Size
from sweepstakes.inference import Status, posterior_under_rules
from sweepstakes.learning.seeds import episode_board
from sweepstakes.registry.registry import Registry
from sweepstakes.registry.spec import Spec

CLASSIC = Rules("end", "safe")
EXACT = Spec("exact")


class Positions(NamedTuple):
    """Positions in the order in which they were met, game by game. The first index of every array is the position."""

    shown: npt.NDArray[np.int8]
    """[n, rows, cols]: the codes of `View.shown`."""
    probability: npt.NDArray[np.float32]
    """[n, rows, cols]: the exact mine probability of covered and flagged cells, nan elsewhere."""
    certain: npt.NDArray[np.int8]
    """[n, rows, cols]: 1 where no layout that agrees has a mine, 2 where every one has, else 0."""
    exact: npt.NDArray[np.bool_]
    """[n]: whether the probabilities are exact; otherwise the sum was over budget and some clues were left out."""
    game: npt.NDArray[np.int32]
    """[n]: the number of the game."""
    turn: npt.NDArray[np.int32]
    """[n]: the turns of the game before the position."""
    won: npt.NDArray[np.bool_]
    """[n]: whether the game was won in the end."""
    mines: int
    """The mines of the board."""

    def save(self, path: str | Path) -> None:
        """Write the arrays under their names to a compressed `.npz` file."""
        np.savez_compressed(path, **self._asdict())

    @classmethod
    def load(cls, path: str | Path) -> Positions:
        """Read what `save` wrote; `PositionError` if the file is something else."""
        try:
            with np.load(path, allow_pickle=False) as file:
                return cls(*(int(file[name]) if name == "mines" else file[name] for name in cls._fields))
        except (KeyError, ValueError, TypeError, EOFError) as error:
            raise PositionError(f"{path}: not a file of positions: {error}") from None


def positions(
    count: int,
    size: Size | str = "expert",
    seed: int = 0,
    *,
    agent: Spec | str = EXACT,
    rules: Rules = CLASSIC,
    source: Spec = UNIFORM,
    noise: Spec = EXACT_CLUES,
    registry: Registry | None = None,
) -> Positions:
    """`count` positions that the agent meets in the games of a seed, which are games of no tournament.

    Every view that the agent answers is a position, but the first one of a game whose first click is safe by the rules:
    no board is dealt by then. The last game may be cut off. The same arguments give the same positions.
    """
    size = Size.parse(size) if isinstance(size, str) else size
    registry = registry or Registry.default()
    if count < 1:
        raise ParameterError(f"{count} positions: expected 1 or more")
    shape = (count, size.rows, size.cols)
    found = Positions(
        np.empty(shape, np.int8),
        np.empty(shape, np.float32),
        np.empty(shape, np.int8),
        np.empty(count, np.bool_),
        np.empty(count, np.int32),
        np.empty(count, np.int32),
        np.zeros(count, np.bool_),
        size.mines,
    )
    filled = 0
    for number, game in enumerate(_games(size, seed, rules, source, noise, registry)):
        begin = filled
        player = start_agent(registry.agent(Spec.parse(agent) if isinstance(agent, str) else agent), game.agent_seed)
        turn = 0
        while not game.over:
            view = game.view()
            belief = posterior_under_rules(view, trust_flags=False)
            if belief.decision.status is not Status.INCONSISTENT and belief.log_layouts == belief.log_layouts:
                if filled < count:
                    found.shown[filled] = view.shown
                    found.probability[filled] = belief.probability
                    found.certain[filled] = belief.certain
                    found.exact[filled] = belief.status is Status.OK
                    found.game[filled], found.turn[filled] = number, turn
                    filled += 1
            game.take(player.act(view))
            turn += 1
        found.won[begin:filled] = game.ending is Ending.WON
        if filled == count:
            return found
    raise AssertionError


def _games(
    size: Size, seed: int, rules: Rules, source: Spec, noise: Spec, registry: Registry
) -> Iterator[Game]:
    made, label, clue_noise = registry.source(source), str(source.portable), registry.noise(noise)
    number = 0
    while True:
        yield Game(episode_board(made, label, size, seed, number), rules, clue_noise)
        number += 1
