"""The claims of the five earlier systems, one by one."""

from __future__ import annotations

from sweepstakes.leaderboards.claims.claims import (
    Claim,
    about_the_same,
    ahead,
    between,
    dips,
    drops,
    falls_below,
    faster,
    fewer,
    in_groups,
    peaks,
    rate,
    stays_above,
)

TRIPLES = "A: inference from triples"
CONSTRAINTS = "B: constraints and probabilities"
CONTRADICTION = "C: proof by contradiction"
CHAINS = "D: chains of influence"
LOCAL = "E: local probability"

CLAIMS = [
    Claim(
        TRIPLES, "beats the basic agent at every density, 10-50 %, on 30x30", "density-30x30", ahead("triples", "basic")
    ),
    Claim(TRIPLES, "the basic agent dips right after 10 %", "density-30x30", dips("basic", 0.1, 0.15)),
    Claim(TRIPLES, "scores 90-100 % at every density up to 50 %", "density-30x30", stays_above("triples", 0.9)),
    Claim(
        TRIPLES,
        "both agents dip more from 35 % on",
        "density-30x30",
        drops(["triples", "basic"], (0.2, 0.35), (0.35, 0.5)),
    ),
    Claim(
        TRIPLES,
        "knowing the mine count leaves the score about the same",
        "mine-count",
        about_the_same("triples-global", "triples"),
    ),
    Claim(TRIPLES, "knowing the mine count saves moves", "mine-count", fewer("triples-stop", "triples", "turns")),
    Claim(
        CONSTRAINTS,
        "the knowledge base is ahead of basic at every density, 50x50",
        "density-50x50",
        ahead("knowledge-base", "basic"),
    ),
    Claim(
        CONSTRAINTS,
        "hard beyond density 0.6: the score falls below 0.5",
        "density-50x50",
        falls_below("knowledge-base", 0.5, 0.65),
    ),
    Claim(
        CONSTRAINTS,
        "the knowledge base takes longer than basic, more so on large boards",
        "sizes-at-0.4",
        faster("basic", "knowledge-base"),
    ),
    Claim(
        CONSTRAINTS,
        "probabilistic is ahead of basic at every density, 12x12",
        "density-12x12",
        ahead("probabilistic", "basic"),
    ),
    Claim(
        CONSTRAINTS,
        "improved follows probabilistic closely",
        "density-12x12",
        about_the_same("improved-probabilistic", "probabilistic"),
    ),
    Claim(
        CONSTRAINTS,
        "improved is ahead of probabilistic",
        "density-12x12",
        ahead("improved-probabilistic", "probabilistic"),
    ),
    Claim(
        CONSTRAINTS,
        "improved is faster than probabilistic up to density 0.45",
        "density-12x12",
        faster("improved-probabilistic", "probabilistic", 0.45),
    ),
    Claim(
        CONSTRAINTS,
        "the probabilistic agents take longer than the knowledge base",
        "density-12x12",
        faster("knowledge-base", "probabilistic"),
    ),
    Claim(
        CONTRADICTION,
        "always ahead of its basic agent, which looks at the last clue only, 16x16",
        "density-16x16",
        ahead("ibm", "basic-last"),
    ),
    Claim(
        CONTRADICTION, "always ahead of a basic agent that looks at all clues", "density-16x16", ahead("ibm", "basic")
    ),
    Claim(
        CONTRADICTION,
        "hard at about 0.3, where the score falls under 90 %",
        "density-16x16",
        falls_below("ibm", 0.9, 0.3),
    ),
    Claim(
        CONTRADICTION,
        "takes far longer than the basic agent",
        "density-16x16",
        faster("basic-last", "ibm", times=2.0),
    ),
    Claim(CHAINS, "much better than simple inference below density 0.6", "chain-density", ahead("chain", "basic", 0.6)),
    Claim(CHAINS, "very hard at 0.6-0.7", "chain-density", falls_below("chain", 0.5, 0.65)),
    Claim(
        CHAINS, "the longest frontier peaks at density 0.30-0.35", "influence", peaks(["chain"], "frontier", 0.3, 0.35)
    ),
    Claim(CHAINS, "and falls to 2-3 clues at density 0.7", "influence", between(["chain"], "frontier", 0.7, 2, 3)),
    Claim(CHAINS, "influence travels 5-6 cells", "influence", between(["chain"], "chain-reach", 0.3, 5, 6)),
    Claim(LOCAL, "wins 81 % on Beginner", "levels", rate("local-probability", "beginner", 0.81, 0.02)),
    Claim(LOCAL, "wins 21 % on Intermediate", "levels", rate("local-probability", "intermediate", 0.21, 0.02)),
    Claim(LOCAL, "wins about nothing on Expert", "levels", rate("local-probability", "expert", 0.0, 0.02)),
    Claim(
        LOCAL,
        "mines in dense groups give longer chains of influence",
        "clustered",
        in_groups(["local-probability", "exact"], "chain-length", more=True),
    ),
    Claim(
        LOCAL,
        "and leave fewer risks to take",
        "clustered",
        in_groups(["local-probability", "exact"], "guesses", more=False),
    ),
]
"""In the order of the systems."""
