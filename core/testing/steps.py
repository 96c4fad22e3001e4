"""A step of `check_agent`, and functions with which the steps play games."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np

from sweepstakes.agent import Agent, start_agent
from sweepstakes.errors import IllegalMove
from sweepstakes.game.cell import Cell
from sweepstakes.game.game import Game
from sweepstakes.game.playing import Played, play_game
from sweepstakes.game.result import Ending
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.turn import Cells, Turn
from sweepstakes.game.view import View
from sweepstakes.registry.registry import Registry

Factory = Callable[[], Agent]


class Step(NamedTuple):
    """One property that `check_agent` checks. The name completes the sentence "the agent ..."."""

    name: str
    run: Callable[[Factory], str | None]
    """Checks the property: returns a remark or None, raises `AssertionError` with a sentence if it does not hold."""
    fix: str = ""
    """What the author can do if the step fails."""


def check(holds: bool, sentence: str) -> None:
    """Raise `AssertionError` with the sentence unless the condition holds."""
    if not holds:
        raise AssertionError(sentence)


def play_all(factory: Factory, setups: Iterator[GameSetup]) -> None:
    """Play every game to its end."""
    for setup in setups:
        play(factory, setup)


def play(factory: Factory, setup: GameSetup) -> Played:
    """Play a game to its end; an agent's fault is an `AssertionError`."""
    played = play_game(setup.game(Registry.default()), factory, keep_turns=True)
    check(not played.result.ending.is_fault, f"{played.result.fault}, which is {setup}")
    return played


def begin(factory: Factory, setup: GameSetup, *, explain: bool = False) -> tuple[Game, Agent]:
    """A game and a new agent for it, to be played turn by turn."""
    game = setup.game(Registry.default())
    return game, start_agent(factory, game.agent_seed, explain=explain)


def take(game: Game, agent: Agent, setup: GameSetup) -> Turn:
    """Let the agent take one turn; an illegal move or a stalled game is an `AssertionError`."""
    try:
        turn = agent.act(game.view())
        game.take(turn)
    except IllegalMove as broken:
        raise AssertionError(f"{broken}, which is {setup}") from None
    check(game.ending != Ending.STALLED, f"{game.fault}, which is {setup}")
    return turn


def side_by_side(factory: Factory, *setups: GameSetup) -> list[list[Any]]:
    """The turns of games that are played at the same time, one turn of each after the other."""
    games = [begin(factory, setup) for setup in setups]
    turns: list[list[Any]] = [[] for _ in setups]
    while not all(game.over for game, _ in games):
        for (game, agent), setup, kept in zip(games, setups, turns, strict=True):
            if not game.over:
                kept.append(plain(take(game, agent, setup)))
    return turns


def play_with_views(factory: Factory, setup: GameSetup) -> tuple[list[tuple[View, Turn]], int]:
    """Play a game: the pairs of view and turn, and the seed of the agent's random numbers."""
    game, agent = begin(factory, setup)
    seen = []
    while not game.over:
        view = game.view()
        seen.append((view, take(game, agent, setup)))
    return seen, game.agent_seed


def record(played: Played) -> list[Any]:
    """The turns of a game in a form that can be compared."""
    return [plain(turn) for turn in played.turns or []]


def plain(turn: Turn) -> Any:
    """A turn in a form that can be compared, whether its cells are lists or arrays."""
    cells = [[int(c) for c in np.asarray(part, dtype=np.int64).reshape(-1)] for part in turn[:3]]
    return [*cells, turn.why, turn.probability, turn.fallback]


def as_cells(cells: Cells, cols: int) -> list[Cell]:
    """The cells of a turn, whether it names them as (row, col) or as flat indices."""
    if isinstance(cells, np.ndarray):
        return [Cell(*divmod(int(cell), cols)) for cell in cells]
    return [Cell(int(row), int(col)) for row, col in cells]
