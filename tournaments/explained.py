"""The turns of a finished game with the reasons of the agent that took them, or else of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Any, NamedTuple, cast

from sweepstakes.errors import RunError
from sweepstakes.executor import Chunk, Fixture, Guard, Limits, Row
from sweepstakes.explaining import explain_game, proven_turns, second_limits
from sweepstakes.record import pack, read_turns, same, unpack
from sweepstakes.result import Ending, GameResult, check_extras
from sweepstakes.tournaments.available import available
from sweepstakes.tournaments.opened import OpenedRun, plugin_files
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


def explained(run: OpenedRun, fixture: Fixture, turns: Sequence[Turn], plugins: Sequence[str] = ()) -> Explained:
    """The turns of a game with the evidence of a second playing, or of the engine where that comes to nothing.

    The run was opened without agents. One that is not built in plays in another process, under hard limits.
    """
    plan, registry = run.plan, run.registry
    entry = plan.entries[fixture.agent]
    limits = second_limits(Limits(**plan.config.limits.model_dump()))
    name, parameters, version = entry.agent
    again, why_not = None, ""
    offer = registry.offers("agent").get(name)
    if offer is not None and offer.plugin.origin == "built in" and offer.version == version:
        again = explain_game(set_up(plan, registry, fixture), registry.agent(name, parameters), turns, limits)
    else:
        found = available([entry], (), [*plugin_files(plan.config), *plugins])
        why_not = found.missing.get(entry.label, "")
        if not why_not:
            again = _elsewhere(run, fixture, turns, found.files, limits)
    if again is not None:
        return Explained(again)
    proven = proven_turns(set_up(plan, registry, fixture), turns)
    why = f"cannot be played again: {why_not}" if why_not else f"did not explain itself ({NOTHING})"
    return Explained(proven, f"{OTHERWISE}: agent '{entry.label}' {why}")


def _elsewhere(
    run: OpenedRun, fixture: Fixture, turns: Sequence[Turn], files: tuple[str, ...], limits: Limits
) -> list[Turn] | None:
    """What a second playing in another process gives; None if that comes to nothing."""
    plan = run.plan
    alone = plan._replace(
        entries=(plan.entries[fixture.agent],),
        conditions=(plan.conditions[fixture.condition],),
        measures=(),
        files=files,
    )
    chunk = Chunk(0, 0, fixture.number, fixture.number + 1)
    batches = cast(Any, pick_executor(run.registry, 1).run(_SecondPlaying(alone, pack(turns)), [chunk], limits))
    try:
        with closing(batches):
            (row,) = [row for rows in batches for row in rows]
        told = [] if row.moves is None else read_turns(row.moves)
    except (RunError, ValueError):
        return None
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

    def check(self, row: Row) -> None:
        check_extras(row.seconds, row.moves, row.took)

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
