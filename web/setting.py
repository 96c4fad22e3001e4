"""A game that can be set up again at any time, in any process: plain values only."""

from __future__ import annotations

from typing import NamedTuple

from sweepstakes.deal import BoardSource, Deal
from sweepstakes.game import Game
from sweepstakes.parameters import parse_call
from sweepstakes.registry import Registry
from sweepstakes.rules import Rules
from sweepstakes.size import Size


class Setting(NamedTuple):
    """Which board, under which rules and noise: board `number` of a tournament with this seed has the same."""

    source: str
    size: Size
    seed: int
    number: int
    rules: Rules
    noise: str

    def game(self, registry: Registry, agent: str) -> Game:
        """The game before the first turn; `agent` is what messages call the player."""
        name, given = parse_call(self.source)
        source: BoardSource = registry.make("board source", name, given)
        deal = Deal.of(source, self.source, self.size, self.seed, self.number)
        return Game(deal, self.rules, registry.noise(self.noise), agent)
