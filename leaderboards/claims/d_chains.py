"""The claims and questions of report D: chains of influence, patterns, the first step, uncertainty."""

from __future__ import annotations

from itertools import pairwise

from sweepstakes.leaderboards.claims import estimates
from sweepstakes.leaderboards.claims.b_constraints import where_the_count_helps, wrong_flags
from sweepstakes.leaderboards.claims.claims import Claim, System
from sweepstakes.leaderboards.claims.examples import merged, misdrawn, ring
from sweepstakes.leaderboards.claims.measures import (
    ANSWER,
    FAILS,
    HOLDS,
    Measure,
    Measured,
    Truth,
    above,
    ahead,
    below,
    curve,
    densities,
    go_together,
    grows,
    peaks,
    per_cent,
    rounds_to,
    rule_of,
    shares,
    told,
    verdict_of,
    works_out,
)
from sweepstakes.leaderboards.claims.published import Published
from sweepstakes.standings import ConditionFields, Interval

FIGURES = "pytest tests/leaderboards/test_worked_figures.py"


def seldom_stuck(share: Interval) -> Truth:
    """Whether less than half of the turns are stuck."""
    return below(share, 0.5)


def lower_and_lower(published: Published) -> Measured:
    """Whether the score falls with every step of the density."""
    points = sorted((fields.density, label) for label, fields in published.conditions.items())
    steps = [
        estimates.combination([(-1, published.values("chain", a)), (1, published.values("chain", b))])
        for (_, a), (_, b) in pairwise(points)
    ]
    ends = [estimates.mean(published.values("chain", label)) for _, label in (points[0], points[-1])]
    falling = sum(below(step) is True for step in steps)
    text = f"chain falls from {told(ends[0])} at {points[0][0]:g} to {told(ends[1])} at {points[-1][0]:g}, clearly in "
    rising = sum(above(step) is True for step in steps)
    text += f"{falling} of {len(steps)} steps of 0.05; it clearly rises in {rising}"
    return Measured(text, HOLDS if falling and not rising else FAILS)


def longest_with_few_mines(published: Published) -> Measured:
    """Whether chains of proofs are longest where mines are few."""
    means = {
        fields.density: published.values("chain", label, "chain-length")
        for label, fields in published.conditions.items()
    }
    change = {d: estimates.combination([(1, means[0.05]), (-1, values)]) for d, values in means.items() if d > 0.05}
    told_means = ", ".join(f"{told(estimates.mean(means[d]), 1)} at {d:g}" for d in (0.05, 0.15, 0.3, 0.5, 0.7))
    return Measured(f"proofs on the longest chain: {told_means}", verdict_of(above(c) for c in change.values()))


def saturates(published: Published) -> Measured:
    """What longer windows add to windows of four, and shorter ones lack."""
    labels = list(published.conditions)
    gains = {}
    for window in (1, 2, 3, 5, 6, 8):
        pairs = [(published.values(f"window-{window}", label), published.values("window-4", label)) for label in labels]
        gains[window] = estimates.paired(*(estimates.joined(part) for part in zip(*pairs, strict=True)))
    words = [f"{told(gain, 4, sign=True)} with {window}" for window, gain in gains.items()]
    text = f"identified, less that with a window of 4: {', '.join(words)}"
    return Measured(text, verdict_of([below(gains[3]), gains[8].high < 0.005]))


def patterns_alone(published: Published) -> Measured:
    """What share of the gain of windows of four the patterns give alone."""
    labels = list(published.conditions)
    one, patterns, four = (
        estimates.joined([published.values(agent, label) for label in labels])
        for agent in ("window-1", "patterns-alone", "window-4")
    )
    share = estimates.ratio(patterns - one, four - one)
    gain = estimates.paired(patterns, one)
    text = f"patterns alone add {told(gain, sign=True)} to single clues: {per_cent(share)} of what windows of 4 add"
    return Measured(text, verdict_of([above(gain)]))


def first_step(agent: str, score: str) -> Measure:
    """How much worse a corner or an edge is than the middle, under each first-click rule, on the same boards."""

    def measure(published: Published) -> Measured:
        labels = {
            (rule_of(fields, "first_click"), rule_of(fields, "start")): label
            for label, fields in published.conditions.items()
        }
        words, truths = [], []
        digits = 2 if score == "detonated" else 4
        for rule in ("any", "safe", "opening"):
            corner, edge, middle = (published.values(agent, labels[rule, at], score) for at in ("0,0", "0,8", "8,8"))
            change = estimates.paired(corner, middle)
            truths.append(above(change) if score == "detonated" else below(change))
            beside = told(estimates.paired(edge, middle), digits, sign=True)
            words.append(
                f"first click {rule}: middle {told(estimates.mean(middle), digits)}, "
                f"corner {told(change, digits, sign=True)}, edge {beside}"
            )
        return Measured(f"{score} of {agent}, less that from the middle: {'; '.join(words)}", verdict_of(truths))

    return measure


def longest(published: Published) -> Measured:
    """The longest chains of proofs that were found, and at which density."""
    words = []
    for agent in ("chain", "exact"):
        found = {f.density: published.values(agent, x, "chain-length") for x, f in published.conditions.items()}
        best = max(found, key=lambda density: float(found[density].max()))
        words.append(
            f"{agent} {found[best].max():.0f} proofs at {best:g}, where the mean is "
            f"{told(estimates.mean(found[best]), 1)}"
        )
    return Measured(f"the longest chain of 100 boards for each density: {'; '.join(words)} (its page shows it)", ANSWER)


def uncertainty(published: Published) -> Measured:
    """What clues that are withheld, too small or too large cost an agent that knows how, and one that does not."""
    words = []
    for noise, what in (
        ("exact-clues", "true clues"),
        ("hidden", "withheld"),
        ("optimistic", "too small"),
        ("cautious", "too large"),
    ):
        labels = [
            label for label, fields in published.conditions.items() if fields.noise in (noise, f"{noise}(rate=0.25)")
        ]
        numbers = [
            f"{agent} {told(estimates.mean(published.values(agent, labels[0])))}" for agent in ("exact", "chain")
        ]
        words.append(f"{what}: {', '.join(numbers)}")
    return Measured(f"identified where a quarter of the clues is {'; '.join(words[1:])}; with {words[0]}", ANSWER)


def hard(published: Published) -> Measured:
    """How often the best guesser wins."""
    words = [
        f"{per_cent(estimates.mean(published.values('exact', label)))} on {fields.rows}x{fields.cols} "
        f"with {fields.mines} mines"
        for label, fields in published.conditions.items()
        if rule_of(fields, "first_click") == "safe"
    ]
    return Measured(f"exact, which opens the least likely mine, wins {', '.join(words)}", ANSWER)


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
            "chain-density",
            wrong_flags(["chain"], True),
        ),
        Claim("3.2", "its three equations on A to E have a solution that complex inference finds", "", ring, FIGURES),
        Claim(
            "3.3",
            "simple inference works at most of the times",
            "proofs",
            shares(["chain"], "stuck", "turns", "turns in which single clues prove no safe cell", judge=seldom_stuck),
        ),
        Claim("3.5", "the higher the density, the lower the score", "chain-density", lower_and_lower),
        Claim(
            "3.5",
            "with very few mines the chain of influence is longer than with more",
            "influence",
            longest_with_few_mines,
        ),
        Claim(
            "3.5",
            "very hard at a density of 0.6 to 0.7",
            "chain-density",
            curve("chain", [0.3, 0.4, 0.5, 0.6, 0.65, 0.7]),
        ),
        Claim("3.6", "question: when do time and space become a problem?", "sizes", grows(["chain"], 0.4)),
        Claim(
            "3.7", "the number of mines has little influence until few cells are left", "proofs", where_the_count_helps
        ),
        Claim("4(i)", "two merged clues of its table prove A a mine", "", merged, FIGURES),
        Claim(
            "4(ii)",
            "at density 0.7 the longest chain is 3 or 2 as usual",
            "frontiers",
            rounds_to(
                "chain",
                {
                    "stuck-frontier-mean": "mean over the stuck positions of a game",
                    "stuck-frontier": "longest of the game",
                },
                2,
                3,
                lambda fields: fields.density == 0.7 and fields.rows == 16,
                "stuck-frontier-mean",
            ),
        ),
        Claim(
            "4(iii)",
            "below density 0.5, the longer the chain, the smaller the score of simple inference",
            "frontiers",
            go_together([("basic", "stuck-frontier", "identified")], simple_range, "-"),
        ),
        Claim(
            "4(iii)",
            "with chains of influence the longest chain has little influence on the score",
            "frontiers",
            go_together(
                [("chain", "stuck-frontier", "identified"), ("basic", "stuck-frontier", "identified")],
                simple_range,
                "??",
            ),
        ),
        Claim(
            "4(iv)",
            "the longest chain is usually found at density 0.3, with its maximum at 0.35: longest connected frontier",
            "frontiers",
            peaks("chain", "stuck-frontier", 0.3, 0.35),
        ),
        Claim(
            "4(iv)",
            "the longest chain is usually found at density 0.3, with its maximum at 0.35: whole frontier",
            "frontiers",
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
            "the influence of a cell: about 3 to 4 clues",
            "proofs",
            rounds_to(
                "chain",
                {"proof-clues-mean": "clues of a proof, mean", "proof-clues": "median", "proof-clues-most": "most"},
                3,
                4,
                densities(0.2, 0.5),
                "proof-clues-mean",
            ),
        ),
        Claim(
            "4(v)",
            "the influence of a cell: about 5 to 6 unopened cells",
            "proofs",
            rounds_to(
                "chain",
                {
                    "proof-cells-mean": "unknown cells of a proof, mean",
                    "proof-cells": "median",
                    "proof-cells-most": "most",
                },
                5,
                6,
                densities(0.2, 0.5),
                "proof-cells-mean",
            ),
        ),
        Claim("4(v)", "in its figure the cell at the lower right influences 5 unopened cells", "", misdrawn, FIGURES),
        Claim("4(vi)", "combining 4 clues at a time is the right size", "window", saturates),
        Claim("4(vi)", "patterns work well too", "window", patterns_alone),
        Claim(
            "4(vi)",
            "the modified algorithm is much better than the simple one below density 0.6",
            "chain-density",
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
            "question: how often does it work out what the simple algorithm cannot?",
            "proofs",
            works_out("chain"),
        ),
        Claim(
            "4(vii)",
            "a start in the corner costs mistakes: mines set off",
            "first-step",
            first_step("chain", "detonated"),
        ),
        Claim("4(vii)", "a start in the corner costs score", "first-step", first_step("chain", "identified")),
        Claim("4(vii)", "question: is solving Minesweeper hard?", "classic", hard),
        Claim(
            "5",
            "question: clues that are withheld, too small or too large, and what an agent can do about it",
            "noise",
            uncertainty,
        ),
    ],
)
