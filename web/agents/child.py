"""The other side of `Process`: where third-party code runs, one question after the other."""

from __future__ import annotations

import faulthandler
import os
import queue
import signal
import socket
import threading
from collections import OrderedDict
from pathlib import Path
from typing import Any

from sweepstakes.agent import Agent, start_agent
from sweepstakes.game.playing import play_game
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.turn import Turn
from sweepstakes.inference import check_flags
from sweepstakes.inference.explaining import explain_game, proven_turns
from sweepstakes.registry.registry import Registry
from sweepstakes.untrusted.text import clean
from sweepstakes.warm_up import warm_up
from sweepstakes.web.agents.protocol import Channel, Garbled, plain_turn, read_setup, read_turn, read_view
from sweepstakes.web.data.odds import odds

MOST_AGENTS = 64
"""How many agents in the middle of a game are remembered."""
SLACK = 5.0
"""Seconds after its time in which the server should have ended this process; it then ends itself."""


def main(file: int) -> None:
    """Answer what comes over the socket `file` until its other end is closed.

    The first message is the list of plugin files, or null where no plugin is needed. An answer is `[id, True, value]`
    or `[id, False, sentence]`.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C is for the server, which then ends this process
    channel = Channel(socket.socket(fileno=file))
    questions: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(channel, questions), daemon=True).start()
    files = questions.get()
    desk = Desk(None if files is None else Registry(files))
    warm_up(quiet=True)
    channel.send("ready")
    silence = Path(os.devnull).open("w")  # noqa: SIM115 - it stays open as long as the process lives
    while True:
        identity, name, seconds, arguments = questions.get()
        # A thread of its own in C: it ends the process even if an agent never lets go of the interpreter.
        faulthandler.dump_traceback_later(seconds + SLACK, exit=True, file=silence)
        try:
            answer = [identity, True, getattr(desk, name)(*arguments)]
        except (Exception, SystemExit) as error:  # noqa: BLE001 - third-party code may raise anything
            answer = [identity, False, _sentence(error)]
        try:
            channel.send(answer)
        except (Garbled, TypeError, ValueError) as error:
            channel.send([identity, False, _sentence(error)])
        faulthandler.cancel_dump_traceback_later()


def _listen(channel: Channel, questions: queue.SimpleQueue[Any]) -> None:
    """Take the questions in; without a server there is nothing left to do, whatever an agent is doing just now."""
    try:
        while True:
            questions.put(channel.receive())
    finally:
        os._exit(0)


class Desk:
    """The questions that can be asked."""

    def __init__(self, registry: Registry | None) -> None:
        self._plugins = registry
        self._agents: OrderedDict[str, Agent] = OrderedDict()

    @property
    def _registry(self) -> Registry:
        if self._plugins is None:
            raise RuntimeError("this process has no plugins")
        return self._plugins

    def act(self, key: str, agent: str, seed: int, view: dict[str, Any]) -> list[Any]:
        """The agent's turn. The same key is the same agent in the same game: it may remember earlier turns."""
        player = self._agents.pop(key, None)
        if player is None:
            player = start_agent(self._registry.agent(agent), seed, explain=True)
        turn = player.act(read_view(view))
        if type(turn) is not Turn:
            raise TypeError(f"answered a {type(turn).__name__}, which is not a Turn")
        plain = plain_turn(turn)
        self._agents[key] = player
        while len(self._agents) > MOST_AGENTS:
            self._agents.popitem(last=False)
        return plain

    def odds(self, view: dict[str, Any]) -> dict[str, Any]:
        """The exact mine probabilities."""
        return odds(read_view(view))

    def flags(self, view: dict[str, Any]) -> list[list[int]]:
        """The flags that are proven, that are wrong, and that cannot all be right."""
        position = read_view(view)
        return [[row * position.cols + col for row, col in cells] for cells in check_flags(position)]

    def play(self, plain: list[Any], label: str, agent: str) -> list[Any]:
        """A whole game played again: its result and its turns."""
        game = read_setup(plain).game(self._registry, label)
        played = play_game(game, self._registry.agent(agent), keep_turns=True)
        return [list(played.result.as_row()), [plain_turn(turn) for turn in played.turns or []]]

    def explain(self, plain: list[Any], label: str, agent: str, turns: list[Any]) -> list[Any] | None:
        """The turns of a game with the evidence of a second playing; None if that comes to nothing."""
        setup = read_setup(plain)
        factory = self._registry.agent(agent)
        told = explain_game(setup.game(self._registry, label), factory, _turns(setup, turns))
        return None if told is None else [plain_turn(turn) for turn in told]

    def prove(self, plain: list[Any], label: str, turns: list[Any]) -> list[Any]:
        """The turns of a game with the engine's own smallest proofs."""
        setup = read_setup(plain)
        return [plain_turn(turn) for turn in proven_turns(setup.game(self._registry, label), _turns(setup, turns))]


def _turns(setup: GameSetup, plain: list[Any]) -> list[Turn]:
    rows, cols, _ = setup.size
    return [read_turn(turn, rows, cols, anywhere=True) for turn in plain]


def _sentence(error: BaseException) -> str:
    try:
        return clean(f"{type(error).__name__}: {error}")
    except Exception:  # noqa: BLE001 - an exception's own text may raise
        return clean(type(error).__name__)
