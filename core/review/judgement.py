"""The judgement on one decision: an opened or flagged cell, compared with what was known before."""

from __future__ import annotations

from enum import StrEnum
from typing import NamedTuple

from sweepstakes.game.cell import Cell
from sweepstakes.game.turn import Why
from sweepstakes.review import arithmetic
from sweepstakes.review.walk import Uncertain


class Label(StrEnum):
    """The class of a decision."""

    SOUND_PROOF = "sound proof"
    """Called proven, and certain."""
    UNSOUND_PROOF = "unsound proof"
    """Called proven, and not certain."""
    MISSED_PROOF = "missed proof"
    """A cell that was not certain was opened while another one was certainly safe."""
    BEST_GUESS = "best guess"
    """No cell was safer. Also a certainly safe cell that was opened without calling it proven."""
    GOOD_GUESS = "good guess"
    """Riskier than the safest cell, but by less than an inaccuracy."""
    INACCURACY = "inaccuracy"
    BLUNDER = "blunder"
    FLAG = "flag"
    """A flag on a mine, without a claim that it is proven."""
    WRONG_FLAG = "wrong flag"
    """A flag on a safe cell."""
    NOT_JUDGED = "not judged"
    """The position is too large for the exact sum."""


LABELS = tuple(Label)
"""The classes by their numbers in `arithmetic`."""
MISTAKES = (Label.UNSOUND_PROOF, Label.WRONG_FLAG, Label.MISSED_PROOF, Label.BLUNDER, Label.INACCURACY)
"""The classes that are mistakes; `inaccuracy` is the lightest."""


class Thresholds(NamedTuple):
    """How far the risk of a guess must exceed the lowest possible risk to make it an inaccuracy or a blunder."""

    inaccuracy: float = arithmetic.INACCURACY
    blunder: float = arithmetic.BLUNDER

    def check(self) -> None:
        """Raise `ValueError` with the reason unless 0 <= inaccuracy <= blunder <= 1."""
        if not 0 <= self.inaccuracy <= self.blunder <= 1:
            raise ValueError(
                f"thresholds {self.inaccuracy} and {self.blunder}: expected 0 <= inaccuracy <= blunder <= 1"
            )


DEFAULT = Thresholds()


class Judgement(NamedTuple):
    """One decision: a cell that was opened or flagged, and the exact posterior given everything shown before it."""

    turn: int
    """The number of the turn, from 0."""
    action: str
    """`open` or `flag`."""
    cell: Cell
    why: Why
    """The reason that the agent gave."""
    stated: float | None
    """The mine probability that the agent stated for this cell. A turn states one only for the first cell that it
    opens."""
    label: Label
    probability: float
    """The true mine probability; nan if the decision is not judged."""
    least: float
    """The lowest mine probability of all cells that were not open; nan if the decision is not judged."""
    certain: bool
    """Whether the cell was certain: safe, if it was opened, or a mine, if it was flagged."""
    escape: bool
    """Whether some cell was certainly safe."""
    mine: bool
    """Whether the cell is a mine."""
    shown: bytes
    """The shown codes before the decision; empty for a certain cell."""

    @property
    def excess(self) -> float:
        """The risk above the lowest one; 0 for a flag, nan if the decision is not judged."""
        return 0.0 if self.action == "flag" else max(self.probability - self.least, 0.0)  # nan stays nan

    @property
    def cost(self) -> float:
        """The cost of a mistake: the risk above the lowest one or, for an uncertain flag, the probability that it is
        wrong. It is 0 for decisions that are not judged."""
        if self.certain:
            return 0.0
        return arithmetic.cost_of(self.action == "flag", LABELS.index(self.label), self.probability, self.least)

    @property
    def claimed(self) -> bool:
        """Whether the agent called the cell proven."""
        return self.why == "proof"

    @property
    def unsound(self) -> bool:
        """Whether the agent called the cell proven although it was not certain."""
        return self.claimed and not self.certain and self.label is not Label.NOT_JUDGED

    @property
    def error(self) -> float | None:
        """The stated probability minus the true one, or None if either is unknown."""
        if self.stated is None or self.label is Label.NOT_JUDGED:
            return None
        return self.stated - self.probability


def label_of(event: Uncertain, claimed: bool, thresholds: Thresholds = DEFAULT) -> Label:
    """Return the class of a decision about a cell that was not certain. `claimed` says whether the agent called it
    proven."""
    number = arithmetic.class_of(event.flags, event.mine, event.exact, claimed, event.escape, event.excess, *thresholds)
    return LABELS[number]
