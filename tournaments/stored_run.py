"""A run directory or a published leaderboard, opened for reading: `sweepstakes.open_run`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy.typing as npt

from sweepstakes import wiring
from sweepstakes.errors import PositionError, RunError, brief
from sweepstakes.executor import Fixture
from sweepstakes.game.board import Board
from sweepstakes.game.cell import Cell
from sweepstakes.standings import Standings
from sweepstakes.tournaments.replay.explained import replay
from sweepstakes.tournaments.replay.replay import Replay
from sweepstakes.tournaments.statistics.standings import standings
from sweepstakes.tournaments.storage.database import run_errors
from sweepstakes.tournaments.storage.game_columns import games_table
from sweepstakes.tournaments.storage.opening import open_as
from sweepstakes.tournaments.storage.run_reader import MAX_BOARD_NUMBER, RunReader, StoredGame, whole_number
from sweepstakes.untrusted.text import clean
from sweepstakes.warm_up import warm_up

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class StoredRun(RunReader):
    """The stored games of a tournament, and the tables, replays and plots that are made of them."""

    @cached_property
    def games(self) -> dict[str, npt.NDArray[Any]]:
        """Every game, one array for each column: `pandas.DataFrame(run.games)` or `polars.DataFrame(run.games)`.

        The columns are the label of the condition and its fields (`rows`, `cols`, `mines`, `density`, `rules`, `noise`,
        `source`), `agent` and its `version`, the `number` of the board, `ending`, `won`, the scores of the tournament,
        the counts of `GameResult`, `fault`, and `seconds` (NaN if imported). A score with the name of a count is called
        `score_turns`: it differs from the count where the agent had a fault. Games are in the order of the plan; they
        are read once: `reopened` reads those that have been played since.
        """
        return self.table()

    def table(self, conditions: Sequence[int] | None = None) -> dict[str, npt.NDArray[Any]]:
        """Return the columns of `games`, read now; of all conditions, or of some by their places in the plan."""
        return games_table(self, conditions)

    def board(self, condition: str | int, number: int, first: tuple[int, int] | None = None) -> Board:
        """Return board `number` of a condition, a label or a number from 1 on. Raise `RunError` if it does not exist.

        If the rules protect the first click, the board depends on it: `first` is the cell (row, column) that was opened
        first. `replay` has the board of a stored game.
        """
        setup = self.conditions[place := self.condition_place(condition)].setup(check_number(number, self.directory))
        self.check_unchanged(place, f"board {number} of condition {place + 1}")
        setup.check(self.registry)
        rules, cell = setup.rules, Cell(*first) if first is not None else setup.rules.start
        if cell is None and rules.first_click != "any":
            raise RunError(
                f"{self.directory}: board {number} of condition {place + 1} depends on the first click, which is "
                f"{rules.first_click}: expected first=(row, column), or the board of a replay"
            )
        if cell is not None and not (0 <= cell.row < setup.size.rows and 0 <= cell.col < setup.size.cols):
            raise PositionError(f"first: {cell} is not on a board of {setup.size.rows} x {setup.size.cols}")
        protected = rules.protected(setup.size, cell) if cell is not None else ()
        return setup.board_ref(self.registry).board(protected)

    def replay(self, agent: str, condition: str | int, number: int) -> Replay:
        """Return a stored game turn by turn, with reasons; an agent plays the game again if its moves were not kept.

        `condition` is a label or a number from 1 on. Raise `RunError` if there is no such game, or if it cannot be
        played again.
        """
        run = self.including(agent)
        fixture = Fixture(run.agent_place(agent), run.condition_place(condition), check_number(number, run.directory))
        stored = run.stored_game(fixture)
        warm_up(quiet=True)
        return replay(run, stored)

    def standings(self) -> Standings:
        """Compute all tables from the games that are stored now."""
        return standings(self)

    def plot(self, name: str = "ranking") -> Figure:
        """Return a figure of matplotlib, by the name of a plot in a publication, as in `score-density`.

        `RunError` lists the plots that the run has.
        """
        return wiring.figure(self, name)

    def leaderboard(self) -> Any:
        """Return the contents of leaderboard.json; None if the run is not finished."""
        path = self.directory / "leaderboard.json"
        try:
            with run_errors(path):
                if not path.exists():
                    return None
                found = json.loads(path.read_text(encoding="utf-8"))
            _check_leaderboard(found)
        except (ValueError, RecursionError) as error:
            what = f"not a leaderboard: {clean(str(error), 100)}"
            raise RunError(f"{path}: {what}; run the tournament again, which rewrites it") from None
        return found

    def reopened(self) -> StoredRun:
        """Open the run again, since a run in progress may have new agents. A publication is returned as it is."""
        if self.published:
            return self
        return open_run(self.directory, self.plugins)

    def game(self, name: str) -> StoredGame:
        """Return the game AGENT/CONDITION/NUMBER, as in `basic/1/0`; AGENT/NUMBER if there is one condition."""
        return self.stored_game(self._fixture(name))

    def _fixture(self, text: str) -> Fixture:
        agent, *numbers = text.rsplit("/", 2 if text.count("/") > 1 else 1)
        if len(numbers) == 1 and len(self.conditions) == 1:
            numbers = ["1", *numbers]
        if len(numbers) != 2 or not all(number.isdecimal() and len(number) < 19 for number in numbers):
            example = next((self.name(fixture) for fixture, _ in self.kept()), "basic/1/0")
            raise RunError(
                f"{self.directory}: no game is called '{clean(text, 80)}': expected AGENT/CONDITION/NUMBER, "
                f"as in {example}"
            )
        condition, board = map(int, numbers)
        return Fixture(self.agent_place(agent), self.condition_place(condition), board)


def open_run(directory: str | Path, plugins: tuple[str, ...] = ()) -> StoredRun:
    """Open a run directory, also while it is being played, or a published leaderboard. Raise `RunError` if it is
    neither.

    `plugins` are files that its board sources, noises, scores or reports may need.
    """
    return open_as(StoredRun, directory, plugins)


def check_number(number: int, directory: Path) -> int:
    """Return the number of a board. Raise `RunError` if it is not valid."""
    whole = whole_number(number)
    if whole is None or not 0 <= whole < MAX_BOARD_NUMBER:
        raise RunError(f"{directory}: no board {brief(number)}: expected a whole number from 0 on")
    return whole


def _check_leaderboard(found: Any) -> None:
    """Raise `ValueError` unless the data has the lists `scores` and `tables`, which the pages read."""
    if not isinstance(found, dict) or not all(isinstance(found.get(key), list) for key in ("scores", "tables")):
        raise ValueError("expected `scores` and `tables`")
    if not all(isinstance(s, dict) and isinstance(s.get("name"), str) for s in found["scores"]) or not found["scores"]:
        raise ValueError("expected names of scores")
