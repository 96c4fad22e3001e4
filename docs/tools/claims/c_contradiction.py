"""The claims and questions of report C: proof by contradiction."""

from __future__ import annotations

import numpy as np

from claims import estimates
from claims.claims import Claim, System
from claims.deductions import surprises, works_out
from claims.measures import ahead, crosses, named, slower_uncompiled
from claims.published import Published
from claims.verdicts import ANSWER, Measured, above, extremes, format_interval, judged, listed, per_cent

SCOPES = {
    "basic-click": "the clue just clicked, once",
    "basic-last": "all clues of the last turn",
    "basic": "all clues",
}


def looks(published: Published) -> Measured:
    """What looking at more clues gives."""
    curves = {
        what: {f"{d:g}": estimates.mean(published.values(agent, published.at(d))) for d in (0.1, 0.2, 0.3, 0.5)}
        for agent, what in SCOPES.items()
    }
    first, *_, last = curves.values()
    text = f"{format_interval(first['0.1'])} instead of {format_interval(last['0.1'])} at 0.1"
    return Measured(text, ANSWER, [f"{what}: {listed(points)}" for what, points in curves.items()])


def flags_per_query(published: Published) -> Measured:
    """Whether proof by contradiction flags more mines for each cell that it clicks, on the same boards."""
    gains = {}
    for name, label in named(published).items():
        rates = [
            published.values(agent, label, "right_flags")
            / np.maximum(published.values(agent, label, "cells_clicked"), 1)
            for agent in ("ibm", "basic-click")
        ]
        gains[name] = estimates.paired(*rates)
    shown = listed(gains, lambda gain: format_interval(gain, sign=True))
    return judged(
        extremes(gains, lambda gain: format_interval(gain, sign=True)),
        {name: above(gain) for name, gain in gains.items()},
        [f"right flags per cell clicked, ibm minus basic-click: {shown}"],
    )


def assumptions_work_out(published: Published) -> Measured:
    """How often assumptions prove what single clues cannot: about every cell, and one alone, as in the report."""
    found = works_out({"ibm": "contradictions-prove"})(published)
    once = {
        name: estimates.ratio(
            published.values("reference", label, "assumption-proves"), published.values("reference", label, "stuck")
        )
        for name, label in named(published).items()
    }
    return found._replace(
        details=[*found.details, f"one assumption alone, as in the report (`ibm(tries=1)`): {listed(once, per_cent)}"]
    )


def better_assumptions(published: Published) -> Measured:
    """How many cells are assumed until the first contradiction, by the order in which they are tried."""
    found = {}
    for order in ("least", "most", "random"):
        found[order] = {
            name: estimates.ratio(
                published.values("reference", label, f"assumptions-{order}"),
                published.values("reference", label, "refutable"),
            )
            for name, label in named(published).items()
        }
    words = ", ".join(f"{format_interval(points['0.3'], 1)} {order}" for order, points in found.items())
    details = [
        f"assumptions until the first contradiction, in stuck positions that have one, {order} involved first: "
        f"{listed(points, lambda p: format_interval(p, 1))}"
        for order, points in found.items()
        if order != "random"
    ]
    details.append(f"in random order: {listed(found['random'], lambda p: format_interval(p, 1))}")
    return Measured(f"assumptions at 0.3: {words} first", ANSWER, details)


C = System(
    "C",
    "proof by contradiction",
    [
        Claim(
            "Problem 2",
            "question: the basic agent looks only at the neighbours of the cell just clicked; what does that cost?",
            "report-c",
            looks,
            quote="The basic agent only attempt to deduce the state of cells that are neighbors to the currently "
            "clicked cell",
            note="the report states this and asks nothing: the question is ours; nothing floods here, as in the report",
        ),
        Claim(
            "Problem 4",
            "the improved agent sets off fewer mines than the report's basic agent",
            "report-c",
            ahead("ibm", "basic-click", "detonated", fewer=True, digits=2),
        ),
        Claim(
            "Problem 4",
            "the improved agent sets off fewer mines than a basic agent that looks at all clues",
            "density-16x16",
            ahead("ibm", "basic", "detonated", fewer=True, digits=2),
        ),
        Claim(
            "Problem 4",
            "the improved agent flags mines much more effectively per query",
            "report-c",
            flags_per_query,
        ),
        Claim(
            "Problem 5",
            "the improved agent is ahead of the basic agent, which looks only at the clicked cell, at every density",
            "report-c",
            ahead("ibm", "basic-click"),
        ),
        Claim(
            "Problem 5",
            "the improved agent is consistently ahead of a basic agent that looks at all clues of the last turn",
            "density-16x16",
            ahead("ibm", "basic-last"),
        ),
        Claim(
            "Problem 5",
            "the improved agent is consistently ahead of a basic agent that looks at all clues",
            "density-16x16",
            ahead("ibm", "basic"),
        ),
        Claim(
            "Problem 5",
            "the improved agent is ahead of a basic agent that looks at all clues: by dimension",
            "sizes",
            ahead("ibm", "basic"),
        ),
        Claim(
            "Problem 5",
            "the game is hard at a density of about 0.3, where success falls below 90 %",
            "density-16x16",
            crosses("ibm", 0.9, 0.3),
        ),
        Claim(
            "Problem 5",
            "question: how often does the improved agent work out what the basic agent cannot?",
            "proofs",
            assumptions_work_out,
        ),
        Claim(
            "Problem 6",
            "the improved agent takes far longer than a basic agent (no factor given; tested against all clues)",
            "density-16x16",
            slower_uncompiled("density-16x16", "ibm", "basic"),
            quote="As the improved agent preforms far more computations then the basic agent it takes far longer to "
            "run",
        ),
        Claim(
            "Problem 6",
            "question: is there a better cell to assume? (the report wishes for a heuristic)",
            "proofs",
            better_assumptions,
            quote="some sort of heuristic in picking which cell to assume for a contradiction",
        ),
        Claim(
            "Problem 4",
            "question: did any decision surprise? (the report: none, both agents did as programmed)",
            "classic",
            surprises("ibm"),
            quote="the agents decisions are not surprising as it is preforming as we expected it to",
        ),
    ],
    held=(
        "proof by contradiction beats the report's basic agent at every density (C5), and also a basic agent that "
        "looks at all clues (C7, C8). It sets off fewer mines (C2, C3), falls below 90 % at a density of 0.3 (C9) and "
        "takes longer (C11)."
    ),
    partly="nothing. Against a basic agent that looks at all clues, the result at a density of 0.05 is undecided.",
    failed="nothing.",
)
