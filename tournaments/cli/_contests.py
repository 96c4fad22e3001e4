"""What `sweepstakes match` and `sweepstakes race` have in common."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sweepstakes.executor import Executor
from sweepstakes.registry.registry import Registry
from sweepstakes.spec import Spec
from sweepstakes.tournaments.cli.contests import Contest
from sweepstakes.tournaments.config.loading import parse
from sweepstakes.tournaments.config.model import Tournament
from sweepstakes.tournaments.plan import Plan, describe_rules
from sweepstakes.tournaments.running.executors import pick_executor


def tournament_of(contest: Contest, name: str, agents: Sequence[Any], games: int, **changes: Any) -> Tournament:
    """Return the tournament of one condition that a match or a race is."""
    config: dict[str, Any] = {"name": name, "seed": contest.seed, "games": games}
    config |= {"boards": contest.boards, "noise": contest.noise}
    config |= {"rules": contest.rules._asdict(), "agents": list(agents), "scores": contest.score or [], "moves": "none"}
    changes |= {"executor": contest.executor, "isolation": contest.isolation}
    return parse(config | {key: value for key, value in changes.items() if value is not None})


def executor_of(contest: Contest, config: Tournament, registry: Registry) -> Executor:
    """Return the executor that plays the games of a contest."""
    return pick_executor(registry, Spec.of(config.executor), contest.workers, contest.start_method)


def condition_text(contest: Contest, plan: Plan) -> str:
    """Return the boards, the rules and the score of a contest in words."""
    return f"on {contest.boards}, {describe_rules(plan.conditions)}; score {plan.scores[0]}"
