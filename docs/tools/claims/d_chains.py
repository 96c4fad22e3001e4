"""The claims and questions of report D: chains of influence, patterns, the first step, uncertainty."""

from __future__ import annotations

from itertools import pairwise

from claims import estimates
from claims.b_constraints import where_the_count_helps, wrong_flags
from claims.claims import Claim, System
from claims.deductions import works_out
from claims.examples import merged, misdrawn, ring
from claims.measures import ahead, curve, densities, go_together, grows, peaks, rounds_to, rule_of, shares
from claims.published import Published
from claims.verdicts import (
    ANSWER,
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
)
from sweepstakes.standings import ConditionFields, Interval

FIGURES = "pytest tests/leaderboards/test_worked_figures.py"


def most(share: Interval) -> Truth:
    """Whether a share is more than half."""
    return above(share, 0.5)


def lower_and_lower(published: Published) -> Measured:
    """Whether the score falls with every step of the density."""
    points = sorted((fields.density, label) for label, fields in published.conditions.items())
    steps = {
        f"{start:g} to {end:g}": estimates.combination(
            [(-1, published.values("chain", a)), (1, published.values("chain", b))]
        )
        for (start, a), (end, b) in pairwise(points)
    }
    truths = {name: below(step) for name, step in steps.items()}
    means = {f"{d:g}": estimates.mean(published.values("chain", label)) for d, label in points}
    falling = sum(truth is True for truth in truths.values())
    return judged(f"falls in {falling} of {len(steps)} steps", truths, [f"chain: {listed(means)}"])


def longest_with_few_mines(published: Published) -> Measured:
    """Whether runs of cells decided without a guess are longest where mines are few."""
    lengths = {
        fields.density: published.values("chain", label, "longest-run")
        for label, fields in published.conditions.items()
    }
    change = {
        f"{d:g}": estimates.combination([(1, lengths[0.05]), (-1, values)]) for d, values in lengths.items() if d > 0.05
    }
    means = {f"{d:g}": estimates.mean(values) for d, values in lengths.items()}
    text = f"{format_interval(means['0.05'], 1)} at 0.05; {extremes(means, lambda m: format_interval(m, 1))}"
    details = [f"cells of the longest run without a guess: {listed(means, lambda m: format_interval(m, 1))}"]
    return judged(text, {name: above(c) for name, c in change.items()}, details)


def saturates(published: Published) -> Measured:
    """What longer windows add to windows of four, and shorter ones lack."""
    gains = {}
    for window in (1, 2, 3, 5, 6, 8):
        pairs = [
            (published.values(f"window-{window}", label), published.values("window-4", label))
            for label in published.conditions
        ]
        gains[f"{window}"] = estimates.paired(*(estimates.joined(part) for part in zip(*pairs, strict=True)))
    shown = {window: gains[window] for window in ("3", "8")}
    truths = {"3 clues": below(gains["3"]), "8 clues": below(gains["8"], 0.005)}
    return judged(
        listed(shown, lambda gain: format_interval(gain, 4, sign=True), "with "),
        truths,
        [
            "difference in identified to a window of 4: "
            f"{listed(gains, lambda g: format_interval(g, 4, sign=True), 'with ')}; "
            "3 clues should lose, and 8 should gain less than 0.005 (our margin)"
        ],
    )


def patterns_alone(published: Published) -> Measured:
    """What share of the gain of windows of four the patterns give alone."""
    one, patterns, four = (
        estimates.joined([published.values(agent, label) for label in published.conditions])
        for agent in ("window-1", "patterns-alone", "window-4")
    )
    share = estimates.ratio(patterns - one, four - one)
    gain = estimates.paired(patterns, one)
    details = [f"patterns alone give {per_cent(share)} of the gain of windows of 4 over single clues"]
    return judged(format_interval(gain, sign=True), {"": above(gain)}, details)


def first_step(agent: str, score: str) -> Measure:
    """How much worse a corner or an edge is than the middle, under each first-click rule, on the same boards."""

    def measure(published: Published) -> Measured:
        labels = {
            (rule_of(fields, "first_click"), rule_of(fields, "start")): label
            for label, fields in published.conditions.items()
        }
        changes, details = {}, []
        digits = 2 if score == "detonated" else 4
        for rule in ("any", "safe", "opening"):
            corner, edge, middle = (published.values(agent, labels[rule, at], score) for at in ("0,0", "0,8", "8,8"))
            changes[f"first click {rule}"] = change = estimates.paired(corner, middle)
            beside = format_interval(estimates.paired(edge, middle), digits, sign=True)
            details.append(
                f"{score} of {agent}, first click {rule}: middle {format_interval(estimates.mean(middle), digits)}, "
                f"corner minus middle {format_interval(change, digits, sign=True)}, edge minus middle {beside}"
            )
        worse = above if score == "detonated" else below
        truths = {name: worse(change) for name, change in changes.items()}
        return judged(extremes(changes, lambda c: format_interval(c, digits, sign=True), "with "), truths, details)

    return measure


def longest(published: Published) -> Measured:
    """The longest chains of proofs that were found, and at which density."""
    words, details = [], []
    for agent in ("chain", "exact"):
        found = {f.density: published.values(agent, x, "chain-length") for x, f in published.conditions.items()}
        best = max(found, key=lambda density: float(found[density].max()))
        words.append(f"{found[best].max():.0f} proofs at {best:g} ({agent})")
        mean = format_interval(estimates.mean(found[best]), 1)
        details.append(
            f"{agent}: the mean at {best:g} is {mean}; 100 boards per density; the leaderboard shows the game"
        )
    return Measured(", ".join(words), ANSWER, details)


def uncertainty(published: Published) -> Measured:
    """What clues that are withheld, too small or too large cost an agent that knows how, and one that does not."""
    found: dict[str, dict[str, Interval]] = {"exact": {}, "chain": {}}
    for noise, what in (
        ("exact-clues", "true clues"),
        ("hidden", "clues withheld"),
        ("optimistic", "clues too small"),
        ("cautious", "clues too large"),
    ):
        for agent, points in found.items():
            label = next(
                x for x, fields in published.conditions.items() if fields.noise in (noise, f"{noise}(rate=0.25)")
            )
            points[what] = estimates.mean(published.values(agent, label))
    words = [f"{format_interval(points['clues too large'])} ({agent})" for agent, points in found.items()]
    details = [
        f"identified with a quarter of the clues uncertain: {agent} {listed(points, at='with ')}"
        for agent, points in found.items()
    ]
    return Measured(f"{', '.join(words)} with clues too large", ANSWER, details)


def bounds_filter(published: Published) -> Measured:
    """Whether clues taken as bounds identify more mines than clues taken at their word, where clues are wrong."""
    gains, means = {}, []
    for noise in ("hidden", "optimistic", "cautious"):
        for rate in ("0.25", "0.5"):
            label = next(x for x, f in published.conditions.items() if f.noise == f"{noise}(rate={rate})")
            both = [published.values(agent, label) for agent in ("bounds", "chain")]
            gains[f"{noise} {rate}"] = estimates.paired(*both)
            own, other = (format_interval(estimates.mean(values)) for values in both)
            means.append(f"{own} instead of {other} with {noise} {rate}")
    details = [f"identified, bounds instead of chain: {', '.join(means)}"]
    text = f"bounds minus chain: {extremes(gains, lambda g: format_interval(g, sign=True), 'with ')}"
    return judged(text, {name: above(gain) for name, gain in gains.items()}, details)


def hard(published: Published) -> Measured:
    """How often the best guesser wins."""
    found = {
        f"{fields.rows}x{fields.cols} with {fields.mines} mines": estimates.mean(published.values("exact", label))
        for label, fields in published.conditions.items()
        if rule_of(fields, "first_click") == "safe"
    }
    details = [f"exact, which opens the cell least likely to be a mine, wins {listed(found, per_cent, 'on ')}"]
    return Measured(extremes(found, per_cent, "on "), ANSWER, details)


def simple_range(fields: ConditionFields) -> bool:
    """Densities below 0.5, where the report says that it holds; from 0.1 on, where games get stuck."""
    return 0.1 <= fields.density < 0.5


D = System(
    "D",
    "chains of influence",
    [
        Claim(
            "3.2",
            "every step is rigorous inference, so every decision is correct",
            "report-d-16x16",
            wrong_flags(["chain"], True),
        ),
        Claim("3.2", "complex inference solves the three equations on A to E", "", ring, FIGURES),
        Claim(
            "3.3",
            "simple inference works most of the time (share of the inferred cells that single clues decide)",
            "report-d",
            shares(
                ["chain"],
                "single-clue-cells",
                "inferred-cells",
                "inferred cells that a single clue decides",
                judge=most,
            ),
            quote="it has a huge chain reaction on block around it and it works at most of the times",
        ),
        Claim("3.5", "the higher the density, the lower the score", "report-d-16x16", lower_and_lower),
        Claim(
            "3.5",
            "with very few mines the chain of influence is longer than with more",
            "report-d",
            longest_with_few_mines,
            quote="With very few mine, the secure areas are tend to adjacent with each other, making the chain of "
            "influence longer",
            note="a chain reaction: the longest run of cells decided without a guess, floods included",
        ),
        Claim(
            "3.5",
            "the game is very hard at a density of 0.6 to 0.7",
            "report-d-16x16",
            curve("chain", [0.3, 0.4, 0.5, 0.6, 0.65, 0.7]),
        ),
        Claim("3.6", "question: when do time and space become a problem?", "sizes", grows(["chain"], 0.4)),
        Claim("3.7", "the number of mines matters little until few cells are left", "proofs", where_the_count_helps),
        Claim("4(i)", "two merged clues of the report's table prove that A is a mine", "", merged, FIGURES),
        Claim(
            "4(ii)",
            "at density 0.7 the longest chain is usually 3 or 2",
            "report-d-frontiers",
            rounds_to(
                "chain",
                {
                    "stuck-frontier-mean": "mean over the stuck positions of a game",
                    "stuck-frontier": "longest in the game",
                },
                2,
                3,
                lambda fields: fields.density == 0.7 and fields.rows == 16,
                "stuck-frontier-mean",
            ),
        ),
        Claim(
            "4(iii)",
            "below density 0.5, the longer the chain, the lower the score of simple inference",
            "report-d-frontiers",
            go_together([("basic", "stuck-frontier", "identified")], simple_range, "-"),
        ),
        Claim(
            "4(iii)",
            "with chains of influence, the longest chain has little effect on the score",
            "report-d-frontiers",
            go_together(
                [("chain", "stuck-frontier", "identified"), ("basic", "stuck-frontier", "identified")],
                simple_range,
                "??",
            ),
        ),
        Claim(
            "4(iv)",
            "the longest chain is usually found at density 0.3, with its maximum at 0.35: longest connected frontier",
            "report-d-frontiers",
            peaks("chain", "stuck-frontier", 0.3, 0.35),
        ),
        Claim(
            "4(iv)",
            "the longest chain is usually found at density 0.3, with its maximum at 0.35: whole frontier",
            "report-d-frontiers",
            peaks("chain", "stuck-frontier-whole", 0.3, 0.35),
        ),
        Claim(
            "4(iv)",
            "question: is there a board with a particularly long chain of influence?",
            "influence",
            longest,
        ),
        Claim(
            "4(v)",
            "a cell influences about 3 to 4 clues",
            "proofs",
            rounds_to(
                "chain",
                {"proof-clues-mean": "clues in a proof, mean", "proof-clues": "median", "proof-clues-most": "maximum"},
                3,
                4,
                densities(0.2, 0.5),
                "proof-clues-mean",
            ),
        ),
        Claim(
            "4(v)",
            "a cell influences about 5 to 6 unopened cells",
            "proofs",
            rounds_to(
                "chain",
                {
                    "proof-cells-mean": "unknown cells in a proof, mean",
                    "proof-cells": "median",
                    "proof-cells-most": "maximum",
                },
                5,
                6,
                densities(0.2, 0.5),
                "proof-cells-mean",
            ),
        ),
        Claim("4(v)", "in the figure, the cell at the lower right influences 5 unopened cells", "", misdrawn, FIGURES),
        Claim("4(vi)", "4 clues are the right number to combine at a time", "window", saturates),
        Claim("4(vi)", "patterns work well too", "window", patterns_alone),
        Claim(
            "4(vi)",
            "the modified algorithm is much better than the simple one below density 0.6",
            "report-d-16x16",
            ahead("chain", "basic", where=lambda fields: fields.density < 0.6),
        ),
        Claim(
            "4(vi)",
            "the modified algorithm is better than the simple one: by dimension",
            "sizes",
            ahead("chain", "basic"),
        ),
        Claim(
            "4(vi)",
            "question: how often does the modified algorithm work out what the simple one cannot?",
            "proofs",
            works_out({"chain": "chains-prove"}),
        ),
        Claim(
            "4(vii)",
            "starting in the corner causes mistakes (mines set off)",
            "first-step",
            first_step("chain", "detonated"),
        ),
        Claim("4(vii)", "starting in the corner lowers the score", "first-step", first_step("chain", "identified")),
        Claim("4(vii)", "question: is solving Minesweeper hard?", "classic", hard),
        Claim(
            "5",
            "question: what can an agent do about clues that are withheld, too small or too large?",
            "noise",
            uncertainty,
        ),
        Claim(
            "5",
            "clues as bounds: a filter that assumes more mines (or fewer) than shown, then the lowest risk",
            "noise",
            bounds_filter,
            quote="a filter enables the agent can have the ability to assume all the number it uncovered can contain "
            "more mines around it. If based on its knowledge base, the agent gets a highly risky cell, then choose the "
            "lowest risk probability to uncover it",
        ),
    ],
    held=(
        "chains of clues beat single clues at densities from 0.15 to 0.55 (D21) and at every size (D22). Single "
        "clues decide at least three of four inferred cells (D3), and runs without a guess are longest with very "
        "few mines (D5). The frontier is longest at 0.30 to 0.35, with 0.40 undecided (D13, D14). Four clues at a "
        "time are enough (D19), patterns alone give most of the gain (D20), no flag is wrong (D1), and bounds cope "
        "with uncertain clues (D28)."
    ),
    partly="two claims give no figure (D6, D12). The figure in 4(v) is misdrawn, so its claim cannot be judged (D18).",
    failed="nothing.",
)
