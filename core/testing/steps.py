"""What every agent must do, as a check that an author runs in a test.

    from sweepstakes.testing.steps import check_agent

    def test_my_agent_keeps_the_rules():
        check_agent(MyAgent)

The check plays a few hundred short games: every rule, every clue noise, boards of one cell, one row, no mines and
nothing but mines. An `AssertionError` says in a sentence what went wrong, and in which game. `sweepstakes check FILE`
reports on the same steps one by one.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from sweepstakes.testing.scenarios import every_noise, every_rule, odd_boards, sample
from sweepstakes.agent import Agent, start_agent
from sweepstakes.errors import IllegalMove
from sweepstakes.game.cell import Cell
from sweepstakes.game.codes import DETONATED
from sweepstakes.game.game import Game
from sweepstakes.game.playing import Played, play_game
from sweepstakes.game.result import Ending
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.size import Size
from sweepstakes.game.turn import Cells, Turn
from sweepstakes.inference.explaining import explain_game
from sweepstakes.registry.registry import Registry

Factory = Callable[[], Agent]


class Step(NamedTuple):
    """One thing that is checked: its name completes the sentence "the agent ...", and `run` does it."""

    name: str
    run: Callable[[Factory], str | None]
    """May return a remark; raises `AssertionError` with a sentence when the step fails."""
    fix: str = ""
    """What to do when it fails."""


def check_agent(factory: Factory) -> None:
    """Play the agent through everything a tournament can ask of it; `AssertionError` names the first fault.

    `factory` is called without arguments for every game: an agent's class, or a function or `functools.partial` that
    gives it parameters.
    """
    for step in steps():
        step.run(factory)


def steps() -> Iterator[Step]:
    """What `check_agent` checks, one by one, for a tool that reports on each."""
    from sweepstakes.testing.soundness import MORE_STEPS  # which is made of what stands here

    yield from STEPS
    yield from MORE_STEPS


def _is_an_agent(factory: Factory) -> None:
    first, second = factory(), factory()
    for made in (first, second):
        _check(isinstance(made, Agent), f"it made a {type(made).__name__}, which is not a sweepstakes.Agent")
    _check(first is not second, "it gave the same object twice: every game needs a fresh agent")


def _keeps_the_rules(factory: Factory) -> None:
    _play_all(factory, every_rule())


def _copes_with_noise(factory: Factory) -> None:
    _play_all(factory, every_noise())


def _plays_odd_boards(factory: Factory) -> None:
    _play_all(factory, odd_boards())


def _proves_only_what_is_so(factory: Factory) -> None:
    for number in range(20):
        setup = GameSetup(Size(8, 8, 10), number=number)
        game, agent = _begin(factory, setup)
        while not game.over:
            view = game.view()
            turn = _take(game, agent, setup)
            if turn.why != "proof":
                continue
            for cell in _cells(turn.flag, view.cols):
                _check(game.board.is_mine(cell), f"it called a flag on {cell} proven, which is safe, in {setup}")
            for cell in game.view().detonated():
                known = view.shown[cell] == DETONATED
                _check(known, f"it called {cell} proven safe, which was a mine, in {setup}")


def _repeats_itself(factory: Factory) -> None:
    state, numpy_state = random.getstate(), np.random.get_state()
    try:
        for setup in sample():
            played = []
            for seed in (1, 2):
                random.seed(seed)
                np.random.seed(seed)
                played.append(_record(_play(factory, setup)))
            _check(
                played[0] == played[1],
                f"it played the same game in two ways: use self.rng, which is the same each time, in {setup}",
            )
    finally:
        random.setstate(state)
        np.random.set_state(numpy_state)


def _keeps_nothing(factory: Factory) -> None:
    setups = sample()
    alone = [_record(_play(factory, setup)) for setup in setups]
    again = [_record(_play(factory, setup)) for setup in reversed(setups)][::-1]
    for setup, first, second in zip(setups, alone, again, strict=True):
        _check(first == second, f"what it plays depends on the games before: keep nothing between them, in {setup}")
    for one, two in pairwise(setups):
        turns = _side_by_side(factory, one, two)
        for setup, together in zip((one, two), turns, strict=True):
            _check(
                _record(_play(factory, setup)) == together,
                f"two games at the same time disturb each other: keep what you know in self, in {setup}",
            )


def _explains_without_playing_differently(factory: Factory) -> None:
    for setup in sample():
        silent = _play(factory, setup)
        game, agent = _begin(factory, setup, explain=True)
        turns = []
        while not game.over:
            view = game.view()
            turn = _take(game, agent, setup)
            turns.append(turn._replace(evidence=None))
            named = {*_cells(turn.flag, view.cols), *_cells(turn.open, view.cols)}
            for cell, clues in (turn.evidence or {}).items():
                _check(cell in named, f"it gave evidence for {cell}, which is not in its turn, in {setup}")
                for clue in clues:
                    _check(
                        view.is_open(clue),
                        f"it gave {clue} as evidence, which is not open, in {setup}",
                    )
        plain = [_plain(turn) for turn in silent.turns or []]
        _check(plain == [_plain(turn) for turn in turns], f"it plays differently when asked to explain, in {setup}")
        told = explain_game(setup.game(Registry.default()), factory, silent.turns or [])
        _check(told is not None, f"the second playing of a finished game, to explain it, came to nothing, in {setup}")


STEPS = (
    Step(
        "is made anew for every game",
        _is_an_agent,
        "offer a class derived from sweepstakes.Agent, or a function that returns a new one each time",
    ),
    Step(
        "makes legal turns and ends every game under every rule",
        _keeps_the_rules,
        "open and flag only cells of view.covered(), unflag only cells of view.flagged(); an empty Turn() gives up",
    ),
    Step(
        "makes legal turns and ends every game under every clue noise",
        _copes_with_noise,
        "view.clue(cell) is None where a clue is withheld, and noisy clues may contradict each other: pass over both",
    ),
    Step(
        "plays boards of one cell, one row, no mines and mines only",
        _plays_odd_boards,
        "do not count on a neighbour, a covered cell or a mine being there",
    ),
    Step(
        "calls proven only what is so",
        _proves_only_what_is_so,
        'say why="proof" only of what is certain, and why="guess" or "random" of the rest',
    ),
    Step(
        "plays the same game twice in the same way",
        _repeats_itself,
        "take random numbers from self.rng, and do not go by the clock, by id() or by the order of a set",
    ),
    Step(
        "keeps nothing from one game to another",
        _keeps_nothing,
        "keep what you know in self, not in the class, the module or a file: every game has a fresh agent",
    ),
    Step(
        "plays the same whether asked to explain or not",
        _explains_without_playing_differently,
        "let self.explain add evidence to the turn and change nothing else",
    ),
)
"""The steps of `check_agent`, in order."""


def _play_all(factory: Factory, setups: Iterator[GameSetup]) -> None:
    for setup in setups:
        _play(factory, setup)


def _play(factory: Factory, setup: GameSetup) -> Played:
    """Play a game to its end; an agent's fault is an `AssertionError`."""
    played = play_game(setup.game(Registry.default()), factory, keep_turns=True)
    _check(not played.result.ending.is_fault, f"{played.result.fault}, which is {setup}")
    return played


def _begin(factory: Factory, setup: GameSetup, *, explain: bool = False) -> tuple[Game, Agent]:
    """A game and an agent made ready for it, to be played turn by turn."""
    game = setup.game(Registry.default())
    return game, start_agent(factory, game.agent_seed, explain=explain)


def _take(game: Game, agent: Agent, setup: GameSetup) -> Turn:
    """One turn of a game."""
    try:
        turn = agent.act(game.view())
        game.take(turn)
    except IllegalMove as broken:
        raise AssertionError(f"{broken}, which is {setup}") from None
    _check(game.ending != Ending.STALLED, f"{game.fault}, which is {setup}")
    return turn


def _side_by_side(factory: Factory, *setups: GameSetup) -> list[list[Any]]:
    """Play games at the same time, turn about; the turns of each."""
    tables = [_begin(factory, setup) for setup in setups]
    turns: list[list[Any]] = [[] for _ in setups]
    while not all(game.over for game, _ in tables):
        for (game, agent), setup, kept in zip(tables, setups, turns, strict=True):
            if not game.over:
                kept.append(_plain(_take(game, agent, setup)))
    return turns


def _record(played: Played) -> list[Any]:
    return [_plain(turn) for turn in played.turns or []]


def _plain(turn: Turn) -> Any:
    """A turn that can be compared whatever its cells are kept in."""
    cells = [[int(c) for c in np.asarray(part, dtype=np.int64).reshape(-1)] for part in turn[:3]]
    return [*cells, turn.why, turn.probability, turn.fallback]


def _cells(cells: Cells, cols: int) -> list[Cell]:
    if isinstance(cells, np.ndarray):
        return [Cell(*divmod(int(cell), cols)) for cell in cells]
    return [Cell(int(row), int(col)) for row, col in cells]


def _check(holds: bool, sentence: str) -> None:
    if not holds:
        raise AssertionError(sentence)
