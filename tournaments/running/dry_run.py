"""The games that a run would play: stored games, missing games, and an estimate of the time for the latter."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path
from time import monotonic

from sweepstakes.compiling.not_compiling import NotCompiledError, without_compiling
from sweepstakes.executor import Fixture
from sweepstakes.registry.registry import Registry
from sweepstakes.tournaments.plan import SECRET, Plan
from sweepstakes.tournaments.running.game_player import PlanPlayer
from sweepstakes.tournaments.running.progress import in_words
from sweepstakes.tournaments.running.workload import warm_up_for
from sweepstakes.tournaments.storage.opening import open_reader

SAMPLE_SECONDS = 3.0
"""Seconds that are spent on games whose time is measured."""


def dry_run(plan: Plan, registry: Registry, directory: Path, imported: Iterable[Path], workers: int) -> Iterator[str]:
    """Yield the conditions, the agents, the numbers of games, and an estimate of the time, a line each."""
    for condition in plan.conditions:
        yield f"{condition.description} ({condition.size})"
    yield f"agents: {', '.join(entry.label for entry in plan.entries)}"
    yield (
        f"{_count(len(plan.entries), 'agent')} x {_count(len(plan.conditions), 'condition')} "
        f"x {_count(plan.config.games, 'board')} "
        f"= {plan.games:,} games, into {directory}"
    )
    if plan.config.seed == SECRET:
        yield "which games are stored is known when the secret seed has been read or drawn"
        return
    stored = stored_games(plan, [directory] if (directory / "games.sqlite").exists() else [])
    found = stored | stored_games(plan, imported)
    missing = plan.games - len(found)
    others = f"{len(found) - len(stored):,} to import, " if len(found) > len(stored) else ""
    yield f"{len(stored):,} games stored, {others}{missing:,} to play"
    if missing:
        yield estimate(plan, registry, found, workers)


def stored_games(plan: Plan, places: Iterable[Path]) -> set[Fixture]:
    """Return the games of the plan that these runs or published leaderboards have."""
    conditions = {condition.key: index for index, condition in enumerate(plan.conditions)}
    agents = {entry.key: index for index, entry in enumerate(plan.entries)}
    found = set()
    for place in places:
        with closing(open_reader(place)) as run:
            for condition, agent, number, *_ in run.rows():
                if condition in conditions and agent in agents and number < plan.config.games:
                    found.add(Fixture(agents[agent], conditions[condition], number))
    return found


def estimate(plan: Plan, registry: Registry, found: set[Fixture], workers: int) -> str:
    """Estimate how long the missing games take on `workers` workers, by playing a few of them without storing them.

    Nothing is compiled for this. If the inner loops have not been compiled yet, the text says so instead.
    """
    blocks = [(agent, condition) for agent in range(len(plan.entries)) for condition in range(len(plan.conditions))]
    left = dict.fromkeys(blocks, plan.config.games)
    for agent, condition, _ in found:
        left[agent, condition] -= 1
    blocks = [block for block in blocks if left[block] and not plan.entries[block[0]].forfeit]
    once = [entry.label for agent, entry in enumerate(plan.entries) if not entry.repeatable and agent in dict(blocks)]
    blocks = [block for block in blocks if plan.entries[block[0]].repeatable]
    if not blocks and once:
        return f"how long that takes is not known: {_unplayed(once)}"
    agents = list(dict(blocks))
    took: dict[tuple[int, int], float] = {}
    with without_compiling() as compiler, suppress(NotCompiledError):
        warm_up_for(plan, registry, quiet=True)
        if not compiler.refused:
            took = _sample(plan, registry, blocks)
    if compiler.refused:
        return "how long that takes is not known: the inner loops have not been compiled yet, which the first run does"
    means = {agent: _mean([seconds for (one, _), seconds in took.items() if one == agent]) for agent in agents}
    total = sum(left[block] * took.get(block, means[block[0]]) for block in blocks) / workers
    on = f"{workers} worker{'s' * (workers != 1)}"
    others, unplayed = (" for the other agents", f"; {_unplayed(once)}") if once else ("", "")
    return f"about {in_words(total)} on {on}{others}, estimated from a few games, which are not stored{unplayed}"


def _unplayed(labels: Sequence[str]) -> str:
    """Return why the time of agents that are not repeatable is unknown."""
    return f"games of {', '.join(labels)} are not played for an estimate, because answers may cost money"


def _sample(plan: Plan, registry: Registry, blocks: Sequence[tuple[int, int]]) -> dict[tuple[int, int], float]:
    """Return the seconds of a game of each agent, and of further conditions as long as there is time."""
    player = PlanPlayer(plan, registry)
    took: dict[tuple[int, int], float] = {}
    try:
        begun = monotonic()
        for agent in dict(blocks):
            for number in range(2):  # the first game of an agent includes the start of its process
                seconds = player.play(Fixture(agent, 0, number % plan.config.games)).took
            took[agent, 0] = seconds
        for agent, condition in blocks:
            if monotonic() - begun < SAMPLE_SECONDS and (agent, condition) not in took:
                took[agent, condition] = player.play(Fixture(agent, condition, 0)).took
    finally:
        player.close()
    return took


def _count(number: int, what: str) -> str:
    return f"{number:,} {what}{'s' * (number != 1)}"


def _mean(values: list[float]) -> float:
    return sum(values) / len(values)
