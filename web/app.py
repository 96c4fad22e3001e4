"""The server: pages, games, and the run, as a Starlette application."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sweepstakes.errors import PluginError, SweepstakesError
from sweepstakes.registry import Registry
from sweepstakes.web.adviser import Adviser, plugin_files
from sweepstakes.web.assets import assets, media_type
from sweepstakes.web.guard import Guard
from sweepstakes.web.options import options
from sweepstakes.web.pages import Pages
from sweepstakes.web.refused import Refused
from sweepstakes.web.run import Run
from sweepstakes.web.sessions import Sessions
from sweepstakes.web.wish import Move, NewGame, Nothing, read

LARGEST_BODY = 16_384
Handler = Callable[[Request, Any], Any]


def make_app(
    registry: Registry,
    run: Run | None = None,
    *,
    adviser: Adviser | None = None,
    sessions: Sessions | None = None,
) -> Starlette:
    """The application. It starts the adviser with itself, and ends it."""
    adviser = adviser or Adviser(plugin_files(registry))
    arena = _Arena(registry, adviser, sessions or Sessions(registry, adviser), run)

    @asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        adviser.start()
        yield
        adviser.close()

    whole = "/api/run/replay/{condition:int}/{agent:int}/{number:int}"
    return Starlette(
        routes=[
            Route("/", _page),
            Route("/static/{name}", _asset),
            Route("/api/options", _answer(arena.options)),
            Route("/api/games", _answer(arena.begin), methods=["POST"]),
            Route("/api/games/{id}", _answer(arena.state)),
            Route("/api/games/{id}/moves", _answer(arena.move), methods=["POST"]),
            Route("/api/games/{id}/{deed:str}", _answer(arena.deed), methods=["POST"]),
            Route("/api/run", _answer(arena.overview)),
            Route(whole, _answer(arena.replay)),
            Route(whole + "/odds/{turn:int}", _answer(arena.odds)),
            Route("/api/run/decisive/{condition:int}/{first:int}/{second:int}", _answer(arena.decisive)),
        ],
        middleware=[Middleware(Guard)],
        exception_handlers={HTTPException: _http_error, Exception: _our_error},
        lifespan=life,
    )


class _Arena:
    """What each address answers: plain data for plain data."""

    def __init__(self, registry: Registry, adviser: Adviser, sessions: Sessions, run: Run | None) -> None:
        self._registry = registry
        self._adviser = adviser
        self._sessions = sessions
        self._pages = Pages(run, registry, adviser) if run is not None else None

    def options(self, request: Request, data: Any) -> Any:
        return options(self._registry)

    def begin(self, request: Request, data: Any) -> Any:
        wish = read(NewGame, data)
        return self._sessions.begin(wish.setting(), wish.agent).state()

    def state(self, request: Request, data: Any) -> Any:
        return self._sessions.find(request.path_params["id"]).state()

    def move(self, request: Request, data: Any) -> Any:
        return self._sessions.find(request.path_params["id"]).move(read(Move, data))

    def deed(self, request: Request, data: Any) -> Any:
        session = self._sessions.find(request.path_params["id"])
        deeds = {"undo": session.undo, "hint": session.hint, "step": session.step, "odds": session.odds}
        deed = request.path_params["deed"]
        if deed not in deeds:
            raise Refused(404, f"a game has no '{deed[:40]}'")
        read(Nothing, data)
        return deeds[deed]()

    def overview(self, request: Request, data: Any) -> Any:
        return None if self._pages is None else self._pages.overview()

    def replay(self, request: Request, data: Any) -> Any:
        return self._run().replay(**_numbers(request, "condition", "agent", "number"))

    def odds(self, request: Request, data: Any) -> Any:
        views = self._run().views(**_numbers(request, "condition", "agent", "number"))
        turn = request.path_params["turn"]
        if turn >= len(views):
            raise Refused(404, f"the game has {len(views) - 1} turns")
        return self._adviser.odds(views[turn])

    def decisive(self, request: Request, data: Any) -> Any:
        return self._run().decisive(**_numbers(request, "condition", "first", "second"))

    def _run(self) -> Pages:
        if self._pages is None:
            raise Refused(404, "the server was started without a run")
        return self._pages


def _numbers(request: Request, *names: str) -> dict[str, int]:
    numbers = {name: request.path_params[name] for name in names}
    if any(number >= 1 << 62 for number in numbers.values()):
        raise Refused(404, "there is no such game")
    return numbers


def _answer(handler: Handler) -> Callable[[Request], Any]:
    """The handler as an endpoint: JSON in, JSON out, and a sentence for whatever cannot be done."""

    async def endpoint(request: Request) -> Response:
        try:
            data = await _body(request) if request.method == "POST" else None
            return JSONResponse(await run_in_threadpool(handler, request, data))
        except Refused as refused:
            return JSONResponse({"error": refused.sentence}, refused.status)
        except SweepstakesError as error:
            return JSONResponse({"error": str(error)}, 404 if isinstance(error, PluginError) else 422)

    return endpoint


async def _body(request: Request) -> Any:
    """The JSON of a request, which must be small."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise Refused(415, "expected content-type: application/json")
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > LARGEST_BODY:
            raise Refused(413, f"the request is larger than {LARGEST_BODY:,} bytes")
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise Refused(400, "the request is not JSON") from None


async def _page(request: Request) -> Response:
    return Response(assets()["index.html"], media_type=media_type("index.html"))


async def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    if name not in assets():
        raise HTTPException(404)
    return Response(assets()[name], media_type=media_type(name))


async def _http_error(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    sentences = {404: "there is nothing here", 405: "this address takes another method"}
    return JSONResponse({"error": sentences.get(status, "the request cannot be answered")}, status)


async def _our_error(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": "something is wrong with the server itself; its terminal shows what"}, 500)
