"""Measures the learning environments: steps per second on one core, and positions per second.

python benchmarks/learning.py [--games N] [--steps N]

The policy opens random covered cells. Its actions are drawn beforehand, in a first playing, so that only the
environment is timed: encoding `codes`, masks and infos included, every array a new one. Where jumanji is installed,
its Minesweeper is stepped too, with as many games and a random policy. Times are processor times, so that a busy
machine does not matter.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable
from importlib.util import find_spec
from statistics import median
from time import process_time
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

import sweepstakes.learning
from sweepstakes.game.size import PRESETS

ROUNDS = 5


def random_actions(masks: npt.NDArray[np.bool_], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """An allowed action of each game, each equally likely."""
    return np.asarray(np.where(masks, rng.random(masks.shape), -1.0).argmax(-1), np.int64)


def record(env: gymnasium.vector.VectorEnv[Any, Any, Any], steps: int) -> list[npt.NDArray[np.int64]]:
    """The actions of a random policy, drawn by playing."""
    rng = np.random.default_rng(1)
    _, info = env.reset(seed=1)
    actions = []
    for _ in range(steps):
        actions.append(random_actions(info["action_mask"], rng))
        info = env.step(actions[-1])[4]
    return actions


def timed(play: Callable[[], int]) -> float:
    """Steps per second: the median of some rounds, after one that compiles."""
    play()
    rates = []
    for _ in range(ROUNDS):
        begun = process_time()
        steps = play()
        rates.append(steps / (process_time() - begun))
    return median(rates)


def many(level: str, games: int, steps: int, mode: str) -> float:
    env: Any = gymnasium.make_vec(f"sweepstakes/Minesweeper-{level}-v0", num_envs=games, autoreset_mode=mode)
    actions = record(env, steps)

    def play() -> int:
        env.reset(seed=1)
        for action in actions:
            env.step(action)
        return games * steps

    return timed(play)


def one(level: str, steps: int, **options: Any) -> float:
    id_ = f"sweepstakes/Minesweeper-{level}-v0"
    vector: Any = gymnasium.make_vec(id_, num_envs=1, autoreset_mode="SameStep")
    actions = [int(action[0]) for action in record(vector, steps)]
    env = gymnasium.make(id_, disable_env_checker=True, **options)

    def play() -> int:
        env.reset(seed=1)
        for action in actions:
            _, _, terminated, truncated, _ = env.step(action)
            if terminated or truncated:
                env.reset()
        return steps

    return timed(play)


def jumanji(size: Any, games: int, steps: int) -> float:
    """Jumanji's Minesweeper, compiled, with as many games: random actions among the allowed ones, drawn inside."""
    import jax
    from jumanji.environments.logic.minesweeper.env import Minesweeper
    from jumanji.environments.logic.minesweeper.generator import UniformSamplingGenerator
    from jumanji.wrappers import AutoResetWrapper

    generator = UniformSamplingGenerator(size.rows, size.cols, size.mines)
    env = AutoResetWrapper(Minesweeper(generator))

    def advance(carry: Any, key: Any) -> tuple[Any, None]:
        state, timestep = carry
        logits = jax.numpy.where(timestep.observation.action_mask.reshape(games, -1), 0.0, -1e9)
        flat = jax.random.categorical(key, logits)
        action = jax.numpy.stack([flat // size.cols, flat % size.cols], -1)
        return jax.vmap(env.step)(state, action), None

    first = jax.vmap(env.reset)(jax.random.split(jax.random.PRNGKey(1), games))
    run = jax.jit(lambda carry, keys: jax.lax.scan(advance, carry, keys)[0])
    keys = jax.random.split(jax.random.PRNGKey(2), steps)

    def play() -> int:
        jax.block_until_ready(run(first, keys))
        return games * steps

    return timed(play)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--games", type=int, default=256)
    parser.add_argument("--steps", type=int, default=1000)
    arguments = parser.parse_args()
    games, steps = arguments.games, arguments.steps
    print(f"one game, Beginner                       {one('Beginner', 20 * steps):>12,.0f} steps/s")
    for level in ("Beginner", "Expert"):
        for mode in ("NextStep", "SameStep"):
            rate = many(level, games, steps, mode)
            print(f"{games} games, {level}, {mode}".ljust(41) + f"{rate:>12,.0f} steps/s")
        if find_spec("jumanji"):
            theirs = jumanji(PRESETS[level.lower()], games, steps // 10)
            print(f"{games} games, {level}, jumanji".ljust(41) + f"{theirs:>12,.0f} steps/s, {rate / theirs:.0f} times")
    count = 20 * steps
    made = timed(lambda: len(sweepstakes.learning.positions(count, "expert", 1).shown))
    print(f"positions of Expert with probabilities   {made:>12,.0f} positions/s")


if __name__ == "__main__":
    main()
