"""Agents play the same without the compiler, and without a warning."""

from __future__ import annotations

from uncompiled import said_alike

SCRIPT = """
from sweepstakes import BoardRef, Game, Registry, Rules, Size, play_game

registry = Registry.default()
source = registry.make("board source", "uniform")
for name in registry.self_contained_agents():
    for number, noise in enumerate(("exact-clues", "exact-clues", "liar(rate=0.2)", "hidden(rate=0.3)")):
        rules = (Rules(), Rules("end", "safe"))[number % 2]
        board_ref = BoardRef.of(source, "uniform", Size.of(7, 8, density=(0.15, 0.25)[number // 2]), 5, number)
        game = Game(board_ref, rules, registry.noise(noise))
        print(name, play_game(game, registry.agent(name)).result, game.view())
"""


def test_agents_play_the_same_without_the_compiler() -> None:
    said = said_alike(SCRIPT)
    assert "fault=''" in said
    assert "raised" not in said
