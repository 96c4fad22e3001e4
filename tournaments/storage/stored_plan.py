"""The agents and conditions of a run or a publication, read from its database."""

from __future__ import annotations

import json
import re
from typing import Any

from sweepstakes.errors import PositionError, RunError, SweepstakesError
from sweepstakes.game.size import Size
from sweepstakes.game.view import read_options
from sweepstakes.spec import Spec
from sweepstakes.tournaments.config.model import EARLIER
from sweepstakes.tournaments.plan import COMMITTED, UNDRAWN, Condition, Entry
from sweepstakes.tournaments.storage.database import SOUND_COPY, Database
from sweepstakes.untrusted.text import clean

_LONGEST = 1_000
"""Maximum length of a stored label. Tournaments allow 60 characters; plots draw every character."""
_BUILT_IN = re.compile("v[0-9]+")
"""The version of a built-in agent. Other versions are hashes, so the version shows whether an agent is built in."""


def stored_agents(games: Database) -> tuple[Entry, ...]:
    """Return the agents of the tournament as it was last played, in the order of its file."""
    agents = _all_agents(games)
    for (text,) in games.query("select value from meta where key = 'agents'"):
        try:
            keys = json.loads(text)
            return tuple(agents[key] for key in keys)
        except (TypeError, ValueError, LookupError, RecursionError):
            what = "damaged: the list of agents names an agent that is not stored"
            raise RunError(f"{games.file}: {what}; {SOUND_COPY}") from None
    return tuple(agents.values())


def earlier_agents(games: Database) -> dict[str, Entry]:
    """Return the earlier versions of agents, by label, as in `mine@1`. They have games, but are no longer played."""
    return {entry.label: entry for entry in _all_agents(games).values() if EARLIER.fullmatch(entry.label)}


def _all_agents(games: Database) -> dict[Any, Entry]:
    """Return all agents that have or had games, by key."""
    agents: dict[Any, Entry] = {}
    for key, label, name, text, version in games.query(
        "select key, label, name, parameters, version from agents order by id"
    ):
        try:
            parameters = json.loads(text)
        except (TypeError, ValueError, RecursionError):
            parameters = None
        texts = all(type(part) is str for part in (label, name, version)) and label == clean(label, _LONGEST)
        if not texts or not isinstance(parameters, dict):
            what = "damaged: the name or the parameters of an agent are invalid"
            raise RunError(f"{games.file}: {what}; {SOUND_COPY}")
        agents[key] = Entry(label, Spec(name, parameters), version, built_in=_BUILT_IN.fullmatch(version) is not None)
    return agents


def _read_seed(stored: Any) -> tuple[int, str]:
    """Return the seed in a column and its commitment, one of which is unknown.

    Raise `PositionError` if it is neither.
    """
    if type(stored) is int and stored >= 0:
        return stored, ""
    if type(stored) is str and re.fullmatch("[0-9]{19,39}", stored):
        return int(stored), ""
    if type(stored) is str and re.fullmatch(f"{COMMITTED}[0-9a-f]{{64}}", stored):
        return UNDRAWN, stored.removeprefix(COMMITTED)
    raise PositionError("its seed is invalid")


def stored_conditions(games: Database) -> dict[str, Condition]:
    """Return the stored conditions, by label. For a secret seed they have its commitment; the seed is not stored."""
    columns = "label, seed, rows, cols, mines, rules, source, source_version, noise, noise_version"
    conditions = {}
    for label, seed, rows, cols, mines, rules, *texts in games.query(f"select {columns} from conditions order by id"):
        try:
            if not all(type(text) is str for text in (label, rules, *texts)) or label != clean(label, _LONGEST):
                raise PositionError("its texts are invalid")
            source, source_version, noise, noise_version = texts
            size = Size.of(rows, cols, mines=mines)
            conditions[label] = Condition(
                label, size, None, read_options(rules)[0], Spec.parse(source), source_version, Spec.parse(noise),
                noise_version, *_read_seed(seed),
            )  # fmt: skip
            conditions[label].rules.check(size)
        except SweepstakesError as error:
            what = f"damaged: condition '{clean(str(label), 60)}': {clean(str(error), 100)}"
            raise RunError(f"{games.file}: {what}; {SOUND_COPY}") from None
    return conditions
