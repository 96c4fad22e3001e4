"""The application for a folder of runs and published leaderboards: a list of them, and the arena of each."""

from __future__ import annotations

import json
from asyncio import Lock
from collections import OrderedDict
from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse, RedirectResponse, Response
from starlette.routing import Mount, Route
from starlette.types import Receive, Scope, Send

from sweepstakes.errors import SweepstakesError
from sweepstakes.markup import escape_html
from sweepstakes.tables import join_words
from sweepstakes.tournaments.storage import database
from sweepstakes.web.assets import STYLE, assets, media_type
from sweepstakes.web.server.security import SecurityMiddleware

MAX_OPEN = 3
"""Maximum number of runs whose arenas, with the processes of their agents, are open at the same time."""
MAX_WINNERS = 3
"""Maximum number of agents of rank 1 that the list names."""
HOME = "../../"
"""The address of the list, as the page of a run links to it."""


class Listed(NamedTuple):
    """A line of the list."""

    name: str
    kind: str
    """What the directory contains, and how far its run is."""
    agents: int
    winners: list[str]


def is_folder(directory: Path) -> bool:
    """Return whether the directory has runs or published leaderboards in it but is neither of these itself."""
    return directory.is_dir() and not _has_tournament(directory) and bool(_directories(directory))


def listed(directory: Path) -> list[Listed]:
    """Return the runs and published leaderboards in a directory, by name."""
    return [_listed(path) for path in _directories(directory)]


def make_folder_app(directory: Path, make_app: Callable[[Path], Starlette]) -> Starlette:
    """Return the application. `make_app` returns the arena of a run, which links to the list at `HOME`."""
    arenas = _Arenas(directory, make_app)

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        yield
        await arenas.close()

    async def page(request: Request) -> Response:
        return Response(await run_in_threadpool(_page, directory), media_type=media_type("index.html"))

    async def asset(request: Request) -> Response:
        name = request.path_params["name"]
        known = name in assets()
        return Response(assets()[name], media_type=media_type(name)) if known else PlainTextResponse("", 404)

    return Starlette(
        routes=[Route("/", page), Route("/static/{name}", asset), Mount("/runs", arenas)],
        middleware=[Middleware(SecurityMiddleware)],
        lifespan=lifespan,
    )


class _Arenas:
    """The arenas of the runs, each opened when it is first visited."""

    def __init__(self, directory: Path, make_app: Callable[[Path], Starlette]) -> None:
        self._directory = directory
        self._make_app = make_app
        self._lock = Lock()
        self._open: OrderedDict[str, tuple[Starlette, AbstractAsyncContextManager[Any]]] = OrderedDict()
        """The arenas by the name of their run, the last visited one last, with what starts and closes them."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on to the arena of the run that its path names."""
        root = scope.get("root_path", "")
        name, slash, _ = scope["path"].removeprefix(root).removeprefix("/").partition("/")
        response: Any = RedirectResponse(f"/runs/{quote(name)}/")
        if name not in await run_in_threadpool(self._names):
            response = PlainTextResponse("there is no such run", 404)
        elif slash:
            try:
                response = await self._arena(name)
                scope = dict(scope) | {"root_path": f"{root}/{name}"}
            except SweepstakesError as error:
                response = PlainTextResponse(str(error), 422)
        await response(scope, receive, send)

    async def close(self) -> None:
        """Close all arenas, with the processes of their agents."""
        while self._open:
            _, (_, context) = self._open.popitem(last=False)
            await context.__aexit__(None, None, None)

    def _names(self) -> set[str]:
        return {path.name for path in _directories(self._directory)}

    async def _arena(self, name: str) -> Starlette:
        async with self._lock:
            if name not in self._open:
                app = await run_in_threadpool(self._make_app, self._directory / name)
                context = app.router.lifespan_context(app)
                await context.__aenter__()
                self._open[name] = app, context
            self._open.move_to_end(name)
            if len(self._open) > MAX_OPEN:
                _, (_, eldest) = self._open.popitem(last=False)
                await eldest.__aexit__(None, None, None)
            return self._open[name][0]


def _has_tournament(directory: Path) -> bool:
    return (directory / "tournament.yaml").is_file()


def _directories(directory: Path) -> list[Path]:
    return sorted(path for path in directory.iterdir() if path.is_dir() and _has_tournament(path))


def _listed(path: Path) -> Listed:
    finished = (path / "leaderboard.json").is_file()
    is_run = (path / database.FILE).is_file()
    kind = "published leaderboard" if not is_run else "run" if finished else "run, not finished"
    try:
        standings = json.loads((path / "leaderboard.json").read_text(encoding="utf-8"))["tables"][0]["standings"]
        winners = [str(line["agent"]) for line in standings if line["rank"] == 1]
        return Listed(path.name, kind, len(standings), winners)
    except (OSError, ValueError, LookupError, TypeError, RecursionError):
        return Listed(path.name, kind, 0, [])  # not finished, or not readable: its page says why


def _page(directory: Path) -> str:
    """Return the list as a page."""
    lines = [
        f'<tr><th scope="row"><a href="runs/{quote(line.name)}/">{escape_html(line.name)}</a></th>'
        f"<td>{line.kind}</td><td>{line.agents or '–'}</td>"
        f"<td>{escape_html(_winners(line.winners))}</td></tr>"
        for line in listed(directory)
    ]
    name = escape_html(directory.resolve().name)
    heads = "".join(f'<th scope="col">{head}</th>' for head in ("name", "what it is", "agents", "rank 1"))
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>{name} · sweepstakes</title>
<link rel="icon" href="static/icon.svg">
<link rel="stylesheet" href="static/{STYLE}">
</head>
<body>
<header class="top">
<span class="brand"><span class="brand-mark" aria-hidden="true"></span>sweepstakes</span>
</header>
<main class="list">
<h1>Runs and leaderboards in {name}</h1>
<div class="card wide" tabindex="0" role="region" aria-label="Runs and leaderboards">
<table class="runs">
<thead><tr>{heads}</tr></thead>
<tbody>
{chr(10).join(lines)}
</tbody>
</table>
</div>
</main>
</body>
</html>
"""


def _winners(winners: list[str]) -> str:
    more = len(winners) - MAX_WINNERS
    return join_words([*winners[:MAX_WINNERS], f"{more} more"] if more > 0 else winners)
