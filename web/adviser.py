"""Asks agents, in a process of their own: one that raises, hangs or crashes costs an answer and nothing else."""

from __future__ import annotations

import multiprocessing
import threading
from collections.abc import Mapping
from multiprocessing.connection import Connection
from multiprocessing.process import BaseProcess
from typing import Any

from sweepstakes.record import pack, same, unpack
from sweepstakes.registry import Registry
from sweepstakes.result import Ending, GameResult
from sweepstakes.turn import Turn
from sweepstakes.view import View
from sweepstakes.web.adviser_process import answer_questions
from sweepstakes.web.refused import Refused
from sweepstakes.web.setting import Setting

STARTING = 180.0
"""Seconds until the process is ready; compiling may be part of it."""


class Adviser:
    """A process that answers one question at a time, each within `seconds`; killed and replaced when it does not.

    An agent's first turn may take `first_seconds`, since it may have to compile, and so may a whole game; a second
    playing, to explain a game, may take `second_seconds`.
    """

    def __init__(
        self,
        files: tuple[str, ...] = (),
        *,
        seconds: float = 10.0,
        first_seconds: float = 60.0,
        second_seconds: float = 60.0,
    ) -> None:
        self._files = files
        self._seconds = seconds
        self._first_seconds = first_seconds
        self._second_seconds = second_seconds
        self._lock = threading.Lock()
        self._process: BaseProcess | None = None
        self._pipe: Connection | None = None
        self._ready = False
        self._seen: set[str] = set()

    def start(self) -> None:
        """Start the process, if there is none, without waiting for it."""
        with self._lock:
            self._begin()

    def close(self) -> None:
        """End the process."""
        with self._lock:
            self._end()

    def act(self, key: str, agent: str, seed: int, view: View) -> Turn:
        """The turn that the agent would take."""
        seconds = self._seconds if agent in self._seen else self._first_seconds
        turn = unpack(self._ask(f"agent '{agent}'", seconds, "act", key, agent, seed, view))[0]
        self._seen.add(agent)
        return turn

    def odds(self, view: View) -> dict[str, Any]:
        """The exact mine probabilities of a position."""
        found: dict[str, Any] = self._ask("the exact engine", self._seconds, "odds", view)
        return found

    def play(
        self, setting: Setting, label: str, agent: str, parameters: Mapping[str, Any]
    ) -> tuple[GameResult, list[Turn]]:
        """A whole game played again."""
        result, turns = self._ask(
            f"agent '{label}'", self._first_seconds, "play", setting, label, agent, dict(parameters)
        )
        rows, cols, mines, ending, *rest = result
        return GameResult(rows, cols, mines, Ending(ending), *rest), unpack(turns)

    def explain(
        self, setting: Setting, label: str, agent: str, parameters: Mapping[str, Any], turns: list[Turn]
    ) -> list[Turn] | None:
        """The turns of a game with the evidence of a second playing; None if that comes to nothing."""
        moves = pack(turns)
        told = self._ask(
            f"agent '{label}'", self._second_seconds, "explain", setting, label, agent, dict(parameters), moves
        )
        if told is None:
            return None
        explained = unpack(told)
        return explained if len(explained) == len(turns) and all(map(same, explained, turns)) else None

    def prove(self, setting: Setting, label: str, turns: list[Turn]) -> list[Turn]:
        """The turns of a game with the engine's own smallest proofs."""
        return unpack(self._ask("the exact engine", self._second_seconds, "prove", setting, label, pack(turns)))

    def _ask(self, who: str, seconds: float, name: str, *arguments: Any) -> Any:
        with self._lock:
            self._begin()
            assert self._pipe is not None
            try:
                if not self._ready:
                    self._answer(STARTING)
                    self._ready = True
                self._pipe.send((name, arguments))
                good, value = self._answer(seconds)
            except TimeoutError:
                self._end()
                raise Refused(504, f"{who} took more than {seconds:g} seconds, and was stopped") from None
            except (EOFError, OSError):
                self._end()
                raise Refused(502, f"{who} crashed its process") from None
        if not good:
            raise Refused(502, f"{who} failed: {value}")
        return value

    def _answer(self, seconds: float) -> Any:
        assert self._pipe is not None
        if not self._pipe.poll(seconds):
            raise TimeoutError
        return self._pipe.recv()

    def _begin(self) -> None:
        if self._process is not None and self._process.is_alive():
            return
        self._end()
        context = multiprocessing.get_context("spawn")
        self._pipe, other = context.Pipe()
        self._process = context.Process(target=answer_questions, args=(other, self._files), daemon=True)
        self._process.start()
        other.close()
        self._ready = False
        self._seen.clear()

    def _end(self) -> None:
        if self._pipe is not None:
            self._pipe.close()
        if self._process is not None:
            self._process.kill()
            self._process.join()
            self._process.close()
        self._process = self._pipe = None


def plugin_files(registry: Registry) -> tuple[str, ...]:
    """The plugin files that another process has to load to know what this one knows."""
    return tuple(plugin.file for plugin in registry.plugins if plugin.origin == "file" and not plugin.error)
