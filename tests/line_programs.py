"""Agent programs started without any protection, for tests of the protocol and of the examples."""

from __future__ import annotations

import os
import select
import shutil
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from sweepstakes import Game, IllegalMove, Turn
from sweepstakes.executor import Limits
from sweepstakes.game.result import Ending, GameResult
from sweepstakes.hosting.lines import LineDialogue, ProtocolError

LANGUAGES = Path(__file__).parents[1] / "examples" / "languages"
LIMITS = Limits(10, 60, 1024)
PATIENCE = 60.0
"""Seconds after which a program counts as silent. Tests do not assert durations, but must not hang."""


def command_of(name: str, folder: Path) -> list[str]:
    """Return the command of an example; compile C into `folder`. Skip the test if the language is not installed."""
    path = LANGUAGES / name
    needed = {".c": "cc", ".sh": "sh", ".js": "node", ".py": "python3"}[path.suffix]
    if shutil.which(needed) is None:
        pytest.skip(f"{needed} is not installed")
    if path.suffix == ".c":
        built = folder / path.stem
        warnings = ["-Wall", "-Wextra", "-Wpedantic", "-Werror", "-std=c99"]
        subprocess.run(["cc", "-O2", *warnings, "-o", built, path], check=True)
        return [str(built)]
    return [needed, str(path)]


class Running:
    """A running program with the methods `send` and `ask` of `Lines`; `transcript` keeps what it wrote and read."""

    def __init__(self, words: Sequence[str], patience: float = PATIENCE) -> None:
        self._patience = patience
        self.transcript: list[str] = []
        self._errors = tempfile.TemporaryFile()  # noqa: SIM115 - closed in `kill`
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            words, stdin=pipe, stdout=pipe, stderr=self._errors, bufsize=0, start_new_session=True
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._in, self._out = self.process.stdin.fileno(), self.process.stdout.fileno()
        os.set_blocking(self._in, False)
        self._unread = b""

    def send(self, lines: list[str]) -> None:
        self.transcript += [f"> {line}" for line in lines]
        left = memoryview("".join(f"{line}\n" for line in lines).encode("ascii"))
        until = monotonic() + self._patience
        while left:
            if not select.select([], [self._in], [], max(until - monotonic(), 0))[1]:
                raise TimeoutError("does not read")
            left = left[os.write(self._in, left) :]

    def ask(self, line: str) -> str:
        if self._unread or select.select([self._out], [], [], 0)[0]:
            early = self._unread or os.read(self._out, 100)
            if not early:
                raise EOFError("ended")
            raise ProtocolError(f"wrote {early!r} before it was asked")
        self.send([line])
        until = monotonic() + self._patience
        while b"\n" not in self._unread:
            if not select.select([self._out], [], [], max(until - monotonic(), 0))[0]:
                raise TimeoutError("did not answer")
            more = os.read(self._out, 1 << 16)
            if not more:
                raise EOFError("ended")
            self._unread += more
        answer, _, self._unread = self._unread.partition(b"\n")
        self.transcript.append(f"< {answer.decode('latin-1')}")
        return answer.decode("latin-1")

    def close(self) -> None:
        assert self.process.stdin is not None
        self.process.stdin.close()

    def wait(self, seconds: float) -> bool:
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(seconds)
        return self.process.poll() is not None

    def children(self) -> int:
        """Return the number of other processes that are left in its session."""
        found = 0
        for entry in Path("/proc").glob("[0-9]*/stat"):
            with suppress(OSError):
                fields = entry.read_text(errors="replace").rpartition(")")[2].split()
                pid = int(entry.parent.name)
                found += int(fields[3]) == self.process.pid != pid and fields[0] != "Z"
        return found

    def errors(self) -> str:
        self._errors.seek(0)
        return self._errors.read().decode("utf-8", "replace")[-10_000:]

    def kill(self) -> None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(self.process.pid, 9)
        self.process.wait()
        for file in (self.process.stdin, self.process.stdout, self._errors):
            if file is not None:
                file.close()

    def __enter__(self) -> Running:
        return self

    def __exit__(self, *_: object) -> None:
        self.kill()


def play(game: Game, dialogue: LineDialogue, turns: list[Turn] | None = None) -> GameResult:
    """Play the game to its end. An invalid answer is an error; a broken rule ends the game."""
    dialogue.start_game(game.view(), game.agent_seed, LIMITS)
    while not game.over:
        turn = dialogue.act(game.view())
        if turns is not None:
            turns.append(turn)
        try:
            game.take(turn)
        except IllegalMove as broken:
            game.forfeit(Ending.ILLEGAL_MOVE, str(broken))
    assert game.ending is not None
    dialogue.end_game(game.ending, game.fault)
    return game.result()


def greeted(running: Running, parameters: Mapping[str, Any] | None = None) -> LineDialogue:
    """Greet a program and return the dialogue with it."""
    dialogue = LineDialogue(running)
    dialogue.greet(parameters)
    return dialogue
