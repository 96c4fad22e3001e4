"""The turns of a finished game with the reasons of the agent that took them, or else of the engine."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import closing
from typing import Any, NamedTuple, cast

from sweepstakes.errors import RunError
from sweepstakes.executor import Chunk, Fixture, Guard, Limits, Row
from sweepstakes.game.result import Ending, GameResult, check_extras
from sweepstakes.game.setup import EXACT_CLUES
from sweepstakes.game.turn import Turn
from sweepstakes.game.turn_codec import pack, read_turns, same, unpack
from sweepstakes.inference.explaining import explain_game, proven_turns, second_limits
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.replay.replay import Replay
from sweepstakes.tournaments.running.game_player import PlanPlayer
from sweepstakes.tournaments.running.playable_agents import find_playable
from sweepstakes.tournaments.running.runner import LOCAL, pick_executor
from sweepstakes.tournaments.running.verification import play_again
from sweepstakes.tournaments.storage.stored_run import StoredGame, StoredRun

ENGINE_REASONS = "the reasons shown are the engine's own smallest proofs"
NO_EXPLANATION = "a second playing broke off, took other turns or took too long"


class ExplainedTurns(NamedTuple):
    """Turns with their evidence."""

    turns: list[Turn]
    note: str = ""
    """Why the reasons are not the agent's, in a line; empty if they are."""


def replay(run: StoredRun, stored: StoredGame) -> Replay:
    """A game as its turns have it, with their reasons; `RunError` if its turns cannot be had.

    If its row says otherwise, nobody is asked for reasons.
    """
    if stored.fixture.condition in run.changed:
        why = "the board source or the noise has changed since it was played"
        raise RunError(f"{run.directory}: game {stored.name}: {why}")
    turns, condition = turns_of(run, stored), stored.condition
    title = f"{stored.agent.label} on {condition.label}, seed {condition.seed}, board {stored.number}"
    title += f", {condition.rules}" + ("" if condition.noise == EXACT_CLUES else f", {condition.noise.portable}")
    found = Replay.of(run.set_up(stored.fixture), turns, stored.result, title)
    if found.mismatch:
        return found
    told = explain_stored_game(run, stored, turns)
    return Replay.of(run.set_up(stored.fixture), told.turns, stored.result, title, told.note)


def turns_of(run: StoredRun, stored: StoredGame) -> list[Turn]:
    """The turns of a game: those that were kept, or those of the agent that plays it again in another process.

    `RunError` if there are none, or if they are not those of that game.
    """
    moves = stored.moves
    if moves is None:
        found = find_playable(run, [stored.agent])
        if why := found.missing.get(stored.agent.label):
            what = "its moves were not kept, and it cannot be played again"
            raise RunError(f"{run.directory}: game {stored.name}: {what}: {why}")
        playing = run.plan._replace(measures=(), files=found.files)
        (row,) = play_again(playing, [stored.fixture], pick_executor(run.registry, LOCAL, 1))
        if row.moves is None or row.result.outcome != stored.result.outcome:
            what = "its moves were not kept, and its agent plays another game now"
            raise RunError(f"{run.directory}: game {stored.name}: {what}")
        moves = row.moves
    try:
        return read_turns(moves)
    except ValueError as error:
        raise RunError(f"{run.file}: game {stored.name}: {error}") from None


def explain_stored_game(run: StoredRun, stored: StoredGame, turns: Sequence[Turn]) -> ExplainedTurns:
    """The turns of a game with the evidence of a second playing, or of the engine where that comes to nothing.

    An agent that is not built in plays in another process, under hard limits.
    """
    registry, entry = run.registry, stored.agent
    limits = second_limits(Limits(**run.config.limits.model_dump()))
    again = None
    found = find_playable(run, [entry])
    why_not = found.missing.get(entry.label, "")
    if found.built_in:
        again = explain_game(run.set_up(stored.fixture), registry.agent(entry.spec), turns, limits)
    elif not why_not:
        again = _explain_in_process(run, stored.fixture, turns, found.files, limits)
    if again is not None:
        return ExplainedTurns(again)
    proven = proven_turns(run.set_up(stored.fixture), turns)
    why = f"cannot be played again: {why_not}" if why_not else f"did not explain itself ({NO_EXPLANATION})"
    return ExplainedTurns(proven, f"{ENGINE_REASONS}: agent '{entry.label}' {why}")


def _explain_in_process(
    run: StoredRun, fixture: Fixture, turns: Sequence[Turn], files: tuple[str, ...], limits: Limits
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
    batches = cast(Any, pick_executor(run.registry, LOCAL, 1).run(_SecondPlaying(alone, pack(turns)), [chunk], limits))
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

    def open(self) -> _SecondPlayer:
        return _SecondPlayer(PlanPlayer(self.plan), self.moves)

    def forfeit(self, fixture: Fixture, ending: Ending, what: str, seconds: float) -> Row:
        return self.plan.forfeit(fixture, ending, what, seconds)

    def check(self, row: Row) -> None:
        check_extras(row.seconds, row.moves, row.took)


class _SecondPlayer:
    def __init__(self, worker: PlanPlayer, moves: bytes) -> None:
        self._worker = worker
        self._turns = unpack(moves)

    def play(self, fixture: Fixture, guard: Guard | None = None) -> Row:
        factory = self._worker.agent(fixture)
        game = self._worker.game(fixture)
        told = explain_game(game, factory if guard is None else lambda: guard(factory), self._turns)
        nothing = GameResult(*game.board_ref.size, Ending.GAVE_UP)
        return Row(fixture, nothing, 0.0, None if told is None else pack(told))
