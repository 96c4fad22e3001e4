"""The results of one submission as Gradescope reads them: `results.json` of an autograder.

Gradescope starts an autograder for one submission at a time, and shows students on its leaderboard by the pseudonyms
that they choose. So the file names neither the student nor the file.
"""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sweepstakes.errors import ConfigError
from sweepstakes.leaderboards.classroom.class_rules import ClassRules, lowest_grade
from sweepstakes.leaderboards.classroom.handed_in import without_agent
from sweepstakes.standings import Interval, Standing
from sweepstakes.tournaments.storage.atomic_file import write_text

if TYPE_CHECKING:
    from sweepstakes.leaderboards.classroom.classroom import Classroom, Student


def check_gradescope(submissions: Path, rules: ClassRules) -> None:
    """Raise `ConfigError` unless the class file has grades and the folder has one submission."""
    if not rules.grade:
        raise ConfigError("--gradescope: the class file has no grades: expected `grade: {random: 0, exact: 100}` in it")
    found = [path.name for path in submissions.iterdir() if not path.name.startswith(("_", "."))]
    if len(found) != 1:
        raise ConfigError(f"--gradescope: {submissions} has {len(found)} submissions: expected 1")


def no_agent_results(submissions: Path, rules: ClassRules) -> dict[str, Any] | None:
    """Return the results if the only submission has no agent, or None if it has one."""
    absent = without_agent(submissions)
    if not absent:
        return None
    return _results(lowest_grade(rules), f"no agent: {absent[0].reason}", [], [])


def gradescope_results(found: Classroom, rules: ClassRules) -> dict[str, Any]:
    """Return the results of the only submission of a class."""
    (student,) = found.students
    grade = student.grade if student.grade is not None else lowest_grade(rules)
    hidden = _boards("hidden boards", student.hidden, found) | {
        "score": round(grade, 1),
        "max_score": max(grade for _, grade in rules.grade),
    }
    tests = [_check(student), _boards("public boards", student.public, found), hidden]
    refused = student.forfeit or bool(student.not_allowed)
    return _results(grade, _summary(student), tests, [] if refused else _leaderboard(student, found))


def write_gradescope(results: dict[str, Any], file: Path) -> None:
    """Write the results to a file."""
    write_text(file, json.dumps(results, indent=2, allow_nan=False) + "\n")


def _results(
    grade: float, output: str, tests: list[dict[str, Any]], leaderboard: list[dict[str, Any]]
) -> dict[str, Any]:
    """Return the keys of Gradescope's file. The standard output of the autograder stays hidden from students."""
    return {
        "score": round(grade, 1),
        "output": output,
        "stdout_visibility": "hidden",
        "tests": tests,
        "leaderboard": leaderboard,
    }


def _summary(student: Student) -> str:
    if student.forfeit:
        return f"{student.status}: {student.forfeit}"
    return "; ".join([student.status, *student.not_allowed])


def _check(student: Student) -> dict[str, Any]:
    checked = student.checked
    output = checked.message or f"{checked.passed} of {checked.tried} steps passed"
    return {"name": "check", "status": _status(not checked.message), "output": output}


def _boards(name: str, line: Standing, found: Classroom) -> dict[str, Any]:
    lines = [
        f"{score.name}: {_interval(each)}"
        for score, each in zip(found.standings.scores, line.scores, strict=True)
        if math.isfinite(each.mean)
    ]
    lines.append(f"{line.games} games, {line.faults} lost by a fault")
    return {"name": name, "status": _status(not line.faults), "output": "\n".join(lines)}


def _leaderboard(student: Student, found: Classroom) -> list[dict[str, Any]]:
    """Return the mean scores on the hidden boards, the ranking one first, and the games lost by faults."""
    line = student.hidden
    entries = [
        {"name": score.name, "value": round(each.mean, 6), "order": "desc" if score.more_is_better else "asc"}
        for score, each in zip(found.standings.scores, line.scores, strict=True)
        if math.isfinite(each.mean)
    ]
    return [*entries, {"name": "faults", "value": line.faults, "order": "asc"}]


def _status(passed: bool) -> str:
    return "passed" if passed else "failed"


def _interval(value: Interval) -> str:
    return f"{value.mean:.3f} ({value.low:.3f} to {value.high:.3f})"
