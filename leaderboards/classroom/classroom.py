"""Plays the submissions of a class, and writes its leaderboard, the page of each agent and a table of grades.

Every submission plays two tournaments. One has a public seed, so that everybody can repeat its games: the pages show
them. The other has a hidden seed, so that nobody can know its boards: it ranks. Results are stored, so after
resubmissions only what has changed is checked and played.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from pathlib import Path
from typing import Any, NamedTuple

from sweepstakes.errors import ConfigError
from sweepstakes.game.result import Ending
from sweepstakes.leaderboards.classroom.built_in_play import Likeness, nearest_built_in
from sweepstakes.leaderboards.classroom.checks import Checked, check_submission
from sweepstakes.leaderboards.classroom.class_rules import ClassRules, grade_of, lowest_grade, read_class_rules
from sweepstakes.leaderboards.classroom.handed_in import Absent, submitted_at, withdrawn, without_agent
from sweepstakes.leaderboards.classroom.identical_play import identical_agents
from sweepstakes.leaderboards.classroom.pages import write_pages
from sweepstakes.leaderboards.classroom.reuse import Reuse, reused_imports
from sweepstakes.standings import Standing, Standings, Table
from sweepstakes.testing.scenarios import Games
from sweepstakes.testing.step_runner import warm_hosts
from sweepstakes.tournaments.checked_games import games_of
from sweepstakes.tournaments.config.loading import find, load, parse
from sweepstakes.tournaments.config.model import AgentItem, Tournament
from sweepstakes.tournaments.config.submissions import expand
from sweepstakes.tournaments.config.yaml_lines import YamlFile
from sweepstakes.tournaments.plan import Entry, Plan
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.running.runner import play_plan
from sweepstakes.tournaments.statistics.paired_tests import SIGNIFICANT
from sweepstakes.tournaments.statistics.standings import standings
from sweepstakes.tournaments.storage.atomic_file import write_text
from sweepstakes.tournaments.storage.database import run_errors
from sweepstakes.tournaments.storage.opening import open_reader
from sweepstakes.tournaments.storage.run_reader import RunReader
from sweepstakes.tournaments.storage.secret_seed import read_seed_file
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
"""The tournament of a class without a class file."""
PUBLIC, HIDDEN = "public", "hidden"
"""The run directories: one for the games that everybody may see, one for the games that rank."""
SEED = "hidden-seed"
CHECKS, COMPARISONS = "checks.json", "comparisons.json"
NOT_CHECKED = Checked(0, 0)


class Student(NamedTuple):
    """The result of one submission."""

    label: str
    file: str
    version: str
    forfeit: str
    """The reason why it cannot play; "" if it can."""
    public: Standing
    hidden: Standing
    checked: Checked
    identical: tuple[str, ...]
    """Other submissions that play the same, turn by turn, on every public board."""
    earlier: tuple[str, ...]
    """Its earlier versions, as in `alice@1`, whose games are kept."""
    won: int
    """Hidden games that it won."""
    submitted: datetime | None
    late: bool
    reuse: Reuse
    not_allowed: tuple[str, ...]
    """What it reuses although the class file does not allow it. If not empty, it has no rank."""
    grade: float | None
    """The grade by the rule of the class file; None if there is no such rule."""

    @property
    def status(self) -> str:
        """Its status in one or two words."""
        if self.forfeit:
            return "did not load"
        if self.not_allowed:
            return "not allowed"
        if self.hidden.faults == self.hidden.games:
            return "only faults"
        return "faults" if self.hidden.faults else "played"


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
    """The labels of all agents, in the order of the table."""
    boards: int
    isolation: str
    absent: tuple[Absent, ...]
    """Students without a submission that can be entered."""
    deadline: datetime | None
    standings: Standings
    """The hidden games, for the picture of the ranking."""

    def is_late(self, submitted: datetime | None) -> bool:
        """Return whether a date is after the deadline."""
        return self.deadline is not None and submitted is not None and submitted > self.deadline


def run_classroom(
    submissions: Path,
    out: Path,
    *,
    tournament: str | Path | None = None,
    games: int | None = None,
    workers: int | None = None,
    check: bool = True,
    quiet: bool = False,
    deadline: str | None = None,
    say: Callable[[str], None] = lambda line: None,
) -> Classroom:
    """Check and play the submissions in a folder, and write all pages; only what changed since is played.

    `tournament` is a file or a preset with boards, rules and reference agents; `say` is called with what happens.
    `deadline`, as in 2026-11-20 18:00, replaces that of the file.
    """
    if not is_folder(submissions):
        raise ConfigError(f"{submissions}: no such folder: expected the folder of the submissions")
    with run_errors(out, "written"):
        make_folder(out)
    config, file, rules = read_class(tournament, games, deadline)
    absent = without_agent(submissions)
    for missing in absent:
        say(f"skipped: {missing.reason}")
    items = _items(submissions, config)
    labels = {item.as_ or "": item.spec.file for item in items}
    if not isinstance(config.seed, int):
        raise ConfigError("seed: expected a whole number, not secret: a class has a hidden seed of its own")
    agents = (*config.agents, *items)
    plan, registry = make_plan(config.model_copy(update={"name": PUBLIC, "agents": agents, "moves": "all"}), file)
    hidden_plan = plan.with_seed(read_seed_file(out / SEED, private=False), secret=False)
    hidden_config = hidden_plan.config.model_copy(update={"name": HIDDEN, "moves": "none"})
    for which, each in ((PUBLIC, plan), (HIDDEN, hidden_plan._replace(config=hidden_config))):
        say(f"{which} boards: {len(labels)} submissions, {plan.games:,} games")
        play_plan(each, registry, out / which, workers=workers, quiet=quiet, show_rules=which == PUBLIC)  # not the seed
    checks = _check_all(out, plan, labels, games_of(plan.conditions, registry), say, check=check)
    dates = {label: submitted_at(Path(file), submissions) for label, file in labels.items()}
    absent += [each for each in withdrawn(out, dates) if each.label not in {other.label for other in absent}]
    with open_reader(out / PUBLIC) as public, open_reader(out / HIDDEN) as hidden:
        reuse = _reuse_of_all(out, plan, labels, public, say)
        found = _results(config, rules, labels, plan, public, hidden, checks, reuse, dates, absent)
        write_pages(found, public, out, say, quiet=quiet)
    return found


def read_class(
    tournament: str | Path | None, games: int | None = None, deadline: str | None = None
) -> tuple[Tournament, YamlFile | None, ClassRules]:
    """Return the tournament of a class, its file if it has one, and the other keys of the file."""
    changes = {} if games is None else {"games": games}
    if tournament is None:
        config, file = parse({**DEFAULT, **changes}), None
    else:
        find(tournament)
        config, file = load(tournament, changes)
    return config, file, read_class_rules(file, deadline, [item.as_ or item.agent for item in config.agents])


def _items(submissions: Path, config: Tournament) -> tuple[AgentItem, ...]:
    """Return the submissions as agents of the tournament, under the names of their files."""
    named = [*(item.model_dump(by_alias=True) for item in config.agents), f"{submissions.absolute()}/"]
    items = [item for place, item in expand(named, Path.cwd()) if place == len(named) - 1]
    expanded = [item for item in items if Path(item["agent"]).parent == submissions or _exists(Path(item["agent"]))]
    if not expanded:
        raise ConfigError(f"{submissions}: it contains no agent: expected Python files, or folders with agent.py")
    return parse({"boards": "beginner", "agents": expanded}).agents


def _exists(file: Path) -> bool:
    return file.is_symlink() or file.exists()


class _Findings:
    """Stored findings about the versions of submissions. They apply only to the same version and the same games."""

    def __init__(self, file: Path, plan: Plan) -> None:
        self._file = file
        games = json.dumps([plan.config.games, *(f"{c.size} {c.rules} {c.noise} {c.seed}" for c in plan.conditions)])
        self._games = hashlib.sha256(games.encode()).hexdigest()[:12]
        self._known: dict[str, Any] = {}
        with suppress(OSError, ValueError):
            read = json.loads(file.read_text(encoding="utf-8"))
            self._known = read if isinstance(read, dict) else {}

    def get(self, entry: Entry, length: int) -> list[Any] | None:
        """Return the stored findings about an agent, a list of this length, or None."""
        found = self._known.get(f"{entry.label} {entry.version} {self._games}")
        return found if isinstance(found, list) and len(found) == length else None

    def keep(self, entry: Entry, found: Sequence[Any]) -> None:
        """Store findings."""
        self._known[f"{entry.label} {entry.version} {self._games}"] = list(found)
        write_text(self._file, json.dumps(self._known, indent=1) + "\n")


def _check_all(
    out: Path, plan: Plan, labels: Mapping[str, str], games: Games, say: Callable[[str], None], *, check: bool
) -> dict[str, Checked]:
    """Check all submissions, except those that were checked before in the same version."""
    known = _Findings(out / CHECKS, plan)
    checks: dict[str, Checked] = {}
    to_do = []
    for entry in plan.entries:
        if entry.forfeit:
            checks[entry.label] = Checked(0, 1, entry.forfeit)
        elif (stored := known.get(entry, 3)) is not None:
            checks[entry.label] = Checked(*stored)
        else:
            checks[entry.label] = NOT_CHECKED
            to_do += [entry] if check and entry.label in labels else []
    if not to_do:
        return checks
    with warm_hosts() as hosts:
        for number, entry in enumerate(to_do, 1):
            say(f"check {number} of {len(to_do)}: {entry.label}")
            (item,) = (item for item in plan.config.agents if item.submission and item.as_ == entry.label)
            alone = item.is_alone(plan.config.agents)
            isolation, limits = plan.config.isolation, plan.config.limits
            checks[entry.label] = check_submission(item.spec.file, isolation, limits, hosts, games, alone=alone)
            if checks[entry.label].is_final:
                known.keep(entry, checks[entry.label])
    return checks


def _reuse_of_all(
    out: Path, plan: Plan, labels: Mapping[str, str], public: RunReader, say: Callable[[str], None]
) -> dict[str, Reuse]:
    """Find what every submission reuses, except those that were compared before in the same version."""
    known = _Findings(out / COMPARISONS, plan)
    found: dict[str, Reuse] = {}
    for entry in plan.entries:
        if entry.forfeit or entry.label not in labels:
            continue
        if (stored := known.get(entry, 4)) is not None:
            imports, agents, same, decisions = stored
            found[entry.label] = Reuse(tuple(imports), Likeness(tuple(agents), same, decisions))
            continue
        say(f"compare {entry.label} with the built-in agents")
        imports = reused_imports(entry.source.plugin if entry.source is not None else None)
        likeness = nearest_built_in(public, entry.label)
        found[entry.label] = Reuse(imports, likeness)
        known.keep(entry, [imports, *likeness])
    return found


def _results(
    config: Tournament,
    rules: ClassRules,
    labels: Mapping[str, str],
    plan: Plan,
    public: RunReader,
    hidden: RunReader,
    checks: Mapping[str, Checked],
    reuse: Mapping[str, Reuse],
    dates: Mapping[str, datetime | None],
    absent: Sequence[Absent],
) -> Classroom:
    entries = {entry.label: entry for entry in plan.entries}
    both = [standings(run) for run in (public, hidden)]
    tables = [each.tables[0] for each in both]
    refused = {label: tuple(each.not_allowed(rules)) for label, each in reuse.items() if each.not_allowed(rules)}
    unranked = {*refused, *(label for label in labels if entries[label].forfeit)}
    ranked = {line.agent: line for line in _ranked_without(tables[1], unranked)}
    shown = {line.agent: line for line in tables[0].standings}
    same = identical_agents(public, [label for label in labels if not entries[label].forfeit])
    score = both[1].scores[0]
    name = config.name if config.name != "tournament" else "class"
    means = {label: ranked[label].scores[0].mean for label, _ in rules.grade}
    found = Classroom(
        name,
        score.name,
        (),
        tuple(line for line in ranked.values() if line.agent not in labels),
        tuple(ranked),
        tables[1].boards,
        plan.config.isolation,
        tuple(absent),
        rules.deadline,
        both[1],
    )

    def grade(label: str) -> float | None:
        if not rules.grade:
            return None
        if label in unranked:
            return lowest_grade(rules)
        return grade_of(ranked[label].scores[0].mean, means, rules, more_is_better=score.more_is_better)

    students = [
        Student(
            label,
            labels[label],
            entries[label].version,
            entries[label].forfeit,
            shown[label],
            ranked[label],
            checks[label],
            same.get(label, ()),
            tuple(earlier for earlier in hidden.earlier if earlier.rpartition("@")[0] == label),
            _won(hidden, label),
            dates[label],
            found.is_late(dates[label]),
            reuse.get(label, Reuse()),
            refused.get(label, ()),
            grade(label),
        )
        for label in ranked
        if label in labels
    ]
    return found._replace(students=tuple(students))


def _won(run: RunReader, label: str) -> int:
    agent = run.agent_place(label)
    results = (run.results(condition, agent)[2] for condition in range(len(run.conditions)))
    return sum(result.ending is Ending.WON for block in results for result in block)


def _ranked_without(table: Table, unranked: Collection[str]) -> list[Standing]:
    """Return the lines of a table, best first. Unranked lines come last, have rank 0, and affect nobody's rank."""
    if not unranked:
        return list(table.standings)
    lines = [line for line in table.standings if line.agent not in unranked]
    place = {line.agent: i for i, line in enumerate(lines)}
    better: dict[str, set[str]] = {line.agent: set() for line in lines}
    for pair in table.pairs:
        if pair.first in place and pair.second in place and pair.p_mean < SIGNIFICANT:
            worse, best = sorted((pair.first, pair.second), key=place.__getitem__, reverse=True)
            better[worse].add(best)
    rank = 0
    ranked = []
    for line in lines:  # sorted by mean: nobody ranks above one with a higher mean
        rank = max(rank, 1 + len(better[line.agent]))
        ranked.append(line._replace(rank=rank))
    return ranked + [line._replace(rank=0) for line in table.standings if line.agent in unranked]
