"""Compiling the inner loops, once per environment, and saying so."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable
from threading import Timer
from time import perf_counter

import click
import numpy as np

from sweepstakes import _kernels, inference
from sweepstakes.agent import Agent
from sweepstakes.board import Board
from sweepstakes.game import Game
from sweepstakes.noise import EXACT, ClueNoise, Noise, Shown
from sweepstakes.play import play_game
from sweepstakes.turn import Turn
from sweepstakes.view import View

PATIENCE = 1.5
"""Seconds of silence before compiling is announced; from the cache everything is there sooner."""


def warm_up(
    agents: Iterable[Callable[[], Agent]] = (), noises: Iterable[Noise] = (EXACT,), *, quiet: bool = False
) -> None:
    """Load every kernel that the referee, the inference engine and these agents need, and compile what never was.

    Compiling takes seconds, so it is announced; numba keeps the result beside the code, or where NUMBA_CACHE_DIR says.
    """
    begun = perf_counter()
    timer = Timer(PATIENCE, _announce)
    if not quiet:
        timer.start()
    try:
        _play_a_little()
        inference.warm_up()
        inference.Knowledge.of(View.parse("1 3 1\n.1."))
        for agent in agents:
            for noise in noises:
                play_game(Game(_SMALL, noise=noise), agent, keep_turns=True, explain=True)
    finally:
        timer.cancel()
        if not quiet:
            timer.join()
    if not quiet and perf_counter() - begun > PATIENCE:
        click.echo(f" {perf_counter() - begun:.0f} s", err=True)


def _announce() -> None:
    click.echo("preparing the inner loops, compiled once in this environment ...", err=True, nl=False)
    sys.stderr.flush()


class _Coin(ClueNoise):
    """Some noise, so that the drawing of clues is compiled too."""

    def likelihood(self, count: int, neighbours: int) -> dict[Shown, float]:
        """Heads, and the clue is withheld."""
        return {count: 0.5, "withheld": 0.5}


_SMALL = Board.parse("..*....\n...*..*\n.*.....\n....*..\n..*....\n......*\n*......")


def _play_a_little() -> None:
    """Call every kernel of the referee, with the types that games call it with."""
    _kernels.deal(0, 1, 1, np.zeros(1, np.int64), np.zeros(4, np.uint8))
    game = Game(Board.of(2, 2, [(1, 1)]), noise=_Coin().model("coin"))
    game.take(Turn(flag=[(1, 1)]))
    game.take(Turn())
    game.result()
