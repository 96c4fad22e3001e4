"""A tournament ready to be played, as values: who plays, under which conditions, and what identifies each game."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from sweepstakes.executor import Fixture, Row
from sweepstakes.game.result import LONGEST_FAULT, Ending, GameResult, check_extras, check_result
from sweepstakes.game.rules import Rules
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.size import Size
from sweepstakes.registry.registry import Registry
from sweepstakes.registry.spec import Spec
from sweepstakes.tournaments.config.model import Tournament
from sweepstakes.untrusted.text import clean

if TYPE_CHECKING:
    from sweepstakes.game.game import Game
    from sweepstakes.tournaments.running.game_player import PlanPlayer


class Entry(NamedTuple):
    """An agent in the tournament."""

    label: str
    spec: Spec
    """By its name alone, whatever file offers it."""
    version: str
    """Changes whenever the agent does."""

    @property
    def key(self) -> str:
        """What identifies the agent: everything but what it is called here."""
        return _digest(self.spec.name, dict(self.spec.parameters), self.version)

    def plain(self) -> dict[str, Any]:
        """As it is stored and published."""
        parameters = dict(self.spec.parameters)
        return {"label": self.label, "name": self.spec.name, "parameters": parameters, "version": self.version}


class Condition(NamedTuple):
    """A block of boards that every agent plays, under the same rules and noise."""

    label: str
    size: Size
    density: float | None
    """As it is written in the tournament; None where the number of mines is."""
    rules: Rules
    source: Spec
    source_version: str
    noise: Spec
    noise_version: str
    seed: int

    @property
    def key(self) -> str:
        """What identifies the condition: everything but what it is called here."""
        source = self.source.name, dict(self.source.portable.parameters), self.source_version
        noise = self.noise.name, dict(self.noise.parameters), self.noise_version
        return _digest(*source, *self.size, str(self.rules), *noise, self.seed)

    def plain(self) -> dict[str, Any]:
        """As it is stored and published."""
        return {
            "label": self.label,
            "seed": self.seed,
            **self.size._asdict(),
            "rules": str(self.rules),
            "source": str(self.source.portable),
            "source_version": self.source_version,
            "noise": str(self.noise.portable),
            "noise_version": self.noise_version,
        }

    def setup(self, number: int) -> GameSetup:
        """The game on a board of it."""
        return GameSetup(self.size, self.seed, number, self.rules, self.source, self.noise)


def describe_rules(conditions: Iterable[Condition]) -> str:
    """The rules and noises that games are played by, and their seeds, as the first line of a command says them."""
    columns = [(str(each.rules), str(each.noise.portable), str(each.seed)) for each in conditions]
    rules, noises, seeds = (list(dict.fromkeys(column)) for column in zip(*columns, strict=True))
    return f"rules {' and '.join(rules)}; noise {', '.join(noises)}; seed {', '.join(seeds)}"


class Plan(NamedTuple):
    """Everything a worker needs to play any game of the tournament; it can be pickled."""

    config: Tournament
    entries: tuple[Entry, ...]
    conditions: tuple[Condition, ...]
    scores: tuple[str, ...]
    measures: tuple[str, ...]
    """Those of the scores that are measured after playing."""
    files: tuple[str, ...]
    """The plugin files that have to be loaded first."""

    @property
    def games(self) -> int:
        """Games in all."""
        return len(self.entries) * len(self.conditions) * self.config.games

    def open(self) -> PlanPlayer:
        """Load the plugins and make ready to play, in whatever process this is."""
        from sweepstakes.tournaments.running.game_player import PlanPlayer

        return PlanPlayer(self)

    def setup(self, fixture: Fixture) -> GameSetup:
        """How to set a game up."""
        return self.conditions[fixture.condition].setup(fixture.number)

    def game(self, fixture: Fixture, registry: Registry) -> Game:
        """A game before its first turn; nobody asks for its agent, which may be gone."""
        return self.setup(fixture).game(registry, self.name(fixture))

    def forfeit(self, fixture: Fixture, ending: Ending, what: str, seconds: float) -> Row:
        """The row of a game whose process did not live to the end of it: nothing of it stands."""
        setup = self.setup(fixture)
        fault = clean(f"agent '{clean(self.name(fixture))}' {what}{setup.where()}", LONGEST_FAULT)
        return Row(fixture, GameResult(*setup.size, ending, fault=fault), seconds, None)

    def check(self, row: Row) -> None:
        """`ValueError`, with a sentence, for a row that no game of the plan can have."""
        condition = self.conditions[row.fixture.condition]
        check_result(row.result, condition.size, condition.rules)
        check_extras(row.seconds, row.moves, row.took)

    def name(self, fixture: Fixture) -> str:
        """What the agent of a game is called."""
        return self.entries[fixture.agent].label

    def title(self, fixture: Fixture) -> str:
        """What a game is called: AGENT/CONDITION/NUMBER. Conditions count from 1, since their labels are long."""
        return f"{self.name(fixture)}/{fixture.condition + 1}/{clean(str(fixture.number), 20)}"


def _digest(*parts: Any) -> str:
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
