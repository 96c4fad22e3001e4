"""A built-in agent plays the same games when a file offers it under another name, whatever process it lives in."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml

from sweepstakes import Registry
from sweepstakes.executor import Chunk, Limits, Row
from sweepstakes.hosting import sealing
from sweepstakes.plugins.executors.local import Local
from sweepstakes.tournaments.config.loading import parse
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.planning import make_plan

PRESETS = sorted((Path(__file__).parents[1] / "tournaments" / "presets").glob("*.yaml"))
AGENTS = sorted(Registry.built_in().offers("agent"))
sealable = pytest.mark.skipif(bool(sealing.missing()), reason=f"this machine cannot seal: {sealing.missing()}")


@pytest.fixture(scope="module")
def wrapped(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A file that offers every built-in agent as my-NAME."""
    file = tmp_path_factory.mktemp("wrapped") / "wrapped.py"
    file.write_text(
        "from sweepstakes import Registry, hookimpl\n"
        "@hookimpl\n"
        "def sweepstakes_agents():\n"
        "    offers = Registry.built_in().offers('agent')\n"
        "    return {f'my-{name}': offer.factory for name, offer in offers.items()}\n"
    )
    return file


def plan_of(data: dict[str, Any], agents: list[str], file: Path, isolation: str, games: int) -> Plan:
    """A plan of these agents, each as it is and from the file."""
    both = [spec for name in agents for spec in (name, f"{file}:my-{name}")]
    kept: dict[str, Any] = {key: data[key] for key in ("seed", "boards", "rules", "noise", "scores") if key in data}
    changes = {"agents": both, "games": games, "moves": "all", "isolation": isolation}
    return make_plan(parse({**kept, **changes}))[0]


def check(plan: Plan, executor: Local) -> None:
    """Every row of an agent from the file is that of the agent before it."""
    rows: dict[tuple[int, int, int], Row] = {}
    for some in executor.run(plan, chunks(plan), Limits()):
        rows |= {row.fixture: row for row in some}
    assert len(rows) == plan.games
    for (agent, condition, number), row in rows.items():
        if agent % 2 == 0:
            other = rows[agent + 1, condition, number]
            where = plan.entries[agent].label, plan.conditions[condition].label, number
            assert (row.result, row.moves) == (other.result, other.moves), where


def chunks(plan: Plan) -> Iterator[Chunk]:
    for condition in range(len(plan.conditions)):
        for agent in range(len(plan.entries)):
            yield Chunk(agent, condition, 0, plan.config.games)


@pytest.mark.parametrize(
    "isolation", [pytest.param("process", marks=pytest.mark.slow), pytest.param("sealed", marks=sealable)]
)
def test_an_agent_from_a_file_plays_as_the_built_in_one(wrapped: Path, isolation: str) -> None:
    data = {
        "boards": ["beginner", "16x30/99"],
        "rules": [{"on_mine": "continue"}, {"on_mine": "end", "first_click": "safe"}],
        "noise": ["exact-clues", "liar(rate=0.1)"],
        "scores": ["win", "chain-length"] if "chain-length" in Registry.built_in().offers("score") else ["win"],
    }
    check(plan_of(data, AGENTS, wrapped, isolation, 1), Local(workers=2))


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 2])
@pytest.mark.parametrize("isolation", ["none", "process", pytest.param("sealed", marks=sealable)])
@pytest.mark.parametrize("preset", PRESETS, ids=lambda path: path.stem)
def test_every_agent_in_every_preset(wrapped: Path, preset: Path, isolation: str, workers: int) -> None:
    data = yaml.safe_load(preset.read_text())
    check(plan_of(data, AGENTS, wrapped, isolation, 20), Local(workers=workers))
