"""The environment of one game: Gymnasium's contract, and the referee's games."""

from __future__ import annotations

import warnings
from copy import deepcopy
from typing import Any

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from random_play import choose

from sweepstakes import (
    Cell,
    Game,
    GameResult,
    IllegalMove,
    ParameterError,
    Registry,
    Rules,
    Size,
    Spec,
    SweepstakesError,
    Turn,
    View,
)
from sweepstakes.game.codes import COVERED, DETONATED, FLAG
from sweepstakes.game.setup import GameSetup
from sweepstakes.learning import MinesweeperEnv, action_mask, encode
from sweepstakes.learning.registration import IDS
from sweepstakes.learning.seeds import episode_board

REGISTRY = Registry.default()
SMALL: dict[str, Any] = {"rows": 5, "cols": 6, "mines": 6}


@pytest.mark.parametrize("options", [{}, {"encoding": "planes"}, {"encoding": "dict", "flags": True}], ids=str)
@pytest.mark.parametrize("id_", IDS)
def test_gymnasium_finds_nothing_wrong_with_any_id(id_: str, options: dict[str, Any]) -> None:
    size: dict[str, Any] = (
        {} if any(level in id_ for level in ("Beginner", "Intermediate", "Expert")) else {"size": "7x11@0.15"}
    )
    for mode in ("ansi", "rgb_array"):
        env = gymnasium.make(id_, render_mode=mode, **size, **options)
        check_env(env.unwrapped)


def test_an_id_can_name_the_module_that_registers_it() -> None:
    env = gymnasium.make("sweepstakes.learning:sweepstakes/Minesweeper-Expert-v0")
    assert env.observation_space.shape == (16, 30)


KINDS: list[dict[str, Any]] = [
    {"size": "beginner"},
    {"size": "8x13@0.2", "rules": {"first_click": "opening"}},
    {"size": "6x7/9", "rules": Rules("continue", "any"), "flags": True},
    {"size": "6x7/9", "rules": {"start": (2, 3)}},
    {"size": "6x7/9", "rules": Rules("continue", "safe", flood=False), "noise": "liar(rate=0.3)"},
    {"size": "9x9/12", "rules": {"start": (4, 4)}, "source": "clustered", "noise": "hidden(rate=0.2)"},
    {"size": "3x3/8"},
]


def turn_of(action: int, view: View) -> Turn:
    """What an action means to the referee."""
    flag, cell = divmod(action, view.rows * view.cols)
    where = np.array([cell])
    if not flag:
        return Turn(open=where, why="guess")
    return Turn(flag=where) if view.is_covered(divmod(cell, view.cols)) else Turn(unflag=where)


@pytest.mark.parametrize("kind", KINDS, ids=str)
def test_the_environment_plays_the_games_of_the_referee(kind: dict[str, Any]) -> None:
    """Every step against a `Game` on the same board, with masks, counts and the result."""
    env = MinesweeperEnv(**kind)
    size, rules = env.games.kind.size, env.games.kind.rules
    source, noise = Spec.parse(kind.get("source", "uniform")), Spec.parse(kind.get("noise", "exact-clues"))
    flags = kind.get("flags", False)
    rng = np.random.default_rng(5)
    for episode in range(25):
        observation, info = env.reset(seed=7) if episode == 0 else env.reset()
        ref = episode_board(REGISTRY.source(source), str(source.portable), size, 7, episode)
        game = Game(ref, rules, REGISTRY.noise(noise))
        assert (info["seed"], info["board"]) == (7, episode)
        while True:
            view = game.view()
            assert np.array_equal(observation, view.shown)
            assert np.array_equal(env.action_masks(), action_mask(view, flags=flags))
            assert np.array_equal(info["action_mask"], env.action_masks())
            action = int(choose(env.action_masks(), rng))
            observation, _, terminated, truncated, info = env.step(action)
            game.take(turn_of(action, view))
            if terminated or truncated:
                break
            assert not game.over
            assert "result" not in info
        assert np.array_equal(observation, game.view().shown)
        assert game.over == terminated
        if game.over:
            assert GameResult(**info["result"]) == game.result()
            assert deepcopy(info["result"]) == info["result"], "learners copy infos"
            assert info["won"] == (game.result().ending == "won")
            assert (info["opened"], info["turns"]) == (game.result().opened, game.result().turns)


def test_a_first_click_that_moves_mines_is_observed_right() -> None:
    """Whatever is opened first, its clue counts the mines around it as they are after the click was protected."""
    env = MinesweeperEnv(**SMALL)
    clues = []
    for cell in range(30):
        observation, _ = env.reset(seed=3)
        observation, *_ = env.step(cell)
        ref = episode_board(REGISTRY.source(Spec("uniform")), "uniform", Size(5, 6, 6), 3, 0)
        board = ref.board((cell,))
        assert not board.layout[cell]
        opened = observation >= 0
        assert opened.reshape(-1)[cell]
        assert np.array_equal(observation[opened], board.clues[opened])
        clues.append(board.layout)
    assert len(set(clues)) > 1, "no first click moved a mine"


def test_a_seed_repeats_its_games_and_another_gives_others() -> None:
    def boards(seed: int) -> list[bytes]:
        env = MinesweeperEnv(size="expert", rules={"on_mine": "continue"})
        seen = []
        for episode in range(4):
            env.reset(seed=seed if episode == 0 else None)
            seen.append(env.step(200)[0].tobytes() + env.step(300)[0].tobytes())
        return seen

    assert boards(1) == boards(1)
    assert len(set(boards(1) + boards(2))) > 5


def test_learning_never_deals_the_boards_of_a_tournament_of_the_same_seed() -> None:
    source = REGISTRY.source(Spec("uniform"))
    ours = {episode_board(source, "uniform", Size(9, 9, 10), 3, k).seed for k in range(200)}
    theirs = {GameSetup(Size(9, 9, 10), 3, k).board_ref(REGISTRY).seed for k in range(200)}
    assert len(ours) == 200
    assert not ours & theirs


def test_an_environment_without_a_seed_begins_somewhere_new() -> None:
    first, second = MinesweeperEnv("beginner"), MinesweeperEnv("beginner")
    assert first.reset()[1]["seed"] != second.reset()[1]["seed"]


@pytest.mark.parametrize("source", ["uniform", "clustered"])
def test_a_tournaments_board_is_dealt_on_request(source: str) -> None:
    env = MinesweeperEnv("beginner", source=source)
    env.reset(seed=1)
    for number in (0, 5):
        _, info = env.reset(options={"tournament": 2026, "board": number})
        assert (info["seed"], info["board"]) == (2026, number)
        game = GameSetup(Size(9, 9, 10), 2026, number, Rules("end", "safe"), Spec(source)).game(REGISTRY)
        game.take(Turn(open=[Cell(4, 4)]))
        assert np.array_equal(env.step(40)[0], game.view().shown)
    _, info = env.reset()
    assert (info["seed"], info["board"]) == (1, 1), "the stream goes on where it was"


def test_an_open_cell_as_action_changes_nothing_costs_and_is_counted() -> None:
    env = MinesweeperEnv(**SMALL, rewards={"invalid": -0.5, "open": 0.25})
    env.reset(seed=1)
    before, reward, *_ = env.step(0)
    assert reward == 0.25
    after, reward, terminated, truncated, info = env.step(0)
    assert (reward, terminated, truncated, info["invalid"], info["turns"]) == (-0.5, False, False, 1, 1)
    assert np.array_equal(before, after)


def test_an_episode_is_truncated_after_four_times_the_cells_and_sixteen_steps() -> None:
    env = MinesweeperEnv(**SMALL)
    env.reset(seed=1)
    env.step(0)
    for step in range(2, 4 * 30 + 17):
        *_, terminated, truncated, info = env.step(0)
        assert not terminated
        assert truncated == (step == 4 * 30 + 16)
    assert info["invalid"] == 4 * 30 + 15
    assert "result" not in info
    with pytest.raises(ParameterError, match="call reset"):
        env.step(0)


def test_flags_are_set_and_removed_and_protect_their_cell() -> None:
    env = MinesweeperEnv(**SMALL, flags=True)
    env.reset(seed=1)
    observation, reward, *_ = env.step(30 + 7)
    assert (observation[1, 1], reward) == (FLAG, 0)
    assert not env.action_masks()[7]
    assert env.action_masks()[30 + 7]
    _, _, _, _, info = env.step(7)
    assert info["invalid"] == 1
    observation, *_ = env.step(30 + 7)
    assert observation[1, 1] == COVERED


def test_a_game_that_the_start_cell_wins_ends_with_the_first_step() -> None:
    env = MinesweeperEnv(rows=4, cols=4, mines=0, rules={"start": (0, 0)})
    env.reset(seed=1)
    _, reward, terminated, _, info = env.step(5)
    assert (reward, terminated, info["won"], info["result"]["opened"]) == (1.0, True, True, 16)


def test_a_start_cell_is_open_when_the_game_begins() -> None:
    for source in ("uniform", "clustered"):
        env = MinesweeperEnv("9x9/10", rules={"start": (4, 4)}, source=source)
        observation, info = env.reset(seed=1)
        assert observation[4, 4] >= 0
        assert info["opened"] >= 1
        assert info["turns"] == 0


def test_the_game_goes_on_after_a_mine_where_the_rules_say_so() -> None:
    env = MinesweeperEnv("4x4/5", rules={"on_mine": "continue"}, rewards={"lose": -1.0})
    env.reset(seed=2)
    total, terminated = 0.0, False
    for cell in range(16):
        if env.action_masks()[cell]:
            observation, reward, terminated, _, info = env.step(cell)
            total += reward
    assert terminated
    assert total == -5
    assert (observation == DETONATED).sum() == info["result"]["detonated"] == 5


def test_no_info_tells_where_the_mines_are() -> None:
    env = MinesweeperEnv(**SMALL)
    _, info = env.reset(seed=1)
    assert set(info) == {"won", "opened", "turns", "invalid", "seed", "board", "action_mask"}
    while True:
        *_, terminated, truncated, info = env.step(int(np.flatnonzero(env.action_masks())[0]))
        if terminated or truncated:
            break
    assert set(info) == {"won", "opened", "turns", "invalid", "seed", "board", "action_mask", "result"}


def test_what_an_environment_returns_is_the_callers() -> None:
    env = MinesweeperEnv(**SMALL)
    observation, info = env.reset(seed=1)
    env.action_masks()[:] = False
    info["action_mask"][:] = False
    observation[:] = 5
    assert env.action_masks().all()
    assert (env.step(0)[0] != 5).any()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({}, "expected a size, or rows and cols"),
        ({"rows": 5, "cols": 5}, "either a number of mines or a density"),
        ({"size": "beginner", "rows": 3}, "not both"),
        ({"size": "beginer"}, "unknown board size"),
        ({"size": "beginner", "rules": {"frist_click": "safe"}}, "no rule 'frist_click'"),
        ({"size": "beginner", "rules": {"first_click": "never"}}, "first_click=never"),
        ({"size": "beginner", "encoding": "plane"}, "no encoding 'plane' \\(did you mean 'planes'\\?\\)"),
        ({"size": "beginner", "rewards": "wni"}, "no rewards 'wni'"),
        ({"size": "beginner", "rewards": {"wn": 1}}, "no reward 'wn' \\(did you mean 'win'\\?\\)"),
        ({"size": "beginner", "rewards": {"win": "a"}}, "expected a number"),
        ({"size": "beginner", "gamma": 2}, "gamma 2"),
        ({"size": "beginner", "render_mode": "human"}, "render_mode 'human'"),
        ({"size": "beginner", "source": "unifrom"}, "unifrom"),
    ],
    ids=str,
)
def test_wrong_arguments_are_answered_in_a_line(options: dict[str, Any], said: str) -> None:
    with pytest.raises(SweepstakesError, match=said):
        MinesweeperEnv(**options)


def test_wrong_calls_are_answered_in_a_line() -> None:
    env = MinesweeperEnv(**SMALL)
    with pytest.raises(ParameterError, match="call reset"):
        env.step(0)
    with pytest.raises(ParameterError, match="no option 'bord'"):
        env.reset(options={"bord": 1})
    with pytest.raises(ParameterError, match="together"):
        env.reset(options={"board": 1})
    with pytest.raises(ParameterError, match="tournament -1"):
        env.reset(options={"tournament": -1, "board": 1})
    env.reset(seed=1)
    for action in (-1, 30):
        with pytest.raises(ParameterError, match=f"action {action}: expected 0 to 29"):
            env.step(action)


def test_the_picture_has_the_marks_of_the_view() -> None:
    env = MinesweeperEnv("beginner", render_mode="rgb_array")
    env.reset(seed=1)
    covered = env.render()
    assert covered.shape == (144, 144, 3)
    env.step(0)
    assert (env.render() != covered).any()
    text = MinesweeperEnv("beginner", render_mode="ansi")
    text.reset(seed=1)
    text.step(0)
    assert View.parse(text.render()) == text.games.view(0)


def play_randomly(episodes: int) -> None:
    rng = np.random.default_rng(1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        env = gymnasium.make("sweepstakes/Minesweeper-Beginner-v0")
        won = 0
        for episode in range(episodes):
            _, info = env.reset(seed=episode if episode == 0 else None)
            terminated = truncated = False
            while not (terminated or truncated):
                observation, _, terminated, truncated, info = env.step(choose(info["action_mask"], rng))
                assert np.array_equal(info["action_mask"], (observation == COVERED).reshape(-1))
            won += info["won"]
        assert won < episodes


def test_random_episodes_give_no_warning() -> None:
    play_randomly(500)


@pytest.mark.slow
def test_ten_thousand_random_episodes_give_no_warning() -> None:
    play_randomly(10_000)


def test_an_environment_takes_the_actions_of_numpy() -> None:
    env = MinesweeperEnv(**SMALL)
    env.reset(seed=1)
    assert env.step(np.int64(3))[4]["turns"] == 1


def test_an_illegal_move_of_an_agent_is_an_invalid_action() -> None:
    """The referee refuses what the environment counts as invalid."""
    env = MinesweeperEnv(**SMALL, flags=True)
    env.reset(seed=4)
    ref = episode_board(REGISTRY.source(Spec("uniform")), "uniform", Size(5, 6, 6), 4, 0)
    for action in range(60):
        env.reset(seed=4)
        env.step(0)
        env.step(30 + 29)
        game = Game(ref, Rules("end", "safe"))
        game.take(Turn(open=[Cell(0, 0)]))
        game.take(Turn(flag=[Cell(4, 5)]))
        allowed = bool(env.action_masks()[action])
        try:
            game.take(turn_of(action, game.view()))
            legal = True
        except IllegalMove:
            legal = False
        assert legal == allowed, action
        assert (env.step(action)[4]["invalid"] == 0) == legal


def test_encodings_of_the_environment_are_those_of_views() -> None:
    for encoding in ("codes", "planes", "dict"):
        env = MinesweeperEnv(**SMALL, encoding=encoding, flags=True)
        env.reset(seed=1)
        observation, *_ = env.step(0)
        expected = encode(env.games.view(0), encoding, flags=True)
        if encoding == "dict":
            assert all(np.array_equal(observation[key], expected[key]) for key in expected)
        else:
            assert np.array_equal(observation, expected)
