"""The hooks, all of them. A plugin implements any of these functions, marked with `@sweepstakes.hookimpl`.

The first six return a mapping from a name, as it is written in a tournament file, to a factory: a class or a function
whose arguments are the parameters. They are called once, when plugins are loaded.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

import pluggy

if TYPE_CHECKING:
    from sweepstakes.agent import Agent
    from sweepstakes.boards import BoardSource
    from sweepstakes.game.result import GameResult
    from sweepstakes.noise import ClueNoise
    from sweepstakes.score import Score

PROJECT = "sweepstakes"
hookspec = pluggy.HookspecMarker(PROJECT)
hookimpl = pluggy.HookimplMarker(PROJECT)


@hookspec
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:  # type: ignore[empty-body]
    """Agents; the factory is called anew for every game."""


@hookspec
def sweepstakes_boards() -> Mapping[str, Callable[..., BoardSource]]:  # type: ignore[empty-body]
    """Board sources; made once for each condition of a tournament."""


@hookspec
def sweepstakes_clue_noise() -> Mapping[str, Callable[..., ClueNoise]]:  # type: ignore[empty-body]
    """Clue noises; made once for each condition of a tournament."""


@hookspec
def sweepstakes_scores() -> Mapping[str, Callable[..., Score]]:  # type: ignore[empty-body]
    """Scores; made once for each tournament."""


@hookspec
def sweepstakes_executors() -> Mapping[str, Callable[..., Any]]:  # type: ignore[empty-body]
    """Executors: ways to get the games of a tournament played."""


@hookspec
def sweepstakes_reports() -> Mapping[str, Callable[..., Any]]:  # type: ignore[empty-body]
    """Reports: formats that a leaderboard can be written in."""


@hookspec
def sweepstakes_game_finished(result: GameResult) -> None:
    """Called in the main process for each game as its result comes in, in no particular order."""
