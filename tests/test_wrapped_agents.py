"""A built-in agent plays the same games if a file offers it under another name, in whatever process it runs."""

from __future__ import annotations

import functools
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
import yaml
from unpacked import unpacked

from sweepstakes import GameResult, MeasuredScore, Registry
from sweepstakes.executor import Chunk, Limits
from sweepstakes.hosting import sealing
from sweepstakes.plugins.executors.local import Local, StartMethod
from sweepstakes.tournaments.config.loading import parse
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.running.workload import PlanWorkload

pytestmark = pytest.mark.system

PRESETS = sorted((Path(__file__).parents[1] / "tournaments" / "presets").glob("*.yaml"))
START: tuple[StartMethod, ...] = ("fork", "spawn")
AGENTS = Registry.built_in().self_contained_agents()
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


def plan_of(data: dict[str, Any], agents: list[str], isolation: str, games: int) -> Plan:
    """Return a plan of these agents on the boards of a tournament."""
    kept: dict[str, Any] = {key: data[key] for key in ("seed", "boards", "rules", "noise", "scores") if key in data}
    changes = {"agents": agents, "games": games, "moves": "all", "isolation": isolation}
    return make_plan(parse({**kept, **changes}))[0]


def quick_data(preset: Path) -> dict[str, Any]:
    """The tournament of a preset without the scores that need evidence.

    For those an agent plays every game a second time, and says why, which takes hours in all presets together; the
    first test has one of them.
    """
    data: dict[str, Any] = yaml.safe_load(preset.read_text())
    scores = {name: Registry.built_in().make("score", name) for name in data.get("scores", ())}
    quick = [name for name, score in scores.items() if not (isinstance(score, MeasuredScore) and score.needs_evidence)]
    return {**data, "scores": quick or ["win"]}


def play(
    plan: Plan, executor: Local, conditions: Sequence[int] | None = None
) -> dict[tuple[str, int, int], tuple[GameResult, bytes | None]]:
    """Return the result and the moves of every game, by agent, condition and board, for these conditions or for all."""
    conditions = range(len(plan.conditions)) if conditions is None else conditions
    agents, games = range(len(plan.entries)), plan.config.games
    chunks = (Chunk(agent, condition, 0, games) for condition in conditions for agent in agents)
    found = {}
    for rows in executor.run(PlanWorkload(plan), chunks, Limits()):
        for row in unpacked(rows):
            name = plan.entries[row.fixture.agent].spec.name.removeprefix("my-")
            found[name, row.fixture.condition, row.fixture.number] = row.result, row.moves
    assert len(found) == len(conditions) * len(agents) * games
    return found


@functools.cache
def built_in_rows(data: str, games: int) -> dict[tuple[str, int, int], tuple[GameResult, bytes | None]]:
    """Return the games of the built-in agents, played in processes of the referee."""
    return play(plan_of(yaml.safe_load(data), AGENTS, "none", games), Local(workers=2))


@pytest.mark.parametrize(
    "isolation", [pytest.param("process", marks=pytest.mark.slow), pytest.param("sealed", marks=sealable)]
)
def test_an_agent_from_a_file_plays_as_the_built_in_one(wrapped: Path, isolation: str) -> None:
    data = {
        "boards": "16x16/40",
        "rules": [{"on_mine": "continue"}, {"on_mine": "end", "first_click": "safe"}],
        "noise": ["exact-clues", "liar(rate=0.1)"],
        "scores": ["win", "chain-length"],
    }
    found = play(plan_of(data, [f"{wrapped}:my-{name}" for name in AGENTS], isolation, 1), Local(workers=2))
    assert found == built_in_rows(yaml.safe_dump(data), 1)


WAYS: list[tuple[StartMethod, str, int]] = [
    (start, isolation, workers) for start in START for isolation in ("none", "process", "sealed") for workers in (1, 2)
]
"""Return all twelve ways to play a preset."""


def ways(place: int) -> list[tuple[StartMethod, str, int]]:
    """The ways of one preset: by fork every isolation, by spawn one; the numbers of workers alternate.

    Boards, rules and noises reach the agent by its isolation, so every preset sees all three. How processes are
    started, and how many there are, does not depend on the preset: every six presets together see all twelve ways.
    """
    chosen = [WAYS[2 * isolation + (place + isolation) % 2] for isolation in range(3)]
    return [*chosen, WAYS[6 + place % 6]]


def test_every_way_is_taken_by_several_presets() -> None:
    taken = [way for place in range(len(PRESETS)) for way in ways(place)]
    assert min(map(taken.count, WAYS)) >= 2


@pytest.mark.slow
@pytest.mark.parametrize(
    ("preset", "way"),
    [
        pytest.param(
            preset, way, marks=[sealable] if way[1] == "sealed" else [], id=f"{preset.stem}-{'-'.join(map(str, way))}"
        )
        for place, preset in enumerate(PRESETS)
        for way in ways(place)
    ],
)
def test_every_agent_in_every_preset(wrapped: Path, preset: Path, way: tuple[StartMethod, str, int]) -> None:
    """By spawn, which takes seconds to start a host, every fourth agent on a few boards of one condition."""
    start, isolation, workers = way
    data = quick_data(preset)
    agents, conditions = AGENTS, None
    if start == "spawn":
        place = PRESETS.index(preset)
        agents = AGENTS[place % 4 :: 4]
        conditions = [len(plan_of(data, ["random"], "none", 1).conditions) // 2]
    plan = plan_of(data, [f"{wrapped}:my-{name}" for name in agents], isolation, 20 if start == "fork" else 5)
    found = play(plan, Local(workers=workers, start=start), conditions)
    expected = built_in_rows(yaml.safe_dump(data), 20)
    assert {game: row for game, row in found.items() if row != expected[game]} == {}
