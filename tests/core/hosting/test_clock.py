"""The clock of an agent stops while the agent waits for a core, and at no other time."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import pytest

from sweepstakes import GameSetup, Registry, Size, os_support, play_game
from sweepstakes.executor import Limits
from sweepstakes.game.result import Ending
from sweepstakes.hosting.client import Hosts
from sweepstakes.hosting.clock import Clock, GameClock, HostTimeout
from sweepstakes.hosting.forked import Process
from sweepstakes.hosting.hosted_agent import HostedAgents
from sweepstakes.os_support import Schedule
from sweepstakes.resolving import find_agent


class Machine:
    """A machine whose time passes only while the referee waits.

    In each second the host computes and waits for a core for these seconds, in all its threads together.
    """

    pid = 1

    def __init__(self, computes: float, waits: float, late: float = 0.0) -> None:
        self._computes = computes
        self._waits = waits
        self._late = late
        self.now = 0.0
        self.known_cpu_seconds = 0.0

    def schedule(self, _: int) -> Schedule:
        return Schedule(self._computes * self.now, self._waits * self.now)

    def poll(self, milliseconds: float) -> Sequence[Any]:
        self.now += milliseconds / 1000 + self._late
        return []

    def cpu_seconds(self) -> float:
        self.known_cpu_seconds = self._computes * self.now
        return self.known_cpu_seconds

    def clock(self) -> Clock:
        return Clock(cast(Process, self), lambda: None, now=lambda: self.now)


def charged_until(machine: Machine, monkeypatch: pytest.MonkeyPatch, seconds: float = 2.0) -> float:
    """When an agent that never answers is stopped, on the clock of the machine."""
    monkeypatch.setattr(os_support, "schedule", machine.schedule)
    clock = machine.clock()
    clock.start(seconds)
    with pytest.raises(HostTimeout):
        clock.wait(machine)
    return machine.now


@pytest.mark.parametrize("seconds", [0.2, 2.0])
@pytest.mark.parametrize(
    ("computes", "waits", "times"),
    [
        (1.0, 0.0, 1),  # it has a core for itself
        (0.0, 0.0, 1),  # it sleeps
        (0.25, 0.75, 4),  # it has a quarter of a core, and would have used all of it
        (0.0, 0.5, 2),  # half of the time it is ready, and sleeps for the rest
        (1.0, 63.0, 1),  # 64 threads of its own share one core
        (2.0, 62.0, 1),  # or two
        (0.5, 63.0, 2),  # another process has half of the core on which they wait for each other
        (0.0, 1.0, 20),  # it never gets a core
    ],
)
def test_the_clock_stands_while_the_host_waits_for_a_core(
    computes: float, waits: float, times: float, seconds: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    stopped = charged_until(Machine(computes, waits), monkeypatch, seconds)
    assert stopped / seconds == pytest.approx(times, rel=0.06)


def test_a_referee_that_wakes_up_late_takes_nothing_off_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of every second the machine runs the two for a third: the referee is late by the two others."""
    assert charged_until(Machine(1 / 3, 2 / 3, late=0.1), monkeypatch) == pytest.approx(6, rel=0.1)


def test_a_referee_that_is_held_up_between_two_looks_charges_nobody(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(0.0, 0.0)
    monkeypatch.setattr(os_support, "schedule", machine.schedule)
    clock = machine.clock()
    clock.start(2.0)
    machine.now = 50.0
    with pytest.raises(HostTimeout):
        clock.wait(machine)
    assert machine.now == pytest.approx(52.0, abs=0.2)


def test_a_game_is_not_charged_for_waiting_in_turns_that_were_in_time(monkeypatch: pytest.MonkeyPatch) -> None:
    machine = Machine(0.25, 0.75)
    monkeypatch.setattr(os_support, "schedule", machine.schedule)
    clock = machine.clock()
    game = GameClock(clock, Limits(turn_seconds=50, game_seconds=60))

    def play(seconds: float, taken_off: float = 0.0) -> float:
        """A turn that takes `seconds`; how long it might have taken."""
        game.start_turn()
        machine.now += seconds
        clock.take_off(taken_off)
        game.end_turn()
        return game.allowed

    assert play(4) == 50
    assert play(40) == 50
    assert play(4, taken_off=3) == pytest.approx(60 - 44 + 30)
    assert play(0) == pytest.approx(60 - 44 + 30 - 1)


AGENT = """import os, time
from sweepstakes import Agent, Turn, hookimpl

class Works(Agent):
    def __init__(self, computes: float = 0.0, sleeps: float = 0.0, core: int = 0):
        os.sched_setaffinity(0, {core})
        self.computes, self.sleeps = computes, sleeps

    def act(self, view):
        until = time.process_time() + self.computes
        while time.process_time() < until:
            pass
        time.sleep(self.sleeps)
        return Turn(open=view.covered()[:1])

@hookimpl
def sweepstakes_agents():
    return {"works": Works}
"""


@contextmanager
def busy_core(core: int, processes: int) -> Iterator[None]:
    """A core on which other processes compute all the time."""
    code = f"import os; os.sched_setaffinity(0, {{{core}}}); print(flush=True)\nwhile True: pass"
    command = [sys.executable, "-c", code]
    running = [  # each in a session of its own: Linux may divide a core among sessions
        subprocess.Popen(command, stdout=subprocess.PIPE, start_new_session=True) for _ in range(processes)
    ]
    try:
        for each in running:
            assert each.stdout is not None
            each.stdout.readline()
        yield
    finally:
        for each in running:
            each.kill()
            each.communicate()


@pytest.fixture
def playing(tmp_path: Path) -> Iterator[Callable[..., HostedAgents]]:
    (tmp_path / "works.py").write_text(AGENT)
    source = find_agent(Registry([tmp_path / "works.py"]), "works", check=False)
    assert source is not None
    with Hosts() as hosts:
        yield lambda limits, **parameters: HostedAgents(hosts, source._replace(parameters=parameters), limits)


@pytest.mark.system
@pytest.mark.skipif(not Path("/proc/self/schedstat").exists(), reason="the system does not say who waits for a core")
def test_an_agent_that_shares_its_core_with_others_loses_no_game_by_them(playing: Callable[..., HostedAgents]) -> None:
    """Next to six busy processes, 0.3 s of work take more than 2 s, twice the limit; one that sleeps is charged."""
    core = max(os.sched_getaffinity(0))
    limits = Limits(turn_seconds=1, game_seconds=60, start_seconds=60)
    game = GameSetup(Size(1, 1, 0))
    with busy_core(core, 6):
        honest, sleeper = playing(limits, computes=0.3, core=core), playing(limits, sleeps=1.5, core=core)
        assert play_game(game.game(), honest).result.ending is Ending.WON
        assert play_game(game.game(), sleeper).result.ending is Ending.TIME_OUT
        honest.end()
        sleeper.end()
