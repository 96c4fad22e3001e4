"""The table for a grade book: a line for each submission, and for everybody without one."""

from __future__ import annotations

import csv
import io
from pathlib import Path
from typing import TYPE_CHECKING

from sweepstakes.leaderboards.classroom.handed_in import Absent, shown

if TYPE_CHECKING:
    from sweepstakes.leaderboards.classroom.classroom import Classroom, Student

GRADES = "grades.csv"


def grades(found: Classroom) -> str:
    """Return the table as CSV."""
    score = found.score
    lines = [_line(each, found) for each in found.students] + [_absent_line(each, found) for each in found.absent]
    columns = dict.fromkeys(key for line in lines for key in line)
    names = {"score": score, "low": f"{score} low", "high": f"{score} high", "public": f"{score} public"}
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([names.get(column, column) for column in columns])
    for line in lines:
        writer.writerow([_no_formula(line.get(column, "")) for column in columns])
    return text.getvalue()


def _line(each: Student, found: Classroom) -> dict[str, str]:
    line, checked, likeness = each.hidden, each.checked, each.reuse.likeness
    mean, low, high = map(_number, line.scores[0])
    return {
        "student": each.label,
        "status": each.status,
        "rank": str(line.rank or ""),
        **({"grade": f"{each.grade:.1f}"} if each.grade is not None else {}),
        "score": mean,
        "low": low,
        "high": high,
        "public": _number(each.public.scores[0].mean),
        "games": str(line.games),
        "won": str(each.won),
        "faults": str(line.faults),
        "submitted": shown(each.submitted),
        "late": _late(each.late, found),
        "check passed": str(checked.passed),
        "check tried": str(checked.tried),
        "check message": checked.message,
        "forfeits": each.forfeit,
        "not allowed": "; ".join(each.not_allowed),
        "plays as": "; ".join(each.identical),
        "plays as built-in": " or ".join(likeness.agents) if likeness.is_alike else "",
        "nearest built-in": " or ".join(likeness.agents) if likeness.share else "",
        "same decisions": f"{likeness.share:.3f}" if likeness.share else "",
        "imports": "; ".join(each.reuse.imports),
        "earlier versions": str(len(each.earlier)),
        "file": Path(each.file).name,
        "version": each.version,
    }


def _absent_line(each: Absent, found: Classroom) -> dict[str, str]:
    return {
        "student": each.label,
        "status": each.status,
        "submitted": shown(each.submitted),
        "late": _late(found.is_late(each.submitted), found) if each.status == "no agent" else "",
        "forfeits": each.reason,
    }


def _late(late: bool, found: Classroom) -> str:
    return "" if found.deadline is None else "yes" if late else "no"


def _no_formula(text: str) -> str:
    """Return the text so that a spreadsheet shows but never evaluates it: a file may be called `=HYPERLINK(...).py`."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _number(value: float) -> str:
    return f"{value:.6f}"
