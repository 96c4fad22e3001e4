"""The vector environment for stable-baselines3, with masks for sb3-contrib."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
from stable_baselines3.common.vec_env import VecEnv

from sweepstakes.learning.autoreset import AutoresetMode
from sweepstakes.learning.vector_environment import MinesweeperVectorEnv

_FINAL = ("won", "opened", "turns", "invalid", "detonated", "seed", "board", "ending")


class StableBaselinesEnv(VecEnv):
    """`num_envs` compiled games as a `VecEnv`. The other arguments are those of `MinesweeperEnv`.

    The `info` of a game that has ended contains its numbers, `terminal_observation` and `TimeLimit.truncated`. For
    other games it is empty. `env_method` returns `action_masks`, as sb3-contrib expects.
    """

    def __init__(self, num_envs: int, size: Any = None, **options: Any) -> None:
        self.games = MinesweeperVectorEnv(num_envs, size, autoreset_mode=AutoresetMode.SAME_STEP, **options)
        self.render_mode = self.games.render_mode
        super().__init__(num_envs, self.games.single_observation_space, self.games.single_action_space)
        self._actions: npt.NDArray[np.int64] = np.zeros(num_envs, np.int64)

    def reset(self) -> Any:
        """Begin a game in each place. After `seed(s)`, game i is the first game of the seed s + i."""
        seeds = [None if seed is None else int(seed) for seed in self._seeds]
        observations, _ = self.games.reset(seed=None if seeds == [None] * self.num_envs else seeds)
        self._reset_seeds()
        self._reset_options()
        return observations

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Store the actions for `step_wait`."""
        self._actions = np.asarray(actions, np.int64)

    def step_wait(self) -> tuple[Any, npt.NDArray[np.float32], npt.NDArray[np.bool_], list[dict[str, Any]]]:
        """Carry out the stored actions."""
        observations, rewards, terminated, truncated, info = self.games.step(self._actions)
        done = terminated | truncated
        infos: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        final = info.get("final_info", {})
        for game in np.flatnonzero(done).tolist():
            infos[game] = {name: final[name][game] for name in _FINAL}
            infos[game]["terminal_observation"] = info["final_obs"][game]
            infos[game]["TimeLimit.truncated"] = bool(truncated[game])
        return observations, rewards.astype(np.float32), done, infos

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Return which actions are allowed now, as an array [game, action]."""
        return self.games.action_masks()

    def close(self) -> None:
        """Do nothing, since there is nothing to close."""

    def get_images(self) -> Sequence[Any]:
        """Return the boards as pictures, if `render_mode` is `rgb_array`."""
        return self.games.render() or ()

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """Return an attribute for each game. All games have the same value."""
        home = self if attr_name in ("action_masks", "render_mode") else self.games
        value = getattr(home, attr_name)
        return [value for _ in self._get_indices(indices)]

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """Raise `AttributeError`, because single games have no attributes."""
        raise AttributeError(f"{attr_name} cannot be set on single games: they are stepped together")

    def env_method(self, method_name: str, *args: Any, indices: Any = None, **kwargs: Any) -> list[Any]:
        """Call `action_masks`, the one method that games have."""
        if method_name != "action_masks":
            raise AttributeError(f"the games have no method {method_name}: they are stepped together")
        masks = self.action_masks()
        return [masks[game] for game in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Return False for each game, since none is wrapped."""
        return [False for _ in self._get_indices(indices)]
