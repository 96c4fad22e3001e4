"""One game of a person, with an agent that gives hints."""

from __future__ import annotations

import threading
from typing import Any

from sweepstakes.cell import Cell, neighbours
from sweepstakes.errors import IllegalMove
from sweepstakes.registry import Registry
from sweepstakes.result import Ending
from sweepstakes.shown import COVERED, DETONATED, FLAG
from sweepstakes.turn import Turn
from sweepstakes.web.adviser import Adviser
from sweepstakes.web.faces import flat, layout, marks, plain_turn
from sweepstakes.web.refused import Refused
from sweepstakes.web.setting import Setting
from sweepstakes.web.wish import Move

PLAYER = "you"
SCORES = ("identified", "win", "safe-opened")
"""What a person's game is worth: scores of its end alone."""


class Session:
    """A game in progress. Its methods may be called from any thread; nothing tells the mines before the end."""

    def __init__(self, identity: str, setting: Setting, agent: str, registry: Registry, adviser: Adviser) -> None:
        registry.find("agent", agent)
        self.identity = identity
        self._setting = setting
        self._agent = agent
        self._registry = registry
        self._adviser = adviser
        self._lock = threading.RLock()
        self._game = setting.game(registry, PLAYER)
        self._turns: list[Turn] = []
        self._hints: dict[int, Turn] = {}
        """The agent's turn after so many turns: asked once for each position."""
        self._lives = 0

    def state(self) -> dict[str, Any]:
        """All that the page shows."""
        with self._lock:
            view = self._game.view()
            setting = self._setting
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
                "agent": self._agent,
                "seed": setting.seed,
                "number": setting.number,
                "rules": setting.rules._asdict() | {"text": str(setting.rules)},
                "noise": setting.noise,
            }
            if self._game.over:
                state |= {"layout": layout(self._game.board.layout), "result": self._result()}
            return state

    def move(self, move: Move) -> dict[str, Any]:
        """Do what the person asks; `Refused` if the rules forbid it."""
        with self._lock:
            if self._game.over:
                raise Refused(409, "the game is over")
            size = self._setting.size
            if move.cell >= size.cells:
                raise Refused(422, f"cell {move.cell} is not on a board of {size.rows} x {size.cols}")
            self._take(self._turn(move, Cell(*divmod(move.cell, size.cols))))
            return self.state()

    def undo(self) -> dict[str, Any]:
        """Take the last turn back: the game is played again without it."""
        with self._lock:
            if not self._turns:
                raise Refused(409, "there is nothing to take back")
            turns = self._turns[:-1]
            game = self._setting.game(self._registry, PLAYER)
            for turn in turns:
                game.take(turn)
            self._game, self._turns = game, turns
            self._hints = {at: hint for at, hint in self._hints.items() if at <= len(turns)}
            self._lives += 1  # the agent has seen what no longer is
            return self.state()

    def hint(self) -> dict[str, Any]:
        """What the agent would do now."""
        with self._lock:
            return plain_turn(self._advice(), self._setting.size.cols)

    def step(self) -> dict[str, Any]:
        """Let the agent do its turn."""
        with self._lock:
            turn = self._advice()
            self._take(turn)
            return self.state() | {"turn": plain_turn(turn, self._setting.size.cols)}

    def odds(self) -> dict[str, Any]:
        """The exact mine probabilities."""
        with self._lock:
            view = self._game.view()
        return self._adviser.odds(view)

    def _advice(self) -> Turn:
        if self._game.over:
            raise Refused(409, "the game is over")
        at = len(self._turns)
        if at not in self._hints:
            key = f"{self.identity}/{self._lives}"
            self._hints[at] = self._adviser.act(key, self._agent, self._game.agent_seed, self._game.view())
        return self._hints[at]

    def _take(self, turn: Turn) -> None:
        before = len(self._turns)
        try:
            self._game.take(turn)
        except IllegalMove as broken:
            turns = self._turns  # what came before the broken rule stands; a person would not expect that
            self._game = self._setting.game(self._registry, PLAYER)
            for taken in turns:
                self._game.take(taken)
            self._hints.pop(before, None)
            raise Refused(422, f"the move breaks the rules: {broken}") from None
        self._turns.append(turn)

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
        cols = self._setting.size.cols
        return hint.why if hint is not None and cell.row * cols + cell.col in flat(hint.open, cols) else "guess"

    def _result(self) -> dict[str, Any]:
        result = self._game.result()
        scores = {name: self._registry.make("score", name, {}) for name in SCORES}
        return result._asdict() | {
            "measures": dict(result.measures),
            "ending": str(result.ending),
            "won": result.won,
            "gave_up": result.ending is Ending.GAVE_UP,
            "scores": {name: round(float(score(result)), 6) for name, score in scores.items()},
        }
