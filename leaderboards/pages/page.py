"""The page of a published leaderboard: a pure function of the games and of the texts about them."""

from __future__ import annotations

from collections.abc import Iterator
from textwrap import fill
from typing import NamedTuple

from tabulate import tabulate

from sweepstakes.leaderboards.pages.citation import FILE as CITATION
from sweepstakes.leaderboards.pages.citing import cited
from sweepstakes.leaderboards.pages.noise_tables import noise_tables
from sweepstakes.leaderboards.plots.plots import CROWD, Plot, score_plots, time_plots
from sweepstakes.leaderboards.results import Results
from sweepstakes.markup import code_block, escape_html
from sweepstakes.markup import escape_markdown as escape
from sweepstakes.plugins.reports.markdown import Markdown

WIDTH = 100
SOURCES = "../../../docs/sources.md"
"""The reports of the earlier systems, seen from a published leaderboard."""


class PageTexts(NamedTuple):
    """The texts of a page that do not come from the games."""

    about: str
    """The purpose of the tournament: the comment at the top of its preset."""
    reading: str
    """The interpretation of the results, written by hand; may be empty."""
    command: str
    """The commands that repeat the tournament."""
    yaml: str
    """The tournament file."""
    seed: str = ""
    """The paragraph on a seed that was secret; "" if it was not."""
    agents: str = ""
    """The links to the pages of the agents; "" without such pages."""
    cited: bool = False
    """Whether the publication has a citation file."""
    copied: bool = False
    """Whether files of agents or plugins are copied to the publication."""
    place: str = "."
    """The directory of the publication, as its commands name it."""


def page(results: Results, words: PageTexts) -> str:
    """Return the text of README.md."""
    return "\n\n".join(part for part in _parts(results, words) if part) + "\n"


def _parts(results: Results, words: PageTexts) -> Iterator[str]:
    standings, plan = results.standings, results.plan
    markdown = Markdown()
    yield f"# {standings.name}"
    yield fill(cited(words.about, SOURCES), WIDTH, break_on_hyphens=False)
    yield _count(results)
    yield markdown.table(standings)
    yield markdown.legend(standings)
    yield fill(escape(standings.footnote, 10_000), WIDTH, break_long_words=False)
    if standings.faults:
        yield "## Faults"
        yield markdown.faults(standings._replace(place=words.place))
    if words.reading.strip():
        yield cited(words.reading.strip(), SOURCES)
    if words.agents:
        yield words.agents
    for plot in score_plots(results, words.place):
        yield _picture(plot)
    if len(standings.tables) > 1:
        yield "## By condition"
        yield noise_tables(results) or markdown.conditions(standings)
        yield "<details>\n<summary>A table for each condition</summary>"
        for table in standings.tables[1:]:
            yield f"**{escape(table.heading)}**"
            yield markdown.table(standings, table)
        yield "</details>"
    if 1 < len(plan.entries) <= CROWD:
        yield "## Head to head"
        yield fill(
            "Boards of a hundred on which the agent of the row did better than the agent of the column. Boards with "
            "equal scores count half. Differences and tests are in [head-to-head.csv](head-to-head.csv).",
            WIDTH,
        )
        yield markdown.head_to_head(standings.tables[0])
    yield from _repeat(words)
    yield words.seed
    if words.cited:
        yield f"Cite it as in [{CITATION}]({CITATION})."
    yield _files(seed=bool(words.seed), keep=results.keep, sums=results.sums, copied=words.copied)


def _count(results: Results) -> str:
    plan = results.plan
    agents, conditions = len(plan.entries), len(plan.conditions)
    text = f"{agents} agent{'s' * (agents > 1)}, {conditions} condition{'s' * (conditions > 1)}, {plan.games:,} games."
    if results.keep is not None:
        text += (
            f" The games on the first {results.keep:,} boards of each condition are published one by one. For all "
            "games, "
            + (
                "who won each board and the sums of the scores are published, and the tables are computed from these."
                if results.sums
                else "the scores are published, board by board, and the tables are computed from these."
            )
        )
    return fill(text, WIDTH)


def picture_tag(plot: Plot, folder: str = "plots") -> str:
    """Return the picture, with another file for dark pages if there is one."""
    if not plot.dark:
        return f"![{escape(plot.sentence)}]({folder}/{plot.name}.svg)"
    dark = f'<source media="(prefers-color-scheme: dark)" srcset="{folder}/{plot.name}-dark.svg">'
    return f'<picture>{dark}<img alt="{escape_html(plot.sentence)}" src="{folder}/{plot.name}.svg"></picture>'


def _picture(plot: Plot) -> str:
    image = picture_tag(plot)
    return f"{image}\n\n{plot.caption}" if plot.caption else image


def _repeat(words: PageTexts) -> Iterator[str]:
    yield "## Repeat it"
    yield fill(
        "These commands reproduce the games, tables and page byte for byte, with any number of workers and on any "
        "machine. Only pictures may differ with the version of matplotlib, and times always do.",
        WIDTH,
    )
    if words.place == ".":
        yield "Run all commands of these pages in the folder of this page."
    yield code_block(words.command, "bash")
    yield f"<details>\n<summary>tournament.yaml</summary>\n\n{code_block(words.yaml.strip(), 'yaml')}\n\n</details>"


def _files(*, seed: bool, keep: int | None, sums: bool, copied: bool) -> str:
    files = {
        "leaderboard.csv": "every number of every table",
        "leaderboard.json": "the same, with head-to-head comparisons",
        "head-to-head.csv": "every pair of agents under every condition: boards, differences and tests",
        "games.csv.gz": "a line for each game; start a run from it with `sweepstakes run ... --from DIR`",
        "keys.json": "the conditions and agents, with versions, behind the keys in games.csv.gz",
        "tournament.yaml": "the tournament",
        "versions.json": "the versions of Python and of the libraries",
        "timings.md": "how long the agents took",
    }
    if keep is not None:
        files["games.csv.gz"] = "a line for each game on the first boards of every condition"
        if sums:
            files["tally.json"] = "who won each board of all games, and the exact sums of the other scores"
        else:
            files["packed.jsonl.gz"] = "the scores and faults of all other games, in blocks"
    if seed:
        files["seed.json"] = "the seed, which was secret, and its commitment"
    if copied:
        files["SHA256SUMS"] = "the hashes of the files of agents and plugins in `agents` and `plugins`"
    lines = [f"- [{name}]({name}): {what}" for name, what in files.items()]
    return "\n".join(["## Files", "", *lines])


def timings_page(results: Results) -> str:
    """Return the CPU times, on a page of their own since they differ from run to run."""
    name, table = results.standings.name, results.standings.tables[0]
    parts = [f"# {name}: time"]
    if not table.timings:
        parts.append("No times are known, because the games were imported from another run.")
        return "\n\n".join(parts) + "\n"
    parts.append(
        fill(
            "CPU time of the agents per game in milliseconds, on the machine that played the games: the mean with its "
            "95 % interval, the median, the 90th and 99th percentile, and the slowest game. Games are played without "
            "explanations. Times differ from run to run. [timings.csv](timings.csv) has them by condition.",
            WIDTH,
        )
    )
    lines = [
        [escape(t.agent), f"{1000 * t.seconds.mean:.3f}", f"{1000 * t.seconds.low:.3f} to {1000 * t.seconds.high:.3f}"]
        + [f"{1000 * seconds:.3f}" for seconds in (t.median, t.p90, t.p99)]
        + [f"{1000 * t.slowest:.1f}", f"{t.games:,}"]
        for t in sorted(table.timings, key=lambda t: t.seconds.mean)
    ]
    heads = ["agent", "CPU ms per game", "interval", "median", "90 %", "99 %", "slowest", "games"]
    align = ["left", *["right"] * 7]
    parts.append(tabulate(lines, heads, tablefmt="pipe", colalign=align, disable_numparse=True))
    parts += [_picture(plot) for plot in time_plots(results)]
    return "\n\n".join(parts) + "\n"
