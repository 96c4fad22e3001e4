"""Train a policy with MaskablePPO on a small board: python ppo.py --steps 200000 --out ppo.zip

All this script knows about sweepstakes is the id of an environment. Gymnasium creates the games, and sb3-contrib learns
from them and asks the environment for its action masks. Needs `pip install sb3-contrib`.
"""

from __future__ import annotations

import argparse
from typing import Any

import gymnasium
from sb3_contrib import MaskablePPO

ID = "sweepstakes.learning:sweepstakes/Minesweeper-v0"


def play(model: Any, env: Any, games: int) -> tuple[float, float]:
    """Play `games` games with the model's best actions. Return the share won and the mean number of opened cells."""
    won = opened = 0
    for number in range(games):
        observation, info = env.reset(seed=1_000_000 + number)
        over = False
        while not over:
            action, _ = model.predict(observation, action_masks=info["action_mask"], deterministic=True)
            observation, _, terminated, truncated, info = env.step(action)
            over = terminated or truncated
        won, opened = won + info["won"], opened + info["opened"]
    return won / games, opened / games


def main() -> None:
    """Train, print how the model plays before and after, and write it to a file."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--steps", type=int, default=200_000)
    parser.add_argument("--rows", type=int, default=5)
    parser.add_argument("--cols", type=int, default=5)
    parser.add_argument("--mines", type=int, default=3)
    parser.add_argument("--games", type=int, default=200, help="number of games to evaluate the model on")
    parser.add_argument("--out", default="ppo.zip")
    options = parser.parse_args()
    size = {"rows": options.rows, "cols": options.cols, "mines": options.mines}
    env = gymnasium.make(ID, **size, encoding="planes", rewards="progress")
    model = MaskablePPO("MlpPolicy", env, n_steps=1024, batch_size=256, gamma=0.9, ent_coef=0.01, seed=1, device="cpu")
    for moment, steps in (("before", 0), ("after", options.steps)):
        if steps:
            model.learn(steps)
        won, opened = play(model, env, options.games)
        print(f"{moment} {steps} steps: {won:.1%} of {options.games} games won, {opened:.1f} cells opened", flush=True)
    model.save(options.out)
    print(f"wrote {options.out}")


if __name__ == "__main__":
    main()
