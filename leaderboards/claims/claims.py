"""Compares the claims of five earlier systems with the published leaderboards.

Each claim has a function from published numbers to a sentence and a verdict, so that the table always agrees with the
results. The systems are named by their method: A infers from triples of clues, B solves constraints, C proves by
contradiction, D follows chains of influence, E plays the classic game by local probability.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from tabulate import tabulate

from sweepstakes.game.size import PRESETS
from sweepstakes.leaderboards.claims.published import Published
from sweepstakes.registry.spec import Spec
from sweepstakes.standings import ConditionFields

HOLDS, PARTLY, FAILS = "holds", "holds in part", "does not hold"
CLOSE = 0.02
"""Scores that differ by at most this are about the same."""


class Measured(NamedTuple):
    """A measurement: a text with numbers, and the verdict on the claim."""

    text: str
    verdict: str


class Claim(NamedTuple):
    """A claim of an earlier system and the leaderboard that tests it."""

    system: str
    claim: str
    leaderboard: str
    measure: Callable[[Published], Measured]


def judge_claims(claims: Iterable[Claim], directory: Path) -> list[tuple[Claim, Measured | None]]:
    """Every claim with its measurement in the published leaderboards; None if its leaderboard is not published."""
    found = []
    for claim in claims:
        published = Published(directory / claim.leaderboard)
        found.append((claim, claim.measure(published) if published.exists else None))
    return found


def claims_page(claims: Iterable[Claim], directory: Path) -> str:
    """The page with the table of claims."""
    lines = []
    for claim, measured in judge_claims(claims, directory):
        link = f"[{claim.leaderboard}]({claim.leaderboard}/README.md)"
        text, verdict = measured or Measured("not measured yet", "open")
        lines.append([claim.system, claim.claim, f"{text} ({link})" if measured else text, f"**{verdict}**"])
    table = tabulate(lines, ["system", "claimed", "measured", "verdict"], tablefmt="pipe", disable_numparse=True)
    about = (
        "What five earlier systems claimed, on 5 to 10 boards for each point where they say so, and what 100 boards "
        "and more measure. The numbers are read from the published files and the verdicts computed from them: "
        "a difference counts when its 95 % interval on the same boards is clear of zero."
    )
    return f"# Claims and measurements\n\n{about}\n\n{table}\n"


def _verdict(held: int, of: int) -> str:
    return HOLDS if held == of else PARTLY if held else FAILS


def ahead(first: str, second: str, below: float = 2.0) -> Callable[[Published], Measured]:
    """Whether one agent is ahead of another under every condition of a density below `below`."""

    def measure(published: Published) -> Measured:
        labels = [label for label, fields in published.conditions.items() if fields.density < below]
        differences = {label: published.difference(first, second, label) for label in labels}
        better = [label for label, d in differences.items() if d.low > 0]
        worse = [label for label, d in differences.items() if d.high < 0]
        least = min(labels, key=lambda label: differences[label].mean)
        most = max(labels, key=lambda label: differences[label].mean)
        text = (
            f"clearly ahead under {len(better)} of {len(labels)} conditions, behind under {len(worse)}; "
            f"{differences[least].mean:+.3f} ({least}) to {differences[most].mean:+.3f} ({most})"
        )
        return Measured(text, _verdict(len(better), len(labels)))

    return measure


def about_the_same(first: str, second: str, name: str = "") -> Callable[[Published], Measured]:
    """Whether two agents' means are within 0.02 under every condition."""

    def measure(published: Published) -> Measured:
        gaps = {
            label: published.score(first, label, name).mean - published.score(second, label, name).mean
            for label in published.conditions
        }
        widest = max(gaps, key=lambda label: abs(gaps[label]))
        text = f"at most {abs(gaps[widest]):.3f} apart ({first} {gaps[widest]:+.3f}, {widest})"
        near = [label for label, gap in gaps.items() if abs(gap) <= CLOSE]
        return Measured(text, _verdict(len(near), len(gaps)))

    return measure


def fewer(first: str, second: str, name: str) -> Callable[[Published], Measured]:
    """Whether one agent has a lower mean of a score than another, over all conditions."""

    def measure(published: Published) -> Measured:
        a, b = (published.score(agent, published.overall, name) for agent in (first, second))
        text = f"{name} per game: {first} {a.mean:.1f}, {second} {b.mean:.1f}"
        return Measured(text, HOLDS if a.high < b.low else PARTLY if a.mean < b.mean else FAILS)

    return measure


def stays_above(agent: str, level: float, until: float = 2.0) -> Callable[[Published], Measured]:
    """Whether an agent's score is at least `level` at every density up to `until`."""

    def measure(published: Published) -> Measured:
        labels = [label for label, fields in published.conditions.items() if fields.density <= until]
        scores = {label: published.score(agent, label) for label in labels}
        above = [label for label, score in scores.items() if score.mean >= level]
        low, high = (pick(labels, key=lambda label: scores[label].mean) for pick in (min, max))
        text = f"{agent} {scores[high].mean:.3f} ({high}) down to {scores[low].mean:.3f} ({low})"
        return Measured(text, _verdict(len(above), len(labels)))

    return measure


def falls_below(agent: str, level: float, about: float, slack: float = 0.05) -> Callable[[Published], Measured]:
    """Whether an agent's score first falls below `level` near the density `about`."""

    def measure(published: Published) -> Measured:
        curve = sorted((fields.density, label) for label, fields in published.conditions.items())
        first = next((d for d, label in curve if published.score(agent, label).mean < level), None)
        if first is None:
            return Measured(f"{agent} never falls below {level:g}", FAILS)
        there = published.score(agent, published.at(first)).mean
        text = f"{agent} is below {level:g} from density {first:g} on ({there:.3f})"
        return Measured(text, HOLDS if abs(first - about) <= slack + 1e-9 else FAILS)

    return measure


def drops(
    agents: Sequence[str], before: tuple[float, float], after: tuple[float, float]
) -> Callable[[Published], Measured]:
    """Whether the scores fall faster over the densities `after` than over `before`."""

    def measure(published: Published) -> Measured:
        words, held = [], 0
        for agent in agents:
            early, late = (_fall(published, agent, *span) for span in (before, after))
            held += late > early
            words.append(
                f"{agent} loses {early:.3f} over {before[0]:g}-{before[1]:g}, {late:.3f} over {after[0]:g}-{after[1]:g}"
            )
        return Measured("; ".join(words), _verdict(held, len(agents)))

    return measure


def dips(agent: str, start: float, end: float) -> Callable[[Published], Measured]:
    """Whether an agent's score falls clearly from one density to another."""

    def measure(published: Published) -> Measured:
        a, b = (published.score(agent, published.at(density)) for density in (start, end))
        text = f"{agent} {a.mean:.3f} at {start:g}, {b.mean:.3f} at {end:g}"
        return Measured(text, FAILS if b.high >= a.low else HOLDS if a.mean - b.mean > CLOSE else PARTLY)

    return measure


def _fall(published: Published, agent: str, start: float, end: float) -> float:
    return published.score(agent, published.at(start)).mean - published.score(agent, published.at(end)).mean


def faster(first: str, second: str, until: float = 2.0, times: float = 1.0) -> Callable[[Published], Measured]:
    """Whether the second agent takes more than `times` times the CPU time per game, at every density up to `until`."""

    def measure(published: Published) -> Measured:
        labels = [label for label, fields in published.conditions.items() if fields.density <= until]
        ratios = {label: published.seconds(second, label) / published.seconds(first, label) for label in labels}
        met = [label for label, ratio in ratios.items() if ratio > times]
        low, high = min(ratios.values()), max(ratios.values())
        text = f"{second} takes {low:.2f} to {high:.2f} times the CPU time of {first}"
        return Measured(text, _verdict(len(met), len(labels)))

    return measure


def rate(agent: str, level: str, claimed: float, near: float) -> Callable[[Published], Measured]:
    """Whether a win rate is near the claimed one, under each of the measured rules for the first click."""

    def measure(published: Published) -> Measured:
        found = {label: fields for label, fields in published.conditions.items() if fields[:3] == PRESETS[level]}
        scores = {label: published.score(agent, label) for label in found}
        words = [f"{_first_click(found[label])}: {100 * s.mean:.1f} %" for label, s in scores.items()]
        hits = [label for label, s in scores.items() if s.low - near <= claimed <= s.high + near]
        text = "first click " + ", ".join(words)
        return Measured(text, _verdict(len(hits), len(found)))

    return measure


def _first_click(fields: ConditionFields) -> str:
    rules = dict(word.partition("=")[::2] for word in fields.rules.split())
    return rules.get("first_click", "")


def in_groups(agents: Sequence[str], name: str, *, more: bool) -> Callable[[Published], Measured]:
    """Whether the mean of a score is higher, or lower, where mines lie in groups than where they are scattered."""

    def measure(published: Published) -> Measured:
        sources = {label: Spec.parse(fields.source).name for label, fields in published.conditions.items()}
        grouped = [label for label, source in sources.items() if source == "clustered"]
        plain = [label for label, source in sources.items() if source != "clustered"]
        words, held = [], 0
        for agent in agents:
            a, b = (
                sum(published.score(agent, label, name).mean for label in labels) / len(labels)
                for labels in (grouped, plain)
            )
            held += a > b if more else a < b
            words.append(f"{agent} {a:.2f} in groups, {b:.2f} scattered")
        return Measured(f"{name} per game: " + "; ".join(words), _verdict(held, len(agents)))

    return measure


def peaks(agents: Sequence[str], name: str, low: float, high: float) -> Callable[[Published], Measured]:
    """Whether a score is highest at a density between `low` and `high`."""

    def measure(published: Published) -> Measured:
        curve = {fields.density: label for label, fields in published.conditions.items()}
        words, held = [], 0
        for agent in agents:
            means = {d: published.score(agent, label, name).mean for d, label in curve.items()}
            top = max(means, key=lambda d: (means[d], -d))
            held += low - 1e-9 <= top <= high + 1e-9
            words.append(f"{agent} at {top:g} ({means[top]:.1f})")
        return Measured(f"{name} is highest for " + ", ".join(words), _verdict(held, len(agents)))

    return measure


def between(
    agents: Sequence[str], name: str, density: float, low: float, high: float
) -> Callable[[Published], Measured]:
    """Whether the mean of a score lies between two numbers at a density."""

    def measure(published: Published) -> Measured:
        means = {agent: published.score(agent, published.at(density), name).mean for agent in agents}
        words = ", ".join(f"{agent} {mean:.1f}" for agent, mean in means.items())
        held = sum(low <= mean <= high for mean in means.values())
        return Measured(f"{name} at density {density:g}: {words}", _verdict(held, len(agents)))

    return measure
