"""Exact inference: the cells that a position proves, and the mine probability of all others."""

import numpy as np

from sweepstakes.inference.advice import Advice, advise
from sweepstakes.inference.blame import Contradiction, contradiction
from sweepstakes.inference.counting import count_layouts
from sweepstakes.inference.endgame import Endgame, endgame
from sweepstakes.inference.exact.order import drop_clues as _drop_clues
from sweepstakes.inference.exact.workspace import default_budget
from sweepstakes.inference.exact.workspace import workspace as _workspace
from sweepstakes.inference.flags import FlagCheck, check_flags
from sweepstakes.inference.knowledge import Knowledge
from sweepstakes.inference.lookahead import ClueOutlook, Outlook, lookahead
from sweepstakes.inference.no_guess import needs_guess
from sweepstakes.inference.posterior import Decision, Posterior, Status, Weighting, decide, forced, posterior, weigh
from sweepstakes.inference.proofs import evidence, minimal_proof
from sweepstakes.inference.under_rules import is_first_click_safe, posterior_under_rules

__all__ = [
    "Advice",
    "ClueOutlook",
    "Contradiction",
    "Decision",
    "Endgame",
    "FlagCheck",
    "Knowledge",
    "Outlook",
    "Posterior",
    "Status",
    "Weighting",
    "advise",
    "check_flags",
    "contradiction",
    "count_layouts",
    "decide",
    "default_budget",
    "endgame",
    "evidence",
    "forced",
    "is_first_click_safe",
    "lookahead",
    "minimal_proof",
    "needs_guess",
    "posterior",
    "posterior_under_rules",
    "warm_up",
    "weigh",
]


def warm_up() -> None:
    """Compile the kernels of `posterior` and `decide`, or load them from the cache.

    Takes seconds the first time. Workers that are forked afterwards inherit them, others load them from the cache.
    """
    space = _workspace((3, 5))
    _drop_clues(space.cells, space.links, 0, 0)
    shown = np.full((3, 5), -1, dtype=np.int8)
    shown[0, 1] = 1
    posterior(shown, 3)
