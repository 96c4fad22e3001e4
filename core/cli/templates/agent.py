"""`my-thing`: reasons about one clue at a time, otherwise opens a random cell. Describe your own idea here."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import Agent, Cell, Turn, View, hookimpl


class MyThing(Agent):
    """Opens and flags the cells that a single clue proves, otherwise opens a random covered cell."""

    def act(self, view: View) -> Turn:
        """Return the next turn: cells to open, cells to flag, and the reason."""
        detonated = set(view.detonated())
        safe: dict[Cell, list[Cell]] = {}
        mines: dict[Cell, list[Cell]] = {}
        for cell in view.open():
            clue = view.clue(cell)
            if clue is None:
                continue  # withheld by clue noise
            around = view.neighbours(cell)
            covered = [near for near in around if view.is_covered(near)]
            left = clue - sum(near in detonated or view.is_flagged(near) for near in around)
            if left == 0:
                safe |= {near: [cell] for near in covered}
            elif left == len(covered):
                mines |= {near: [cell] for near in covered}
        for cell in mines:
            safe.pop(cell, None)  # noisy clues can contradict each other
        if safe or mines:
            evidence = safe | mines if self.explain else None
            return Turn(open=list(safe), flag=list(mines), why="proof", evidence=evidence)
        choice = view.covered()
        return Turn(open=[self.rng.choice(choice)], why="random") if choice else Turn()


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Register `my-thing`."""
    return {"my-thing": MyThing}
