"""What `sweepstakes serve` does."""

from __future__ import annotations

import os
import socket
from contextlib import suppress
from pathlib import Path
from time import sleep
from types import FrameType

import click
import uvicorn
from starlette.applications import Starlette

from sweepstakes.errors import RunError
from sweepstakes.os_support import hide_memory
from sweepstakes.registry.registry import Registry
from sweepstakes.spec import Spec
from sweepstakes.tournaments.resolve.machine import isolation_here
from sweepstakes.tournaments.resolve.plugins import add_plugins
from sweepstakes.tournaments.stored_run import StoredRun, open_run
from sweepstakes.warm_up import warm_up
from sweepstakes.web.agents.agent_service import AgentService
from sweepstakes.web.agents.run_agents import isolation_of, run_agents
from sweepstakes.web.server.app import make_app
from sweepstakes.web.server.connection import TimedConnection
from sweepstakes.web.server.folder import HOME, is_folder, make_folder_app


def serve(run: Path | None, port: int, show: bool, wait: bool, isolation: str | None, plugins: tuple[str, ...]) -> None:
    """Serve the arena until Ctrl-C."""
    hide_memory()  # from here on, processes run third-party code
    if run is not None and wait:
        _wait_for_games(run)
    services: list[AgentService] = []

    def arena(run: Path | None, home: str = "") -> Starlette:
        registry, stored, agent_service = _open(run, isolation, plugins)
        services.append(agent_service)
        return make_app(registry, stored, agent_service=agent_service, home=home)

    if run is not None and is_folder(run):
        app = make_folder_app(run, lambda path: arena(path, HOME))
        warm_up(review=True)
    else:
        app = arena(run)
    listener = _listen(port)
    address = f"http://127.0.0.1:{listener.getsockname()[1]}/"
    click.echo(f"the arena is at {address} (Ctrl-C ends it)")
    config = uvicorn.Config(
        app,
        http=TimedConnection,
        ws="none",
        log_level="warning",
        access_log=False,
        server_header=False,
        limit_concurrency=900,  # below the usual limit on open files
        timeout_graceful_shutdown=1,
    )
    if show:
        click.launch(address)

    class Server(uvicorn.Server):
        """Kills the processes of agents first, so that requests that wait for an agent are answered before the end."""

        def handle_exit(self, sig: int, frame: FrameType | None) -> None:
            for agent_service in services:
                agent_service.close()
            super().handle_exit(sig, frame)

    try:
        Server(config).run(sockets=[listener])
    except KeyboardInterrupt:
        click.echo("\nstopped", err=True)


def _open(
    run: Path | None, isolation: str | None, plugins: tuple[str, ...]
) -> tuple[Registry, StoredRun | None, AgentService]:
    """Open a run, and compile what its arena needs."""
    stored = open_run(run, plugins) if run is not None else None
    registry = Registry(plugins)
    registry.check()
    if stored is not None:
        add_plugins(registry, stored.config)
    isolation = isolation_here(isolation) if isolation else isolation_of(stored)
    own = {} if stored is None else run_agents(stored)
    for label in [label for label, agent in own.items() if agent.missing]:
        click.echo(f"agent '{label}' is not offered: {own[label].missing}", err=True)
        if label in registry.offers("agent"):
            del own[label]  # the user has named another version of it
    built_in = [] if stored is None else [agent.spec for agent in stored.agents if _is_built_in(registry, agent.spec)]
    warm_up([registry.agent(spec) for spec in built_in], review=stored is not None)
    return registry, stored, AgentService(registry, isolation=isolation, run_agents=own)


def _is_built_in(registry: Registry, agent: Spec) -> bool:
    offer = registry.offers("agent").get(agent.name)
    return offer is not None and offer.plugin.origin == "built in"


def _wait_for_games(run: Path) -> None:
    """Return when a game is stored in the run directory, which need not exist yet, or its tables are written.

    The process ends if the one that started it does.
    """
    parent = os.getppid()
    while True:
        if os.getppid() != parent:
            raise SystemExit(1)
        if (run / "leaderboard.json").exists():
            return
        if (run / "games.sqlite").exists() and (run / "tournament.yaml").exists():
            with suppress(RunError), open_run(run) as stored:  # it may be written at this moment
                if stored.finished():
                    return
        sleep(0.3)


def _listen(port: int) -> socket.socket:
    """Return a listener that accepts connections only from this machine. Raise `RunError` if the port is taken."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        listener.bind(("127.0.0.1", port))
        listener.listen()  # from now on a connection waits until the server runs
    except OSError as error:
        listener.close()
        raise RunError(f"port {port}: {error.strerror or error}; choose another with --port") from None
    return listener
