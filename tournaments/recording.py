"""The stored games of a run as films."""

from __future__ import annotations

from sweepstakes.errors import RunError, SweepstakesError, did_you_mean
from sweepstakes.executor import Fixture
from sweepstakes.record import unpack
from sweepstakes.tournaments.explained import explained
from sweepstakes.tournaments.film import Film, film
from sweepstakes.tournaments.opened import OpenedRun
from sweepstakes.tournaments.worker import set_up


def name(run: OpenedRun, fixture: Fixture) -> str:
    """How a game is called: AGENT/CONDITION/NUMBER. Conditions count from 1, since their labels are long."""
    return f"{run.plan.entries[fixture.agent].label}/{fixture.condition + 1}/{fixture.number}"


def find(run: OpenedRun, text: str) -> Fixture:
    """The game of that name; AGENT/NUMBER will do where there is one condition."""
    labels = [entry.label for entry in run.plan.entries]
    conditions = len(run.plan.conditions)
    agent, *numbers = text.rsplit("/", 2 if text.count("/") > 1 else 1)
    if len(numbers) == 1 and conditions == 1:
        numbers = ["1", *numbers]
    if len(numbers) != 2 or not all(number.isdecimal() for number in numbers):
        example = next((name(run, fixture) for fixture, _ in run.games.kept()), f"{labels[0]}/1/0")
        raise RunError(f"no game is called {text!r}: expected AGENT/CONDITION/NUMBER, as in {example}")
    if agent not in labels:
        raise RunError(f"no agent '{agent}' in this run{did_you_mean(agent, labels)}")
    condition, board = map(int, numbers)
    if not 1 <= condition <= conditions:
        raise RunError(f"no condition {condition} in this run: expected 1 to {conditions}")
    return Fixture(labels.index(agent), condition - 1, board)


def stored_film(run: OpenedRun, fixture: Fixture) -> Film:
    """The game as it was played; `RunError` if its moves are not there."""
    result, moves = run.games.result(fixture), run.games.moves(fixture)
    called = name(run, fixture)
    if result is None:
        raise RunError(f"game {called} has not been played in this run")
    if moves is None:
        raise RunError(
            f"the moves of game {called} were not kept: a run keeps those of the first 10 boards of each condition, "
            "all of them with `moves: all`"
        )
    condition = run.plan.conditions[fixture.condition]
    if condition.label in run.changed:
        raise RunError(f"game {called}: the board source or the noise has changed since it was played")
    game = set_up(run.plan, run.registry, fixture)
    title = f"{game.agent} on {condition.label}, seed {condition.seed}, board {fixture.number}, {condition.rules}"
    if not game.noise.exact:
        title += f", {game.noise.name}"
    told = explained(run.plan, run.registry, fixture, unpack(moves), _why_not(run, fixture))
    return film(title, game, told.turns, result, told.note)


def _why_not(run: OpenedRun, fixture: Fixture) -> str:
    """Why the agent of a game cannot play it again; empty if it can."""
    entry = run.plan.entries[fixture.agent]
    try:
        run.registry.agent(entry.agent.name, entry.agent.parameters)
    except SweepstakesError:
        return "is not here"
    return "has changed since the game was played" if entry.label in run.changed else ""
