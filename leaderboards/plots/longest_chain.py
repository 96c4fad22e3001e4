"""Finds the longest chain of influence in a run, and draws it."""

from __future__ import annotations

import shlex
from typing import NamedTuple

import numpy as np

from sweepstakes.drawing.picture import Picture
from sweepstakes.drawing.position_picture import position_picture
from sweepstakes.executor import Fixture
from sweepstakes.game.influence import influence
from sweepstakes.game.setup import EXACT_CLUES, UNIFORM
from sweepstakes.leaderboards.results import Results
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.replay.explained import explain_stored_game, turns_of
from sweepstakes.tournaments.replay.replay import Replay
from sweepstakes.untrusted.text import clean

MEASURE = "chain-length"


class LongestChain(NamedTuple):
    """The game with the longest chain of a run, and the length of the chain."""

    fixture: Fixture
    length: int

    def command(self, plan: Plan, place: str) -> str:
        """Return the command that shows the game turn by turn, without the files of `place` if they are not needed."""
        condition, entry = plan.conditions[self.fixture.condition], plan.entries[self.fixture.agent]
        rules = condition.rules
        if not entry.built_in or condition.source != UNIFORM or condition.noise != EXACT_CLUES or rules.start:
            return clean(shlex.join(["sweepstakes", "replay", place, plan.title(self.fixture)]), 1000)
        return (
            f"sweepstakes watch '{entry.spec}' --board {condition.size} --seed {condition.seed} "
            f"--number {self.fixture.number} {shlex.join(rules.arguments())}"
        )


def longest_chain(results: Results) -> LongestChain | None:
    """Return the first of the longest chains, by condition, board and agent, or None if chains were not measured."""
    names = [column.name for column in results.standings.scores]
    if MEASURE not in names:
        return None
    best: LongestChain | None = None
    for number, condition in enumerate(results.plan.conditions):
        block = results.blocks.get(condition.label)
        if block is None:
            continue
        lengths = np.nan_to_num(block.values[names.index(MEASURE)], nan=-1.0)
        place, agent = np.unravel_index(int(lengths.argmax()), lengths.shape)
        if lengths[place, agent] > (-1 if best is None else best.length):
            fixture = Fixture(int(agent), number, int(block.numbers[place]))
            best = LongestChain(fixture, int(lengths[place, agent]))
    return best


def picture(results: Results, found: LongestChain) -> Picture:
    """Draw the board with the chain, from the guess where it starts to the last cell that it proves."""
    run = results.run
    stored = run.find(found.fixture)
    assert stored is not None
    turns = turns_of(run, stored)
    chain = influence(run.set_up(found.fixture), explain_stored_game(run, stored, turns).turns).chain
    board = Replay.of(run.set_up(found.fixture), turns, stored.result).board
    where = f"{stored.agent.label} on {stored.condition.title}, board {stored.number}"
    caption = (
        f"{where}: {len(chain) - 1} proofs in a row, numbered from the guess (square) to the last cell proven "
        "(diamond). Filled discs are mines."
    )
    return position_picture(board.drawing()._replace(path=chain, caption=caption))
