"""The contract of agents, as a check that authors can run in their tests.

    from sweepstakes.testing import check_agent

    def test_my_agent_keeps_the_rules():
        check_agent(MyAgent)

The check plays a few hundred short games: every rule, boards of one cell, one row, no mines and mines only. An
`AssertionError` says what the agent did wrong, and in which game. `sweepstakes check FILE` reports the same steps one
by one. `check_agent(MyAgent, noise=True)` is for agents that also support clue noise.
"""

from __future__ import annotations

from sweepstakes.testing.fairness import (
    SLOWEST,
    copes_with_noise,
    decides_by_the_view_alone,
    is_quick,
    keeps_nothing,
    plays_the_same_when_explaining,
    repeats_itself,
)
from sweepstakes.testing.legality import (
    deals_with_every_mine,
    is_an_agent,
    keeps_the_rules,
    plays_odd_boards,
)
from sweepstakes.testing.offers import OFFER_STEPS, check_offer
from sweepstakes.testing.scenarios import Games
from sweepstakes.testing.soundness import proves_only_what_follows, proves_only_what_is_true
from sweepstakes.testing.steps import Factory, Step

__all__ = ["OFFER_STEPS", "STEPS", "Step", "check_agent", "check_offer"]

_REPEATS = "plays the same game twice in the same way"
_KEEPS_NOTHING = "keeps nothing from one game to another"
_EXPLAINS = "plays the same with and without explain"
_TRUE_PROOFS = "calls a cell proven only if that is true"

STEPS = (
    Step(
        "is a new object in every game",
        is_an_agent,
        "offer a class derived from sweepstakes.Agent, or a function that returns a new agent each time",
        "the class needs a method act(self, view), and its constructor has no self.rng yet",
    ),
    Step(
        "makes legal turns and ends every game under every rule",
        keeps_the_rules,
        "open and flag only cells of view.covered(), unflag only cells of view.flagged(); an empty Turn() gives up",
    ),
    Step(
        "plays boards of one cell, one row, no mines and mines only",
        plays_odd_boards,
        "do not assume that there is a neighbour, a covered cell or a mine",
        "there may be no neighbour, no covered cell and no mine",
    ),
    Step(
        "deals with every mine if the game continues after one",
        deals_with_every_mine,
        "flag the mines that are left, or give up with an empty Turn()",
        applies=lambda games: any(not rules.last_mine for rules in games.rules),
    ),
    Step(
        _TRUE_PROOFS,
        proves_only_what_is_true,
        'use why="proof" only for certain cells, and why="guess" or why="random" for all others',
    ),
    Step(
        _REPEATS,
        repeats_itself,
        "take random numbers from self.rng, not from random or numpy.random, and do not depend on the clock, on id(), "
        "on the order of a set or on files that change",
    ),
    Step(
        _KEEPS_NOTHING,
        keeps_nothing,
        "store data in self, not in a global variable, the class, a default argument, a cache or a file: every game "
        "has a new agent. Global random numbers, such as numpy.random, remember too: use self.rng",
        rests_on=(_REPEATS,),
    ),
    Step(
        _EXPLAINS,
        plays_the_same_when_explaining,
        "let self.explain add evidence to the turn and change nothing else",
        rests_on=(_REPEATS, _KEEPS_NOTHING),
    ),
    Step(
        "decides from the view alone",
        decides_by_the_view_alone,
        "use only the view, the parameters and self.rng; no stack frames, no garbage collector, no global state",
        rests_on=(_REPEATS, _KEEPS_NOTHING),
    ),
    Step(
        "proves only what follows from the clues",
        proves_only_what_follows,
        'use why="proof" only for cells that are decided by the clues; else why="guess" with a probability',
        rests_on=(_TRUE_PROOFS,),
    ),
    Step(
        f"takes at most {SLOWEST:g} s for a turn",
        is_quick,
        "work on view.shown with numpy or a compiled kernel, and bound searches by their states: docs/fast-agents.md",
    ),
    Step(
        "makes legal turns and ends every game under every clue noise",
        copes_with_noise,
        "view.clue(cell) is None where a clue is withheld, and noisy clues may contradict each other: handle both",
        "view.clue(cell) is None where a clue is withheld, and noisy clues may contradict each other",
        rests_on=(_REPEATS, _KEEPS_NOTHING, _EXPLAINS),
        about_noise=True,
        applies=lambda games: bool(games.noisy),
    ),
)
"""The steps of `check_agent`, in order, for tools that report each of them."""


def check_agent(factory: Factory, *, noise: bool = False) -> None:
    """Check an agent under all rules and boards of a tournament; `AssertionError` names the first fault.

    `factory` is called without arguments for every game: the class of the agent, or a function or `functools.partial`
    that passes parameters to it. With `noise` the agent must also play under every clue noise.
    """
    games = Games(getattr(getattr(factory, "func", factory), "__name__", "agent"))
    for step in STEPS:
        if noise or not step.about_noise:
            step.run(factory, games)
