"""Plays one game with one agent."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from time import process_time
from typing import NamedTuple, cast

from sweepstakes.agent import Agent, RemoteAgent, start_agent
from sweepstakes.errors import HostingError, IllegalMove
from sweepstakes.game.faults import AgentFault, fault_of
from sweepstakes.game.game import Game
from sweepstakes.game.result import LONGEST_FAULT, Ending, GameResult
from sweepstakes.game.turn import Turn
from sweepstakes.game.turn_log import Log
from sweepstakes.game.view import View
from sweepstakes.untrusted.exceptions import is_ctrl_c
from sweepstakes.untrusted.text import clean


class Played(NamedTuple):
    """A finished game, the agent's time, and its turns if they were recorded."""

    result: GameResult
    seconds: float
    """Processor time of the agent, in all threads of this process."""
    turns: Sequence[Turn] | None
    """The turns without evidence. Taking them again gives the same ending. The last one raises if it was illegal."""


def play_game(game: Game, agent: Callable[[], Agent], *, keep_turns: bool = False) -> Played:
    """Play the game to its end with a new agent. An error of the agent ends the game as a fault and is not raised.

    `explain` is not set: see `sweepstakes.inference.explaining` for the second playing that sets it.
    """
    game.log = Log() if keep_turns else None
    begun = process_time()
    try:
        player = start_agent(agent, game.agent_seed)
    except BaseException as error:  # noqa: BLE001 - third-party code may raise anything
        blame(game, error)
        return Played(game.result(), process_time() - begun, game.log)
    if issubclass(type(player), RemoteAgent):  # isinstance would run third-party code
        remote = cast(RemoteAgent, player)
        _play(game, remote.act)
        remote.game_over(game.ending or "", game.fault.removesuffix(game.where()))  # the seed would reveal the mines
        return Played(game.result(), remote.cpu_seconds, game.log)
    spent = process_time() - begun

    def timed_act(view: View) -> Turn:
        __tracebackhide__ = True
        nonlocal spent
        begun = process_time()
        try:
            return player.act(view)
        finally:
            spent += process_time() - begun

    _play(game, timed_act)
    return Played(game.result(), spent, game.log)


def _play(game: Game, act: Callable[[View], Turn]) -> None:
    """Play the game to its end, turn by turn."""
    while game.ending is None:
        view = game.view()
        try:
            turn = act(view)
        except BaseException as error:  # noqa: BLE001 - third-party code may raise anything
            blame(game, error)
            return
        try:
            game.take(turn)
        except IllegalMove as broken:
            game.forfeit(Ending.ILLEGAL_MOVE, str(broken))


def blame(game: Game, error: BaseException) -> None:
    """End the game because of the agent's error. Raise the error again if it is Ctrl-C or not the agent's fault."""
    if is_ctrl_c(error) or issubclass(type(error), HostingError):
        raise error
    fault = error.fault if type(error) is AgentFault else fault_of(error)  # isinstance would run third-party code
    game.forfeit(fault.ending, clean(f"agent '{clean(game.agent)}' {fault.what}{game.where()}", LONGEST_FAULT))
