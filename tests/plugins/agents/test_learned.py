"""The trained agent: its sums against a twin, what it may not use, and what it is worth."""

from __future__ import annotations

import ast
import hashlib
from pathlib import Path

import numpy as np
import numpy.typing as npt

from sweepstakes import Ending, GameSetup, Registry, Rules, Size, View, play_game
from sweepstakes.game.codes import COVERED
from sweepstakes.learning import positions
from sweepstakes.plugins.agents import learned

REGISTRY = Registry.default()
WEIGHTS_SHA256 = "40d828b08835"
"""Of the file of weights: other weights play differently, and need another version."""

Board = npt.NDArray[np.float64]


def twin(shown: npt.NDArray[np.int8], mines: int) -> Board:
    """The network as a picture's convolution over the whole board, with cells that are not active set to 0."""
    net = learned.network()
    rows, cols = shown.shape

    def around(cells: npt.NDArray[np.bool_]) -> npt.NDArray[np.int64]:
        padded = np.pad(cells.astype(np.int64), 1)
        return np.asarray(np.lib.stride_tricks.sliding_window_view(padded, (3, 3)).sum((2, 3)))

    covered, known = shown == COVERED, (shown == -2) | (shown == -3)
    clues = (shown >= 0) & (shown <= 8) & (around(covered) > 0)
    frontier = covered & (around(clues) > 0)
    kinds = np.where(clues, 1 + np.maximum(shown - around(known), 0), np.where(frontier, learned.COVERED_CELL, 0))
    left, rest = mines - int(known.sum()), int(covered.sum() - frontier.sum())
    whole = net.left[min(max(left, 0), 15)] + net.rest[min(rest, 15)]
    whole = whole + max(left, 0) / max(int(covered.sum()), 1) * net.density
    active = (kinds > 0)[..., None]
    state = np.maximum(net.kind[kinds] + frontier[..., None] * whole, 0) * active

    def convolve(given: Board, weights: Board) -> Board:
        padded = np.pad(given, ((1, 1), (1, 1), (0, 0)))
        parts = (padded[k // 3 : k // 3 + rows, k % 3 : k % 3 + cols] @ weights[k] for k in range(9))
        return np.asarray(sum(parts))

    for layer in range(0, len(net.weights), 2):
        inside = np.maximum(convolve(state, net.weights[layer]) + net.biases[layer], 0) * active
        second = convolve(inside, net.weights[layer + 1]) + net.biases[layer + 1]
        state = np.maximum(state + second, 0) * active
    chance = 1 / (1 + np.exp(-(state @ net.out[:-1] + net.out[-1])))
    unseen = float(left - chance[frontier].sum()) / max(rest, 1)
    return np.asarray(np.where(frontier, chance, np.clip(unseen, 0, 1)))


def test_the_kernel_agrees_with_a_network_over_the_whole_board() -> None:
    for size in ("beginner", "8x13@0.25", "expert"):
        found = positions(25, size, 3)
        for shown in found.shown:
            chance = np.full(shown.shape, np.nan)
            learned.probabilities(shown.copy(), found.mines, *learned.network(), chance)
            covered = shown == COVERED
            assert np.isnan(chance[~covered]).all()
            assert np.allclose(chance[covered], twin(shown, found.mines)[covered], atol=1e-9)


def test_its_probabilities_are_near_the_exact_ones() -> None:
    found = positions(300, "expert", 17)
    gaps = []
    for shown, exact in zip(found.shown, found.probability, strict=True):
        chance = np.zeros(shown.shape)
        learned.probabilities(shown.copy(), found.mines, *learned.network(), chance)
        gaps.append(np.abs(chance - exact)[shown == COVERED].mean())
    assert np.mean(gaps) < 0.02


def test_it_knows_the_mine_in_the_middle() -> None:
    view = View.parse("2 3 1\n111\n...")
    turn = learned.Learned().act(view)
    assert sorted(np.asarray(turn.open).tolist()) == [3, 5]
    assert turn.why == "guess"
    assert turn.probability is not None
    assert turn.probability < learned.SAFE


def test_it_imports_no_inference_and_its_weights_are_small_and_pinned() -> None:
    tree = ast.parse(Path(learned.__file__).read_text(encoding="utf-8"))
    imports = {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert not any("inference" in (name or "") for name in imports)
    data = learned.WEIGHTS.read_bytes()
    assert len(data) < 1_000_000
    assert hashlib.sha256(data).hexdigest()[:12] == WEIGHTS_SHA256


def test_it_wins_more_expert_games_than_local_probability_on_the_same_boards() -> None:
    def won(name: str) -> int:
        setups = [GameSetup(Size.parse("expert"), 5, number, Rules("end", "safe")) for number in range(60)]
        results = [play_game(setup.game(REGISTRY), REGISTRY.agent(name)).result for setup in setups]
        assert not any(result.fault for result in results)
        return sum(result.ending is Ending.WON for result in results)

    assert won("learned") > won("local-probability")


def test_where_it_flagged_a_safe_cell_it_opens_one_of_the_flags() -> None:
    turn = learned.Learned().act(View.parse("2 2 1 on_mine=end first_click=any\nF1\n1F"))
    assert np.array_equal(turn.open, turn.unflag)
    assert len(turn.open) == 1
