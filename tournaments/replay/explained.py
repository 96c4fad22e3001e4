"""The turns of a stored game with their evidence: that of the agent, or else that of the engine."""

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
    """The turns of a game with their evidence."""

    turns: list[Turn]
    note: str = ""
    """One line on why the evidence is the engine's; empty if it is the agent's."""


def replay(run: StoredRun, stored: StoredGame) -> Replay:
    """The replay of a stored game, with evidence; `RunError` if its turns are not available.

    If the stored row differs from the game, the replay has no evidence.
    """
    if stored.fixture.condition in run.changed:
        why = "the board source or the noise has changed since it was played"
        raise RunError(f"{run.directory}: game {stored.name}: {why}")
    turns, condition = turns_of(run, stored), stored.condition
    title = f"{stored.agent.label} on {condition.label}, seed {condition.seed_text}, board {stored.number}"
    title += f", {condition.rules}" + ("" if condition.noise == EXACT_CLUES else f", {condition.noise.portable}")
    plain = Replay.of(run.set_up(stored.fixture), turns, stored.result, title)
    if plain.mismatch:
        return plain
    explained = explain_stored_game(run, stored, turns)
    return Replay.of(run.set_up(stored.fixture), explained.turns, stored.result, title, explained.note)


def turns_of(run: StoredRun, stored: StoredGame) -> list[Turn]:
    """The turns of a game: the kept ones, or those of its agent, which plays the game again in another process.

    `RunError` if the game cannot be played again, or ends otherwise.
    """
    moves = stored.moves
    if moves is None:
        playable = find_playable(run, [stored.agent])
        if why := playable.missing.get(stored.agent.label):
            what = "its moves were not kept, and it cannot be played again"
            raise RunError(f"{run.directory}: game {stored.name}: {what}: {why}")
        plan = run.plan._replace(measures=(), files=playable.files)
        (row,) = play_again(plan, [stored.fixture], pick_executor(run.registry, LOCAL, 1))
        if row.moves is None or row.result.outcome != stored.result.outcome:
            what = "its moves were not kept, and its agent plays another game now"
            raise RunError(f"{run.directory}: game {stored.name}: {what}")
        moves = row.moves
    try:
        return read_turns(moves)
    except ValueError as error:
        raise RunError(f"{run.file}: game {stored.name}: {error}") from None


def explain_stored_game(run: StoredRun, stored: StoredGame, turns: Sequence[Turn]) -> ExplainedTurns:
    """The turns of a game with the evidence of a second playing by its agent; if that fails, with the engine's.

    An agent that is not built in plays in another process, under hard limits.
    """
    registry, entry = run.registry, stored.agent
    limits = second_limits(Limits(**run.config.limits.model_dump()))
    explained = None
    playable = find_playable(run, [entry])
    why_not = playable.missing.get(entry.label, "")
    if playable.built_in:
        explained = explain_game(run.set_up(stored.fixture), registry.agent(entry.spec), turns, limits)
    elif not why_not:
        explained = _explain_in_process(run, stored.fixture, turns, playable.files, limits)
    if explained is not None:
        return ExplainedTurns(explained)
    proven = proven_turns(run.set_up(stored.fixture), turns)
    why = f"cannot be played again: {why_not}" if why_not else f"did not explain itself ({NO_EXPLANATION})"
    return ExplainedTurns(proven, f"{ENGINE_REASONS}: agent '{entry.label}' {why}")


def _explain_in_process(
    run: StoredRun, fixture: Fixture, turns: Sequence[Turn], files: tuple[str, ...], limits: Limits
) -> list[Turn] | None:
    """The turns with the evidence of a second playing in another process; None if that fails."""
    plan = run.plan
    one_game = plan._replace(
        entries=(plan.entries[fixture.agent],),
        conditions=(plan.conditions[fixture.condition],),
        measures=(),
        files=files,
    )
    chunk = Chunk(0, 0, fixture.number, fixture.number + 1)
    workload = _SecondPlaying(one_game, pack(turns))
    batches = cast(Any, pick_executor(run.registry, LOCAL, 1).run(workload, [chunk], limits))
    try:
        with closing(batches):
            (row,) = [row for rows in batches for row in rows]
        explained = [] if row.moves is None else read_turns(row.moves)
    except (RunError, ValueError):
        return None
    equal = len(explained) == len(turns) and all(map(same, explained, turns))
    return explained if equal else None


class _SecondPlaying(NamedTuple):
    """The workload of an executor that plays one game again; the moves of its row carry the evidence."""

    plan: Plan
    moves: bytes

    def open(self) -> _SecondPlayer:
        return _SecondPlayer(PlanPlayer(self.plan), self.moves)

    def forfeit(self, fixture: Fixture, ending: Ending, what: str, seconds: float) -> Row:
        return self.plan.forfeit(fixture, ending, what, seconds)

    def check(self, row: Row) -> None:
        check_extras(row.seconds, row.moves, row.took)


class _SecondPlayer:
    """Plays the game a second time, with evidence."""

    def __init__(self, player: PlanPlayer, moves: bytes) -> None:
        self._player = player
        self._turns = unpack(moves)

    def play(self, fixture: Fixture, guard: Guard | None = None) -> Row:
        factory = self._player.agent(fixture)
        game = self._player.game(fixture)
        explained = explain_game(game, factory if guard is None else lambda: guard(factory), self._turns)
        unused = GameResult(*game.board_ref.size, Ending.GAVE_UP)
        return Row(fixture, unused, 0.0, None if explained is None else pack(explained))
