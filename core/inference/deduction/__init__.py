"""Deductions from several clues. `Knowledge.of` takes one of them with its arguments.

    pairs(only_patterns)            one equation subtracted from another
    triples()                       differences of differences, three equations at a time
    windows(length, patterns)       all solutions of a few neighbouring equations
    contradictions(one_sided)       an assumption that breaks an equation

`least_probable` picks a cell to guess from a board of probabilities.
"""

from sweepstakes.inference.deduction.contradictions import contradictions
from sweepstakes.inference.deduction.guess import least_probable
from sweepstakes.inference.deduction.pairs import pairs
from sweepstakes.inference.deduction.triples import triples
from sweepstakes.inference.deduction.windows import LONGEST, windows

__all__ = ["LONGEST", "contradictions", "least_probable", "pairs", "triples", "windows"]
