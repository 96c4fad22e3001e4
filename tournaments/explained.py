"""The turns of a finished game with the reasons of the agent that took them, or else of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Any, NamedTuple, cast

from sweepstakes.errors import RunError
from sweepstakes.executor import Chunk, Fixture, Guard, Limits, Row
from sweepstakes.explaining import explain_game, proven_turns, second_limits
from sweepstakes.record import pack, same, unpack
from sweepstakes.registry import Registry
from sweepstakes.result import Ending, GameResult
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.runner import pick_executor
from sweepstakes.tournaments.worker import Worker, set_up
from sweepstakes.turn import Turn

OTHERWISE = "the reasons shown are the engine's own smallest proofs"
NOTHING = "a second playing broke off, took other turns or took too long"


class Explained(NamedTuple):
    """Turns with their evidence."""

    turns: list[Turn]
    note: str = ""
    """Why the reasons are not the agent's, in a line; empty if they are."""


def explained(plan: Plan, registry: Registry, fixture: Fixture, turns: Sequence[Turn], why_not: str = "") -> Explained:
    """The turns of a game with the evidence of a second playing, or of the engine where that comes to nothing.

    A stranger's agent plays in another process, under hard limits. `why_not` says why the agent cannot play again.
    """
    label = plan.entries[fixture.agent].label
    again = None if why_not else _played_again(plan, registry, fixture, turns)
    if again is not None:
        return Explained(again)
    proven = proven_turns(set_up(plan, registry, fixture), turns)
    return Explained(proven, f"{OTHERWISE}: agent '{label}' {why_not or f'did not explain itself ({NOTHING})'}")


def _played_again(plan: Plan, registry: Registry, fixture: Fixture, turns: Sequence[Turn]) -> list[Turn] | None:
    agent = plan.entries[fixture.agent].agent
    limits = second_limits(Limits(**plan.config.limits.model_dump()))
    if registry.find("agent", agent.name).plugin.origin == "built in":
        factory = registry.agent(agent.name, agent.parameters)
        return explain_game(set_up(plan, registry, fixture), factory, turns, limits)
    alone = plan._replace(
        entries=(plan.entries[fixture.agent],), conditions=(plan.conditions[fixture.condition],), measures=()
    )
    chunk = Chunk(0, 0, fixture.number, fixture.number + 1)
    batches = cast(Any, pick_executor(registry, 1).run(_SecondPlaying(alone, pack(turns)), [chunk], limits))
    try:
        with closing(batches):
            (row,) = [row for rows in batches for row in rows]
    except RunError:
        return None
    if row.moves is None:
        return None
    told = unpack(row.moves)
    alike = len(told) == len(turns) and all(map(same, told, turns))
    return told if alike else None


class _SecondPlaying(NamedTuple):
    """What an executor needs to have one game played again; the moves of its row carry the evidence."""

    plan: Plan
    moves: bytes

    def open(self) -> _Again:
        return _Again(Worker(self.plan), self.moves)

    def forfeit(self, fixture: Fixture, ending: Ending, fault: str, seconds: float) -> Row:
        return self.plan.forfeit(fixture, ending, fault, seconds)

    def name(self, fixture: Fixture) -> str:
        return self.plan.name(fixture)


class _Again:
    def __init__(self, worker: Worker, moves: bytes) -> None:
        self._worker = worker
        self._turns = unpack(moves)

    def play(self, fixture: Fixture, guard: Guard | None = None) -> Row:
        factory = self._worker.agent(fixture)
        game = self._worker.game(fixture)
        told = explain_game(game, factory if guard is None else lambda: guard(factory), self._turns)
        nothing = GameResult(*game.deal.size, Ending.GAVE_UP, 0, 0, 0, 0, 0, 0, 0, 0)
        return Row(fixture, nothing, 0.0, None if told is None else pack(told))
