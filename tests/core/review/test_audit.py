"""Counts of many games add up, and stated probabilities are scored as the definitions say."""

from __future__ import annotations

from math import isnan, log

import pytest

from sweepstakes.review import Audit, Stated


def test_stated_probabilities_are_scored() -> None:
    audit = Audit(stated=(Stated(0.25, 0.5, False), Stated(0.75, 0.5, True), Stated(0.0, 0.2, True)))
    assert audit.brier == pytest.approx((0.25**2 + 0.25**2 + 1) / 3)
    assert audit.log_score == pytest.approx((-2 * log(0.75) - log(1e-6)) / 3)
    assert audit.error == pytest.approx((0.25 + 0.25 + 0.2) / 3)


def test_a_reliability_diagram_has_a_bin_for_each_range() -> None:
    stated = (Stated(0.0, 0.1, False), Stated(0.05, 0.1, True), Stated(0.5, 0.4, True), Stated(1.0, 1.0, True))
    bins = Audit(stated=stated).reliability()
    assert len(bins) == 10
    assert bins[0] == (2, 0.025, 0.1, 0.5)
    assert bins[5] == (1, 0.5, 0.4, 1.0)
    assert bins[9] == (1, 1.0, 1.0, 1.0)
    assert [place for place, found in enumerate(bins) if found is None] == [1, 2, 3, 4, 6, 7, 8]
    assert Audit().reliability() == [None] * 10


def test_audits_add_up() -> None:
    one = Audit(1, proofs=3, guesses=4, best=1, risky=2, excess=0.5, stated=(Stated(0.1, 0.1, False),))
    two = Audit(1, proofs=1, guesses=1, best=1, risky=0, excess=0.0)
    both = Audit.total([one, two])
    assert (both.games, both.proofs, both.guesses, both.stated) == (2, 4, 5, one.stated)
    assert both.best_share == 0.4
    assert both.mean_excess == 0.25
    assert Audit.total([]) == Audit()
    assert isnan(Audit().best_share)
    assert isnan(Audit().mean_excess)
    assert isnan(Audit().brier)
