"""The host of a trusted service: `RequestHandler` in a process that can be killed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from sweepstakes.executor import Limits
from sweepstakes.game.faults import AgentFault
from sweepstakes.hosting.hosted_agent import AgentSource, HostedAgents
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.web.agents.request_handler import RequestHandler
from sweepstakes.web.agents.shared_hosts import SharedHosts, Turnstile, api_error

START_SECONDS = 180.0
"""Seconds until the process has to be ready."""


class ServiceHost:
    """A process in which the exact engine or built-in agents answer one request at a time, from any thread.

    A process that answers too late or not at all is killed; the next request starts a new process.
    """

    def __init__(self, hosts: SharedHosts, trusted: Sequence[PluginSource]) -> None:
        service = f"{RequestHandler.__module__}:{RequestHandler.__name__}"
        source = AgentSource(None, parameters={"trusted": [list(each) for each in trusted]}, service=service)
        self._host = HostedAgents(hosts, source, Limits(start_seconds=START_SECONDS), isolation="none")
        self._turnstile = Turnstile(hosts, self._host)
        self._warm_agents: set[str] = set()
        """The agents that have answered in the present process: their code is compiled."""

    def close(self) -> None:
        """End the process, when the hosts are closed; a request that waits raises `ApiError`."""
        self._turnstile.close()

    def request(self, responder: str, seconds: float, method: str, *arguments: Any) -> Any:
        """Call a method of `RequestHandler` and return its answer: JSON data that the caller has to check.

        Raises `ApiError` if there is no answer; `responder` names the agent or engine in its message.
        """
        with self._turnstile:
            return self._ask(responder, seconds, method, arguments)

    def act(self, agent: str, seconds: float, first_seconds: float, *arguments: Any) -> Any:
        """The answer of the method `act`; the first in a process may take `first_seconds`."""
        with self._turnstile:
            if not self._host.alive:
                self._warm_agents.clear()
            allowed = seconds if agent in self._warm_agents else first_seconds
            answer = self._ask(f"agent '{agent}'", allowed, "act", arguments)
            self._warm_agents.add(agent)
            return answer

    def _ask(self, responder: str, seconds: float, method: str, arguments: Sequence[Any]) -> Any:
        try:
            return self._host.call(method, arguments, seconds)
        except AgentFault as fault:
            raise api_error(fault, responder, seconds) from None
