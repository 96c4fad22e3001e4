"""An agent that is not built in and has its own host. This process is the referee of its games."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence

from sweepstakes.agent import RemoteAgent, start_agent
from sweepstakes.game.faults import AgentFault
from sweepstakes.game.game import Game
from sweepstakes.game.playing import play_game
from sweepstakes.game.result import Ending, GameResult
from sweepstakes.game.turn import Turn
from sweepstakes.game.view import View
from sweepstakes.hosting.hosted_agent import HostedAgent, HostedAgents
from sweepstakes.inference.explaining import explain_game
from sweepstakes.limits import DEFAULT_LIMITS, Limits
from sweepstakes.registry.agent_source import AgentSource
from sweepstakes.web.agents.request_handler import MAX_AGENTS
from sweepstakes.web.agents.shared_hosts import RunLock, SharedHosts, api_error
from sweepstakes.web.server.api_error import ApiError


class ThirdPartyAgent:
    """One agent, which answers one request at a time, from any thread.

    A host that answers too late or not at all is killed. The next request starts another one.
    """

    def __init__(self, hosts: SharedHosts, source: AgentSource, isolation: str) -> None:
        self._agents = HostedAgents(hosts, source, isolation=isolation, at_once=MAX_AGENTS)
        self._run_lock = RunLock(hosts, self._agents)
        self._stand_ins: OrderedDict[str, HostedAgent] = OrderedDict()
        """The agents that play a game in the browser, by the key of the game."""
        self._warm = False
        """Whether the current host has taken a turn, so that nothing has to be compiled any more."""
        self._trouble: ApiError | None = None
        self.requests = 0
        """The number of requests that wait for the agent, counted by `AgentService`."""

    def close(self) -> None:
        """End the host, unless a request waits for the agent."""
        self._run_lock.close()

    def act(self, responder: str, key: str, seed: int, view: View, seconds: float, first_seconds: float) -> Turn:
        """Return the agent's turn. The same key means the same agent in the same game, so it may remember earlier
        turns."""
        with self._run_lock:
            self._warm = self._warm and self._agents.alive
            allowed = seconds if self._warm else first_seconds
            limits = _limits(turn_seconds=allowed)
            player: RemoteAgent | None = self._stand_ins.pop(key, None)
            try:
                if not isinstance(player, HostedAgent) or not player.alive:
                    player = self._agents.make(limits)
                    assert isinstance(player, HostedAgent)
                    start_agent(lambda: player, seed, explain=True)
                player.set_limits(limits)
                turn = player.act(view)
            except AgentFault as fault:
                raise api_error(fault, responder, allowed) from None
            self._warm = True
            self._stand_ins[key] = player
            while len(self._stand_ins) > MAX_AGENTS:
                self._stand_ins.popitem(last=False)
            return turn

    def play(self, responder: str, game: Game, seconds: float) -> tuple[GameResult, list[Turn]]:
        """Let the agent play a whole game, in which all its turns together may take `seconds`."""
        with self._run_lock:
            played = play_game(game, lambda: self._make(_limits(game_seconds=seconds)), keep_turns=True)
            self._check(responder, seconds)
            return played.result, list(played.turns or [])

    def explain(self, responder: str, game: Game, turns: Sequence[Turn], seconds: float) -> list[Turn] | None:
        """Return the turns with the evidence that the agent itself gives when it plays the game a second time.

        Returns None if the agent takes other turns the second time, or does not finish the game.
        """
        with self._run_lock:
            limits = _limits(game_seconds=seconds)
            explained = explain_game(game, lambda: self._make(limits), turns, prove=False)
            self._check(responder, seconds)
            return explained

    def _make(self, limits: Limits) -> RemoteAgent:
        """Return an agent for a whole game. The referee attributes every exception to the agent, so an exception of
        the server is stored here."""
        self._trouble = None
        try:
            return self._agents.make(limits)
        except ApiError as error:
            self._trouble = error
            raise

    def _check(self, responder: str, seconds: float) -> None:
        """Raise `ApiError` if the game that has just been played was ended by its host or by the server."""
        if self._trouble is not None:
            raise self._trouble
        fault = self._agents.fault
        if fault is not None and fault.ending in (Ending.TIME_OUT, Ending.CRASH):
            raise api_error(fault, responder, seconds)


def _limits(turn_seconds: float | None = None, game_seconds: float | None = None) -> Limits:
    """Return limits with these times. All others have their defaults."""
    return DEFAULT_LIMITS._replace(turn_seconds=turn_seconds, game_seconds=game_seconds)
