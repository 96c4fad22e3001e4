"""Plays games: the same in this process and in any other."""

from __future__ import annotations

import functools
from collections.abc import Callable

from sweepstakes.agent import Agent
from sweepstakes.deal import BoardSource, Deal
from sweepstakes.executor import Fixture, Guard, Row
from sweepstakes.game import Game
from sweepstakes.noise import Noise
from sweepstakes.play import play_game
from sweepstakes.record import pack
from sweepstakes.registry import Registry
from sweepstakes.tournaments.plan import Plan

SAMPLE = 10
"""How many boards of each condition keep their moves under `moves: sample`."""


class Worker:
    """Plays the games of a plan."""

    def __init__(self, plan: Plan, registry: Registry | None = None) -> None:
        self.plan = plan
        registry = registry or Registry(plan.files)
        registry.check()
        self._agents = [registry.agent(entry.agent.name, entry.agent.parameters) for entry in plan.entries]
        self._sources: list[BoardSource] = []
        self._noises: list[Noise] = []
        for condition in plan.conditions:
            self._sources.append(registry.make("board source", condition.source.name, condition.source.parameters))
            noise = registry.make("clue noise", condition.noise.name, condition.noise.parameters)
            self._noises.append(noise.model(condition.noise.label))

        scores = [registry.make("score", name, {}) for name in plan.measures]
        self._measures = list(dict.fromkeys(score.measure for score in scores))

    def agent(self, fixture: Fixture) -> Callable[[], Agent]:
        """What makes the agent of a game."""
        return self._agents[fixture.agent]

    def game(self, fixture: Fixture) -> Game:
        """The game set up, before the first turn."""
        agent, condition, number = fixture
        where = self.plan.conditions[condition]
        deal = Deal.of(self._sources[condition], where.source.label, where.size, where.seed, number)
        return Game(deal, where.rules, self._noises[condition], self.plan.entries[agent].label)

    def play(self, fixture: Fixture, guard: Guard | None = None) -> Row:
        """Play one game. If there is a guard, it is given the factory and makes the agent."""
        moves = self.plan.config.moves
        keep = moves == "all" or (moves == "sample" and fixture.number < SAMPLE)
        factory = self._agents[fixture.agent]
        make = factory if guard is None else functools.partial(guard, factory)
        look = keep or bool(self._measures)
        played = play_game(self.game(fixture), make, keep_turns=look, explain=look)
        packed = pack(played.turns) if keep and played.turns is not None else None
        result = played.result
        if self._measures and not result.ending.is_fault:
            found: dict[str, float] = {}
            for measure in self._measures:
                found.update(measure(self.game(fixture), played.turns or []))
            result = result._replace(measures=found)
        return Row(fixture, result, played.seconds, packed)
