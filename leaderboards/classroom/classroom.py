"""Plays the submissions of a class, and writes its leaderboard, the page of each agent and a table of grades.

Every submission plays two tournaments. One has a public seed, so that everybody can repeat its games: the pages show
them. The other has a hidden seed, so that nobody can know its boards: it ranks. What is stored stays: after
resubmissions only what changed is checked and played.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, NamedTuple

from sweepstakes.errors import ConfigError, RunError
from sweepstakes.leaderboards.classroom.checks import Checked, check_submission
from sweepstakes.leaderboards.classroom.identical_play import identical_agents
from sweepstakes.leaderboards.classroom.pages import write_pages
from sweepstakes.standings import Standing
from sweepstakes.testing.step_runner import warm_hosts
from sweepstakes.tournaments.config.loading import find, load, parse
from sweepstakes.tournaments.config.model import AgentItem, Tournament
from sweepstakes.tournaments.config.submissions import expand
from sweepstakes.tournaments.config.yaml_lines import YamlFile
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.planning import make_plan
from sweepstakes.tournaments.running.runner import play_plan
from sweepstakes.tournaments.statistics.standings import standings
from sweepstakes.tournaments.storage.atomic_file import write_text
from sweepstakes.tournaments.storage.database import run_errors
from sweepstakes.tournaments.storage.secret_seed import draw_seed
from sweepstakes.tournaments.storage.stored_run import StoredRun, open_run
from sweepstakes.untrusted.files import is_folder, make_folder

DEFAULT: Mapping[str, Any] = {
    "name": "class",
    "seed": 1,
    "games": 50,
    "boards": ["beginner", "intermediate"],
    "rules": {"on_mine": "end", "first_click": "safe"},
    "agents": ["random", "basic"],
    "scores": ["win", "safe-opened", "guesses", "turns"],
    "limits": {"turn_seconds": 5, "game_seconds": 30, "start_seconds": 10},
    "isolation": "sealed-if-possible",
}
"""The tournament of a class that has no file of its own."""
PUBLIC, HIDDEN = "public", "hidden"
"""The run directories: that of the games that everybody may see, and that of the games that rank."""
SEED = "hidden-seed"
CHECKS = "checks.json"
NOT_CHECKED = Checked(0, 0)


class Student(NamedTuple):
    """What came of one submission."""

    label: str
    file: str
    version: str
    forfeit: str
    """Why it cannot play; empty if it can."""
    public: Standing
    hidden: Standing
    checked: Checked
    identical: tuple[str, ...]
    """The others that play the same, turn by turn, on every public board."""
    earlier: tuple[str, ...]
    """Its earlier versions, as in `alice@1`, whose games are kept."""


class Classroom(NamedTuple):
    """A class and its results."""

    name: str
    score: str
    """The score that ranks."""
    students: tuple[Student, ...]
    """The submissions, the best first."""
    reference: tuple[Standing, ...]
    """The other agents of the tournament, in the hidden games."""
    order: tuple[str, ...]
    """The labels of all, in the order of the table."""
    boards: int
    isolation: str
    proportion: bool
    """Whether the score is a rate."""


def run_classroom(
    submissions: Path,
    out: Path,
    *,
    tournament: str | Path | None = None,
    games: int | None = None,
    workers: int | None = None,
    check: bool = True,
    quiet: bool = False,
    say: Callable[[str], None] = lambda line: None,
) -> Classroom:
    """Check and play the submissions in a folder, and write all pages; only what changed since is played.

    `tournament` is a file or a preset with boards, rules and reference agents; `say` is called with what happens.
    """
    if not is_folder(submissions):
        raise ConfigError(f"{submissions}: no such folder: expected one with the files of the submissions")
    with run_errors(out, "written"):
        make_folder(out)
    config, file = _config(tournament, games)
    items = _items(submissions, config)
    labels = {item.as_ or "": item.spec.file for item in items}
    if not isinstance(config.seed, int):
        raise ConfigError("seed: secret: a class has a hidden seed of its own: expected a whole number")
    agents = (*config.agents, *items)
    plan, registry = make_plan(config.model_copy(update={"name": PUBLIC, "agents": agents, "moves": "all"}), file)
    hidden_plan = plan.with_seed(_hidden_seed(out), secret=False)
    hidden_config = hidden_plan.config.model_copy(update={"name": HIDDEN, "moves": "none"})
    for which, each in ((PUBLIC, plan), (HIDDEN, hidden_plan._replace(config=hidden_config))):
        say(f"{which} boards: {len(labels)} submissions, {plan.games:,} games")
        play_plan(
            each, registry, out / which, workers=workers, quiet=quiet or which == HIDDEN
        )  # it would print the seed
    checks = _check_all(out, plan, labels, say, check=check)
    with open_run(out / PUBLIC) as public, open_run(out / HIDDEN) as hidden:
        found = _results(config, labels, plan, public, hidden, checks)
        write_pages(found, public, out)
    return found


def _config(tournament: str | Path | None, games: int | None) -> tuple[Tournament, YamlFile | None]:
    changes = {} if games is None else {"games": games}
    if tournament is None:
        return parse({**DEFAULT, **changes}), None
    find(tournament)
    return load(tournament, changes)


def _items(submissions: Path, config: Tournament) -> tuple[AgentItem, ...]:
    """The submissions as agents of the tournament, under the names of their files."""
    named = [*(item.model_dump(by_alias=True) for item in config.agents), f"{submissions.absolute()}/"]
    expanded = [item for place, item in expand(named, Path.cwd()) if place == len(named) - 1]
    return parse({"boards": "beginner", "agents": expanded}).agents


def _hidden_seed(out: Path) -> int:
    """The hidden seed of the class, drawn when it is first needed; only the owner of the file may read it."""
    file = out / SEED
    with run_errors(file):
        if file.exists():
            text = file.read_text(encoding="ascii", errors="replace").strip()
            if not text.isdecimal():
                raise RunError(f"{file}: damaged: expected a whole number; replace it by an intact copy")
            return int(text)
    with run_errors(file, "written"):
        seed = draw_seed()
        with os.fdopen(os.open(file, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as opened:
            opened.write(f"{seed}\n")
    return seed


def _check_all(
    out: Path, plan: Plan, labels: Mapping[str, str], say: Callable[[str], None], *, check: bool
) -> dict[str, Checked]:
    """The checks of all submissions; one that has the version of an earlier check is not checked again."""
    file = out / CHECKS
    known: dict[str, Any] = {}
    with suppress(OSError, ValueError):
        known = json.loads(file.read_text(encoding="utf-8"))
    checks: dict[str, Checked] = {}
    to_do = []
    for entry in plan.entries:
        stored = known.get(f"{entry.label} {entry.version}")
        if entry.forfeit:
            checks[entry.label] = Checked(0, 1, entry.forfeit)
        elif isinstance(stored, list) and len(stored) == 3:
            checks[entry.label] = Checked(*stored)
        else:
            checks[entry.label] = NOT_CHECKED
            to_do += [entry] if check and entry.label in labels else []
    if not to_do:
        return checks
    with warm_hosts() as hosts:
        for entry in to_do:
            say(f"check {entry.label}")
            (item,) = (item for item in plan.config.agents if item.submission and item.as_ == entry.label)
            alone = item.is_alone(plan.config.agents)
            checks[entry.label] = check_submission(item.spec.file, plan.config.isolation, hosts, alone=alone)
            if checks[entry.label].is_final:
                known[f"{entry.label} {entry.version}"] = list(checks[entry.label])
                write_text(file, json.dumps(known, indent=1) + "\n")
    return checks


def _results(
    config: Tournament,
    labels: Mapping[str, str],
    plan: Plan,
    public: StoredRun,
    hidden: StoredRun,
    checks: Mapping[str, Checked],
) -> Classroom:
    entries = {entry.label: entry for entry in plan.entries}
    both = [standings(run) for run in (public, hidden)]
    tables = [each.tables[0] for each in both]
    lines = [{line.agent: line for line in table.standings} for table in tables]
    same = identical_agents(public, [label for label in labels if not entries[label].forfeit])
    students = [
        Student(
            label,
            labels[label],
            entries[label].version,
            entries[label].forfeit,
            lines[0][label],
            lines[1][label],
            checks[label],
            same.get(label, ()),
            tuple(earlier for earlier in hidden.earlier if earlier.rpartition("@")[0] == label),
        )
        for label in (line.agent for line in tables[1].standings)
        if label in labels
    ]
    reference = tuple(line for line in tables[1].standings if line.agent not in labels)
    name = config.name if config.name != "tournament" else "class"
    score = both[1].scores[0]
    order = tuple(line.agent for line in tables[1].standings)
    return Classroom(
        name, score.name, tuple(students), reference, order, tables[1].boards, plan.config.isolation, score.proportion
    )
