"""`my-thing`: opens and flags the cells that trained weights are most sure of. Put your own model in their place.

    sweepstakes positions beginner --count 20000 --out positions.npz
    python my_thing.py positions.npz

trains the weights again and writes them to my_thing.json. Trained again, it is another agent.
For a model of stable-baselines3 let `load` return `predictor(MaskablePPO.load(path))`, with `predictor` from
`sweepstakes.learning.policy`, and `choose(self, model, observation, mask)` return `model(observation, mask)`.
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
"""Each cell of a window of 5 x 5 has a weight for every code it may show, and for lying outside."""


class MyThing(PolicyAgent):
    """Opens the safest cell or flags the most dangerous one, whichever the trained weights are more sure of."""

    flags = True
    weights = "my_thing.json"

    @classmethod
    def load(cls, path: Path) -> Any:
        """The weights, read once in each process."""
        return np.array(json.loads(path.read_text(encoding="utf-8")))

    def scores(self, model: Any, observation: Any) -> npt.ArrayLike:
        """How safe each cell looks, then how dangerous: the observation has the codes of `view.shown`."""
        risk = danger(model, windows(observation))
        return np.concatenate([-risk, np.where(observation.reshape(-1) == COVERED, risk - 1, -np.inf)])

    def act(self, view: View) -> Turn:
        """As the weights say; an empty turn, which gives the game up, when every cell left has a flag."""
        return super().act(view) if view.covered() else Turn()


def windows(codes: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    """What the 5 x 5 cells around each cell show, [cell, place], as numbers from 0 (outside) to 13."""
    padded = np.pad(codes.astype(np.int64) + 4, SIDE // 2)
    return np.lib.stride_tricks.sliding_window_view(padded, (SIDE, SIDE)).reshape(-1, SIDE * SIDE)


def danger(weights: npt.NDArray[np.float64], seen: npt.NDArray[np.int64]) -> npt.NDArray[np.float64]:
    """The logit of the mine probability of each cell: the sum of the weights of what is seen around it."""
    return np.asarray(weights[np.arange(SIDE * SIDE), seen].sum(axis=1))


def train(found: Positions, passes: int = 5, rate: float = 0.05) -> npt.NDArray[np.float64]:
    """Weights by logistic regression on the exact mine probabilities of covered cells."""
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
    """Train on a file of positions, and write the weights."""
    path = Path(__file__).with_name(MyThing.weights)
    path.write_text(json.dumps(train(Positions.load(sys.argv[1])).round(3).tolist()), encoding="utf-8")
    print(f"wrote {path.name}")


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `my-thing`."""
    return {"my-thing": MyThing}


if __name__ == "__main__":
    main()
