"""Tournaments for Minesweeper agents: the same seeded boards for everyone, and leaderboards one can trust."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sweepstakes._lazy import lazy

if TYPE_CHECKING:
    from sweepstakes.agent import Agent
    from sweepstakes.board import Board
    from sweepstakes.cell import Cell
    from sweepstakes.deal import BoardSource, Deal
    from sweepstakes.errors import (
        ConfigError,
        IllegalMove,
        ParameterError,
        PluginError,
        PositionError,
        RunError,
        SweepstakesError,
    )
    from sweepstakes.game import Game
    from sweepstakes.hookspecs import hookimpl
    from sweepstakes.noise import ClueNoise, Noise
    from sweepstakes.play import Played, play_game
    from sweepstakes.registry import Registry
    from sweepstakes.result import Ending, GameResult
    from sweepstakes.rng import Rng
    from sweepstakes.rules import Rules
    from sweepstakes.score import MeasuredScore, Score
    from sweepstakes.setup import GameSetup
    from sweepstakes.size import PRESETS, Size
    from sweepstakes.spec import Spec
    from sweepstakes.tournaments.stored_run import open_run
    from sweepstakes.turn import Turn
    from sweepstakes.view import View

__all__ = [
    "PRESETS",
    "Agent",
    "Board",
    "BoardSource",
    "Cell",
    "ClueNoise",
    "ConfigError",
    "Deal",
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
    "hookimpl",
    "open_run",
    "play_game",
]

__getattr__ = lazy(
    __name__,
    {
        "agent": "Agent",
        "board": "Board",
        "cell": "Cell",
        "deal": "BoardSource Deal",
        "errors": ("ConfigError IllegalMove ParameterError PluginError PositionError RunError SweepstakesError"),
        "game": "Game",
        "hookspecs": "hookimpl",
        "noise": "ClueNoise Noise",
        "play": "Played play_game",
        "registry": "Registry",
        "result": "Ending GameResult",
        "rng": "Rng",
        "rules": "Rules",
        "score": "MeasuredScore Score",
        "setup": "GameSetup",
        "size": "PRESETS Size",
        "spec": "Spec",
        "tournaments.stored_run": "open_run",
        "turn": "Turn",
        "view": "View",
    },
)
