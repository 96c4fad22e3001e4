"""One game that can be set up anywhere, at any time: values only, no board and no plugin."""

from __future__ import annotations

from typing import NamedTuple

from sweepstakes.boards import BoardRef, board_seed, where
from sweepstakes.game.game import Game
from sweepstakes.game.rules import Rules
from sweepstakes.game.size import Size
from sweepstakes.registry.registry import Registry
from sweepstakes.registry.spec import Spec

UNIFORM = Spec("uniform")
EXACT_CLUES = Spec("exact-clues")


class GameSetup(NamedTuple):
    """Which board, under which rules and noise: board `number` of a tournament with this seed has the same."""

    size: Size
    seed: int = 0
    """That of the tournament."""
    number: int = 0
    rules: Rules = Rules()
    source: Spec = UNIFORM
    noise: Spec = EXACT_CLUES

    def __str__(self) -> str:
        return f"{self.size} {self.rules} noise={self.noise} seed {self.seed} board {self.number}"

    def check(self, registry: Registry) -> None:
        """`SweepstakesError` if there is no such game."""
        self.rules.check(self.size)
        registry.source(self.source).check(self.size, self.number + 1, self.rules)
        registry.noise(self.noise)

    def board_ref(self, registry: Registry) -> BoardRef:
        """The board, which can be made when it is known what the first click protects."""
        source = registry.source(self.source)
        return BoardRef.of(source, str(self.source.portable), self.size, self.seed, self.number)

    def where(self) -> str:
        """Which game it is, as messages about a fault say it."""
        return where(self.number, board_seed(str(self.source.portable), self.size, self.seed, self.number))

    def game(self, registry: Registry, agent: str = "agent") -> Game:
        """The game before the first turn; messages call the agent so."""
        return Game(self.board_ref(registry), self.rules, registry.noise(self.noise), agent)
