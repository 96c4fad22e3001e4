"""Steps of `check_agent`: what the agent calls proven is true and follows from the clues that it saw."""

from __future__ import annotations

from sweepstakes.game.codes import DETONATED
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.size import Size
from sweepstakes.game.turn import Turn, as_cells
from sweepstakes.game.view import View
from sweepstakes.inference.unsound_proofs import unsound_proofs
from sweepstakes.testing.scenarios import EVERYTHING, Games
from sweepstakes.testing.steps import Factory, begin, check, play_with_views, take


def proves_only_what_is_true(factory: Factory, games: Games = EVERYTHING) -> None:
    """No flag with the reason `proof` is on a safe cell, and no cell opened with the reason `proof` is a mine."""
    for number in range(20):
        setup = games.setup(Size(8, 8, 10), number)
        game, agent = begin(factory, games, setup)
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


def proves_only_what_follows(factory: Factory, games: Games = EVERYTHING) -> None:
    """Every cell of a turn with the reason `proof` is certain by the exact posterior of the view."""
    for number, size in enumerate([Size(8, 8, 10)] * 12 + [Size(12, 12, 26)] * 4):
        setup = games.setup(size, number)
        for view, turn in play_with_views(factory, games, setup)[0]:
            check_follows(view, turn, setup)


def check_follows(view: View, turn: Turn, setup: GameSetup) -> None:
    """Raise `StepFailure` if a cell that the turn calls proven does not follow from the clues."""
    for cell, (claim, probability) in unsound_proofs(view, turn).items():
        check(
            False,
            f"it called {cell} proven {claim}, which does not follow: a mine there has probability {probability:.3f}, "
            f"in {setup}, at\n{view}",
            setup,
        )
