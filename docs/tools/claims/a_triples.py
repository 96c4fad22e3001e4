"""The claims and questions of report A: a clue with two of its neighbours, and when a random choice is better."""

from __future__ import annotations

from claims.claims import Claim, System
from claims.examples import after_play_87
from claims.measures import (
    about_the_same,
    ahead,
    curve,
    falls,
    slower,
    solves,
    stays,
    steeper,
    works_out,
)
from claims.verdicts import ANSWER, Truth
from sweepstakes.standings import Interval

RANDOM, LOW, UNEXPLORED = (f'knowledge-base(guess="{rule}")' for rule in ("random", "low-clue", "unexplored"))


def complete(share: Interval) -> Truth:
    """Whether a share of what can be proven is all of it: a sample can refute that, not prove it."""
    return False if share.high < 1 else None


A = System(
    "A",
    "inference from triples",
    [
        Claim(
            "3.2",
            "going over the board until nothing new turns up uses the available knowledge as much as possible",
            "proofs",
            solves("triples", complete),
        ),
        Claim(
            "3.4",
            "after play 87 of its game of 100 plays no more solutions could be found",
            "",
            after_play_87,
            "sweepstakes solve examples/positions/after-play-87.txt",
        ),
        Claim(
            "3.4",
            "a random choice would be better near cells with low clues (mines go off and play goes on)",
            "guess-grid-density",
            ahead(LOW, RANDOM),
        ),
        Claim(
            "3.4",
            "a random choice would be better near cells with low clues (three levels, a mine ends the game)",
            "guess-grid",
            ahead(LOW, RANDOM),
        ),
        Claim(
            "3.4",
            "a random choice would be better in an area with many unexplored cells (mines go off and play goes on)",
            "guess-grid-density",
            ahead(UNEXPLORED, RANDOM),
        ),
        Claim(
            "3.4",
            "a random choice would be better in an area with many unexplored cells (three levels)",
            "guess-grid",
            ahead(UNEXPLORED, RANDOM),
        ),
        Claim("3.5", "the basic agent does well at 10 % and dips at once", "density-30x30", falls("basic", 0.1, 0.15)),
        Claim(
            "3.5",
            "the advanced agent tends to stay at 90 to 100 %, up to 50 % mines",
            "density-30x30",
            stays("triples", 0.9),
        ),
        Claim(
            "3.5",
            "both agents dip more from 35 % on",
            "density-30x30",
            steeper(["triples", "basic"], (0.2, 0.35), (0.35, 0.5)),
        ),
        Claim(
            "3.5",
            "the advanced agent beats the basic one in all cases, and the simple one is never better: by density",
            "density-30x30",
            ahead("triples", "basic"),
        ),
        Claim(
            "3.5",
            "the advanced agent beats the basic one in all cases: by dimension",
            "sizes",
            ahead("triples", "basic"),
        ),
        Claim(
            "3.5",
            "question: when does the game become hard? (it names 35 %)",
            "density-30x30",
            curve("triples", [0.2, 0.3, 0.35, 0.4, 0.5], ANSWER),
        ),
        Claim(
            "3.5",
            "question: how often does the agent work out what the basic one cannot?",
            "proofs",
            works_out("triples"),
        ),
        Claim(
            "4.1",
            "with the number of mines the score is about the same",
            "mine-count",
            about_the_same("triples-global", "triples"),
        ),
        Claim(
            "4.1",
            "with the number of mines fewer moves are made (it stops when all mines are known)",
            "mine-count",
            ahead("triples-stop", "triples", "turns", fewer=True, digits=2),
        ),
        Claim(
            "4.1",
            "with the number of mines not the entire board is explored (safe cells opened)",
            "mine-count",
            ahead("triples-stop", "triples", "safe-opened", fewer=True, digits=4),
        ),
        Claim(
            "4.1",
            "with the number of mines computing time is saved (here counting mines costs more than the turns save)",
            "mine-count",
            slower("triples", "triples-stop"),
        ),
    ],
    held=(
        "the advanced agent beats the basic one at every density and every size (A10, A11). With the mine "
        "count it scores the same and makes fewer moves (A14, A15, A16). The basic agent dips at once (A7). "
        "Where play goes on after a mine, guesses near low clues are better than random ones at 30 and 40 % mines (A3)."
    ),
    partly=(
        "the advanced agent stays above 90 % only up to 25 % mines (A8). From 35 % on it falls faster, but "
        "the basic agent does not (A9)."
    ),
    failed=(
        "it does not use all that the clues prove (A1, A2). Guesses near low clues lose games in classic play (A4), "
        "and guesses among unexplored cells gain nothing (A5, A6). Counting mines costs more time than it saves (A17)."
    ),
)
