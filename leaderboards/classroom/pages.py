"""The files of a class: the index, the leaderboard, a page for each agent, and the table of grades."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from sweepstakes.markup import content_policy, escape_html
from sweepstakes.standings import Interval, Standing
from sweepstakes.tournaments.review.agent_page import (
    FOLDER,
    STYLE,
    AgentPage,
    Code,
    Heading,
    Text,
    agent_pages,
    page_names,
)
from sweepstakes.tournaments.review.run_review import review_run
from sweepstakes.tournaments.running.runner import LOCAL, pick_executor
from sweepstakes.tournaments.storage.atomic_file import write_text
from sweepstakes.tournaments.storage.database import run_errors
from sweepstakes.tournaments.storage.stored_run import StoredRun
from sweepstakes.untrusted.files import make_folder
from sweepstakes.untrusted.text import clean

if TYPE_CHECKING:
    from sweepstakes.leaderboards.classroom.classroom import Classroom, Student

GRADES, INDEX = "grades.csv", "index.html"
REVIEWED = 10
"""Public boards of each condition that the page of an agent judges."""


def write_pages(found: Classroom, public: StoredRun, out: Path) -> None:
    """Write the index, the grades, and a page for each submission."""
    write_text(out / GRADES, grades(found))
    labels = [student.label for student in found.students]
    names = page_names(labels)
    with run_errors(out / FOLDER, "written"):
        make_folder(out / FOLDER)
    for page in _agent_pages(found, public, names):
        for name, text in page.files("html").items():
            write_text(out / FOLDER / name, text)
    write_text(out / INDEX, index(found, names))


def grades(found: Classroom) -> str:
    """The table for a grade book: a line for each submission."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    score = found.score
    writer.writerow(
        [
            "student",
            "rank",
            score,
            f"{score} low",
            f"{score} high",
            f"{score} public",
            "faults",
            "games",
            "check passed",
        ]
        + ["check tried", "check message", "forfeits", "plays as", "earlier versions", "file", "version"]
    )
    for each in found.students:
        line, checked = each.hidden, each.checked
        said = map(_no_formula, [checked.message, each.forfeit, "; ".join(each.identical)])
        scores = [*map(_number, line.scores[0]), _number(each.public.scores[0].mean)]
        writer.writerow(
            [_no_formula(each.label), line.rank, *scores, line.faults, line.games, checked.passed, checked.tried]
            + [*said, len(each.earlier), _no_formula(Path(each.file).name), each.version]
        )
    return text.getvalue()


def _no_formula(text: str) -> str:
    """The text so that a spreadsheet shows it and computes nothing: a student may hand in `=HYPERLINK(...).py`."""
    return f"'{text}" if text.startswith(("=", "+", "-", "@", "\t", "\r")) else text


def _number(value: float) -> str:
    return f"{value:.6f}"


def _agent_pages(found: Classroom, public: StoredRun, names: dict[str, str]) -> Iterator[AgentPage]:
    """The page of each submission: its reviewed public games, or why it has none."""
    playing = [student.label for student in found.students if not student.forfeit]
    executor = pick_executor(public.registry, LOCAL, None)
    reviews = review_run(public, executor, playing, most=REVIEWED) if playing else []
    pages = {
        page.label: page for page in agent_pages(reviews, public.registry, f"sweepstakes review {PUBLIC_DIRECTORY}")
    }
    for student in found.students:
        heading, about = Heading(1, f"{found.name}: {student.label}"), tuple(_about(student, found))
        if student.label in pages:
            page = pages[student.label]
            yield page._replace(name=names[student.label], blocks=(heading, *about, *page.blocks[1:]))
        else:
            yield AgentPage(student.label, names[student.label], (heading, *about))


def _about(student: Student, found: Classroom) -> Iterator[Text]:
    line, checked = student.hidden, student.checked
    if student.forfeit:
        yield Text(f"It forfeits its games: {student.forfeit}")
        return
    hidden, public = (_estimate(each.scores[0], found) for each in (line, student.public))
    yield Text(
        f"Rank {line.rank} of {len(found.students)}, {found.score} {hidden} on {found.boards:,} hidden boards and "
        f"{public} on as many public ones; {line.faults} of {line.games} hidden games ended by a fault."
    )
    if checked.tried:
        failed = f"after {checked.passed} steps: {checked.message}"
        what = failed if checked.message else f"all {checked.passed} steps passed"
        yield Text((Code(f"sweepstakes check {Path(student.file).name}"), f": {what}."))
    if student.earlier:
        yield Text(f"Earlier versions, whose games are kept: {', '.join(student.earlier)}.")


def _estimate(interval: Interval, found: Classroom) -> str:
    """A mean with its interval; of a rate in per cent."""
    factor, digits, unit = (100, 1, " %") if found.proportion else (1, 3, "")
    mean, low, high = (f"{factor * each + 0.0:.{digits}f}" for each in interval)
    return f"{mean}{unit} ({low}–{high})"


def index(found: Classroom, names: dict[str, str]) -> str:
    """The first page of the class: its leaderboard with a link to the page of each agent."""
    score = escape_html(found.score)
    heads = ["rank", "agent", f"{score}, hidden boards", f"{score}, public boards", "faults", "check", "note"]
    rows = {student.label: _row(student, names[student.label], found) for student in found.students}
    rows |= {line.agent: _reference_row(line, found) for line in found.reference}
    lines = [f"<tr>{''.join(f'<td>{cell}</td>' for cell in rows[label])}</tr>" for label in found.order]
    note = (
        f"{found.boards:,} boards in all, the same for every agent, from a hidden seed; {score} ranks. Intervals are "
        "95 %; agents share a rank unless one is significantly better. The games on the public boards can be repeated: "
        f"<code>sweepstakes replay {PUBLIC_DIRECTORY}</code>. Agents were played under isolation "
        f"{escape_html(found.isolation)}."
    )
    return (
        "\n".join(
            [
                "<!doctype html>",
                f'<html lang="en"><head><meta charset="utf-8"><title>{escape_html(found.name)}</title>',
                '<meta name="viewport" content="width=device-width">',
                content_policy(INDEX_STYLE),
                f"<style>{INDEX_STYLE}</style>",
                f"</head><body><h1>{escape_html(found.name)}</h1>",
                f"<p>{len(found.students)} submissions.</p>",
                f"<table><thead><tr>{''.join(f'<th>{head}</th>' for head in heads)}</tr></thead><tbody>",
                *lines,
                f"</tbody></table><p>{note}</p></body></html>",
            ]
        )
        + "\n"
    )


PUBLIC_DIRECTORY = "public"
INDEX_STYLE = (
    f"{STYLE}td:nth-child(2),th:nth-child(2),td:last-child,th:last-child{{text-align:left}}"
    "td{white-space:nowrap}td:last-child{white-space:normal}"
)


def _row(student: Student, name: str, found: Classroom) -> list[str]:
    line, checked = student.hidden, student.checked
    notes = [f"forfeits: {student.forfeit}"] if student.forfeit else []
    if student.identical:
        notes.append(f"plays exactly as {', '.join(student.identical)}")
    if checked.message and not student.forfeit:
        notes.append(f"check: {clean(checked.message, 160)}")
    if student.earlier:
        notes.append(f"version {len(student.earlier) + 1}")
    passed = (
        f"{checked.passed} of {checked.tried}" if checked.message else f"all {checked.passed}" * bool(checked.tried)
    )
    check = "" if student.forfeit else passed
    link = f'<a href="{FOLDER}/{escape_html(name)}.html">{escape_html(student.label)}</a>'
    scores = [_estimate(each.scores[0], found) for each in (line, student.public)]
    return [str(line.rank), link, *scores, str(line.faults), check, escape_html("; ".join(notes))]


def _reference_row(line: Standing, found: Classroom) -> list[str]:
    mean = _estimate(line.scores[0], found)
    return [str(line.rank), f"<i>{escape_html(line.agent)}</i>", mean, "", str(line.faults), "", "for comparison"]
