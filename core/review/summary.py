"""A review turn by turn and in five numbers, as the pages and the command show it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sweepstakes.game.referee_kernels import REASON
from sweepstakes.game.size import Size
from sweepstakes.review import arithmetic
from sweepstakes.review.judgement import LABELS, Label, Thresholds, label_of
from sweepstakes.review.walk import Walk


class TurnSummary(NamedTuple):
    """A turn, or the end of the game."""

    label: Label | None
    """The class of its worst mistake, or else of its first uncertain opening; None if it decided nothing."""
    alive: float
    """The chance to survive all openings up to its end."""
    chance: float
    """The estimated chance that a good player wins from before it; nan unless the first mine ends the game."""
    luck: float
    """The part of `win` that is due to chance."""
    accurate: bool | None
    """Whether all cells that it opened were as safe as possible; None if it opened none that was judged."""


class Summary(NamedTuple):
    """A game in numbers."""

    clicks: int
    """Turns that opened cells and were judged."""
    accurate: int
    """Number of these turns that opened only cells that were as safe as possible."""
    survived: float
    """The chance to survive all openings."""
    survivable: float
    """The chance to survive if each opening had opened the safest cell."""
    luck: float
    """The part of `win` that is due to chance in these turns."""
    turns: Sequence[TurnSummary]
    """The turns, and the end of the game."""


def sum_up(walk: Walk, ends: bool, size: Size, luck: dict[int, float], thresholds: Thresholds) -> Summary:
    """Sum up a game. `ends`: the first mine ends it; `luck` is that of each turn."""
    heads = walk.arrays.heads
    count = len(heads)
    claimed = np.array([head & REASON == 0 for head in heads], np.int64)
    decisions = np.empty((len(walk.uncertain), arithmetic.DECISION))
    for row, event in zip(decisions, walk.uncertain, strict=True):
        label = LABELS.index(label_of(event, bool(claimed[event.turn]), thresholds))
        row[:] = event.turn, event.flags, label, event.probability, event.least, event.escape, event.after
    turns, game = np.empty((count + 1, arithmetic.OF_TURN)), np.empty(arithmetic.OF_GAME)
    by_turn = np.array([luck.get(turn, 0.0) for turn in range(count)])
    certain = np.array(walk.certain, np.int64).reshape(-1, 2)
    arithmetic.sum_up(
        decisions, certain, claimed, by_turn, walk.left, size.mines, size.cells, ends, walk.won, turns, game
    )
    clicks, accurate, survived, survivable, total = game.tolist()
    listed = [_turn(*row) for row in turns.tolist()]
    return Summary(int(clicks), int(accurate), survived, survivable, total, listed)


def _turn(label: float, alive: float, chance: float, luck: float, accurate: float) -> TurnSummary:
    known = None if accurate < 0 else accurate > 0
    return TurnSummary(None if label < 0 else LABELS[int(label)], alive, chance, luck, known)
