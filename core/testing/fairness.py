"""Steps of `check_agent`: the agent depends on the view alone, plays a game the same way each time, and is fast."""

from __future__ import annotations

import gc
import random
from collections.abc import Sequence
from itertools import pairwise
from time import process_time

import numpy as np

from sweepstakes.agent import Agent, RemoteAgent, start_agent
from sweepstakes.game.rules import Rules
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.size import PRESETS, Size
from sweepstakes.game.turn import as_cells
from sweepstakes.inference.explaining import explain_game
from sweepstakes.testing.scenarios import EVERYTHING, Games
from sweepstakes.testing.steps import (
    Factory,
    StepFailure,
    begin,
    check,
    plain,
    play,
    play_all,
    play_with_views,
    record,
    side_by_side,
    take,
)
from sweepstakes.untrusted.exceptions import describe_error

SLOWEST = 1.0
"""Maximum seconds for a turn on these boards. The default limit of a tournament is 10."""


def repeats_itself(factory: Factory, games: Games = EVERYTHING) -> None:
    """The agent plays the same games the same way in two processes, whatever the state of global random generators."""
    plays_alike(factory, games, games.sample())


def plays_alike(factory: Factory, games: Games, setups: Sequence[GameSetup]) -> None:
    """Do the same as `repeats_itself` for these games."""
    state, numpy_state = random.getstate(), np.random.get_state()
    try:
        played = []
        for seed in (1, 2):
            games.restart()
            random.seed(seed)
            np.random.seed(seed)
            played.append([record(play(factory, games, setup)) for setup in setups])
    finally:
        random.setstate(state)
        np.random.set_state(numpy_state)
    for setup, first, second in zip(setups, *played, strict=True):
        check(
            first == second,
            f"it played the same game in two ways: use self.rng, which is the same each time, in {setup}",
            setup,
        )


def keeps_nothing(factory: Factory, games: Games = EVERYTHING) -> None:
    """Neither earlier games nor a simultaneous game change how the agent plays a game."""
    games_are_apart(factory, games, games.sample())


def games_are_apart(factory: Factory, games: Games, setups: Sequence[GameSetup]) -> None:
    """Do the same as `keeps_nothing` for these games."""
    alone = [record(play(factory, games, setup)) for setup in setups]
    again = [record(play(factory, games, setup)) for setup in reversed(setups)][::-1]
    for setup, first, second in zip(setups, alone, again, strict=True):
        check(first == second, f"its play depends on earlier games: keep nothing between games, in {setup}", setup)
    for one, two in pairwise(setups):
        turns = side_by_side(factory, games, one, two)
        for setup, together in zip((one, two), turns, strict=True):
            check(
                record(play(factory, games, setup)) == together,
                f"two games at the same time disturb each other: keep what you know in self, in {setup}",
                setup,
            )


def plays_the_same_when_explaining(factory: Factory, games: Games = EVERYTHING) -> None:
    """With `explain` set the agent takes the same turns, and its evidence consists of open cells."""
    explains_alike(factory, games, games.sample())


def explains_alike(factory: Factory, games: Games, setups: Sequence[GameSetup]) -> None:
    """Do the same as `plays_the_same_when_explaining` for these games."""
    for setup in setups:
        silent = play(factory, games, setup)
        game, agent = begin(factory, games, setup, explain=True)
        turns = []
        while not game.over:
            view = game.view()
            turn = take(game, agent, setup)
            turns.append(turn._replace(evidence=None))
            named = {*as_cells(turn.flag, view.cols), *as_cells(turn.open, view.cols)}
            for cell, clues in (turn.evidence or {}).items():
                check(cell in named, f"it gave evidence for {cell}, which is not in its turn, in {setup}", setup)
                for clue in clues:
                    check(
                        view.is_open(clue),
                        f"it gave {clue} as evidence, which is not open, in {setup}",
                        setup,
                    )
        check(
            record(silent) == [plain(turn) for turn in turns],
            f"it plays differently when asked to explain, in {setup}",
            setup,
        )
        explained = explain_game(games.game(setup), factory, silent.turns or [])
        check(explained is not None, f"the second playing of a finished game, to explain it, failed, in {setup}", setup)


def copes_with_noise(factory: Factory, games: Games = EVERYTHING) -> None:
    """Under every clue noise, games end without a fault and are played as steadily as under exact clues."""
    play_all(factory, games, games.every_noise())
    play_all(factory, games, games.odd_boards(games.noisy[0]))
    for steady in (plays_alike, games_are_apart, explains_alike):
        steady(factory, games, games.noisy_sample())


def decides_by_the_view_alone(factory: Factory, games: Games = EVERYTHING) -> None:
    """The agent takes the same turns when it gets the same views after the game has been deleted."""
    for number in range(3):
        setup = games.setup(Size(8, 8, 12), number, Rules("continue", "safe"))
        seen, seed = play_with_views(factory, games, setup)
        gc.collect()  # deletes the board, so that the agent cannot reach it
        agent = start_agent(factory, seed)
        for view, turn in seen:
            what = "it uses more than the view: decide by the argument of `act` alone"
            try:
                again = agent.act(view)
            except Exception as error:
                sentence = (
                    f"{what}. With the same views but without a game it raised {describe_error(error)}, in {setup}"
                )
                raise StepFailure(sentence, setup) from error
            check(plain(again) == plain(turn), f"{what}. It played differently without a game, in {setup}", setup)


def _cpu_seconds(agent: Agent) -> float:
    """Return a clock of the agent's processor time, so that a busy machine makes no difference."""
    return agent.cpu_seconds if isinstance(agent, RemoteAgent) else process_time()


def is_quick(factory: Factory, games: Games = EVERYTHING) -> str:
    """No turn takes longer than `SLOWEST`; returns a remark about the slowest turn."""
    slowest, where = 0.0, ""
    for number, size in enumerate((PRESETS["beginner"], PRESETS["expert"], Size(30, 30, 180))):
        setup = games.setup(size, number, Rules("continue", "safe"))
        game, agent = begin(factory, games, setup)
        while not game.over:
            begun = _cpu_seconds(agent)
            take(game, agent, setup)
            spent = _cpu_seconds(agent) - begun
            if number and spent > slowest:  # turns on the first board may include compilation
                slowest, where = spent, str(setup)
            check(spent <= SLOWEST or not number, f"a turn took {spent:.1f} s, in {setup}", setup)
    return f"the slowest turn took {1000 * slowest:.1f} ms, in {where}"
