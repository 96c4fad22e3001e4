"""Compares the tables of a publication, or of a finished run, with what its games give, value by value.

The values of `leaderboard.csv`, `leaderboard.json`, `head-to-head.csv` and of the tables on the page are computed again
from the rows. Prose, pictures and times are not compared.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from functools import partial
from itertools import zip_longest
from pathlib import Path
from typing import Any

from sweepstakes.errors import RunError
from sweepstakes.leaderboards.pages.citation import FILE as CITATION
from sweepstakes.leaderboards.pages.citation import RESULTS, citation_text
from sweepstakes.leaderboards.plugin_files import changed_files
from sweepstakes.leaderboards.publish import TABLES, agent_texts, has_agent_pages, texts
from sweepstakes.leaderboards.results import Results
from sweepstakes.tournaments.storage.database import run_errors
from sweepstakes.tournaments.storage.migrations import FORMAT
from sweepstakes.tournaments.storage.publication_keys import KEYS, read_keys
from sweepstakes.tournaments.storage.published_games import FILE as GAMES
from sweepstakes.tournaments.storage.run_reader import RunReader
from sweepstakes.untrusted.text import clean

_Compare = Callable[[str, str], Iterator[tuple[str, Any, Any]]]
PAGE = "README.md"
MAX_LINES = 20
"""Maximum number of differences of one file that are listed. Further ones are counted."""
_RULE = re.compile(r"\|[-:| ]+\|")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3})")
_NUMBER = re.compile(r"\d+(?:\.\d+)?")


def check_tables(run: RunReader, results: Results) -> Iterator[str]:
    """Yield a line for each value in a publication or a finished run that differs from what the games give, up to a
    limit."""
    if run.published:
        yield from changed_files(run.directory)
    form = read_keys(run.directory).format if run.published else FORMAT
    expected = texts(run, results, run.directory, form=form) if run.published else _report_texts(run, results)
    for name in (*TABLES, *([KEYS] if run.published else [])):
        yield from _first(_differences(run.directory / name, expected[name]))
    if run.published:
        found = list(_differences(run.directory / PAGE, expected[PAGE], form))
        if found:  # pages of earlier versions name conditions by their labels
            labelled = texts(run, results.labelled(), run.directory)[PAGE]
            found = min(found, list(_differences(run.directory / PAGE, labelled, form)), key=len)
        yield from _first(iter(found))
    if run.published and (run.directory / CITATION).exists():
        yield from _citation_differences(run, form)


def _citation_differences(run: RunReader, form: int) -> Iterator[str]:
    """Yield the words with digits of the citation that do not match the games: counts, versions, seed, hashes.

    Citations of formats before 5 may have only the hash of `games.csv.gz`.
    """
    path = run.directory / CITATION
    try:
        with run_errors(path):
            text = path.read_text(encoding="utf-8")
    except (RunError, UnicodeDecodeError) as error:
        yield f"{CITATION}: cannot be read: {clean(str(error), 100)}"
        return
    hashed = [name for name in RESULTS if name == GAMES or form >= 5 or name in text]
    expected = citation_text(run.plan, run.directory, hashed)
    there, computed = (re.findall(r"[\w.,]*\d[\w.,]*", each) for each in (text, expected))
    for one, value in zip_longest(there, computed):
        if one != value:
            yield f"{CITATION}: it says {_shown(one)}; the publication gives {_shown(value)}"


def check_agent_pages(run: RunReader, results: Results) -> Iterator[str]:
    """Yield a line for each value in the tables of the agents' pages that the review of all games does not give."""
    if run.published and has_agent_pages(run, results):
        form = read_keys(run.directory).format
        for name, text in agent_texts(run, run.directory).items():
            if name.endswith(".md"):
                yield from _first(_differences(run.directory / name, text, form))


def _report_texts(run: RunReader, results: Results) -> dict[str, str]:
    return {name: run.make("report", report).text(results.standings) for name, report in TABLES.items()}


def _first(found: Iterator[str]) -> Iterator[str]:
    """Yield the first lines, and how many more there are."""
    count = 0
    for count, line in enumerate(found, 1):
        if count <= MAX_LINES:
            yield line
    if count > MAX_LINES:
        yield f"and {count - MAX_LINES:,} more values there"


def _differences(path: Path, expected: str, form: int = FORMAT) -> Iterator[str]:
    """Yield the values of a file that are not the expected ones, each with its place.

    `form` is the format of the publication. Pages of earlier formats may write the same values in other words.
    """
    name = path.name if path.parent.name != "agents" else f"agents/{path.name}"
    try:
        with run_errors(path):
            text = path.read_text(encoding="utf-8")
        page = partial(_page_differences, earlier=form < FORMAT, labels=path.parent.name != "agents")
        compare: dict[str, _Compare] = {".csv": _csv_differences, ".json": _json_differences, ".md": page}
        for place, there, computed in compare[path.suffix](text, expected):
            yield f"{name}: {clean(place, 120)}: it says {_shown(there)}; the games give {_shown(computed)}"
    except RunError as error:
        yield str(error)
    except (ValueError, RecursionError, csv.Error) as error:
        yield f"{name}: cannot be read: {clean(str(error), 100)}"


def _shown(value: Any) -> str:
    return "nothing" if value is None else clean(value if isinstance(value, str) else json.dumps(value), 80) or "''"


def _csv_differences(text: str, expected: str) -> Iterator[tuple[str, Any, Any]]:
    there, computed = (list(csv.reader(io.StringIO(each))) for each in (text, expected))
    heads = computed[0]
    named = [place for place, head in enumerate(heads) if head in ("condition", "agent", "first", "second")]
    for number, (line, right) in enumerate(zip_longest(there, computed), 1):
        if line is None or right is None:
            yield f"line {number}", line and ",".join(line), right and ",".join(right)
            continue
        what = ", ".join(right[place] for place in named)
        for place, (cell, value) in enumerate(zip_longest(line, right)):
            if cell != value:
                head = heads[place] if place < len(heads) else f"column {place + 1}"
                yield f"line {number} ({what}), {head}", cell, value


def _json_differences(text: str, expected: str) -> Iterator[tuple[str, Any, Any]]:
    there, computed = (json.loads(each, object_pairs_hook=_each_once) for each in (text, expected))
    yield from _unequal(there, computed, "")


def _each_once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """Return the object with these names and values. Raise `ValueError` if a name is given twice, because readers
    disagree on what that means."""
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(name for number, (name, _) in enumerate(pairs) if name in dict(pairs[:number]))
        raise ValueError(f"{twice!r} is given twice")
    return found


def _unequal(there: Any, computed: Any, place: str) -> Iterator[tuple[str, Any, Any]]:
    """Yield the values in which two trees of plain data differ, with the path to each."""
    if isinstance(there, dict) and isinstance(computed, dict):
        for key in [*computed, *(key for key in there if key not in computed)]:
            way = f"{place}.{key}" if place else str(key)
            if key in there and key in computed:
                yield from _unequal(there[key], computed[key], way)
            else:
                one, other = (json.dumps(each[key]) if key in each else None for each in (there, computed))
                yield way, one, other
        if list(there) != list(computed) and there.keys() == computed.keys() and place in ("agents", "conditions"):
            yield f"{place}, order", list(there), list(computed)
    elif isinstance(there, list) and isinstance(computed, list):
        for number, (one, other) in enumerate(zip_longest(there, computed)):
            yield from _unequal(one, other, f"{place}[{number}]")
    elif place == "footnote" and isinstance(there, str):  # prose, whose words may be those of an earlier version
        if {*re.findall(r"\d+", there)} != {*re.findall(r"\d+", computed)}:
            yield place, there, computed
    elif there != computed or type(there) is not type(computed):
        yield place or "everything", there, computed


def _page_differences(
    text: str, expected: str, *, earlier: bool = False, labels: bool = True
) -> Iterator[tuple[str, Any, Any]]:
    """Yield the differences of two pages, each with its place.

    On pages of an `earlier` format the same values may be written in another way. Cells without a digit are not
    compared there unless they are `labels`, such as the names of agents.
    """
    there, computed = _tables(text), _tables(expected)
    nothing: list[list[str]] = []
    for number, (table, right) in enumerate(zip_longest(there, computed, fillvalue=nothing), 1):
        for row, (line, other) in enumerate(zip_longest(table, right, fillvalue=None)):
            if line is None or other is None:
                yield f"table {number}, line {row + 1}", line and " | ".join(line), other and " | ".join(other)
                continue
            for cell, (one, value) in enumerate(zip_longest(line, other)):
                if one != value:
                    heads = [each[0][cell] if each and cell < len(each[0]) else "" for each in (table, right)]
                    if earlier and _agree(one, value, heads, labels):
                        continue
                    yield f"table {number}, line {row + 1}, {heads[1] or f'column {cell + 1}'}", one, value
    for what, parts in (("faults", _faults), ("tournament.yaml", _yaml)):
        for one, value in zip_longest(parts(text), parts(expected)):
            if one != value:
                yield what, one, value
    for one, value in zip_longest(_markup(text), _markup(expected)):
        if one != value:
            yield "what hides or adds a table", one, value
            break  # those after it have moved


def _agree(one: str | None, value: str | None, heads: list[str], labels: bool) -> bool:
    """Return whether a cell of an earlier format has a value: without true minus signs, and with shares for percent.

    `heads` are the names of the cell's column there and now.
    """
    if one is None or value is None:
        return False
    if not labels and not re.search(r"\d", one + value):
        return True
    if heads[1] == f"{heads[0]} %":
        value = value.removesuffix(" %") if value == heads[1] else _NUMBER.sub(_as_share, value)
    one, value = (_THOUSANDS.sub("", cell.replace("\N{MINUS SIGN}", "-")) for cell in (one, value))
    return one == value


def _as_share(percent: re.Match[str]) -> str:
    return str(Decimal(percent[0]).scaleb(-2))


def _tables(text: str) -> list[list[list[str]]]:
    """Return the tables of a page in Markdown: lines of cells."""
    tables: list[list[list[str]]] = []
    inside = fenced = False
    for line in text.splitlines():
        fenced ^= line.startswith("```")
        row = line.strip()
        if fenced or not row.startswith("|"):
            inside = False
            continue
        if not inside:
            tables.append([])
        inside = True
        if not _RULE.fullmatch(row):
            tables[-1].append([cell.strip() for cell in re.split(r"(?<!\\)\|", row)[1:-1]])
    return tables


def _markup(text: str) -> list[str]:
    """Return markup that can hide a table of a page, or show one that `_tables` misses: fences, tags and lines with
    bars."""
    found: list[str] = []
    for line in map(str.strip, text.splitlines()):
        if line.startswith("|"):
            continue
        found += re.findall(r"^(?:`{3,}|~{3,})|<(?:!--|/?[a-z][a-z0-9]*)|-->", line, re.IGNORECASE)
        if "|" in line:
            found.append(line)
    return found


def _faults(text: str) -> list[str]:
    """Return the lines on faults, without the commands that show them."""
    sections = re.findall(r"^## Faults *$(.*?)(?=^#|^!|^<picture|\Z)", text, re.MULTILINE | re.DOTALL)
    lines = "\n".join(sections).splitlines()
    counts = [line for line in lines if re.search(r" in [\d,]+ games?, the first being$", line)]
    return counts + [line for line in lines if line.startswith("    ") and not line.startswith("    sweepstakes ")]


def _yaml(text: str) -> list[str]:
    found = re.search(r"^```yaml$(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return found.group(1).strip().splitlines() if found else []
