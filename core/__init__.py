"""Tournaments for Minesweeper agents: the same seeded boards for everyone, and leaderboards that anyone can check."""

from __future__ import annotations

from typing import TYPE_CHECKING

from sweepstakes import wiring
from sweepstakes.lazy import lazy, on_call

if TYPE_CHECKING:
    from sweepstakes.agent import Agent as Agent
    from sweepstakes.boards import BoardRef as BoardRef
    from sweepstakes.boards import BoardSource as BoardSource
    from sweepstakes.drawing.svg import svg as svg
    from sweepstakes.errors import ConfigError as ConfigError
    from sweepstakes.errors import IllegalMove as IllegalMove
    from sweepstakes.errors import ParameterError as ParameterError
    from sweepstakes.errors import PluginError as PluginError
    from sweepstakes.errors import PositionError as PositionError
    from sweepstakes.errors import RunError as RunError
    from sweepstakes.errors import SweepstakesError as SweepstakesError
    from sweepstakes.game.board import Board as Board
    from sweepstakes.game.board_formats import read_board as read_board
    from sweepstakes.game.board_statistics import BoardStatistics as BoardStatistics
    from sweepstakes.game.board_statistics import board_statistics as board_statistics
    from sweepstakes.game.board_urls import board_from_url as board_from_url
    from sweepstakes.game.board_urls import board_url as board_url
    from sweepstakes.game.board_urls import view_from_url as view_from_url
    from sweepstakes.game.board_urls import view_url as view_url
    from sweepstakes.game.cell import Cell as Cell
    from sweepstakes.game.game import Game as Game
    from sweepstakes.game.playing import Played as Played
    from sweepstakes.game.playing import play_game as play_game
    from sweepstakes.game.result import Ending as Ending
    from sweepstakes.game.result import GameResult as GameResult
    from sweepstakes.game.rng import Rng as Rng
    from sweepstakes.game.rules import Rules as Rules
    from sweepstakes.game.setup import GameSetup as GameSetup
    from sweepstakes.game.size import PRESETS as PRESETS
    from sweepstakes.game.size import Size as Size
    from sweepstakes.game.turn import Turn as Turn
    from sweepstakes.game.view import View as View
    from sweepstakes.hookspecs import hookimpl as hookimpl
    from sweepstakes.noise import ClueNoise as ClueNoise
    from sweepstakes.noise import Noise as Noise
    from sweepstakes.registry.registry import Registry as Registry
    from sweepstakes.score import MeasuredScore as MeasuredScore
    from sweepstakes.score import Score as Score
    from sweepstakes.spec import Spec as Spec
    from sweepstakes.tournaments.comparison import compare as compare
    from sweepstakes.tournaments.stored_run import open_run as open_run

__version__: str
"""The version of the installed package."""

__all__, __getattr__ = lazy(__name__, __file__)

wiring.describer = on_call("sweepstakes.hosting.describing", "HostDescriber")
wiring.installed = lambda: __getattr__("Registry").default()
wiring.figure = on_call("sweepstakes.leaderboards.plots.figures", "figure")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__, "__version__"})
