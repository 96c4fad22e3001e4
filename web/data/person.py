"""The games that a person has played on the boards of a run, with the scores of the agents on the same boards.

The engine in the page compares them (`web/engine/statistics.py`). `serve` keeps the games in the run directory. A site
has the agents' scores on its first boards, and the browser keeps the games.
"""

from __future__ import annotations

import json
from typing import Annotated, Any

import numpy as np
from pydantic import Field

from sweepstakes.errors import RunError
from sweepstakes.executor import Fixture
from sweepstakes.game.result import GameResult
from sweepstakes.game.turn import Turn
from sweepstakes.tournaments.running.repeating import repeat_turns
from sweepstakes.web.data.overview import Overview, score_value, score_values
from sweepstakes.web.server.api_error import ApiError
from sweepstakes.web.server.requests import StrictRequest

FILE = "person.jsonl"
"""The file in the run directory with a line for each game of the person."""
SITE_BOARDS = 100
"""The number of boards of each condition that people can play on a site."""

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
    """Keeps the games of the person in the run directory."""

    def __init__(self, overview: Overview) -> None:
        self._overview = overview

    def keep(self, game: PersonGame) -> dict[str, Any]:
        """Store a game that the referee has repeated, unless its board has been played: the first game counts."""
        run = self._overview.run
        if not 1 <= game.condition <= len(run.conditions) or game.number >= run.boards(game.condition - 1):
            raise ApiError(404, "the run has no such board")
        if self._result(game) is None:
            raise ApiError(422, "these turns are not a finished game on this board")
        known = {(each.condition, each.number) for each in self._games()}
        if (game.condition, game.number) not in known:
            try:
                with (run.directory / FILE).open("a", encoding="utf-8") as file:
                    file.write(json.dumps(game.model_dump(), separators=(",", ":")) + "\n")
            except OSError as error:
                raise ApiError(409, f"the game cannot be kept: {error.strerror}") from None
        return self.games()

    def games(self) -> dict[str, Any]:
        """For each condition, by its number: how many boards it has, and the games of the person.

        A game is {number, helped, value, agents}: the score of the person and those of the agents on the board, None
        where it is not known.
        """
        run, score = self._overview.run, self._overview.played_score()
        games = self._games()
        found: dict[str, Any] = {}
        for condition in range(1, len(run.conditions) + 1):
            played = [game for game in games if game.condition == condition]
            known = agent_scores(self._overview, condition) if played else []
            listed = []
            for game in played:
                result = self._result(game)
                if result is not None:
                    value = score_value(score[1], result) if score else None
                    agents = [of_agent.get(game.number) for of_agent in known]
                    listed.append({"number": game.number, "helped": game.helped, "value": value, "agents": agents})
            found[str(condition)] = {"boards": run.boards(condition - 1), "games": listed}
        return found

    def _games(self) -> list[PersonGame]:
        path = self._overview.run.directory / FILE
        if not path.exists():
            return []
        try:
            return [PersonGame.model_validate_json(line) for line in path.read_text(encoding="utf-8").splitlines()]
        except ValueError:
            raise RunError(f"{path}: a line is damaged: delete it, or the file") from None

    def _result(self, game: PersonGame) -> GameResult | None:
        """Return the result of a game, computed by the referee; None if the turns are not a finished game."""
        referee = self._overview.set_up(Fixture(0, game.condition - 1, game.number))
        arrays = [[np.array(cells, np.int64) for cells in (turn.open, turn.flag, turn.unflag)] for turn in game.turns]
        turns = [Turn(open=opens, flag=flags, unflag=unflags, why="guess") for opens, flags, unflags in arrays]
        try:
            for _ in repeat_turns(referee, turns):
                pass
        except ValueError:
            return None
        return referee.result() if referee.over and not referee.fault else None


def agent_scores(overview: Overview, condition: int) -> list[dict[int, float | None]]:
    """For each agent its score on every board of a condition."""
    score = overview.played_score()
    agents = range(1, len(overview.run.agents) + 1)
    if score is None:
        return [{} for _ in agents]
    return [score_values(score[1], overview.results(condition, agent)) for agent in agents]


def site_scores(overview: Overview) -> dict[str, list[list[float | None]]]:
    """Return the scores of a site, by condition: those of each agent on the first boards."""
    found = {}
    for condition in range(1, len(overview.run.conditions) + 1):
        boards = min(SITE_BOARDS, overview.run.boards(condition - 1))
        known = agent_scores(overview, condition)
        found[str(condition)] = [[of_agent.get(number) for number in range(boards)] for of_agent in known]
    return found
