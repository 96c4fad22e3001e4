"""Finds agents that play alike: the same cells, turn by turn, in every game."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from sweepstakes.executor import Fixture
from sweepstakes.game.turn_codec import read_turns
from sweepstakes.tournaments.storage.run_reader import RunReader


def identical_agents(run: RunReader, labels: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Return for each of these agents the labels of the agents that play identically, if any.

    The run must have all moves. Reasons and probabilities are not compared. An agent without any turn is not like any
    other.
    """
    digests: dict[str, list[str]] = {}
    for label in labels:
        if digest := _digest(run, run.agent_place(label)):
            digests.setdefault(digest, []).append(label)
    return {
        label: tuple(other for other in alike if other != label)
        for alike in digests.values()
        if len(alike) > 1
        for label in alike
    }


def _digest(run: RunReader, agent: int) -> str:
    """Return a digest of all cells that an agent opened, flagged or unflagged, in order; "" without any."""
    sums, turns = hashlib.sha256(), 0
    for condition in range(len(run.conditions)):
        for number in range(run.config.games):
            stored = run.find(Fixture(agent, condition, number))
            played = read_turns(stored.moves) if stored is not None and stored.moves is not None else []
            turns += len(played)
            for turn in played:
                cells = [sorted(map(_plain, each)) for each in (turn.unflag, turn.flag, turn.open)]
                sums.update(repr(cells).encode())
            sums.update(b"\n")
    return sums.hexdigest() if turns else ""


def _plain(cell: Any) -> Any:
    """Return a cell as plain numbers. Turns contain cells or flat indices."""
    return tuple(map(int, cell)) if isinstance(cell, tuple | list) else int(cell)
