"""Find submissions that make the same decisions as a built-in agent.

In every public game of a submission, each built-in agent gets the views of the submission, turn by turn, with the same
random numbers. Turns that open an uncertain cell are decisions. The result is the share of decisions in which the
built-in agent would have opened the same cells. The order of safe cells, flags, reasons and the distribution of cells
over turns therefore make no difference. On 100 boards of a class, built-in agents with different rules for guessing
agree in at most 83 % of their decisions. Agents with a different first click are compared in the positions that they
reach.
"""

from __future__ import annotations

from typing import NamedTuple

from sweepstakes.agent import Agent, start_agent
from sweepstakes.errors import IllegalMove
from sweepstakes.executor import Fixture
from sweepstakes.game.codes import COVERED, FLAG
from sweepstakes.game.game import Game
from sweepstakes.game.turn import Turn, flat_cells
from sweepstakes.game.turn_codec import read_turns
from sweepstakes.game.view import View
from sweepstakes.inference.under_rules import posterior_under_rules
from sweepstakes.registry.registry import Registry
from sweepstakes.tournaments.storage.run_reader import RunReader

COMPARED = 50
"""Public boards of each condition that are compared."""
ALIKE = 0.9
"""A submission with at least this share of equal decisions plays like a built-in agent."""
MIN_DECISIONS = 3
"""Minimum number of decisions for a comparison."""
MAX_TURNS = 10_000
"""No further game is compared after this number of turns, so that an agent with very long games does not take hours."""


class Likeness(NamedTuple):
    """How often a submission decides as the most similar built-in agents do."""

    agents: tuple[str, ...] = ()
    same: int = 0
    decisions: int = 0

    @property
    def share(self) -> float:
        """The share of the decisions that are the same; 0 if there are too few."""
        return self.same / self.decisions if self.decisions >= MIN_DECISIONS else 0.0

    @property
    def is_alike(self) -> bool:
        """Whether the submission plays like these agents."""
        return self.share >= ALIKE

    def __str__(self) -> str:
        return f"{' or '.join(self.agents)} ({self.same} of {self.decisions} decisions)"


def nearest_built_in(run: RunReader, label: str) -> Likeness:
    """Return the built-in agents that decide most like the agent with this label. The run must have all moves."""
    registry = Registry.built_in()
    makers = {
        (name, flags): registry.agent(name) for name in registry.self_contained_agents() for flags in (True, False)
    }  # each is asked twice: with the flags of the submission, which may mislead it, and without flags
    same, turns_alike = dict.fromkeys(makers, 0), dict.fromkeys(makers, 0)
    decisions = turns = 0
    agent = run.agent_place(label)
    for condition in range(len(run.conditions)):
        for number in range(min(run.config.games, COMPARED)):
            fixture = Fixture(agent, condition, number)
            stored = run.find(fixture)
            if stored is None or not stored.moves or turns > MAX_TURNS:
                continue
            game = run.set_up(fixture)
            others = {key: start_agent(make, game.agent_seed) for key, make in makers.items()}
            for place, turn in enumerate(read_turns(stored.moves)):
                turns += 1
                views = {True: game.view(), False: _without_flags(game.view())}
                opened = set(flat_cells(turn.open, views[True].cols))
                risky = _risky(views[True], opened) if place and opened else set()
                decisions += bool(risky)
                for key, other in others.items():
                    theirs = _opened_by(other, views[key[1]])
                    same[key] += bool(risky) and risky <= theirs
                    turns_alike[key] += bool(opened) and opened <= theirs
                if not _is_taken(game, turn):
                    break
    best = max((same[key], turns_alike[key]) for key in makers)
    alike = dict.fromkeys(name for name, flags in makers if (same[name, flags], turns_alike[name, flags]) == best)
    return Likeness(tuple(alike), best[0], decisions)


def _without_flags(view: View) -> View:
    shown = view.shown.copy()
    shown[shown == FLAG] = COVERED
    return view._replace(data=shown.tobytes())


def _opened_by(agent: Agent, view: View) -> set[int]:
    try:
        return set(flat_cells(agent.act(view).open, view.cols))
    except Exception:  # noqa: BLE001 - flags of the submission may contradict what a built-in agent relies on
        return set()


def _is_taken(game: Game, turn: Turn) -> bool:
    """Take the turn; False if it is illegal, as the last one may be."""
    try:
        game.take(turn)
    except IllegalMove:
        return False
    return True


def _risky(view: View, cells: set[int]) -> set[int]:
    """Return the cells that the clues do not prove safe."""
    certain = posterior_under_rules(view, trust_flags=False).certain.reshape(-1)
    return {cell for cell in cells if cell < certain.size and certain[cell] != 1}
