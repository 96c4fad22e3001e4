"""Explanations are never part of a game. They change no result, and if they fail, their scores count as missing."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from sweepstakes import RunError
from sweepstakes.game.turn_codec import unpack
from sweepstakes.tournaments import run_tournament
from sweepstakes.tournaments.config.loading import parse
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.running.runner import REPORTS
from sweepstakes.tournaments.storage.run_writer import RunWriter

TABLES = [name for name in REPORTS if name != "timings.csv"]
AGENTS = """
from sweepstakes import Agent, Registry, Turn, hookimpl

class Wordless(Agent):
    \"\"\"Plays like basic; explains by `action`, on boards whose first cell it opens is in the left half.\"\"\"

    def __init__(self, action: str = "nothing") -> None:
        self.action = action
        self.left = False
        self.inner = Registry.default().agent("basic")()

    def act(self, view):
        self.inner._seed = self._seed
        turn = self.inner.act(view)
        if self.left is False:
            self.left = int(turn.open[0]) % view.cols < view.cols // 2 and "yes" or "no"
        if self.explain and (self.left == "yes" or self.action.startswith("always")):
            if self.action.endswith("raises"):
                raise ValueError("no words")
            if self.action.endswith("differs"):
                return Turn()
        return turn._replace(evidence={(0, 0): [(0, 0)]}) if self.action == "talks" else turn

@hookimpl
def sweepstakes_agents():
    return {"wordless": Wordless}
"""


def wordless(action: str) -> dict[str, str]:
    return {"agent": "wordless", "as": action, "action": action}


@pytest.fixture
def run(tmp_path: Path) -> Callable[..., Path]:
    """Runs a small tournament, once more in the same directory if asked again under the same name."""
    (tmp_path / "agents.py").write_text(AGENTS)

    def run(name: str, agents: list[Any], **more: Any) -> Path:
        data = {
            "executor": "serial",
            "seed": 3,
            "games": 14,
            "boards": {"size": 7, "mines": 8},
            "agents": agents,
            **more,
        }
        run_tournament(data, out=tmp_path / name, plugins=(str(tmp_path / "agents.py"),))
        return tmp_path / name

    return run


def tables(directory: Path) -> dict[str, bytes]:
    return {name: (directory / name).read_bytes() for name in TABLES}


def rows(directory: Path) -> list[sqlite3.Row]:
    with closing(sqlite3.connect(directory / "games.sqlite")) as db:
        db.row_factory = sqlite3.Row
        return db.execute("select label, g.* from games g join agents on id = agent order by agent, number").fetchall()


def lines(directory: Path, name: str = "leaderboard.csv") -> dict[str, dict[str, str]]:
    return {line["agent"]: line for line in csv.DictReader(io.StringIO((directory / name).read_text()))}


def measured(directory: Path) -> dict[str, list[float | None]]:
    found: dict[str, list[float | None]] = {}
    for row in rows(directory):
        found.setdefault(row["label"], []).append(json.loads(row["measures"])["chain-length"])
    return found


@pytest.mark.slow
def test_keeping_moves_changes_no_table(run: Callable[..., Path]) -> None:
    agents = ["basic", "exact", wordless("always raises"), wordless("always differs")]
    none, sample, everything = (run(moves, agents, moves=moves) for moves in ("none", "sample", "all"))
    assert tables(none) == tables(sample) == tables(everything)
    assert [line["faults"] for line in lines(everything).values()] == ["0"] * 4
    assert sum(row["moves"] is not None for row in rows(everything)) == 4 * 14
    assert sum(row["moves"] is not None for row in rows(sample)) == 4 * 10


def test_moves_are_kept_without_evidence(run: Callable[..., Path]) -> None:
    kept = run("kept", ["exact", wordless("talks")], moves="all", scores=["identified", "chain-length"])
    turns = [turn for row in rows(kept) for turn in unpack(row["moves"])]
    assert len(turns) > 100
    assert all(turn.evidence is None for turn in turns)


@pytest.mark.system
def test_measures_change_no_other_score(run: Callable[..., Path]) -> None:
    agents = ["basic", wordless("raises"), wordless("differs")]
    scores = ["identified", "win", "turns", "guesses"]
    plain, more = run("plain", agents, scores=scores), run("more", agents, scores=[*scores, "chain-length"])
    others = [key for key in lines(plain)["basic"] if key in lines(more)["basic"]]
    assert len(others) > 15
    for agent, line in lines(plain).items():
        assert [line[key] for key in others] == [lines(more)[agent][key] for key in others]
    assert [row[:14] for row in rows(plain)] == [row[:14] for row in rows(more)]


def test_missing_measures_are_counted_and_left_out_of_their_column_only(run: Callable[..., Path]) -> None:
    out = run("out", ["basic", wordless("raises"), wordless("always differs")], scores=["identified", "chain-length"])
    found = measured(out)
    known = [value for value in found["raises"] if value is not None]
    assert 0 < len(known) < 14
    assert all(value is not None for value in found["basic"])
    table = lines(out)
    assert [table[agent]["missing"] for agent in ("basic", "raises", "always differs")] == [
        "0",
        str(14 - len(known)),
        "14",
    ]
    assert table["raises"]["chain-length"] == f"{np.mean(known):.6f}"
    assert table["always differs"]["chain-length"] == ""
    assert {line["games"] for line in table.values()} == {"14"}
    assert {line["identified"] for line in table.values()} == {table["basic"]["identified"]}
    data = json.loads((out / "leaderboard.json").read_text())
    standing = {line["agent"]: line for line in data["tables"][0]["standings"]}
    assert standing["always differs"]["missing"] == 14
    assert standing["always differs"]["scores"]["chain-length"] == {"mean": None, "low": None, "high": None}
    note = f"raises {14 - len(known)}, always differs 14"
    for name in ("leaderboard.md", "leaderboard.json"):
        assert note in " ".join((out / name).read_text().split())


def test_nothing_is_said_of_missing_measures_where_none_is(run: Callable[..., Path]) -> None:
    out = run("out", ["basic", "exact"], scores=["identified", "chain-length"])
    assert not any(b"issing" in (out / name).read_bytes() for name in REPORTS)


@pytest.mark.system
def test_games_with_missing_measures_are_finished(run: Callable[..., Path], tmp_path: Path) -> None:
    agents, scores = ["basic", wordless("differs")], ["identified", "chain-length"]
    out = run("out", agents, scores=scores)
    before, made = rows(out), tables(out)
    assert None in measured(out)["differs"]
    run("out", agents, scores=scores)
    assert rows(out) == before  # times and all: nothing was played again
    assert tables(out) == made
    missing = measured(out)["differs"].count(None)
    for limits, expected in (({"turn_seconds": 5}, 0), ({"turn_seconds": 20}, missing)):
        data = {"seed": 3, "games": 14, "boards": {"size": 7, "mines": 8}, "agents": agents, "scores": scores}
        plan, registry = make_plan(parse(data | {"limits": limits}), plugins=(str(tmp_path / "agents.py"),))
        with closing(RunWriter(out, plan, registry)) as store:
            assert store.pending() == expected  # higher limits may help


def test_a_board_without_the_score_that_ranks_is_left_out_for_all(run: Callable[..., Path]) -> None:
    out = run("out", ["basic", "exact", wordless("raises")], scores=["chain-length", "turns"])
    known = [value is not None for value in measured(out)["raises"]]
    table = lines(out)
    assert {line["games"] for line in table.values()} == {str(sum(known))}
    of_basic = [value for value, there in zip(measured(out)["basic"], known, strict=True) if there]
    assert table["basic"]["chain-length"] == f"{np.mean(np.array(of_basic, float)):.6f}"
    assert "left out for all" in " ".join((out / "leaderboard.md").read_text().split())


def test_a_score_that_nobody_can_be_ranked_by_is_named_in_a_line(run: Callable[..., Path]) -> None:
    with pytest.raises(RunError) as caught:
        run("out", ["basic", wordless("always raises")], scores=["chain-length"])
    assert str(caught.value) == (
        "no board has the score chain-length for every agent (missing: always raises 14): "
        "rank by another score, or leave out the agents that cannot be played a second time"
    )


def test_times_have_their_median_and_quantiles(run: Callable[..., Path]) -> None:
    out = run("out", ["basic", "exact"])
    for agent in ("basic", "exact"):
        seconds = np.array([row["seconds"] for row in rows(out) if row["label"] == agent])
        assert len(seconds) == 14
        median, p90, p99 = np.quantile(seconds, [0.5, 0.9, 0.99])
        expected = {"seconds": seconds.mean(), "median": median, "p90": p90, "p99": p99, "slowest": seconds.max()}
        line = lines(out, "timings.csv")[agent]
        assert {name: line[name] for name in expected} == {name: f"{value:.6f}" for name, value in expected.items()}
        assert median <= p90 <= p99 <= seconds.max()
