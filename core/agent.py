"""The player."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import ClassVar

from sweepstakes.game.rng import Rng
from sweepstakes.game.turn import Turn
from sweepstakes.game.view import View


class Agent(ABC):
    """Plays one game: it is made anew for each. Parameters are the arguments of the constructor."""

    version: ClassVar[int] = 1
    """Raised when the agent begins to play differently."""

    explain: bool = False
    """Set in a second playing, off the clock, when somebody wants to know which clues prove a cell: proofs then carry
    their evidence. It never alters play, and is never set while a game is played that counts."""

    _seed: int | None = None
    _rng: Rng | None = None

    @abstractmethod
    def act(self, view: View) -> Turn:
        """The next turn. An empty turn gives the game up."""

    @property
    def rng(self) -> Rng:
        """This game's own random numbers, the same each time the game is played. There from the first turn on."""
        if self._rng is None:
            if self._seed is None:
                raise RuntimeError("an agent's rng is there from the first turn on, not in its constructor")
            self._rng = Rng(self._seed)
        return self._rng


def start_agent(factory: Callable[[], Agent], seed: int, *, explain: bool = False) -> Agent:
    """A fresh agent for one game, with the seed of its random numbers (see `Game.agent_seed`)."""
    __tracebackhide__ = True
    agent = factory()
    agent._seed = seed
    if explain:
        agent.explain = True
    return agent
