"""The games of a run directory, read without disturbing a run that may still be going on."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from sweepstakes.deal import Deal
from sweepstakes.errors import RunError, SweepstakesError, did_you_mean
from sweepstakes.game import Game
from sweepstakes.record import unpack
from sweepstakes.registry import Registry
from sweepstakes.result import Ending, GameResult
from sweepstakes.tournaments.config import load
from sweepstakes.tournaments.film import Film, film
from sweepstakes.tournaments.plan import Condition, make_plan
from sweepstakes.tournaments.store import COLUMNS


class Listed(NamedTuple):
    """A game that can be shown."""

    agent: str
    condition: int
    """Its number, counted from 1: labels are long."""
    number: int
    ending: str

    @property
    def name(self) -> str:
        """How `sweepstakes replay` is told which game it is."""
        return f"{self.agent}/{self.condition}/{self.number}"


class Recording:
    """A run's games. Agents are read from the run alone: their files may have changed or gone since."""

    def __init__(self, directory: Path, plugins: tuple[str, ...] = ()) -> None:
        path = directory / "games.sqlite"
        if not path.is_file():
            raise RunError(f"{directory}: there is no run here (no games.sqlite)")
        config, file = load(directory / "tournament.yaml")
        files = [spec.agent for spec in config.agents if spec.agent.endswith(".py") and Path(spec.agent).is_file()]
        self._registry = Registry()
        for agent_file in files:
            self._registry.add_file(agent_file, asked_for=False)  # it may offer the board source or the noise too
        plan, _ = make_plan(config.model_copy(update={"agents": ()}), file, plugins, self._registry)
        self.conditions: tuple[Condition, ...] = plan.conditions
        try:
            self._db = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro", uri=True)
            self._ids: dict[str, int] = dict(self._db.execute("select key, id from conditions"))
            self.agents: list[str] = [label for (label,) in self._db.execute("select label from agents order by id")]
        except sqlite3.DatabaseError as error:
            raise RunError(f"{path}: {error}") from None

    def close(self) -> None:
        """Let go of the file."""
        self._db.close()

    def games(self, agent: str | None = None) -> Iterator[Listed]:
        """The games whose moves were kept."""
        for number, condition in enumerate(self.conditions, 1):
            for label, board, ending in self._db.execute(
                "select a.label, g.number, g.ending from games g join agents a on a.id = g.agent "
                "where g.condition = ? and g.moves is not null and (? is null or a.label = ?) order by a.id, g.number",
                [self._ids.get(condition.key), agent, agent],
            ):
                yield Listed(label, number, board, ending)

    def film(self, name: str) -> Film:
        """The game called AGENT/CONDITION/NUMBER, or AGENT/NUMBER where there is one condition."""
        agent, number, board = self._find(name)
        condition = self.conditions[number - 1]
        row = self._db.execute(
            f"select g.moves, {', '.join('g.' + column for column in COLUMNS)} from games g "
            "join agents a on a.id = g.agent where g.condition = ? and a.label = ? and g.number = ?",
            [self._ids.get(condition.key), agent, board],
        ).fetchone()
        if row is None:
            raise RunError(f"game {name} has not been played in this run")
        moves, ending, *counts = row
        if moves is None:
            raise RunError(
                f"the moves of game {name} were not kept: a run keeps those of the first 10 boards of each condition, "
                "all of them with `moves: all`"
            )
        source = self._registry.make("board source", condition.source.name, condition.source.parameters)
        noise = self._registry.make("clue noise", condition.noise.name, condition.noise.parameters)
        deal = Deal.of(source, condition.source.label, condition.size, condition.seed, board)
        game = Game(deal, condition.rules, noise.model(condition.noise.label), agent)
        result = GameResult(*condition.size, Ending(ending), *counts)
        title = f"{agent} on {condition.label}, seed {condition.seed}, board {board}, {condition.rules}"
        if not game.noise.exact:
            title += f", {game.noise.name}"
        return film(title, game, unpack(moves), result)

    def _find(self, name: str) -> tuple[str, int, int]:
        agent, *numbers = name.rsplit("/", 2 if name.count("/") > 1 else 1)
        if len(numbers) == 1 and len(self.conditions) == 1:
            numbers = ["1", *numbers]
        if len(numbers) != 2 or not all(number.isdecimal() for number in numbers):
            raise RunError(f"no game is called {name!r}: expected AGENT/CONDITION/NUMBER, as in {self._example()}")
        if agent not in self.agents:
            raise RunError(f"no agent '{agent}' in this run{did_you_mean(agent, self.agents)}")
        condition, board = map(int, numbers)
        if not 1 <= condition <= len(self.conditions):
            raise RunError(f"no condition {condition} in this run: expected 1 to {len(self.conditions)}")
        return agent, condition, board

    def _example(self) -> str:
        game = next(self.games(), None)
        return game.name if game is not None else "basic/1/0"


def open_recording(directory: str, plugins: tuple[str, ...]) -> Recording:
    """The run in a directory; an error says what is wrong with it."""
    try:
        return Recording(Path(directory), plugins)
    except RunError:
        raise
    except SweepstakesError as error:
        raise RunError(f"{directory} cannot be replayed: {error}") from None
