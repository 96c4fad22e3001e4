"""Requests to agents and to the exact engine, each in its process.

An agent that raises, hangs or crashes costs the answer to one request and nothing else.
"""

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
from sweepstakes.web.agents.agent_process import AgentProcess
from sweepstakes.web.agents.protocol import (
    OffBoardError,
    decode_cells,
    decode_odds,
    decode_result,
    decode_turn,
    encode_setup,
    encode_turn,
    encode_view,
)
from sweepstakes.web.server.api_error import ApiError

ENGINE = "the exact engine"
"""The name of the queue and process for mine probabilities and flag checks, which run no agent."""
BUILT_IN = "built-in agents"
"""The name of the queue and process that all built-in agents share; any other agent has its own."""
MAX_THIRD_PARTY = 3
"""How many agents that are not built in may have a process at the same time."""


class AgentService:
    """Sends each request to the process of its agent, or of the exact engine, and checks the answer.

    An answer may take `seconds`; an agent's first turn `first_seconds`, since the agent may have to compile; a second
    game played to explain the first `explain_seconds`. A process answers one request at a time, so an agent that hangs
    delays only the requests to its own process.
    """

    def __init__(
        self,
        registry: Registry | None = None,
        *,
        seconds: float = 10.0,
        first_seconds: float = 60.0,
        explain_seconds: float = 60.0,
    ) -> None:
        self._registry = registry or Registry.default()
        self._plugin_files = plugin_files(self._registry)
        self._seconds = seconds
        self._first_seconds = first_seconds
        self._explain_seconds = explain_seconds
        self._lock = threading.RLock()  # reentrant: a signal handler may call `close` in the thread that holds it
        self._processes = {ENGINE: AgentProcess(None), BUILT_IN: AgentProcess(self._plugin_files)}
        self._third_party: OrderedDict[str, AgentProcess] = OrderedDict()
        self._closed = False

    def start(self) -> None:
        """Start the processes of the engine and of the built-in agents, without waiting until they are ready."""
        for process in self._processes.values():
            process.start()

    def close(self) -> None:
        """Kill all processes; requests that wait for an answer raise `ApiError` at once."""
        with self._lock:
            self._closed = True
            processes = [*self._processes.values(), *self._third_party.values()]
        for process in processes:
            process.close()

    def queue_name(self, agent: Spec) -> str:
        """The name of the queue in which requests to the agent wait: one for each process."""
        built_in = self._registry.find("agent", agent.name).plugin.origin == "built in"
        return BUILT_IN if built_in else f"agent '{agent}'"

    def act(self, key: str, agent: Spec, seed: int, view: View) -> Turn:
        """The turn that the agent would take; all its cells are on the board.

        The agent is started once for each `key`, and may remember the earlier views that it got under this key.
        """
        process = self._process_of(agent)
        seconds = self._seconds if str(agent) in process.warm_agents else self._first_seconds
        responder = f"agent '{agent}'"
        answer = process.request(responder, seconds, "act", key, str(agent), seed, encode_view(view))
        process.warm_agents.add(str(agent))
        with _checked_answer(responder):
            return decode_turn(answer, view.rows, view.cols)

    def odds(self, view: View) -> dict[str, Any]:
        """The exact mine probabilities of a position."""
        answer = self._processes[ENGINE].request(ENGINE, self._seconds, "odds", encode_view(view))
        with _checked_answer(ENGINE):
            return decode_odds(answer, view.rows * view.cols)

    def check_flags(self, view: View) -> tuple[list[int], list[int], list[int]]:
        """The flat indices of the flags that are proven, that are wrong, and that cannot all be right."""
        answer = self._processes[ENGINE].request(ENGINE, self._seconds, "check_flags", encode_view(view))
        with _checked_answer(ENGINE):
            proven, wrong, conflicting = (decode_cells(cells, view.rows * view.cols) for cells in answer)
            return proven, wrong, conflicting

    def play(self, setup: GameSetup, label: str, agent: Spec) -> tuple[GameResult, list[Turn]]:
        """Let the agent play a whole game; if an illegal move ended the game, that is the last turn."""
        responder = f"agent '{label}'"
        process = self._process_of(agent)
        answer = process.request(responder, self._first_seconds, "play", encode_setup(setup), label, str(agent))
        with _checked_answer(responder):
            result, turns = answer
            return decode_result(result, setup), _decode_turns(responder, setup, turns)

    def explain(self, setup: GameSetup, label: str, agent: Spec, turns: list[Turn]) -> list[Turn] | None:
        """The turns with the evidence that the agent gives when it plays the game a second time.

        None if the agent takes other turns the second time, or does not finish the game.
        """
        responder = f"agent '{label}'"
        arguments = (encode_setup(setup), label, str(agent), [encode_turn(turn) for turn in turns])
        answer = self._process_of(agent).request(responder, self._explain_seconds, "explain", *arguments)
        if answer is None:
            return None
        explained = _decode_turns(responder, setup, answer)
        return explained if len(explained) == len(turns) and all(map(same, explained, turns)) else None

    def prove(self, setup: GameSetup, label: str, turns: list[Turn]) -> list[Turn]:
        """The turns of a game with the smallest proofs that the engine finds."""
        arguments = (encode_setup(setup), label, [encode_turn(turn) for turn in turns])
        answer = self._processes[BUILT_IN].request(ENGINE, self._explain_seconds, "prove", *arguments)
        return _decode_turns(ENGINE, setup, answer)

    def _process_of(self, agent: Spec) -> AgentProcess:
        """The agent's process. Above `MAX_THIRD_PARTY` an idle process is closed, the least recently used first."""
        name = self.queue_name(agent)
        with self._lock:
            if name in self._processes:
                return self._processes[name]
            process = self._third_party.pop(name, None)
            if process is None:
                idle = [other for other, its_process in self._third_party.items() if not its_process.busy]
                if len(self._third_party) >= MAX_THIRD_PARTY:
                    if not idle:
                        raise ApiError(503, f"{MAX_THIRD_PARTY} other agents are thinking: try again in a moment")
                    self._third_party.pop(idle[0]).close()
                process = AgentProcess(self._plugin_files)
                if self._closed:
                    process.close()
            self._third_party[name] = process
            return process


def _decode_turns(responder: str, setup: GameSetup, data: Any) -> list[Turn]:
    """The turns of a game; the last may be illegal."""
    rows, cols, _ = setup.size
    with _checked_answer(responder):
        return [decode_turn(turn, rows, cols, allow_off_board=True) for turn in data]


@contextmanager
def _checked_answer(responder: str) -> Iterator[None]:
    """Raise `ApiError` if the answer that is decoded inside is not valid."""
    try:
        yield
    except OffBoardError as cell:
        raise ApiError(422, f"the move breaks the rules: {responder} named {cell}, which is not on the board") from None
    except (TypeError, ValueError):
        raise ApiError(502, f"{responder} sent an answer of the wrong form") from None


def plugin_files(registry: Registry) -> tuple[str, ...]:
    """The plugin files that another process has to load to have the same plugins as the registry."""
    return tuple(plugin.file for plugin in registry.plugins if plugin.origin == "file" and not plugin.error)
