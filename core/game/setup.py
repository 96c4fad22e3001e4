"""The setup of one game as a value, without board and plugins: it can be stored and sent to other processes."""

from __future__ import annotations

from typing import NamedTuple

from sweepstakes import wiring
from sweepstakes.boards import BoardRef, board_seed, where
from sweepstakes.game.game import Game
from sweepstakes.game.rules import Rules
from sweepstakes.game.size import Size
from sweepstakes.spec import Spec
from sweepstakes.wiring import Offers

UNIFORM = Spec("uniform")
EXACT_CLUES = Spec("exact-clues")


class GameSetup(NamedTuple):
    """The board, rules and noise of one game: board `number` of a tournament with this seed."""

    size: Size
    seed: int = 0
    """The seed of the tournament."""
    number: int = 0
    rules: Rules = Rules()
    source: Spec = UNIFORM
    noise: Spec = EXACT_CLUES
    secret: bool = False
    """Whether the seed is still secret. If so, no message contains the seed of the board."""

    def __str__(self) -> str:
        seed = "secret" if self.secret else self.seed
        return f"{self.size} {self.rules} noise={self.noise} seed {seed} board {self.number}"

    def check(self, registry: Offers) -> None:
        """Raise `SweepstakesError` if there is no such game."""
        self.rules.check(self.size)
        registry.source(self.source).check(self.size, self.number + 1, self.rules)
        registry.noise(self.noise)

    def board_ref(self, registry: Offers) -> BoardRef:
        """Return the reference to the board, which is made after the first click."""
        source = registry.source(self.source)
        label = str(self.source.portable)
        return BoardRef.of(source, label, self.size, self.seed, self.number, secret=self.secret)

    def where(self) -> str:
        """Return the number of the game, and its seed unless that is secret, as the end of a message about a fault."""
        if self.secret:
            return where(self.number, None)
        return where(self.number, board_seed(str(self.source.portable), self.size, self.seed, self.number))

    def game(self, registry: Offers | None = None, agent: str = "agent") -> Game:
        """Return the game before the first turn; `agent` is the agent's name in messages.

        Without a registry, use the board sources and noises of the installed plugins.
        """
        registry = registry or wiring.installed()
        return Game(self.board_ref(registry), self.rules, registry.noise(self.noise), agent)
