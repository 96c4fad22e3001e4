"""Agents with one weakness each, which a review has to find."""

from __future__ import annotations

from sweepstakes import Agent, Turn, View, hookimpl
from sweepstakes.game.codes import COVERED
from sweepstakes.inference import decide, posterior


class Pretender(Agent):
    """Plays like the exact agent, and calls its guesses proven."""

    def act(self, view: View) -> Turn:
        found = decide(view.shown, view.mines)
        opens = [divmod(cell, view.cols) for cell in ([found.guess] if found.guess >= 0 else found.safe.tolist())]
        return Turn(open=opens, flag=[divmod(cell, view.cols) for cell in found.mines.tolist()], why="proof")


class Blind(Agent):
    """Opens the least risky of the cells that are not certain, as if it could not prove anything."""

    def act(self, view: View) -> Turn:
        belief = posterior(view.shown, view.mines)
        chance = belief.probability
        risky = [c for c in view.covered() if 0 < chance[c] < 1]
        cells = risky or view.covered()
        cell = min(cells, key=lambda c: (chance[c], c))
        return Turn(open=[cell], why="guess", probability=float(chance[cell]))


class Bluffer(Agent):
    """Plays like the exact agent, but states a mine probability of 0.9 for every guess."""

    def act(self, view: View) -> Turn:
        found = decide(view.shown, view.mines)
        if found.guess < 0:
            return Turn(open=found.safe, why="proof")
        return Turn(open=[divmod(found.guess, view.cols)], why="guess", probability=0.9)


class Painter(Agent):
    """Plays like the exact agent, and also flags the last covered cell with each guess."""

    def act(self, view: View) -> Turn:
        found = decide(view.shown, view.mines)
        if found.guess < 0:
            return Turn(open=found.safe, why="proof")
        last = [c for c in view.covered() if c.row * view.cols + c.col != found.guess][-1:]
        cell = divmod(found.guess, view.cols)
        if view.shown[cell] != COVERED:
            return Turn(open=[cell], unflag=[cell], why="guess")
        return Turn(open=[cell], flag=last, why="guess")


class Faller(Agent):
    """Opens one cell, and raises."""

    def act(self, view: View) -> Turn:
        if view.open():
            raise RuntimeError("it was too easy")
        return Turn(open=[self.rng.choice(view.covered())], why="random")


@hookimpl
def sweepstakes_agents():  # type: ignore[no-untyped-def]
    return {"pretender": Pretender, "blind": Blind, "bluffer": Bluffer, "painter": Painter, "faller": Faller}
