"""Rewards: what a step of a learning environment pays.

A step pays exactly one entry of the table: `invalid` for an action that is not allowed, `lose` when a mine goes off,
`win` when the game is won, `guess` for a safe cell that has no open cell around it though some cell is open, and `open`
for every other safe cell, the first one included. Flags cost nothing.

Shaping adds `shaping` x (gamma x Phi(after) - Phi(before)) to each step. Phi is the share of safe cells that is open,
and 0 after the end of the game. Over a whole game the discounted sum of these terms is -Phi at the beginning, whatever
was played. They change the return of every policy by the same number, so the best policy stays the best (Ng, Harada and
Russell, "Policy invariance under reward transformations", 1999). `gamma` must be the learner's own discount. No entry
of the table has this property: `progress` is easier to learn from than `win`, but has a different best policy.
"""

from __future__ import annotations

from collections.abc import Mapping
from numbers import Real
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.errors import ParameterError, brief, did_you_mean


class Rewards(NamedTuple):
    """The table of rewards. Entries are 0 by default."""

    win: float = 0.0
    lose: float = 0.0
    open: float = 0.0
    guess: float = 0.0
    invalid: float = 0.0


REWARDS = {
    "win": Rewards(win=1.0),
    "progress": Rewards(win=1.0, lose=-1.0, open=0.3, guess=-0.3, invalid=-0.3),
}
"""The presets: a reward for the win alone, or also small rewards on the way to it."""


def read_rewards(
    given: str | Mapping[str, float] | Rewards, shaping: float = 0.0, gamma: float = 1.0
) -> npt.NDArray[np.float64]:
    """Return the rewards as the kernels take them, from the name of a preset or from a table. Raise `ParameterError` if
    they are invalid."""
    if isinstance(given, str):
        if given not in REWARDS:
            raise ParameterError(f"no rewards {brief(given)}{did_you_mean(given, REWARDS)}")
        given = REWARDS[given]
    entries = given._asdict() if isinstance(given, Rewards) else dict(given)
    for name, value in (*entries.items(), ("shaping", shaping), ("gamma", gamma)):
        if name not in (*Rewards._fields, "shaping", "gamma"):
            raise ParameterError(f"no reward {brief(name)}{did_you_mean(name, Rewards._fields)}")
        if not isinstance(value, Real) or isinstance(value, bool) or not np.isfinite(float(value)):
            raise ParameterError(f"reward {name}={brief(value)}: expected a number")
    if not 0 <= gamma <= 1:
        raise ParameterError(f"gamma {gamma}: expected 0 to 1")
    return np.array([*Rewards(**entries), shaping, gamma], np.float64)
