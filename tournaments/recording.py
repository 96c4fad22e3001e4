"""The stored games of a run as films."""

from __future__ import annotations

from sweepstakes.errors import RunError, did_you_mean
from sweepstakes.executor import Fixture
from sweepstakes.record import read_turns
from sweepstakes.text import clean
from sweepstakes.tournaments.explained import explained
from sweepstakes.tournaments.film import Film, film
from sweepstakes.tournaments.judge import Judge
from sweepstakes.tournaments.opened import OpenedRun


def find(run: OpenedRun, text: str) -> Fixture:
    """The game of that name; AGENT/NUMBER will do where there is one condition."""
    labels = [entry.label for entry in run.plan.entries]
    conditions = len(run.plan.conditions)
    agent, *numbers = text.rsplit("/", 2 if text.count("/") > 1 else 1)
    if len(numbers) == 1 and conditions == 1:
        numbers = ["1", *numbers]
    if len(numbers) != 2 or not all(number.isdecimal() and len(number) < 19 for number in numbers):
        example = next((run.games.name(fixture) for fixture, _ in run.games.kept()), "basic/1/0")
        called = clean(text, 80)
        raise RunError(
            f"{run.directory}: no game is called {called!r}: expected AGENT/CONDITION/NUMBER, as in {example}"
        )
    if agent not in labels:
        raise RunError(f"{run.directory}: no agent '{clean(agent, 80)}' in this run{did_you_mean(agent, labels)}")
    condition, board = map(int, numbers)
    if not 1 <= condition <= conditions:
        raise RunError(f"{run.directory}: no condition {condition} in this run: expected 1 to {conditions}")
    return Fixture(labels.index(agent), condition - 1, board)


def stored_film(run: OpenedRun, fixture: Fixture, plugins: tuple[str, ...] = ()) -> tuple[Film, str]:
    """The game as its turns have it, and in which way its row says otherwise; `RunError` if its moves are not there.

    The run was opened without agents, so that nothing of theirs has touched the referee. The reasons are those of a
    second playing; `plugins` are files that its agent may need.
    """
    result, moves = run.games.result(fixture), run.games.moves(fixture)
    called = run.games.name(fixture)
    if result is None:
        raise RunError(f"{run.directory}: game {called} has not been played in this run")
    if moves is None:
        raise RunError(
            f"{run.directory}: the moves of game {called} were not kept: a run keeps those of the first 10 boards of "
            "each condition, all of them with `moves: all`"
        )
    condition = run.plan.conditions[fixture.condition]
    if condition.label in run.changed:
        raise RunError(f"{run.directory}: game {called}: the board source or the noise has changed since it was played")
    judge = Judge(run.plan, run.registry)
    game = judge.game(fixture)
    title = f"{game.agent} on {condition.label}, seed {condition.seed}, board {fixture.number}, {condition.rules}"
    if not game.noise.exact:
        title += f", {game.noise.name}"
    try:
        turns = read_turns(moves)
    except ValueError as error:
        raise RunError(f"{run.games.file}: game {called}: {error}") from None
    complaint = judge.complaint(fixture, result, moves, result)
    if complaint:
        return film(title, game, turns, result), complaint
    told = explained(run, fixture, turns, plugins)
    return film(title, game, told.turns, result, told.note), ""
