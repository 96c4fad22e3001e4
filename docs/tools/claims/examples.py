"""Worked examples of the reports: small positions that need no tournament."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

from claims.published import Published
from claims.verdicts import FAILS, HOLDS, OPEN, Measure, Measured, verdict_of
from sweepstakes.game.cell import Cell
from sweepstakes.game.view import View
from sweepstakes.inference import Knowledge, Status, posterior
from sweepstakes.inference.backtracking import frontier_equations
from sweepstakes.inference.deduction import contradictions, pairs

AFTER_PLAY_87 = """10 10 10
000000011.
22100001F1
FF10000111
F310000000
1100111000
01111*1000
01F2221011
....F1001F
....210011
....100000"""
"""The position in the first report's game of 100 plays in which it opens a random cell, which is a mine."""

FIGURE_6 = "3 3 {}\n2.1\n...\n.3."
"""The second report's figure 6: A (0, 1), B (1, 0), C (1, 1), D (1, 2), E (2, 0), F (2, 2)."""
LETTERS = {"A": Cell(0, 1), "B": Cell(1, 0), "C": Cell(1, 1), "D": Cell(1, 2), "E": Cell(2, 0), "F": Cell(2, 2)}

HOLE = "5 5 4\n1.?.1\n?.2.?\n??.??\n?????\n....."
"""The second report's equations 13 to 15: A + B + H + C + D = 2, A + B = 1 (printed as A + C), C + D = 1."""

SECOND_EQUATION = "3 3 1\n1..\n.1.\n..."
"""A clue 1 in the middle, and one of its neighbours is open."""

RING = "6 5 5\n??.??\n?2.2?\n?.?.?\n?.1??\n?????\n....."
"""The fourth report's example of 3.2: A + B + C = 1, B + D + E = 2, C + D + E = 2."""

TABLE = "2 5 3\n.....\n12121"
"""The fourth report's table in 4(i): five covered cells in a row over the clues 1 2 1 2 1."""

MERGED = "4 4 3\n....\n?21?\n????\n...."
"""Two clues of that table alone: 2 on A B C and 1 on B C D."""

FIGURE_V = "3 5 5\n.....\n..2..\n12121"
"""The fourth report's figure in 4(v): a clue 2 among covered cells over the clues 1 2 1 2 1."""


def after_play_87(_: Published) -> Measured:
    """How many safe cells single clues prove where the report found no more solutions."""
    view = View.parse(AFTER_PLAY_87)
    known = Knowledge.of(view)
    safe = sorted(known.cells_of(known.safe))
    text = f"single clues prove {len(safe)} cells safe; the report opened a mine"
    return Measured(text, FAILS if safe else HOLDS, [f"proven safe: {' '.join(map(str, safe))}"])


def printed_shares(mines: int | None, printed: Mapping[str, float]) -> Measure:
    """Whether the printed shares of figure 6 are those of its solutions."""

    def measure(_: Published) -> Measured:
        view = View.parse(FIGURE_6.format(mines or 4))
        found = posterior(view.shown, mines, weighting="solutions").probability
        shares = {letter: float(found[cell]) for letter, cell in LETTERS.items()}
        text = ", ".join(f"{letter} {share:.3g}" for letter, share in shares.items())
        right = {letter: abs(shares[letter] - printed[letter]) < 0.006 for letter in LETTERS}
        wrong = [f"{letter} is printed as {printed[letter]:g}" for letter in LETTERS if not right[letter]]
        return Measured(f"{text}; {', '.join(wrong) or 'all as printed'}", verdict_of(right.values()))

    return measure


def printed_weights(printed: Mapping[str, int]) -> Measure:
    """Whether the printed weights of figure 6 are the sums of the values of the equations."""

    def measure(_: Published) -> Measured:
        equations = frontier_equations(View.parse(FIGURE_6.format(4)).shown)
        weights = {
            letter: sum(need for members, need in equations if 3 * cell.row + cell.col in members)
            for letter, cell in LETTERS.items()
        }
        text = ", ".join(f"{letter} {weight}" for letter, weight in weights.items())
        right = {letter: weights[letter] == printed[letter] for letter in LETTERS}
        wrong = [f"{letter} is printed as {printed[letter]}" for letter in LETTERS if not right[letter]]
        return Measured(f"{text}; {', '.join(wrong) or 'all as printed'}", verdict_of(right.values()))

    return measure


def pair_subtraction(_: Published) -> Measured:
    """Whether the difference of two equations of figure 6 proves B and D."""
    known = Knowledge.of(View.parse(FIGURE_6.format(4)), pairs, False)
    right = known.cells_of(known.mines) == [LETTERS["B"]] and known.cells_of(known.safe) == [LETTERS["D"]]
    return Measured("knowledge-base proves these two cells", HOLDS if right else FAILS)


def hole(_: Published) -> Measured:
    """Whether pairs miss what three equations prove."""
    view = View.parse(HOLE)
    by_pairs = Knowledge.of(view, pairs, False).safe.size
    by_all = np.flatnonzero(posterior(view.shown, None).safe).tolist()
    right = not by_pairs and by_all == [12]
    details = ["knowledge-base proves no cell with A + B = 1; the printed A + C = 1 is a misprint"]
    return Measured("only probabilistic proves H safe", HOLDS if right else FAILS, details)


def second_equation(_: Published) -> Measured:
    """Whether the printed condition for safe cells is sound: a clue 1 with one safe neighbour open meets it."""
    view = View.parse(SECOND_EQUATION)
    clue = Cell(1, 1)
    covered = [cell for cell in view.neighbours(clue) if view.is_covered(cell)]
    met = len(covered) == len(view.neighbours(clue)) - (view.clue(clue) or 0)
    mines = view.mines
    sound = not (met and mines)
    details = [
        f"a clue 1 with {len(covered)} covered of {len(view.neighbours(clue))} neighbours meets it, and {mines} "
        "of them is a mine; what the agents play is: clue = mines known"
    ]
    return Measured("misprinted: it would open a mine", HOLDS if sound else FAILS, details)


def ring(_: Published) -> Measured:
    """Whether the ring of three equations has one solution, and who finds it."""
    view = View.parse(RING)
    found = posterior(view.shown, None)
    solved = int((found.certain[:4] != 0).sum())
    by_contradiction = Knowledge.of(view, contradictions, False).safe.size == 2
    by_pairs = Knowledge.of(view, pairs, False).safe.size
    right = solved == 5 and by_contradiction and not by_pairs
    details = ["A, D and E are mines, B and C are safe; no difference of two equations shows this"]
    return Measured("one solution", HOLDS if right else FAILS, details)


def merged(_: Published) -> Measured:
    """Whether two merged clues prove A."""
    view = View.parse(MERGED)
    certain = posterior(view.shown, None).certain[0].tolist()
    whole = posterior(View.parse(TABLE).shown, None).certain[0].tolist()
    details = [
        "the mines among A B C D are A B or A C; D is safe too, which the report does not say",
        "all five clues of the table together leave one solution, A C E",
    ]
    right = (certain, whole) == ([2, 0, 0, 1], [2, 1, 2, 1, 2])
    return Measured("A is a mine, D is safe", HOLDS if right else FAILS, details)


def misdrawn(_: Published) -> Measured:
    """Whether the figure in 4(v) has a solution."""
    view = View.parse(FIGURE_V)
    impossible = posterior(view.shown, None).status is Status.INCONSISTENT
    details = ["the clues 1 and 2 at the lower left touch the same two covered cells"]
    return Measured("cannot be decided: the figure is misdrawn, no solution", OPEN if impossible else HOLDS, details)
