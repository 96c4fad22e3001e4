"""The files of a class: the index with its leaderboard, the picture of the ranking, and a page for each agent."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from sweepstakes.html_page import html_page
from sweepstakes.leaderboards.classroom.grades import GRADES, grades
from sweepstakes.leaderboards.classroom.handed_in import shown
from sweepstakes.leaderboards.plots.pictures import ranking
from sweepstakes.leaderboards.plots.style import looks, save, style
from sweepstakes.markup import escape_html
from sweepstakes.standings import Interval, Standing
from sweepstakes.tables import rounded
from sweepstakes.tournaments.review.agent_page import (
    FOLDER,
    AgentPage,
    Code,
    Heading,
    Text,
    agent_pages,
    page_names,
)
from sweepstakes.tournaments.review.agent_review import AgentReview
from sweepstakes.tournaments.review.run_review import games_to_review, review_run
from sweepstakes.tournaments.running.executors import LOCAL, pick_executor
from sweepstakes.tournaments.running.progress import Progress
from sweepstakes.tournaments.storage.atomic_file import write_text
from sweepstakes.tournaments.storage.database import run_errors
from sweepstakes.tournaments.storage.run_reader import RunReader
from sweepstakes.untrusted.files import make_folder
from sweepstakes.untrusted.text import clean

if TYPE_CHECKING:
    from sweepstakes.leaderboards.classroom.classroom import Classroom, Student

INDEX, RANKING = "index.html", "ranking"
REVIEWED = 10
"""Public boards of each condition that the page of an agent judges."""


def write_pages(
    found: Classroom,
    public: RunReader,
    out: Path,
    say: Callable[[str], None] = lambda line: None,
    *,
    quiet: bool = True,
) -> None:
    """Write the index, the grades, and a page for each submission. `say` is called with the next step."""
    write_text(out / GRADES, grades(found))
    labels = [student.label for student in found.students]
    names = page_names(labels)
    with run_errors(out / FOLDER, "written"):
        make_folder(out / FOLDER)
    for page in _agent_pages(found, public, names, say, quiet=quiet):
        for name, text in page.files("html").items():
            write_text(out / FOLDER / name, text)
    write_ranking(found, out)
    write_text(out / INDEX, index(found, names))


def write_ranking(found: Classroom, out: Path) -> None:
    """Draw the ranking on the hidden boards, for light and dark pages, without unranked submissions."""
    left_out = {student.label for student in found.students if not student.hidden.rank}
    table = found.standings.tables[0]
    lines = {line.agent: line for line in (*(each.hidden for each in found.students), *found.reference)}
    kept = tuple(lines[label] for label in found.order if label not in left_out)
    pairs = tuple(pair for pair in table.pairs if not {pair.first, pair.second} & left_out)
    drawn = found.standings._replace(tables=(table._replace(standings=kept, pairs=pairs),))
    with style(), run_errors(out, "written"):
        save(ranking(drawn, looks([line.agent for line in kept])), out, RANKING)


def _agent_pages(
    found: Classroom, public: RunReader, names: dict[str, str], say: Callable[[str], None], *, quiet: bool
) -> Iterator[AgentPage]:
    """Yield the page of each submission: its reviewed public games, or why it has none."""
    playing = [student.label for student in found.students if not student.forfeit]
    executor = pick_executor(public.registry, LOCAL, None)
    reviews: list[AgentReview] = []
    if playing:
        total = games_to_review(public, len(playing), REVIEWED)
        say(f"review {total:,} games for the pages of {len(playing)} submissions")
        bar = Progress(total, 0, quiet=quiet)
        try:
            reviews = review_run(public, executor, playing, most=REVIEWED, progress=bar.advance)
        finally:
            bar.close()
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
    rank = f"Rank {line.rank} of {len(found.students)}" if line.rank else "Not ranked"
    yield Text(
        f"{rank}, {found.score} {hidden} on {found.boards:,} hidden boards and {public} on as many public ones. "
        f"It won {student.won} of {line.games} hidden games; {line.faults} ended by a fault."
    )
    if student.submitted is not None:
        yield Text(f"Handed in {shown(student.submitted)}{', late' if student.late else ''}.")
    if student.not_allowed:
        yield Text(f"Not allowed in this class: {'; '.join(student.not_allowed)}.")
    if checked.tried:
        failed = f"after {checked.passed} steps: {checked.message}"
        what = failed if checked.message else f"all {checked.passed} steps passed"
        yield Text((Code(f"sweepstakes check {Path(student.file).name}"), f": {what}."))
    if student.earlier:
        yield Text(f"Earlier versions, whose games are kept: {', '.join(student.earlier)}.")


def _estimate(interval: Interval, found: Classroom) -> str:
    """Format a mean with its interval, in percent for a rate or a share."""
    column = found.standings.scores[0]
    digits, unit = (1, " %") if column.percent else (3, "")
    mean, low, high = (rounded(column.scale * each, digits) for each in interval)
    return f"{mean}{unit} ({low} to {high})"


def index(found: Classroom, names: dict[str, str]) -> str:
    """Return the first page of the class: its leaderboard with a link to the page of each agent."""
    score = found.standings.scores[0]
    what = score.title or score.name
    heads = ["rank", "agent", "hidden boards", "public boards", "won", "faults", "check", "handed in", "note"]
    rows = {student.label: _row(student, names[student.label], found) for student in found.students}
    rows |= {line.agent: _reference_row(line, found) for line in found.reference}
    alt = escape_html(f"{what} on hidden boards, with intervals, by agent")
    note = (
        f"{found.boards:,} hidden boards and as many public ones, the same for every agent. {escape_html(what)} on the "
        "hidden boards decides the rank. Intervals are 95 %; agents share a rank unless one is significantly better. "
        f"Games on the public boards can be repeated: <code>sweepstakes replay {PUBLIC_DIRECTORY}</code>. Agents were "
        f"played under isolation {escape_html(found.isolation)}."
    )
    body = [
        f"<h1>{escape_html(found.name)}</h1>",
        f"<p>{len(found.students)} submission{'s' * (len(found.students) != 1)}{_due(found)}.</p>",
        f'<div class="wide"><table class="lines"><caption>{escape_html(what)}, with 95 % intervals</caption>',
        f"<thead><tr>{''.join(map(_head, heads))}</tr></thead><tbody>",
        *(f"<tr>{''.join(map(_cell, heads, rows[label]))}</tr>" for label in found.order),
        "</tbody></table></div>",
        f'<picture><source srcset="{RANKING}-dark.svg" media="(prefers-color-scheme: dark)">'
        f'<img class="picture" src="{RANKING}.svg" alt="{alt}"></picture>',
        *_absent(found),
        f"<footer><p>{note}</p></footer>",
    ]
    return html_page(found.name, body)


PUBLIC_DIRECTORY = "public"
TEXTS = ("agent", "handed in", "note")
"""The columns that contain text."""


def _head(head: str) -> str:
    kind = ' class="name"' if head in TEXTS else ""
    return f'<th scope="col"{kind}>{escape_html(head)}</th>'


def _cell(head: str, text: str) -> str:
    kind = ' class="text"' if head in TEXTS else ""
    return f'<td{kind} data-head="{escape_html(head)}">{text}</td>'


def _row(student: Student, name: str, found: Classroom) -> list[str]:
    line, checked = student.hidden, student.checked
    notes = [f"forfeits: {student.forfeit}"] if student.forfeit else []
    notes += [f"not allowed: {each}" for each in student.not_allowed]
    notes += [each for each in student.reuse.sentences() if each not in student.not_allowed]
    if student.identical:
        notes.append(f"plays exactly as {', '.join(student.identical)}")
    if student.status == "only faults":
        notes.append("every game ended by a fault")
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
    date = f"{shown(student.submitted)}{', late' if student.late else ''}"
    counts = [str(student.won), str(line.faults), check]
    return [str(line.rank or ""), link, *scores, *counts, date, escape_html("; ".join(notes))]


def _reference_row(line: Standing, found: Classroom) -> list[str]:
    mean = _estimate(line.scores[0], found)
    return [
        str(line.rank),
        f"<i>{escape_html(line.agent)}</i>",
        mean,
        "",
        "",
        str(line.faults),
        "",
        "",
        "for comparison",
    ]


def _due(found: Classroom) -> str:
    return f", due {shown(found.deadline)}" if found.deadline is not None else ""


def _absent(found: Classroom) -> list[str]:
    """Return the section on students without a submission that can be entered."""
    if not found.absent:
        return []
    items = [f"<li>{escape_html(f'{each.label}: {each.status}: {each.reason}')}</li>" for each in found.absent]
    return ["<h2>Not entered</h2><ul>", *items, "</ul>"]
