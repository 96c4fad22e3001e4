"""The exact mine probabilities of a position."""

from __future__ import annotations

from typing import Any

from sweepstakes.game.view import View
from sweepstakes.inference import is_first_click_safe, posterior_under_rules
from sweepstakes.web.data.serialize import percent, run_lengths


def odds(view: View) -> dict[str, Any]:
    """Percent for each cell that is not open, how far they can be trusted, and whether the rules alone say so.

    Flags are not believed: a person, or a weak agent, may have set them wrong, and then the number under the flag
    says so.
    """
    found = posterior_under_rules(view, trust_flags=False)
    return {
        "percent": run_lengths(percent(found.probability, found.safe, found.mine)),
        "status": str(found.status),
        "first_click_safe": is_first_click_safe(view),
    }
