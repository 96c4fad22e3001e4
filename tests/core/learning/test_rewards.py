"""Rewards: one entry of the table a step, and a shaping that leaves the best policy the best."""

from __future__ import annotations

from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from random_play import choose

from sweepstakes.learning import REWARDS, MinesweeperEnv, Rewards
from sweepstakes.learning.rewards import read_rewards

TABLE = Rewards(win=10.0, lose=-7.0, open=2.0, guess=-3.0, invalid=-5.0)


def test_a_step_pays_one_entry_of_the_table() -> None:
    """Compare with the observations: the entry follows from those before and after the step."""
    rng = np.random.default_rng(2)
    env = MinesweeperEnv("6x7/7", rewards=TABLE)
    paid = set()
    for episode in range(150):
        before, _ = env.reset(seed=episode)
        terminated = truncated = False
        while not (terminated or truncated):
            action = int(choose(env.action_masks(), rng)) if rng.random() < 0.9 else int(rng.integers(42))
            row, col = divmod(action, 7)
            around = before[max(row - 1, 0) : row + 2, max(col - 1, 0) : col + 2]
            if before[row, col] >= 0:
                expected = TABLE.invalid
            else:
                expected = TABLE.guess if (before >= 0).any() and not (around >= 0).any() else TABLE.open
            after, reward, terminated, truncated, info = env.step(action)
            if terminated:
                expected = TABLE.win if info["won"] else TABLE.lose
            assert reward == expected
            paid.add(reward)
            before = after
    assert paid == set(TABLE)


def test_presets_are_tables() -> None:
    assert read_rewards("win").tolist() == [1, 0, 0, 0, 0, 0, 1]
    assert read_rewards("progress").tolist()[:5] == list(REWARDS["progress"])
    assert read_rewards({"win": 2}, 0.5, 0.9).tolist() == [2, 0, 0, 0, 0, 0.5, 0.9]


@pytest.mark.parametrize("gamma", [1.0, 0.97])
@pytest.mark.parametrize("options", [{}, {"rules": {"start": (1, 1)}}, {"rules": {"on_mine": "continue"}}], ids=str)
def test_shaping_adds_the_same_to_every_return_from_the_same_beginning(gamma: float, options: dict[str, Any]) -> None:
    """Discounted, the shaping of a whole game is minus the potential at its beginning, however it is played."""
    rng = np.random.default_rng(4)
    plain = MinesweeperEnv("5x5/4", rewards="progress", **options)
    shaped = MinesweeperEnv("5x5/4", rewards="progress", shaping=3.0, gamma=gamma, **options)
    sums = set()
    for _ in range(40):
        _, info = plain.reset(seed=8)
        shaped.reset(seed=8)
        potential = 3.0 * info["opened"] / 21
        total, discount, terminated = 0.0, 1.0, False
        while not terminated:
            action = int(choose(plain.action_masks(), rng))
            _, reward, terminated, _, _ = plain.step(action)
            total += discount * (shaped.step(action)[1] - reward)
            discount *= gamma
        assert total == pytest.approx(-potential, abs=1e-9)
        sums.add(round(total, 9))
    assert len(sums) == 1


def test_shaping_pays_for_progress_on_the_way() -> None:
    env = MinesweeperEnv("9x9/10", rewards={}, shaping=1.0)
    env.reset(seed=1)
    opened = [0]
    rewards = []
    rng = np.random.default_rng(1)
    terminated = False
    while not terminated:
        _, reward, terminated, _, info = env.step(int(choose(env.action_masks(), rng)))
        rewards.append(reward)
        opened.append(info["opened"])
    steps = [(after - before) / 71 for before, after in pairwise(opened)]
    assert rewards[:-1] == pytest.approx(steps[:-1])
    assert rewards[-1] == pytest.approx(-opened[-2] / 71)
