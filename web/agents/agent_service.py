"""Requests to agents and to the exact engine, each in its host process.

An agent that raises, hangs or crashes costs the answer to one request and nothing else.
"""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

from sweepstakes.game.board import Board
from sweepstakes.game.result import GameResult
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.turn import Turn
from sweepstakes.game.turn_codec import same
from sweepstakes.game.view import View
from sweepstakes.registry.registry import Registry
from sweepstakes.registry.spec import Spec
from sweepstakes.web.agents.analysis_answers import (
    checked_advice,
    checked_odds,
    checked_proof,
    checked_solution,
)
from sweepstakes.web.agents.protocol import (
    OffBoardError,
    decode_cells,
    decode_result,
    decode_turn,
    encode_setup,
    encode_turn,
    encode_view,
)
from sweepstakes.web.agents.run_agents import RunAgent
from sweepstakes.web.agents.service_host import ServiceHost
from sweepstakes.web.agents.shared_hosts import SharedHosts
from sweepstakes.web.agents.third_party_agent import ThirdPartyAgent
from sweepstakes.web.server.api_error import ApiError
from sweepstakes.web.server.requests import spec_by_name

ENGINE = "the exact engine"
"""The name of the queue and process for mine probabilities and flag checks, which run no agent."""
BUILT_IN = "built-in agents"
"""The name of the queue and process that all built-in agents share; any other agent has its own."""
MAX_THIRD_PARTY = 3
"""How many agents that are not built in may have a host at the same time."""


class AgentService:
    """Sends each request to the host of its agent, or of the exact engine, and checks the answer.

    An answer may take `seconds`; an agent's first turn `first_seconds`, since the agent may have to compile; a second
    game played to explain the first `explain_seconds`. A host answers one request at a time, so an agent that hangs
    delays only the requests to its own host. The hosts of agents that are not built in have the `isolation`, `process`
    or `sealed`; this process imports no such agent. `run_agents` are those of the run, by label: they come before those
    of the registry.
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
        self._hosts = SharedHosts(tuple(Registry.built_in().offers("agent")))
        self._engine = ServiceHost(self._hosts, ())
        self._built_in = ServiceHost(self._hosts, self._registry.imported())
        self._lock = threading.Lock()
        self._third_party: OrderedDict[str, ThirdPartyAgent] = OrderedDict()

    def start(self) -> None:
        """Start the process that the hosts are forked from, without waiting until it is ready."""
        self._hosts.open()

    def close(self) -> None:
        """Kill all hosts; requests that wait for an answer raise `ApiError` in a moment."""
        self._hosts.close()
        hosts: list[ServiceHost | ThirdPartyAgent] = [self._engine, self._built_in, *self._third_party.values()]
        for host in hosts:
            host.close()

    def find(self, text: str) -> Spec:
        """The agent that a browser names; `ApiError` or `SweepstakesError` if there is none."""
        return self.checked(Spec(text) if text in self.run_agents else spec_by_name(text, "agent"))

    def checked(self, agent: Spec) -> Spec:
        """The agent with its parameters checked; an agent of the run is named by its label."""
        own = self.run_agents.get(str(agent))
        if own is None:
            return self._registry.checked("agent", agent)
        if own.source is None:
            raise ApiError(409, f"agent '{agent}' cannot be asked: {own.missing}")
        return agent

    def queue_name(self, agent: Spec) -> str:
        """The name of the queue in which requests to the agent wait: one for each host."""
        return BUILT_IN if self._is_built_in(agent) else f"agent '{agent}'"

    def act(self, key: str, agent: Spec, seed: int, view: View) -> Turn:
        """The turn that the agent would take; all its cells are on the board.

        The agent is started once for each `key`, and may remember the earlier views that it got under this key.
        """
        responder, limits = f"agent '{agent}'", (self._seconds, self._first_seconds)
        if self._is_built_in(agent):
            answer = self._built_in.act(str(agent), *limits, key, str(agent), seed, encode_view(view))
        else:
            with self._asking(agent) as player:
                answer = encode_turn(player.act(responder, key, seed, view, *limits))
        with _checked_answer(responder):
            return decode_turn(answer, view.rows, view.cols)

    def odds(self, view: View) -> dict[str, Any]:
        """The exact mine probabilities of a position."""
        answer = self._engine.request(ENGINE, self._seconds, "odds", encode_view(view))
        with _checked_answer(ENGINE):
            return checked_odds(answer, view.rows * view.cols)

    def solve(self, view: View) -> dict[str, Any]:
        """The probabilities, certain cells and contradictions of a position, whose flags count as known mines."""
        answer = self._engine.request(ENGINE, self._seconds, "solve", encode_view(view))
        with _checked_answer(ENGINE):
            return checked_solution(answer, view.rows * view.cols)

    def prove_cell(self, view: View, cell: int) -> dict[str, Any]:
        """Why a cell of a position is certain: in words, and the clues."""
        answer = self._engine.request(ENGINE, self._seconds, "prove_cell", encode_view(view), cell)
        with _checked_answer(ENGINE):
            return checked_proof(answer, view.rows * view.cols)

    def advise(self, view: View) -> dict[str, Any]:
        """What `champion` would open in a position, and the cells that it considered."""
        answer = self._engine.request(ENGINE, self._first_seconds, "advise", encode_view(view))
        with _checked_answer(ENGINE):
            return checked_advice(answer, view.rows * view.cols)

    def deal(self, setup: GameSetup, protected: tuple[int, ...]) -> Board:
        """The board of a game whose first click protects these cells; a board source may take long to find one."""
        responder = f"board source '{setup.source}'"
        answer = self._built_in.request(responder, self._seconds, "deal", encode_setup(setup), list(protected))
        if type(answer) is str:
            raise ApiError(422, answer[:1000])
        with _checked_answer(responder):
            mines = decode_cells(answer, setup.size.cells)
        layout = bytearray(setup.size.cells)
        for cell in mines:
            layout[cell] = 1
        return Board(setup.size.rows, setup.size.cols, bytes(layout))

    def check_flags(self, view: View) -> tuple[list[int], list[int], list[int]]:
        """The flat indices of the flags that are proven, that are wrong, and that cannot all be right."""
        answer = self._engine.request(ENGINE, self._seconds, "check_flags", encode_view(view))
        with _checked_answer(ENGINE):
            proven, wrong, conflicting = (decode_cells(cells, view.rows * view.cols) for cells in answer)
            return proven, wrong, conflicting

    def play(self, setup: GameSetup, label: str, agent: Spec) -> tuple[GameResult, list[Turn]]:
        """Let the agent play a whole game; if an illegal move ended the game, that is the last turn."""
        responder, seconds = f"agent '{label}'", self._first_seconds
        if not self._is_built_in(agent):
            with self._asking(agent) as player:
                return player.play(responder, setup.game(self._registry, label), seconds)
        answer = self._built_in.request(responder, seconds, "play", encode_setup(setup), label, str(agent))
        with _checked_answer(responder):
            result, turns = answer
            return decode_result(result, setup), _decode_turns(responder, setup, turns)

    def explain(self, setup: GameSetup, label: str, agent: Spec, turns: list[Turn]) -> list[Turn] | None:
        """The turns with the evidence that the agent gives when it plays the game a second time.

        None if the agent takes other turns the second time, or does not finish the game.
        """
        responder, seconds = f"agent '{label}'", self._explain_seconds
        if not self._is_built_in(agent):
            with self._asking(agent) as player:
                explained = player.explain(responder, setup.game(self._registry, label), turns, seconds)
            return None if explained is None else self._add_proofs(setup, label, explained)
        arguments = (encode_setup(setup), label, str(agent), [encode_turn(turn) for turn in turns])
        answer = self._built_in.request(responder, seconds, "explain", *arguments)
        if answer is None:
            return None
        explained = _decode_turns(responder, setup, answer)
        return explained if len(explained) == len(turns) and all(map(same, explained, turns)) else None

    def prove(self, setup: GameSetup, label: str, turns: list[Turn], *, keep_evidence: bool = False) -> list[Turn]:
        """The turns of a game with the smallest proofs that the engine finds, besides evidence that is kept."""
        arguments = (encode_setup(setup), label, [encode_turn(turn) for turn in turns], keep_evidence)
        answer = self._built_in.request(ENGINE, self._explain_seconds, "prove", *arguments)
        return _decode_turns(ENGINE, setup, answer)

    def _add_proofs(self, setup: GameSetup, label: str, explained: list[Turn]) -> list[Turn]:
        """The turns with a proof of the engine for each cell without evidence, if the engine answers."""
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

        Above `MAX_THIRD_PARTY` the host of an agent that nobody asks is ended, the least recently used first.
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
                source = self._registry.agent_source(agent, check=False) if own is None else own.source
                assert source is not None
                player = ThirdPartyAgent(self._hosts, source, self._isolation)
            self._third_party[name] = player
            player.requests += 1
        try:
            yield player
        finally:
            with self._lock:
                player.requests -= 1


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
