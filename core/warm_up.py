"""Compiling the inner loops, once per environment, and saying so."""

from __future__ import annotations

import sys
from pathlib import Path
from time import perf_counter

import click
import numpy as np

from sweepstakes import _kernels
from sweepstakes.board import Board
from sweepstakes.game import Game
from sweepstakes.inference import Knowledge, decide, posterior
from sweepstakes.noise import ClueNoise, Shown
from sweepstakes.turn import Turn
from sweepstakes.view import View


def warm_up(*, quiet: bool = False) -> None:
    """Load every kernel that the referee and the inference engine need; compile those that never were here.

    Compiling takes seconds, so it is announced; numba keeps the result beside the code, or where NUMBA_CACHE_DIR says.
    """
    cold = not quiet and not _cached()
    if cold:
        click.echo("compiling the inner loops, once in this environment ...", err=True, nl=False)
        sys.stderr.flush()
    begun = perf_counter()
    _play_a_little()
    _infer_a_little()
    if cold:
        click.echo(f" {perf_counter() - begun:.0f} s", err=True)


def _cached() -> bool:
    """Whether compiled kernels are on disk already."""
    cache = getattr(_kernels.take, "_cache", None)
    place = getattr(cache, "cache_path", None)
    return place is None or any(Path(place).glob("_kernels.take*.nbi"))


class _Coin(ClueNoise):
    """Some noise, so that the drawing of clues is compiled too."""

    def likelihood(self, count: int, neighbours: int) -> dict[Shown, float]:
        return {count: 0.5, "withheld": 0.5}


def _play_a_little() -> None:
    """Call every kernel of the referee, with the types that games call it with."""
    _kernels.deal(np.uint64(1), 4, 1, np.zeros(1, np.int64), np.zeros(4, np.uint8))
    game = Game(Board.of(2, 2, [(1, 1)]), noise=_Coin().model("coin"))
    game.take(Turn(flag=[(1, 1)]))
    game.take(Turn())
    game.result()


def _infer_a_little() -> None:
    """Call the kernels of the inference engine, those of exact and of noisy clues alike."""
    view = View.parse("2 4 2\n....\n12..")
    decide(view.shown, view.mines, hasty=False)
    posterior(view.shown, view.mines, noise=_Coin().model("coin").table)
    Knowledge.of(view)
