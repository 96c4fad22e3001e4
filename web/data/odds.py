"""The exact mine probabilities of a position."""

from __future__ import annotations

from typing import Any

from sweepstakes.game.view import View
from sweepstakes.inference import is_first_click_safe, posterior_under_rules
from sweepstakes.web.data.serialize import percentages, run_lengths


def odds(view: View) -> dict[str, Any]:
    """The probability of each cell that is not open, whether they are exact, and whether the first click is safe.

    Flags are ignored: a person, or a weak agent, may have set a wrong flag, which its probability then shows.
    """
    posterior = posterior_under_rules(view, trust_flags=False)
    return {
        "percent": run_lengths(percentages(posterior.probability, posterior.safe, posterior.mine)),
        "status": str(posterior.status),
        "first_click_safe": is_first_click_safe(view),
    }
