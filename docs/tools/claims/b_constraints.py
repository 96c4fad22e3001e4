"""The claims and questions of report B: pairs of equations, shares of solutions, the order of variables."""

from __future__ import annotations

from collections.abc import Sequence

from claims import estimates
from claims.claims import Claim, System
from claims.deductions import finely, in_time, proven_in_time, solves, surprises, works_out
from claims.examples import hole, pair_subtraction, printed_shares, printed_weights, second_equation
from claims.measures import about_the_same, ahead, crosses, densities, grows, named, slower, slower_uncompiled
from claims.published import Published
from claims.verdicts import (
    ANSWER,
    FAILS,
    HOLDS,
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
from sweepstakes.standings import Interval

UP_TO_045 = densities(0.05, 0.45)
AGENTS = ["probabilistic", "improved-probabilistic"]


def suggestions(published: Published) -> Measured:
    """What share of the cells that the agent suggests is picked at random."""
    clicked, random, guessed = (
        {name: published.values("probabilistic", x, score) for name, x in named(published).items()}
        for score in ("cells_clicked", "random-guesses", "guesses")
    )
    found = {name: estimates.ratio(random[name], clicked[name]) for name in random}
    among = {name: estimates.ratio(random[name], guessed[name]) for name in random}
    details = [
        f"suggestions that are random: probabilistic {listed(found, per_cent)}; the report gives no figure but 'most'",
        f"guesses that are random: probabilistic {listed(among, per_cent)}",
    ]
    truths = {name: below(share, 0.5) for name, share in found.items()}
    return judged(f"random: {extremes(found, per_cent)}", truths, details)


def order_saves(published: Published) -> Measured:
    """Whether either order of variables lowers the number of states of a game, up to density 0.45."""
    found: dict[str, Interval] = {}
    details, words = [], []
    for order, score in (("number", "search-total-equations"), ("values", "search-total-ordered")):
        factors = {}
        for name, label in named(published, UP_TO_045).items():
            pair = (published.values("probabilistic", label, each) for each in (score, "search-total-rows"))
            factors[name] = Interval(*(10**end for end in estimates.paired(*pair)))
        found |= {f"{name} (by {order})": factor for name, factor in factors.items()}
        means = [factor.mean for factor in factors.values()]
        words.append(f"{min(means):.2f} to {max(means):.2f} by {order}")
        what = "the number of equations" if order == "number" else "the sum of their values"
        details.append(
            f"states of a backtracking search, ordered by {what} / row by row: "
            f"{listed(factors, lambda f: format_interval(f, 2))}"
        )
    text = f"states x {', '.join(words)}"
    return judged(text, {name: below(factor, 1.0) for name, factor in found.items()}, details)


def proves_most(agent: str) -> Measure:
    """Whether an agent proves most of the cells that clues ever prove, in time."""

    def measure(published: Published) -> Measured:
        found = in_time(published, agent)
        truths = {name: most(share) for name, share in found.items()}
        return judged(extremes(found, finely), truths, [proven_in_time(published, agent)])

    return measure


def where_the_count_helps(published: Published, agent: str = "exact") -> Measured:
    """How much of the board is unknown where only the mine count proves a safe cell."""
    unknown = {}
    for name, label in named(published).items():
        number = published.values(agent, label, "count-proofs")
        left = published.values(agent, label, "count-proofs-left")
        if number.sum() >= 10:
            unknown[name] = estimates.ratio(number * left, number)
    often = estimates.ratio(
        published.values(agent, published.at(0.2), "count-proofs"), published.values(agent, published.at(0.2), "stuck")
    )
    details = [
        f"unknown share of the board where only the mine count proves a safe cell: {listed(unknown, per_cent)}",
        f"only the mine count proves a safe cell in {per_cent(often)} of the stuck positions at 0.2",
    ]
    truths = {name: below(share, 0.5) for name, share in unknown.items()}
    return judged(f"{extremes(unknown, per_cent)} unknown", truths, details)


def most_complete(published: Published) -> Measured:
    """Whether the improved agent proves more of what clues and the mine count prove than clues alone do."""
    own: dict[str, Interval] = {}
    without: dict[str, Interval] = {}
    for density in (0.2, 0.3, 0.4, 0.5):
        label, name = published.at(density), f"{density:g}"
        for agent, proven, points in (
            ("improved-probabilistic", "stuck-proven", own),
            ("reference", "stuck-provable", without),
        ):
            there = published.values(agent, label, "stuck-provable") + published.values(agent, label, "count-proofs")
            points[name] = estimates.ratio(published.values(agent, label, proven), there)
    truths = {
        d: True if share.low > without[d].high else False if share.high < without[d].low else None
        for d, share in own.items()
    }
    what = "stuck positions in which clues or the mine count prove a safe cell"
    details = [
        f"{what}, share that improved-probabilistic solves in its own games: {listed(own, per_cent)}",
        f"{what}, share that clues alone solve in the reference game: {listed(without, per_cent)}",
    ]
    return judged(f"{per_cent(own['0.2'])}, clues alone {per_cent(without['0.2'])} at 0.2", truths, details)


def wrong_flags(leaderboard_agents: Sequence[str], verdict: bool = False) -> Measure:
    """How many flags are on safe cells."""

    def measure(published: Published) -> Measured:
        words, details, wrong = [], [], 0.0
        for agent in leaderboard_agents:
            bad, good = (
                sum(published.values(agent, label, column).sum() for label in published.conditions)
                for column in ("wrong_flags", "right_flags")
            )
            wrong += bad
            words.append(f"{bad:,.0f} of {bad + good:,.0f}")
            if not bad:
                rate = estimates.none_or_all(0.0, bad + good)
                details.append(f"{agent}: no wrong flag, a rate in [0, {rate.high:.1e}]")
        text = f"wrong flags: {', '.join(words)}"
        return Measured(text, (FAILS if wrong else HOLDS) if verdict else ANSWER, details)

    return measure


def accurate(published: Published) -> Measured:
    """Whether calculated guesses hit mines as often as the agents say, within a quarter; and how many are safe."""
    found: dict[str, Interval] = {}
    details = []
    for agent in AGENTS:
        points, safe = {}, {}
        for density in (0.1, 0.2, 0.3, 0.4, 0.5):
            label = published.at(density)
            hit, said, guesses, random = (
                published.values(agent, label, name)
                for name in ("stated-risk-hit", "stated-risk", "guesses", "random-guesses")
            )
            points[f"{density:g}"] = estimates.ratio(hit, said)
            safe[f"{density:g}"] = estimates.ratio(guesses - random - hit, guesses - random)
        found |= {f"{name} ({agent})": share for name, share in points.items()}
        details += [
            f"mines hit / mines expected by its own probabilities: {agent} "
            f"{listed(points, lambda p: format_interval(p, 2))}; the report gives no margin, we allow a quarter",
            f"calculated guesses that are safe: {agent} {listed(safe, per_cent)}",
        ]
    low, high = (f"{pick(share.mean for share in found.values()):.2f}" for pick in (min, max))
    text = f"{per_cent(safe['0.2'])} safe at 0.2 ({AGENTS[1]}); hit / expected {low} to {high}"
    truths = {name: within(share, 1 / 1.25, 1.25) for name, share in found.items()}
    return judged(text, truths, details)


def by_size(published: Published) -> Measured:
    """The score against the size of the board."""
    found: dict[str, Interval] = {}
    details = []
    for agent in ("basic", "knowledge-base"):
        points = {
            f"{fields.rows}x{fields.cols}": estimates.mean(published.values(agent, label))
            for label, fields in published.conditions.items()
        }
        found |= {f"{name} ({agent})": score for name, score in points.items()}
        details.append(f"{agent}: {listed(points, at='on ')}")
    return Measured(extremes(found, at="on "), ANSWER, details)


def most(share: Interval) -> Truth:
    """Whether a share is more than half."""
    return above(share, 0.5)


def growing(power: Interval) -> Truth:
    """Whether an exponent is above 0."""
    return above(power)


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
            "shares of solutions in figure 6: A 0.33, B 1, C 0.67, D 0, E 0.5, F 0.5",
            "",
            printed_shares(None, {"A": 0.33, "B": 1, "C": 0.67, "D": 0, "E": 0.5, "F": 0.5}),
            "sweepstakes solve examples/positions/figure-6.txt --agent probabilistic",
        ),
        Claim(
            "Agents, 4",
            "the same with three mines in total: A 0, B 1, C 1, D 0, E 0.5, F 0.5",
            "",
            printed_shares(3, {"A": 0, "B": 1, "C": 1, "D": 0, "E": 0.5, "F": 0.5}),
            "sweepstakes solve examples/positions/figure-6.txt --agent improved-probabilistic",
        ),
        Claim(
            "Agents, 4",
            "weights for ordering the variables in figure 6: A 3, B 5, C 6, D 5, E 3, F 3",
            "",
            printed_weights({"A": 3, "B": 5, "C": 6, "D": 5, "E": 3, "F": 3}),
            "pytest tests/leaderboards/test_worked_figures.py",
        ),
        Claim(
            "Agents, 3",
            "the probabilistic agent rarely picks at random: most of its suggestions are safe or calculated",
            "decisions",
            suggestions,
            quote="this agent will rarely make a random guess when we are out of safe cells and most if not all of it "
            "suggestion will either be safe cell or the cell with lowest probability of being mine",
        ),
        Claim(
            "Agents, 4",
            "ordering the variables from most to least constrained saves time (states, up to density 0.45)",
            "decisions",
            order_saves,
            quote="A variable which appears in more constraint equation is more constraint then variable that appears "
            "in less number of constraint",
            note="the report first defines the order by the number of equations, then weighs them by their values; "
            "the baseline takes the cells row by row",
        ),
        Claim(
            "Agents, 4",
            "the number of mines comes in handy at the end of the game (less than half of the board unknown)",
            "proofs",
            where_the_count_helps,
        ),
        Claim(
            "Question 2",
            "the knowledge base deduces most of what can be deduced",
            "proofs",
            solves("knowledge-base", "pairs-prove", most),
        ),
        Claim(
            "Question 2",
            "the knowledge base misses cases such as equations 13 to 15, which the probabilistic agent solves",
            "",
            hole,
            "pytest tests/leaderboards/test_worked_figures.py",
        ),
        Claim(
            "Question 2",
            "the probabilistic agent deduces most of what can be deduced",
            "proofs",
            proves_most("probabilistic"),
        ),
        Claim(
            "Question 2",
            "the improved agent, with the number of mines, has the most complete information",
            "proofs",
            most_complete,
            quote="Improved Probabilistic with its End game strategy provides the most complete information from the "
            "given board",
        ),
        Claim(
            "Question 4",
            "question: the authors were surprised by some flags and disagreed with others: are any flags wrong?",
            "report-b",
            wrong_flags(AGENTS),
        ),
        Claim(
            "Question 4",
            "calculated guesses are fairly accurate",
            "decisions",
            accurate,
            quote="Even the calculates guess are fairly accurate",
        ),
        Claim(
            "Question 5",
            "question: how does the score change with the size, at density 0.4?",
            "report-b-sizes",
            by_size,
        ),
        Claim(
            "Question 5",
            "the game is hard beyond density 0.6, where success is below 0.5 (knowledge base, 50x50)",
            "report-b-50x50",
            crosses("knowledge-base", 0.5, 0.6),
        ),
        Claim(
            "Question 5",
            "the knowledge base is always ahead of basic: by density, 50x50",
            "report-b-50x50",
            ahead("knowledge-base", "basic"),
        ),
        Claim(
            "Question 5",
            "the knowledge base is always ahead of basic: by dimension",
            "sizes",
            ahead("knowledge-base", "basic"),
        ),
        Claim(
            "Question 5",
            "the probabilistic agent is ahead of basic at every density, 12x12",
            "report-b",
            ahead("probabilistic", "basic"),
        ),
        Claim(
            "Question 5",
            "the improved probabilistic agent is ahead of basic at every density, 12x12",
            "report-b",
            ahead("improved-probabilistic", "basic"),
        ),
        Claim(
            "Question 5",
            "the probabilistic agent is ahead of basic: by dimension",
            "sizes",
            ahead("probabilistic", "basic"),
        ),
        Claim(
            "Question 5",
            "the improved agent follows the probabilistic one closely",
            "report-b",
            about_the_same("improved-probabilistic", "probabilistic"),
        ),
        Claim(
            "Question 5",
            "at density 0.5 the improved agent is ahead of the probabilistic one",
            "report-b",
            ahead("improved-probabilistic", "probabilistic", where=densities(0.5, 0.5)),
        ),
        Claim(
            "Question 5",
            "the authors expect the improved agent to be ahead on other boards too: other densities",
            "report-b",
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
            "question: how often do the agents work out what basic cannot?",
            "proofs",
            works_out({"knowledge-base": "pairs-prove", "probabilistic": "stuck-provable"}),
        ),
        Claim(
            "Question 6",
            "time grows with the size, above all for the knowledge base and the probabilistic agents",
            "sizes",
            grows(["basic", "knowledge-base", "probabilistic", "improved-probabilistic"], 0.4, growing),
        ),
        Claim(
            "Question 6",
            "the knowledge base takes longer than basic",
            "report-b-sizes",
            slower_uncompiled("report-b-sizes", "knowledge-base", "basic"),
        ),
        Claim(
            "Question 6",
            "the probabilistic agent takes longer than the knowledge base, at every density",
            "report-b",
            slower_uncompiled("report-b", "probabilistic", "knowledge-base"),
        ),
        Claim(
            "Question 6",
            "the probabilistic agent takes longer than basic, at every density",
            "report-b",
            slower_uncompiled("report-b", "probabilistic", "basic"),
        ),
        Claim(
            "Question 6",
            "the improved agent takes less time than the probabilistic one up to density 0.45 (B6 judges the idea)",
            "report-b",
            slower("probabilistic", "improved-probabilistic", where=UP_TO_045),
        ),
        Claim(
            "Agents, 1",
            "the second equation of the basic agent: all covered cells are safe if covered = neighbours - clue",
            "",
            second_equation,
            "pytest tests/leaderboards/test_worked_figures.py",
            quote="#of covered cells = #of neighbours around cell - Clue",
        ),
        Claim(
            "Question 4",
            "question: did any decision surprise? (the report: many flags, some of which they disagreed with)",
            "classic",
            surprises("improved-probabilistic"),
            quote="There are many instances in this game and other games we have played where we are surprised by "
            "flagging of mines",
            note="B12 counts wrong flags: none occurred, so every flag that surprises can be proven",
        ),
    ],
    held=(
        "pairs of equations beat single clues at every density and size (B16, B17), and the mine count improves on "
        "probabilities alone (B22, B23, B24). Pairs prove 90 % of what all clues prove (B8). Listing all solutions "
        "finds everything that the clues prove (B10), and with the mine count it finds more (B11). Few suggestions "
        "are random (B5). Ordering variables by the number of their equations saves states (B6). As plain Python, "
        "more inference takes more time (B27, B28, B29). The game is hard beyond a density of 0.6 (B15)."
    ),
    partly=(
        "at a density of 0.05, basic is ahead of both probabilistic agents (B18, B19). Some printed numbers are "
        "wrong (B2, B4)."
    ),
    failed=(
        "the improved agent is not faster than the probabilistic one (B30), because our code sums solutions "
        "instead of listing them. The second equation of the basic agent is misprinted (B31)."
    ),
)
