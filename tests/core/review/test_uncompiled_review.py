"""The kernels of a review are also plain Python, which must judge alike and warn of nothing."""

from __future__ import annotations

from uncompiled import said_alike

SCRIPT = """
from sweepstakes import Cell, GameSetup, Registry, Rules, Size, Spec, play_game
from sweepstakes.review import review_game

registry = Registry.default()
for number in range(2):
    for noise in ("exact-clues", "hidden(rate=0.25)"):
        for rules in (Rules(), Rules("end", "safe"), Rules("continue", "opening", Cell(2, 2))):
            for agent in ("basic", "exact"):
                setup = GameSetup(Size(6, 6, 6), 5, number, rules, noise=Spec.parse(noise))
                turns = play_game(setup.game(registry), registry.agent(Spec(agent)), keep_turns=True).turns
                review = review_game(setup, turns)
                print([float(round(x, 9)) for x in review.luck], review.audit._replace(stated=(), excess=0.0))
                print([(j.turn, j.cell, str(j.label), float(round(j.probability, 9))) for j in review.judgements])
"""


def test_a_review_is_the_same_without_the_compiler() -> None:
    said = said_alike(SCRIPT)
    assert said.count("Audit(") == 24
