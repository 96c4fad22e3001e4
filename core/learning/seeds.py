"""The seeds of boards for learning. They come from streams that no tournament uses.

Episode k of seed s has the 64-bit board seed `mix(base + (k + 1) x GOLDEN)`, where `base` is the hash of the purpose
`learning`, s, the board source and the size, and `mix` is SplitMix64's output function: the k-th number of the stream
that `Rng(base)` gives. Compiled code needs no hash to compute it, and can compute any episode without the ones before
it.
"""

from __future__ import annotations

from sweepstakes.boards import BoardRef, BoardSource
from sweepstakes.game.rng import GOLDEN, MASK, Rng, derive
from sweepstakes.game.size import Size


def stream(seed: int, label: str, size: Size) -> int:
    """Return the base of the stream of boards of a seed; `label` is the source with its parameters."""
    return derive("learning", seed, label, *size)


def episode_seed(base: int, episode: int) -> int:
    """Return the board seed of one episode of a stream."""
    return Rng((base + episode * GOLDEN) & MASK).bits()


def episode_board(source: BoardSource, label: str, size: Size, seed: int, episode: int) -> BoardRef:
    """Return the reference to the board of one episode of a seed."""
    board_seed = episode_seed(stream(seed, label, size), episode)
    return BoardRef(source, size, board_seed, episode, label, seed)
