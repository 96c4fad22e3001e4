"""The claims and questions of report E: classic play by local probability, and chains of influence."""

from __future__ import annotations

import numpy as np

from claims import estimates
from claims.claims import Claim, System
from claims.deductions import surprises
from claims.measures import ahead, go_together, grows, in_groups, rule_of, win_rate
from claims.published import Published
from claims.verdicts import (
    ANSWER,
    FAILS,
    HOLDS,
    Measured,
    Truth,
    above,
    below,
    extremes,
    format_interval,
    judged,
    listed,
    per_cent,
    reproduced,
)
from sweepstakes.game.size import PRESETS
from sweepstakes.standings import ConditionFields, Interval

LOCAL, EXACT = (f'knowledge-base(guess="{rule}")' for rule in ("local", "exact"))

RUN = "a chain breaks where the agent guesses: the longest run of cells decided without a guess, floods included"


def expert(published: Published) -> dict[str, str]:
    """The Expert conditions by their rule for the first click."""
    return {
        rule_of(fields, "first_click"): label
        for label, fields in published.conditions.items()
        if fields[:3] == PRESETS["expert"]
    }


def mostly_guesses(published: Published) -> Measured:
    """What share of its games and of its turns on Expert are guesses, apart from the first click."""
    games = {
        f"first click {rule}": estimates.mean(
            (published.values("local-probability", label, "guesses") >= 2).astype(np.float64)
        )
        for rule, label in expert(published).items()
    }
    found = {
        f"first click {rule}": estimates.ratio(
            published.values("local-probability", label, "guesses"),
            published.values("local-probability", label, "turns"),
        )
        for rule, label in expert(published).items()
    }
    details = [
        f"games with a guess after the first click: {listed(games, per_cent, 'with ')}",
        f"turns that are guesses: {listed(found, per_cent, 'with ')}",
    ]
    truths = {
        f"{what}, {name}": above(share, 0.5)
        for what, shares in (("games", games), ("turns", found))
        for name, share in shares.items()
    }
    least, most = (f"{100 * pick(share.mean for share in games.values()):.1f}" for pick in (min, max))
    few, many = (f"{100 * pick(share.mean for share in found.values()):.1f}" for pick in (min, max))
    return judged(f"{least} to {most} % of the games, {few} to {many} % of the turns", truths, details)


def wins_after_a_guess(published: Published) -> Measured:
    """How often it wins an Expert game in which it has to guess after its first click."""
    rates, games = {}, []
    for rule, label in expert(published).items():
        won, guesses = (published.values("local-probability", label, name) for name in ("win", "guesses"))
        forced = guesses >= 2
        rates[f"first click {rule}"] = estimates.mean(won[forced])
        games.append(f"{int(forced.sum()):,}")
    shown = listed(rates, per_cent, "with ")
    details = [f"win rate in games with a guess after the first click: {shown}; {', '.join(games)} games"]
    truths = {name: below(rate, 0.01) for name, rate in rates.items()}
    return judged(extremes(rates, per_cent, "with "), truths, details)


def whole_board(published: Published) -> Measured:
    """How often a chain reaches from one side of the board to the other."""
    reach = {f"{d:g}": published.values("exact", published.at(d), "chain-reach") for d in (0.05, 0.2, 0.35, 0.5)}
    crossed = {name: estimates.mean((values >= 15).astype(np.float64)) for name, values in reach.items()}
    details = [f"games with a chain across all of 16x16: {listed(crossed, per_cent)}"]
    possible = any(share.mean for share in crossed.values())
    return Measured(extremes(crossed, per_cent), HOLDS if possible else FAILS, details)


def breaks_with_more_mines(published: Published) -> Measured:
    """Whether chains are shorter with more scattered mines."""
    few, many = (published.values("exact", published.at(density), "chain-length") for density in (0.2, 0.5))
    change = estimates.combination([(1, many), (-1, few)])
    means = {"0.2": estimates.mean(few), "0.5": estimates.mean(many)}
    details = [f"proofs on the longest chain of exact: {listed(means, lambda m: format_interval(m, 1))}"]
    return judged(f"{format_interval(change, 1, sign=True)} from 0.2 to 0.5", {"": below(change)}, details)


def forced_to_risk(published: Published) -> Measured:
    """How often even an agent that misses no proof has to guess."""
    found = {}
    for label, fields in published.conditions.items():
        if rule_of(fields, "first_click") == "opening":
            guessed = published.values("exact", label, "guesses") >= 2
            name = f"{fields.rows}x{fields.cols} with {fields.mines} mines"
            found[name] = estimates.mean(guessed.astype(np.float64))
    details = [f"games in which exact has to guess after an opening: {listed(found, per_cent, 'on ')}"]
    return Measured(extremes(found, per_cent, "on "), ANSWER, details)


def at_most_cubic(power: Interval) -> Truth:
    """Whether an exponent is below 3."""
    return below(power, 3.0)


def scattered(fields: ConditionFields) -> bool:
    """Uniform boards."""
    return fields.source == "uniform"


E = System(
    "E",
    "local probability",
    [
        Claim(
            "4",
            "question: did any decision surprise? (the report: none, they follow from logic and probability)",
            "classic",
            surprises("local-probability"),
            quote="Our program didn't make any decision that surprised us as the decisions based on logic and "
            "probability",
        ),
        Claim(
            "2",
            "local probabilities would be more accurate if they used more constraints: exact probabilities",
            "guess-grid",
            ahead(EXACT, LOCAL),
            quote="This approach can be improved to give a more accurate identification of the cell status if more "
            "constraints were taken into account",
        ),
        Claim("5", "the agent wins 81 % on Beginner", "report-e", win_rate("local-probability", "beginner", 0.81)),
        Claim(
            "5", "the agent wins 21 % on Intermediate", "report-e", win_rate("local-probability", "intermediate", 0.21)
        ),
        Claim(
            "5",
            "on Expert the agent is forced to guess in most situations: most games, and most turns",
            "report-e",
            mostly_guesses,
            quote="the solver is forced to randomly guess in most of the situations",
        ),
        Claim(
            "5",
            "on Expert the agent does not win if it has to guess (after the first click; below 1 % of such games)",
            "report-e",
            reproduced(wins_after_a_guess),
        ),
        Claim(
            "6",
            "time grows as the cube of the side (or slower)",
            "sizes",
            grows(["local-probability"], 0.4, at_most_cubic),
        ),
        Claim(
            "7",
            "knowing the number of mines, the game could end sooner (turns of report A's agent)",
            "report-a",
            ahead("triples-stop", "triples", "turns", fewer=True, digits=2),
            quote="If all the mines have been discovered then the solver has successfully completed the game and can "
            "exit out of the game",
            note="the agent is report A's `triples`, under its rule: report E built no agent that counts mines",
        ),
        Claim(
            "Bonus 3",
            "the longer the chain of influence, the higher the chance of winning",
            "clustered-continue",
            go_together(
                [("local-probability", "longest-run", "win"), ("exact", "longest-run", "win")], scattered, "++"
            ),
            quote="If the entire board is solve without breaking the chain or in case of the longest chain, the "
            "chances of winning is highest",
            note=RUN,
        ),
        Claim(
            "Bonus 3",
            "the more often the chain breaks (a guess), the higher the chance of losing",
            "clustered-continue",
            go_together([("local-probability", "guesses", "win"), ("exact", "guesses", "win")], scattered, "--"),
        ),
        Claim(
            "Bonus 4",
            "mines in dense groups give longer chains (play continues after a mine, so no loss cuts a chain short)",
            "clustered-continue",
            in_groups(["local-probability", "exact"], "longest-run", more=True),
            quote="A board will yield a long chain of influence when the mines are densely concentrated in groups",
            note=RUN,
        ),
        Claim(
            "Bonus 4",
            "mines in dense groups give longer chains (a mine ends the game)",
            "clustered",
            in_groups(["local-probability", "exact"], "longest-run", more=True),
            quote="A board will yield a long chain of influence when the mines are densely concentrated in groups",
            note=RUN,
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
    held=(
        "exact probabilities guess better than local ones (E2). Games with a longer run without a guess are won "
        "more often (E9), and those with more guesses less often (E10). If a mine ends the game, mines in groups "
        "of 4 and 8 give longer runs (E12). Many scattered mines break chains (E14), a chain can cross the board "
        "(E15), and time grows more slowly than the cube of the side (E7)."
    ),
    partly="on Expert, most games need a guess after the first click, but most turns are proofs (E5).",
    failed=(
        "the win rates are not reproduced: our agent wins more often on Intermediate and Expert (E4, E6), and on "
        "Beginner the rate depends on the first click (E3). If play goes on after a mine, mines in groups give "
        "neither longer runs nor fewer guesses (E11, E13)."
    ),
)
