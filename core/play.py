"""An agent plays a game."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from pathlib import PurePath
from time import perf_counter
from typing import NamedTuple

from sweepstakes.agent import Agent
from sweepstakes.errors import IllegalMove
from sweepstakes.game import Game
from sweepstakes.result import Ending, GameResult
from sweepstakes.rng import derive
from sweepstakes.turn import Turn


class Played(NamedTuple):
    """A finished game, what the agent took for it, and its turns if they were kept."""

    result: GameResult
    seconds: float
    """The agent's own time."""
    turns: list[Turn] | None


def play_game(
    game: Game, agent: Callable[[], Agent], *, keep_turns: bool = False, explain: bool = False
) -> Played:
    """Play the game to its end with a fresh agent. Whatever the agent does wrong ends this game and nothing else."""
    turns: list[Turn] | None = [] if keep_turns else None
    spent = 0.0
    try:
        player = agent()
        player._seed = derive("agent", game.deal.seed)
        if explain:
            player.explain = True
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's code may raise anything
        _blame(game, error)
    while game.ending is None:
        view = game.view()
        begun = perf_counter()
        try:
            turn = player.act(view)
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's code may raise anything
            _blame(game, error)
            spent += perf_counter() - begun
            break
        spent += perf_counter() - begun
        try:
            game.take(turn)
        except IllegalMove as broken:
            game.forfeit(Ending.ILLEGAL_MOVE, str(broken))
            break
        if turns is not None:
            turns.append(turn)
    return Played(game.result(), spent, turns)


def _blame(game: Game, error: BaseException) -> None:
    """End the game by the agent's error: its kind, its text and the agent's own line that raised it."""
    try:
        text = f"{type(error).__name__}: {error}".strip().splitlines()[0][:200]
    except Exception:  # noqa: BLE001 - an exception's own text may raise
        text = type(error).__name__
    # A guard's frame is not the agent's: it hides itself, and the text is the same with and without a guard.
    frames = [
        (line, frame.f_code.co_filename)
        for frame, line in traceback.walk_tb(error.__traceback__)
        if "__tracebackhide__" not in frame.f_code.co_varnames
    ][1:]
    place = f" (line {frames[-1][0]} of {PurePath(frames[-1][1]).name})" if frames else ""
    ending = Ending.MEMORY if isinstance(error, MemoryError) else Ending.ERROR
    game.forfeit(ending, f"agent '{game.agent}' raised {text}{place}{game.where()}")
