"""The exact mine probabilities of a position."""

from __future__ import annotations

from typing import Any

from sweepstakes.inference import posterior
from sweepstakes.view import View
from sweepstakes.web.faces import percent, run_lengths


def odds(view: View) -> dict[str, Any]:
    """Percent for each cell that is not open, and how far they can be trusted.

    Flags are not believed: a person, or a weak agent, may have set them wrong, and then the number under the flag
    says so.
    """
    noise = None if view.noise.exact else view.noise.table
    found = posterior(view.shown, view.mines, noise=noise, trust_flags=False)
    return {
        "percent": run_lengths(percent(found.probability, found.safe, found.mine)),
        "status": str(found.status),
    }
