"""Tournaments for Minesweeper agents: the same seeded boards for everyone, and leaderboards one can trust."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sweepstakes import wiring
from sweepstakes.lazy import lazy, on_call

if TYPE_CHECKING:
    from sweepstakes.agent import Agent
    from sweepstakes.boards import BoardRef, BoardSource
    from sweepstakes.drawing.svg import svg
    from sweepstakes.errors import (
        ConfigError,
        IllegalMove,
        ParameterError,
        PluginError,
        PositionError,
        RunError,
        SweepstakesError,
    )
    from sweepstakes.game.board import Board
    from sweepstakes.game.board_formats import read_board
    from sweepstakes.game.board_statistics import BoardStatistics, board_statistics
    from sweepstakes.game.board_urls import board_from_url, board_url, view_from_url, view_url
    from sweepstakes.game.cell import Cell
    from sweepstakes.game.game import Game
    from sweepstakes.game.playing import Played, play_game
    from sweepstakes.game.result import Ending, GameResult
    from sweepstakes.game.rng import Rng
    from sweepstakes.game.rules import Rules
    from sweepstakes.game.setup import GameSetup
    from sweepstakes.game.size import PRESETS, Size
    from sweepstakes.game.turn import Turn
    from sweepstakes.game.view import View
    from sweepstakes.hookspecs import hookimpl
    from sweepstakes.noise import ClueNoise, Noise
    from sweepstakes.registry.registry import Registry
    from sweepstakes.score import MeasuredScore, Score
    from sweepstakes.spec import Spec
    from sweepstakes.tournaments.comparison import compare
    from sweepstakes.tournaments.stored_run import open_run

__version__: str
"""The version of the installed package."""

__all__ = [
    "PRESETS",
    "Agent",
    "Board",
    "BoardRef",
    "BoardSource",
    "BoardStatistics",
    "Cell",
    "ClueNoise",
    "ConfigError",
    "Ending",
    "Game",
    "GameResult",
    "GameSetup",
    "IllegalMove",
    "MeasuredScore",
    "Noise",
    "ParameterError",
    "Played",
    "PluginError",
    "PositionError",
    "Registry",
    "Rng",
    "Rules",
    "RunError",
    "Score",
    "Size",
    "Spec",
    "SweepstakesError",
    "Turn",
    "View",
    "board_from_url",
    "board_statistics",
    "board_url",
    "compare",
    "hookimpl",
    "open_run",
    "play_game",
    "read_board",
    "svg",
    "view_from_url",
    "view_url",
]

__getattr__ = lazy(
    __name__,
    {
        "agent": "Agent",
        "boards": "BoardSource BoardRef",
        "drawing.svg": "svg",
        "errors": ("ConfigError IllegalMove ParameterError PluginError PositionError RunError SweepstakesError"),
        "game.board": "Board",
        "game.board_formats": "read_board",
        "game.board_statistics": "BoardStatistics board_statistics",
        "game.board_urls": "board_from_url board_url view_from_url view_url",
        "game.cell": "Cell",
        "game.game": "Game",
        "game.playing": "Played play_game",
        "game.result": "Ending GameResult",
        "game.rng": "Rng",
        "game.rules": "Rules",
        "game.setup": "GameSetup",
        "game.size": "PRESETS Size",
        "game.turn": "Turn",
        "game.view": "View",
        "hookspecs": "hookimpl",
        "noise": "ClueNoise Noise",
        "registry.registry": "Registry",
        "score": "MeasuredScore Score",
        "spec": "Spec",
        "tournaments.comparison": "compare",
        "tournaments.stored_run": "open_run",
    },
)


wiring.describer = on_call("sweepstakes.hosting.describing", "HostDescriber")
wiring.installed = lambda: __getattr__("Registry").default()
wiring.figure = on_call("sweepstakes.leaderboards.plots.figures", "figure")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
