"""The games of a check under the rules and clue noises of a tournament, and no others."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from sweepstakes.executor import Limits
from sweepstakes.registry.registry import Registry
from sweepstakes.testing.scenarios import Games
from sweepstakes.tournaments.config.loading import load
from sweepstakes.tournaments.plan import Condition
from sweepstakes.tournaments.resolve.conditions import make_conditions


class CheckedGames(NamedTuple):
    """The games of a tournament as a check plays them."""

    games: Games
    limits: Limits
    isolation: str = "process"


def games_of(conditions: Iterable[Condition], registry: Registry) -> Games:
    """Return the games of a check under the rules and noises of these conditions."""
    listed = list(conditions)
    rules = tuple(dict.fromkeys(condition.rules for condition in listed))
    noises = tuple(dict.fromkeys(condition.noise for condition in listed))
    return Games(rules=rules, noises=noises, registry=registry)


def games_of_tournament(tournament: str | Path) -> CheckedGames:
    """Return the games and limits of a check under the tournament of this file or preset, without loading agents."""
    config, file = load(tournament)
    registry = Registry(config.plugins)
    registry.check()
    games = games_of(make_conditions(config, registry, file), registry)
    return CheckedGames(games, config.limits, config.isolation)
