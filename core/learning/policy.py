"""Policies as agents: a trained model plays in tournaments."""

from __future__ import annotations

import hashlib
import inspect
import sys
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sweepstakes.agent import Agent
from sweepstakes.errors import ParameterError, PluginError
from sweepstakes.game.turn import Turn
from sweepstakes.game.view import View
from sweepstakes.learning.encoding import Encoding, action_mask, encode

DIGITS = 12
"""Minimum number of digits of a hash."""


class PolicyAgent(Agent):
    """Plays by a model: each turn is the allowed action with the highest score. Subclasses load it and score actions.

    `weights` names the file of the model, relative to the file of the class. It is one of the agent's own files: a
    model that was trained again is another agent, and a sealed agent may read it. With `sha256`, the hash of that file
    or its first twelve digits or more, the class refuses to play with another file.
    """

    encoding: ClassVar[Encoding] = "codes"
    """The encoding of views for the model, the same as in the environment it was trained in."""
    flags: ClassVar[bool] = False
    """Whether the second half of the actions sets and removes flags, as in the environment it was trained in."""
    weights: ClassVar[str] = ""
    sha256: ClassVar[str] = ""

    @classmethod
    def load(cls, path: Path) -> Any:
        """Return the model in the file; called once in each process."""
        raise NotImplementedError(f"{cls.__name__}.load is needed to read {path.name}")

    def scores(self, model: Any, observation: Any) -> npt.ArrayLike:
        """Return a score for each action. The first allowed action with the highest score is taken."""
        raise NotImplementedError(f"{type(self).__name__}.scores is needed to play")

    def choose(self, model: Any, observation: Any, mask: npt.NDArray[np.bool_]) -> int:
        """Return the action to take; `mask` says which are allowed, and at least one is."""
        scores = np.asarray(self.scores(model, observation), np.float64).reshape(-1)
        if scores.shape != mask.shape:
            raise ParameterError(f"{scores.size} scores: expected {mask.size}, one for each action")
        return int(np.where(mask, scores, -np.inf).argmax())

    def act(self, view: View) -> Turn:
        """Open the chosen cell, or change its flag."""
        mask = action_mask(view, flags=self.flags)
        if not mask.any():
            return Turn()
        action = self.choose(loaded_model(type(self)), encode(view, self.encoding, flags=self.flags), mask)
        if not (0 <= action < mask.size and mask[action]):  # a model that knows no masks: one of the allowed cells
            action = self.rng.choice(np.flatnonzero(mask).tolist())
        flag, cell = divmod(action, view.rows * view.cols)
        where = np.array([cell])
        if not flag:
            return Turn(open=where, why="guess")
        return Turn(flag=where) if view.is_covered(divmod(cell, view.cols)) else Turn(unflag=where)


@cache
def loaded_model(agent: type[PolicyAgent]) -> Any:
    """Load the model of a class of agents once. Raise `PluginError` if its file is not the one that the class names."""
    if not agent.weights:
        return agent.load(Path())
    home = Path(getattr(sys.modules.get(agent.__module__), "__file__", None) or inspect.getfile(agent)).parent
    path = home / agent.weights
    try:
        found = hashlib.sha256(path.read_bytes()).hexdigest()
    except OSError as error:
        raise PluginError(f"{path.name}: the weights of {agent.__name__} cannot be read: {error.strerror}") from None
    if agent.sha256 and (len(agent.sha256) < DIGITS or not found.startswith(agent.sha256)):
        raise PluginError(
            f"{path.name}: the file has the hash {found[:DIGITS]}, but {agent.__name__} expects '{agent.sha256}':"
            f' write sha256 = "{found[:DIGITS]}" there to play with this file'
        )
    return agent.load(path)


def as_agent(model: Any, *, encoding: Encoding = "codes", flags: bool = False) -> type[PolicyAgent]:
    """Return a class of agents that play with a model that has the method `predict` of stable-baselines3.

    The model gets `action_masks` if its `predict` has that parameter, as in sb3-contrib. An action that is not allowed
    is replaced by a random allowed one. `encoding` and `flags` are those of the environment it was trained in.
    """
    if not callable(getattr(model, "predict", None)):
        raise ParameterError(f"a {type(model).__name__} has no method predict(observation, ...)")
    predict = predictor(model)

    class ModelAgent(PolicyAgent):
        """Plays by a trained model."""

        @classmethod
        def load(cls, path: Path) -> Any:
            """Return the model, which has been loaded already."""
            return predict

        def choose(self, model: Any, observation: Any, mask: npt.NDArray[np.bool_]) -> int:
            """Return the model's action."""
            return int(model(observation, mask))

    ModelAgent.encoding, ModelAgent.flags = encoding, flags
    return ModelAgent


def predictor(model: Any) -> Callable[[Any, npt.NDArray[np.bool_]], int]:
    """Return a function of an observation and a mask that asks a model for its best action."""
    masked = "action_masks" in inspect.signature(model.predict).parameters

    def predict(observation: Any, mask: npt.NDArray[np.bool_]) -> int:
        options = {"action_masks": mask} if masked else {}
        action, _ = model.predict(observation, deterministic=True, **options)
        return int(np.asarray(action).reshape(-1)[0])

    return predict
