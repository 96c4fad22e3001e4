"""The main function of an agent process: receives requests from `AgentProcess`, runs the agents, sends the answers."""

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
from sweepstakes.compiling.warm_up import warm_up
from sweepstakes.game.playing import play_game
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.turn import Turn
from sweepstakes.inference import check_flags
from sweepstakes.inference.explaining import explain_game, proven_turns
from sweepstakes.registry.registry import Registry
from sweepstakes.untrusted.text import clean
from sweepstakes.web.agents.channel import Channel, ProtocolError
from sweepstakes.web.agents.protocol import decode_setup, decode_turn, decode_view, encode_turn
from sweepstakes.web.data.odds import odds

MAX_AGENTS = 64
"""How many agents are kept between two turns of their games."""
GRACE_SECONDS = 5.0
"""If the server has not killed this process so many seconds after the time limit, the process ends itself."""


def main(file: int) -> None:
    """Answer the requests that come over the socket `file` until its other end is closed.

    The first message is the list of plugin files, or null where no plugin is needed. Each further message is a request,
    `[id, method, seconds, arguments]`. An answer is `[id, true, value]` or `[id, false, error]`.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches the server, which then kills this process
    channel = Channel(socket.socket(fileno=file))
    messages: queue.SimpleQueue[Any] = queue.SimpleQueue()
    threading.Thread(target=_receive_messages, args=(channel, messages), daemon=True).start()
    plugin_files = messages.get()
    handler = RequestHandler(None if plugin_files is None else Registry(plugin_files))
    warm_up(quiet=True)
    channel.send("ready")
    devnull = Path(os.devnull).open("w")  # noqa: SIM115 - the file stays open as long as the process lives
    while True:
        request_id, method, seconds, arguments = messages.get()
        # faulthandler's thread runs in C: it ends the process even if an agent never releases the interpreter lock.
        faulthandler.dump_traceback_later(seconds + GRACE_SECONDS, exit=True, file=devnull)
        try:
            answer = [request_id, True, getattr(handler, method)(*arguments)]
        except (Exception, SystemExit) as error:  # noqa: BLE001 - third-party code may raise anything
            answer = [request_id, False, _error_text(error)]
        try:
            channel.send(answer)
        except (ProtocolError, TypeError, ValueError) as error:
            channel.send([request_id, False, _error_text(error)])
        faulthandler.cancel_dump_traceback_later()


def _receive_messages(channel: Channel, messages: queue.SimpleQueue[Any]) -> None:
    """Queue the messages. When the server closes the connection the process ends, whatever an agent is doing."""
    try:
        while True:
            messages.put(channel.receive())
    finally:
        os._exit(0)


class RequestHandler:
    """The methods that the server may request, with JSON data as arguments and answers."""

    def __init__(self, registry: Registry | None) -> None:
        self._loaded_registry = registry
        self._agents: OrderedDict[str, Agent] = OrderedDict()

    @property
    def _registry(self) -> Registry:
        if self._loaded_registry is None:
            raise RuntimeError("this process has no plugins")
        return self._loaded_registry

    def act(self, key: str, agent: str, seed: int, view: dict[str, Any]) -> list[Any]:
        """The agent's turn. The same key means the same agent in the same game: it may remember earlier turns."""
        player = self._agents.pop(key, None)
        if player is None:
            player = start_agent(self._registry.agent(agent), seed, explain=True)
        turn = player.act(decode_view(view))
        if type(turn) is not Turn:
            raise TypeError(f"answered a {type(turn).__name__}, which is not a Turn")
        answer = encode_turn(turn)
        self._agents[key] = player
        while len(self._agents) > MAX_AGENTS:
            self._agents.popitem(last=False)
        return answer

    def odds(self, view: dict[str, Any]) -> dict[str, Any]:
        """The exact mine probabilities."""
        return odds(decode_view(view))

    def check_flags(self, view: dict[str, Any]) -> list[list[int]]:
        """The flags that are proven, that are wrong, and that cannot all be right."""
        position = decode_view(view)
        return [[row * position.cols + col for row, col in cells] for cells in check_flags(position)]

    def play(self, setup_data: list[Any], label: str, agent: str) -> list[Any]:
        """The result and the turns of a whole game that the agent plays."""
        game = decode_setup(setup_data).game(self._registry, label)
        played = play_game(game, self._registry.agent(agent), keep_turns=True)
        return [list(played.result.as_row()), [encode_turn(turn) for turn in played.turns or []]]

    def explain(self, setup_data: list[Any], label: str, agent: str, turns: list[Any]) -> list[Any] | None:
        """The turns with the agent's evidence from a second game; None if the second game went another way."""
        setup = decode_setup(setup_data)
        factory = self._registry.agent(agent)
        explained = explain_game(setup.game(self._registry, label), factory, _decode_turns(setup, turns))
        return None if explained is None else [encode_turn(turn) for turn in explained]

    def prove(self, setup_data: list[Any], label: str, turns: list[Any]) -> list[Any]:
        """The turns of a game with the smallest proofs that the engine finds."""
        setup = decode_setup(setup_data)
        proven = proven_turns(setup.game(self._registry, label), _decode_turns(setup, turns))
        return [encode_turn(turn) for turn in proven]


def _decode_turns(setup: GameSetup, data: list[Any]) -> list[Turn]:
    rows, cols, _ = setup.size
    return [decode_turn(turn, rows, cols, allow_off_board=True) for turn in data]


def _error_text(error: BaseException) -> str:
    try:
        return clean(f"{type(error).__name__}: {error}")
    except Exception:  # noqa: BLE001 - an exception's own text may raise
        return clean(type(error).__name__)
