"""The scores of agents on the same boards, as their games finish. They decide matches and races."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from sweepstakes.errors import PluginError
from sweepstakes.executor import Fixture
from sweepstakes.game.result import GameResult
from sweepstakes.game.result_columns import ResultColumns
from sweepstakes.registry.registry import Registry
from sweepstakes.score import Score, bounds_of, rate
from sweepstakes.standings import FaultLine
from sweepstakes.tournaments.game_counts import understates_guesses
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.statistics.standings import GUESSES, on_understated, score_column


class GameScores:
    """The ranking scores of a plan's agents on the first boards of its only condition, in any order of the games."""

    def __init__(self, plan: Plan, registry: Registry, boards: int) -> None:
        self.plan = plan
        self.score: Score = registry.make("score", plan.scores[0])
        self.column = score_column(plan.scores[0], self.score)
        self.sign = 1.0 if self.score.more_is_better else -1.0
        self.values = np.full((len(plan.entries), boards), np.nan)
        """The score by agent and board, multiplied by `sign`, so that more is better; NaN if it is missing."""
        self.played = np.zeros((len(plan.entries), boards), np.bool_)
        self._faults: dict[Fixture, GameResult] = {}
        self._understated: list[Fixture] = []

    def take(self, fixture: Fixture, result: GameResult) -> None:
        """Add a finished game."""
        self.values[fixture.agent, fixture.number] = self.sign * _rate(self.score, self.plan, fixture, result)
        self.played[fixture.agent, fixture.number] = True
        if result.ending.is_fault:
            self._faults[fixture] = result
        if self.plan.scores[0] == GUESSES and understates_guesses(result, self.plan.conditions[0].noise):
            self._understated.append(fixture)

    def lost_by_faults(self, agent: int, first: int | None) -> bool:
        """Return whether the agent lost its first games by faults: the first `first` games, or all so far."""
        numbers = np.flatnonzero(self.played[agent]).tolist() if first is None else range(first)
        return len(numbers) > 0 and all(Fixture(agent, 0, number) in self._faults for number in numbers)

    def fault_lines(self, boards: Sequence[int]) -> tuple[FaultLine, ...]:
        """Return a line for each agent and kind of fault, on the first `boards` boards of each agent."""
        found: dict[tuple[str, str], FaultLine] = {}
        for fixture, result in sorted(self._faults.items()):
            if fixture.number < boards[fixture.agent]:
                key = self.plan.name(fixture), str(result.ending)
                line = found.get(key, FaultLine(*key, 0, result.fault, self.plan.title(fixture)))
                found[key] = line._replace(games=line.games + 1)
        return tuple(found.values())

    def on_understated(self, boards: Sequence[int]) -> str:
        """Return a sentence on agents that report too few guesses, on the first `boards` boards of each; or ""."""
        counts = {
            entry.label: sum(game.agent == agent and game.number < boards[agent] for game in self._understated)
            for agent, entry in enumerate(self.plan.entries)
        }
        return on_understated(counts).strip()


def _rate(score: Score, plan: Plan, fixture: Fixture, result: GameResult) -> float:
    """Return the score of a game, NaN if it was not measured. Raise `PluginError` if it is not valid."""
    name = plan.scores[0]
    value = float(rate(score, name, ResultColumns.of([result]), lambda _: plan.title(fixture))[0])
    low, high = bounds_of(score, name, plan.conditions[0].size)
    if value < low or value > high:
        raise PluginError(
            f"score '{name}' gave {value:g} for game {plan.title(fixture)}: its bounds are {low:g} and {high:g}"
        )
    return value
