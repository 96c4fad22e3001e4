"""The Gymnasium environment of one game."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from sweepstakes.errors import ParameterError, brief
from sweepstakes.game.referee_kernels import WON
from sweepstakes.game.rules import Rules
from sweepstakes.game.size import Size
from sweepstakes.learning.encoding import Encoding, encode_codes
from sweepstakes.learning.games import GameKind, Games, Stepped
from sweepstakes.learning.rendering import draw
from sweepstakes.learning.rewards import Rewards
from sweepstakes.learning.spaces import action_space, observation_space
from sweepstakes.registry.registry import Registry
from sweepstakes.spec import Spec

RENDER_MODES = ("ansi", "rgb_array")
_ONE = np.ones(1, np.bool_)


class MinesweeperEnv(gymnasium.Env[Any, np.int64]):
    """Minesweeper by the rules of the referee, one cell per step.

    The size is `size` ("expert", "16x30/99"), or `rows` and `cols` with `mines` or `density`. `rules` is a `Rules` or a
    mapping of the rules that differ from classic Minesweeper, where the first mine ends the game and the first click is
    safe. `source` and `noise` are names with parameters, as in a tournament file.

    Action `row x cols + col` opens a cell. With `flags`, there are rows x cols further actions that set or remove a
    flag. An action that is not allowed changes nothing, pays `invalid` and is counted. An episode is truncated after
    4 x cells + 16 steps.
    """

    metadata = {"render_modes": list(RENDER_MODES), "render_fps": 4}  # noqa: RUF012 - as Gymnasium declares it

    def __init__(
        self,
        size: Size | str | None = None,
        *,
        rows: int | None = None,
        cols: int | None = None,
        mines: int | None = None,
        density: float | None = None,
        rules: Rules | Mapping[str, Any] | None = None,
        source: Spec | str | None = None,
        noise: Spec | str | None = None,
        flags: bool = False,
        encoding: Encoding = "codes",
        rewards: str | Mapping[str, float] | Rewards = "win",
        shaping: float = 0.0,
        gamma: float = 1.0,
        render_mode: str | None = None,
        registry: Registry | None = None,
    ) -> None:
        check_render_mode(render_mode)
        kind = GameKind.of(size, rows, cols, mines, density, rules, source, noise, flags)
        self.games = Games(kind, 1, rewards=rewards, shaping=shaping, gamma=gamma, registry=registry)
        self.encoding: Encoding = encoding
        self.render_mode = render_mode
        self.action_space = action_space(self.games)
        self.observation_space = observation_space(self.games, encoding)
        self._shape = kind.size[:2]
        self._action = np.zeros(1, np.int64)
        self._mask = np.zeros(self.games.actions, np.bool_)
        self._streamed = False
        self._seed: Any = None
        self._over = True

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin a game: game 0 of the seed's own stream, or without a seed the next game of the stream.

        `options={"tournament": s, "board": k}` deals board k of a tournament with the seed s instead.
        """
        super().reset(seed=seed)
        if seed is None and not self._streamed:
            seed = int(self.np_random.integers(1 << 62))
        if seed is not None:
            self.games.seed(0, seed)
            self._streamed = True
        taken = read_options(options)
        if taken is not None:
            self.games.take_from_tournament(0, *taken)
        self.games.begin(_ONE)
        self._seed = self.games.seeds()[0]
        self._over = False
        stepped = self.games.show()
        return self._observe(stepped), self._info(stepped)

    def step(self, action: np.int64 | int) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Carry out an action."""
        if self._over:
            raise ParameterError("the game is over or has not begun: call reset()")
        self._action[0] = action
        stepped = self.games.step(self._action)
        terminated, truncated = bool(stepped.terminated[0]), bool(stepped.truncated[0])
        info = self._info(stepped)
        if stepped.ended:
            self._over = True
            result = self.games.result(0)
            if result is not None:
                info["result"] = result._asdict() | {"ending": str(result.ending), "measures": {}}
        return self._observe(stepped), float(stepped.rewards[0]), terminated, truncated, info

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions are allowed now. sb3-contrib calls this method by its name."""
        return self._mask.copy()

    def render(self) -> Any:
        """Return the board as text (`ansi`) or as a picture (`rgb_array`)."""
        if self.render_mode is None:
            return None
        view = self.games.view(0)
        return str(view) if self.render_mode == "ansi" else draw(view)

    def _observe(self, stepped: Stepped) -> Any:
        shown = stepped.shown[0].reshape(self._shape)
        self._mask = mask = stepped.masks[0]
        if self.encoding == "codes":
            return shown  # already a new array
        return encode_codes(shown, self.games.size.mines, self.encoding, flags=self.games.kind.flags, mask=mask)

    def _info(self, stepped: Stepped) -> dict[str, Any]:
        opened, turns, invalid, _, board, verdict = stepped.reports[0].tolist()
        return {
            "won": verdict == WON,
            "opened": opened,
            "turns": turns,
            "invalid": invalid,
            "seed": self._seed,
            "board": board,
            "action_mask": stepped.masks[0].copy(),
        }


def check_render_mode(mode: str | None) -> None:
    """Raise `ParameterError` if there is no such render mode."""
    if mode is not None and mode not in RENDER_MODES:
        raise ParameterError(f"render_mode {brief(mode)}: expected {' or '.join(RENDER_MODES)}")


def read_options(options: Mapping[str, Any] | None) -> tuple[Any, Any] | None:
    """Read the seed of a tournament and the number of a board from the options of a reset. None if neither is given."""
    given = dict(options or {})
    tournament, board = given.pop("tournament", None), given.pop("board", None)
    if given:
        raise ParameterError(f"no option {brief(next(iter(given)))}: expected tournament and board")
    if (tournament is None) != (board is None):
        raise ParameterError("expected the options tournament and board together")
    return None if tournament is None else (tournament, board)
