"""Which flags of a view the clues prove, and which they refute."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sweepstakes.game.cell import Cell
from sweepstakes.game.codes import COVERED, FLAG
from sweepstakes.game.view import View
from sweepstakes.inference.posterior import Status
from sweepstakes.inference.under_rules import is_first_click_safe, posterior_under_rules


class FlagCheck(NamedTuple):
    """What the clues, the number of mines and the rules say about the flags of a view. No flag is believed."""

    proven: list[Cell]
    """Certainly on a mine."""
    wrong: list[Cell]
    """Certainly not on a mine."""
    together: list[Cell]
    """Each of these may be right, but not all of them: one at least is wrong. None of them can be spared.

    Empty where the position is too hard to be weighed exactly.
    """


def check_flags(view: View) -> FlagCheck:
    """Judge the flags of a view. Before the first click nothing is known about any of them, nor if no layout fits."""
    flags = view.flagged()
    if not flags or is_first_click_safe(view):
        return FlagCheck([], [], [])
    known = posterior_under_rules(view, trust_flags=False)
    if known.status is Status.INCONSISTENT:
        return FlagCheck([], [], [])
    open_to_doubt = [cell for cell in flags if known.certain[cell] == 0]
    return FlagCheck(
        [cell for cell in flags if known.certain[cell] == 2],
        [cell for cell in flags if known.certain[cell] == 1],
        _cannot_all_be(view, sorted(open_to_doubt, key=lambda cell: -known.probability[cell]))
        if known.status is Status.OK
        else [],
    )


def _cannot_all_be(view: View, flags: list[Cell]) -> list[Cell]:
    """A smallest part of the flags that cannot all be right, in the order of the board; none if they all can.

    No flag of the answer can be spared. The first flags of the list are the last to be blamed. Without any of them the
    view must be possible.
    """
    bare = np.where(view.shown == FLAG, np.int8(COVERED), view.shown)

    def possible(flagged: list[Cell]) -> bool:
        shown = bare.copy()
        for cell in flagged:
            shown[cell] = FLAG
        return posterior_under_rules(view._replace(data=shown.tobytes())).status is not Status.INCONSISTENT

    if possible(flags):
        return []
    blamed: list[Cell] = []
    while not blamed or possible(blamed):
        fits, fails = 0, len(flags)  # so many of the flags fit beside those to blame, so many do not
        while fails - fits > 1:
            middle = (fits + fails) // 2
            if possible(blamed + flags[:middle]):
                fits = middle
            else:
                fails = middle
        blamed.append(flags[fails - 1])
        flags = flags[: fails - 1]
    return sorted(blamed)
