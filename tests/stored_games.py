"""The games of a run as stored in its database."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any


def stored(directory: Path) -> dict[str, list[Any]]:
    """Return each agent's games by its label, including their times, which differ if a game is played again."""
    games: dict[str, list[Any]] = {}
    with closing(sqlite3.connect(directory / "games.sqlite")) as db:
        rows = db.execute(
            "select label, games.* from games join agents on id = agent order by agent, condition, number"
        )
        for label, condition, _, *row in rows:
            games.setdefault(label, []).append((condition, *row))
    return games
