"""Further steps of `check_agent`: the view alone decides, proofs follow, turns are quick."""

from __future__ import annotations

import gc
from time import process_time

from sweepstakes.agent import start_agent
from sweepstakes.game.rules import Rules
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.size import PRESETS, Size
from sweepstakes.game.turn import Turn
from sweepstakes.game.view import View
from sweepstakes.testing.steps import Factory, Step, _begin, _cells, _check, _plain, _take
from sweepstakes.untrusted.exceptions import told

SLOWEST = 1.0
"""Seconds that a turn may take on these boards; a tournament's limit is 10 unless it says otherwise."""


def _decides_by_the_view_alone(factory: Factory) -> None:
    for number in range(3):
        setup = GameSetup(Size(8, 8, 12), number=number, rules=Rules("continue", "safe"))
        seen, seed = _watched(factory, setup)
        gc.collect()  # now there is no board left that could be looked at
        agent = start_agent(factory, seed)
        for view, turn in seen:
            what = "it looks at something besides the view: decide by what `act` is given"
            try:
                again = agent.act(view)
            except Exception as error:
                raise AssertionError(f"{what}. Without a game around it it raised {told(error)}, in {setup}") from error
            _check(_plain(again) == _plain(turn), f"{what}. It played differently without one, in {setup}")


def _watched(factory: Factory, setup: GameSetup) -> tuple[list[tuple[View, Turn]], int]:
    """A game as pairs of view and turn, and the seed of the agent's random numbers."""
    game, agent = _begin(factory, setup)
    seen = []
    while not game.over:
        view = game.view()
        seen.append((view, _take(game, agent, setup)))
    return seen, game.agent_seed


def _proves_what_follows(factory: Factory) -> None:
    from sweepstakes.inference import Status, posterior

    for number, size in enumerate([Size(8, 8, 10)] * 12 + [Size(12, 12, 26)] * 4):
        setup = GameSetup(size, number=number)
        for view, turn in _watched(factory, setup)[0]:
            if turn.why != "proof":
                continue
            known = posterior(view.shown, view.mines, trust_flags=False)
            if known.status is not Status.OK:
                continue  # too hard to be sure of the opposite
            for cells, certain, word in ((turn.open, 1, "safe"), (turn.flag, 2, "a mine")):
                for cell in _cells(cells, view.cols):
                    _check(
                        int(known.certain[cell]) == certain,
                        f"it called {cell} proven {word}, which does not follow: a mine there has probability "
                        f"{known.probability[cell]:.3f}, in {setup}, at\n{view}",
                    )


def _is_quick(factory: Factory) -> str:
    slowest, where = 0.0, ""
    for number, size in enumerate((PRESETS["beginner"], PRESETS["expert"], Size(30, 30, 180))):
        setup = GameSetup(size, number=number, rules=Rules("continue", "safe"))
        game, agent = _begin(factory, setup)
        while not game.over:
            begun = process_time()  # of this process: a busy machine does not count
            _take(game, agent, setup)
            spent = process_time() - begun
            if number and spent > slowest:  # the first board is there to compile what has to be
                slowest, where = spent, str(setup)
            _check(spent <= SLOWEST or not number, f"a turn took {spent:.1f} s, in {setup}")
    return f"the slowest turn took {1000 * slowest:.1f} ms, in {where}"


MORE_STEPS = (
    Step(
        "decides by the view alone",
        _decides_by_the_view_alone,
        "use nothing but the view, the parameters and self.rng; no frames, no garbage collector, no global state",
    ),
    Step(
        "proves only what follows from the clues",
        _proves_what_follows,
        'say why="proof" only of cells that the clues leave no choice for; else why="guess" with its probability',
    ),
    Step(
        f"takes at most {SLOWEST:g} s for a turn",
        _is_quick,
        "work on view.shown with numpy or a compiled kernel, and bound searches by their states: docs/fast-agents.md",
    ),
)
