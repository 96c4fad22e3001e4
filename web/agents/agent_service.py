"""Asks agents, in processes of their own: one that raises, hangs or crashes costs an answer and nothing else."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from sweepstakes.game.result import GameResult
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.turn import Turn
from sweepstakes.game.turn_codec import same
from sweepstakes.game.view import View
from sweepstakes.registry.registry import Registry
from sweepstakes.registry.spec import Spec
from sweepstakes.web.agents.agent_process import Process
from sweepstakes.web.agents.protocol import (
    OffBoard,
    plain_setup,
    plain_turn,
    plain_view,
    read_flat,
    read_odds,
    read_result,
    read_turn,
)
from sweepstakes.web.server.api_error import Refused

ENGINE = "the exact engine"
"""The lane of what no agent answers."""
BUILT_IN = "built-in agents"
"""The lane that all built-in agents share; any other agent has one of its own."""
STRANGERS = 3
"""How many agents that are not built in may have a process at the same time."""


class Adviser:
    """Answers within `seconds`; an agent's first turn may take `first_seconds`, since it may have to compile.

    Each lane has a process of its own and answers one question at a time: an agent that hangs holds up its own lane. A
    second playing, to explain a game, may take `second_seconds`.
    """

    def __init__(
        self,
        registry: Registry | None = None,
        *,
        seconds: float = 10.0,
        first_seconds: float = 60.0,
        second_seconds: float = 60.0,
    ) -> None:
        self._registry = registry or Registry.default()
        self._files = plugin_files(self._registry)
        self._seconds = seconds
        self._first_seconds = first_seconds
        self._second_seconds = second_seconds
        self._lock = threading.RLock()  # a signal may come while this very thread holds it
        self._processes = {ENGINE: Process(None), BUILT_IN: Process(self._files)}
        self._strangers: OrderedDict[str, Process] = OrderedDict()
        self._closed = False

    def start(self) -> None:
        """Start the processes that are always needed, without waiting for them."""
        for process in self._processes.values():
            process.start()

    def close(self) -> None:
        """End all processes for good. Whoever waits for an answer is refused one at once."""
        with self._lock:
            self._closed = True
            processes = [*self._processes.values(), *self._strangers.values()]
        for process in processes:
            process.close()

    def lane(self, agent: Spec) -> str:
        """Whom the agent's questions have to wait for."""
        built_in = self._registry.find("agent", agent.name).plugin.origin == "built in"
        return BUILT_IN if built_in else f"agent '{agent}'"

    def act(self, key: str, agent: Spec, seed: int, view: View) -> Turn:
        """The turn that the agent would take, every cell of which is on the board."""
        process = self._process(agent)
        seconds = self._seconds if str(agent) in process.seen else self._first_seconds
        who = f"agent '{agent}'"
        plain = process.ask(who, seconds, "act", key, str(agent), seed, plain_view(view))
        process.seen.add(str(agent))
        with _read(who):
            return read_turn(plain, view.rows, view.cols)

    def odds(self, view: View) -> dict[str, Any]:
        """The exact mine probabilities of a position."""
        plain = self._processes[ENGINE].ask(ENGINE, self._seconds, "odds", plain_view(view))
        with _read(ENGINE):
            return read_odds(plain, view.rows * view.cols)

    def flags(self, view: View) -> tuple[list[int], list[int], list[int]]:
        """The flags of a position, as flat indices: those proven, those wrong, and those that cannot all be right."""
        plain = self._processes[ENGINE].ask(ENGINE, self._seconds, "flags", plain_view(view))
        with _read(ENGINE):
            proven, wrong, together = (read_flat(cells, view.rows * view.cols) for cells in plain)
            return proven, wrong, together

    def play(self, setup: GameSetup, label: str, agent: Spec) -> tuple[GameResult, list[Turn]]:
        """A whole game played again; if it ended by an illegal move, that is its last turn."""
        who = f"agent '{label}'"
        answer = self._process(agent).ask(who, self._first_seconds, "play", plain_setup(setup), label, str(agent))
        with _read(who):
            result, turns = answer
            return read_result(result, setup), _turns(who, setup, turns)

    def explain(self, setup: GameSetup, label: str, agent: Spec, turns: list[Turn]) -> list[Turn] | None:
        """The turns of a game with the evidence of a second playing; None if that comes to nothing."""
        who, plain = f"agent '{label}'", [plain_turn(turn) for turn in turns]
        arguments = (plain_setup(setup), label, str(agent), plain)
        told = self._process(agent).ask(who, self._second_seconds, "explain", *arguments)
        if told is None:
            return None
        explained = _turns(who, setup, told)
        return explained if len(explained) == len(turns) and all(map(same, explained, turns)) else None

    def prove(self, setup: GameSetup, label: str, turns: list[Turn]) -> list[Turn]:
        """The turns of a game with the engine's own smallest proofs."""
        arguments = (plain_setup(setup), label, [plain_turn(turn) for turn in turns])
        told = self._processes[BUILT_IN].ask(ENGINE, self._second_seconds, "prove", *arguments)
        return _turns(ENGINE, setup, told)

    def _process(self, agent: Spec) -> Process:
        """The process of the agent's lane. One that nobody waits for makes room where there are too many."""
        lane = self.lane(agent)
        with self._lock:
            if lane in self._processes:
                return self._processes[lane]
            process = self._strangers.pop(lane, None)
            if process is None:
                idle = [name for name, other in self._strangers.items() if not other.busy]
                if len(self._strangers) >= STRANGERS:
                    if not idle:
                        raise Refused(503, f"{STRANGERS} other agents are thinking: ask again in a while")
                    self._strangers.pop(idle[0]).close()
                process = Process(self._files)
                if self._closed:
                    process.close()
            self._strangers[lane] = process
            return process


def _turns(who: str, setup: GameSetup, plain: Any) -> list[Turn]:
    """The turns of a game; the last may be an illegal one."""
    rows, cols, _ = setup.size
    with _read(who):
        return [read_turn(turn, rows, cols, anywhere=True) for turn in plain]


@contextmanager
def _read(who: str) -> Iterator[None]:
    """Refuse what cannot be read."""
    try:
        yield
    except OffBoard as cell:
        raise Refused(422, f"the move breaks the rules: {who} named {cell}, which is not on the board") from None
    except (TypeError, ValueError):
        raise Refused(502, f"{who} answered something else than was asked for") from None


def plugin_files(registry: Registry) -> tuple[str, ...]:
    """The plugin files that another process has to load to know what this one knows."""
    return tuple(plugin.file for plugin in registry.plugins if plugin.origin == "file" and not plugin.error)
