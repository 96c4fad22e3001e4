"""A run whose file of games is removed, moved, replaced or cut while it plays says so, and exits with code 1."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

OBSERVER = """
import os, shutil
from sweepstakes import hookimpl
seen = []

@hookimpl
def sweepstakes_game_finished(result):
    seen.append(result)
    if len(seen) == {game}:
        {change}
"""
CHANGES = {
    "os.unlink('run/games.sqlite')": "was removed or moved while the run was being played",
    "shutil.rmtree('run')": "was removed or moved while the run was being played",
    "os.rename('run', 'elsewhere')": "was removed or moved while the run was being played",
    "os.truncate('run/games.sqlite', 0)": "was cut off while the run was being played",
    "os.truncate('run/games.sqlite', 100)": "was cut off while the run was being played",
    "shutil.copy('run/games.sqlite', 'other'), os.replace('other', 'run/games.sqlite')": "was replaced by another file",
}


@pytest.mark.parametrize("game", [3, 6])  # in the middle, and after the last one
@pytest.mark.parametrize("change", CHANGES)
def test_a_run_whose_games_are_lost_while_it_plays_says_so_and_exits_with_1(
    sweepstakes: Callable[..., Any], tmp_path: Path, change: str, game: int
) -> None:
    (tmp_path / "observer.py").write_text(OBSERVER.format(game=game, change=change))
    (tmp_path / "t.yaml").write_text(
        "games: 3\nboards: [2x2/1, 3x3/1]\nagents: [random]\nexecutor: serial\nplugins: [observer.py]\n"
    )
    said = sweepstakes("run", "t.yaml", "--out", "run", "--quiet")
    assert said.code == 1, said
    assert said.out == ""
    assert said.err.startswith("sweepstakes: run/games.sqlite ")
    assert CHANGES[change] in said.err
    assert said.err.count("\n") == 1
    assert not (tmp_path / "run" / "leaderboard.md").exists()


def test_a_shard_says_so_too(sweepstakes: Callable[..., Any], tmp_path: Path) -> None:
    (tmp_path / "observer.py").write_text(OBSERVER.format(game=1, change="os.unlink('run/games.sqlite')"))
    (tmp_path / "t.yaml").write_text(
        "games: 3\nboards: 2x2/1\nagents: [random]\nexecutor: serial\nplugins: observer.py\n"
    )
    said = sweepstakes("run", "t.yaml", "--out", "run", "--shard", "1/2")
    assert said.code == 1
    assert "was removed or moved while the run was being played" in said.err
