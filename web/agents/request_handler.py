"""The requests that a separate process of our own code handles: turns and games of built-in agents, and proofs."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from typing import Any

from sweepstakes.agent import Agent, start_agent
from sweepstakes.errors import PositionError
from sweepstakes.game.board import Board
from sweepstakes.game.playing import play_game
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.turn import Turn
from sweepstakes.game.view import View
from sweepstakes.inference.explaining import explain_game, proven_turns
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.registry.registry import Registry
from sweepstakes.spec import Spec
from sweepstakes.warm_up import warm_up
from sweepstakes.web.data.analysis import advise_view

MAX_AGENTS = 64
"""The number of agents that are kept between two turns of their games."""


class RequestHandler:
    """The methods that the server may call, in a process that has the engine and the built-in agents `warm` compiled.

    `trusted` are the third-party board sources and noises that the server has imported.
    """

    def __init__(self, warm: Sequence[str], trusted: Sequence[PluginSource]) -> None:
        self._registry = Registry(third_party=False, trusted=trusted)
        self._agents: OrderedDict[str, Agent] = OrderedDict()
        noises = [self._registry.noise(name) for name in ("exact-clues", "hidden(rate=0.25)")]
        warm_up([self._registry.agent(name) for name in warm], noises, quiet=True)

    def act(self, key: str, agent: Spec, seed: int, view: View) -> Turn:
        """Return the agent's turn. The same key means the same agent in the same game, so it may remember earlier
        turns."""
        player = self._agents.pop(key, None)
        if player is None:
            player = start_agent(self._registry.agent(agent), seed, explain=True)
        turn = player.act(view)
        self._agents[key] = player
        while len(self._agents) > MAX_AGENTS:
            self._agents.popitem(last=False)
        return turn

    def advise(self, view: View) -> dict[str, Any]:
        """Return what `champion` would open in a position."""
        return advise_view(view)

    def deal(self, setup: GameSetup, protected: tuple[int, ...]) -> Board | str:
        """Return the board of a game whose first click protects these cells, or a message if it cannot be made."""
        try:
            return setup.board_ref(self._registry).board(protected)
        except PositionError as error:
            return str(error)

    def play(self, setup: GameSetup, label: str, agent: Spec) -> tuple[tuple[Any, ...], list[Turn]]:
        """Return the result, as a row, and the turns of a whole game that the agent plays."""
        played = play_game(setup.game(self._registry, label), self._registry.agent(agent), keep_turns=True)
        return tuple(played.result.as_row()), list(played.turns or [])

    def explain(self, setup: GameSetup, label: str, agent: Spec, turns: list[Turn]) -> list[Turn] | None:
        """Return the turns with the agent's evidence from a second game, or None if that was different.

        The result is also None for an agent that may play a game differently each time.
        """
        if not self._registry.find("agent", agent.name).repeatable:
            return None
        return explain_game(setup.game(self._registry, label), self._registry.agent(agent), turns)

    def prove(self, setup: GameSetup, label: str, turns: list[Turn], keep_evidence: bool) -> list[Turn]:
        """Return the turns with the smallest proofs that the engine finds, besides the evidence that is kept."""
        return proven_turns(setup.game(self._registry, label), turns, keep_evidence=keep_evidence)
