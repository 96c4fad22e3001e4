"""The exact mine probabilities of a position."""

from __future__ import annotations

from typing import Any

from sweepstakes.game.view import View
from sweepstakes.inference import Posterior, is_first_click_safe, posterior_under_rules
from sweepstakes.web.data.serialize import percentages, run_lengths


def odds(view: View) -> dict[str, Any]:
    """Return the probability of each cell that is not open, whether they are exact, and whether the first click is
    safe.

    Flags are ignored: a person, or a weak agent, may have set a wrong flag, which its probability then shows.
    """
    return serialize_odds(view, posterior_under_rules(view, trust_flags=False))


def serialize_odds(view: View, found: Posterior) -> dict[str, Any]:
    """Return the probabilities in percent as run lengths, with the text about them."""
    return {
        "percent": run_lengths(percentages(found.probability, found.safe, found.mine)),
        "status": str(found.status),
        "first_click_safe": is_first_click_safe(view),
    }
