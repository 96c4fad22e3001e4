"""The clue noises: what they promise is what they draw."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy import stats

from sweepstakes import BoardRef, Game, Noise, Registry, Rules, Size, Turn, View, play_game
from sweepstakes.game.codes import WITHHELD

NAMES = [
    "hidden(rate=0.3)",
    "hidden(rate=0.3,blanks=true)",
    "optimistic(rate=0.3)",
    "optimistic(rate=0.3,blanks=true)",
    "cautious(rate=0.3)",
    "cautious(rate=0.3,blanks=true)",
    "liar(rate=0.3)",
    "liar(rate=0.3,blanks=true)",
]


def model(name: str) -> Noise:
    return Registry.default().noise(name)


def shown_by(name: str, neighbours: int, count: int) -> dict[int, float]:
    row = model(name).table[neighbours, count]
    return {int(value): round(float(row[value]), 12) for value in np.flatnonzero(row)}


@pytest.mark.parametrize(
    ("name", "neighbours", "count", "expected"),
    [
        ("exact-clues", 8, 3, {3: 1}),
        ("hidden(rate=0.3)", 8, 3, {3: 0.7, WITHHELD: 0.3}),
        ("hidden(rate=0.3)", 8, 0, {0: 1}),
        ("hidden(rate=0.3,blanks=true)", 8, 0, {0: 0.7, WITHHELD: 0.3}),
        ("optimistic(rate=0.3)", 8, 4, {1: 0.1, 2: 0.1, 3: 0.1, 4: 0.7}),
        ("optimistic(rate=0.3)", 8, 1, {1: 1}),
        ("optimistic(rate=0.3,blanks=true)", 8, 1, {0: 0.3, 1: 0.7}),
        ("optimistic(rate=0.3,blanks=true)", 8, 0, {0: 1}),
        ("cautious(rate=0.3)", 5, 3, {3: 0.7, 4: 0.15, 5: 0.15}),
        ("cautious(rate=0.3)", 3, 3, {3: 1}),
        ("cautious(rate=0.3)", 3, 0, {0: 1}),
        ("cautious(rate=0.3,blanks=true)", 3, 0, {0: 0.7, 1: 0.1, 2: 0.1, 3: 0.1}),
        ("liar(rate=0.3)", 8, 3, {2: 0.15, 3: 0.7, 4: 0.15}),
        ("liar(rate=0.3)", 8, 1, {1: 0.7, 2: 0.3}),
        ("liar(rate=0.3)", 3, 3, {2: 0.3, 3: 0.7}),
        ("liar(rate=0.3)", 1, 1, {1: 1}),
        ("liar(rate=0.3,blanks=true)", 8, 0, {0: 0.7, 1: 0.3}),
        ("liar(rate=0.3,blanks=true)", 8, 1, {0: 0.15, 1: 0.7, 2: 0.15}),
    ],
)
def test_the_likelihoods_are_those_of_the_definition(
    name: str, neighbours: int, count: int, expected: dict[int, float]
) -> None:
    assert shown_by(name, neighbours, count) == expected


@pytest.mark.parametrize("name", NAMES)
def test_every_row_of_the_table_sums_to_one(name: str) -> None:
    assert np.allclose(model(name).table.sum(axis=2), 1, atol=1e-12)


@pytest.mark.parametrize("name", NAMES)
def test_a_noise_that_touches_blanks_does_not_flood(name: str) -> None:
    touches = "blanks" in name
    assert model(name).floods is not touches


@pytest.mark.parametrize("name", NAMES)
def test_the_table_is_the_distribution_of_the_draws(name: str) -> None:
    """Chi-square over every neighbourhood and count at once, at a fixed seed."""
    noise = model(name)
    source = Registry.default().make("board source", "uniform")
    found = np.zeros((9, 9, 10))
    for number in range(60):
        game = Game(BoardRef.of(source, "uniform", Size(40, 40, 500), 11, number), Rules(flood=False), noise)
        truth = game.board.clues
        cells = np.flatnonzero(truth.reshape(-1) >= 0)
        game.take(Turn(open=cells))
        shown = game.view().shown.reshape(-1)
        for cell in cells:
            row, col = divmod(int(cell), 40)
            around = ((row > 0) + (row < 39) + 1) * ((col > 0) + (col < 39) + 1) - 1
            found[around, truth[row, col], shown[cell]] += 1
    expected = found.sum(axis=2, keepdims=True) * noise.table
    assert (found[expected == 0] == 0).all()
    enough = expected >= 5
    terms = (found[enough] - expected[enough]) ** 2 / expected[enough]
    freedom = int(enough.sum() - (enough.any(axis=2)).sum())
    assert stats.chi2.sf(terms.sum(), freedom) > 0.001


def test_every_agent_sees_the_same_clue_in_the_same_cell_whenever_it_opens_it() -> None:
    source = Registry.default().make("board source", "uniform")
    board_ref = BoardRef.of(source, "uniform", Size(9, 9, 12), 3, 0)
    whole = Game(board_ref, Rules(flood=False), model("liar(rate=0.5)"))
    safe = np.flatnonzero(whole.board.clues.reshape(-1) >= 0)
    whole.take(Turn(open=safe))
    backwards = Game(board_ref, Rules(flood=False), model("liar(rate=0.5)"))
    for cell in safe[::-1]:
        backwards.take(Turn(open=np.array([cell])))
    assert whole.view() == backwards.view()


def test_exact_and_trusting_are_the_same_under_hidden_clues_and_differ_under_lies() -> None:
    registry = Registry.default()
    source = registry.make("board source", "uniform")
    for name, same in (("hidden(rate=0.25)", True), ("liar(rate=0.25)", False)):
        ends = []
        for agent in ("exact", "trusting"):
            played = [
                play_game(
                    Game(BoardRef.of(source, "uniform", Size(10, 10, 15), 1, number), Rules(), model(name)),
                    registry.agent(agent),
                )
                for number in range(8)
            ]
            ends.append([game.result for game in played])
        assert (ends[0] == ends[1]) is same


def test_a_noise_dropped_in_as_a_file_is_reasoned_about(tmp_path: Path) -> None:
    """A quarter of the clues from 2 to 7 is doubled, up to 8, and a quarter is withheld."""
    file = tmp_path / "doubling.py"
    file.write_text(
        "from sweepstakes import ClueNoise, hookimpl\n"
        "class Doubling(ClueNoise):\n"
        "    def likelihood(self, count, neighbours):\n"
        "        if count in (0, 1, 8):\n            return {count: 1.0}\n"
        "        return {count: 0.5, min(2 * count, 8): 0.25, 'withheld': 0.25}\n"
        "@hookimpl\ndef sweepstakes_clue_noise():\n    return {'doubling': Doubling}\n"
    )
    registry = Registry([file])
    registry.check()
    noise = registry.noise("doubling")
    assert float(noise.table[8, 2, 4]) == 0.25
    view = View.parse("2 2 2\n4.\n..\n", noise=noise)
    from sweepstakes.inference.solving import solve

    assert solve(view).probability[0, 1] == pytest.approx(2 / 3)  # a 4 in a corner can only be a doubled 2
    source = registry.make("board source", "uniform")
    result = play_game(
        Game(BoardRef.of(source, "uniform", Size(8, 8, 10), 1, 0), Rules(), noise), registry.agent("exact")
    ).result
    assert not result.ending.is_fault
