"""Draws the games that are played again."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from math import ceil
from random import Random
from typing import NamedTuple

import numpy as np

from sweepstakes.executor import Fixture
from sweepstakes.game.result import Ending, GameResult
from sweepstakes.tournaments.statistics.published_tally import PublishedTally, kept_boards
from sweepstakes.tournaments.storage.packed import LIMITED, PackedGames, read_portions
from sweepstakes.tournaments.storage.run_reader import RunReader

SAMPLE = 0.05
"""The share of the games that is played again by default."""
MIN_SAMPLE = 100
"""By default at least this many games are played again, or all games of a smaller run."""


class Drawn(NamedTuple):
    """The games to play again, and those that ended by a limit and are not played again."""

    games: dict[Fixture, GameResult]
    not_played: list[Fixture]


def draw(run: RunReader, agents: set[int], sample: float | None, seed: int, forfeits: set[Fixture]) -> Drawn:
    """Draw a random sample of the games that no limit ended. Add all games of built-in agents that a limit ended.

    `forfeits` are not played again, since they follow from earlier games.
    """

    def readable() -> Iterator[tuple[Fixture, GameResult]]:
        for row in run.stored():
            if row.fixture.agent in agents and row.fixture.condition not in run.changed:
                try:
                    yield row.fixture, run.read(row)
                except ValueError:
                    continue

    total = sum(1 for _, result in readable() if result.ending.repeatable)
    size = ceil(sample * total) if sample is not None else min(total, max(ceil(SAMPLE * total), MIN_SAMPLE))
    chosen = set(Random(seed).sample(range(total), size))
    games: dict[Fixture, GameResult] = {}
    not_played: list[Fixture] = []
    place = 0
    for fixture, result in readable():
        if not result.ending.repeatable:
            if run.plan.entries[fixture.agent].built_in and sample != 0:
                if fixture not in forfeits:
                    games[fixture] = result
            else:
                not_played.append(fixture)
            continue
        if place in chosen:
            games[fixture] = result
        place += 1
    return Drawn(games, not_played)


class DrawnPacked(NamedTuple):
    """The packed games to play again, their scores as packed, and those that ended by a limit or a crash."""

    total: int
    """All packed games."""
    games: dict[Fixture, PackedGames]
    not_played: list[Fixture]


def draw_packed(run: RunReader, agents: set[int], sample: float | None, seed: int) -> DrawnPacked:
    """Return a random sample of the packed games that no limit ended."""
    drawn: dict[Fixture, PackedGames] = {}
    not_played: list[Fixture] = []
    count = 0
    for condition, agent in product(range(len(run.conditions)), range(len(run.agents))):
        for games in read_portions(run, condition, agent):
            count += len(games.numbers)
            if agent not in agents or condition in run.changed:
                continue
            ended = [number for number, (kind, _) in games.faults.items() if kind in (*LIMITED, str(Ending.CRASH))]
            not_played += [Fixture(agent, condition, number) for number in ended]
            rest = games.without(ended)
            size = ceil((SAMPLE if sample is None else sample) * len(rest.numbers))
            random = Random(f"{seed}/{condition}/{agent}/{games.numbers[0]}")
            for place in sorted(random.sample(range(len(rest.numbers)), size)):
                one = rest.at(np.arange(len(rest.numbers)) == place)
                drawn[Fixture(agent, condition, int(one.numbers[0]))] = one
    return DrawnPacked(count, drawn, not_played)


def draw_tallied(
    run: RunReader, published: PublishedTally, agents: set[int], sample: float | None, seed: int
) -> dict[Fixture, bool]:
    """Return a random sample of the games that are published as a bit alone, and whether they are said to be won."""
    plan = run.plan
    kept = kept_boards(plan, published.keep)
    boards = range(kept, plan.config.games)
    drawn = {}
    share = SAMPLE if sample is None else sample
    for condition, each in enumerate(plan.conditions):
        won = np.concatenate(published.tallies[each.label].ranking)
        for agent in sorted(agents) if condition not in run.changed else ():
            for number in Random(f"{seed}/{condition}/{agent}").sample(boards, ceil(share * len(boards))):
                drawn[Fixture(agent, condition, number)] = bool(won[number, agent])
    return drawn
