"""The spaces of actions and observations, as Gymnasium describes them."""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from sweepstakes.game.codes import DETONATED, WITHHELD
from sweepstakes.learning.encoding import PLANES, Encoding, check_encoding
from sweepstakes.learning.games import Games


def action_space(games: Games) -> spaces.Discrete:
    """Return the space of actions: opening each cell, row by row, and with flags also flagging each cell."""
    return spaces.Discrete(games.actions)


def observation_space(games: Games, encoding: Encoding) -> spaces.Space[Any]:
    """Return the observations of an encoding."""
    check_encoding(encoding)
    rows, cols, mines = games.size
    codes = spaces.Box(DETONATED, WITHHELD, (rows, cols), np.int8)
    if encoding == "codes":
        return codes
    if encoding == "planes":
        return spaces.Box(0, 1, (PLANES, rows, cols), np.float32)
    left = spaces.Box(mines - games.size.cells, mines, (1,), np.int32)
    return spaces.Dict({"board": codes, "mask": spaces.MultiBinary(games.actions), "mines_left": left})
