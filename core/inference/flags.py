"""Check the flags of a view: which of them the clues prove, and which they refute."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from sweepstakes.game.cell import Cell
from sweepstakes.game.codes import COVERED, FLAG
from sweepstakes.game.view import View
from sweepstakes.inference.blame import minimal_conflict
from sweepstakes.inference.posterior import Status
from sweepstakes.inference.under_rules import is_first_click_safe, posterior_under_rules


class FlagCheck(NamedTuple):
    """The flags of a view, checked against the clues, the number of mines and the rules. No flag is trusted."""

    proven: list[Cell]
    """Certainly on a mine."""
    wrong: list[Cell]
    """Certainly not on a mine."""
    together: list[Cell]
    """A minimal set of flags that cannot all be right, although each of them may be.

    Empty if no such set exists, or if the position is too hard to be solved exactly.
    """


def check_flags(view: View) -> FlagCheck:
    """Check the flags of a view. All lists are empty before the first click, or if no layout agrees with the view."""
    flags = view.flagged()
    if not flags or is_first_click_safe(view):
        return FlagCheck([], [], [])
    known = posterior_under_rules(view, trust_flags=False)
    if known.status is Status.INCONSISTENT:
        return FlagCheck([], [], [])
    uncertain = [cell for cell in flags if known.certain[cell] == 0]
    return FlagCheck(
        [cell for cell in flags if known.certain[cell] == 2],
        [cell for cell in flags if known.certain[cell] == 1],
        _cannot_all_be(view, sorted(uncertain, key=lambda cell: -known.probability[cell]))
        if known.status is Status.OK
        else [],
    )


def _cannot_all_be(view: View, flags: list[Cell]) -> list[Cell]:
    """Return a minimal set of flags that cannot all be right, row by row, or an empty list if all can.

    Flags late in the list are preferred. The view without flags must be consistent.
    """
    bare = np.where(view.shown == FLAG, np.int8(COVERED), view.shown)

    def possible(flagged: Sequence[Cell]) -> bool:
        shown = bare.copy()
        for cell in flagged:
            shown[cell] = FLAG
        return posterior_under_rules(view._replace(data=shown.tobytes())).status is not Status.INCONSISTENT

    return [] if possible(flags) else sorted(minimal_conflict(flags, possible))
