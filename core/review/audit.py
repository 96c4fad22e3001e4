"""The audit of one game or of many: the number of decisions in each class, and the accuracy of stated probabilities."""

from __future__ import annotations

from collections.abc import Iterable
from math import log, nan
from typing import NamedTuple

import numpy as np

from sweepstakes.review.judgement import DEFAULT, Label, Thresholds, label_of
from sweepstakes.review.review_kernels import (
    CERTAIN_OPENED,
    FLAGS,
    FLAGS_CLAIMED,
    OPENS,
    OPENS_CLAIMED,
    UNCERTAIN_OPENED,
)
from sweepstakes.review.walk import Uncertain, Walk

MIN_CHANCE = 1e-6
"""Stated probabilities have six digits. In the log score, probabilities closer to 0 or 1 than this are replaced by
this distance from 0 or 1."""
BINS = 10
"""Bins of equal width in a reliability diagram."""


class Stated(NamedTuple):
    """A stated mine probability, the true one, and whether there was a mine."""

    stated: float
    true: float
    mine: bool


class Bin(NamedTuple):
    """The stated probabilities in one range: their number, their mean, the mean true probability, and the share of
    mines."""

    number: int
    stated: float
    true: float
    mines: float


class Audit(NamedTuple):
    """Counts over the decisions of one game, or of many. Cells are counted, not turns."""

    games: int = 0
    proofs: int = 0
    """Cells opened or flagged that the agent called proven."""
    unsound: int = 0
    """Number of these proofs that were not certain."""
    guesses: int = 0
    """Cells opened that the agent did not call proven."""
    missed: int = 0
    """Number of guesses that were not certain although another cell was certainly safe."""
    best: int = 0
    """Number of guesses that opened one of the safest cells."""
    good: int = 0
    inaccuracies: int = 0
    blunders: int = 0
    risky: int = 0
    """Cells opened that were not certainly safe, called proven or not."""
    excess: float = 0.0
    """The risk above the lowest risk at that moment, summed over the `risky` cells."""
    flags: int = 0
    wrong_flags: int = 0
    """Flags put on safe cells."""
    not_judged: int = 0
    """Decisions in positions too large for the exact sum. They count in no other figure."""
    stated: tuple[Stated, ...] = ()

    @classmethod
    def of(cls, walk: Walk, thresholds: Thresholds = DEFAULT) -> Audit:
        """Return the audit of one game."""
        turns = walk.arrays
        proofs = walk.certain_count(OPENS_CLAIMED) + walk.certain_count(FLAGS_CLAIMED)
        flags = walk.certain_count(FLAGS)
        safe_guesses = walk.certain_count(OPENS) - walk.certain_count(OPENS_CLAIMED)
        count = dict.fromkeys(Label, 0)
        stated = []
        unsound = guesses = risky = wrong_flags = 0
        first: dict[int, Uncertain] = {}
        excess = 0.0
        for event in walk.uncertain:
            claimed = turns.why(event.turn) == "proof"
            label = label_of(event, claimed, thresholds)
            count[label] += 1
            if event.flags:
                flags += 1
                wrong_flags += not event.mine
            if label is Label.NOT_JUDGED:
                continue
            proofs += claimed
            unsound += claimed
            if not event.flags:
                first.setdefault(event.turn, event)
                guesses += not claimed
                risky += 1
                excess += event.excess
        for turn, chance in turns.stated.items():
            if walk.opened[turn] == CERTAIN_OPENED:
                stated.append(Stated(chance, 0.0, False))
            elif walk.opened[turn] == UNCERTAIN_OPENED and turn in first:
                stated.append(Stated(chance, first[turn].probability, first[turn].mine))
        return cls(
            1,
            proofs,
            unsound,
            guesses + safe_guesses,
            count[Label.MISSED_PROOF],
            count[Label.BEST_GUESS] + safe_guesses,
            count[Label.GOOD_GUESS],
            count[Label.INACCURACY],
            count[Label.BLUNDER],
            risky,
            excess,
            flags,
            wrong_flags,
            count[Label.NOT_JUDGED],
            tuple(stated),
        )

    @classmethod
    def total(cls, audits: Iterable[Audit]) -> Audit:
        """Return the sum of several audits."""
        columns = list(zip(*audits, strict=True))
        if not columns:
            return cls()
        *counts, stated = columns
        return cls._make([*map(sum, counts), tuple(one for many in stated for one in many)])

    @property
    def best_share(self) -> float:
        """The share of best guesses among the guesses; nan without guesses."""
        return self.best / self.guesses if self.guesses else nan

    @property
    def mean_excess(self) -> float:
        """The mean of the risk above the lowest one over the `risky` cells; nan without such cells."""
        return self.excess / self.risky if self.risky else nan

    @property
    def brier(self) -> float:
        """The mean of (stated probability - outcome)², where the outcome is 1 for a mine, else 0; nan if nothing was
        stated."""
        return _mean([(one.stated - one.mine) ** 2 for one in self.stated])

    @property
    def log_score(self) -> float:
        """The mean of -log(probability stated for the actual outcome); nan if nothing was stated."""
        return _mean([-log(max(one.stated if one.mine else 1 - one.stated, MIN_CHANCE)) for one in self.stated])

    @property
    def error(self) -> float:
        """The mean distance of the stated probabilities from the true ones; nan if nothing was stated."""
        return _mean([abs(one.stated - one.true) for one in self.stated])

    def reliability(self) -> list[Bin | None]:
        """Return the reliability diagram: stated probabilities in bins of equal width. Empty bins are None."""
        if not self.stated:
            return [None] * BINS
        values = np.array(self.stated, np.float64)
        which = np.minimum((values[:, 0] * BINS).astype(int), BINS - 1)
        parts = (values[which == place] for place in range(BINS))
        return [Bin(len(part), *part.mean(axis=0).tolist()) if len(part) else None for part in parts]


def _mean(values: list[float]) -> float:
    return sum(values) / len(values) if values else nan
