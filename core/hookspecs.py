"""All hooks. A plugin implements any of these functions, marked with `@sweepstakes.hookimpl`.

The first six return a mapping from names, as a tournament file writes them, to factories. A factory is a class, or a
function that returns an instance; its arguments are the parameters. These hooks are called once, when the plugin loads.
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
    """Agents; the factory is called for every game."""


@hookspec
def sweepstakes_boards() -> Mapping[str, Callable[..., BoardSource]]:  # type: ignore[empty-body]
    """Board sources; the factory is called once for each condition of a tournament."""


@hookspec
def sweepstakes_clue_noise() -> Mapping[str, Callable[..., ClueNoise]]:  # type: ignore[empty-body]
    """Clue noises; the factory is called once for each condition of a tournament."""


@hookspec
def sweepstakes_scores() -> Mapping[str, Callable[..., Score]]:  # type: ignore[empty-body]
    """Scores; the factory is called once for each tournament."""


@hookspec
def sweepstakes_executors() -> Mapping[str, Callable[..., Any]]:  # type: ignore[empty-body]
    """Executors, which play the games of a tournament, in this process or in others."""


@hookspec
def sweepstakes_reports() -> Mapping[str, Callable[..., Any]]:  # type: ignore[empty-body]
    """Reports, which write a leaderboard in a format."""


@hookspec
def sweepstakes_game_finished(result: GameResult) -> None:
    """Called in the main process for each finished game, in no particular order."""
