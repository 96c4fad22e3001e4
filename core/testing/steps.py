"""A step of `check_agent`, and functions with which the steps play games."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from sweepstakes.agent import Agent, start_agent
from sweepstakes.errors import IllegalMove
from sweepstakes.game.faults import AgentFault
from sweepstakes.game.game import Game
from sweepstakes.game.playing import Played, play_game
from sweepstakes.game.result import Ending
from sweepstakes.game.rules import Rules
from sweepstakes.game.setup import EXACT_CLUES, GameSetup
from sweepstakes.game.turn import Turn
from sweepstakes.game.view import View
from sweepstakes.testing.scenarios import Games

Factory = Callable[[], Agent]


class Step(NamedTuple):
    """One property that `check_agent` checks. The name completes the sentence "the agent ..."."""

    name: str
    run: Callable[..., str | None]
    """Checks the property: returns a remark or None, raises `AssertionError` with a sentence if it does not hold.

    It is called with a `Factory` and the `Games` to play (by default all). Steps for programs are called with a
    `Candidate` and `Games`, steps for other offers with their factory only.
    """
    fix: str = ""
    """Advice for the author if the step fails."""
    error_hint: str = ""
    """The most frequent cause of an exception in this step."""
    rests_on: tuple[str, ...] = ()
    """The steps on which this one depends. It is skipped if one of them failed."""
    about_noise: bool = False
    """Whether the step is about clue noise, which only some tournaments have. Unless noise is required, a failure is
    only a note."""
    applies: Callable[[Games], bool] = lambda games: True
    """Returns whether the step applies to the games of a tournament."""


class StepFailure(AssertionError):  # noqa: N818 - it is what a failed assertion is
    """A mistake of an agent in a step, and where it happened."""

    def __init__(
        self, sentence: str, setup: GameSetup | None = None, ending: Ending | None = None, fix: str = ""
    ) -> None:
        super().__init__(sentence)
        self.setup = setup
        """The game in which it happened, if it happened in a game."""
        self.ending = ending
        """The fault, if the mistake was one. Later steps would fail for the same reason."""
        self.fix = fix
        """Advice for the author, unless the step has its own."""


class Note(str):
    """A remark of a step that passes: the author of the agent should know it."""

    __slots__ = ()


def check(holds: bool, sentence: str, setup: GameSetup | None = None, fix: str = "") -> None:
    """Raise `StepFailure` with the sentence unless the condition holds; `setup` is the game in which it did not."""
    if not holds:
        raise StepFailure(sentence, setup, fix=fix)


def watch_command(agent: str, setup: GameSetup) -> str:
    """Return the command that shows how an agent plays a game."""
    words = ["sweepstakes", "watch", agent, "--board", str(setup.size)]
    words += ["--seed", str(setup.seed)] if setup.seed else []
    words += ["--number", str(setup.number)] if setup.number else []
    words += setup.rules.arguments(omit=Rules())
    words += ["--noise", str(setup.noise)] if setup.noise != EXACT_CLUES else []
    return shlex.join(words)


def play_all(factory: Factory, games: Games, setups: Iterator[GameSetup]) -> None:
    """Play every game to its end."""
    for setup in setups:
        play(factory, games, setup)


def play(factory: Factory, games: Games, setup: GameSetup) -> Played:
    """Play a game to its end. Raise `AssertionError` for a fault of the agent."""
    played = play_game(games.game(setup), factory, keep_turns=True)
    if played.result.ending.is_fault:
        raise StepFailure(f"{played.result.fault} on {setup}", setup, played.result.ending)
    return played


def begin(factory: Factory, games: Games, setup: GameSetup, *, explain: bool = False) -> tuple[Game, Agent]:
    """Return a game and a new agent for it, to be played turn by turn."""
    game = games.game(setup)
    return game, start_agent(factory, game.agent_seed, explain=explain)


def take(game: Game, agent: Agent, setup: GameSetup) -> Turn:
    """Let the agent take one turn. Raise `AssertionError` for an illegal move or a stalled game."""
    try:
        turn = agent.act(game.view())
        game.take(turn)
    except IllegalMove as broken:
        raise StepFailure(f"{broken} on {setup}", setup, Ending.ILLEGAL_MOVE) from None
    except AgentFault as fault:
        raise StepFailure(f"it {fault.what}, in {setup}", setup, fault.ending) from None
    if game.ending is Ending.STALLED:
        raise StepFailure(f"{game.fault} on {setup}", setup, Ending.STALLED)
    return turn


def side_by_side(factory: Factory, games: Games, *setups: GameSetup) -> list[list[Any]]:
    """Return the turns of games that are played at the same time, one turn of each after the other."""
    begun = [begin(factory, games, setup) for setup in setups]
    turns: list[list[Any]] = [[] for _ in setups]
    while not all(game.over for game, _ in begun):
        for (game, agent), setup, kept in zip(begun, setups, turns, strict=True):
            if not game.over:
                kept.append(plain(take(game, agent, setup)))
    return turns


def play_with_views(factory: Factory, games: Games, setup: GameSetup) -> tuple[list[tuple[View, Turn]], int]:
    """Play a game: the pairs of view and turn, and the seed of the agent's random numbers."""
    game, agent = begin(factory, games, setup)
    seen = []
    while not game.over:
        view = game.view()
        seen.append((view, take(game, agent, setup)))
    return seen, game.agent_seed


def record(played: Played) -> list[Any]:
    """Return the turns of a game in a form that can be compared."""
    return [plain(turn) for turn in played.turns or []]


def plain(turn: Turn) -> Any:
    """Return a turn in a form that can be compared, whether its cells are lists or arrays."""
    cells = [[int(c) for c in np.asarray(part, dtype=np.int64).reshape(-1)] for part in turn[:3]]
    return [*cells, turn.why, turn.probability, turn.fallback]
