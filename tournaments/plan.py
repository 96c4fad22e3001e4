"""The plan of a tournament, as values: its agents, its conditions, and the keys that identify them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from typing import TYPE_CHECKING, Any, NamedTuple

from sweepstakes.errors import ConfigError
from sweepstakes.executor import Fixture
from sweepstakes.game.result import GameResult, check_extras, check_result
from sweepstakes.game.rules import Rules
from sweepstakes.game.setup import EXACT_CLUES, GameSetup
from sweepstakes.game.size import Size
from sweepstakes.plugins import NOT_REPEATABLE
from sweepstakes.spec import Spec
from sweepstakes.standings import ConditionFields
from sweepstakes.tournaments.condition_words import noise_words, rules_words
from sweepstakes.tournaments.config.model import Tournament
from sweepstakes.untrusted.text import clean

if TYPE_CHECKING:
    from sweepstakes.game.game import Game
    from sweepstakes.registry.agent_source import AgentSource
    from sweepstakes.registry.plugin_source import PluginSource
    from sweepstakes.wiring import Offers


SECRET = "secret"
"""The word for a secret seed, in a tournament file and on the command line."""
UNDRAWN = -1
"""Replaces a secret seed that has not been drawn or read yet. No game can be set up with it."""
COMMITTED = "sha256:"
"""The prefix of the commitment to a secret seed, which replaces the seed in a database."""


def commitment(seed: int) -> str:
    """Return the commitment to a secret seed: the SHA-256, in hexadecimal, of the ASCII digits of its decimal text."""
    return hashlib.sha256(str(seed).encode("ascii")).hexdigest()


class Entry(NamedTuple):
    """An agent in the tournament."""

    label: str
    spec: Spec
    """The agent by name, without the file that offers it."""
    version: str
    """The agent's version: it changes whenever the agent does."""
    source: AgentSource | None = None
    """What a host process needs to play the agent. None for a built-in agent, and in a run that is only read."""
    forfeit: str = ""
    """The reason why the agent cannot play, so that it loses its games without playing; "" if it can."""
    built_in: bool = False
    """Whether the agent is part of this package."""

    @property
    def repeatable(self) -> bool:
        """Whether games of the agent can be played again. Agents that are not built in declare it themselves."""
        if self.source is not None:
            return self.source.repeatable
        return not (self.built_in and self.spec.name in NOT_REPEATABLE)

    @property
    def key(self) -> str:
        """The digest that identifies the agent: of everything but its label."""
        return _digest(self.spec.name, dict(self.spec.portable.parameters), self.version)

    def as_copy(self) -> Entry:
        """Return the agent as a copy that was submitted again under this label, with its own version and key."""
        return self._replace(version=f"{self.version} as {self.label}", built_in=False)

    def plain(self) -> dict[str, Any]:
        """Return the agent as plain data, as it is stored and published."""
        parameters = dict(self.spec.portable.parameters)
        return {"label": self.label, "name": self.spec.name, "parameters": parameters, "version": self.version}


class Condition(NamedTuple):
    """A block of boards that every agent plays, under the same rules and noise."""

    label: str
    size: Size
    density: float | None
    """The density in the tournament file, or None if the file has a number of mines."""
    rules: Rules
    source: Spec
    source_version: str
    noise: Spec
    noise_version: str
    seed: int
    commitment: str = ""
    """The commitment to the seed as long as the seed is secret; otherwise empty."""
    words: str = ""
    """The condition in words; empty if only its label is known."""

    @property
    def title(self) -> str:
        """The condition as people name it; `label` is its name in files."""
        return self.words or self.label

    @property
    def description(self) -> str:
        """The title including rules and noise, which `title` omits if all conditions share them."""
        noise = noise_words([self.noise]) if self.noise != EXACT_CLUES else ""
        return ", ".join([self.title, *(words for words in (self.rules.words, noise) if words not in self.title)])

    @property
    def key(self) -> str:
        """The digest that identifies the condition: of everything but its label."""
        source = self.source.name, dict(self.source.portable.parameters), self.source_version
        noise = self.noise.name, dict(self.noise.portable.parameters), self.noise_version
        return _digest(*source, *self.size, str(self.rules), *noise, self.seed)

    @property
    def seed_text(self) -> str:
        """The seed as commands print it: a secret one by its commitment."""
        if self.commitment:
            return f"secret (SHA-256 {self.commitment})"
        return SECRET if self.seed == UNDRAWN else str(self.seed)

    @property
    def fields(self) -> ConditionFields:
        """The parts of the condition, as columns of tables have them."""
        size, written = self.size, self.density
        density = round(size.mines / size.cells, 6) if written is None else float(written)
        return ConditionFields(*size, density, str(self.rules), str(self.noise.portable), str(self.source.portable))

    def plain(self) -> dict[str, Any]:
        """Return the condition as plain data, for storage. A secret seed is replaced by its commitment."""
        return {
            "label": self.label,
            "seed": f"{COMMITTED}{self.commitment}" if self.commitment else self.seed,
            **self.size._asdict(),
            "rules": str(self.rules),
            "source": str(self.source.portable),
            "source_version": self.source_version,
            "noise": str(self.noise.portable),
            "noise_version": self.noise_version,
        }

    def check(self, result: GameResult, seconds: Any, moves: Any, took: Any = None) -> None:
        """Raise `ValueError`, with a sentence, for a row that no game under the condition can have."""
        check_result(result, self.size, self.rules)
        check_extras(seconds, moves, took)

    def setup(self, number: int) -> GameSetup:
        """Return the setup of the game on the board of this number. Raise `ConfigError` if the secret seed is not
        known."""
        if self.seed == UNDRAWN:
            raise ConfigError("a secret seed is drawn when a run directory is made: no game can be set up without it")
        secret = bool(self.commitment)
        return GameSetup(self.size, self.seed, number, self.rules, self.source, self.noise, secret)


def describe_rules(conditions: Iterable[Condition]) -> str:
    """Return the rules, noises and seeds of the conditions, as the commands print them in their first line."""
    columns = [(each.rules, each.noise, each.seed_text) for each in conditions]
    rules, noises, seeds = zip(*columns, strict=True)
    clues = noise_words(noises)
    return f"{rules_words(rules)}; {clues}; seed {', '.join(dict.fromkeys(seeds))}"


class KeptGame(NamedTuple):
    """A stored game that lacks a score or a measure, and whose turns were kept."""

    fixture: Fixture
    row: tuple[Any, ...]
    """The columns of its result."""
    moves: bytes
    """Its packed turns."""


class Plan(NamedTuple):
    """All games of a tournament, as values. It can be pickled."""

    config: Tournament
    entries: tuple[Entry, ...]
    conditions: tuple[Condition, ...]
    scores: tuple[str, ...]
    measures: tuple[str, ...]
    """The scores that are measured from the turns of a finished game."""
    plugins: tuple[PluginSource, ...] = ()
    """The third-party plugins that the process of the referee has to import."""

    def with_seed(self, seed: int, *, secret: bool) -> Plan:
        """Return the plan with this seed instead of the word `secret`. The config keeps the word while it is secret."""
        committed = commitment(seed) if secret else ""
        conditions = tuple(c._replace(seed=seed, commitment=committed) for c in self.conditions)
        config = self.config if secret else self.config.model_copy(update={"seed": seed})
        return self._replace(config=config, conditions=conditions)

    @property
    def games(self) -> int:
        """The number of games of the tournament."""
        return len(self.entries) * len(self.conditions) * self.config.games

    def setup(self, fixture: Fixture) -> GameSetup:
        """Return the setup of a game."""
        return self.conditions[fixture.condition].setup(fixture.number)

    def game(self, fixture: Fixture, offers: Offers) -> Game:
        """Return a game before its first turn. Its agent is not loaded: the agent's plugin may be missing."""
        return self.setup(fixture).game(offers, self.name(fixture))

    def name(self, fixture: Fixture) -> str:
        """Return the label of a game's agent."""
        return self.entries[fixture.agent].label

    def title(self, fixture: Fixture) -> str:
        """Return the name of a game: AGENT/CONDITION/NUMBER. Conditions count from 1, since their labels are long."""
        return f"{self.name(fixture)}/{fixture.condition + 1}/{clean(str(fixture.number), 20)}"


def _digest(*parts: Any) -> str:
    text = json.dumps(parts, sort_keys=True, default=str)
    return hashlib.sha256(text.encode()).hexdigest()[:16]
