"""The games that a person has played on the boards of a run, and the person's place among the agents."""

from __future__ import annotations

import json
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from sweepstakes.errors import RunError
from sweepstakes.executor import Fixture
from sweepstakes.game.result import GameResult
from sweepstakes.game.turn import Turn
from sweepstakes.score import bounds_of
from sweepstakes.tournaments.running.repeating import repeat_turns
from sweepstakes.tournaments.statistics.moments import Moments
from sweepstakes.tournaments.statistics.paired_tests import SIGNIFICANT, head_to_head, ranks
from sweepstakes.tournaments.statistics.standings import estimate_of, score_column, turned
from sweepstakes.web.data.overview import Overview, score_values
from sweepstakes.web.server.api_error import ApiError
from sweepstakes.web.server.requests import StrictRequest

FILE = "person.jsonl"
"""In the run directory: a line for each game of the person."""
YOU = 0
"""The column of the person among the agents."""

Cells = Annotated[list[int], Field(max_length=10_000)]


class PersonTurn(StrictRequest):
    """A turn as flat indices."""

    open: Cells
    flag: Cells
    unflag: Cells


class PersonGame(StrictRequest):
    """A finished game on a board of the run. `helped` says whether hints, probabilities or Undo were used."""

    condition: Annotated[int, Field(ge=1)]
    number: Annotated[int, Field(ge=0)]
    helped: bool
    turns: Annotated[list[PersonTurn], Field(max_length=40_016)]


class Person:
    """Keeps the games of the person, and compares them with those of the agents on the same boards."""

    def __init__(self, overview: Overview) -> None:
        self._overview = overview

    def keep(self, game: PersonGame) -> dict[str, Any]:
        """Store a game that the referee has repeated, unless its board has been played: the first game counts."""
        run = self._overview.run
        if not 1 <= game.condition <= len(run.conditions) or game.number >= run.boards(game.condition - 1):
            raise ApiError(404, "the run has no such board")
        result = self._result(game)
        if result is None:
            raise ApiError(422, "these turns are no finished game on this board")
        known = {(each.condition, each.number) for each in self._games()}
        if (game.condition, game.number) not in known:
            try:
                with (run.directory / FILE).open("a", encoding="utf-8") as file:
                    file.write(json.dumps(game.model_dump(), separators=(",", ":")) + "\n")
            except OSError as error:
                raise ApiError(409, f"the game cannot be kept: {error.strerror}") from None
        return self.standings()

    def standings(self) -> dict[str, Any]:
        """For each condition, by its number: the next board, and the games and the place of the person."""
        games = self._games()
        found = {}
        for condition in range(1, len(self._overview.run.conditions) + 1):
            played = [game for game in games if game.condition == condition]
            numbers = {game.number for game in played}
            free = next((n for n in range(self._overview.run.boards(condition - 1)) if n not in numbers), None)
            results = {helped: self._results(played, helped=helped) for helped in (False, True)}
            found[condition] = {
                "next": free,
                **self._among_agents(condition, results[False]),
                "helped": self._mean(condition, results[True]),
            }
        return {"conditions": found}

    def _games(self) -> list[PersonGame]:
        path = self._overview.run.directory / FILE
        if not path.exists():
            return []
        try:
            return [PersonGame.model_validate_json(line) for line in path.read_text(encoding="utf-8").splitlines()]
        except ValueError:
            raise RunError(f"{path}: a line is damaged: delete it, or the file") from None

    def _result(self, game: PersonGame) -> GameResult | None:
        """The result of a game, by the referee; None if the turns are no finished game."""
        referee = self._overview.set_up(Fixture(0, game.condition - 1, game.number))
        arrays = [[np.array(cells, np.int64) for cells in (turn.open, turn.flag, turn.unflag)] for turn in game.turns]
        turns = [Turn(open=opens, flag=flags, unflag=unflags, why="guess") for opens, flags, unflags in arrays]
        try:
            for _ in repeat_turns(referee, turns):
                pass
        except ValueError:
            return None
        return referee.result() if referee.over and not referee.fault else None

    def _results(self, games: list[PersonGame], *, helped: bool) -> dict[int, GameResult]:
        results = {game.number: self._result(game) for game in games if game.helped == helped}
        return {number: result for number, result in results.items() if result is not None}

    def _mean(self, condition: int, results: dict[int, GameResult]) -> dict[str, Any]:
        _, score = self._overview.ranking()
        values = [value for value in score_values(score, results).values() if value is not None]
        return {"games": len(results), **self._estimate(condition, values)}

    def _among_agents(self, condition: int, results: dict[int, GameResult]) -> dict[str, Any]:
        """The standings of the person and the agents on the boards that all of them have played."""
        _, score = self._overview.ranking()
        labels = [agent.label for agent in self._overview.run.agents]
        scores = [score_values(score, results)] if results else []
        if results:
            scores += [score_values(score, self._overview.results(condition, i)) for i in range(1, len(labels) + 1)]
        common = [n for n in sorted(results) if all(each.get(n) is not None for each in scores)]
        if not common:
            return {"boards": 0, "games": len(results), "lines": []}
        sign = 1 if score.more_is_better else -1
        table = np.array([[sign * float(each[number] or 0) for each in scores] for number in common])
        pairs = head_to_head(table)
        places = ranks([float(mean) for mean in table.mean(axis=0)], pairs)
        against = {pair.second: pair for pair in pairs if pair.first == YOU}
        lines: list[dict[str, Any]] = []
        for column, label in enumerate(["you", *labels]):
            line: dict[str, Any] = {"agent": label, "you": column == YOU, "rank": places[column]}
            line |= self._estimate(condition, [sign * value for value in table[:, column].tolist()])
            pair = against.get(column)
            if pair is not None:  # as seen by the person
                mean, low, high = turned(pair.difference, sign)
                line |= {
                    "better": pair.better,
                    "equal": pair.equal,
                    "worse": pair.worse,
                    "significant": pair.mean_holm < SIGNIFICANT,
                }
                line |= {"difference": {"mean": mean, "low": low, "high": high}}
            lines.append(line)
        lines.sort(key=lambda line: (line["rank"], -sign * line["mean"]))
        return {"boards": len(common), "games": len(results), "lines": lines}

    def _estimate(self, condition: int, values: list[float]) -> dict[str, float | None]:
        """The mean of the ranking score with its interval; None without values."""
        if not values:
            return {"mean": None, "low": None, "high": None}
        name, score = self._overview.ranking()
        bounds = bounds_of(score, name, self._overview.run.conditions[condition - 1].size)
        return estimate_of(Moments.of(values), score_column(name, score), bounds)._asdict()
