"""The options for a new game: sizes, agents and noises, with the defaults."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from sweepstakes.game.rules import RULES, Rule, Rules
from sweepstakes.game.setup import EXACT_CLUES, UNIFORM
from sweepstakes.game.size import PRESETS
from sweepstakes.registry.parameters import parameters
from sweepstakes.registry.registry import Offer, Registry
from sweepstakes.web.agents.run_agents import RunAgent
from sweepstakes.web.server.requests import MAX_SIDE

ENGINE_AGENT = "exact"
"""The agent whose hints the engine in the page gives."""
PREFERRED_AGENTS = ("exact", "improved-probabilistic", "probabilistic", "basic")
"""The default agent for hints is the first of these that is installed; hints of `exact` agree with the heat map."""

DEFAULTS = {
    **dict.fromkeys(RULES),
    **Rules("end", "opening").options(),
    **{"source": UNIFORM.name, "noise": EXACT_CLUES.name, "number": 0},
}
"""The board of a new game on the Play page. A position without a game has the first click `any`."""


def options(registry: Registry, run_agents: Mapping[str, RunAgent]) -> dict[str, Any]:
    """Return the sizes, the agents and board sources that need no parameter, the noises, the rules, and the defaults.

    `in_page` is the agent whose hints the engine in the page gives, unless the run has another agent of that name. The
    agents of the run come first. `missing` says why one of them is not available; it is empty otherwise.
    """
    agents = registry.offers("agent")
    usable = {name: offer for name, offer in agents.items() if _has_all_defaults(offer)}
    return {
        "presets": {name: size._asdict() for name, size in PRESETS.items()},
        "agents": [
            *({"name": name, "summary": own.summary, "missing": own.missing} for name, own in run_agents.items()),
            *(
                {"name": name, "summary": offer.summary, "missing": ""}
                for name, offer in usable.items()
                if name not in run_agents
            ),
        ],
        "sources": [
            {"name": name, "summary": offer.summary}
            for name, offer in registry.offers("board source").items()
            if not offer.description.needs
        ],
        "noises": [
            {"name": name, "summary": offer.summary, "parameters": _defaults(offer)}
            for name, offer in registry.offers("clue noise").items()
        ],
        "agent": next((name for name in PREFERRED_AGENTS if name in usable), next(iter(usable), "")),
        "in_page": "" if ENGINE_AGENT in run_agents else ENGINE_AGENT,
        "largest": MAX_SIDE,
        "rules": {name: _rule(RULES[name]) for name in Rules._fields},
        "defaults": DEFAULTS,
    }


NEEDS_SERVER = "needs sweepstakes serve"


def site_options(registry: Registry) -> dict[str, Any]:
    """Return the options of a page without a server: its engine deals uniform boards and gives the hints of `exact`."""
    found = options(registry, {})
    built_in = Registry.built_in().offers("clue noise")
    return found | {
        "agents": [
            each | {"missing": "" if each["name"] == ENGINE_AGENT else NEEDS_SERVER} for each in found["agents"]
        ],
        "sources": [each for each in found["sources"] if each["name"] == UNIFORM.name],
        "noises": [each for each in found["noises"] if each["name"] in built_in],
        "agent": ENGINE_AGENT,
        "note": "Hints of other agents, and boards that need no guess, need a server: sweepstakes serve.",
    }


def _rule(rule: Rule) -> dict[str, Any]:
    """Return the kind of a rule, its name in forms, and the phrase for each of its words."""
    phrases = {rule.write(value): phrase for value, phrase in rule.phrases.items() if value is not None}
    return {"kind": rule.kind, "title": rule.title, "phrases": phrases}


def _has_all_defaults(offer: Offer) -> bool:
    return not offer.description.needs


def _defaults(offer: Offer) -> dict[str, Any]:
    """Return the numeric parameters with their defaults. A parameter without a default starts at 0.25."""
    defaults: dict[str, Any] = {}
    assert offer.factory is not None  # a noise is imported
    for name, parameter in (parameters(offer.factory) or {}).items():
        if parameter.default is parameter.empty:
            defaults[name] = 0.25
        elif isinstance(parameter.default, int | float) and not isinstance(parameter.default, bool):
            defaults[name] = parameter.default
    return defaults
