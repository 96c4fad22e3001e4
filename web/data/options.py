"""What can be chosen for a new game."""

from __future__ import annotations

from typing import Any

from sweepstakes.game.size import PRESETS
from sweepstakes.registry.parameters import parameters
from sweepstakes.registry.registry import Offer, Registry
from sweepstakes.web.server.requests import LARGEST

BEST = ("exact", "improved-probabilistic", "probabilistic", "basic")
"""Whose hints a newcomer gets: the first of these that is there; those of `exact` agree with the heat map."""


def options(registry: Registry) -> dict[str, Any]:
    """Sizes, agents and noises, with the defaults of a first game."""
    agents = registry.offers("agent")
    ready = {name: offer for name, offer in agents.items() if _needs_nothing(offer)}
    return {
        "presets": {name: size._asdict() for name, size in PRESETS.items()},
        "agents": [{"name": name, "summary": offer.summary} for name, offer in ready.items()],
        "noises": [
            {"name": name, "summary": offer.summary, "parameters": _defaults(offer)}
            for name, offer in registry.offers("clue noise").items()
        ],
        "agent": next((name for name in BEST if name in ready), next(iter(ready), "")),
        "largest": LARGEST,
    }


def _needs_nothing(offer: Offer) -> bool:
    takes = parameters(offer.factory)
    return takes is None or all(p.default is not p.empty for p in takes.values())


def _defaults(offer: Offer) -> dict[str, Any]:
    """The parameters that are numbers, with their defaults; a rate without one begins at a quarter."""
    defaults: dict[str, Any] = {}
    for name, parameter in (parameters(offer.factory) or {}).items():
        if parameter.default is parameter.empty:
            defaults[name] = 0.25
        elif isinstance(parameter.default, int | float) and not isinstance(parameter.default, bool):
            defaults[name] = parameter.default
    return defaults
