"""`my-thing`: opens and flags the cells that the trained weights are most certain about. Replace them with your model.

    sweepstakes positions beginner --count 20000 --out positions.npz
    python my_thing.py positions.npz

These commands train the weights and write them to my_thing.json. New weights make it a new version of the agent.

To use a model from stable-baselines3, let `load` return `predictor(MaskablePPO.load(path))`, with `predictor` from
`sweepstakes.learning.policy`, and let `choose(self, model, observation, mask)` return `model(observation, mask)`.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from sweepstakes import Agent, Turn, View, hookimpl
from sweepstakes.learning import PolicyAgent, Positions

SIDE, CODES, COVERED = 5, 14, -1
"""Each cell of a 5 x 5 window has one weight per code that it may show, and one for being off the board."""


class MyThing(PolicyAgent):
    """Opens the safest cell or flags the most dangerous one, whichever the weights are more certain about."""

    flags = True
    weights = "my_thing.json"

    @classmethod
    def load(cls, path: Path) -> Any:
        """Read the weights. This is called once per process."""
        return np.array(json.loads(path.read_text(encoding="utf-8")))

    def scores(self, model: Any, observation: Any) -> npt.ArrayLike:
        """Return how safe each cell looks, followed by how dangerous. `observation` holds the codes of `view.shown`."""
        risk = danger(model, windows(observation))
        return np.concatenate([-risk, np.where(observation.reshape(-1) == COVERED, risk - 1, -np.inf)])

    def act(self, view: View) -> Turn:
        """Return the action with the highest score, or give up with an empty turn if no covered cell is left."""
        return super().act(view) if view.covered() else Turn()


def windows(codes: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    """Return what the 5 x 5 cells around each cell show, [cell, place], as numbers from 0 (off the board) to 13."""
    padded = np.pad(codes.astype(np.int64) + 4, SIDE // 2)
    return np.lib.stride_tricks.sliding_window_view(padded, (SIDE, SIDE)).reshape(-1, SIDE * SIDE)


def danger(weights: npt.NDArray[np.float64], seen: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """Return the logit of each cell's mine probability: the sum of the weights of what is shown around it."""
    return np.asarray(weights[np.arange(SIDE * SIDE), seen].sum(axis=1))


def train(found: Positions, passes: int = 5, rate: float = 0.05) -> npt.NDArray[np.float64]:
    """Fit the weights by logistic regression to the exact mine probabilities of covered cells."""
    weights = np.zeros((SIDE * SIDE, CODES))
    rng = np.random.default_rng(1)
    for step in range(passes * len(found.shown)):
        i = int(rng.integers(len(found.shown)))
        covered = np.flatnonzero(found.shown[i] == COVERED)
        seen = windows(found.shown[i])[covered]
        error = found.probability[i].reshape(-1)[covered] - 1 / (1 + np.exp(-danger(weights, seen)))
        change = np.zeros_like(weights)
        np.add.at(change, (np.arange(SIDE * SIDE), seen), error[:, None] / len(covered))
        weights += rate * (1 - step / (passes * len(found.shown))) * change
    return weights


def main() -> None:
    """Train on a file of positions and write the weights."""
    path = Path(__file__).with_name(MyThing.weights)
    path.write_text(json.dumps(train(Positions.load(sys.argv[1])).round(3).tolist()), encoding="utf-8")
    print(f"wrote {path.name}")


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Register `my-thing`."""
    return {"my-thing": MyThing}


if __name__ == "__main__":
    main()
