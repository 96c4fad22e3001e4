"""`my-thing`: one clue at a time, else luck. Say here what the idea is, then make it better."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from sweepstakes import Agent, Cell, Turn, View, hookimpl


class MyThing(Agent):
    """Opens and flags what a single clue proves, else opens a random covered cell."""

    def act(self, view: View) -> Turn:
        """The next turn: cells to open and to flag, and why."""
        detonated = set(view.detonated())
        safe: dict[Cell, list[Cell]] = {}
        mines: dict[Cell, list[Cell]] = {}
        for cell in view.open():
            clue = view.clue(cell)
            if clue is None:
                continue  # withheld by a clue noise
            around = view.neighbours(cell)
            covered = [near for near in around if view.is_covered(near)]
            left = clue - sum(near in detonated or view.is_flagged(near) for near in around)
            if left == 0:
                safe |= {near: [cell] for near in covered}
            elif left == len(covered):
                mines |= {near: [cell] for near in covered}
        for cell in mines:
            safe.pop(cell, None)  # noisy clues may contradict each other
        if safe or mines:
            evidence = safe | mines if self.explain else None
            return Turn(open=list(safe), flag=list(mines), why="proof", evidence=evidence)
        choice = view.covered()
        return Turn(open=[self.rng.choice(choice)], why="random") if choice else Turn()


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    """Offer `my-thing`."""
    return {"my-thing": MyThing}
