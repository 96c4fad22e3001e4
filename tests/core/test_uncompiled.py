"""Kernels are also plain Python, which must give the same games and no warnings."""

from __future__ import annotations

from uncompiled import said_alike

SCRIPT = """
from sweepstakes import BoardRef, Game, Registry, Rules, Size, play_game, Cell
from sweepstakes.plugins.agents.basic import Basic
from sweepstakes.plugins.agents.random import Random
from sweepstakes.plugins.boards.uniform import Uniform

registry = Registry.default()
for number in range(4):
    for noise in ("exact-clues", "hidden(rate=0.25)", "liar(rate=0.25,blanks=true)"):
        for rules in (Rules(), Rules("end", "safe"), Rules("continue", "opening", Cell(3, 3))):
            for agent in (Basic, Random):
                board_ref = BoardRef.of(Uniform(), "uniform", Size(9, 9, 10), 5, number)
                game = Game(board_ref, rules, registry.noise(noise))
                print(play_game(game, agent).result, game.view(), game.board)
"""


def test_kernels_give_the_same_without_the_compiler() -> None:
    said = said_alike(SCRIPT)
    assert said.count("GameResult(") == 72
