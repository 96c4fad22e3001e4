"""Whatever an agent does when it plays a game again to explain it, the first row counts; only measures are missing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from unpacked import unpacked

from sweepstakes import GameResult
from sweepstakes.executor import Chunk, Executor, Fixture, Limits, Row
from sweepstakes.plugins.executors.local import Local, StartMethod
from sweepstakes.plugins.executors.serial import Serial
from sweepstakes.tournaments.config.loading import parse
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.running.workload import PlanWorkload

pytestmark = pytest.mark.system

NASTY = str(Path(__file__).parent.parent / "nasty" / "agents.py")
GAMES = 6
NO_LIMITS = Limits()
DEEDS = [
    "raise_error",
    "raise_weird",
    "raise_interrupt",
    "leave",
    "no_stack",
    "python_hang",
    "hang_in_c",
    "leave_hard",
    "kill_self",
    "segfault",
    "close_files",
    "write_everywhere",
    "eat_memory",
    "eat_at_once",
    "otherwise",
]
NUISANCES = ["print_garbage", "leave_child", "leave_thread", "tamper"]
Found = dict[int, tuple[GameResult, bytes | None]]

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="limits memory")
SLOW_SPAWN = pytest.param("spawn", marks=pytest.mark.slow)
"""Every process under spawn loads all code again, which takes seconds."""


def teller(action: str) -> dict[str, Any]:
    return {"agent": "teller", "as": action, "action": action}


def plan(agents: list[Any], scores: tuple[str, ...] = ("identified", "chain-length")) -> Plan:
    data = {"boards": {"size": 4, "mines": 3}, "agents": agents, "games": GAMES, "moves": "all", "scores": scores}
    return make_plan(parse(data), plugins=(NASTY,))[0]


def chunks(plan: Plan, size: int) -> Iterator[Chunk]:
    for agent in range(len(plan.entries)):
        for first in range(0, GAMES, size):
            yield Chunk(agent, 0, first, min(first + size, GAMES))


def play(executor: Executor, plan: Plan, limits: Limits = NO_LIMITS, size: int = GAMES) -> dict[str, Found]:
    """Results and moves by agent and board; no row comes twice."""
    rows: dict[Fixture, Row] = {}
    for some in executor.run(PlanWorkload(plan), chunks(plan, size), limits):
        for row in unpacked(some):
            assert row.fixture not in rows
            rows[row.fixture] = row
    assert len(rows) == GAMES * len(plan.entries)
    return {
        entry.label: {f.number: (row.result, row.moves) for f, row in sorted(rows.items()) if f.agent == i}
        for i, entry in enumerate(plan.entries)
    }


@pytest.fixture(scope="module")
def calm() -> Found:
    return play(Serial(), plan(["calm"]))["calm"]


@pytest.fixture(scope="module")
def faulty_games() -> set[int]:
    """The games in which the agent `teller` does its action: the same as those of `nasty`."""
    found = play(Serial(), plan([{"agent": "nasty", "as": "it", "action": "raise_error"}]))["it"]
    return {number for number, (result, _) in found.items() if result.ending.is_fault}


@pytest.fixture(scope="module", params=["fork", SLOW_SPAWN])
def mixed_rows(request: pytest.FixtureRequest) -> dict[str, Found]:
    """The rows, by agent, of one tournament of all deeds with healthy agents in between."""
    agents: list[Any] = []
    actions = [*DEEDS, *NUISANCES]
    for i in range(0, len(actions), 4):
        agents += [{"agent": "calm", "as": f"calm-{i}"}, *map(teller, actions[i : i + 4])]
    return play(Local(workers=2, start=request.param), plan(agents), Limits(turn_seconds=0.6, memory_mb=64), size=4)


@linux
@pytest.mark.parametrize("action", DEEDS)
def test_a_second_playing_that_fails_costs_measures_and_nothing_else(
    mixed_rows: dict[str, Found], calm: Found, faulty_games: set[int], action: str
) -> None:
    assert faulty_games
    for number, (result, moves) in mixed_rows[action].items():
        expected, expected_moves = calm[number]
        assert moves == expected_moves, result
        assert expected.measures["chain-length"] is not None
        assert result == (expected._replace(measures={"chain-length": None}) if number in faulty_games else expected)


@linux
@pytest.mark.parametrize("action", NUISANCES)
def test_a_nuisance_in_a_second_playing_changes_nothing(mixed_rows: dict[str, Found], calm: Found, action: str) -> None:
    assert mixed_rows[action] == calm


@linux
def test_healthy_agents_do_not_suffer_from_the_explanations_of_others(
    mixed_rows: dict[str, Found], calm: Found
) -> None:
    assert all(rows == calm for name, rows in mixed_rows.items() if name.startswith("calm-"))


@linux
@pytest.mark.parametrize("start", ["fork", SLOW_SPAWN])
def test_the_memory_limit_of_an_agent_in_a_host_does_not_limit_the_referee(calm: Found, start: StartMethod) -> None:
    """A thread for the standard error of a host has a stack of 8 MB in the referee."""
    assert play(Local(workers=1, start=start), plan(["calm"]), Limits(memory_mb=4))["calm"] == calm


@linux
@pytest.mark.parametrize("start", ["fork", SLOW_SPAWN])
def test_a_game_is_not_played_again_because_its_explanation_failed(tmp_path: Path, start: StartMethod) -> None:
    """An agent that knows how the game ended, and kills its process when it does not like it, gets no second try."""
    agent = tmp_path / "tries.py"
    agent.write_text(
        "import os, signal\n"
        "from pathlib import Path\n"
        "from sweepstakes import Agent, Turn, hookimpl\n"
        f"NOTES = Path({str(tmp_path)!r})\n"
        "class Tries(Agent):\n"
        "    def act(self, view):\n"
        "        note = NOTES / f'{self._seed}'\n"
        "        if self.explain:\n"
        "            os.kill(os.getpid(), signal.SIGKILL)\n"
        "        if note.exists():\n"
        "            return Turn(flag=view.covered(), why='random')\n"
        "        note.touch()\n"
        "        return Turn()\n"
        "@hookimpl\n"
        "def sweepstakes_agents():\n"
        "    return {'tries': Tries}\n"
    )
    data = {
        "boards": {"size": 4, "mines": 3},
        "agents": ["random", str(agent)],
        "games": GAMES,
        "scores": ["identified", "chain-length"],
    }
    workload = make_plan(parse(data))[0]
    rows = play(
        Local(workers=1, start=start), workload, size=2
    )  # one process for both agents: which of them killed it?
    assert [str(result.ending) for result, _ in rows["tries"].values()] == ["gave up"] * GAMES
    assert [result.measures for result, _ in rows["tries"].values()] == [{"chain-length": None}] * GAMES
    assert all(result.measures["chain-length"] is not None for result, _ in rows["random"].values())


@pytest.mark.parametrize("action", ["raise_error", "otherwise"])
def test_serial_gives_the_same_rows(calm: Found, faulty_games: set[int], action: str) -> None:
    found = play(Serial(), plan([teller(action)]))[action]
    assert {number for number, (result, _) in found.items() if None in result.measures.values()} == faulty_games
    assert {number: result._replace(measures={}) for number, (result, _) in found.items()} == {
        number: result._replace(measures={}) for number, (result, _) in calm.items()
    }
