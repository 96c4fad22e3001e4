"""The claims and questions of report A: a clue with two of its neighbours, and when a random choice is better."""

from __future__ import annotations

from claims.claims import Claim, System
from claims.deductions import solves, surprises, works_out
from claims.examples import after_play_87
from claims.measures import about_the_same, ahead, curve, falls, slower, stays, steeper
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
            "repeating over the whole board until nothing new turns up makes the most of the available knowledge",
            "proofs",
            solves("triples", "triples-prove", complete),
        ),
        Claim(
            "3.4",
            "after play 87 of the game of 100 plays, no more solutions could be found",
            "",
            after_play_87,
            "sweepstakes solve examples/positions/after-play-87.txt",
        ),
        Claim(
            "3.4",
            "random choices would be better near low clues (play continues after a mine)",
            "guess-grid-density",
            ahead(LOW, RANDOM),
        ),
        Claim(
            "3.4",
            "random choices would be better near low clues (three levels, a mine ends the game)",
            "guess-grid",
            ahead(LOW, RANDOM),
            note="the report's agent plays on after a mine, as in A3; under this rule it made no claim",
        ),
        Claim(
            "3.4",
            "random choices would be better in areas with many unexplored cells (play continues after a mine)",
            "guess-grid-density",
            ahead(UNEXPLORED, RANDOM),
        ),
        Claim(
            "3.4",
            "random choices would be better in areas with many unexplored cells (three levels, a mine ends the game)",
            "guess-grid",
            ahead(UNEXPLORED, RANDOM),
            note="the report's agent plays on after a mine, as in A5; under this rule it made no claim",
        ),
        Claim(
            "3.5",
            "the basic agent does well at 10 % mines and drops immediately after",
            "report-a",
            falls("basic", 0.1, 0.15),
        ),
        Claim(
            "3.5",
            "the advanced agent tends to stay at 90 to 100 %, up to 50 % mines",
            "report-a",
            stays("triples", 0.9),
        ),
        Claim(
            "3.5",
            "both agents drop faster from 35 % on: over 0.35 to 0.5 compared with 0.2 to 0.35",
            "report-a",
            steeper(["triples", "basic"], (0.2, 0.35), (0.35, 0.5)),
            quote="when the mine densities go to 35% and up for both agents it tends to dip down more",
            note="the report names no span to compare with; these two are of equal length",
        ),
        Claim(
            "3.5",
            "the advanced agent beats the basic one in all cases, and the basic one is never better: by density",
            "report-a",
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
            "question: when does the game become hard? (the report says 35 %)",
            "report-a",
            curve("triples", [0.2, 0.3, 0.35, 0.4, 0.5], ANSWER),
        ),
        Claim(
            "3.5",
            "question: how often does the advanced agent work out what the basic one cannot?",
            "proofs",
            works_out({"triples": "triples-prove"}),
        ),
        Claim(
            "4.1",
            "knowing the number of mines, the agent scores about the same",
            "report-a",
            about_the_same("triples-global", "triples"),
        ),
        Claim(
            "4.1",
            "knowing the number of mines, the agent makes fewer moves (it stops when all mines are known)",
            "report-a",
            ahead("triples-stop", "triples", "turns", fewer=True, digits=2),
        ),
        Claim(
            "4.1",
            "knowing the number of mines, the agent does not explore the entire board (safe cells opened)",
            "report-a",
            ahead("triples-stop", "triples", "safe-opened", fewer=True, digits=4),
        ),
        Claim(
            "4.1",
            "knowing the number of mines saves computing time (here, counting mines costs more than fewer turns save)",
            "report-a",
            slower("triples", "triples-stop"),
        ),
        Claim(
            "3.4",
            "question: were there any decisions that surprise? (the report: none, all follow from its knowledge)",
            "classic",
            surprises("triples"),
            quote="There we no decisions that surprised us since all of it's decisions were based on all the knowledge",
        ),
    ],
    held=(
        "the advanced agent beats the basic one at every density and size (A10, A11). With the mine count it scores "
        "the same and makes fewer moves (A14, A15, A16). The basic agent drops immediately after 10 % mines (A7). If "
        "play continues after a mine, guesses near low clues are better than random ones at 30 and 40 % mines (A3)."
    ),
    partly=(
        "the advanced agent stays above 90 % only up to 25 % mines (A8). From 35 % on it drops faster, but the basic "
        "agent does not (A9)."
    ),
    failed=(
        "the advanced agent misses some of what the clues prove (A1, A2). In classic play, guesses near low clues "
        "lose games (A4). Guesses among unexplored cells gain nothing (A5, A6). Counting mines costs more time than it "
        "saves (A17)."
    ),
)
