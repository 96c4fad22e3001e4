"""The claims and questions of report E: classic play by local probability, and chains of influence."""

from __future__ import annotations

import numpy as np

from sweepstakes.game.size import PRESETS
from sweepstakes.leaderboards.claims import estimates
from sweepstakes.leaderboards.claims.claims import Claim, System
from sweepstakes.leaderboards.claims.measures import (
    ANSWER,
    FAILS,
    HOLDS,
    Measured,
    above,
    ahead,
    below,
    go_together,
    grows,
    in_groups,
    per_cent,
    rule_of,
    told,
    verdict_of,
    win_rate,
)
from sweepstakes.leaderboards.claims.published import Published
from sweepstakes.standings import ConditionFields

LOCAL, SHARE, EXACT = (f'knowledge-base(guess="{rule}")' for rule in ("local", "share", "exact"))


def expert(published: Published) -> dict[str, str]:
    """The Expert conditions by their rule for the first click."""
    return {
        rule_of(fields, "first_click"): label
        for label, fields in published.conditions.items()
        if fields[:3] == PRESETS["expert"]
    }


def mostly_guesses(published: Published) -> Measured:
    """What share of its turns on Expert are guesses."""
    found = {
        rule: estimates.ratio(
            published.values("local-probability", label, "guesses"),
            published.values("local-probability", label, "turns"),
        )
        for rule, label in expert(published).items()
    }
    text = ", ".join(f"first click {rule}: {per_cent(share)}" for rule, share in found.items())
    return Measured(f"turns that are guesses: {text}", verdict_of(above(share, 0.5) for share in found.values()))


def wins_after_a_guess(published: Published) -> Measured:
    """How often it wins an Expert game in which it has to guess after its first click."""
    words, truths = [], []
    for rule, label in expert(published).items():
        won, guesses = (published.values("local-probability", label, name) for name in ("win", "guesses"))
        forced = guesses >= 2
        rate = estimates.mean(won[forced])
        truths.append(below(rate, 0.01))
        words.append(f"first click {rule}: {per_cent(rate)} of {int(forced.sum()):,} games")
    return Measured(f"wins where it guessed after the first click: {', '.join(words)}", verdict_of(truths))


def whole_board(published: Published) -> Measured:
    """How often a chain reaches from one side of the board to the other."""
    words, crossed = [], 0.0
    for density in (0.05, 0.2, 0.35, 0.5):
        reach = published.values("exact", published.at(density), "chain-reach")
        share = estimates.mean((reach >= 15).astype(np.float64))
        crossed += float((reach >= 15).sum())
        words.append(f"{per_cent(share)} at {density:g}")
    return Measured(f"games with a chain across all of 16x16: {', '.join(words)}", HOLDS if crossed else FAILS)


def breaks_with_more_mines(published: Published) -> Measured:
    """Whether chains get shorter and guesses more frequent with more scattered mines."""
    few, many = (published.at(density) for density in (0.2, 0.5))
    length = estimates.combination(
        [(1, published.values("exact", many, "chain-length")), (-1, published.values("exact", few, "chain-length"))]
    )
    text = f"proofs on the longest chain of exact, at 0.5 less at 0.2: {told(length, 1, sign=True)}"
    return Measured(text, verdict_of([below(length)]))


def forced_to_risk(published: Published) -> Measured:
    """How often even an agent that misses no proof has to guess."""
    words = []
    for label, fields in published.conditions.items():
        if rule_of(fields, "first_click") == "opening":
            guessed = published.values("exact", label, "guesses") >= 2
            share = estimates.mean(guessed.astype(np.float64))
            words.append(f"{per_cent(share)} on {fields.rows}x{fields.cols} with {fields.mines} mines")
    return Measured(f"games in which exact has to guess after an opening: {', '.join(words)}", ANSWER)


def scattered(fields: ConditionFields) -> bool:
    """Uniform boards."""
    return fields.source == "uniform"


E = System(
    "E",
    "local probability",
    [
        Claim(
            "2",
            "local probabilities would be more accurate with more constraints taken into account: shares of solutions",
            "guess-grid",
            ahead(SHARE, LOCAL),
        ),
        Claim(
            "2",
            "local probabilities would be more accurate with all constraints taken into account: exact probabilities",
            "guess-grid",
            ahead(EXACT, LOCAL),
        ),
        Claim("5", "wins 81 % on Beginner", "levels", win_rate("local-probability", "beginner", 0.81)),
        Claim("5", "wins 21 % on Intermediate", "levels", win_rate("local-probability", "intermediate", 0.21)),
        Claim("5", "on Expert it is forced to guess in most situations", "levels", mostly_guesses),
        Claim(
            "5",
            "on Expert it does not win where it has to guess (after the first click; less than 1 % of such games)",
            "levels",
            wins_after_a_guess,
        ),
        Claim(
            "6",
            "time grows as the cube of the side (or slower)",
            "sizes",
            grows(["local-probability"], 0.4, claimed=3.0),
        ),
        Claim(
            "7",
            "with the number of mines the game could end sooner (turns of report A's agent, all densities together)",
            "mine-count",
            ahead("triples-stop", "triples", "turns", fewer=True, digits=2, pooled=True),
        ),
        Claim(
            "Bonus 3",
            "the longer the chain of influence, the higher the chance to win",
            "clustered-continue",
            go_together(
                [("local-probability", "chain-length", "win"), ("exact", "chain-length", "win")], scattered, "++"
            ),
        ),
        Claim(
            "Bonus 3",
            "the more often the chain breaks (a guess), the higher the chance to lose",
            "clustered-continue",
            go_together([("local-probability", "guesses", "win"), ("exact", "guesses", "win")], scattered, "--"),
        ),
        Claim(
            "Bonus 4",
            "mines in dense groups give longer chains (mines go off and play goes on, so that no loss cuts a chain)",
            "clustered-continue",
            in_groups(["local-probability", "exact"], "chain-length", more=True),
        ),
        Claim(
            "Bonus 4",
            "mines in dense groups give longer chains (classic rule)",
            "clustered",
            in_groups(["local-probability", "exact"], "chain-length", more=True),
        ),
        Claim(
            "Bonus 4",
            "mines in dense groups leave fewer risks to take",
            "clustered-continue",
            in_groups(["local-probability", "exact"], "guesses", more=False),
        ),
        Claim(
            "Bonus 4",
            "with many scattered mines the chain is more likely to break",
            "influence",
            breaks_with_more_mines,
        ),
        Claim("Bonus 5", "in theory a chain of influence can travel the entire board", "influence", whole_board),
        Claim("Bonus 7", "question: is the solver forced to take risks?", "classic", forced_to_risk),
    ],
)
