"""What a claim is measured by: functions from published numbers to a text with intervals and a verdict.

A statement about several conditions (every density, every size) is decided under each of them by a 95 % interval: it is
true there, false there, or cannot be told. A comparison of agents is on the same boards. See `verdict_of`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np

from sweepstakes.game.size import PRESETS
from sweepstakes.leaderboards.claims import estimates
from sweepstakes.leaderboards.claims.published import Published
from sweepstakes.registry.spec import Spec
from sweepstakes.standings import ConditionFields, Interval

HOLDS, PARTLY, FAILS, OPEN = "holds", "holds in part", "does not hold", "cannot be told"
UNSTATED, ANSWER = "no figure given", "answer"
CLOSE = 0.02
"""Scores that differ by at most this are about the same, where a report gives no margin."""
COMPILED = "compiled code here, a student's Python there"


class Measured(NamedTuple):
    """A measurement: a text with numbers and intervals, and the verdict on the claim."""

    text: str
    verdict: str


Measure = Callable[[Published], Measured]
Chosen = Callable[[ConditionFields], bool]
Truth = bool | None
"""True, false, or None if the interval does not tell."""


def verdict_of(truths: Iterable[Truth]) -> str:
    """Holds if true under every condition; in part if under some; else not, unless nothing can be told anywhere."""
    found = list(truths)
    if all(found):
        return HOLDS
    return PARTLY if any(found) else FAILS if False in found else OPEN


def above(interval: Interval, level: float = 0.0) -> Truth:
    """Whether the number is above a level."""
    return True if interval.low > level else False if interval.high < level else None


def below(interval: Interval, level: float = 0.0) -> Truth:
    """Whether the number is below a level."""
    return True if interval.high < level else False if interval.low > level else None


def told(interval: Interval, digits: int = 3, *, sign: bool = False) -> str:
    """A number with its interval."""
    number = f"{{:{'+' if sign else ''}.{digits}f}}"
    return f"{number.format(interval.mean)} [{number.format(interval.low)}, {number.format(interval.high)}]"


def per_cent(interval: Interval) -> str:
    """A share with its interval, in per cent."""
    return told(Interval(*(100 * end for end in interval)), 1) + " %"


def everywhere(_: ConditionFields) -> bool:
    """Every condition."""
    return True


def densities(low: float, high: float) -> Chosen:
    """Conditions of these densities, both included."""
    return lambda fields: low - 1e-9 <= fields.density <= high + 1e-9


def chosen(published: Published, where: Chosen) -> dict[str, ConditionFields]:
    """The conditions of a choice."""
    return {label: fields for label, fields in published.conditions.items() if where(fields)}


def name_of(fields: ConditionFields) -> str:
    """A condition in a few words."""
    level = next((name for name, size in PRESETS.items() if size == fields[:3]), "")
    return level or f"{fields.rows}x{fields.cols} at {fields.density:g}"


def ahead(
    first: str,
    second: str,
    score: str = "",
    *,
    where: Chosen = everywhere,
    fewer: bool = False,
    digits: int = 3,
    pooled: bool = False,
) -> Measure:
    """Whether one agent has more (or `fewer`) of a score than another under every condition, on the same boards.

    With `pooled`, on all boards together.
    """

    def measure(published: Published) -> Measured:
        labels = chosen(published, where)
        pairs = {
            label: (published.values(first, label, score), published.values(second, label, score)) for label in labels
        }
        differences = {label: estimates.paired(*pair) for label, pair in pairs.items()}
        truths = {label: (below if fewer else above)(d) for label, d in differences.items()}
        all_boards = estimates.paired(*(np.concatenate(part) for part in zip(*pairs.values(), strict=True)))
        least, most = (pick(labels, key=lambda label: differences[label].mean) for pick in (min, max))
        wanted, other = ("fewer", "more") if fewer else ("ahead", "behind")
        text = f"{score or published.ranking_score}, {first} less {second}: {told(all_boards, digits, sign=True)}"
        if len(labels) > 1:
            counts = [
                f"{wanted} at {sum(t is True for t in truths.values())} of {len(labels)}",
                f"{other} at {sum(t is False for t in truths.values())}",
                f"not told at {sum(t is None for t in truths.values())}",
            ]
            ends = [f"{told(differences[x], digits, sign=True)} ({name_of(labels[x])})" for x in (least, most)]
            text += f"; {', '.join(counts)}; from {ends[0]} to {ends[1]}"
        judged = [(below if fewer else above)(all_boards)] if pooled else truths.values()
        return Measured(text, verdict_of(judged))

    return measure


def about_the_same(first: str, second: str) -> Measure:
    """Whether two agents are nowhere clearly more than 0.02 apart, on the same boards."""

    def measure(published: Published) -> Measured:
        labels = published.conditions
        gaps = {x: estimates.paired(published.values(first, x), published.values(second, x)) for x in labels}
        near = [g.low <= CLOSE and g.high >= -CLOSE for g in gaps.values()]  # not clearly farther apart
        widest = max(gaps, key=lambda label: abs(gaps[label].mean))
        apart = f"{first} less {second} at most {told(gaps[widest], sign=True)} ({name_of(labels[widest])})"
        within = f"clearly more than {CLOSE:g} apart at {len(near) - sum(near)} of {len(near)}"
        return Measured(f"{apart}; {within}; no margin was given", verdict_of(near))

    return measure


def stays(agent: str, low: float) -> Measure:
    """Whether an agent's score is above a level under every condition."""

    def measure(published: Published) -> Measured:
        labels = published.conditions
        means = {label: estimates.mean(published.values(agent, label)) for label in labels}
        truths = {label: above(m, low) for label, m in means.items()}
        curve = ", ".join(f"{told(means[x])} at {labels[x].density:g}" for x in _spread(list(labels)))
        held = [f"{labels[x].density:g}" for x, truth in truths.items() if truth]
        text = f"{agent}: {curve}; above {low:g} at {', '.join(held) or 'none'}"
        return Measured(text, verdict_of(truths.values()))

    return measure


def _spread(labels: Sequence[str], count: int = 4) -> list[str]:
    """A few of the labels, the first and the last among them."""
    if len(labels) <= count:
        return list(labels)
    return [labels[round(i * (len(labels) - 1) / (count - 1))] for i in range(count)]


def crosses(agent: str, level: float, about: float) -> Measure:
    """Whether the score falls below a level at a density: above it before, below it after, by their intervals."""

    def measure(published: Published) -> Measured:
        curve = sorted((fields.density, label) for label, fields in published.conditions.items())
        means = {density: estimates.mean(published.values(agent, label)) for density, label in curve}
        low = [density for density, m in means.items() if below(m, level)]
        high = [density for density, m in means.items() if above(m, level)]
        if not low:
            return Measured(f"{agent} never falls below {level:g}", FAILS)
        first, last = min(low), max((d for d in high if d < min(low)), default=0.0)
        text = f"{agent} is above {level:g} up to density {last:g} ({told(means[last])}) " if last else f"{agent} is "
        text += f"{'and ' if last else ''}below it from {first:g} on ({told(means[first])})"
        return Measured(text, HOLDS if last - 1e-9 <= about <= first + 1e-9 else FAILS)

    return measure


def curve(agent: str, at: Sequence[float], verdict: str = UNSTATED) -> Measure:
    """The curve where no number was claimed."""

    def measure(published: Published) -> Measured:
        points = [f"{told(estimates.mean(published.values(agent, published.at(d))))} at {d:g}" for d in at]
        return Measured(f"{agent}: {', '.join(points)}", verdict)

    return measure


def steeper(agents: Sequence[str], before: tuple[float, float], after: tuple[float, float]) -> Measure:
    """Whether scores fall faster over the densities `after` than over `before`; boards differ between densities."""

    def measure(published: Published) -> Measured:
        words, truths = [], []
        for agent in agents:
            ends = [(w, published.values(agent, published.at(d))) for w, d in _slopes(before, after)]
            more = estimates.combination(ends)
            falls = [
                estimates.combination(list(zip((1, -1), span, strict=True)))
                for span in _spans(published, agent, before, after)
            ]
            truths.append(above(more))
            words.append(
                f"{agent} loses {told(falls[0])} over {before[0]:g}-{before[1]:g} and {told(falls[1])} over "
                f"{after[0]:g}-{after[1]:g}"
            )
        return Measured("; ".join(words), verdict_of(truths))

    return measure


def _slopes(before: tuple[float, float], after: tuple[float, float]) -> list[tuple[float, float]]:
    """The weights and densities of (fall over `after`) - (fall over `before`), each density once."""
    weights: dict[float, float] = {}
    for weight, density in ((1, after[0]), (-1, after[1]), (-1, before[0]), (1, before[1])):
        weights[density] = weights.get(density, 0) + weight
    return [(weight, density) for density, weight in weights.items()]


def _spans(
    published: Published, agent: str, *spans: tuple[float, float]
) -> list[tuple[estimates.Values, estimates.Values]]:
    return [(published.values(agent, published.at(a)), published.values(agent, published.at(b))) for a, b in spans]


def falls(agent: str, start: float, end: float) -> Measure:
    """Whether an agent's score falls from one density to another; the boards are not the same."""

    def measure(published: Published) -> Measured:
        a, b = (published.values(agent, published.at(density)) for density in (start, end))
        change = estimates.combination([(-1, a), (1, b)])
        text = f"{agent}: {told(estimates.mean(a))} at {start:g}, {told(estimates.mean(b))} at {end:g}, "
        return Measured(text + f"a change of {told(change, sign=True)}", verdict_of([below(change)]))

    return measure


def slower(second: str, first: str, *, where: Chosen = everywhere) -> Measure:
    """Whether one agent takes more CPU time than another per game, under every condition."""

    def measure(published: Published) -> Measured:
        labels = chosen(published, where)
        ratios = {x: estimates.quotient(published.seconds(second, x), published.seconds(first, x)) for x in labels}
        low, high = (pick(labels, key=lambda label: ratios[label].mean) for pick in (min, max))
        ends = [f"{told(ratios[x], 2)} ({name_of(labels[x])})" for x in (low, high)]
        text = f"CPU time of {second} / {first}: {ends[0]} to {ends[1]}; {COMPILED}"
        return Measured(text, verdict_of(above(r, 1.0) for r in ratios.values()))

    return measure


def grows(agents: Sequence[str], density: float, claimed: float | None = None) -> Measure:
    """How the CPU time of a game grows with the side of the board: the exponent."""

    def measure(published: Published) -> Measured:
        labels = {label: f for label, f in published.conditions.items() if f.density == density}
        largest = max(labels, key=lambda label: labels[label].rows)
        words, truths = [], []
        for agent in agents:
            points = [(float(f.rows), published.seconds(agent, x)) for x, f in labels.items() if f.rows >= 10]
            power = estimates.slope(points)
            truths.append(True if claimed is None or power.low <= claimed <= power.high else power.mean < claimed)
            took = 1000 * published.seconds(agent, largest).mean
            words.append(f"{agent} grows as side^{told(power, 2)}, to {took:.1f} ms a game")
        side = labels[largest].rows
        text = f"from 10x10 to {side}x{side} at density {density:g}: {'; '.join(words)}; {COMPILED}"
        return Measured(text, ANSWER if claimed is None else verdict_of(truths))

    return measure


def win_rate(agent: str, level: str, claimed: float) -> Measure:
    """Whether a win rate is among those of the three rules for the first click, where a report gives no rule."""

    def measure(published: Published) -> Measured:
        labels = {label: fields for label, fields in published.conditions.items() if fields[:3] == PRESETS[level]}
        rates = {
            rule_of(fields, "first_click"): estimates.mean(published.values(agent, x)) for x, fields in labels.items()
        }
        text = "first click " + ", ".join(f"{rule}: {per_cent(rate)}" for rule, rate in rates.items())
        if any(rate.low <= claimed <= rate.high for rate in rates.values()):
            return Measured(text, HOLDS)
        lowest, highest = min(r.low for r in rates.values()), max(r.high for r in rates.values())
        if lowest <= claimed <= highest:
            return Measured(f"{text}; the claim lies between two of them, and names no rule", OPEN)
        return Measured(text, FAILS)

    return measure


def rule_of(fields: ConditionFields, key: str) -> str:
    """A word of the rules of a condition."""
    rules = dict(word.partition("=")[::2] for word in fields.rules.split())
    return rules.get(key, "")


def in_groups(agents: Sequence[str], score: str, *, more: bool) -> Measure:
    """Whether a score is higher, or lower, where mines lie in groups, for each size of groups."""

    def measure(published: Published) -> Measured:
        sources = {label: Spec.parse(fields.source) for label, fields in published.conditions.items()}
        (scattered,) = (label for label, source in sources.items() if source.name != "clustered")
        words, truths = [], []
        for agent in agents:
            changes = {
                source.parameters["group"]: estimates.combination(
                    [(1, published.values(agent, label, score)), (-1, published.values(agent, scattered, score))]
                )
                for label, source in sources.items()
                if label != scattered
            }
            truths += [(above if more else below)(change) for change in changes.values()]
            told_groups = ", ".join(f"{told(change, 2, sign=True)} in groups of {g}" for g, change in changes.items())
            now = estimates.mean(published.values(agent, scattered, score))
            words.append(f"{agent} {told(now, 2)} scattered, {told_groups}")
        return Measured(f"{score}: {'; '.join(words)}", verdict_of(truths))

    return measure


def peaks(agent: str, score: str, low: float, high: float) -> Measure:
    """Whether a score is highest at a density in a range, for every size: no other density is clearly higher."""

    def measure(published: Published) -> Measured:
        words, truths = [], []
        for size in sorted({fields.rows for fields in published.conditions.values()}):
            curve = {
                f.density: published.values(agent, x, score) for x, f in published.conditions.items() if f.rows == size
            }
            top = max(curve, key=lambda d: (curve[d].mean(), -d))
            best = max((d for d in curve if low - 1e-9 <= d <= high + 1e-9), key=lambda d: curve[d].mean())
            lead = estimates.combination([(1, curve[top]), (-1, curve[best])])
            truths.append(True if top == best else False if lead.low > 0 else None)
            like = [
                f"{d:g}" for d in curve if estimates.combination([(1, curve[top]), (-1, curve[d])]).low <= 0 or d == top
            ]
            words.append(
                f"{size}x{size}: highest at {top:g} ({told(estimates.mean(curve[top]), 1)}), "
                f"not told from {', '.join(like)}"
            )
        return Measured(f"{score} of {agent}: {'; '.join(words)}", verdict_of(truth is not False for truth in truths))

    return measure


def rounds_to(agent: str, scores: Mapping[str, str], low: int, high: int, where: Chosen, decided_by: str) -> Measure:
    """Whether a number per game rounds to a whole number of a range; others are told beside it.

    Games that have nothing to count, whose number is 0, are left out.
    """

    def measure(published: Published) -> Measured:
        labels = chosen(published, where)
        words, truths = [], []
        for score, word in scores.items():
            numbers = {x: published.values(agent, x, score) for x in labels}
            means = {x: estimates.mean(values[values > 0]) for x, values in numbers.items() if (values > 0).any()}
            words.append(
                f"{word} "
                + ", ".join(
                    f"{told(m, 2)} at {labels[x].density:g}" for x, m in means.items() if x in _spread(list(labels), 3)
                )
            )
            if score == decided_by:
                truths = [_within(m, low - 0.5, high + 0.5) for m in means.values()]
        return Measured(f"{agent}: {'; '.join(words)}", verdict_of(truths))

    return measure


def _within(interval: Interval, low: float, high: float) -> Truth:
    if low <= interval.low and interval.high <= high:
        return True
    return False if interval.high < low or interval.low > high else None


def go_together(pairs: Sequence[tuple[str, str, str]], where: Chosen, expected: Sequence[str]) -> Measure:
    """Whether two numbers of a game go together within conditions: (agent, one, other), each expected `+` or `-`.

    `?` expects nothing.
    """

    def measure(published: Published) -> Measured:
        words, truths = [], []
        for (agent, one, other), sign in zip(pairs, expected, strict=True):
            groups = [
                (published.values(agent, x, one), published.values(agent, x, other)) for x in chosen(published, where)
            ]
            r = estimates.correlation(groups)
            truths.append(above(r) if sign == "+" else below(r))
            words.append(f"{agent}: {one} and {other} correlate by {told(r, 2, sign=True)}")
        return Measured("; ".join(words), UNSTATED if "?" in expected else verdict_of(truths))

    return measure


def shares(
    agents: Sequence[str],
    part: str,
    whole: str,
    what: str,
    *,
    where: Chosen = everywhere,
    judge: Callable[[Interval], Truth] | None = None,
    otherwise: str = ANSWER,
) -> Measure:
    """What share of one number another is, at each density, for each agent; `judge` says what a share shows."""

    def measure(published: Published) -> Measured:
        labels = chosen(published, where)
        words, truths = [], []
        for agent in agents:
            found = {
                x: estimates.ratio(published.values(agent, x, part), published.values(agent, x, whole)) for x in labels
            }
            points = [f"{per_cent(share)} at {labels[x].density:g}" for x, share in found.items()]
            words.append(f"{agent} {', '.join(points)}")
            truths += [judge(share) if judge is not None else None for share in found.values()]
        return Measured(f"{what}: {'; '.join(words)}", otherwise if judge is None else verdict_of(truths))

    return measure


def solves(agent: str, judge: Callable[[Interval], Truth]) -> Measure:
    """What share of what the clues prove, and single clues do not, an agent proves."""
    what = (
        "of the positions in which clues prove a safe cell and single clues do not, it solves (what it misses counts "
        "again in later positions)"
    )
    return shares([agent], "stuck-proven", "stuck-provable", what, judge=judge)


def works_out(*agents: str) -> Measure:
    """How often agents prove a safe cell where single clues prove none."""
    subject = "it" if len(agents) == 1 else "each"
    what = f"of the positions in which single clues prove no safe cell, {subject} proves one in"
    return shares(agents, "stuck-proven", "stuck", what)
