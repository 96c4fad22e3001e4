"""Exact optima on small boards, compared with what agents reach there, by playing every layout.

    .venv/bin/python benchmarks/optima.py
    .venv/bin/python benchmarks/optima.py --sizes 4x5/4,5x5/4 --agents champion,exact,basic

The first mine ends the game and the first click is not protected. The optimum is the number of layouts that best play
wins from the best first cell: the sum, over the clues that this cell may show, of the exact game trees behind them
(`sweepstakes.inference.endgame`). A cell that shows 0 has safe neighbours, so opening them costs nothing.
"""

from __future__ import annotations

import argparse
from functools import partial
from itertools import combinations
from math import comb

from sweepstakes import Board, Cell, Game, PositionError, Registry, Rules, Size, View
from sweepstakes.game.playing import play_game
from sweepstakes.inference import endgame
from sweepstakes.spec import Spec

SIZES = "3x3/2,3x4/3,4x4/2,4x4/3,4x4/4,3x5/3,3x5/4,4x5/2,4x5/3,4x5/4,5x5/2,5x5/3,5x5/4"
NODES = 5_000_000
LAYOUTS = 10_000


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--sizes", default=SIZES, help="boards, as in 4x4/3,5x5/2")
    parser.add_argument("--agents", default="champion,exact,basic", help="agents, as in champion,exact")
    options = parser.parse_args()
    agents = options.agents.split(",")
    print(f"| board | layouts | best play | {' | '.join(agents)} |")
    print("|---" * (len(agents) + 3) + "|")
    for text in options.sizes.split(","):
        size = Size.parse(text)
        layouts = comb(size.cells, size.mines)
        best = optimum(size)
        played = [wins(size, agent) for agent in agents]
        shares = [f"{count:,} ({100 * count / layouts:.2f} %)" for count in (best, *played)]
        print(f"| {size} | {layouts:,} | {' | '.join(shares)} |", flush=True)


def optimum(size: Size) -> int:
    """The number of layouts that best play wins."""
    return max(
        won_from(size, Cell(row, col)) for row in range((size.rows + 1) // 2) for col in range((size.cols + 1) // 2)
    )  # by symmetry the other cells are equal to these


def won_from(size: Size, cell: Cell) -> int:
    """The number of layouts that best play wins if it opens this cell first."""
    total = 0
    for clue in range(9):
        rows = ["." * size.cols] * size.rows
        rows[cell.row] = "." * cell.col + str(clue) + "." * (size.cols - cell.col - 1)
        view = View.parse("\n".join([f"{size.rows} {size.cols} {size.mines}", *rows]))
        try:
            found = endgame(view, layouts=LAYOUTS, nodes=NODES)
        except PositionError:  # no layout has this clue
            continue
        if found is None:
            raise SystemExit(f"{size}: more than {LAYOUTS:,} layouts after the first click, or too large a search")
        total += found.won
    return total


def wins(size: Size, agent: str) -> int:
    """The number of layouts that an agent wins."""
    registry = Registry.built_in()
    make = registry.agent(Spec.parse(agent))
    cells = [Cell(row, col) for row in range(size.rows) for col in range(size.cols)]
    boards = (Board.of(size.rows, size.cols, mines) for mines in combinations(cells, size.mines))
    play = partial(play_game, agent=make)
    return sum(play(Game(board, Rules(on_mine="end"))).result.won for board in boards)


if __name__ == "__main__":
    main()
