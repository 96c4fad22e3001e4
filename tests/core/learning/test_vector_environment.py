"""The vector environment: the games of single ones, across the ends of games."""

from __future__ import annotations

from typing import Any

import gymnasium
import numpy as np
import pytest
from random_play import choose

from sweepstakes import ParameterError
from sweepstakes.learning import MinesweeperEnv, MinesweeperVectorEnv
from sweepstakes.learning.autoreset import AutoresetMode

NUMBERS = ("won", "opened", "turns", "invalid", "seed", "board")
KINDS: list[dict[str, Any]] = [
    {"size": "5x6/5"},
    {"size": "5x6/5", "encoding": "planes", "rewards": "progress", "rules": {"first_click": "opening"}},
    {"size": "4x5/5", "encoding": "dict", "flags": True, "rules": {"on_mine": "continue", "first_click": "any"}},
    {"size": "6x6/7", "rules": {"start": (2, 2)}, "rewards": "progress", "shaping": 2.0, "gamma": 0.9},
    {"size": "6x6/7", "rules": {"start": (2, 2)}, "source": "clustered", "noise": "liar(rate=0.2)"},
]


def row(observation: Any, game: int) -> Any:
    return (
        {key: part[game] for key, part in observation.items()} if isinstance(observation, dict) else observation[game]
    )


def same(left: Any, right: Any) -> bool:
    if isinstance(left, dict):
        return left.keys() == right.keys() and all(np.array_equal(left[key], right[key]) for key in left)
    return np.array_equal(left, right)


@pytest.mark.parametrize("mode", list(AutoresetMode))
@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_each_game_is_that_of_a_single_environment(kind: dict[str, Any], mode: AutoresetMode) -> None:
    """Step by step, with rewards, infos and final observations, over some hundred games in each mode."""
    count = 5
    env = MinesweeperVectorEnv(count, autoreset_mode=mode, **kind)
    singles = [MinesweeperEnv(**kind) for _ in range(count)]
    rng = np.random.default_rng(3)
    observations, infos = env.reset(seed=20)
    for game, single in enumerate(singles):
        observation, info = single.reset(seed=20 + game)
        assert same(row(observations, game), observation)
    done = np.zeros(count, np.bool_)
    ended = 0
    for _ in range(150):
        masks = env.action_masks()
        assert np.array_equal(masks, infos["action_mask"])
        actions = choose(masks, rng)
        some = rng.random(count) < 0.1
        actions[some] = rng.integers(masks.shape[1], size=int(some.sum()))  # perhaps not allowed
        if mode is AutoresetMode.DISABLED and done.any():
            observations, infos = env.reset(options={"reset_mask": done})
            for game in np.flatnonzero(done).tolist():
                observation, _ = singles[game].reset()
                assert same(row(observations, game), observation)
            done[:] = False
            continue
        observations, rewards, terminated, truncated, infos = env.step(actions)
        for game, single in enumerate(singles):
            if done[game] and mode is AutoresetMode.NEXT_STEP:
                observation, info = single.reset()
                reward, is_terminated, is_truncated = 0.0, False, False
            else:
                observation, reward, is_terminated, is_truncated, info = single.step(int(actions[game]))
            assert (rewards[game], terminated[game], truncated[game]) == (reward, is_terminated, is_truncated)
            if (is_terminated or is_truncated) and mode is AutoresetMode.SAME_STEP:
                final = infos["final_info"]
                assert infos["_final_obs"][game]
                assert same(infos["final_obs"][game], observation)
                assert {key: final[key][game] for key in NUMBERS} == {key: info[key] for key in NUMBERS}
                assert np.array_equal(final["action_mask"][game], info["action_mask"])
                assert final["ending"][game] == (info["result"]["ending"] if is_terminated else "")
                observation, info = single.reset()
            elif mode is AutoresetMode.SAME_STEP:
                assert not infos.get("_final_obs", np.zeros(count, np.bool_))[game]
            assert same(row(observations, game), observation)
            assert {key: infos[key][game] for key in NUMBERS} == {key: info[key] for key in NUMBERS}
            assert np.array_equal(infos["action_mask"][game], single.action_masks())
        done = terminated | truncated
        ended += int(done.sum())
    assert ended > 10


def test_gymnasium_makes_the_compiled_environment() -> None:
    env = gymnasium.make_vec("sweepstakes/Minesweeper-Expert-v0", num_envs=3)
    assert isinstance(env.unwrapped, MinesweeperVectorEnv)
    assert env.metadata["autoreset_mode"] is AutoresetMode.NEXT_STEP
    observations, _ = env.reset(seed=1)
    assert env.observation_space.contains(observations)
    assert env.action_space.contains(env.action_space.sample())


def test_infos_have_the_form_of_gymnasiums_own() -> None:
    """Gymnasium's wrapper that takes them apart finds each game's info."""
    env = gymnasium.wrappers.vector.DictInfoToList(
        gymnasium.make_vec("sweepstakes/Minesweeper-Beginner-v0", num_envs=3)
    )
    _, infos = env.reset(seed=1)
    assert [info["seed"] for info in infos] == [1, 2, 3]


@pytest.mark.skipif(not hasattr(gymnasium.vector, "AutoresetMode"), reason="Gymnasium 1.0 has one mode")
def test_gymnasiums_own_vectors_see_the_same_games() -> None:
    for mode in (AutoresetMode.NEXT_STEP, AutoresetMode.SAME_STEP):
        ours = MinesweeperVectorEnv(3, "beginner", autoreset_mode=mode)
        theirs = gymnasium.make_vec(
            "sweepstakes/Minesweeper-Beginner-v0",
            num_envs=3,
            vectorization_mode="sync",
            vector_kwargs={"autoreset_mode": mode},
        )
        assert ours.single_observation_space == theirs.single_observation_space
        assert ours.observation_space == theirs.observation_space
        assert np.array_equal(ours.reset(seed=5)[0], theirs.reset(seed=5)[0])
        rng = np.random.default_rng(2)
        for _ in range(60):
            actions = choose(ours.action_masks(), rng)
            left, right = ours.step(actions), theirs.step(actions)
            for one, other in zip(left[:4], right[:4], strict=True):
                assert np.array_equal(one, other)
            for key in ("won", "opened", "board", "action_mask"):
                assert np.array_equal(left[4][key], right[4][key])


def test_a_list_of_seeds_gives_each_game_its_own() -> None:
    env = MinesweeperVectorEnv(3, "beginner")
    assert env.reset(seed=[4, None, 9])[1]["seed"][[0, 2]].tolist() == [4, 9]
    _, info = env.reset(seed=[None, 5, None])
    assert info["seed"].tolist() == [4, 5, 9]
    assert info["board"].tolist() == [1, 0, 1]


def test_boards_of_a_tournament_are_dealt_in_a_row() -> None:
    env, single = MinesweeperVectorEnv(3, "beginner", autoreset_mode="SameStep"), MinesweeperEnv("beginner")
    env.reset(seed=1)
    _, info = env.reset(options={"tournament": 7, "board": 10})
    assert info["board"].tolist() == [10, 11, 12]
    assert info["seed"].tolist() == [7, 7, 7]
    observations, *_ = env.step(np.array([5, 5, 5]))
    for game in range(3):
        single.reset(options={"tournament": 7, "board": 10 + game})
        assert np.array_equal(observations[game], single.step(5)[0])
    rng = np.random.default_rng(1)
    while True:
        *_, info = env.step(choose(env.action_masks(), rng))
        if "final_info" in info:
            game = int(np.flatnonzero(info["_final_info"])[0])
            assert info["final_info"]["seed"][game] == 7
            assert (info["seed"][game], info["board"][game]) == (1 + game, 1)
            break


def test_wrong_calls_are_answered_in_a_line() -> None:
    with pytest.raises(ParameterError, match="num_envs 0"):
        MinesweeperVectorEnv(0, "beginner")
    env = MinesweeperVectorEnv(2, "beginner", autoreset_mode="Disabled")
    with pytest.raises(ParameterError, match="call reset"):
        env.step([0, 0])
    with pytest.raises(ParameterError, match="1 seeds: expected 2"):
        env.reset(seed=[1])
    with pytest.raises(ParameterError, match="reset_mask"):
        env.reset(options={"reset_mask": [True, False]})
    env.reset(seed=1)
    with pytest.raises(ParameterError, match="action 81"):
        env.step([0, 81])
    with pytest.raises(ParameterError, match="expected 2, one for each game"):
        env.step([0])
    while not env.games.is_done().any():
        env.step(choose(env.action_masks(), np.random.default_rng(1)))
    with pytest.raises(ParameterError, match="call reset"):
        env.step([0, 0])


def test_an_action_that_does_not_exist_changes_no_game() -> None:
    env = MinesweeperVectorEnv(2, "beginner")
    env.reset(seed=1)
    with pytest.raises(ParameterError):
        env.step([0, 99])
    assert env.games.show().reports[:, 1].tolist() == [0, 0]


def test_the_boards_are_drawn() -> None:
    env = MinesweeperVectorEnv(2, "beginner", render_mode="ansi")
    env.reset(seed=1)
    drawn = env.render()
    assert drawn is not None
    assert [text.splitlines()[1] for text in drawn] == ["." * 9] * 2
