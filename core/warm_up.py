"""Loads the compiled kernels before they are needed. Compiles them if they are not in the cache."""

from __future__ import annotations

import gc
import os
import pickle
import subprocess
import sys
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, nullcontext, suppress
from functools import partial
from pathlib import Path
from typing import NamedTuple

import numpy as np

from sweepstakes import inference
from sweepstakes.agent import Agent
from sweepstakes.compiling.announcement import announced
from sweepstakes.compiling.compile_locks import CompiledElsewhereError, yielding
from sweepstakes.compiling.not_compiling import NotCompiledError, without_compiling
from sweepstakes.compiling.prebuilt import prebuilt_folder
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
    rare: bool = True,
    review: bool = False,
    quiet: bool = False,
    alone: bool = False,
) -> None:
    """Load every kernel that the referee, the engine, `agents` and a review need, and compile those not in the cache.

    Compiling takes seconds, so it is announced. The result is stored in `protected_folder`, next to the code, in
    NUMBA_CACHE_DIR, or only for this process. Without `guesses`, the kernels that only `champion` needs to guess are
    skipped; without `rare`, those that `agents` do not need in a small game. What is skipped is compiled when it is
    first used. If the cache is empty, a second process also compiles, unless `alone`: each of the two takes what the
    other has not begun.
    """
    needs = _Needs(list(agents), list(noises), guesses, rare, review)
    helping = nullcontext() if alone else _second_process(needs)
    with nullcontext() if quiet else announced(), helping, _without_collecting():
        _do(needs.steps())


def load_compiled() -> None:
    """Load the kernels of the referee and the engine that are in the cache. Compile nothing."""
    for step in _Needs([], [EXACT], guesses=False, rare=False, review=False).steps():
        with suppress(NotCompiledError), without_compiling():
            step()


class _Needs(NamedTuple):
    """What a process will use."""

    agents: list[Callable[[], Agent]]
    noises: list[Noise]
    guesses: bool
    rare: bool
    review: bool

    def steps(self) -> list[Callable[[], None]]:
        """Return the steps that load or compile the kernels, in any order."""
        steps: list[Callable[[], None]] = [partial(_play_a_little, _Coin().model("coin") if self.rare else EXACT)]
        if self.rare or not self.agents:
            steps.append(_load_engine)
        if self.rare:
            steps.append(_load_rare)
        steps += [partial(self._play, agent) for agent in self.agents]
        if self.review:
            steps.append(_review)
        return steps

    def _play(self, agent: Callable[[], Agent]) -> None:
        for noise in self.noises:
            played = play_game(Game(_SMALL, noise=noise), agent, keep_turns=True)
            if self.rare:
                explain_game(Game(_SMALL, noise=noise), agent, played.turns or [])
        if self.guesses:
            play_game(Game(_GUESSES, Rules("end")), agent)


def _do(steps: list[Callable[[], None]]) -> None:
    """Do all steps, beginning with those that need nothing that another process is compiling."""
    waiting = []
    for step in steps:
        with yielding() as turns, suppress(CompiledElsewhereError):
            step()
        if turns.left:
            waiting.append(step)
    for step in waiting:
        step()


def warm_up_built_in(names: Sequence[str]) -> None:
    """Load or compile the engine and the built-in agents `names`, in a process from which hosts are forked."""
    registry = Registry.built_in()
    noises = [registry.noise(name) for name in ("exact-clues", "hidden(rate=0.25)")] if names else []
    warm_up([registry.agent(name) for name in names], noises, guesses=False, quiet=True)


@contextmanager
def _second_process(needs: _Needs) -> Iterator[None]:
    """Have another process compile too, from the other end, if `place_mines` had to be compiled now."""
    before = _compiled()
    referee_kernels.place_mines(0, 1, 1, np.zeros(1, np.int64), np.zeros(4, np.uint8))
    if _compiled() == before:
        yield
        return
    code = f"import sys; sys.path[:] = {sys.path!r}; from sweepstakes import warm_up; warm_up.compile_backwards()"
    # Errors there are ignored: the same error occurs in this process too, which reports it.
    process = subprocess.Popen(
        [sys.executable, "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    try:
        assert process.stdin is not None
        with suppress(Exception):  # the noise of a plugin may not be picklable
            process.stdin.write(pickle.dumps(needs))
            process.stdin.write(b"\n")
            process.stdin.flush()
        yield
    finally:
        process.kill()
        process.communicate()


@contextmanager
def _without_collecting() -> Iterator[None]:
    """Stop the garbage collector, which would look at all that the compiler made after each kernel."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def is_compiled() -> bool:
    """Return whether there are kernels of an earlier process or of a wheel, so that loading them takes only a moment.

    Kernels that are out of date are still compiled again when they are used.
    """
    if prebuilt_folder():
        return True
    stats = getattr(referee_kernels.place_mines, "stats", None)
    return stats is None or any(Path(stats.cache_path).glob("referee_kernels.place_mines-*.nbi"))


def compile_backwards() -> None:
    """Read pickled steps from standard input and do them from the last to the first. End when the input is closed."""
    needs: _Needs = pickle.load(sys.stdin.buffer)
    threading.Thread(target=lambda: (sys.stdin.read(), os._exit(1)), daemon=True).start()
    _do(needs.steps()[::-1])


def _compiled() -> int:
    """Return how often `place_mines` was compiled in this process instead of being found in the cache."""
    stats = getattr(referee_kernels.place_mines, "stats", None)  # missing with NUMBA_DISABLE_JIT
    return sum(stats.cache_misses.values()) if stats else 0


class _Coin(ClueNoise):
    """A simple noise, so that the kernel that draws clues is compiled too."""

    def likelihood(self, count: int, neighbours: int) -> dict[ShownClue, float]:
        """Show or withhold the true clue, each with probability 1/2."""
        return {count: 0.5, "withheld": 0.5}


_POSITION = View.parse("1 3 1\n.1.")
_GUESSES = Board.parse(
    ".*......\n........\n.....**.\n*....*..\n.*....*.\n.*..*..*\n......**"
)  # `champion` needs its lookahead and its endgame here, as a test checks
_SMALL = Board.parse("..*....\n...*..*\n.*.....\n....*..\n..*....\n......*\n*......")


def _play_a_little(noise: Noise) -> None:
    """Call every kernel of the referee but `place_mines`, with the types that games call it with."""
    game = Game(Board.of(2, 2, [(1, 1)]), noise=noise)
    game.take(Turn(flag=[(1, 1)]))
    game.take(Turn(open=[(0, 0), (0, 1), (1, 0)]))
    game.result()


def _load_engine() -> None:
    inference.posterior(_POSITION.shown, _POSITION.mines)


def _load_rare() -> None:
    inference.warm_up()
    inference.Knowledge.of(_POSITION, deduction.pairs, False)  # the most usual idea of an agent's own
    inference.evidence(np.array([[1, -1]], np.int8), 1, [], [1])


def _review() -> None:
    from sweepstakes.review import review_game  # slow to import, and rarely needed

    review_game(Game(_SMALL), [Turn(flag=[(0, 2)], open=[(0, 0), (0, 1)])])
