"""Finds the longest chain of influence in a run, and draws it."""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from sweepstakes.executor import Fixture
from sweepstakes.game.board import Board
from sweepstakes.game.cell import Cell
from sweepstakes.game.influence import influence
from sweepstakes.leaderboards.plots.style import GREY, new_figure, plain
from sweepstakes.leaderboards.results import Results
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.replay.explained import explain_stored_game, turns_of
from sweepstakes.tournaments.replay.replay import Replay

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MEASURE = "chain-length"


class LongestChain(NamedTuple):
    """The game with the longest chain of a run, and the length of the chain."""

    fixture: Fixture
    length: int

    def command(self, plan: Plan) -> str:
        """The command that shows the game turn by turn."""
        condition, entry = plan.conditions[self.fixture.condition], plan.entries[self.fixture.agent]
        rules = condition.rules
        return (
            f"sweepstakes watch '{entry.spec}' --board {condition.size} --seed {condition.seed} "
            f"--number {self.fixture.number} --on-mine {rules.on_mine} --first-click {rules.first_click}"
        )


def longest_chain(results: Results) -> LongestChain | None:
    """The first of the longest chains, by condition, board and agent; None if chains were not measured."""
    names = [column.name for column in results.standings.scores]
    if MEASURE not in names:
        return None
    best: LongestChain | None = None
    for number, condition in enumerate(results.plan.conditions):
        block = results.blocks.get(condition.label)
        if block is None:
            continue
        lengths = np.nan_to_num(block.values[names.index(MEASURE)], nan=-1.0)
        place, agent = np.unravel_index(int(lengths.argmax()), lengths.shape)
        if lengths[place, agent] > (-1 if best is None else best.length):
            fixture = Fixture(int(agent), number, int(block.numbers[place]))
            best = LongestChain(fixture, int(lengths[place, agent]))
    return best


def picture(results: Results, found: LongestChain) -> Figure:
    """The board with the chain drawn through it, from the guess where it starts to the last cell that it proves."""
    run = results.run
    stored = run.find(found.fixture)
    assert stored is not None
    turns = turns_of(run, stored)
    chain = influence(run.set_up(found.fixture), explain_stored_game(run, stored, turns).turns).chain
    where = f"{stored.agent.label} on {stored.condition.label}, board {stored.number}"
    board = Replay.of(run.set_up(found.fixture), turns, stored.result).board
    return _draw(board, chain, f"{where}: {len(chain) - 1} proofs from one guess")


def _draw(board: Board, chain: tuple[Cell, ...], title: str) -> Figure:
    rows, cols = board.rows, board.cols
    figure = new_figure(0.32 * cols + 0.4, 0.32 * rows + 0.8)
    axes = figure.subplots()
    axes.set_xlim(-0.5, cols - 0.5)
    axes.set_ylim(rows - 0.5, -0.5)
    axes.set_aspect("equal")
    axes.grid(visible=False)
    axes.set_xticks(np.arange(-0.5, cols), labels=[])
    axes.set_yticks(np.arange(-0.5, rows), labels=[])
    axes.grid(visible=True, color="#E4E4E4", linewidth=0.6)
    axes.tick_params(length=0)
    clues = board.clues
    for row in range(rows):
        for col in range(cols):
            text = "\u25cf" if clues[row, col] < 0 else str(clues[row, col]) if clues[row, col] else ""
            axes.text(col, row, text, ha="center", va="center", fontsize=8, color=GREY, zorder=1)
    xs, ys = [cell.col for cell in chain], [cell.row for cell in chain]
    axes.plot(xs, ys, color="#0072B2", linewidth=1.6, alpha=0.75, zorder=2)
    axes.scatter(xs[1:], ys[1:], s=70, facecolor="none", edgecolor="#0072B2", linewidth=1.1, zorder=3)
    axes.scatter(xs[:1], ys[:1], s=110, marker="s", facecolor="none", edgecolor="#D55E00", linewidth=2, zorder=4)
    axes.scatter(xs[-1:], ys[-1:], s=110, marker="D", facecolor="none", edgecolor="#009E73", linewidth=2, zorder=4)
    axes.set_title(plain(title), fontsize=9)
    axes.set_xlabel("square: the guess;  diamond: the last cell proven;  dots: mines", fontsize=8, color=GREY)
    return figure
