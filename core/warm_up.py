"""Loading the inner loops before they are needed, or compiling them, once per environment."""

from __future__ import annotations

import os
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext
from pathlib import Path

import numpy as np

from sweepstakes import inference
from sweepstakes.agent import Agent
from sweepstakes.compiling.announcement import announced
from sweepstakes.game import referee_kernels
from sweepstakes.game.board import Board
from sweepstakes.game.game import Game
from sweepstakes.game.playing import play_game
from sweepstakes.game.rules import Rules
from sweepstakes.game.turn import Turn
from sweepstakes.game.view import View
from sweepstakes.inference import deduction
from sweepstakes.inference.explaining import explain_game
from sweepstakes.noise import EXACT, ClueNoise, Noise, ShownClue
from sweepstakes.registry.registry import Registry


def warm_up(
    agents: Iterable[Callable[[], Agent]] = (),
    noises: Iterable[Noise] = (EXACT,),
    *,
    guesses: bool = True,
    review: bool = False,
    quiet: bool = False,
) -> None:
    """Load every kernel that the referee, the engine, these agents and a review need, and compile what never was.

    Compiling takes seconds, so it is announced; the result is kept in `protected_folder`, beside the code, where
    NUMBA_CACHE_DIR says, or as long as this process lasts. Without `guesses`, the kernels that only `champion` needs to
    guess are left out. When nothing is in the cache, a second process compiles the engine, which is more than half of
    it, meanwhile.
    """
    with nullcontext() if quiet else announced():
        with _engine_beside():
            _play_a_little()
        inference.warm_up()
        for agent in agents:
            for noise in noises:
                played = play_game(Game(_SMALL, noise=noise), agent, keep_turns=True)
                explain_game(Game(_SMALL, noise=noise), agent, played.turns or [])
            if guesses:
                play_game(Game(_GUESSES, Rules("end")), agent)
        if review:
            from sweepstakes.review import review_game  # which takes a while, and few need it

            review_game(Game(_SMALL), [Turn(flag=[(0, 2)], open=[(0, 0), (0, 1)])])


def warm_up_built_in(names: Sequence[str]) -> None:
    """Load or compile the engine and these built-in agents; called in a process that hosts are forked from."""
    registry = Registry.built_in()
    noises = [registry.noise(name) for name in ("exact-clues", "hidden(rate=0.25)")] if names else []
    warm_up([registry.agent(name) for name in names], noises, guesses=False, quiet=True)


@contextmanager
def _engine_beside() -> Iterator[None]:
    """Have another process compile the engine, if `place_mines` had to be compiled now; wait for it at the end."""
    before = _compiled()
    referee_kernels.place_mines(0, 1, 1, np.zeros(1, np.int64), np.zeros(4, np.uint8))
    if _compiled() == before:
        yield
        return
    code = f"import sys; sys.path[:] = {sys.path!r}; from sweepstakes import warm_up; warm_up.compile_engine()"
    # What goes wrong there goes wrong here too, where it can be said.
    beside = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        inference.forced(_POSITION.shown)  # a part of the engine, which the other process finds when it comes to it
        yield
        inference.Knowledge.of(_POSITION, deduction.pairs, False)  # there is time for the most usual idea
        beside.wait()
    finally:
        beside.kill()
        beside.communicate()


def is_compiled() -> bool:
    """Whether kernels of an earlier process are in numba's cache, so that loading them takes a moment.

    If they are out of date they are compiled all the same when they are used.
    """
    stats = getattr(referee_kernels.place_mines, "stats", None)
    return stats is None or any(Path(stats.cache_path).glob("referee_kernels.place_mines-*.nbi"))


def compile_engine() -> None:
    """Compile the engine, or leave as soon as the other end of the standard input is gone."""
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(1)), daemon=True).start()
    inference.warm_up()


def _compiled() -> int:
    """How often `place_mines` was compiled in this process, and not found in the cache."""
    stats = getattr(referee_kernels.place_mines, "stats", None)  # there are none when nothing is compiled at all
    return sum(stats.cache_misses.values()) if stats else 0


class _Coin(ClueNoise):
    """Some noise, so that the drawing of clues is compiled too."""

    def likelihood(self, count: int, neighbours: int) -> dict[ShownClue, float]:
        """The true clue or none, each with probability 1/2."""
        return {count: 0.5, "withheld": 0.5}


_POSITION = View.parse("1 3 1\n.1.")
_GUESSES = Board.parse(
    ".*......\n........\n.....**.\n*....*..\n.*....*.\n.*..*..*\n......**"
)  # `champion` needs its lookahead and its endgame here, as a test checks
_SMALL = Board.parse("..*....\n...*..*\n.*.....\n....*..\n..*....\n......*\n*......")


def _play_a_little() -> None:
    """Call every kernel of the referee but `place_mines`, with the types that games call it with, and proofs."""
    game = Game(Board.of(2, 2, [(1, 1)]), noise=_Coin().model("coin"))
    game.take(Turn(flag=[(1, 1)]))
    game.take(Turn(open=[(0, 0), (0, 1), (1, 0)]))
    game.result()
    inference.Knowledge.of(_POSITION)
    inference.evidence(np.array([[1, -1]], np.int8), 1, [], [1])
