"""One game of a person in the browser, with an agent that gives hints.

Where a hint comes from: the browser posts to `/api/games/{id}/hint`, and `app.py` calls `Session.hint` in the queue of
the agent's process. `Session._request_hint` then makes these requests:

- `AgentService.check_flags` asks the process of the exact engine which flags are proven and which are wrong;
- `AgentService.act` asks the agent's process, which calls the agent's own `act(view)`: its host, or that of all
  built-in agents (`web/agents/request_handler.py`);
- `AgentService.odds` asks the process of the exact engine for the cells that are certain.

`Session.step` takes the turn of the same hint. `DealtBoards` asks the process of the built-in agents for a board whose
source may take long. `Session.odds` asks the process of the exact engine for the mine
probabilities. All other methods are answered by the server's own process.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable
from time import monotonic
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sweepstakes.boards import BoardSource
from sweepstakes.errors import IllegalMove
from sweepstakes.game.board import Board
from sweepstakes.game.board_statistics import board_statistics
from sweepstakes.game.cell import Cell, neighbours
from sweepstakes.game.codes import COVERED, DETONATED, FLAG
from sweepstakes.game.game import Game
from sweepstakes.game.result import Ending
from sweepstakes.game.setup import UNIFORM, GameSetup
from sweepstakes.game.size import Size
from sweepstakes.game.turn import Turn, flat_cells
from sweepstakes.game.view import View
from sweepstakes.inference import is_first_click_safe
from sweepstakes.registry.registry import Registry
from sweepstakes.spec import Spec
from sweepstakes.web.agents.agent_service import AgentService
from sweepstakes.web.data.serialize import (
    expand_runs,
    layout_text,
    position_text,
    serialize_result,
    serialize_seed,
    serialize_turn,
)
from sweepstakes.web.server.api_error import ApiError
from sweepstakes.web.server.requests import Action, Move
from sweepstakes.web.server.saved_game import SavedTurn

PLAYER = "you"
ANY_VERSION = Action()
"""An action in the present position, whichever the page shows."""
SCORES = ("identified", "win", "safe-opened")
"""The scores of a person's game: those that need the result of the game and nothing else."""


class Hint(NamedTuple):
    """The turn that the agent would take, and the flags of the position that are in doubt."""

    turn: Turn
    """A legal turn: it removes the flag of a cell before it opens the cell, and sets no flag a second time."""
    flags: frozenset[int]
    """The cells that the agent takes for mines, including cells that are flagged already."""
    wrong: list[int]
    """Flags that cannot be right."""
    conflicting: list[int]
    """Flags of which at least one is wrong."""
    unproven: list[int]
    """Flags that the person set and no clue proves. They may be right; the hint does not rely on them."""
    first_click_safe: bool
    """Whether the rules guarantee that the next cell opened, whichever it is, is not a mine."""
    certain: tuple[list[int], list[int]] | None
    """The covered cells that are certainly safe, and those that are certainly mines, whatever the agent knows of them.
    None if the exact engine did not answer."""


class Session:
    """A game in progress. Its methods may be called from any thread, and reveal no mine before the game is over.

    The agent sees the flags that it set itself, and the flags that the clues prove. Any other flag is the person's
    guess: the agent sees a covered cell there. So the hint agrees with the probabilities, which ignore all flags.
    """

    def __init__(
        self,
        session_id: str,
        setup: GameSetup,
        agent: Spec,
        registry: Registry,
        agent_service: AgentService,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self.session_id = session_id
        self._setup = setup
        self._agent = agent_service.checked(agent)
        self._registry = registry
        self._agent_service = agent_service
        self.hint_queue = agent_service.queue_name(agent)
        """The name of the queue in which `hint` and `step` have to be called."""
        self._dealt = DealtBoards(setup, agent_service)
        self._clock = clock
        self._hint_lock = threading.Lock()
        """Held while the agent is asked for a hint. Moves do not need this lock, and another agent has another lock."""
        self._lock = threading.RLock()
        """Held while the attributes below are read or changed."""
        self._game = self._replayed(())
        self._turns: list[SavedTurn] = []
        self._began: float | None = None
        """When the first cell was opened, by the clock."""
        self._seconds: float | None = None
        """The time from the first opened cell to the end of the game; None while the game is not over."""
        self._agent_flags: list[frozenset[int]] = [frozenset()]
        """The flags that the agent has set or suggested, after 0, 1, 2, ... turns."""
        self._hints: dict[int, Hint] = {}
        """The hint for the position after so many turns: the agent is asked once for each position."""
        self._undos = 0
        """The number of turns taken back. The agent is started again after each, since it remembers the turn."""
        self._advisers = 0
        """How often another agent was asked to give the hints."""
        self._changes = 0
        """How often the position has changed."""
        self._odds: tuple[bytes, dict[str, Any]] | None = None
        """The position without its flags whose probabilities were computed last, and these."""

    def state(self) -> dict[str, Any]:
        """Everything that the Play page shows except the hint and the probabilities."""
        with self._lock:
            view = self._game.view()
            setup = self._setup
            shown = view.shown
            state: dict[str, Any] = {
                "id": self.session_id,
                "rows": view.rows,
                "cols": view.cols,
                "mines": view.mines,
                "shown": position_text(view),
                "left": view.mines - int((shown == FLAG).sum()) - int((shown == DETONATED).sum()),
                "version": self._changes,
                "turns": len(self._turns),
                "last": self._turns[-1].text(view.cols) if self._turns else "",
                "clicks": sum(not turn.by_agent for turn in self._turns),
                "with_hints": sum(turn.hints for turn in self._turns),
                "with_odds": sum(turn.odds for turn in self._turns),
                "undone": self._undos,
                "seconds": self._elapsed(),
                "over": self._game.over,
                "agent": str(self._agent),
                "seed": serialize_seed(setup.seed),
                "number": setup.number,
                "rules": setup.rules._asdict() | {"text": str(setup.rules)},
                "source": str(setup.source),
                "noise": str(setup.noise),
            }
            if self._game.over:
                board = self._game.board
                state |= {
                    "layout": layout_text(board.layout),
                    "result": self._result(),
                    "three_bv": board_statistics(board).three_bv if setup.rules.flood else None,
                    "lies": _lies(shown, board),
                }
            return state

    def saved(self) -> str:
        """All turns as the text that `restore` reads."""
        with self._lock:
            return " ".join(turn.text(self._setup.size.cols) for turn in self._turns)

    def restore(self, turns: Iterable[SavedTurn], undone: int, seconds: float | None) -> None:
        """Play the turns of a game that the browser kept, before anything else; `ApiError` if one is illegal."""
        with self._lock:
            for turn in turns:
                if self._game.over:
                    raise ApiError(422, "saved.turns: the game is over before the last of them")
                self._take(turn, flat_cells(turn.turn.flag, self._setup.size.cols) if turn.by_agent else ())
            self._undos = undone
            if seconds is not None and self._began is not None:
                self._began = self._clock() - seconds
                self._seconds = seconds if self._game.over else None

    @property
    def has_to_deal(self) -> bool:
        """Whether the next cell that is opened makes another process deal the board: it may take long."""
        return not self._dealt.is_instant and not self._dealt.boards

    def change_adviser(self, agent: Spec) -> dict[str, Any]:
        """Have the hints given by another agent from now on; the game stays as it is."""
        checked = self._agent_service.checked(agent)
        with self._lock:
            self._agent, self.hint_queue = checked, self._agent_service.queue_name(agent)
            self._hints = {}
            self._hint_lock = threading.Lock()  # the agent before may still be thinking
            self._advisers += 1
            self._changes += 1
            return self.state()

    def _elapsed(self) -> float | None:
        """Seconds since the first cell was opened, up to the end of the game; None before."""
        if self._seconds is not None or self._began is None:
            return self._seconds
        return round(self._clock() - self._began, 2)

    def move(self, move: Move) -> dict[str, Any]:
        """Carry out the person's move and return the new state; raise `ApiError` if the rules forbid the move."""
        with self._lock:
            self._check_version(move)
            if self._game.over:
                raise ApiError(409, "the game is over")
            size = self._setup.size
            if move.cell >= size.cells:
                raise ApiError(422, f"cell {move.cell} is not on a board of {size.rows} x {size.cols}")
            hint = self._hints.get(len(self._turns))
            suggested = {move.cell} if hint is not None and move.cell in hint.flags else set()
            turn = self._turn_of(move, Cell(*divmod(move.cell, size.cols)))
            self._take(SavedTurn(turn, hints=move.hints, odds=move.odds), suggested)
            return self.state()

    def undo(self, action: Action = ANY_VERSION) -> dict[str, Any]:
        """Take the last turn back: a new game replays the turns before it."""
        with self._lock:
            self._check_version(action)
            if not self._turns:
                raise ApiError(409, "there is no turn to take back")
            turns = self._turns[:-1]
            self._game, self._turns = self._replayed(turns), turns
            self._agent_flags.pop()
            self._seconds = None
            if not any(len(saved.turn.open) for saved in turns):
                self._began = None
            self._changes += 1
            self._hints = {count: hint for count, hint in self._hints.items() if count <= len(turns)}
            self._undos += 1
            return self.state()

    def hint(self, action: Action = ANY_VERSION) -> dict[str, Any]:
        """The turn that the agent would take now, and the flags in doubt. Waits for the agent's process."""
        with self._lock:
            self._check_version(action)
        return self._serialize_hint(self._current_hint()[0])

    def step(self, action: Action = ANY_VERSION) -> dict[str, Any]:
        """Take the turn of the hint. If the agent gives up, the position stays as it is and the person plays on."""
        with self._lock:
            self._check_version(action)
        hint, changes = self._current_hint()
        with self._lock:
            self._check_unchanged(changes)
            if any(map(len, hint.turn[:3])):
                self._take(SavedTurn(hint.turn, by_agent=True), hint.flags)
            return self.state() | {"turn": self._serialize_hint(hint)}

    def odds(self, action: Action = ANY_VERSION) -> dict[str, Any]:
        """The exact mine probabilities. Waits for the process of the exact engine."""
        with self._lock:
            self._check_version(action)
            view = self._game.view()
        return self._odds_of(view)

    def _odds_of(self, view: View) -> dict[str, Any]:
        """The probabilities of a position of this game, which do not depend on its flags; the last ones are kept."""
        bare = _without_flags(view, frozenset(np.flatnonzero(view.shown == FLAG).tolist()))
        known = self._odds
        if known is None or known[0] != bare.data:
            known = self._odds = bare.data, self._agent_service.odds(bare)
        return known[1]

    def _certain(self, view: View) -> tuple[list[int], list[int]] | None:
        """The covered cells that are certainly safe, and certainly mines; None if the exact engine does not answer."""
        if is_first_click_safe(view):  # any of them, but not all of them
            return [], []
        try:
            percent = expand_runs(self._odds_of(view)["percent"])
        except ApiError:
            return None
        covered = np.flatnonzero(view.shown == COVERED).tolist()
        return [cell for cell in covered if percent[cell] == 0], [cell for cell in covered if percent[cell] == 100]

    def _current_hint(self) -> tuple[Hint, int]:
        """The hint for the present position, and the value of `_changes` for which it was computed."""
        with self._hint_lock:
            with self._lock:
                if self._game.over:
                    raise ApiError(409, "the game is over")
                count, changes, view = len(self._turns), self._changes, self._game.view()
                known = self._hints.get(count)
                agent_flags, key = self._agent_flags[-1], f"{self.session_id}/{self._advisers}/{self._undos}"
            hint = self._request_hint(key, view, agent_flags) if known is None else known
            with self._lock:
                self._check_unchanged(changes)
                self._hints[count] = hint
            return hint, changes

    def _request_hint(self, key: str, view: View, agent_flags: frozenset[int]) -> Hint:
        """Ask the exact engine's process about the flags, and the agent's process for its turn."""
        flags = frozenset(np.flatnonzero(view.shown == FLAG).tolist())
        person_flags = flags - agent_flags
        proven, wrong, conflicting = self._agent_service.check_flags(view) if person_flags else ([], [], [])
        unproven = person_flags - set(proven)
        while True:
            turn = self._agent_service.act(key, self._agent, self._game.agent_seed, _without_flags(view, unproven))
            suggested = frozenset(flat_cells(turn.flag, view.cols))
            flag = [cell for cell in flat_cells(turn.flag, view.cols) if cell not in unproven]
            unflag = flat_cells(turn.unflag, view.cols) + sorted(unproven & set(flat_cells(turn.open, view.cols)))
            if not suggested & unproven or len(turn.open) or flag or unflag:
                break
            unproven -= suggested  # the turn sets only flags that the person has set: show them to the agent, ask again
        legal = turn._replace(flag=np.array(flag, np.int64), unflag=np.array(unflag, np.int64))
        doubtful = sorted(unproven - set(wrong))
        safe = is_first_click_safe(view)
        return Hint(legal, suggested, wrong, conflicting, doubtful, safe, self._certain(view))

    def _serialize_hint(self, hint: Hint) -> dict[str, Any]:
        return serialize_turn(hint.turn, self._setup.size.cols) | {
            "flags": {"wrong": hint.wrong, "conflicting": hint.conflicting, "unproven": hint.unproven},
            "first_click_safe": hint.first_click_safe,
            "certain": None if hint.certain is None else dict(zip(("safe", "mines"), hint.certain, strict=True)),
        }

    def _check_version(self, action: Action) -> None:
        if action.version is not None and action.version != self._changes:
            raise ApiError(409, "this game went on elsewhere, perhaps in another tab")

    def _check_unchanged(self, changes: int) -> None:
        if self._changes != changes:
            raise ApiError(409, "the position changed while the agent was thinking: ask for the hint again")

    def _take(self, saved: SavedTurn, suggested: Iterable[int] = ()) -> None:
        """Take a turn, in which the agent suggested to flag these cells; raise `ApiError` if the turn is illegal."""
        turn = saved.turn
        try:
            self._game.take(turn)
        except IllegalMove as error:
            # The game has carried out the turn up to the illegal move; the person keeps the position before the turn.
            self._game = self._replayed(self._turns)
            self._hints.pop(len(self._turns), None)
            raise ApiError(422, f"the move breaks the rules: {error}") from None
        self._turns.append(saved)
        if self._began is None and len(turn.open):
            self._began = self._clock()
        if self._game.over:
            self._seconds = self._elapsed()
        flagged = np.flatnonzero(self._game.view().shown == FLAG).tolist()
        self._agent_flags.append(self._agent_flags[-1].union(suggested).intersection(flagged))
        self._changes += 1

    def _replayed(self, turns: Iterable[SavedTurn]) -> Game:
        """A new game on the same board after these turns."""
        ref = self._setup.board_ref(self._registry)
        if not self._dealt.is_instant:
            ref = ref._replace(source=self._dealt)
        game = Game(ref, self._setup.rules, self._registry.noise(self._setup.noise), PLAYER)
        for saved in turns:
            game.take(saved.turn)
        return game

    def _turn_of(self, move: Move, cell: Cell) -> Turn:
        """The turn that carries out a move; `ApiError` if the cell does not allow the move."""
        shown = self._game.view().shown
        code = int(shown[cell])
        if move.action == "flag":
            if code == FLAG:
                return Turn(unflag=[cell])
            if code != COVERED:
                raise ApiError(409, "only a covered cell takes a flag")
            return Turn(flag=[cell], why="proof")
        if move.action == "open":
            if code != COVERED:
                raise ApiError(409, "the cell is flagged" if code == FLAG else "the cell is open already")
            return Turn(open=[cell], why=self._why(cell))
        around = neighbours(*shown.shape, *cell)
        covered = [other for other in around if shown[other] == COVERED]
        known = sum(int(shown[other]) in (FLAG, DETONATED) for other in around)
        if not 0 < code <= 8 or known != code or not covered:
            raise ApiError(409, "a clue opens its neighbours when just as many of them are flagged as it says")
        return Turn(open=covered, why="guess")

    def _why(self, cell: Cell) -> Any:
        """The reason of the hint if the hint opens this cell, else "guess"."""
        hint = self._hints.get(len(self._turns))
        cols = self._setup.size.cols
        hinted = [] if hint is None else flat_cells(hint.turn.open, cols)
        return hint.turn.why if hint is not None and cell.row * cols + cell.col in hinted else "guess"

    def _result(self) -> dict[str, Any]:
        result = self._game.result()
        scores = {name: self._registry.make("score", name) for name in SCORES}
        return serialize_result(result) | {
            "gave_up": result.ending is Ending.GAVE_UP,
            "scores": {name: round(float(score(result)), 6) for name, score in scores.items()},
        }


class DealtBoards(BoardSource):
    """The board of one game, dealt in the process of the built-in agents if its source may take long to find it."""

    def __init__(self, setup: GameSetup, agent_service: AgentService) -> None:
        self._setup = setup
        self._agent_service = agent_service
        self.is_instant = setup.source.name == UNIFORM.name
        """Whether the source needs no time, and so no other process."""
        self.boards: dict[tuple[int, ...], Board] = {}
        """By the protected cells: those that were dealt."""

    def board(self, seed: int, number: int, size: Size, protected: tuple[int, ...]) -> Board:
        """The board; `ApiError` if its source finds none in time."""
        if protected not in self.boards:
            self.boards[protected] = self._agent_service.deal(self._setup, protected)
        return self.boards[protected]


def _lies(shown: npt.NDArray[np.int8], board: Board) -> dict[int, int]:
    """The open cells that show another number than that of the mines around them, and this number."""
    open_clues = (shown >= 0) & (board.clues >= 0)
    wrong = np.flatnonzero(open_clues & (shown != board.clues)).tolist()
    return {cell: int(board.clues.flat[cell]) for cell in wrong}


def _without_flags(view: View, flags: frozenset[int]) -> View:
    """The view with these flagged cells covered instead."""
    data = bytearray(view.data)
    for cell in flags:
        data[cell] = COVERED & 0xFF
    return view._replace(data=bytes(data))
