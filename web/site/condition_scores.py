"""The scores of all agents under one condition, and the choice of the boards that the static site shows."""

from __future__ import annotations

from typing import Any

import numpy as np

from sweepstakes.web.data.overview import Overview, comparison, score_values


class ConditionScores:
    """The ranking score of every agent on every board of a condition."""

    def __init__(self, overview: Overview, condition: int) -> None:
        self._name, self._score = overview.ranking()
        results = {agent: overview.results(condition, agent) for agent in _agents_by_rank(overview, condition)}
        results = {agent: by_board for agent, by_board in results.items() if by_board}
        self._scores = {agent: score_values(self._score, by_board) for agent, by_board in results.items()}
        self._numbers = np.array(sorted({number for by_board in results.values() for number in by_board}), np.int64)
        kept = {(f.agent + 1, f.number) for f, _ in overview.run.kept() if f.condition == condition - 1}
        self._values = np.full((len(results), self._numbers.size), np.nan)
        """The scores by rank and board; nan for missing ones."""
        self._watchable = np.zeros(self._values.shape, np.bool_)
        """By rank and board, whether the moves are stored or the game can be played again."""
        for rank, (agent, by_board) in enumerate(results.items()):
            can_play_again = overview.can_play_again(overview.run.agents[agent - 1])
            for column, number in enumerate(self._numbers.tolist()):
                if number in by_board:
                    value = self._scores[agent][number]
                    self._values[rank, column] = np.nan if value is None else value
                    replayable = can_play_again and by_board[number].ending.repeatable
                    self._watchable[rank, column] = replayable or (agent, number) in kept

    def comparison(self, first: int, second: int, available: set[int]) -> dict[str, Any]:
        """Return the answer of `Overview.decisive` for two agents, with all of the `available` boards and no others."""
        first_scores, second_scores = self._scores.get(first, {}), self._scores.get(second, {})
        return comparison(self._name, self._score, first_scores, second_scores, len(available), available)

    def decisive_boards(self) -> set[int]:
        """Return the boards on which at least two agents have different scores."""
        if not self._values.size:
            return set()
        values = self._values
        low, high = np.fmin.reduce(values), np.fmax.reduce(values)
        return set(self._numbers[low < high].tolist())

    def sample(self, boards: int) -> list[int]:
        """Return up to `boards` boards to show, the best first. They decide between agents with neighbouring ranks.

        A board gains weight from each pair of agents that can be watched on it and have different scores. A pair weighs
        less if the two ranks are far apart, or if the same agent of the pair wins on many boards chosen already. Among
        boards of equal weight, the one on which agents of adjacent ranks differ most comes first, then the one with the
        lowest number.
        """
        agents = len(self._values)
        pairs = [(i, j) for i in range(agents) for j in range(i + 1, agents)]
        leads = {
            (i, j): np.where(self._watchable[i] & self._watchable[j], self._values[i] - self._values[j], np.nan)
            for i, j in pairs
        }
        adjacent_leads = np.zeros(self._numbers.size)
        for i in range(agents - 1):
            adjacent_leads += np.nan_to_num(np.abs(leads[i, i + 1]))
        times_chosen = {(i, j, side): 0 for i, j in pairs for side in (-1, 1)}
        remaining = self._watchable.sum(axis=0) > 0
        chosen: list[int] = []
        while len(chosen) < boards and remaining.any():
            weight = np.zeros(self._numbers.size)
            for (i, j, side), times in times_chosen.items():
                weight += (np.sign(leads[i, j]) == side) / ((j - i) ** 2 * (1 + times))
            order = np.lexsort((self._numbers, -np.round(adjacent_leads, 9), -np.round(weight, 9), ~remaining))
            best = int(order[0])
            remaining[best] = False
            chosen.append(int(self._numbers[best]))
            for i, j, side in times_chosen:
                times_chosen[i, j, side] += bool(np.sign(leads[i, j][best]) == side)
        return chosen


def _agents_by_rank(overview: Overview, condition: int) -> list[int]:
    """Return the agents in the order of the condition's table. Agents that are not in the table come last."""
    tables = overview.run.leaderboard()["tables"]
    label = overview.run.conditions[condition - 1].label
    table = next((table for table in tables if table["condition"] == label), tables[0] if tables else None)
    ranks = {line["agent"]: rank for rank, line in enumerate(table["standings"])} if table else {}
    labels = [agent.label for agent in overview.run.agents]
    return sorted(range(1, len(labels) + 1), key=lambda agent: ranks.get(labels[agent - 1], len(ranks)))
