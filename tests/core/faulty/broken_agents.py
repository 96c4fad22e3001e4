"""Agents with one fault each, for `sweepstakes check` to find."""

import os
import random
import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from types import FrameType

from sweepstakes import Agent, Cell, Game, Turn, View, hookimpl


class Sound(Agent):
    """Opens the first covered cell."""

    def act(self, view: View) -> Turn:
        return Turn(open=view.covered()[:1])


class Reopens(Sound):
    def act(self, view: View) -> Turn:
        return Turn(open=(view.open() + view.covered())[:1])


class RollsDice(Sound):
    def act(self, view: View) -> Turn:
        return Turn(open=[random.choice(view.covered())])


class Remembers(Sound):
    games = 0

    def __init__(self) -> None:
        type(self).games += 1

    def act(self, view: View) -> Turn:
        covered = view.covered()
        return Turn(open=[covered[self.games % len(covered)]])


class Peeks(Sound):
    def act(self, view: View) -> Turn:
        frame: FrameType | None = sys._getframe()
        while frame is not None:
            for thing in list(frame.f_locals.values()):
                if isinstance(thing, Game):
                    with suppress(RuntimeError):  # there is no board yet
                        return Turn(open=[min(view.covered(), key=thing.board.is_mine)])
            frame = frame.f_back
        return Turn(open=view.covered()[:1])


class NeedsANeighbour(Sound):
    def act(self, view: View) -> Turn:
        view.neighbours(Cell(0, 0))[0]
        return super().act(view)


class NeedsClues(Sound):
    def act(self, view: View) -> Turn:
        for cell in view.open():
            if view.clue(cell) is None:
                print("no clue at", cell)
            assert view.clue(cell) + 0 >= 0  # type: ignore[operator]
        return super().act(view)


class ClaimsProofs(Sound):
    def act(self, view: View) -> Turn:
        return super().act(view)._replace(why="proof")


class ProvesByLuck(Sound):
    """Flags, as proven, the cells next to a clue that has as many mines as covered cells, or one more."""

    def act(self, view: View) -> Turn:
        for cell in view.open() if view.rows == 12 else []:
            around = [c for c in view.neighbours(cell) if view.is_covered(c)]
            mines = [c for c in view.neighbours(cell) if view.is_flagged(c) or c in view.detonated()]
            left = (view.clue(cell) or 0) - len(mines)
            if around and view.noise.exact and left == len(around) - 1 and left > 0:
                return Turn(flag=around[:1], why="proof")
        return super().act(view)


class Dawdles(Sound):
    def act(self, view: View) -> Turn:
        if view.rows == 16 and not view.open():
            end = time.process_time() + 1.05
            while time.process_time() < end:
                pass
        return super().act(view)


class Hangs(Sound):
    def act(self, view: View) -> Turn:
        while view.rules.start and view.rules.on_mine == "end" and not view.rules.flood:
            pass
        return super().act(view)


class Kills(Sound):
    def act(self, view: View) -> Turn:
        if view.cols == 7 and view.rows == 1:
            os._exit(3)
        return super().act(view)


class AnswersAList(Sound):
    def act(self, view: View) -> Turn:
        return view.covered()[:1]  # type: ignore[return-value]


class Stalls(Sound):
    def act(self, view: View) -> Turn:
        flags = view.flagged()
        return Turn(unflag=flags) if flags else Turn(flag=view.covered()[:1])


class ExplainsOtherwise(Sound):
    def act(self, view: View) -> Turn:
        return Turn(open=view.covered()[-1:]) if self.explain else super().act(view)


SHARED = Sound()


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    faults = [Reopens, RollsDice, Remembers, Peeks, NeedsANeighbour, NeedsClues, ClaimsProofs, ProvesByLuck, Dawdles]
    faults += [Hangs, Kills, AnswersAList, Stalls, ExplainsOtherwise]
    return {fault.__name__.lower(): fault for fault in faults} | {"shared": lambda: SHARED, "sound": Sound}
