"""The page of one agent: its description, how good and how lucky it was, where it loses, and its worst decisions.

The same page is written as Markdown for a publication and as HTML for a site.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from shlex import quote
from typing import NamedTuple

from sweepstakes.html_page import html_page
from sweepstakes.markup import code_span, escape_html, escape_markdown
from sweepstakes.registry.registry import Registry
from sweepstakes.tables import Grid, html_table, markdown_table
from sweepstakes.tournaments.review.agent_review import PHASES, AgentReview
from sweepstakes.tournaments.review.pictures import picture
from sweepstakes.tournaments.review.reliability import reliability_svg
from sweepstakes.tournaments.review.wording import (
    number,
    percent,
    weaknesses,
    what_it_did,
    what_was_there,
)

SHOWN = 3
"""Number of worst decisions that the page shows."""
FOLDER = "agents"
"""The folder of the pages, next to the leaderboard."""


class Heading(NamedTuple):
    """A heading; level 1 is the title."""

    level: int
    text: str


class Code(str):
    """A command within a paragraph."""


class Text(NamedTuple):
    """A paragraph: a text, or several parts, of which some are `Code`."""

    text: str | tuple[str, ...]

    @property
    def parts(self) -> tuple[str, ...]:
        """The parts of the paragraph."""
        return self.text if isinstance(self.text, tuple) else (self.text,)


class Items(NamedTuple):
    """A list of sentences."""

    items: tuple[str, ...]


class Picture(NamedTuple):
    """A picture, which is a file of its own."""

    name: str
    svg: str
    text: str
    """Describes it for people who cannot see it."""
    caption: str
    """The text below it."""


Block = Heading | Text | Items | Picture | Grid


class AgentPage(NamedTuple):
    """The page of an agent."""

    label: str
    name: str
    """The name of its files, without their endings."""
    blocks: tuple[Block, ...]

    def files(self, ending: str) -> dict[str, str]:
        """Return the files of the page, by name: `md` or `html`, and the pictures."""
        text = _markdown(self.blocks) if ending == "md" else _html(self.label, self.blocks)
        pictures = {block.name: block.svg for block in self.blocks if isinstance(block, Picture)}
        return {f"{self.name}.{ending}": text, **pictures}


def agent_pages(reviews: Sequence[AgentReview], registry: Registry, command: str) -> list[AgentPage]:
    """Return the pages of some agents. `command` is the command that reviews the run, to which an agent's label is
    added.

    The same games give the same bytes.
    """
    names = page_names([review.label for review in reviews])
    return [
        AgentPage(review.label, names[review.label], tuple(_blocks(review, names[review.label], registry, command)))
        for review in reviews
    ]


def file_name(text: str) -> str:
    """Return a text as the name of a file, without an ending."""
    return re.sub(r"[^\w.-]+", "-", text).strip("-.") or "agent"


def page_names(labels: Sequence[str]) -> dict[str, str]:
    """Return the names of the agents' pages, without ending, by label."""
    names: dict[str, str] = {}
    for label in labels:
        name = file_name(label)
        while name.lower() in (other.lower() for other in names.values()):
            name += "-"
        names[label] = name
    return names


def _blocks(review: AgentReview, name: str, registry: Registry, command: str) -> Iterator[Block]:
    yield Heading(1, f"{review.tournament}: {review.label}")
    yield Text(_what_it_is(review, registry))
    if not review.games:
        yield Text("None of its games could be reviewed.")
        return
    audit = review.audit
    yield Grid(
        ["score", "mean", "without luck"],
        [
            ["games won (%)", percent(review.win), percent(review.win_adjusted)],
            ["mines identified (%)", percent(review.identified), percent(review.identified_adjusted)],
        ],
        1,
    )
    yield Text(
        f"Means of {review.games:,} games with 95 % intervals. The means without luck leave out what risky openings "
        "added by chance. Their intervals are narrower where luck matters."
    )
    yield Heading(2, "Its decisions")
    yield Grid(
        ["decision", "number", "per game"],
        [
            [what, f"{count:,}", f"{count / review.games:.2f}"]
            for what, count in (
                ("cells called proven", audit.proofs),
                ("unsound proofs: called proven, but not certain", audit.unsound),
                ("cells opened as guesses", audit.guesses),
                ("missed proofs: another cell was certainly safe", audit.missed),
                ("best guesses: no cell was safer", audit.best),
                ("good guesses: nearly as safe as the safest cell", audit.good),
                ("inaccuracies: clearly riskier than the safest cell", audit.inaccuracies),
                ("blunders: much riskier than the safest cell", audit.blunders),
                ("cells flagged", audit.flags),
                ("wrong flags: on safe cells", audit.wrong_flags),
            )
        ],
        1,
    )
    yield Text(
        "Each opened or flagged cell is judged by the exact mine probabilities at that moment. On average, an opened "
        f"cell that was not certain was {number(100 * audit.mean_excess, 2)} percentage points riskier than the safest "
        "one."
        + (f" Not judged: {audit.not_judged:,} decisions in positions that are too large." if audit.not_judged else "")
        + (f" Left out: {review.left_out:,} games whose turns are no longer known." if review.left_out else "")
    )
    if found := tuple(weaknesses(review)):
        yield Items(found)
    if review.losses:
        yield from _losses(review)
    yield from _worst(review, name, command)
    if audit.stated:
        yield Heading(2, "Stated probabilities")
        yield Picture(
            f"{name}-reliability.svg",
            reliability_svg(audit),
            "Stated mine probabilities against the share of mines",
            "Dots: how often cells with this stated probability were mines; a larger dot stands for more cells. Rings: "
            "the exact probability. A well calibrated agent has both on the diagonal.",
        )
        yield Text(
            f"{len(audit.stated):,} stated probabilities. They differ from the exact ones by {audit.error:.4f} on "
            f"average. Brier score {audit.brier:.4f}, log score {audit.log_score:.4f}; lower is better in all three."
        )
    if review.faults:
        yield Heading(2, "Faults")
        yield Items(tuple(f"{ending}, {count:,} games: {text}" for ending, (count, text) in review.faults.items()))


def _what_it_is(review: AgentReview, registry: Registry) -> str:
    spec = review.entry.spec
    offer = registry.offers("agent").get(spec.name)
    what = offer.summary if offer is not None else "An agent that is not built in."
    given = ", ".join(f"{key}={value}" for key, value in spec.parameters.items())
    accepted = offer.description.parameters if offer is not None else ""
    words = [what, f"Parameters: {given}." if given else "", f"It accepts: {accepted}." if accepted else ""]
    return " ".join([*filter(None, words), f"Version {review.entry.version}."])


def _losses(review: AgentReview) -> Iterator[Block]:
    yield Heading(2, "Where its games are lost")
    kinds = sorted({kind for _, kind in review.losses}, key=lambda k: (-sum(review.losses[p, k] for p in PHASES), k))
    yield Grid(
        ["first mine set off by", *PHASES, "total"],
        [
            [
                kind,
                *(f"{review.losses[phase, kind]:,}" for phase in PHASES),
                f"{sum(review.losses[phase, kind] for phase in PHASES):,}",
            ]
            for kind in kinds
        ],
        1,
    )
    yield Text(
        "Lost games, by how much of the board was open when the first mine was set off. A game lost by a best guess is "
        "bad luck, because no cell was safer."
    )


def _worst(review: AgentReview, name: str, command: str) -> Iterator[Block]:
    worst = review.worst(SHOWN)
    if not worst:
        return
    yield Heading(2, "Its worst decisions")
    for place, decision in enumerate(worst, 1):
        judgement = decision.judgement
        text = f"{judgement.label}: {what_it_did(judgement)}"
        if judgement.label.value != "wrong flag":
            text += f"; {what_was_there(decision)}"
        caption = f"Game {decision.game}, turn {judgement.turn + 1}"
        yield Picture(f"{name}-{place}.svg", picture(decision), text, caption)
    full = Code(f"{command} --agent {_quoted(review.label)}")
    yield Text((full, " lists more, as text that ", Code("sweepstakes solve"), " reads."))


def _quoted(label: str) -> str:
    """Return a label as a word of a shell, in quotes."""
    return f"'{label}'" if "'" not in label else quote(label)


def _markdown(blocks: Sequence[Block]) -> str:
    parts = []
    for block in blocks:
        if isinstance(block, Heading):
            parts.append(f"{'#' * block.level} {escape_markdown(block.text)}")
        elif isinstance(block, Text):
            parts.append("".join(map(_markdown_part, block.parts)))
        elif isinstance(block, Items):
            parts.append("\n".join(f"- {escape_markdown(item)}" for item in block.items))
        elif isinstance(block, Picture):
            parts.append(f"![{escape_markdown(block.text)}]({block.name})\n\n{escape_markdown(block.caption)}")
        else:
            parts.append(markdown_table(block))
    return "\n\n".join(parts) + "\n"


def _markdown_part(text: str) -> str:
    """Return a part of a paragraph in Markdown."""
    if isinstance(text, Code):
        return code_span(text)
    return _with_spaces(escape_markdown(text, 10_000), text)


def _html_part(text: str) -> str:
    """Return a part of a paragraph in HTML."""
    if isinstance(text, Code):
        return f"<code>{escape_html(text)}</code>"
    return _with_spaces(escape_html(text), text)


def _with_spaces(escaped: str, text: str) -> str:
    """Return an escaped text with the white space that was around it."""
    before, after = text[: len(text) - len(text.lstrip())], text[len(text.rstrip()) :]
    return f"{before}{escaped}{after if text.strip() else ''}"


def _html(title: str, blocks: Sequence[Block]) -> str:
    return html_page(title, _html_parts(blocks), [("../index.html", "Leaderboard")])


def _html_parts(blocks: Sequence[Block]) -> Iterator[str]:
    for block in blocks:
        if isinstance(block, Heading):
            yield f"<h{block.level}>{escape_html(block.text)}</h{block.level}>"
        elif isinstance(block, Text):
            yield f"<p>{''.join(map(_html_part, block.parts))}</p>"
        elif isinstance(block, Items):
            yield from ("<ul>", *(f"<li>{escape_html(item)}</li>" for item in block.items), "</ul>")
        elif isinstance(block, Picture):
            image = f'<img src="{block.name}" alt="{escape_html(block.text)}">'
            yield f"<figure>{image}<figcaption>{escape_html(block.caption)}</figcaption></figure>"
        else:
            yield from html_table(block, "")
