"""Chains of influence."""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepstakes import Agent, Board, BoardRef, Cell, Game, Registry, Rules, Size, Turn, View, play_game
from sweepstakes.game.influence import Influence, influence
from sweepstakes.game.influence_kernels import frontier_sizes, longest_frontier
from sweepstakes.inference.explaining import explain_game
from sweepstakes.plugins.boards.uniform import Uniform
from sweepstakes.tournaments import run_tournament

ROW = Board.parse("..*..*.")


def test_a_proof_from_a_guess_is_a_chain_of_one() -> None:
    turns = [
        Turn(open=[(0, 1)], why="random"),
        Turn(flag=[(0, 2)], open=[(0, 0)], why="proof", evidence={Cell(0, 2): [Cell(0, 1)], Cell(0, 0): [Cell(0, 1)]}),
    ]
    found = influence(Game(Board.parse("..*"), Rules(flood=False)), turns)
    assert (found.length, found.size) == (2, 2)  # the safe cell depends on the mine next to the clue
    assert found.chain == (Cell(0, 1), Cell(0, 2), Cell(0, 0))
    assert found.reach == 1


def test_a_guess_begins_a_new_chain() -> None:
    turns = [
        Turn(open=[(0, 1)], why="random"),
        Turn(open=[(0, 0)], why="guess", probability=0.5),
        Turn(flag=[(0, 2)], why="proof", evidence={Cell(0, 2): [Cell(0, 1)]}),
    ]
    found = influence(Game(Board.parse("..*"), Rules(flood=False)), turns)
    assert (found.length, found.chain[0]) == (1, Cell(0, 0))


@pytest.mark.parametrize("beyond", [[(7, 0)], [(-1, 0)], [(0, 10**30)]])
def test_cells_after_a_mine_that_are_not_on_the_board_are_not_looked_at(beyond: list[tuple[int, int]]) -> None:
    """Such a turn is legal, because nothing after a detonation is opened."""
    turns = [Turn(open=[(0, 2), *beyond], why="random"), Turn()]
    assert influence(Game(Board.parse("..*")), turns).length == 0


def test_what_a_flood_opens_hangs_on_the_blank_beside_it() -> None:
    game = Game(Board.parse(".....*"))
    found = influence(game, [Turn(open=[(0, 0)], why="random"), Turn()])
    assert (found.length, found.size, found.reach) == (4, 4, 4)
    assert found.chain == tuple(Cell(0, col) for col in range(5))


def test_a_game_without_proofs_has_no_chain() -> None:
    assert influence(Game(ROW, Rules(flood=False)), [Turn(open=[(0, 0)], why="random"), Turn()])[:3] == (0, 0, 0)


def test_the_longest_frontier_counts_clues_that_share_covered_cells() -> None:
    assert longest_frontier(View.parse("1 7 2\n.1.1.1.").shown) == 3
    assert longest_frontier(View.parse("1 7 2\n.1.11.1").shown) == 2
    assert frontier_sizes(View.parse("1 7 2\n.1.11.1").shown) == (2, 4)
    assert longest_frontier(View.parse("1 7 0\n0000000").shown) == 0


def test_every_proving_agent_gives_chains_that_begin_at_a_guess() -> None:
    registry = Registry.default()
    board = Board.parse(
        "\n".join(["........", "..*.....", ".....*..", "........", ".*....*.", "........", "...*....", "........"])
    )
    for name in ("basic", "knowledge-base", "ibm", "triples", "chain", "exact", "probabilistic"):
        played = play_game(Game(board), registry.agent(name), keep_turns=True)
        told = explain_game(Game(board), registry.agent(name), played.turns or [])
        found = influence(Game(board), told or [])
        assert found.length > 0, name
        assert found.size >= found.length
        assert len(found.chain) == found.length + 1
        assert found.frontier > 0


# Flags that are lifted.

BOARD = "..*.."
FIRST = Turn(open=[(0, 1)], why="random")
FLAG = Turn(flag=[(0, 2)], why="proof", evidence={Cell(0, 2): [Cell(0, 1)]})
SAFE = Turn(open=[(0, 0)], why="proof", evidence={Cell(0, 0): [Cell(0, 1)]})
LIFT = Turn(unflag=[(0, 2)])


def chain_of(*turns: Turn) -> Influence:
    return influence(Game(Board.parse(BOARD), Rules(flood=False)), turns)


def test_a_cell_whose_flag_is_lifted_is_unknown_again() -> None:
    assert chain_of(FIRST, FLAG).length == 1
    assert chain_of(FIRST, FLAG, LIFT).chain == ()
    assert chain_of(FIRST, FLAG, LIFT, SAFE).chain == (Cell(0, 1), Cell(0, 0))  # nothing rests on the mine


def test_what_was_proven_with_a_flag_keeps_what_it_rests_on_when_the_flag_is_lifted() -> None:
    found = chain_of(FIRST, FLAG, SAFE, LIFT)
    assert found == chain_of(FIRST, FLAG, SAFE)
    assert (found.length, found.chain) == (2, (Cell(0, 1), Cell(0, 2), Cell(0, 0)))


def test_a_flag_set_again_because_of_what_rested_on_it_makes_no_circle() -> None:
    again = FLAG._replace(evidence={Cell(0, 2): [Cell(0, 1), Cell(0, 0)]})
    found = chain_of(FIRST, FLAG, SAFE, LIFT, again)
    assert found.chain == (Cell(0, 1), Cell(0, 2), Cell(0, 0), Cell(0, 2))
    assert (found.length, found.size, found.reach) == (3, 2, 1)


def test_a_cell_that_stayed_covered_because_a_mine_went_off_before_it_is_not_known() -> None:
    wrong = Turn(open=[(0, 2), (0, 0)], why="proof", evidence={Cell(0, 2): [Cell(0, 1)], Cell(0, 0): [Cell(0, 1)]})
    assert chain_of(FIRST, wrong).chain == (Cell(0, 1), Cell(0, 2))


class Restless(Agent):
    """Opens, flags and unflags at random, with random reasons and evidence, without breaking a rule."""

    def act(self, view: View) -> Turn:
        covered, flagged = view.covered(), view.flagged()
        self.rng.shuffle(covered)
        self.rng.shuffle(flagged)
        lifted = flagged[: self.rng.below(3)]
        free = covered + lifted
        flags = free[: self.rng.below(3)]
        rest = [cell for cell in free if cell not in flags]
        opens = rest[: self.rng.below(3)] if flags or lifted else rest[:1]
        cells = [Cell(row, col) for row in range(view.rows) for col in range(view.cols)]
        evidence = {
            cell: [cells[self.rng.below(len(cells))] for _ in range(self.rng.below(4))]
            for cell in (*opens, *flags, cells[self.rng.below(len(cells))])
            if self.rng.below(4)
        }
        why: Any = ("proof", "proof", "guess", "random")[self.rng.below(4)]
        return Turn(opens, flags, lifted, why, evidence=evidence)


class Twin:
    """Compute the chains from their definition: a list of findings, whose depths are updated until they no longer
    change."""

    def __init__(self, rows: int, cols: int) -> None:
        self.cells = [Cell(row, col) for row in range(rows) for col in range(cols)]
        self.found: list[tuple[Cell, list[int] | None]] = []
        self.known: dict[Cell, int] = {}

    def around(self, cell: Cell) -> list[Cell]:
        return [o for o in self.cells if max(abs(o.row - cell.row), abs(o.col - cell.col)) == 1]

    def find(self, cell: Cell, parents: list[Cell] | None) -> None:
        before = None if parents is None else [self.known[p] for p in parents if p in self.known and p != cell]
        self.found.append((cell, before))
        self.known[cell] = len(self.found) - 1

    def flood(self, view: View, opened: set[Cell]) -> None:
        layer = [cell for cell in self.cells if cell in self.known and view.clue(cell) == 0]
        while layer and opened:
            reached = []
            for blank in layer:
                for cell in self.around(blank):
                    if cell in opened:
                        opened.remove(cell)
                        reached.append(cell)
                        self.find(cell, [blank])
            layer = [cell for cell in reached if view.clue(cell) == 0]

    def follow(self, before: View, turn: Turn, after: View) -> None:
        named = [Cell(*cell) for cell in [*turn.flag, *turn.open]]
        for cell in turn.unflag:
            self.known.pop(Cell(*cell), None)
        changed = [cell for cell in named if cell not in after.covered()]
        reasons = (turn.evidence or {}) if turn.why == "proof" else {}
        for cell in changed:
            if cell not in reasons:
                self.find(cell, None)
        for cell, clues in reasons.items():
            if cell in changed:
                parents = list(clues)
                for clue in clues:
                    for other in self.around(clue):
                        mine = other not in before.open() and other not in after.open()
                        if mine or cell in after.flagged() or len(clues) > 1:
                            parents.append(other)
                self.find(cell, parents)
        self.flood(after, set(after.open()) - set(before.open()) - set(named))

    def result(self) -> tuple[int, int, int, tuple[Cell, ...]]:
        depth = [0] * len(self.found)
        while True:
            again = [
                0 if parents is None else 1 + max((depth[p] for p in parents), default=0) for _, parents in self.found
            ]
            if again == depth:
                break
            depth = again
        order = sorted(self.known.values(), key=lambda i: (-depth[i], self.found[i][0]))
        if not order or depth[order[0]] == 0:
            return 0, 0, 0, ()
        last = order[0]
        path, ancestors = [last], {last}
        while parents := self.found[path[0]][1]:
            path.insert(0, min(parents, key=lambda i: (-depth[i], self.found[i][0])))
        for i in range(last, -1, -1):
            if i in ancestors:
                ancestors |= {p for p in self.found[i][1] or [] if depth[p]}
        assert all(depth[two] == depth[one] + 1 for one, two in pairwise(path))
        chain = tuple(self.found[i][0] for i in path)
        reach = max(abs(chain[0].row - chain[-1].row), abs(chain[0].col - chain[-1].col))
        return depth[last], len({self.found[i][0] for i in ancestors}), reach, chain


@given(
    st.integers(0, 2**64 - 1),
    st.sampled_from(["continue", "end"]),
    st.sampled_from([None, Cell(1, 2)]),
    st.booleans(),
    st.integers(1, 12),
)
def test_chains_are_those_of_the_definition_whatever_is_flagged_lifted_and_opened(
    seed: int, on_mine: Any, start: Cell | None, flood: bool, mines: int
) -> None:
    def fresh() -> Game:
        return Game(BoardRef(Uniform(), Size(4, 5, mines), seed), Rules(on_mine, start=start, flood=flood))

    played = play_game(fresh(), Restless, keep_turns=True)
    assert not played.result.fault or "turns" in played.result.fault, played.result.fault
    found = influence(fresh(), played.turns or [])
    game, twin = fresh(), Twin(4, 5)
    if start is not None:
        twin.find(start, None)
        twin.flood(game.view(), set(game.view().open()) - {start})
    for turn in played.turns or []:
        before = game.view()
        game.take(turn)
        twin.follow(before, turn, game.view())
        if game.over:
            break
    assert (found.length, found.size, found.reach, found.chain) == twin.result()


HONEST = '''
from sweepstakes import Agent, Registry, Turn, hookimpl


class Doubtful(Agent):
    """Plays as `basic`, but sets every flag twice; when it would have to guess, it lifts them all and gives up."""

    def __init__(self):
        self.basic = Registry.default().agent("basic")()
        self.later = []

    def act(self, view):
        if self.later:
            return self.later.pop()
        self.basic._seed, self.basic.explain = self._seed, self.explain
        turn = self.basic.act(view)
        if len(turn.flag):
            self.later = [turn._replace(open=()), Turn(unflag=turn.flag)]
        elif view.flagged() and turn.why != "proof":
            self.later = [Turn()]
            return Turn(unflag=view.flagged())
        return turn


@hookimpl
def sweepstakes_agents():
    return {"doubtful": Doubtful}
'''


def test_an_honest_agent_that_lifts_flags_is_measured(tmp_path: Path) -> None:
    file = tmp_path / "doubtful.py"
    file.write_text(HONEST)
    tournament = {
        "boards": {"size": 8, "mines": 10},
        "agents": ["doubtful"],
        "scores": ["chain-length", "chain-size"],
        "games": 10,
    }
    made = run_tournament(tournament, plugins=(str(file),), workers=1)
    (line,) = made.tables[0].standings
    assert line.faults == 0
    assert line.scores[0].mean > 0
