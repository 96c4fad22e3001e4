"""Steps of `check_agent`: cells that the agent calls proven are as it says, and follow from the clues it saw."""

from __future__ import annotations

from sweepstakes.game.codes import DETONATED
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.size import Size
from sweepstakes.inference import Status, posterior
from sweepstakes.testing.steps import Factory, as_cells, begin, check, play_with_views, take


def proves_only_what_is_true(factory: Factory) -> None:
    """No flag with the reason `proof` is on a safe cell, and no cell opened with the reason `proof` is a mine."""
    for number in range(20):
        setup = GameSetup(Size(8, 8, 10), number=number)
        game, agent = begin(factory, setup)
        while not game.over:
            view = game.view()
            turn = take(game, agent, setup)
            if turn.why != "proof":
                continue
            for cell in as_cells(turn.flag, view.cols):
                check(game.board.is_mine(cell), f"it called a flag on {cell} proven, which is safe, in {setup}", setup)
            for cell in game.view().detonated():
                known = view.shown[cell] == DETONATED
                check(known, f"it called {cell} proven safe, which was a mine, in {setup}", setup)


def proves_only_what_follows(factory: Factory) -> None:
    """Every cell of a turn with the reason `proof` is certain by the exact posterior of the view."""

    for number, size in enumerate([Size(8, 8, 10)] * 12 + [Size(12, 12, 26)] * 4):
        setup = GameSetup(size, number=number)
        for view, turn in play_with_views(factory, setup)[0]:
            if turn.why != "proof":
                continue
            known = posterior(view.shown, view.mines, trust_flags=False)
            if known.status is not Status.OK:
                continue  # too hard to say that a cell is not certain
            for cells, certain, word in ((turn.open, 1, "safe"), (turn.flag, 2, "a mine")):
                for cell in as_cells(cells, view.cols):
                    check(
                        int(known.certain[cell]) == certain,
                        f"it called {cell} proven {word}, which does not follow: a mine there has probability "
                        f"{known.probability[cell]:.3f}, in {setup}, at\n{view}",
                        setup,
                    )
