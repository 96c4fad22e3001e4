"""What deductions prove where single clues are stuck, and what agents prove of all that clues prove."""

from __future__ import annotations

from itertools import permutations
from statistics import fmean

import numpy as np
import pytest

from sweepstakes import Board, BoardRef, Cell, Game, MeasuredScore, Registry, Rules, Size, Turn, View
from sweepstakes.agent import start_agent
from sweepstakes.inference import Knowledge, posterior
from sweepstakes.inference.stuck import stuck_positions
from sweepstakes.plugins.scores.influence import LongestRun
from sweepstakes.plugins.scores.proofs import expected_first, measure

REGISTRY = Registry.default()


def game(number: int, size: Size) -> Game:
    source = REGISTRY.make("board source", "uniform")
    return Game(BoardRef.of(source, "uniform", size, 41, number), Rules(first_click="safe"))


def turns_of(agent: str, number: int, size: Size, *, explain: bool = False) -> list[Turn]:
    match = game(number, size)
    player = start_agent(REGISTRY.agent(agent), match.agent_seed)
    player.explain = explain
    turns = []
    while not match.over:
        turns.append(player.act(match.view()))
        match.take(turns[-1])
    return turns


def test_the_reference_plays_single_clues_out_before_it_looks_at_the_posterior() -> None:
    size, stuck = Size(9, 9, 20), 0
    for number in range(8):
        turns, match, basic = turns_of("exact(singles_first=true)", number, size), game(number, size), []
        for turn in turns:
            view = match.view()
            single = Knowledge.of(view)
            basic.append(bool(single.safe.size))
            if basic[-1]:
                assert sorted(np.asarray(turn.open).tolist()) == sorted(single.safe.tolist())
                assert turn.why == "proof"
            match.take(turn)
        assert match.over
        stuck += basic.count(False)
    assert stuck > 20


def test_stronger_deductions_prove_cells_in_more_positions() -> None:
    size, total = Size(16, 16, 51), dict.fromkeys(("pairs-prove", "triples-prove", "chains-prove", "stuck"), 0.0)
    provable = 0
    for number in range(12):
        turns = turns_of("exact(singles_first=true)", number, size)
        numbers = measure(game(number, size), turns)
        positions = stuck_positions(game(number, size), turns)
        total["stuck"] += len(positions)
        provable += sum(position.provable for position in positions)
        for name in ("pairs-prove", "triples-prove", "chains-prove"):
            total[name] += numbers[name]
        assert numbers["assumption-proves"] <= numbers["refutable"] <= numbers["contradictions-prove"]
        assert numbers["proven-cells"] == numbers["provable-cells"]
    assert 0 < total["pairs-prove"] <= total["triples-prove"] <= provable
    assert total["pairs-prove"] < total["chains-prove"] <= provable < total["stuck"]


def test_cells_that_clues_prove_are_counted_once_and_those_missed_are_not_proven() -> None:
    size = Size(6, 6, 9)
    for number in range(10):
        turns, match = turns_of("basic", number, size), game(number, size)
        provable, missed = set(), set()
        for turn in turns:
            before = match.view()
            sure = posterior(before.shown, None)
            certain = {Cell(*cell) for cell in np.argwhere(sure.certain > 0).tolist()}
            provable |= certain
            match.take(turn)
            after = match.view()
            if turn.why != "proof":
                missed |= {cell for cell in certain if not after.is_covered(cell) and not after.is_flagged(cell)}
        missed |= {cell for cell in provable if match.view().is_covered(cell)}
        numbers = measure(game(number, size), turns)
        assert numbers["provable-cells"] == len(provable)
        assert numbers["proven-cells"] == len(provable - missed)


def test_the_expected_number_of_assumptions_in_random_order_is_the_mean_over_all_orders() -> None:
    for refuted in ([True, False, False, False], [True, True, False, False, False]):
        orders = [[*order].index(True) + 1 for order in permutations(refuted)]
        assert fmean(orders) == pytest.approx(expected_first(sum(refuted), len(refuted)))


def test_inferred_cells_are_counted_by_the_clues_that_prove_them() -> None:
    size = Size(9, 9, 16)
    score = REGISTRY.make("score", "inferred-cells")
    assert isinstance(score, MeasuredScore)
    for number in range(4):
        turns = turns_of("chain", number, size, explain=True)
        numbers = score.measure(game(number, size), turns)
        assert 0 < numbers["single-clue-cells"] <= numbers["inferred-cells"]
        basic = score.measure(game(number, size), turns_of("basic", number, size, explain=True))
        assert basic["single-clue-cells"] == basic["inferred-cells"] > 0


def test_a_run_ends_at_a_guess_and_floods_belong_to_it() -> None:
    board = Board.parse("....\n....\n..*.\n*...")

    def run(*turns: Turn) -> int:
        return int(LongestRun.measure(Game(board), turns)["longest-run"])

    flood = Turn(open=[Cell(0, 0)], why="random")
    opened = sum(1 for _ in _after(board, flood).open())
    assert opened > 5
    assert run(flood) == opened - 1
    proof = Turn(flag=[Cell(2, 2)], why="proof")
    assert run(flood, proof) == opened
    guess = Turn(open=[Cell(3, 3)], why="guess", flag=[Cell(2, 2)])
    assert run(flood, guess) == opened
    assert run(Turn(open=[Cell(2, 2)], why="random")) == 0


def _after(board: Board, turn: Turn) -> View:
    match = Game(board)
    match.take(turn)
    return match.view()
