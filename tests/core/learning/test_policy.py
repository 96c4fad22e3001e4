"""Policies as agents."""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from sweepstakes import Game, ParameterError, PluginError, Registry, Rules, Size, Spec, View, play_game
from sweepstakes.game.setup import GameSetup
from sweepstakes.learning import MinesweeperEnv, PolicyAgent, action_mask, as_agent, encode
from sweepstakes.learning.policy import loaded_model
from sweepstakes.resolving import find_agent, find_agents
from sweepstakes.tournaments import run_tournament

REGISTRY = Registry.default()
SETUP = GameSetup(Size(6, 6, 5), 4, rules=Rules("end", "safe"))


class Last(PolicyAgent):
    """Scores cells by their number, and counts how often it was loaded."""

    loads = 0

    @classmethod
    def load(cls, path: Path) -> Any:
        Last.loads += 1
        return np.arange(36)

    def scores(self, model: Any, observation: Any) -> npt.ArrayLike:
        assert np.array_equal(observation.shape, (6, 6))
        return np.asarray(model)


def game(number: int = 0) -> Game:
    return SETUP._replace(number=number).game(REGISTRY)


def test_the_allowed_action_of_the_highest_score_is_taken() -> None:
    view = View.parse("......\n......\n......\n......\n......\n....1.", mines=5)
    turn = Last().act(view._replace(data=view.data))
    assert np.asarray(turn.open).tolist() == [35]
    view = View.parse("......\n......\n......\n......\n......\n...11F", mines=5)
    assert np.asarray(Last().act(view).open).tolist() == [32]


def test_a_model_is_loaded_once_in_a_process() -> None:
    for number in range(4):
        assert not play_game(game(number), Last).result.fault
    assert Last.loads == 1


def test_a_policy_without_an_allowed_action_gives_up() -> None:
    view = View.parse("1 2 1\n1F")
    assert Last().act(view).open == ()


def test_scores_of_another_length_are_a_fault_of_the_agent() -> None:
    setup = SETUP._replace(size=Size(6, 6, 5))
    assert "35 scores: expected 36" in play_game(setup.game(REGISTRY), Short).result.fault


class Short(PolicyAgent):
    """Has a score too few."""

    @classmethod
    def load(cls, path: Path) -> Any:
        return np.arange(35)

    def scores(self, model: Any, observation: Any) -> npt.ArrayLike:
        return np.asarray(model)


class Model:
    """A model as stable-baselines3 has them: its masked action, the first of all."""

    def __init__(self) -> None:
        self.seen: list[Any] = []

    def predict(
        self, observation: Any, state: Any = None, deterministic: bool = False, action_masks: Any = None
    ) -> tuple[Any, None]:
        assert deterministic
        self.seen.append(observation)
        return np.array(int(np.flatnonzero(action_masks)[0])), None


class Unmasked:
    """A model that knows no masks: it always opens the first cell."""

    def predict(self, observation: Any, deterministic: bool = False) -> tuple[Any, None]:
        return np.int64(0), None


def test_a_model_with_predict_becomes_an_agent_that_plays_as_in_the_environment() -> None:
    model = Model()
    factory = as_agent(model, encoding="planes")
    result = play_game(game(), factory).result
    env = MinesweeperEnv(SETUP.size, encoding="planes")
    observation, info = env.reset(options={"tournament": 4, "board": 0})
    terminated, steps = False, 0
    while not terminated:
        assert np.array_equal(observation, model.seen[steps])
        observation, _, terminated, _, info = env.step(int(np.flatnonzero(env.action_masks())[0]))
        steps += 1
    assert (info["result"]["ending"], info["result"]["opened"]) == (result.ending, result.opened)
    assert len(model.seen) == steps


def test_a_model_that_knows_no_masks_plays_legally() -> None:
    results = [play_game(game(number), as_agent(Unmasked())).result for number in range(5)]
    assert not any(result.fault for result in results)
    assert max(result.turns for result in results) > 1
    again = [play_game(game(number), as_agent(Unmasked())).result for number in range(5)]
    assert again == results, "what replaces its actions is drawn from the agent's own random numbers"


def test_flags_are_actions_of_a_policy_too() -> None:
    class Flagger(PolicyAgent):
        """Flags the first cell, then unflags it, then opens it."""

        flags = True

        @classmethod
        def load(cls, path: Path) -> Any:
            return [36, 36, 0]

        def choose(self, model: Any, observation: Any, mask: npt.NDArray[np.bool_]) -> int:
            return int(model.pop(0))

    match = game()
    player = Flagger()
    for mark in (".", "F", "."):
        assert match.view().marks[0] == mark
        match.take(player.act(match.view()))
    assert match.view().is_open((0, 0))


def test_what_has_no_predict_is_refused() -> None:
    with pytest.raises(ParameterError, match="a str has no method predict"):
        as_agent("ppo.zip")


PLUGIN = '''
import numpy as np
from sweepstakes import hookimpl
from sweepstakes.learning import PolicyAgent

class Filed(PolicyAgent):
    """Scores cells by numbers in a file."""
    weights = "filed.npy"
    sha256 = "HASH"

    @classmethod
    def load(cls, path):
        return np.load(path)

    def scores(self, model, observation):
        return model

@hookimpl
def sweepstakes_agents():
    return {"filed": Filed}
'''


def write_plugin(folder: Path, scores: list[int], said: str = "") -> str:
    np.save(folder / "filed.npy", np.array(scores))
    found = hashlib.sha256((folder / "filed.npy").read_bytes()).hexdigest()[:12]
    (folder / "filed.py").write_text(PLUGIN.replace("HASH", said or found))
    return found


def test_the_weights_that_a_class_names_are_part_of_the_identity_of_a_game(tmp_path: Path) -> None:
    path = tmp_path / "filed.py"
    first = write_plugin(tmp_path, list(range(36)))
    (tmp_path / "filed.py").write_text(PLUGIN.replace('    sha256 = "HASH"\n', ""))
    (before,) = find_agents(Registry([path]), Spec.parse(str(path)))
    np.save(tmp_path / "filed.npy", np.array(range(36))[::-1])
    (after,) = find_agents(Registry([path]), Spec.parse(str(path)))
    assert before.version != after.version
    assert loaded_model(plugin_class(path))[0] == 35
    write_plugin(tmp_path, list(range(36))[::-1], first)
    with pytest.raises(PluginError, match=rf"filed.npy: the file has the hash \w{{12}}, but Filed expects '{first}'"):
        loaded_model(plugin_class(path))
    (tmp_path / "filed.npy").unlink()
    with pytest.raises(PluginError, match="cannot be read: No such file"):
        loaded_model(plugin_class(path))


def plugin_class(path: Path) -> type[PolicyAgent]:
    factory = Registry([path], import_agents=True).find("agent", "filed").factory
    assert isinstance(factory, type)
    assert issubclass(factory, PolicyAgent)
    return factory


def test_a_policy_plays_a_tournament_in_its_own_process(tmp_path: Path) -> None:
    write_plugin(tmp_path, list(range(36)))
    standings = run_tournament(
        {
            "boards": "6x6/5",
            "games": 3,
            "rules": {"on_mine": "end", "first_click": "safe"},
            "agents": [str(tmp_path / "filed.py"), "random"],
            "scores": ["win"],
        }
    )
    by_name = {row.agent: row for row in standings.tables[0].standings}
    assert by_name["filed"].faults == 0


@pytest.mark.system
def test_the_template_is_trained_by_its_own_program(tmp_path: Path) -> None:
    def run(*words: str) -> str:
        done = subprocess.run([sys.executable, *words], cwd=tmp_path, capture_output=True, text=True, check=False)
        assert done.returncode == 0, done.stderr
        return done.stdout

    run("-m", "sweepstakes", "new", "my_net", "--kind", "policy")
    run("-m", "sweepstakes", "positions", "beginner", "--count", "300", "--out", "p.npz")
    before = find_agent(Registry(), str(tmp_path / "my_net.py")).version
    assert "wrote my_net.json" in run("my_net.py", "p.npz")
    assert find_agent(Registry(), str(tmp_path / "my_net.py")).version != before
    weights = np.array(json.loads((tmp_path / "my_net.json").read_text()))
    assert weights.shape == (25, 14)


def test_observations_and_masks_are_those_of_the_environment() -> None:
    env = MinesweeperEnv("beginner", encoding="dict")
    env.reset(options={"tournament": 1, "board": 2})
    observation, *_ = env.step(40)
    view = env.games.view(0)
    assert all(np.array_equal(observation[key], part) for key, part in encode(view, "dict").items())
    assert np.array_equal(env.action_masks(), action_mask(view))
