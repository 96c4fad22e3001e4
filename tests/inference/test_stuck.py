"""What is measured where single clues prove no safe cell, against plain sets and every layout."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from statistics import fmean, median

import numpy as np
import pytest

from sweepstakes import Board, BoardRef, Cell, Game, Registry, Rules, Size, Turn, View, play_game
from sweepstakes.agent import start_agent
from sweepstakes.inference.stuck import StuckPosition, stuck_positions, summary

REGISTRY = Registry.default()


def played(agent: str, size: Size, number: int) -> tuple[list[tuple[View, Turn]], list[StuckPosition]]:
    """The views and turns of a game, and what was measured in it."""

    def game() -> Game:
        source = REGISTRY.make("board source", "uniform")
        return Game(BoardRef.of(source, "uniform", size, 29, number), Rules(first_click="safe"))

    turns = play_game(game(), REGISTRY.agent(agent), keep_turns=True).turns or []
    steps, match = [], game()
    for turn in turns:
        steps.append((match.view(), turn))
        match.take(turn)
    return steps, stuck_positions(game(), turns)


class Twin:
    """A position with what single clues prove put in, as sets of cells."""

    def __init__(self, view: View) -> None:
        self.view = view
        self.mines = {*view.flagged(), *view.detonated()}
        self.safe: set[Cell] = set()
        while True:
            more = [self._single(clue) for clue in view.open()]
            if not any(found for found, _ in more):
                break
            for found, mine in more:
                (self.mines if mine else self.safe).update(found)

    def unknown(self, clue: Cell) -> set[Cell]:
        return {o for o in self.view.neighbours(clue) if self.view.is_covered(o)} - self.mines - self.safe

    def missing(self, clue: Cell) -> int:
        return (self.view.clue(clue) or 0) - sum(o in self.mines for o in self.view.neighbours(clue))

    def _single(self, clue: Cell) -> tuple[set[Cell], bool]:
        cells, missing = self.unknown(clue), self.missing(clue)
        return (cells, missing > 0) if cells and missing in (0, len(cells)) else (set(), False)

    @property
    def clues(self) -> list[Cell]:
        return [clue for clue in self.view.open() if self.unknown(clue)]

    def frontiers(self) -> list[int]:
        """The sizes of the connected sets of clues."""
        left, sizes = set(self.clues), []
        while left:
            part, edge = set(), [left.pop()]
            while edge:
                clue = edge.pop()
                part.add(clue)
                near = {other for other in left if self.unknown(other) & self.unknown(clue)}
                left -= near
                edge += near
            sizes.append(len(part))
        return sizes

    def certain(self, clues: list[Cell], cells: list[Cell], count: int | None = None) -> tuple[set[Cell], set[Cell]]:
        """The safe cells and the mines among these cells that follow from these clues, and from the count of mines."""
        always, never = set(cells), set(cells)
        equations = [(self.unknown(clue), self.missing(clue)) for clue in clues]
        for number in range(len(cells) + 1) if count is None else [count]:
            for chosen in combinations(cells, number):
                mines = set(chosen)
                if all(len(unknown & mines) == missing for unknown, missing in equations):
                    always &= mines
                    never -= mines
        return never, always


def small_games() -> Iterator[tuple[list[tuple[View, Turn]], list[StuckPosition]]]:
    for number in range(24):
        yield played(("chain", "exact", "basic")[number % 3], Size(5, 6, (6, 8, 9)[number // 8]), number)


def test_stuck_positions_are_those_of_the_definition() -> None:
    stuck = provable = by_count = proofs = long = 0
    for steps, measured in small_games():
        found = iter(measured)
        for view, turn in steps:
            twin = Twin(view)
            if twin.safe or not twin.clues:
                continue
            position = next(found)
            stuck += 1
            assert position.whole == len(twin.clues)
            assert position.longest == max(twin.frontiers())
            unknown = [cell for cell in view.covered() if cell not in twin.mines]
            assert position.unknown == pytest.approx(len(unknown) / (view.rows * view.cols))
            assert position.proven == (turn.why == "proof" and len(turn.open) > 0)
            frontier = sorted(set().union(*(twin.unknown(clue) for clue in twin.clues)))
            if len(frontier) > 9 or len(unknown) > 13:
                continue
            safe, mines = twin.certain(twin.clues, frontier)
            assert position.provable == bool(safe)
            provable += bool(safe)
            counted, _ = twin.certain(twin.clues, unknown, view.mines - len(twin.mines))
            assert position.by_count == (bool(counted) and not safe)
            by_count += position.by_count
            named = [Cell(*divmod(int(cell), view.cols)) for cell in np.asarray(turn.flag)]
            told = [cell for cell in named if cell in mines]
            if turn.why == "proof":
                opened = [Cell(*divmod(int(cell), view.cols)) for cell in np.asarray(turn.open)]
                told += [cell for cell in opened if cell in safe]
            assert len(position.proofs) == len(told)
            smallest = sorted(fewest(twin, frontier, cell, cell in safe) for cell in told)
            for (clues, cells), least in zip(sorted(position.proofs), smallest, strict=True):
                assert clues >= least
                assert cells >= clues or clues > 1
                proofs += 1
                long += clues > 2
        assert next(found, None) is None
    assert min(stuck, provable, proofs, long) > 9, (stuck, provable, proofs, long)
    assert by_count


def fewest(twin: Twin, frontier: list[Cell], cell: Cell, safe: bool) -> int:
    """The fewest clues that prove the cell."""
    for count in range(1, len(twin.clues) + 1):
        for clues in combinations(twin.clues, count):
            if cell in twin.certain(list(clues), frontier)[0 if safe else 1]:
                return count
    raise AssertionError("not certain")


def test_a_proof_of_two_clues_reads_their_four_cells() -> None:
    board = Board.parse("**..\n*..*")
    game = Game(board)
    begun = Turn(flag=[Cell(1, 0), Cell(1, 3)], open=[Cell(1, 1), Cell(1, 2)])
    game.take(begun)  # A B C D above, and below them 3 and 2 between flags
    (described,) = stuck_positions(Game(board), [begun, start_agent(REGISTRY.agent("chain"), 1).act(game.view())])
    assert described.proofs == [(2, 4), (2, 4)]  # A is a mine and D is safe
    assert (described.longest, described.whole, described.provable, described.by_count) == (2, 2, True, False)


def test_the_numbers_of_a_game_are_medians_means_and_the_most() -> None:
    one = StuckPosition(3, 5, 0.5, True, False, True, [(2, 4), (3, 7)])
    two = StuckPosition(6, 6, 0.25, False, True, False, [])
    three = StuckPosition(1, 2, 0.125, False, True, True, [(5, 5)])
    numbers = summary([one, two, three])
    assert (numbers["stuck"], numbers["stuck-provable"], numbers["stuck-proven"]) == (3, 1, 2)
    assert (numbers["stuck-frontier"], numbers["stuck-frontier-whole"]) == (6, 6)
    assert numbers["stuck-frontier-mean"] == pytest.approx(fmean([3, 6, 1]))
    assert numbers["stuck-frontier-whole-mean"] == pytest.approx(fmean([5, 6, 2]))
    assert (numbers["proof-clues"], numbers["proof-clues-most"]) == (median([2, 3, 5]), 5)
    assert (numbers["proof-cells"], numbers["proof-cells-most"]) == (median([4, 7, 5]), 7)
    assert numbers["proof-clues-mean"] == pytest.approx(10 / 3)
    assert numbers["proof-cells-mean"] == pytest.approx(16 / 3)
    assert (numbers["count-proofs"], numbers["count-proofs-left"]) == (2, 0.1875)
    assert set(summary([]).values()) == {0.0}
    assert set(numbers) == {name for name, offer in REGISTRY.offers("score").items() if "stuck" in offer.plugin.name}
