"""A program in a host, as the referee talks with it: see `lines` and docs/protocol.md."""

from __future__ import annotations

import logging

from sweepstakes import logs
from sweepstakes.hosting.client import Host
from sweepstakes.hosting.frames import FrameError
from sweepstakes.hosting.lines import LineDialogue, ProtocolError
from sweepstakes.untrusted.text import clean

_LOG = logs.logger(__name__)


class Program:
    """The lines of a program (`Lines`), and the dialogue by them; the clock of the host counts."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.dialogue = LineDialogue(self)
        self._verbose = _LOG.isEnabledFor(logging.DEBUG)

    def send(self, lines: list[str]) -> None:
        """Write lines that are not answered."""
        if self._verbose:
            for line in lines:
                _LOG.debug("> %s", line)
        self.host.send("".join(f"{line}\n" for line in lines).encode("ascii"))

    def ask(self, line: str) -> str:
        """Write a line and read its answer."""
        if early := self.host.waiting:
            raise ProtocolError(f"wrote '{clean(early[:60].decode('latin-1'), 60)}' before it was asked")
        self.send([line])
        max_length = self.dialogue.max_length
        try:
            answer = self.host.read_line(max_length).decode("latin-1")
        except FrameError:
            raise ProtocolError(f"answered by a line of more than {max_length:,} characters") from None
        if self._verbose:
            _LOG.debug("< %s", answer)
        return answer
