"""The games in progress: so many at most, and none for ever."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from time import monotonic

from sweepstakes.game.setup import GameSetup
from sweepstakes.registry.registry import Registry
from sweepstakes.registry.spec import Spec
from sweepstakes.web.agents.agent_service import Adviser
from sweepstakes.web.server.api_error import Refused
from sweepstakes.web.server.session import Session


class Sessions:
    """Games by identity. The one left alone longest goes when there are too many, each after `idle` seconds."""

    def __init__(
        self,
        registry: Registry,
        adviser: Adviser,
        *,
        most: int = 100,
        idle: float = 7200.0,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._registry = registry
        self._adviser = adviser
        self._most = most
        self._idle = idle
        self._clock = clock
        self._lock = threading.Lock()
        self._games: OrderedDict[str, tuple[Session, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._games)

    def begin(self, setup: GameSetup, agent: Spec) -> Session:
        """A new game."""
        session = Session(secrets.token_urlsafe(12), setup, agent, self._registry, self._adviser)
        with self._lock:
            self._games[session.identity] = (session, self._clock())
            self._sweep()
        return session

    def find(self, identity: str) -> Session:
        """The game, which counts as touched; `Refused` if there is none."""
        with self._lock:
            self._sweep()
            if identity not in self._games:
                raise Refused(404, "there is no such game, or it was left alone too long: begin a new one")
            session, _ = self._games.pop(identity)
            self._games[identity] = (session, self._clock())
            return session

    def _sweep(self) -> None:
        oldest = self._clock() - self._idle
        while self._games:
            _, touched = next(iter(self._games.values()))
            if len(self._games) <= self._most and touched >= oldest:
                return
            self._games.popitem(last=False)
