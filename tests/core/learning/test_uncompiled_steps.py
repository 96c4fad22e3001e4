"""Environments step the same without the compiler, and without a warning."""

from __future__ import annotations

from uncompiled import said_alike

SCRIPT = """
import numpy as np
from sweepstakes.learning import MinesweeperVectorEnv

for mode in ("NextStep", "SameStep"):
    for kind in ({}, {"rules": {"start": (1, 1)}}, {"flags": True, "rules": {"on_mine": "continue"}},
                 {"rules": {"first_click": "opening"}, "noise": "liar(rate=0.2)"}):
        env = MinesweeperVectorEnv(3, "5x6/4", autoreset_mode=mode, rewards="progress", shaping=1.0, **kind)
        observations, info = env.reset(seed=2**63)
        rng = np.random.default_rng(1)
        for _ in range(25):
            masks = info["action_mask"]
            observations, rewards, *ends, info = env.step(np.where(masks, rng.random(masks.shape), -1).argmax(1))
            print(observations.tolist(), rewards.tolist(), *(end.tolist() for end in ends), info["board"].tolist())
"""


def test_environments_step_the_same_without_the_compiler() -> None:
    said = said_alike(SCRIPT)
    assert said.count("\n") == 200
