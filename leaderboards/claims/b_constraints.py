"""The claims and questions of report B: pairs of equations, shares of solutions, the order of variables."""

from __future__ import annotations

from collections.abc import Sequence

from sweepstakes.leaderboards.claims import estimates
from sweepstakes.leaderboards.claims.claims import Claim, System
from sweepstakes.leaderboards.claims.examples import hole, pair_subtraction, printed_shares, printed_weights
from sweepstakes.leaderboards.claims.measures import (
    ANSWER,
    FAILS,
    HOLDS,
    UNSTATED,
    Measure,
    Measured,
    about_the_same,
    above,
    ahead,
    below,
    chosen,
    crosses,
    densities,
    everywhere,
    grows,
    per_cent,
    shares,
    slower,
    solves,
    told,
    verdict_of,
    works_out,
)
from sweepstakes.leaderboards.claims.published import Published
from sweepstakes.standings import Interval

UP_TO_045 = densities(0.05, 0.45)
AGENTS = ["probabilistic", "improved-probabilistic"]


def order_saves(published: Published) -> Measured:
    """Whether the order of variables lowers the number of states of a game, up to density 0.45."""
    labels = chosen(published, UP_TO_045)
    change = {
        fields.density: estimates.paired(
            published.values("probabilistic", label, "search-total-ordered"),
            published.values("probabilistic", label, "search-total"),
        )
        for label, fields in labels.items()
    }
    factors = {d: Interval(*(10**end for end in c)) for d, c in change.items()}
    states = [
        estimates.mean(published.values("probabilistic", published.at(0.3), f"search-states{kind}"))
        for kind in ("", "-ordered")
    ]
    text = "states of a backtracking search, ordered / unordered: "
    text += ", ".join(f"{told(factors[d], 2)} at {d:g}" for d in (0.05, 0.1, 0.2, 0.3, 0.4, 0.45))
    text += f"; per decision at 0.3: 10^{told(states[0], 2)} unordered, 10^{told(states[1], 2)} ordered"
    return Measured(text, verdict_of(below(c) for c in change.values()))


def where_the_count_helps(published: Published, agent: str = "exact") -> Measured:
    """How much of the board is unknown where only the mine count proves a safe cell."""
    labels = chosen(published, everywhere)
    words, truths = [], []
    for label, fields in labels.items():
        number = published.values(agent, label, "count-proofs")
        left = published.values(agent, label, "count-proofs-left")
        if number.sum() < 10:
            continue
        unknown = estimates.ratio(number * left, number)
        truths.append(below(unknown, 0.5))
        words.append(f"{per_cent(unknown)} at {fields.density:g}")
    text = f"where the count alone proves a safe cell, so much of the board is unknown: {', '.join(words)}"
    often = estimates.ratio(
        published.values(agent, published.at(0.2), "count-proofs"), published.values(agent, published.at(0.2), "stuck")
    )
    return Measured(f"{text}; it does in {per_cent(often)} of the stuck positions at 0.2", verdict_of(truths))


def most_complete(published: Published) -> Measured:
    """What share of all that clues and mine count prove the two ways to count solutions find."""
    words, truths = [], []
    for agent, what in (
        ("probabilistic", "without the count (probabilistic)"),
        ("exact", "with it (proofs as of exact)"),
    ):
        found = []
        for density in (0.2, 0.3, 0.4, 0.5):
            label = published.at(density)
            there = published.values(agent, label, "stuck-provable") + published.values(agent, label, "count-proofs")
            found.append((density, estimates.ratio(published.values(agent, label, "stuck-proven"), there)))
        words.append(f"{what} {', '.join(f'{per_cent(share)} at {density:g}' for density, share in found)}")
        if agent == "exact":
            truths = [share.high >= 1 - 1e-9 for _, share in found]
    text = f"of the positions in which clues or the count prove a safe cell and single clues do not: {'; '.join(words)}"
    return Measured(text, verdict_of(truths))


def wrong_flags(leaderboard_agents: Sequence[str], verdict: bool = False) -> Measure:
    """How many flags are on safe cells."""

    def measure(published: Published) -> Measured:
        words, wrong = [], 0.0
        for agent in leaderboard_agents:
            sums = [
                sum(published.values(agent, label, column).sum() for label in published.conditions)
                for column in ("wrong_flags", "right_flags")
            ]
            most = 3 / (sums[0] + sums[1])
            wrong += sums[0]
            words.append(
                f"{agent}: {sums[0]:,.0f} wrong flags among {sums[0] + sums[1]:,.0f}, a rate in [0, {most:.1e}]"
            )
        return Measured("; ".join(words), (FAILS if wrong else HOLDS) if verdict else ANSWER)

    return measure


def accurate(published: Published) -> Measured:
    """Whether guesses hit mines as often as the agents say."""
    words, truths = [], []
    for agent in AGENTS:
        points = []
        for density in (0.1, 0.2, 0.3, 0.4, 0.5):
            label = published.at(density)
            hit, said = (published.values(agent, label, name) for name in ("stated-risk-hit", "stated-risk"))
            share = estimates.ratio(hit, said)
            truths.append(share.low <= 1 <= share.high)
            points.append(f"{told(share, 2)} at {density:g}")
        words.append(f"{agent} {', '.join(points)}")
    return Measured(f"mines hit / mines expected by its own probabilities: {'; '.join(words)}", verdict_of(truths))


def by_size(published: Published) -> Measured:
    """The score against the size of the board."""
    words = []
    for agent in ("basic", "knowledge-base"):
        points = [
            f"{told(estimates.mean(published.values(agent, label)))} on {fields.rows}x{fields.cols}"
            for label, fields in published.conditions.items()
            if fields.rows in (5, 10, 20, 50)
        ]
        words.append(f"{agent} {', '.join(points)}")
    return Measured("; ".join(words), ANSWER)


def most(share: Interval) -> bool | None:
    """Whether a share is more than half."""
    return above(share, 0.5)


B = System(
    "B",
    "constraints and probabilities",
    [
        Claim(
            "Agents, 2",
            "the difference of two equations of figure 6 proves B a mine and D safe",
            "",
            pair_subtraction,
            "pytest tests/leaderboards/test_worked_figures.py",
        ),
        Claim(
            "Agents, 3",
            "the shares of the solutions of figure 6: A 0.33, B 1, C 0.67, D 0, E 0.5, F 0.5",
            "",
            printed_shares(None, {"A": 0.33, "B": 1, "C": 0.67, "D": 0, "E": 0.5, "F": 0.5}),
            "sweepstakes solve examples/positions/figure-6.txt --agent probabilistic",
        ),
        Claim(
            "Agents, 4",
            "with three mines in all: A 0, B 1, C 1, D 0, E 0.5, F 0.5",
            "",
            printed_shares(3, {"A": 0, "B": 1, "C": 1, "D": 0, "E": 0.5, "F": 0.5}),
            "sweepstakes solve examples/positions/figure-6.txt --agent improved-probabilistic",
        ),
        Claim(
            "Agents, 4",
            "the weights of the order of variables in figure 6: A 3, B 5, C 6, D 5, E 3, F 3",
            "",
            printed_weights({"A": 3, "B": 5, "C": 6, "D": 5, "E": 3, "F": 3}),
            "pytest tests/leaderboards/test_worked_figures.py",
        ),
        Claim(
            "Agents, 3",
            "the probabilistic agent rarely makes a random guess",
            "decisions",
            shares(
                ["probabilistic"],
                "random-guesses",
                "guesses",
                "guesses that are random",
                where=lambda f: round(100 * f.density) % 10 == 0,
                otherwise=UNSTATED,
            ),
        ),
        Claim(
            "Agents, 4",
            "ordering the variables from most to least constrained reduces the time: states up to density 0.45",
            "decisions",
            order_saves,
        ),
        Claim(
            "Agents, 4",
            "the number of mines comes handy at the end of the game (less than half of the board unknown)",
            "proofs",
            where_the_count_helps,
        ),
        Claim(
            "Question 2",
            "the knowledge base deduces most of what can be deduced",
            "proofs",
            solves("knowledge-base", most),
        ),
        Claim(
            "Question 2",
            "it misses cases such as equations 13 to 15, which the probabilistic agent solves",
            "",
            hole,
            "pytest tests/leaderboards/test_worked_figures.py",
        ),
        Claim(
            "Question 2",
            "the probabilistic agent deduces most of what can be deduced",
            "proofs",
            solves("probabilistic", most),
        ),
        Claim(
            "Question 2",
            "the improved agent, with the number of mines, has the most complete information",
            "proofs",
            most_complete,
        ),
        Claim(
            "Question 4",
            "question: some flags were surprising, with some its authors completely disagree: are flags wrong?",
            "density-12x12",
            wrong_flags(AGENTS),
        ),
        Claim("Question 4", "calculated guesses are fairly accurate", "decisions", accurate),
        Claim(
            "Question 5", "question: how does the score change with the size, at density 0.4?", "sizes-at-0.4", by_size
        ),
        Claim(
            "Question 5",
            "hard beyond density 0.6, where success is less than 0.5 (knowledge base, 50x50)",
            "density-50x50",
            crosses("knowledge-base", 0.5, 0.6),
        ),
        Claim(
            "Question 5",
            "the knowledge base is continuously ahead of basic: by density, 50x50",
            "density-50x50",
            ahead("knowledge-base", "basic"),
        ),
        Claim(
            "Question 5",
            "the knowledge base is continuously ahead of basic: by dimension",
            "sizes",
            ahead("knowledge-base", "basic"),
        ),
        Claim(
            "Question 5",
            "the probabilistic agent is ahead of basic at every density, 12x12",
            "density-12x12",
            ahead("probabilistic", "basic"),
        ),
        Claim(
            "Question 5",
            "the improved probabilistic agent is ahead of basic at every density, 12x12",
            "density-12x12",
            ahead("improved-probabilistic", "basic"),
        ),
        Claim(
            "Question 5",
            "the probabilistic agent is ahead of basic by dimension",
            "sizes",
            ahead("probabilistic", "basic"),
        ),
        Claim(
            "Question 5",
            "the improved agent follows the probabilistic one closely",
            "density-12x12",
            about_the_same("improved-probabilistic", "probabilistic"),
        ),
        Claim(
            "Question 5",
            "at density 0.5 the improved agent is ahead of the probabilistic one",
            "density-12x12",
            ahead("improved-probabilistic", "probabilistic", where=densities(0.5, 0.5)),
        ),
        Claim(
            "Question 5",
            "its authors believe that it will be ahead on other boards too: other densities",
            "density-12x12",
            ahead("improved-probabilistic", "probabilistic"),
        ),
        Claim(
            "Question 5",
            "the improved agent is ahead of the probabilistic one: by dimension",
            "sizes",
            ahead("improved-probabilistic", "probabilistic"),
        ),
        Claim(
            "Question 5",
            "question: how often do its agents work out what basic cannot?",
            "proofs",
            works_out("knowledge-base", "probabilistic"),
        ),
        Claim(
            "Question 6",
            "time grows with the size, above all that of the knowledge base and of the probabilistic agents",
            "sizes",
            grows(["basic", "knowledge-base", "probabilistic", "improved-probabilistic"], 0.4),
        ),
        Claim(
            "Question 6",
            "the knowledge base takes longer than basic",
            "sizes-at-0.4",
            slower("knowledge-base", "basic"),
        ),
        Claim(
            "Question 6",
            "the probabilistic agent takes longer than the knowledge base, at every density",
            "density-12x12",
            slower("probabilistic", "knowledge-base"),
        ),
        Claim(
            "Question 6",
            "the probabilistic agent takes longer than basic, at every density",
            "density-12x12",
            slower("probabilistic", "basic"),
        ),
        Claim(
            "Question 6",
            "the improved agent takes less time than the probabilistic one up to density 0.45 (our code sums solutions "
            "instead of listing them; the line on states judges the idea)",
            "density-12x12",
            slower("probabilistic", "improved-probabilistic", where=UP_TO_045),
        ),
    ],
)
