"""Hostile agents and programs in hosts: none hangs the referee, gains anything, or leaves a process behind."""

from __future__ import annotations

import sys
import uuid
from collections.abc import Iterator
from pathlib import Path

import deeds
import pytest
from marked_processes import MARK, marked
from waiting import wait_until

from sweepstakes import GameSetup, Registry, Size, play_game
from sweepstakes.game.result import Ending, GameResult
from sweepstakes.hosting import sealing
from sweepstakes.hosting.client import Hosts
from sweepstakes.hosting.hosted_agent import HostedAgents
from sweepstakes.limits import Limits
from sweepstakes.registry.agent_source import AgentSource, own_files
from sweepstakes.registry.plugin_source import PluginSource

LACKS = sealing.missing()
pytestmark = [
    pytest.mark.system,
    pytest.mark.own_server,
    pytest.mark.skipif(bool(LACKS), reason="; ".join(LACKS)),
]
LIMITS = Limits(turn_seconds=0.3, game_seconds=3, memory_mb=160, start_seconds=1)
PATIENT = Limits(turn_seconds=60, game_seconds=60, memory_mb=160, start_seconds=60)
SETUP = GameSetup(Size(4, 4, 3), number=1)
ISOLATIONS = ("process", "sealed")
DEEDS = [*(("first", name, code) for name, code in deeds.HARMLESS.items())] + [
    (when, name, code) for when, some in deeds.FAULTS.items() for name, code in some.items()
]


@pytest.fixture(scope="module")
def hosts() -> Iterator[Hosts]:
    """Hosts of one server for all deeds; at the end no process is left."""
    mark = uuid.uuid4().hex
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(MARK, mark)
        with Hosts(warm=()) as hosts:
            yield hosts
    wait_until(lambda: not marked(mark), 5)
    assert marked(mark) == []


def play(hosts: Hosts, source: AgentSource, isolation: str, limits: Limits = LIMITS) -> list[GameResult]:
    """Play two games of one agent, the second in the same host if that is still alive."""
    with HostedAgents(hosts, source, limits, isolation) as agents:
        return [play_game(SETUP.game(Registry.built_in()), agents).result for _ in range(2)]


def check(games: list[GameResult], honest: list[GameResult]) -> None:
    for game, honest_game in zip(games, honest, strict=True):
        assert game.ending.is_fault or game == honest_game or game.ending is not Ending.WON, game
        assert len(game.fault) < 1000
        assert "internal error" not in game.fault


def agent(folder: Path, **parameters: str) -> AgentSource:
    plugin = PluginSource("file", "deeds", str(folder / "deeds.py"), deeds.AGENT)
    return AgentSource(plugin, "deed", parameters)


@pytest.fixture(scope="module")
def honest(hosts: Hosts, tmp_path_factory: pytest.TempPathFactory) -> list[GameResult]:
    """What the agent plays without a hostile action."""
    games = play(hosts, agent(tmp_path_factory.mktemp("honest")), "process", PATIENT)
    assert not any(game.ending.is_fault for game in games)
    return games


ALL_OR_SOME = [pytest.param(1, marks=pytest.mark.slow, id="all"), pytest.param(5, id="every fifth")]
"""Each action is tried under one isolation, or in the slow tier under both."""


@pytest.mark.parametrize("step", ALL_OR_SOME)
@pytest.mark.parametrize("isolation", ISOLATIONS)
def test_a_hostile_agent_disturbs_nobody(
    isolation: str, step: int, hosts: Hosts, honest: list[GameResult], tmp_path: Path
) -> None:
    for when, name, code in DEEDS[ISOLATIONS.index(isolation) * (step - 1) :: step]:
        print(name, flush=True)
        check(play(hosts, agent(tmp_path, **{when: code}), isolation), honest)
    assert play(hosts, agent(tmp_path), isolation, PATIENT) == honest


def program(folder: Path, name: str, **parts: str) -> AgentSource:
    file = folder / f"{name}.py"
    known = {"before": "", "ready": deeds.GOOD_READY, "game": "", "answer": deeds.GOOD_ANSWER, "end": ""}
    file.write_text(deeds.PROGRAM.format(**{**known, **parts}))
    return AgentSource(None, name, words=(sys.executable, str(file)), files=own_files([str(file)]))


@pytest.mark.parametrize("step", ALL_OR_SOME)
@pytest.mark.parametrize("isolation", ISOLATIONS)
def test_a_hostile_program_disturbs_nobody(isolation: str, step: int, hosts: Hosts, tmp_path: Path) -> None:
    honest = play(hosts, program(tmp_path, "good"), isolation, PATIENT)
    assert not any(game.ending.is_fault for game in honest)
    for name, parts in list(deeds.PROGRAMS.items())[ISOLATIONS.index(isolation) * (step - 1) :: step]:
        print(name, flush=True)
        check(play(hosts, program(tmp_path, name, **parts), isolation), honest)
    assert play(hosts, program(tmp_path, "good"), isolation, PATIENT) == honest
