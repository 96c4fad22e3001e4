"""Tables for people, shared by the reports: selects columns and formats numbers and conditions."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from itertools import pairwise
from math import isnan
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

from tabulate import tabulate

from sweepstakes.markup import escape_html

if TYPE_CHECKING:
    from sweepstakes.standings import HeadToHead, Interval, ScoreColumn, Standings, Table

WIDTH = 110
"""Characters that a line of a plain-text table may have."""
MINUS = "\u2212"
"""The minus sign, which is as wide as a digit."""


COLUMNS = {
    "rank": "1 + the number of agents that are significantly better on the same boards (Holm correction over all "
    "pairs), so agents can share a rank",
    "agent": "the label of the agent",
    "rating": "Bradley-Terry rating on the scale of chess: 400 points mean odds of 10 to 1; these agents average 0",
    "games": "boards that every agent has played",
    "faults": "games that the agent lost through an error, an illegal move or an exceeded limit",
    "fallbacks": "turns decided by a weaker method because the agent's own would have taken too long",
    "missing": "games without a measured score, because the agent's second playing of the game failed",
}
"""Explanations of the columns of a leaderboard that are not scores."""


class Grid(NamedTuple):
    """A table of texts: column heads, and lines of the same length. The first `left` columns name the line."""

    heads: list[str]
    lines: list[list[str]]
    left: int

    @property
    def width(self) -> int:
        """The width in Markdown, where each column has a bar and two blanks besides its text."""
        columns = zip(self.heads, *self.lines, strict=True)
        return 1 + sum(3 + max(map(len, column)) for column in columns)


def standings_grid(standings: Standings, table: Table, width: int | None = WIDTH) -> Grid:
    """Return a table of rank, agent, ranking score, as many other scores as fit `width`, rating and faults."""
    chosen: list[int] = []
    for index in _by_importance(standings.scores):
        wider = [*chosen, index]
        if width is None or _grid(standings.scores, table, wider).width <= width:
            chosen = wider
    return _grid(standings.scores, table, chosen)


def _by_importance(scores: Sequence[ScoreColumn]) -> list[int]:
    return sorted(range(1, len(scores)), key=lambda i: (scores[i].place, i))


def _grid(scores: Sequence[ScoreColumn], table: Table, chosen: list[int]) -> Grid:
    wins = [index for index in chosen if scores[index].place < 0]
    others = [index for index in chosen if index not in wins]
    heads = ["rank", "agent", scores[0].head, *(scores[i].head for i in wins), "rating"]
    heads += [*(scores[i].head for i in others), "faults"]
    digits = [decimals(line.scores[i].mean for line in table.standings) for i in range(len(scores))]
    lines = []
    for line in table.standings:
        cells = [
            estimate(line.scores[i], column, digits[i])
            if column.adjusts and not isnan(line.scores[i].mean)
            else number(line.scores[i].mean, column, digits[i])
            for i, column in enumerate(scores)
        ]
        words = [str(line.rank), line.agent, estimate(line.scores[0], scores[0], digits[0])]
        words += [*(cells[i] for i in wins), rounded(line.rating.mean, 0)]
        lines.append([*words, *(cells[i] for i in others), str(line.faults)])
    return Grid(heads, lines, 2)


def decimals(values: Iterable[float]) -> int:
    """Return the number of decimals of a column, chosen so that the largest value has about four digits."""
    largest = max((abs(value) for value in values if not isnan(value)), default=0.0)
    return 3 if largest < 10 else 2 if largest < 100 else 1


def number(value: float, column: ScoreColumn, digits: int) -> str:
    """Format a mean: in percent for a rate or a share, as a dash if it is unknown."""
    if isnan(value):
        return "–"
    return rounded(100 * value, 1) if column.percent else rounded(value, digits)


def rounded(value: float, digits: int) -> str:
    """Format a number with `digits` decimals, thousands separators and a true minus sign. The result is never −0."""
    return f"{round(value, digits) + 0.0:,.{digits}f}".replace("-", MINUS)


def signed(value: float, digits: int, kind: str = "f") -> str:
    """Format a number with its sign, as `rounded` does. 0 has no sign."""
    text = f"{value:+,.{digits}{kind}}"
    return text[1:] if float(text.replace(",", "")) == 0 else text.replace("-", MINUS)


def estimate(interval: Interval, column: ScoreColumn, digits: int) -> str:
    """Format a mean with its interval: both ends for a rate, whose interval is not symmetric, else ± the longer half.

    Without any spread (one board, or the same number on every board) the width is unknown and left out. A width that
    would round to 0 is rounded up.
    """
    mean, low, high = (column.scale * end for end in interval)
    digits = 1 if column.percent else digits
    if column.proportion:
        return f"{rounded(mean, 1)} ({rounded(low, 1)}–{rounded(high, 1)})"
    if high == low:
        return rounded(mean, digits)
    return f"{rounded(mean, digits)} ± {rounded(max(mean - low, high - mean, 10.0**-digits), digits)}"


def conditions_caption(standings: Standings) -> str:
    """Return the caption of `conditions_grids`, with the words that the labels of all conditions share."""
    words = _common(standings.tables[1:])
    return f"Mean of {standings.scores[0].head} by condition{f' ({words})' if words else ''}"


def conditions_grids(standings: Standings, width: int | None = WIDTH) -> Iterator[Grid]:
    """Yield grids of the ranking score of every agent under every condition, as many as the width requires.

    A line is an agent, or a condition if there are more conditions than agents.
    """
    tables = standings.tables[1:]
    order = [line.agent for line in standings.tables[0].standings]
    column = standings.scores[0]
    digits = decimals(line.scores[0].mean for table in tables for line in table.standings)
    scores = [{line.agent: number(line.scores[0].mean, column, digits) for line in t.standings} for t in tables]
    names = condition_names(tables)
    columns = [[name, *(column[agent] for agent in order)] for name, column in zip(names, scores, strict=True)]
    heads = ["agent", *order]
    if len(tables) > len(order):
        heads, columns = ["condition", *names], [list(line) for line in zip(heads, *columns, strict=True)][1:]
    first = 0
    while first < len(columns):
        last = first + 1
        while last < len(columns) and (width is None or _part(heads, columns[first : last + 1]).width <= width):
            last += 1
        yield _part(heads, columns[first:last])
        first = last


def _part(names: list[str], columns: list[list[str]]) -> Grid:
    """Return a grid of `names` and `columns`. Each of these lists begins with a head."""
    head, *lines = zip(names, *columns, strict=True)
    return Grid(list(head), [list(line) for line in lines], 1)


def game_line(standings: Standings) -> str:
    """Describe the game that was played and the score that decides the rank; "" if the game is unknown."""
    if not standings.game:
        return ""
    column = standings.scores[0]
    about = f": {column.sentence}" if column.about else ""
    return f"{standings.game[0].upper()}{standings.game[1:]}. Ranked by {column.name}{about}."


def legend(standings: Standings, grid: Grid) -> Iterator[str]:
    """Yield a sentence on each column of the grid, and one on agents that share a rank."""
    sentences = {column.head: column.sentence for column in standings.scores if column.about} | COLUMNS
    for name in grid.heads:
        if name in sentences and name != "agent":
            yield f"{name}: {sentences[name]}."
    yield from on_ties(standings.tables[0])


def on_ties(table: Table) -> Iterator[str]:
    """Yield sentences that estimate how many boards would separate neighbours that share a rank."""
    pairs = {(pair.first, pair.second): pair for pair in table.pairs}
    for upper, lower in pairwise(table.standings):
        if upper.rank == lower.rank:
            pair = pairs.get((upper.agent, lower.agent)) or pairs.get((lower.agent, upper.agent))
            boards = boards_to_separate(pair, table.boards, len(table.pairs)) if pair is not None else None
            need = f"about {boards:,} boards would separate them" if boards else "more boards may not separate them"
            if pair is not None and not pair.better and not pair.worse:
                need = "they had the same score on every board"
            yield f"{upper.agent} and {lower.agent} share rank {upper.rank}: {need} ({table.boards:,} were played)."


def boards_to_separate(pair: HeadToHead, boards: int, pairs: int) -> int | None:
    """Estimate how many boards it takes until the difference is significant, if mean and spread stay the same.

    The result has two significant digits. Holm's first step compares the smallest p-value with 0.05 / `pairs`. Return
    None if the mean is 0 or if there is no spread.
    """
    mean, low, high = pair.difference
    if mean == 0 or high == low or boards < 2:
        return None
    normal = NormalDist()
    error = max(mean - low, high - mean) / normal.inv_cdf(0.975)  # the shorter half may have been cut at a bound
    needed = boards * (normal.inv_cdf(1 - 0.025 / max(pairs, 1)) * error / mean) ** 2
    return int(float(f"{max(needed, boards + 1):.1e}"))


def pairs_grid(table: Table) -> Grid:
    """Return the percentage of boards on which the line's agent did better than the column's; ties count half."""
    order = [line.agent for line in table.standings]
    share = shares(table)
    lines = [
        [str(i), agent, *("–" if other == agent else f"{100 * share[agent, other]:.0f}" for other in order)]
        for i, agent in enumerate(order, 1)
    ]
    return Grid(["", "agent", *(str(i) for i in range(1, len(order) + 1))], lines, 2)


def shares(table: Table) -> dict[tuple[str, str], float]:
    """Return the share of boards on which a did better than b for each pair (a, b) of agents. Ties count half."""
    share = {}
    for pair in table.pairs:
        boards = pair.better + pair.equal + pair.worse
        share[pair.first, pair.second] = (pair.better + pair.equal / 2) / boards
        share[pair.second, pair.first] = (pair.worse + pair.equal / 2) / boards
    return share


def condition_names(tables: Sequence[Table]) -> list[str]:
    """Return a short name for the condition of each table, made of the words in which it differs from the others."""
    if not all(table.title for table in tables):
        return short_names([table.condition for table in tables])
    return short_titles([table.title for table in tables])


def short_titles(titles: Sequence[str]) -> list[str]:
    """Return the titles of conditions without the words that all share. Leave them unchanged if two would be equal."""
    phrases = [_phrases(title) for title in titles]
    shared = _shared(phrases)
    short = [[phrase for phrase in each if phrase not in shared] or each for each in phrases]
    if len(short) > 1 and all(len(each) == 1 for each in short):
        lead = shared_lead([each[0] for each in short])
        short = [[each[0].removeprefix(lead)] for each in short]
    names = [", ".join(each) for each in short]
    return names if len(set(names)) == len(titles) else list(titles)


def _common(tables: Sequence[Table]) -> str:
    """Return the words that the conditions of all tables share, or "" without such words."""
    if not all(table.title for table in tables):
        words = common_words([table.condition for table in tables])
        return f"{words} ..." if words else ""
    phrases = [_phrases(table.title) for table in tables]
    shared = _shared(phrases)
    common = [phrase for phrase in phrases[0] if phrase in shared]
    left = [[phrase for phrase in each if phrase not in shared] for each in phrases]
    if len(left) > 1 and all(len(each) == 1 for each in left) and (lead := shared_lead([each[0] for each in left])):
        common.append(f"{lead}...")
    return ", ".join(common)


def _phrases(title: str) -> list[str]:
    """Split a title at its commas, but not within brackets."""
    return re.split(r", (?![^(]*\))", title)


def _shared(phrases: Sequence[Sequence[str]]) -> set[str]:
    return set(phrases[0]).intersection(*phrases[1:]) if len(phrases) > 1 else set()


def shared_lead(phrases: Sequence[str]) -> str:
    """Return the first words that all phrases share, followed by a blank. Never return a whole phrase."""
    words = [phrase.split(" ") for phrase in phrases]
    count = 0
    while all(len(each) > count + 1 and each[count] == words[0][count] and each[count][:1] != "(" for each in words):
        count += 1
    return "".join(f"{word} " for word in words[0][:count])


def short_names(labels: Sequence[str]) -> list[str]:
    """Return the labels without the words and keys that all share. Leave them unchanged if two would become equal."""
    words = [re.split(r"[ ,]+", label) for label in labels]
    common = set(words[0]).intersection(*words[1:]) if len(words) > 1 else set()
    kept = [[word for word in each if word not in common] or each for each in words]
    keys = [{word.partition("=")[0] for word in each if re.fullmatch(r"\w+=[\w.]+", word)} for each in kept]
    shared = set.intersection(*keys) if keys else set()
    short = [" ".join(_without_key(word, shared) for word in each) for each in kept]
    return short if len(set(short)) == len(labels) else list(labels)


def join_words(words: Sequence[str]) -> str:
    """Join words with commas, and with `and` before the last."""
    return " and ".join(filter(None, [", ".join(words[:-1]), *words[-1:]]))


def common_words(labels: Sequence[str]) -> str:
    """Return the words that all labels share, in the order of the first label; "" if "at" is the only one."""
    words = [re.split(r"[ ,]+", label) for label in labels]
    common = set(words[0]).intersection(*words[1:]) if len(words) > 1 else set()
    return " ".join(word for word in words[0] if word in common) if common - {"at"} else ""


def _without_key(word: str, keys: set[str]) -> str:
    key, equals, value = word.partition("=")
    return value if equals and key in keys else word


def markdown_table(grid: Grid) -> str:
    """Return the grid in Markdown. The texts are not escaped."""
    rows = [grid.heads, *grid.lines]
    align = ["right", "left"][2 - grid.left :] + ["right"] * (len(grid.heads) - grid.left)
    text: str = tabulate(rows, tablefmt="pipe", colalign=align, disable_numparse=True)
    rule, heads, *lines = text.splitlines()  # if tabulate got the heads as headers, it would pad them
    return "\n".join([heads, rule, *lines])


def html_table(grid: Grid, caption: str) -> Iterator[str]:
    """Yield the lines of a table that can be scrolled, also by keyboard, if it is wider than the screen."""
    name = grid.left - 1
    yield f'<div class="wide" role="region" tabindex="0" aria-label="{escape_html(caption)}">\n<table>'
    yield f"<caption>{escape_html(caption)}</caption>\n<thead>\n<tr>"
    for i, cell in enumerate(grid.heads):
        kind = ' class="name"' if i == name else ""
        yield f'<th scope="col"{kind}>{escape_html(cell)}</th>'
    yield "</tr>\n</thead>\n<tbody>"
    for line in grid.lines:
        cells = [
            f'<th scope="row" class="name">{escape_html(cell)}</th>' if i == name else f"<td>{escape_html(cell)}</td>"
            for i, cell in enumerate(line)
        ]
        yield f"<tr>{''.join(cells)}</tr>"
    yield "</tbody>\n</table>\n</div>"
