"""The games in progress: a bounded number, and each of them expires."""

from __future__ import annotations

import secrets
import threading
from collections import OrderedDict
from collections.abc import Callable
from time import monotonic

from sweepstakes.game.setup import GameSetup
from sweepstakes.registry.registry import Registry
from sweepstakes.spec import Spec
from sweepstakes.web.agents.agent_service import AgentService
from sweepstakes.web.server.api_error import ApiError
from sweepstakes.web.server.session import Session


class Sessions:
    """The sessions by id.

    A session is dropped after `idle_seconds` without a request. Above `max_games` the session without a request for
    longest is dropped.
    """

    def __init__(
        self,
        registry: Registry,
        agent_service: AgentService,
        *,
        max_games: int = 100,
        idle_seconds: float = 7200.0,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        self._registry = registry
        self._agent_service = agent_service
        self._max_games = max_games
        self._idle_seconds = idle_seconds
        self._clock = clock
        self._lock = threading.Lock()
        self._games: OrderedDict[str, tuple[Session, float]] = OrderedDict()

    def __len__(self) -> int:
        return len(self._games)

    def create(self, setup: GameSetup, agent: Spec) -> Session:
        """Start a new game; `SweepstakesError` if there can be none."""
        if self._registry.find("board source", setup.source.name).description.needs:
            raise ApiError(422, f"board source '{setup.source}': expected one without parameters, such as uniform")
        setup.check(self._registry)
        session = Session(secrets.token_urlsafe(12), setup, agent, self._registry, self._agent_service)
        with self._lock:
            self._games[session.session_id] = (session, self._clock())
            self._drop_expired()
        return session

    def find(self, session_id: str) -> Session:
        """Return the session and restart its idle time; raise `ApiError` if there is none."""
        with self._lock:
            self._drop_expired()
            if session_id not in self._games:
                raise ApiError(404, "there is no such game, or the game has expired: start a new one")
            session, _ = self._games.pop(session_id)
            self._games[session_id] = (session, self._clock())
            return session

    def _drop_expired(self) -> None:
        oldest = self._clock() - self._idle_seconds
        while self._games:
            _, last_used = next(iter(self._games.values()))
            if len(self._games) <= self._max_games and last_used >= oldest:
                return
            self._games.popitem(last=False)
