"""Agents that cannot be made: they stop a tournament, or forfeit their games, as `on_refused` says."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

FILE = """
games: 7
boards: [2x2/1, 3x3@0.2]
agents:
  - random
  - ./broken.py
  - {agent: ./broken.py, depth: 3}
  - {agent: ./absent.py, as: late}
  - unheard-of
  - command:./absent-program
executor: serial
"""
REFUSED = {
    "broken": "line 1: RuntimeError: boo",
    "broken(depth=3)": "line 1: RuntimeError: boo",
    "late": "there is no such file",
    "unheard-of": "unknown agent 'unheard-of'",
    "command:./absent-program": "cannot be read: No such file or directory",
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    (tmp_path / "broken.py").write_text("raise RuntimeError('boo')\n")
    (tmp_path / "stops.yaml").write_text(FILE)
    (tmp_path / "forfeits.yaml").write_text(f"{FILE}on_refused: forfeit\n")
    return tmp_path


def test_an_agent_that_cannot_be_made_stops_the_tournament_by_default(
    folder: Path, sweepstakes: Callable[..., Any]
) -> None:
    said = sweepstakes("run", "stops.yaml", "--out", "run")
    assert said.code == 2
    assert said.err == f"sweepstakes: stops.yaml:6: {folder / 'broken.py'}: line 1: RuntimeError: boo\n"
    assert not (folder / "run").exists()


def test_agents_that_cannot_be_made_forfeit_and_the_others_play(folder: Path, sweepstakes: Callable[..., Any]) -> None:
    said = sweepstakes("run", "forfeits.yaml", "--out", "run")
    assert said.code == 0, said.err
    for label, why in REFUSED.items():
        assert f"{label} forfeits its games: {why}" in said.err
        assert f"agent '{label}' forfeits: {why}" in said.out
    table = json.loads((folder / "run" / "leaderboard.json").read_text())["tables"][0]["standings"]
    faults = {line["agent"]: line["faults"] for line in table}
    assert faults == {"random": 0, **dict.fromkeys(REFUSED, 14)}
    assert "nothing to play" in sweepstakes("run", "forfeits.yaml", "--out", "run").err
    assert sweepstakes("leaderboard", "run").code == 0
    assert sweepstakes("verify", "run", "--sample", "0.1").code in (0, 3)


def test_a_repaired_agent_plays_the_games_that_it_forfeited(folder: Path, sweepstakes: Callable[..., Any]) -> None:
    assert sweepstakes("run", "forfeits.yaml", "--out", "run").code == 0
    (folder / "broken.py").write_text(
        "from sweepstakes import hookimpl\nfrom sweepstakes.plugins.agents.random import Random\n"
        "@hookimpl\ndef sweepstakes_agents():\n    return {'broken': Random}\n"
    )
    assert sweepstakes("run", "forfeits.yaml", "--out", "run").code == 0
    table = json.loads((folder / "run" / "leaderboard.json").read_text())["tables"][0]["standings"]
    assert next(line["faults"] for line in table if line["agent"] == "broken") == 0


def test_forfeits_stay_within_their_shard_and_merged_shards_have_the_tables_of_a_single_run(
    folder: Path, sweepstakes: Callable[..., Any]
) -> None:
    assert sweepstakes("run", "forfeits.yaml", "--out", "single").code == 0
    count = "select agent, count(*) from games group by agent order by agent"
    for number in (1, 2, 3):
        assert sweepstakes("run", "forfeits.yaml", "--shard", f"{number}/3", "--out", f"s.{number}").code == 0
        games = dict(sqlite3.connect(folder / f"s.{number}" / "games.sqlite").execute(count))
        assert len(set(games.values())) == 1, games  # every agent has the same boards
    assert sweepstakes("merge", "s.1", "s.2", "s.3", "--out", "merged").code == 0
    for name in ("leaderboard.md", "leaderboard.csv", "leaderboard.json", "head-to-head.csv"):
        assert (folder / "single" / name).read_bytes() == (folder / "merged" / name).read_bytes()
