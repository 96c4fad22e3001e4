"""Requests to agents, which answer in other processes.

An agent that raises, hangs or crashes costs the answer to one request and nothing else.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import numpy as np

from sweepstakes.game.board import Board
from sweepstakes.game.result import GameResult
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.turn import Cells, Turn, as_cells
from sweepstakes.game.view import View
from sweepstakes.registry.registry import Registry
from sweepstakes.resolving import find_agent
from sweepstakes.spec import Spec
from sweepstakes.web.agents.run_agents import RunAgent
from sweepstakes.web.agents.shared_hosts import SharedHosts
from sweepstakes.web.agents.third_party_agent import ThirdPartyAgent
from sweepstakes.web.agents.worker import Worker
from sweepstakes.web.server.api_error import ApiError
from sweepstakes.web.server.requests import spec_by_name

ENGINE = "the exact engine"
"""What messages call the process that finds the proofs of stored games."""
CHAMPION = "agent 'champion'"
BUILT_IN = "built-in agents"
"""The name of the queue and process that all built-in agents share; any other agent has its own."""
MAX_THIRD_PARTY = 3
"""The number of agents that are not built in and may have a host at the same time."""


class AgentService:
    """Sends each request to the process that answers it.

    Agents that are not built in are asked in hosts. The built-in agents are our own code, which runs in a worker.

    An answer may take `seconds`. An agent's first turn may take `first_seconds`, since it may have to compile. A second
    game, played to explain the first, may take `explain_seconds`. A process answers one request at a time, so an agent
    that hangs delays only the requests to its own process. The hosts of agents that are not built in have the
    `isolation`, `process` or `sealed`; this process imports no such agent. `run_agents` are the agents of the run, by
    label. They take precedence over those of the registry.
    """

    def __init__(
        self,
        registry: Registry | None = None,
        *,
        seconds: float = 10.0,
        first_seconds: float = 60.0,
        explain_seconds: float = 60.0,
        isolation: str = "process",
        run_agents: Mapping[str, RunAgent] | None = None,
    ) -> None:
        self._registry = registry or Registry.default()
        self._seconds = seconds
        self._first_seconds = first_seconds
        self._explain_seconds = explain_seconds
        self._isolation = isolation
        self.run_agents = dict(run_agents or {})
        """The agents of the run that are not built in, by label."""
        built_in = tuple(Registry.built_in().self_contained_agents())
        self._hosts = SharedHosts(built_in)
        self._built_in = Worker(built_in, self._registry.imported())
        self._lock = threading.Lock()
        self._third_party: OrderedDict[str, ThirdPartyAgent] = OrderedDict()

    def start(self) -> None:
        """Start the worker, and the server of hosts if an agent needs one, without waiting for them."""
        self._built_in.start()
        offers = self._registry.offers("agent").values()
        if self.run_agents or any(offer.plugin.origin != "built in" for offer in offers):
            self._hosts.open()

    def close(self) -> None:
        """Kill all processes; requests that wait for an answer raise `ApiError` in a moment."""
        self._hosts.close()
        processes: list[Worker | ThirdPartyAgent] = [self._built_in, *self._third_party.values()]
        for process in processes:
            process.close()

    def find(self, text: str) -> Spec:
        """Return the agent that a browser names. Raise `ApiError` or `SweepstakesError` if it does not exist."""
        return self.checked(Spec(text) if text in self.run_agents else spec_by_name(text, "agent"))

    def checked(self, agent: Spec) -> Spec:
        """Check the parameters of the agent and return it. An agent of the run is named by its label."""
        own = self.run_agents.get(str(agent))
        if own is None:
            built_in = self._is_built_in(agent)
            return self._registry.checked("agent", agent) if built_in else find_agent(self._registry, agent).spec
        if own.source is None:
            raise ApiError(409, f"agent '{agent}' cannot be asked: {own.missing}")
        return agent

    def queue_name(self, agent: Spec) -> str:
        """Return the name of the queue in which requests to the agent wait: one for each host."""
        return BUILT_IN if self._is_built_in(agent) else f"agent '{agent}'"

    def act(self, key: str, agent: Spec, seed: int, view: View) -> Turn:
        """Return the turn that the agent would take; all its cells are on the board.

        The agent is started once for each `key`, and may remember the earlier views that it got under this key.
        """
        responder, seconds, first_seconds = f"agent '{agent}'", self._seconds, self._first_seconds
        if self._is_built_in(agent):
            turn = self._built_in.call(responder, seconds, "act", key, agent, seed, view, first_seconds=first_seconds)
        else:
            with self._asking(agent) as player:
                turn = player.act(responder, key, seed, view, seconds, first_seconds)
        return _on_board(turn, view, responder)

    def advise(self, view: View) -> dict[str, Any]:
        """Return what `champion` would open in a position, and the cells that it considered."""
        advice: dict[str, Any] = self._built_in.call(CHAMPION, self._first_seconds, "advise", view)
        return advice

    def deal(self, setup: GameSetup, protected: tuple[int, ...]) -> Board:
        """Return the board of a game whose first click protects these cells. A board source may take long for it."""
        found = self._built_in.call(f"board source '{setup.source}'", self._seconds, "deal", setup, protected)
        if not isinstance(found, Board):
            raise ApiError(422, found[:1000])
        return found

    def play(self, setup: GameSetup, label: str, agent: Spec) -> tuple[GameResult, list[Turn]]:
        """Let the agent play a whole game. If an illegal move ended the game, it is the last turn."""
        responder, seconds = f"agent '{label}'", self._first_seconds
        if self._is_built_in(agent):
            row, turns = self._built_in.call(responder, seconds, "play", setup, label, agent)
            return GameResult.from_row(setup.size, row), turns
        with self._asking(agent) as player:
            return player.play(responder, setup.game(self._registry, label), seconds)

    def explain(self, setup: GameSetup, label: str, agent: Spec, turns: list[Turn]) -> list[Turn] | None:
        """Return the turns with the evidence that the agent gives when it plays the game a second time.

        Returns None if the agent takes other turns the second time, or does not finish the game.
        """
        responder, seconds = f"agent '{label}'", self._explain_seconds
        explained: list[Turn] | None
        if self._is_built_in(agent):
            explained = self._built_in.call(responder, seconds, "explain", setup, label, agent, turns)
            return explained
        with self._asking(agent) as player:
            explained = player.explain(responder, setup.game(self._registry, label), turns, seconds)
        return None if explained is None else self._add_proofs(setup, label, explained)

    def prove(self, setup: GameSetup, label: str, turns: list[Turn], *, keep_evidence: bool = False) -> list[Turn]:
        """Return the turns of a game with the smallest proofs that the engine finds, besides evidence that is kept."""
        seconds = self._explain_seconds
        proven: list[Turn] = self._built_in.call(ENGINE, seconds, "prove", setup, label, turns, keep_evidence)
        return proven

    def _add_proofs(self, setup: GameSetup, label: str, explained: list[Turn]) -> list[Turn]:
        """Return the turns with a proof of the engine for each cell without evidence, if the engine answers."""
        try:
            return self.prove(setup, label, explained, keep_evidence=True)
        except ApiError:
            self._hosts.check_open()
            return explained

    def _is_built_in(self, agent: Spec) -> bool:
        if str(agent) in self.run_agents:
            return False
        return self._registry.find("agent", agent.name).plugin.origin == "built in"

    @contextmanager
    def _asking(self, agent: Spec) -> Iterator[ThirdPartyAgent]:
        """The agent, which keeps its host as long as it is asked.

        Above `MAX_THIRD_PARTY`, hosts of agents without requests are ended, the least recently used first.
        """
        name = str(agent)
        with self._lock:
            player = self._third_party.pop(name, None)
            if player is None:
                idle = [other for other, its in self._third_party.items() if not its.requests]
                if len(self._third_party) >= MAX_THIRD_PARTY:
                    if not idle:
                        raise ApiError(503, f"{MAX_THIRD_PARTY} other agents are thinking: try again in a moment")
                    self._third_party.pop(idle[0]).close()
                own = self.run_agents.get(name)
                source = find_agent(self._registry, agent, check=False) if own is None else own.source
                assert source is not None
                player = ThirdPartyAgent(self._hosts, source, self._isolation)
            self._third_party[name] = player
            player.requests += 1
        try:
            yield player
        finally:
            with self._lock:
                player.requests -= 1


def _on_board(turn: Turn, view: View, responder: str) -> Turn:
    """Return the turn with its cells as flat indices. Raise `ApiError` if one of them is not on the board."""

    def flat(cells: Cells) -> Cells:
        named = as_cells(cells, view.cols)
        for row, col in named:
            if not (0 <= row < view.rows and 0 <= col < view.cols):
                where = f"({row}, {col}), which is not on the board"
                raise ApiError(422, f"the move breaks the rules: {responder} named {where}")
        return np.array([row * view.cols + col for row, col in named], np.int64)

    return turn._replace(open=flat(turn.open), flag=flat(turn.flag), unflag=flat(turn.unflag))
