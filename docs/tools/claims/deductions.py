"""Measures of deductions: what they prove in the positions of one reference game, and what agents miss.

The reference game is that of `exact(singles_first=true)` on the leaderboard `proofs`: single clues are played out,
every deduction is asked where they are stuck, and the posterior moves on. So all deductions meet the same positions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from claims import estimates
from claims.measures import named
from claims.published import Published
from claims.verdicts import ANSWER, Measure, Measured, Truth, extremes, format_interval, judged, listed, per_cent
from sweepstakes.standings import Interval


def solves(agent: str, deduction: str, judge: Callable[[Interval], Truth]) -> Measure:
    """What share of what the clues prove, and single clues do not, a deduction proves in the same positions.

    The positions are those of the reference game; `deduction` is the score that counts where it proves a cell.
    """

    def measure(published: Published) -> Measured:
        points = {
            name: estimates.ratio(
                published.values("reference", label, deduction), published.values("reference", label, "stuck-provable")
            )
            for name, label in named(published).items()
        }
        details = [
            "share of the positions of the reference game in which all clues prove a safe cell and single clues do "
            f"not: the deduction of {agent} proves one in {listed(points, per_cent)}",
            proven_in_time(published, agent),
        ]
        return judged(extremes(points, per_cent), {name: judge(share) for name, share in points.items()}, details)

    return measure


def proven_in_time(published: Published, agent: str) -> str:
    """The share of the cells that clues ever prove which an agent proves in time, in its own games."""
    return f"of all cells that clues ever prove, {agent} proves in time {listed(in_time(published, agent), finely)}"


def finely(share: Interval) -> str:
    """Write a share close to all with its interval, in per cent."""
    return format_interval(Interval(*(100 * end for end in share)), 2) + " %"


def in_time(published: Published, agent: str) -> dict[str, Interval]:
    """The same share under each condition."""
    return {
        name: estimates.ratio(*(published.values(agent, label, score) for score in ("proven-cells", "provable-cells")))
        for name, label in named(published).items()
    }


def works_out(deductions: Mapping[str, str]) -> Measure:
    """How often deductions prove a safe cell where single clues prove none: the score of each agent's deduction."""

    def measure(published: Published) -> Measured:
        found: dict[str, Interval] = {}
        details = []
        for agent, score in deductions.items():
            points = {
                name: estimates.ratio(
                    published.values("reference", x, score), published.values("reference", x, "stuck")
                )
                for name, x in named(published).items()
            }
            owner = f" ({agent})" if len(deductions) > 1 else ""
            found |= {name + owner: share for name, share in points.items()}
            details.append(
                "share of the stuck positions of the reference game (single clues prove no safe cell) in which the "
                f"deduction of {agent} proves one: {listed(points, per_cent)}"
            )
        details.append(proven_in_time(published, "basic"))
        details += [proven_in_time(published, agent) for agent in deductions]
        return Measured(extremes(found, per_cent), ANSWER, details)

    return measure


def surprises(agent: str) -> Measure:
    """How often an agent guesses although some cell is certainly safe, which surprises those who see it."""

    def measure(published: Published) -> Measured:
        found = {
            name: estimates.ratio(
                sum_of(published, agent, labels, "missed-proofs"), sum_of(published, agent, labels, "guesses")
            )
            for name, labels in _levels(published).items()
        }
        details = [
            f"guesses of {agent} while another cell was certainly safe: {listed(found, per_cent, 'on ')}; all other "
            "decisions follow from its own rules; `sweepstakes review` lists each of them with the better cell"
        ]
        return Measured(extremes(found, per_cent, "on "), ANSWER, details)

    return measure


def sum_of(published: Published, agent: str, labels: Sequence[str], score: str) -> estimates.Values:
    """A score under several conditions, one after the other."""
    return estimates.joined([published.values(agent, label, score) for label in labels])


def _levels(published: Published) -> dict[str, list[str]]:
    """The labels of the conditions of each size."""
    levels: dict[str, list[str]] = {}
    for label, fields in published.conditions.items():
        levels.setdefault(f"{fields.rows}x{fields.cols} with {fields.mines} mines", []).append(label)
    return levels
