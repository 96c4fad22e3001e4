"""The vector environment: one compiled call steps many games."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium.vector import VectorEnv
from gymnasium.vector.utils import batch_space

from sweepstakes.errors import ParameterError, brief
from sweepstakes.game.referee_kernels import WON
from sweepstakes.game.rules import Rules
from sweepstakes.game.size import Size
from sweepstakes.learning.autoreset import MODES, AutoresetMode
from sweepstakes.learning.encoding import Encoding, encode_codes, mask_codes
from sweepstakes.learning.environment import MinesweeperEnv, check_render_mode, read_options
from sweepstakes.learning.games import ENDINGS, GameKind, Games, Stepped
from sweepstakes.learning.rendering import draw
from sweepstakes.learning.rewards import Rewards
from sweepstakes.learning.spaces import action_space, observation_space
from sweepstakes.registry.registry import Registry
from sweepstakes.spec import Spec

_NUMBERS = ("won", "opened", "turns", "invalid", "detonated", "seed", "board", "ending", "action_mask")
_MASKS = tuple(f"_{key}" for key in _NUMBERS)
"""The keys of the arrays that say which games have a number."""


class MinesweeperVectorEnv(VectorEnv[Any, Any, Any]):
    """`num_envs` games of `MinesweeperEnv`, stepped together. With seed s, game i is the single game of seed s + i.

    All arguments are those of `MinesweeperEnv`. `info` has arrays: `won`, `opened`, `turns`, `invalid`, `detonated`,
    `seed`, `board`, `ending` (text, empty while a game goes on) and `action_mask`. In the mode SAME_STEP games that
    ended are in `final_obs` and `final_info`, as Gymnasium's own vector environments have them.
    """

    def __init__(
        self,
        num_envs: int = 1,
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
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
        render_mode: str | None = None,
        registry: Registry | None = None,
    ) -> None:
        super().__init__()
        if num_envs < 1:
            raise ParameterError(f"num_envs {brief(num_envs)}: expected 1 or more")
        check_render_mode(render_mode)
        self.num_envs = num_envs
        self.encoding: Encoding = encoding
        self.render_mode = render_mode
        self.autoreset_mode = AutoresetMode(autoreset_mode)
        self.metadata = {**MinesweeperEnv.metadata, "autoreset_mode": self.autoreset_mode}
        kind = GameKind.of(size, rows, cols, mines, density, rules, source, noise, flags)
        self.games = Games(
            kind,
            num_envs,
            rewards=rewards,
            shaping=shaping,
            gamma=gamma,
            autoreset=MODES[self.autoreset_mode],
            registry=registry,
        )
        self.single_action_space = action_space(self.games)
        self.single_observation_space = observation_space(self.games, encoding)
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._masks = np.zeros((num_envs, self.games.actions), np.bool_)
        self._all = np.ones(num_envs, np.bool_)
        self._all.flags.writeable = False
        self._streamed = False

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin a game in each place, or only where `options["reset_mask"]` is set.

        A seed s gives the games the seeds s, s + 1, ...; a list gives each game a seed of its own. With the options
        `tournament` and `board`, game i begins with board `board` + i of that tournament; the games after it are those
        of its stream.
        """
        given = dict(options or {})
        which = self._which(given.pop("reset_mask", None))
        taken = read_options(given)
        if seed is None and not self._streamed:
            seed = int(self.np_random.integers(1 << 62))
        seeds = [seed + i for i in range(self.num_envs)] if isinstance(seed, int | np.integer) else seed
        if seeds is not None:
            if len(seeds) != self.num_envs:
                raise ParameterError(f"{len(seeds)} seeds: expected {self.num_envs}, one for each game")
            for game in np.flatnonzero(which).tolist():
                if (own := seeds[game]) is not None or not self._streamed:
                    self.games.seed(game, int(self.np_random.integers(1 << 62)) if own is None else own)
            self._streamed = True
        if taken is not None:
            for game in np.flatnonzero(which).tolist():
                self.games.take_from_tournament(game, taken[0], taken[1] + game)
        self.games.begin(which)
        stepped = self.games.show()
        return self._observe(stepped.shown, stepped.masks), self._info(stepped)

    def step(
        self, actions: Any
    ) -> tuple[Any, npt.NDArray[np.float64], npt.NDArray[np.bool_], npt.NDArray[np.bool_], dict[str, Any]]:
        """Carry out one action in each game. A game that begins again in this step ignores its action."""
        chosen = np.ascontiguousarray(actions, np.int64)
        if chosen.shape != (self.num_envs,):
            raise ParameterError(f"actions of shape {chosen.shape}: expected {self.num_envs}, one for each game")
        if not self._streamed or (self.autoreset_mode is AutoresetMode.DISABLED and self.games.is_done().any()):
            raise ParameterError("a game is over or has not begun: call reset()")
        seeds = self.games.seeds()
        stepped = self.games.step(chosen)
        info = self._info(stepped)
        if stepped.ended and self.autoreset_mode is AutoresetMode.SAME_STEP:
            self._add_final(stepped, seeds, info)
        return (
            self._observe(stepped.shown, stepped.masks),
            stepped.rewards,
            stepped.terminated,
            stepped.truncated,
            info,
        )

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions are allowed now, [game, action]."""
        return self._masks.copy()

    def render(self) -> tuple[Any, ...] | None:
        """Return the boards as texts (`ansi`) or as pictures (`rgb_array`)."""
        if self.render_mode is None:
            return None
        views = map(self.games.view, range(self.num_envs))
        return tuple(str(view) if self.render_mode == "ansi" else draw(view) for view in views)

    def _which(self, mask: Any) -> npt.NDArray[np.bool_]:
        if mask is None:
            return np.ones(self.num_envs, np.bool_)
        if not (isinstance(mask, np.ndarray) and mask.dtype == np.bool_ and mask.shape == (self.num_envs,)):
            raise ParameterError(f"reset_mask {brief(mask)}: expected a boolean array of {self.num_envs}")
        return mask

    def _observe(self, shown: npt.NDArray[np.int8], masks: npt.NDArray[np.bool_]) -> Any:
        self._masks = masks
        return self._encode(shown, masks)

    def _encode(self, shown: npt.NDArray[np.int8], masks: npt.NDArray[np.bool_] | None) -> Any:
        boards = shown.reshape(-1, *self.games.size[:2])
        if self.encoding == "codes":
            return boards  # these are new arrays already
        return encode_codes(boards, self.games.size.mines, self.encoding, flags=self.games.kind.flags, mask=masks)

    def _info(self, stepped: Stepped) -> dict[str, Any]:
        info = self._numbers(stepped.reports, self.games.seeds(), stepped.masks.copy())
        return info | dict.fromkeys(_MASKS, self._all)

    def _numbers(self, reports: npt.NDArray[np.int64], seeds: Any, masks: Any) -> dict[str, Any]:
        opened, turns, invalid, detonated, board, verdict = reports.T.copy()
        return {
            "won": verdict == WON,
            "opened": opened,
            "turns": turns,
            "invalid": invalid,
            "detonated": detonated,
            "seed": seeds,
            "board": board,
            "ending": ENDINGS[verdict],
            "action_mask": masks,
        }

    def _add_final(self, stepped: Stepped, seeds: Any, info: dict[str, Any]) -> None:
        """Add the last observations and numbers of the games that ended, in Gymnasium's form."""
        ended = stepped.terminated | stepped.truncated
        places = np.flatnonzero(ended)
        shown = stepped.final_shown[places]
        masks, reports = np.zeros_like(stepped.masks), np.zeros_like(stepped.reports)
        masks[places] = mask_codes(shown.reshape(-1, *self.games.size[:2]), flags=self.games.kind.flags)
        reports[places] = stepped.final_reports[places]
        last = self._encode(shown, None)
        if isinstance(last, dict):
            last = [{key: part[row] for key, part in last.items()} for row in range(places.size)]
        observations = np.empty(self.num_envs, object)
        for place, observation in zip(places.tolist(), last, strict=True):
            observations[place] = observation
        final = self._numbers(reports, seeds, masks)
        info["final_info"] = final | dict.fromkeys(_MASKS, ended)
        info["final_obs"] = observations
        info["_final_info"] = info["_final_obs"] = ended
