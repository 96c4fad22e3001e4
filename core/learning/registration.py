"""The ids of the environments in Gymnasium."""

from __future__ import annotations

import gymnasium

from sweepstakes.game.size import PRESETS

IDS = ("sweepstakes/Minesweeper-v0", *(f"sweepstakes/Minesweeper-{name.capitalize()}-v0" for name in PRESETS))
"""The environment for any size, and one for each of the three sizes of classic Minesweeper."""


def register() -> None:
    """Register the ids with Gymnasium."""
    for name, id_ in zip(("", *PRESETS), IDS, strict=True):
        if id_ not in gymnasium.registry:
            gymnasium.register(
                id_,
                entry_point="sweepstakes.learning.environment:MinesweeperEnv",
                vector_entry_point="sweepstakes.learning.vector_environment:MinesweeperVectorEnv",
                kwargs={"size": name} if name else {},
            )
