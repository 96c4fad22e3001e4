"""Evidence: a few clues that prove a cell, none of which can be spared."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

import numpy as np
import pytest
from evidence_twin import Shown, Table, by_brute_force, by_the_engine, check, clues_of, slow_enough
from hypothesis import given, settings
from hypothesis import strategies as st
from positions import small
from twin import brute

from sweepstakes import BoardRef, Cell, Game, Registry, Size, View, play_game
from sweepstakes.inference import decide, evidence, minimal_proof
from sweepstakes.plugins.agents.exact import Exact
from sweepstakes.plugins.boards.uniform import Uniform


def certain_cells(certain: Shown) -> Iterator[tuple[Cell, int]]:
    for row, col in np.argwhere(certain):
        yield Cell(int(row), int(col)), int(certain[row, col])


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32), noisy=st.booleans())
def test_the_clues_prove_the_cell_by_brute_force_and_none_can_be_spared(seed: int, noisy: bool) -> None:
    shown, mines, noise, trust = small(seed, noisy, unknown=10, wrong=0.0)
    certain = by_brute_force(shown, noise, trust)
    for cell, value in certain_cells(brute(shown, mines, noise=noise, trust_flags=trust).certain):
        clues, counted = minimal_proof(shown, mines, cell, value, noise=noise, trust_flags=trust)
        assert clues == sorted(set(clues))
        check(certain, clues, mines if counted else None, cell, value)
        assert counted == (certain(clues_of(shown), None)[cell] != value), "the count helps only where it must"
        assert counted == slow_enough(shown, mines, cell, value, noise=noise, trust_flags=trust)[1]


@settings(max_examples=200, deadline=None)
@given(seed=st.integers(0, 2**32), noisy=st.booleans())
def test_where_one_clue_or_two_are_enough_no_more_are_named(seed: int, noisy: bool) -> None:
    shown, _, noise, trust = small(seed, noisy, unknown=8, wrong=0.0)
    certain = by_brute_force(shown, noise, trust)
    few = [list(clues) for size in (1, 2) for clues in combinations(clues_of(shown), size)][:200]
    fewest: dict[Cell, int] = {}
    for clues in few:
        for cell, _ in certain_cells(certain(clues, None)):
            fewest.setdefault(cell, len(clues))
    for cell, value in certain_cells(certain(clues_of(shown), None)):
        if cell in fewest:
            assert len(minimal_proof(shown, None, cell, value, noise=noise, trust_flags=trust)[0]) <= fewest[cell]


def views(size: Size, noise: str, games: int) -> Iterator[View]:
    """The positions that `exact` meets."""
    for number in range(games):
        board_ref = BoardRef.of(Uniform(), "uniform", size, 11, number)
        game = Game(board_ref, noise=Registry.default().noise(noise))
        seen: list[View] = []

        class Watched(Exact):
            def act(self, view: View, seen: list[View] = seen) -> object:  # type: ignore[override]
                seen.append(view)
                return super().act(view)

        play_game(game, Watched)
        yield from seen


def table_of(view: View) -> Table | None:
    return None if view.noise.exact else view.noise.table


@pytest.mark.parametrize(
    ("size", "noise", "games", "every"),
    [
        (Size(9, 9, 10), "exact-clues", 8, 1),
        (Size(16, 30, 99), "exact-clues", 3, 2),
        (Size(30, 30, 180), "exact-clues", 1, 4),
        (Size(100, 100, 1500), "exact-clues", 1, 12),
        (Size(9, 9, 10), "hidden(rate=0.25)", 4, 1),
        (Size(9, 9, 10), "liar(rate=0.25)", 4, 1),
        (Size(16, 16, 40), "hidden(rate=0.25)", 1, 3),
    ],
    ids=str,
)
def test_on_positions_of_play_the_clues_prove_the_cell_and_none_can_be_spared(
    size: Size, noise: str, games: int, every: int
) -> None:
    looked_at = 0
    for view in list(views(size, noise, games))[::every]:
        table = table_of(view)
        trust = table is None
        found = decide(view.shown, view.mines, table, trust, stop_at_first_safe=False)
        certain = by_the_engine(view.shown, table, trust)
        without = certain(clues_of(view.shown), None)
        proofs = evidence(view.shown, view.mines, found.safe, found.mines, noise=table)
        assert len(proofs) == found.safe.size + found.mines.size
        for number, (cell, clues) in enumerate(proofs.items()):
            if number % max(1, len(proofs) // 6):
                continue
            value = 1 if number < found.safe.size else 2
            counted = without[cell] != value
            check(certain, clues, view.mines if counted else None, cell, value)
            assert (clues, counted) == minimal_proof(
                view.shown, view.mines, cell, value, noise=table, trust_flags=trust
            )
            looked_at += 1
    assert looked_at > 20


def test_as_few_clues_as_the_slow_search_finds() -> None:
    fast = slow = 0
    for view in list(views(Size(16, 30, 99), "exact-clues", 2))[::3]:
        found = decide(view.shown, view.mines)
        for cells, value in ((found.safe, 1), (found.mines, 2)):
            for flat in cells[:4].tolist():
                cell = Cell(*divmod(flat, view.cols))
                clues, counted = minimal_proof(view.shown, view.mines, cell, value)
                others, other = slow_enough(view.shown, view.mines, cell, value)
                assert counted == other
                fast += len(clues)
                slow += len(others)
    assert 100 < fast <= slow


def test_clues_along_a_wall_prove_what_none_of_them_proves() -> None:
    shown = np.array([[-1, -2, -1, -1, -1, -1, -1], [1, 1, 1, 1, 1, 1, 1]], np.int8)
    assert minimal_proof(shown, None, Cell(0, 0), 1) == ([Cell(1, 0)], False)
    assert minimal_proof(shown, None, Cell(0, 4), 2) == ([Cell(1, 2), Cell(1, 3)], False)
    assert len(minimal_proof(shown, None, Cell(0, 6), 1)[0]) == 3


def test_the_count_alone_needs_no_clue() -> None:
    shown = np.full((4, 5), -1, np.int8)
    assert evidence(shown, 0, range(20), []) == {Cell(*divmod(flat, 5)): [] for flat in range(20)}
    assert evidence(shown, 20, [], [7]) == {Cell(1, 2): []}
    assert minimal_proof(shown, 0, Cell(0, 0), 1) == ([], True)


def test_a_cell_that_is_not_certain_names_every_clue() -> None:
    shown = np.array([[1, -1, -1, 1], [1, -1, -1, 1]], np.int8)
    clues = [Cell(0, 0), Cell(0, 3), Cell(1, 0), Cell(1, 3)]
    assert minimal_proof(shown, 2, Cell(0, 1), 1) == (clues, True)
    assert minimal_proof(shown, None, Cell(0, 1), 1) == (clues, False)


def test_clues_that_contradict_each_other_prove_nothing() -> None:
    shown = View.parse("3 9 5\n.........\n?14????1?\n.........\n").shown
    for cell, value in ((Cell(0, 3), 1), (Cell(0, 3), 2), (Cell(2, 1), 1)):
        assert minimal_proof(shown, None, cell, value) == ([Cell(1, 1), Cell(1, 2), Cell(1, 7)], False)


def test_there_is_room_for_any_number_of_cells() -> None:
    shown = np.full((120, 120), -1, np.int8)
    shown[:, 1::3] = 0
    safe = np.flatnonzero(shown == -1)
    proofs = evidence(shown, 0, safe, [])
    assert len(proofs) == safe.size > 1 << 12
    assert all(len(clues) == 1 for clues in proofs.values())


def test_cells_may_come_as_any_integers() -> None:
    shown = np.array([[-1, 1, 0, -1]], np.int8)
    expected = {Cell(0, 3): [Cell(0, 2)], Cell(0, 0): [Cell(0, 1)]}
    for safe, found in (([3], (0,)), (np.array([3], np.int32), {0}), (iter([3]), np.array([0, 9])[::2])):
        assert evidence(shown, 1, safe, found) == expected
    for cell in (-1, 4):
        with pytest.raises(IndexError, match=f"no cell {cell} on a board of 4 cells"):
            evidence(shown, 1, [3], [cell])


SCRIPT = """
import sys
from positions import small
from twin import brute
import numpy as np
from sweepstakes.inference import _refutation_kernels, evidence
if len(sys.argv) > 1:
    _refutation_kernels.SPLITS = -1
for seed in range(120):
    for noisy in (False, True):
        shown, mines, noise, trust = small(seed, noisy, unknown=9, wrong=0.0)
        certain = brute(shown, mines, noise=noise, trust_flags=noise is None).certain
        safe, found = np.flatnonzero(certain == 1), np.flatnonzero(certain == 2)
        print(evidence(shown, mines, safe, found, noise=noise))
"""


def run(disabled: str, *words: str) -> list[str]:
    environment = os.environ | {"NUMBA_DISABLE_JIT": disabled, "PYTHONPATH": str(Path(__file__).parent)}
    command = [sys.executable, "-W", "error", "-c", SCRIPT, *words]
    done = subprocess.run(command, capture_output=True, text=True, env=environment, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_the_same_clues_are_found_without_the_compiler() -> None:
    said = run("0")
    assert said == run("1")
    assert sum(line.count("Cell") for line in said) > 500


def test_what_is_too_much_to_look_at_is_left_to_the_engine() -> None:
    for seed, line in enumerate(run("1", "no splits")):
        shown, mines, noise, _ = small(seed // 2, seed % 2 == 1, unknown=9, wrong=0.0)
        certain = by_brute_force(shown, noise, noise is None)
        every = certain(clues_of(shown), None)
        known = brute(shown, mines, noise=noise, trust_flags=noise is None).certain
        for cell, clues in eval(line, {"Cell": Cell}).items():
            check(certain, clues, None if every[cell] == known[cell] else mines, cell, int(known[cell]))
