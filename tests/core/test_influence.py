"""Chains of influence."""

from __future__ import annotations

from sweepstakes import Board, Cell, Game, Registry, Rules, Turn, View, play_game
from sweepstakes.explaining import explain_game
from sweepstakes.influence import influence, longest_frontier

ROW = Board.parse("..*..*.")


def test_a_proof_from_a_guess_is_a_chain_of_one() -> None:
    turns = [
        Turn(open=[(0, 1)], why="random"),
        Turn(flag=[(0, 2)], open=[(0, 0)], why="proof", evidence={Cell(0, 2): [Cell(0, 1)], Cell(0, 0): [Cell(0, 1)]}),
    ]
    found = influence(Game(Board.parse("..*"), Rules(flood=False)), turns)
    assert (found.length, found.size) == (2, 2)  # the safe cell rests on the mine beside the clue
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
    assert longest_frontier(View.parse("1 7 0\n0000000").shown) == 0


def test_every_proving_agent_gives_chains_that_begin_at_a_guess() -> None:
    registry = Registry.default()
    board = Board.parse(
        "\n".join(["........", "..*.....", ".....*..", "........", ".*....*.", "........", "...*....", "........"])
    )
    for name in ("basic", "knowledge-base", "ibm", "triples", "chain", "exact", "probabilistic"):
        played = play_game(Game(board), registry.agent(name, {}), keep_turns=True)
        told = explain_game(Game(board), registry.agent(name, {}), played.turns or [])
        found = influence(Game(board), told or [])
        assert found.length > 0, name
        assert found.size >= found.length
        assert len(found.chain) == found.length + 1
        assert found.frontier > 0
