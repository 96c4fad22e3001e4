"""One game of a person, with an agent that gives hints."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from sweepstakes.errors import IllegalMove
from sweepstakes.game.cell import Cell, neighbours
from sweepstakes.game.codes import COVERED, DETONATED, FLAG
from sweepstakes.game.result import Ending
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.turn import Turn
from sweepstakes.game.view import View
from sweepstakes.inference import is_first_click_safe
from sweepstakes.registry.registry import Registry
from sweepstakes.registry.spec import Spec
from sweepstakes.web.agents.agent_service import Adviser
from sweepstakes.web.data.serialize import flat, layout, marks, plain_result, plain_turn
from sweepstakes.web.server.api_error import Refused
from sweepstakes.web.server.requests import Move

PLAYER = "you"
SCORES = ("identified", "win", "safe-opened")
"""What a person's game is worth: scores of its end alone."""


class Advice(NamedTuple):
    """What the agent would do, and what is wrong with the flags of the position."""

    turn: Turn
    """As it can be taken: a flag on a cell to be opened is lifted first, one that is there already is not set again."""
    flags: frozenset[int]
    """The cells that the agent takes for mines, those that are flagged already among them."""
    wrong: list[int]
    """Flags that cannot be right."""
    together: list[int]
    """Flags of which at least one is wrong."""
    unproven: list[int]
    """Flags that may be right, which the advice does not rely on: the person set them, and no clue proves them."""
    first_click_safe: bool
    """Whether the rules keep mines away from whichever cell is opened now."""


class Session:
    """A game in progress. Its methods may be called from any thread; nothing tells the mines before the end.

    The agent sees its own flags, and those that the clues prove. Any other flag is the person's opinion: to the agent
    its cell is covered, so that its advice and the probabilities, which believe no flag, agree.
    """

    def __init__(self, identity: str, setup: GameSetup, agent: Spec, registry: Registry, adviser: Adviser) -> None:
        self.identity = identity
        self._setup = setup
        self._agent = registry.checked("agent", agent)
        self._registry = registry
        self._adviser = adviser
        self.lane = adviser.lane(agent)
        """Whom the hints have to wait for."""
        self._asking = threading.Lock()
        """Held while the agent is asked: one question at a time. The game goes on in the meantime."""
        self._lock = threading.RLock()
        self._game = setup.game(registry, PLAYER)
        self._turns: list[Turn] = []
        self._agreed: list[frozenset[int]] = [frozenset()]
        """After each number of turns the flags that the agent has set, or agreed to."""
        self._hints: dict[int, Advice] = {}
        """The agent's advice after so many turns: asked once for each position."""
        self._lives = 0
        self._changes = 0
        """How often the position has changed."""

    def state(self) -> dict[str, Any]:
        """All that the page shows."""
        with self._lock:
            view = self._game.view()
            setup = self._setup
            shown = view.shown
            state: dict[str, Any] = {
                "id": self.identity,
                "rows": view.rows,
                "cols": view.cols,
                "mines": view.mines,
                "shown": marks(view),
                "left": view.mines - int((shown == FLAG).sum()) - int((shown == DETONATED).sum()),
                "turns": len(self._turns),
                "over": self._game.over,
                "agent": str(self._agent),
                "seed": setup.seed,
                "number": setup.number,
                "rules": setup.rules._asdict() | {"text": str(setup.rules)},
                "noise": str(setup.noise),
            }
            if self._game.over:
                state |= {"layout": layout(self._game.board.layout), "result": self._result()}
            return state

    def move(self, move: Move) -> dict[str, Any]:
        """Do what the person asks; `Refused` if the rules forbid it."""
        with self._lock:
            if self._game.over:
                raise Refused(409, "the game is over")
            size = self._setup.size
            if move.cell >= size.cells:
                raise Refused(422, f"cell {move.cell} is not on a board of {size.rows} x {size.cols}")
            hint = self._hints.get(len(self._turns))
            agreed = {move.cell} if hint is not None and move.cell in hint.flags else set()
            self._take(self._turn(move, Cell(*divmod(move.cell, size.cols))), agreed)
            return self.state()

    def undo(self) -> dict[str, Any]:
        """Take the last turn back: the game is played again without it."""
        with self._lock:
            if not self._turns:
                raise Refused(409, "there is nothing to take back")
            turns = self._turns[:-1]
            game = self._setup.game(self._registry, PLAYER)
            for turn in turns:
                game.take(turn)
            self._game, self._turns = game, turns
            self._agreed.pop()
            self._changes += 1
            self._hints = {at: hint for at, hint in self._hints.items() if at <= len(turns)}
            self._lives += 1  # the agent has seen what no longer is
            return self.state()

    def hint(self) -> dict[str, Any]:
        """What the agent would do now, and which flags are in doubt. It takes as long as the agent does."""
        return self._plain(self._advice()[0])

    def step(self) -> dict[str, Any]:
        """Let the agent do its turn. Where it gives up the game stays as it is: it is the person's."""
        advice, changes = self._advice()
        with self._lock:
            self._check_same(changes)
            if any(map(len, advice.turn[:3])):
                self._take(advice.turn, advice.flags)
            return self.state() | {"turn": self._plain(advice)}

    def odds(self) -> dict[str, Any]:
        """The exact mine probabilities."""
        with self._lock:
            view = self._game.view()
        return self._adviser.odds(view)

    def _advice(self) -> tuple[Advice, int]:
        """The agent's advice, and at which change of the position it was given."""
        with self._asking:
            with self._lock:
                if self._game.over:
                    raise Refused(409, "the game is over")
                at, changes, view = len(self._turns), self._changes, self._game.view()
                known = self._hints.get(at)
                agreed, key = self._agreed[-1], f"{self.identity}/{self._lives}"
            advice = self._ask(key, view, agreed) if known is None else known
            with self._lock:
                self._check_same(changes)
                self._hints[at] = advice
            return advice, changes

    def _ask(self, key: str, view: View, agreed: frozenset[int]) -> Advice:
        """Ask the agent what to do, and the exact engine about the flags."""
        flags = frozenset(np.flatnonzero(view.shown == FLAG).tolist())
        proven, wrong, together = self._adviser.flags(view) if flags - agreed else ([], [], [])
        own = flags - agreed - set(proven)
        while True:
            turn = self._adviser.act(key, self._agent, self._game.agent_seed, _covered(view, own))
            named = frozenset(flat(turn.flag, view.cols))
            flag = [cell for cell in flat(turn.flag, view.cols) if cell not in own]
            unflag = flat(turn.unflag, view.cols) + sorted(own & set(flat(turn.open, view.cols)))
            if not named & own or len(turn.open) or flag or unflag:
                break
            own -= named  # all it would do is done already: it sees that, and goes on
        taken = turn._replace(flag=np.array(flag, np.int64), unflag=np.array(unflag, np.int64))
        unproven = sorted(own - set(wrong))
        return Advice(taken, named, wrong, together, unproven, is_first_click_safe(view))

    def _plain(self, advice: Advice) -> dict[str, Any]:
        flags = {"wrong": advice.wrong, "together": advice.together, "unproven": advice.unproven}
        safe = {"flags": flags, "first_click_safe": advice.first_click_safe}
        return plain_turn(advice.turn, self._setup.size.cols) | safe

    def _check_same(self, changes: int) -> None:
        if self._changes != changes:
            raise Refused(409, "the game went on while the agent was thinking: ask again")

    def _take(self, turn: Turn, agreed: Iterable[int] = ()) -> None:
        before = len(self._turns)
        try:
            self._game.take(turn)
        except IllegalMove as broken:
            turns = self._turns  # what came before the broken rule stands; a person would not expect that
            self._game = self._setup.game(self._registry, PLAYER)
            for taken in turns:
                self._game.take(taken)
            self._hints.pop(before, None)
            raise Refused(422, f"the move breaks the rules: {broken}") from None
        self._turns.append(turn)
        standing = np.flatnonzero(self._game.view().shown == FLAG).tolist()
        self._agreed.append(self._agreed[-1].union(agreed).intersection(standing))
        self._changes += 1

    def _turn(self, move: Move, cell: Cell) -> Turn:
        shown = self._game.view().shown
        code = int(shown[cell])
        if move.action == "flag":
            if code == FLAG:
                return Turn(unflag=[cell])
            if code != COVERED:
                raise Refused(409, "only a covered cell takes a flag")
            return Turn(flag=[cell], why="proof")
        if move.action == "open":
            if code != COVERED:
                raise Refused(409, "the cell is flagged" if code == FLAG else "the cell is open already")
            return Turn(open=[cell], why=self._why(cell))
        around = neighbours(*shown.shape, *cell)
        covered = [other for other in around if shown[other] == COVERED]
        known = sum(int(shown[other]) in (FLAG, DETONATED) for other in around)
        if not 0 < code <= 8 or known != code or not covered:
            raise Refused(409, "a clue opens its neighbours when just as many of them are flagged as it says")
        return Turn(open=covered, why="guess")

    def _why(self, cell: Cell) -> Any:
        """The reason of the hint that the person follows; else it is the person's own guess."""
        hint = self._hints.get(len(self._turns))
        cols = self._setup.size.cols
        named = [] if hint is None else flat(hint.turn.open, cols)
        return hint.turn.why if hint is not None and cell.row * cols + cell.col in named else "guess"

    def _result(self) -> dict[str, Any]:
        result = self._game.result()
        scores = {name: self._registry.make("score", name) for name in SCORES}
        return plain_result(result) | {
            "gave_up": result.ending is Ending.GAVE_UP,
            "scores": {name: round(float(score(result)), 6) for name, score in scores.items()},
        }


def _covered(view: View, flags: frozenset[int]) -> View:
    """The view without these flags."""
    data = bytearray(view.data)
    for cell in flags:
        data[cell] = COVERED & 0xFF
    return view._replace(data=bytes(data))
