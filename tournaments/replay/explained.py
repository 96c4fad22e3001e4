"""The turns of a stored game with their evidence: that of the agent, or else that of the engine."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import closing
from typing import NamedTuple

from sweepstakes.errors import RunError
from sweepstakes.game.turn import Turn
from sweepstakes.game.turn_codec import read_turns
from sweepstakes.inference.explaining import proven_turns
from sweepstakes.review import review_game, why_not_judged
from sweepstakes.tournaments.replay.replay import Replay
from sweepstakes.tournaments.replay.said import Said, said_by_turn
from sweepstakes.tournaments.resolve.playable import find_playable
from sweepstakes.tournaments.running.again import play_again
from sweepstakes.tournaments.running.executors import LOCAL, pick_executor
from sweepstakes.tournaments.running.game_player import PlanPlayer
from sweepstakes.tournaments.storage.run_reader import RunReader, StoredGame
from sweepstakes.tournaments.storage.transcripts import transcript_of

ENGINE_REASONS = "the reasons shown are the engine's own smallest proofs"
NO_EXPLANATION = "did not explain itself (a second playing broke off, took other turns or took too long)"
NOT_REPEATABLE = "is not repeatable, so no second playing asked it for reasons"


class ExplainedTurns(NamedTuple):
    """The turns of a game with their evidence."""

    turns: list[Turn]
    note: str = ""
    """Why the evidence is from the engine, in one line; "" if it is from the agent."""


def replay(run: RunReader, stored: StoredGame) -> Replay:
    """Return the replay of a stored game, with evidence. Raise `RunError` if its turns are not available.

    If the stored row differs from the game, the replay has no evidence.
    """
    run.check_unchanged(stored.fixture.condition, f"game {stored.name}")
    turns, condition = turns_of(run, stored), stored.condition
    title = f"{stored.agent.label} on {condition.description}, seed {condition.seed_text}, board {stored.number}"
    plain = Replay.of(run.set_up(stored.fixture), turns, stored.result, title)
    if plain.mismatch:
        return plain
    explained = explain_stored_game(run, stored, turns)
    replay = Replay.of(run.set_up(stored.fixture), explained.turns, stored.result, title, explained.note)
    return replay._replace(said=said_in(run, stored, turns)).with_false_proofs()


def said_in(run: RunReader, stored: StoredGame, turns: Sequence[Turn]) -> Mapping[int, Said]:
    """Return what the agent of a stored game said, by turn. The result is empty if there is no transcript."""
    texts = transcript_of(run, stored.fixture)
    game = run.set_up(stored.fixture)
    judged = bool(texts) and not why_not_judged(game.board_ref)
    return said_by_turn(texts, review_game(game, turns) if judged else None)


def turns_of(run: RunReader, stored: StoredGame) -> list[Turn]:
    """Return the turns of a game: the kept ones, or those of its agent, which plays the game again in another process.

    Raise `RunError` if the game cannot be played again, or ends differently.
    """
    moves = stored.moves
    if moves is None:
        playable = find_playable(run, [stored.agent])
        if why := playable.missing.get(stored.agent.label):
            what = "its moves were not kept, and it cannot be played again"
            raise RunError(f"{run.directory}: game {stored.name}: {what}: {why}")
        plan = playable.plan._replace(measures=())
        (row,) = play_again(plan, [stored.fixture], pick_executor(run.registry, LOCAL, 1))
        if row.moves is None or not row.result.agrees(stored.result):
            same = row.result.agrees(stored.result)
            why = "they name too many cells" if same else "and its agent plays another game now"
            raise RunError(f"{run.directory}: game {stored.name}: its moves were not kept, {why}")
        moves = row.moves
    try:
        return read_turns(moves)
    except ValueError as error:
        raise RunError(f"{run.file}: game {stored.name}: {error}") from None


def explain_stored_game(run: RunReader, stored: StoredGame, turns: Sequence[Turn]) -> ExplainedTurns:
    """Return the turns of a game with the evidence of its agent from a second playing, or that of the engine.

    The engine's evidence is used if the second playing fails. An agent that is not built in plays in another process,
    under hard limits.
    """
    entry = stored.agent
    playable = find_playable(run, [entry])
    why_not = playable.missing.get(entry.label, "")
    explained = None
    if not why_not:
        with closing(PlanPlayer(playable.plan._replace(measures=()), playable.registry)) as player:
            explained = player.explain(stored.fixture, turns)
    if explained is not None:
        return ExplainedTurns(explained)
    proven = proven_turns(run.set_up(stored.fixture), turns)
    why = f"cannot be played again: {why_not}" if why_not else NO_EXPLANATION
    why = why if entry.repeatable else NOT_REPEATABLE
    return ExplainedTurns(proven, f"{ENGINE_REASONS}: agent '{entry.label}' {why}")
