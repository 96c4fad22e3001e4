"""The other side of `Adviser`: the process in which strangers' code runs, one question after the other."""

from __future__ import annotations

import signal
from collections import OrderedDict
from collections.abc import Callable, Mapping
from multiprocessing.connection import Connection
from typing import Any

from sweepstakes.agent import Agent
from sweepstakes.explaining import explain_game, proven_turns
from sweepstakes.play import play_game
from sweepstakes.record import pack, unpack
from sweepstakes.registry import Registry
from sweepstakes.turn import Turn
from sweepstakes.view import View
from sweepstakes.warm_up import warm_up
from sweepstakes.web.odds import odds
from sweepstakes.web.setting import Setting

MOST_AGENTS = 64
"""How many agents in the middle of a game are remembered."""


def answer_questions(pipe: Connection, files: tuple[str, ...]) -> None:
    """Answer until the other end is closed. An answer is (True, value) or (False, a sentence)."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then closes the pipe
    desk = Desk(Registry(files))
    warm_up(quiet=True)
    pipe.send((True, "ready"))
    while True:
        try:
            name, arguments = pipe.recv()
        except (EOFError, OSError):
            return
        try:
            answer = (True, getattr(desk, name)(*arguments))
        except (Exception, SystemExit) as error:  # noqa: BLE001 - a stranger's code may raise anything
            answer = (False, _sentence(error))
        try:
            pipe.send(answer)
        except OSError:
            return


class Desk:
    """The questions that can be asked."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry
        self._agents: OrderedDict[str, Agent] = OrderedDict()

    def act(self, key: str, agent: str, seed: int, view: View) -> bytes:
        """The agent's turn, packed. The same key is the same agent in the same game: it may remember earlier turns."""
        player = self._agents.pop(key, None)
        if player is None:
            player = _seeded(self._registry.agent(agent, {}), seed)
        turn = player.act(view)
        if type(turn) is not Turn:
            raise TypeError(f"answered a {type(turn).__name__}, which is not a Turn")
        packed = pack([turn])
        self._agents[key] = player
        while len(self._agents) > MOST_AGENTS:
            self._agents.popitem(last=False)
        return packed

    def odds(self, view: View) -> dict[str, Any]:
        """The exact mine probabilities."""
        return odds(view)

    def play(self, setting: Setting, label: str, agent: str, parameters: Mapping[str, Any]) -> tuple[Any, bytes]:
        """A whole game played again: its result and its turns, packed."""
        game = setting.game(self._registry, label)
        played = play_game(game, self._registry.agent(agent, parameters), keep_turns=True)
        return tuple(played.result._replace(measures={})), pack(played.turns or [])

    def explain(
        self, setting: Setting, label: str, agent: str, parameters: Mapping[str, Any], moves: bytes
    ) -> bytes | None:
        """The turns of a game with the evidence of a second playing, packed; None if that comes to nothing."""
        factory = self._registry.agent(agent, parameters)
        told = explain_game(setting.game(self._registry, label), factory, unpack(moves))
        return None if told is None else pack(told)

    def prove(self, setting: Setting, label: str, moves: bytes) -> bytes:
        """The turns of a game with the engine's own smallest proofs, packed."""
        return pack(proven_turns(setting.game(self._registry, label), unpack(moves)))


def _seeded(factory: Callable[[], Agent], seed: int) -> Agent:
    """A fresh agent that explains its proofs."""
    player = factory()
    player._seed = seed
    player.explain = True
    return player


def _sentence(error: BaseException) -> str:
    try:
        return f"{type(error).__name__}: {error}".strip().splitlines()[0][:200]
    except Exception:  # noqa: BLE001 - an exception's own text may raise
        return type(error).__name__
