"""What trusted code does for the server in host processes: the exact engine, and built-in agents."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Sequence
from functools import cached_property
from typing import Any

from sweepstakes.agent import Agent, start_agent
from sweepstakes.errors import PositionError
from sweepstakes.game.playing import play_game
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.turn import Turn
from sweepstakes.inference import check_flags
from sweepstakes.inference.explaining import explain_game, proven_turns
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.registry.registry import Registry
from sweepstakes.web.agents.protocol import decode_setup, decode_turn, decode_view, encode_turn
from sweepstakes.web.data.analysis import advise_view, prove_cell, solve_view
from sweepstakes.web.data.odds import odds

MAX_AGENTS = 64
"""How many agents are kept between two turns of their games."""


class RequestHandler:
    """The methods that the server may request, with JSON data as arguments and answers.

    `trusted` are the third-party board sources and noises that the server has imported: each is a `PluginSource`.
    """

    def __init__(self, trusted: Sequence[Sequence[str]]) -> None:
        self._trusted = [PluginSource.of_plain(source) for source in trusted]
        self._agents: OrderedDict[str, Agent] = OrderedDict()

    @cached_property
    def _registry(self) -> Registry:
        return Registry(third_party=False, trusted=self._trusted)

    def act(self, key: str, agent: str, seed: int, view: dict[str, Any]) -> list[Any]:
        """The agent's turn. The same key means the same agent in the same game: it may remember earlier turns."""
        player = self._agents.pop(key, None)
        if player is None:
            player = start_agent(self._registry.agent(agent), seed, explain=True)
        answer = encode_turn(player.act(decode_view(view)))
        self._agents[key] = player
        while len(self._agents) > MAX_AGENTS:
            self._agents.popitem(last=False)
        return answer

    def odds(self, view: dict[str, Any]) -> dict[str, Any]:
        """The exact mine probabilities."""
        return odds(decode_view(view))

    def solve(self, view: dict[str, Any]) -> dict[str, Any]:
        """The probabilities, certain cells and contradictions of a position."""
        return solve_view(decode_view(view))

    def prove_cell(self, view: dict[str, Any], cell: int) -> dict[str, Any]:
        """Why a cell of a position is certain."""
        return prove_cell(decode_view(view), cell)

    def advise(self, view: dict[str, Any]) -> dict[str, Any]:
        """What `champion` would open in a position."""
        return advise_view(decode_view(view))

    def deal(self, setup_data: list[Any], protected: list[int]) -> list[int] | str:
        """The mines of the board of a game whose first click protects these cells; a text if there is no such board."""
        try:
            layout = decode_setup(setup_data).board_ref(self._registry).board(tuple(protected)).layout
        except PositionError as error:
            return str(error)
        return [cell for cell, mine in enumerate(layout) if mine]

    def check_flags(self, view: dict[str, Any]) -> list[list[int]]:
        """The flags that are proven, that are wrong, and that cannot all be right."""
        position = decode_view(view)
        return [[row * position.cols + col for row, col in cells] for cells in check_flags(position)]

    def play(self, setup_data: list[Any], label: str, agent: str) -> list[Any]:
        """The result and the turns of a whole game that the agent plays."""
        game = decode_setup(setup_data).game(self._registry, label)
        played = play_game(game, self._registry.agent(agent), keep_turns=True)
        return [list(played.result.as_row()), [encode_turn(turn) for turn in played.turns or []]]

    def explain(self, setup_data: list[Any], label: str, agent: str, turns: list[Any]) -> list[Any] | None:
        """The turns with the agent's evidence from a second game; None if the second game went another way."""
        setup = decode_setup(setup_data)
        factory = self._registry.agent(agent)
        explained = explain_game(setup.game(self._registry, label), factory, _decode_turns(setup, turns))
        return None if explained is None else [encode_turn(turn) for turn in explained]

    def prove(self, setup_data: list[Any], label: str, turns: list[Any], keep_evidence: bool) -> list[Any]:
        """The turns of a game with the smallest proofs that the engine finds, besides the evidence that is kept."""
        setup = decode_setup(setup_data)
        game = setup.game(self._registry, label)
        proven = proven_turns(game, _decode_turns(setup, turns), keep_evidence=keep_evidence)
        return [encode_turn(turn) for turn in proven]


def _decode_turns(setup: GameSetup, data: list[Any]) -> list[Turn]:
    rows, cols, _ = setup.size
    return [decode_turn(turn, rows, cols, allow_off_board=True) for turn in data]
