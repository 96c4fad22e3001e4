"""The keys of a class file in addition to those of a tournament: permitted reuse, the deadline and the grading."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

from sweepstakes.errors import ConfigError, brief, did_you_mean
from sweepstakes.registry.registry import Registry
from sweepstakes.tournaments.config.yaml_lines import YamlFile

T = TypeVar("T")
ENGINE = "sweepstakes.inference"
"""The word in `allow` for the inference engine."""
REGISTRY = "sweepstakes.Registry"
"""The word in `allow` for the registry, which makes built-in agents by name."""


class ClassRules(NamedTuple):
    """The keys of a class file that a tournament does not have."""

    allow: tuple[str, ...] | None = None
    """What submissions may reuse: the inference engine, and built-in agents by name. None: reuse is only reported."""
    deadline: datetime | None = None
    """Submissions with a later date are late."""
    grade: tuple[tuple[str, float], ...] = ()
    """The grades of agents of the tournament: see `grade_of`."""


def read_class_rules(file: YamlFile | None, deadline: str | None, agents: Sequence[str]) -> ClassRules:
    """Read the keys of a class file. Raise `ConfigError` with the line of a mistake.

    `agents` are the agents for comparison. `deadline` replaces the deadline of the file.
    """
    data = file.data if file is not None else {}

    def read(key: str, reader: Callable[[Any], T]) -> T | None:
        if key not in data:
            return None
        try:
            return reader(data[key])
        except ConfigError as error:
            raise ConfigError(f"{file.where((key,)) if file is not None else ''}: {key}: {error}") from None

    allow, due = read("allow", _allow), read("deadline", _deadline)
    grade = read("grade", lambda value: _grade(value, agents)) or ()
    if deadline is not None:
        try:
            due = _deadline(deadline)
        except ConfigError as error:
            raise ConfigError(f"--deadline: {error}") from None
    return ClassRules(allow, due, grade)


def _allow(value: Any) -> tuple[str, ...]:
    words = [value] if isinstance(value, str) else value
    known = [ENGINE, REGISTRY, *Registry.built_in().offers("agent")]
    if not isinstance(words, list) or not all(isinstance(word, str) for word in words):
        raise ConfigError(f"{brief(value)}: expected a list of {ENGINE} and built-in agents")
    for word in words:
        if word not in known:
            hint = did_you_mean(word, known)
            raise ConfigError(f"unknown {brief(word)}{hint}: expected {ENGINE} or the name of a built-in agent")
    return tuple(words)


def _deadline(value: Any) -> datetime:
    try:
        found = datetime.fromisoformat(str(value))
    except ValueError:
        raise ConfigError(f"{brief(str(value))}: expected a date and a time, as in 2026-11-20 18:00") from None
    if len(str(value)) <= len("2026-11-20"):
        found = found.replace(hour=23, minute=59, second=59)
    return found.astimezone()


def _grade(value: Any, agents: Sequence[str]) -> tuple[tuple[str, float], ...]:
    expected = "expected the grades of two or more agents of this file, as in {random: 0, basic: 50, exact: 100}"
    if not isinstance(value, Mapping) or len(value) < 2:
        raise ConfigError(f"{brief(value)}: {expected}")
    for label, grade in value.items():
        if label not in agents:
            raise ConfigError(f"unknown {brief(label)}{did_you_mean(str(label), agents)}: {expected}")
        if isinstance(grade, bool) or not isinstance(grade, int | float):
            raise ConfigError(f"{label}: {brief(grade)}: expected a number")
    return tuple((label, float(grade)) for label, grade in value.items())


def grade_of(score: float, means: Mapping[str, float], rules: ClassRules, *, more_is_better: bool) -> float:
    """Return the grade for a mean score, interpolated linearly between the agents just below and above it.

    `means` are the mean scores of the agents that have a grade. Outside their range it is the grade of the nearest one.
    """
    sign = 1 if more_is_better else -1
    points = sorted((sign * means[label], grade) for label, grade in rules.grade)
    value = sign * score
    if value <= points[0][0]:
        return points[0][1]
    for (low, below), (high, above) in pairwise(points):
        if value < high:
            return below + (above - below) * (value - low) / (high - low)
    return points[-1][1]


def lowest_grade(rules: ClassRules) -> float:
    """Return the grade of a submission that does not count."""
    return min(grade for _, grade in rules.grade)
