"""The stored games of an earlier version of an agent, as in `mine@2`, for a match against the current agent.

A run keeps the games of earlier versions, not their files, so a match takes the games as they are: the other agent
plays the same boards.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from sweepstakes.errors import ConfigError, SweepstakesError, did_you_mean
from sweepstakes.game.result import GameResult
from sweepstakes.game.size import Size
from sweepstakes.spec import Spec
from sweepstakes.tournaments.plan import Condition, Entry
from sweepstakes.tournaments.storage.database import FILE
from sweepstakes.tournaments.storage.opening import open_reader
from sweepstakes.tournaments.storage.run_reader import RunReader

RUNS = Path("runs")
"""The folder in which runs are searched for, where `sweepstakes run` writes them."""


class EarlierGames(NamedTuple):
    """The games of an earlier version on the boards 0, 1, 2, ... of one condition."""

    directory: Path
    entry: Entry
    condition: Condition
    name: str
    """The name of the games for `replay`: AGENT/CONDITION, without the number."""
    results: list[GameResult]
    plugins: tuple[str, ...]
    """The plugin files of the run."""
    others: int
    """Number of further conditions that would also match."""


def find_earlier_games(
    label: str, directory: Path | None, asked: Mapping[str, Any], plugins: tuple[str, ...] = ()
) -> EarlierGames:
    """Find the games of an earlier version, in a run or in the only run of `RUNS` that has them.

    The games are those of the first condition that matches `asked`: any of `boards`, `noise`, `seed` and
    the names of rules, as in the options of `match`. Raises `ConfigError` if no run has such games, or if several have.
    """
    if directory is None:
        directory = _run_with(label, plugins)
    with open_reader(directory, plugins) as run:
        stored = _versions(run).get(label)
        if stored is None:
            raise ConfigError(f"{directory}: no earlier version '{label}'{did_you_mean(label, _versions(run))}")
        run = run.including(stored)
        agent = run.agent_place(stored)
        entry = run.agents[agent]._replace(label=label)
        found = [games for place in range(len(run.conditions)) if (games := _games(run, agent, entry, place, asked))]
    if not found:
        raise ConfigError(f"{directory}: {label} has no usable games from board 0 on under such a condition")
    return found[0]._replace(others=len(found) - 1)


def _run_with(label: str, plugins: tuple[str, ...]) -> Path:
    """Return the only run in `RUNS` that has the games of this version."""
    found: list[Path] = []
    known: set[str] = set()
    for file in sorted(RUNS.glob(f"*/{FILE}")):
        try:
            with open_reader(file.parent, plugins) as run:
                versions = _versions(run)
                known.update(versions)
                if label in versions:
                    found.append(file.parent)
        except SweepstakesError:  # damaged runs are not relevant to this match
            continue
    if len(found) == 1:
        return found[0]
    if found:
        raise ConfigError(f"'{label}' is in {' and '.join(map(str, found))}: choose one with --run DIR")
    near = did_you_mean(label, known)
    raise ConfigError(f"no run in {RUNS}/ has an earlier version '{label}'{near}: name the run with --run DIR")


def _versions(run: RunReader) -> dict[str, str]:
    """Return the labels of versions that a match can be played against, mapped to the labels of their games in the run.

    The version that the run played last is among them, under the label that it will get when the agent is played again
    after a change: an author who has just edited `mine` calls the last version `mine@2` if there is a `mine@1`.
    """
    versions = {label: label for label in run.earlier}
    for entry in run.agents:
        number = 1 + sum(label.rpartition("@")[0] == entry.label for label in run.earlier)
        while f"{entry.label}@{number}" in versions:
            number += 1
        versions[f"{entry.label}@{number}"] = entry.label
    return versions


def _games(run: RunReader, agent: int, entry: Entry, place: int, asked: Mapping[str, Any]) -> EarlierGames | None:
    """Return the games under a condition, or None if there are no games or if its boards would be different today."""
    condition = run.conditions[place]
    if not _fits(condition, asked) or place in run.changed:
        return None
    if condition.commitment:
        raise ConfigError(f"{run.directory}: its seed is secret until the run is finished")
    numbers, _, results = run.results(place, agent)
    first = [result for i, (number, result) in enumerate(zip(numbers, results, strict=True)) if number == i]
    if not first:
        return None
    game = f"{run.agents[agent].label}/{place + 1}"
    return EarlierGames(run.directory, entry, condition, game, first, tuple(run.config.plugins), 0)


def _fits(condition: Condition, asked: Mapping[str, Any]) -> bool:
    """Return whether the condition has the requested properties."""
    has: dict[str, Any] = {
        "boards": condition.size,
        **condition.rules._asdict(),
        "noise": condition.noise.portable,
        "seed": condition.seed,
    }
    read = {"boards": Size.parse, "noise": Spec.parse}
    return all(has[name] == (read[name](value) if name in read else value) for name, value in asked.items())
