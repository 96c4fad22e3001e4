"""The adapter to stable-baselines3, where that is installed."""

from __future__ import annotations

import numpy as np
import pytest
from random_play import choose

pytest.importorskip("stable_baselines3")

from sweepstakes.learning import MinesweeperVectorEnv
from sweepstakes.learning.stable_baselines import StableBaselinesEnv


def test_it_steps_the_games_of_the_vector_environment() -> None:
    ours = MinesweeperVectorEnv(4, "5x5/4", autoreset_mode="SameStep", encoding="dict", rewards="progress")
    theirs = StableBaselinesEnv(4, "5x5/4", encoding="dict", rewards="progress")
    theirs.seed(11)
    left, right = ours.reset(seed=11)[0], theirs.reset()
    rng = np.random.default_rng(1)
    ended = 0
    for _ in range(80):
        assert all(np.array_equal(left[key], right[key]) for key in left)
        masks = np.stack(theirs.env_method("action_masks"))
        assert np.array_equal(masks, ours.action_masks())
        actions = choose(masks, rng)
        left, rewards, terminated, truncated, info = ours.step(actions)
        right, theirs_rewards, done, infos = theirs.step(actions)
        assert np.array_equal(rewards.astype(np.float32), theirs_rewards)
        assert np.array_equal(terminated | truncated, done)
        for game in range(4):
            assert bool(infos[game]) == done[game]
            if done[game]:
                ended += 1
                assert infos[game]["won"] == info["final_info"]["won"][game]
                assert infos[game]["TimeLimit.truncated"] == truncated[game]
                last = infos[game]["terminal_observation"]
                assert all(np.array_equal(last[key], info["final_obs"][game][key]) for key in last)
    assert ended > 10


def test_it_tells_that_masks_are_supported() -> None:
    env = StableBaselinesEnv(2, "beginner", render_mode="rgb_array")
    env.reset()
    assert len(env.get_attr("action_masks")) == 2
    assert env.env_is_wrapped(object) == [False, False]
    assert len(env.get_images()) == 2
    with pytest.raises(AttributeError, match="no method jump"):
        env.env_method("jump")
    with pytest.raises(AttributeError, match="cannot be set"):
        env.set_attr("speed", 1)
    env.close()
