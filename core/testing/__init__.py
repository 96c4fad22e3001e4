"""What every agent must do, as a check that an author runs in a test.

    from sweepstakes.testing import check_agent

    def test_my_agent_keeps_the_rules():
        check_agent(MyAgent)

The check plays a few hundred short games: every rule, every clue noise, boards of one cell, one row, no mines and
nothing but mines. An `AssertionError` says in a sentence what went wrong, and in which game. `sweepstakes check FILE`
reports on the same steps one by one.
"""

from __future__ import annotations

from sweepstakes.testing.fairness import (
    SLOWEST,
    decides_by_the_view_alone,
    is_quick,
    keeps_nothing,
    plays_the_same_when_explaining,
    repeats_itself,
)
from sweepstakes.testing.legality import copes_with_noise, is_an_agent, keeps_the_rules, plays_odd_boards
from sweepstakes.testing.soundness import proves_only_what_follows, proves_only_what_is_true
from sweepstakes.testing.steps import Factory, Step

__all__ = ["STEPS", "Step", "check_agent"]

STEPS = (
    Step(
        "is made anew for every game",
        is_an_agent,
        "offer a class derived from sweepstakes.Agent, or a function that returns a new one each time",
    ),
    Step(
        "makes legal turns and ends every game under every rule",
        keeps_the_rules,
        "open and flag only cells of view.covered(), unflag only cells of view.flagged(); an empty Turn() gives up",
    ),
    Step(
        "makes legal turns and ends every game under every clue noise",
        copes_with_noise,
        "view.clue(cell) is None where a clue is withheld, and noisy clues may contradict each other: pass over both",
    ),
    Step(
        "plays boards of one cell, one row, no mines and mines only",
        plays_odd_boards,
        "do not count on a neighbour, a covered cell or a mine being there",
    ),
    Step(
        "calls proven only what is so",
        proves_only_what_is_true,
        'say why="proof" only of what is certain, and why="guess" or "random" of the rest',
    ),
    Step(
        "plays the same game twice in the same way",
        repeats_itself,
        "take random numbers from self.rng, and do not go by the clock, by id() or by the order of a set",
    ),
    Step(
        "keeps nothing from one game to another",
        keeps_nothing,
        "keep what you know in self, not in the class, the module or a file: every game has a fresh agent",
    ),
    Step(
        "plays the same whether asked to explain or not",
        plays_the_same_when_explaining,
        "let self.explain add evidence to the turn and change nothing else",
    ),
    Step(
        "decides by the view alone",
        decides_by_the_view_alone,
        "use nothing but the view, the parameters and self.rng; no frames, no garbage collector, no global state",
    ),
    Step(
        "proves only what follows from the clues",
        proves_only_what_follows,
        'say why="proof" only of cells that the clues leave no choice for; else why="guess" with its probability',
    ),
    Step(
        f"takes at most {SLOWEST:g} s for a turn",
        is_quick,
        "work on view.shown with numpy or a compiled kernel, and bound searches by their states: docs/fast-agents.md",
    ),
)
"""What `check_agent` checks, in order, for a tool that reports on each."""


def check_agent(factory: Factory) -> None:
    """Play the agent through everything a tournament can ask of it; `AssertionError` names the first fault.

    `factory` is called without arguments for every game: an agent's class, or a function or `functools.partial` that
    gives it parameters.
    """
    for step in STEPS:
        step.run(factory)
