"""The interface of agents, the programs that play Minesweeper."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, ClassVar

from sweepstakes.game.rng import Rng
from sweepstakes.game.turn import Turn
from sweepstakes.game.view import View

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt


class Agent(ABC):
    """Plays one game; every game gets a new agent. Parameters are the arguments of the constructor."""

    version: ClassVar[int] = 1
    """The version of a built-in agent, increased when it plays differently; others are identified by their files."""

    repeatable: ClassVar[bool] = True
    """Whether the agent plays a game the same way every time. If not, it never plays a game twice: neither to compile
    it, nor for evidence, nor to verify its games."""

    turn_seconds: float | None = None
    """Seconds that a turn of a built-in agent may take instead of the tournament's limit. Its games then have no limit.
    Ignored for every other agent: the limits of the tournament apply."""

    lost_seconds: float = 0.0
    """Seconds of this game that the agent has lost to a failing network. They do not count as time of the agent."""

    @property
    def spent(self) -> Mapping[str, float | None]:
        """Return numbers to store with a game, such as tokens and calls. Only built-in agents can have them.

        Use None for a number that the agent cannot know.
        """
        return {}

    @property
    def transcript(self) -> Sequence[str]:
        """Return what was said in each turn so far, to be stored with the moves. Only built-in agents can have this."""
        return ()

    explain: bool = False
    """Whether turns should carry evidence: the clues that prove each cell.

    It is True only when a finished game is played a second time to explain it, never in the game that counts. It must
    not change the moves.
    """

    _seed: int | None = None
    _rng: Rng | None = None

    @abstractmethod
    def act(self, view: View) -> Turn:
        """Return the next turn. An empty `Turn()` gives up the game."""

    def probabilities(self, view: View) -> npt.NDArray[np.float64] | None:
        """Return the agent's own mine probability of each covered cell, and nan where it has none.

        This method is optional and never called in a game; `solve --agent` shows its result. By default it returns
        None: the agent has no probabilities, or has none for this view.
        """
        return None

    @property
    def rng(self) -> Rng:
        """The random numbers of this game, the same each time it is played. Available in `act`, not in `__init__`."""
        if self._rng is None:
            if self._seed is None:
                raise RuntimeError("an agent's rng is available from the first turn on, not in its constructor")
            self._rng = Rng(self._seed)
        return self._rng


class RemoteAgent(Agent):
    """Represents an agent in the referee's process while the agent itself runs in another process."""

    cpu_seconds: float = 0.0
    """The processor time that the agent has used in this game, measured by the referee."""

    def game_over(self, ending: str, fault: str) -> None:
        """Called by the referee after the game, with its ending and the fault of the agent, if there was one."""


def start_agent(factory: Callable[[], Agent], seed: int, *, explain: bool = False) -> Agent:
    """Return a new agent for one game. `seed` is the seed of its random numbers (see `Game.agent_seed`)."""
    __tracebackhide__ = True
    agent = factory()
    agent._seed = seed
    if explain:
        agent.explain = True
    return agent
