"""Measures that several claims share: functions from published numbers to a measurement.

A comparison of agents is on the same boards. Between densities, sizes and sources of boards the boards differ, and the
samples are independent.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

import numpy as np

from claims import estimates, uncompiled
from claims.published import Published
from claims.verdicts import (
    ANSWER,
    FAILS,
    HOLDS,
    NOT_REPRODUCED,
    UNSTATED,
    Measure,
    Measured,
    Truth,
    above,
    below,
    extremes,
    format_interval,
    judged,
    listed,
    per_cent,
    within,
)
from sweepstakes.game.size import PRESETS
from sweepstakes.spec import Spec
from sweepstakes.standings import ConditionFields, Interval

CLOSE = 0.02
"""Scores that differ by at most this are about the same, where a report gives no margin."""
COMPILED = "our code is compiled, the report's was a student's Python"

Chosen = Callable[[ConditionFields], bool]


def everywhere(_: ConditionFields) -> bool:
    """Every condition."""
    return True


def densities(low: float, high: float) -> Chosen:
    """Conditions of these densities, both included."""
    return lambda fields: low - 1e-9 <= fields.density <= high + 1e-9


def named(published: Published, where: Chosen = everywhere) -> dict[str, str]:
    """The labels of the chosen conditions by short names: a level, a density, a size, or size and density."""
    fields = {label: found for label, found in published.conditions.items() if where(found)}
    one_size = len({found[:2] for found in fields.values()}) == 1
    one_density = len({found.density for found in fields.values()}) == 1
    names = {}
    for label, (rows, cols, mines, density, *_) in fields.items():
        level = next((name for name, size in PRESETS.items() if size == (rows, cols, mines)), "")
        size, share = f"{rows}x{cols}", f"{density:g}"
        names[level or (share if one_size else size if one_density else f"{size} at {share}")] = label
    if len(names) < len(fields):
        return {label: label for label in fields}
    return names


def ahead(
    first: str, second: str, score: str = "", *, where: Chosen = everywhere, fewer: bool = False, digits: int = 3
) -> Measure:
    """Whether one agent has more (or `fewer`) of a score than another under every condition, on the same boards."""

    def measure(published: Published) -> Measured:
        pairs = {
            name: (published.values(first, label, score), published.values(second, label, score))
            for name, label in named(published, where).items()
        }
        differences = {name: estimates.paired(*pair) for name, pair in pairs.items()}
        truths = {name: (below if fewer else above)(d) for name, d in differences.items()}
        all_boards = estimates.paired(*(np.concatenate(part) for part in zip(*pairs.values(), strict=True)))
        wanted, other = ("fewer", "more") if fewer else ("ahead", "behind")
        name = score or published.ranking_score
        what, mean = f"{name}, {first} minus {second}", format_interval(all_boards, digits, sign=True)
        if len(pairs) == 1:
            return judged(f"{name} {mean} at {next(iter(pairs))}", truths, [f"{what}: {mean}"])
        count = {truth: sum(t is truth for t in truths.values()) for truth in (True, False, None)}
        details = (
            f"{what}: {mean}; {wanted} at {count[True]} of {len(pairs)}, {other} at {count[False]}, undecided at "
            f"{count[None]}; from {extremes(differences, lambda d: format_interval(d, digits, sign=True))}"
        )
        return judged(f"{name} {mean}; {wanted} at {count[True]} of {len(pairs)}", truths, [details])

    return measure


def about_the_same(first: str, second: str) -> Measure:
    """Whether two agents are within 0.02 of each other, on the same boards."""

    def measure(published: Published) -> Measured:
        gaps = {
            name: estimates.paired(published.values(first, label), published.values(second, label))
            for name, label in named(published).items()
        }
        widest = max(gaps, key=lambda name: abs(gaps[name].mean))
        text = f"largest difference {format_interval(gaps[widest], sign=True)} at {widest}"
        shown = listed(gaps, lambda gap: format_interval(gap, sign=True))
        details = f"{first} minus {second}: {shown}; the report gives no margin, we allow {CLOSE:g}"
        truths = {name: within(gap, -CLOSE, CLOSE) for name, gap in gaps.items()}
        if not any(end for gap in gaps.values() for end in gap):
            return judged("equal on every board", truths)
        return judged(text, truths, [details])

    return measure


def stays(agent: str, low: float) -> Measure:
    """Whether an agent's score is above a level under every condition."""

    def measure(published: Published) -> Measured:
        means = {name: estimates.mean(published.values(agent, x)) for name, x in named(published).items()}
        truths = {name: above(m, low) for name, m in means.items()}
        held = sum(truth is True for truth in truths.values())
        text = f"above {low:g} at {held} of {len(means)}; {extremes(means)}"
        return judged(text, truths, [f"{agent}: {listed(means)}"])

    return measure


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
        text = f"above {level:g} up to {last:g} ({format_interval(means[last])}), " if last else ""
        text += f"below it from {first:g} on ({format_interval(means[first])})"
        return Measured(text, HOLDS if last - 1e-9 <= about <= first + 1e-9 else FAILS)

    return measure


def curve(agent: str, at: Sequence[float], verdict: str = UNSTATED) -> Measure:
    """The curve where no number was claimed."""

    def measure(published: Published) -> Measured:
        points = {f"{d:g}": estimates.mean(published.values(agent, published.at(d))) for d in at}
        ends = {name: points[name] for name in (f"{at[0]:g}", f"{at[-1]:g}")}
        return Measured(listed(ends), verdict, [f"{agent}: {listed(points)}"])

    return measure


def steeper(agents: Sequence[str], before: tuple[float, float], after: tuple[float, float]) -> Measure:
    """Whether scores fall faster over the densities `after` than over `before`; boards differ between densities."""

    def measure(published: Published) -> Measured:
        more, details = {}, []
        for agent in agents:
            ends = [(w, published.values(agent, published.at(d))) for w, d in _slopes(before, after)]
            more[agent] = estimates.combination(ends)
            spans = [[published.values(agent, published.at(d)) for d in span] for span in (before, after)]
            falls = [estimates.combination([(1, start), (-1, end)]) for start, end in spans]
            details.append(
                f"{agent} loses {format_interval(falls[0])} over {before[0]:g}-{before[1]:g} and "
                f"{format_interval(falls[1])} over {after[0]:g}-{after[1]:g}"
            )
        text = ", ".join(f"{agent} {format_interval(number, sign=True)}" for agent, number in more.items())
        return judged(f"additional drop: {text}", {agent: above(number) for agent, number in more.items()}, details)

    return measure


def _slopes(before: tuple[float, float], after: tuple[float, float]) -> list[tuple[float, float]]:
    """The weights and densities of (fall over `after`) - (fall over `before`), each density once."""
    weights: dict[float, float] = {}
    for weight, density in ((1, after[0]), (-1, after[1]), (-1, before[0]), (1, before[1])):
        weights[density] = weights.get(density, 0) + weight
    return [(weight, density) for density, weight in weights.items()]


def falls(agent: str, start: float, end: float) -> Measure:
    """Whether an agent's score falls from one density to another; the boards are not the same."""

    def measure(published: Published) -> Measured:
        a, b = (published.values(agent, published.at(density)) for density in (start, end))
        change = estimates.combination([(-1, a), (1, b)])
        text = f"{format_interval(change, sign=True)} from {start:g} to {end:g}"
        means = {f"{start:g}": estimates.mean(a), f"{end:g}": estimates.mean(b)}
        return judged(text, {"": below(change)}, [f"{agent}: {listed(means)}"])

    return measure


def slower(second: str, first: str, *, where: Chosen = everywhere) -> Measure:
    """Whether one agent takes more CPU time than another per game, under every condition."""

    def measure(published: Published) -> Measured:
        ratios = {
            name: estimates.quotient(published.seconds(second, x), published.seconds(first, x))
            for name, x in named(published, where).items()
        }
        truths = {name: above(ratio, 1.0) for name, ratio in ratios.items()}
        details = f"CPU time of {second} / {first}: {listed(ratios, lambda r: format_interval(r, 2))}; {COMPILED}"
        return judged(f"time x {extremes(ratios, lambda r: format_interval(r, 2))}", truths, [details])

    return measure


def grows(agents: Sequence[str], density: float, judge: Callable[[Interval], Truth] | None = None) -> Measure:
    """How the CPU time of a game grows with the side of the board: the exponent; `judge` says what it shows."""

    def measure(published: Published) -> Measured:
        labels = {label: f for label, f in published.conditions.items() if f.density == density}
        largest = max(labels, key=lambda label: labels[label].rows)
        side = labels[largest].rows
        powers, details = {}, []
        for agent in agents:
            points = [(float(f.rows), published.seconds(agent, x)) for x, f in labels.items() if f.rows >= 10]
            powers[agent] = estimates.slope(points)
            took = 1000 * published.seconds(agent, largest).mean
            details.append(
                f"from 10x10 to {side}x{side} at density {density:g} {agent} grows as "
                f"side^{format_interval(powers[agent], 2)}, to {took:.1f} ms per game; {COMPILED}"
            )
        text = ", ".join(f"side^{format_interval(power, 2)} ({agent})" for agent, power in powers.items())
        if len(agents) > 2:
            text = extremes(
                {f"({agent})": p for agent, p in powers.items()}, lambda p: f"side^{format_interval(p, 2)}", at=""
            )
        if judge is None:
            return Measured(text, ANSWER, details)
        return judged(text, {agent: judge(power) for agent, power in powers.items()}, details)

    return measure


def win_rate(agent: str, level: str, claimed: float) -> Measure:
    """Whether a win rate is that of one of the three rules for the first click, where a report gives no rule.

    The rate is an observation of the authors' own program: if it is not among ours, it is not reproduced.
    """

    def measure(published: Published) -> Measured:
        labels = {label: fields for label, fields in published.conditions.items() if fields[:3] == PRESETS[level]}
        rates = {
            rule_of(fields, "first_click"): estimates.mean(published.values(agent, x)) for x, fields in labels.items()
        }
        shown = [f"first click {rule}: {per_cent(rate)}" for rule, rate in rates.items()]
        text = extremes({f"({rule} first click)": rate for rule, rate in rates.items()}, per_cent, at="")
        same = any(rate.low <= claimed <= rate.high for rate in rates.values())
        if not same and min(r.low for r in rates.values()) <= claimed <= max(r.high for r in rates.values()):
            shown.append("the claim is between two of them and names no rule")
        return Measured(text, HOLDS if same else NOT_REPRODUCED, ["; ".join(shown)])

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
        truths: dict[str, Truth] = {}
        words, details = [], []
        for agent in agents:
            changes = {
                f"groups of {source.parameters['group']}": estimates.combination(
                    [(1, published.values(agent, label, score)), (-1, published.values(agent, scattered, score))]
                )
                for label, source in sources.items()
                if label != scattered
            }
            truths |= {f"{name} ({agent})": (above if more else below)(change) for name, change in changes.items()}
            now = estimates.mean(published.values(agent, scattered, score))
            details.append(
                f"{score}: {agent} {format_interval(now, 2)} scattered, "
                f"{listed(changes, lambda c: format_interval(c, 2, sign=True), 'in ')}"
            )
            most = max(changes, key=lambda name: int(name.rsplit(maxsplit=1)[1]))
            words.append(f"{format_interval(changes[most], 2, sign=True)} in {most} ({agent})")
        return judged(", ".join(words), truths, details)

    return measure


def peaks(agent: str, score: str, low: float, high: float) -> Measure:
    """Whether a score is higher at a density in a range than at each density outside of it, for every size."""

    def measure(published: Published) -> Measured:
        truths: dict[str, Truth] = {}
        words, details = [], []
        for size in sorted({fields.rows for fields in published.conditions.values()}):
            curve = {
                f.density: published.values(agent, x, score) for x, f in published.conditions.items() if f.rows == size
            }
            inside = [d for d in curve if low - 1e-9 <= d <= high + 1e-9]
            best = max(inside, key=lambda d: curve[d].mean())
            for density in curve:
                if density not in inside:
                    lead = estimates.combination([(1, curve[best]), (-1, curve[density])])
                    truths[f"{density:g} on {size}x{size}"] = above(lead)
            top = max(curve, key=lambda d: (curve[d].mean(), -d))
            words.append(f"{format_interval(estimates.mean(curve[top]), 1)} at {top:g} on {size}x{size}")
            means = {f"{d:g}": estimates.mean(values) for d, values in curve.items()}
            details.append(f"{score} of {agent} on {size}x{size}: {listed(means, lambda m: format_interval(m, 1))}")
        return judged(f"highest: {', '.join(words)}", truths, details)

    return measure


def rounds_to(agent: str, scores: Mapping[str, str], low: int, high: int, where: Chosen, decided_by: str) -> Measure:
    """Whether a number per game rounds to a whole number of a range; other numbers are among the details.

    Games that have nothing to count, whose number is 0, are left out.
    """

    def measure(published: Published) -> Measured:
        found, details = {}, []
        for score, word in scores.items():
            numbers = {name: published.values(agent, x, score) for name, x in named(published, where).items()}
            means = {name: estimates.mean(values[values > 0]) for name, values in numbers.items() if (values > 0).any()}
            details.append(f"{agent}: {word} {listed(means, lambda m: format_interval(m, 2))}")
            if score == decided_by:
                found = means
        truths = {name: within(m, low - 0.5, high + 0.5) for name, m in found.items()}
        return judged(extremes(found, lambda m: format_interval(m, 2)), truths, details)

    return measure


def go_together(pairs: Sequence[tuple[str, str, str]], where: Chosen, expected: Sequence[str]) -> Measure:
    """Whether two numbers of a game go together within conditions: (agent, one, other), each expected `+` or `-`.

    `?` expects nothing.
    """

    def measure(published: Published) -> Measured:
        found, truths, details = [], {}, []
        for (agent, one, other), sign in zip(pairs, expected, strict=True):
            groups = [
                (published.values(agent, x, one), published.values(agent, x, other))
                for x in named(published, where).values()
            ]
            r = estimates.correlation(groups)
            truths[agent] = above(r) if sign == "+" else below(r)
            found.append(f"r = {format_interval(r, 2, sign=True)} ({agent})")
            details.append(f"{agent}: the correlation of {one} and {other} is {format_interval(r, 2, sign=True)}")
        text = ", ".join(found)
        return Measured(text, UNSTATED, details) if "?" in expected else judged(text, truths, details)

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
        found: dict[str, Interval] = {}
        details = []
        for agent in agents:
            points = {
                name: estimates.ratio(published.values(agent, x, part), published.values(agent, x, whole))
                for name, x in named(published, where).items()
            }
            owner = f" ({agent})" if len(agents) > 1 else ""
            found |= {name + owner: share for name, share in points.items()}
            details.append(f"{what}: {agent} {listed(points, per_cent)}")
        text = extremes(found, per_cent)
        if judge is None:
            return Measured(text, otherwise, details)
        return judged(text, {name: judge(share) for name, share in found.items()}, details)

    return measure


def slower_uncompiled(leaderboard: str, second: str, first: str) -> Measure:
    """Whether one agent takes more CPU time than another without compilation, on the same boards."""

    def measure(published: Published) -> Measured:
        times: dict[str, dict[str, list[float]]] = {}
        one_side = len({time.side for time in uncompiled.read() if time.leaderboard == leaderboard}) == 1
        for time in uncompiled.read():
            if time.leaderboard == leaderboard:
                name = f"{time.density:g}" if one_side else f"{time.side}x{time.side}"
                times.setdefault(name, {}).setdefault(time.agent, []).append(time.seconds)
        ratios, medians = {}, []
        for name, own in times.items():
            change = estimates.paired(*(np.log10(np.array(own[agent])) for agent in (second, first)))
            ratios[name] = Interval(*(10**end for end in change))
            medians.append(f"{1000 * np.median(own[second]):.1f} and {1000 * np.median(own[first]):.1f} at {name}")
        compiled = {
            name: estimates.quotient(published.seconds(second, x), published.seconds(first, x))
            for name, x in named(published).items()
        }
        details = [
            f"CPU time of {second} / {first} as plain Python (NUMBA_DISABLE_JIT=1), geometric mean on the same "
            f"{uncompiled.BOARDS} boards: {listed(ratios, lambda r: format_interval(r, 2))}",
            f"median milliseconds of a game as plain Python, {second} and {first}: {', '.join(medians)}",
            f"compiled: {listed(compiled, lambda r: format_interval(r, 2))}",
            "repeat: `NUMBA_DISABLE_JIT=1 PYTHONPATH=docs/tools python -m claims.uncompiled`",
        ]
        truths = {name: above(ratio, 1.0) for name, ratio in ratios.items()}
        return judged(f"uncompiled: time x {extremes(ratios, lambda r: format_interval(r, 2))}", truths, details)

    return measure
