"""The server: pages, games, and the run, as a Starlette application."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sweepstakes.errors import PluginError, SweepstakesError
from sweepstakes.registry.registry import Registry
from sweepstakes.tournaments.storage.stored_run import StoredRun
from sweepstakes.web.agents.agent_service import ENGINE, Adviser
from sweepstakes.web.assets import assets, media_type
from sweepstakes.web.data.options import options
from sweepstakes.web.data.overview import Pages
from sweepstakes.web.server.api_error import Refused
from sweepstakes.web.server.queues import Lanes, Later
from sweepstakes.web.server.requests import Move, NewGame, Nothing, read
from sweepstakes.web.server.security import Guard
from sweepstakes.web.server.sessions import Sessions

LARGEST_BODY = 16_384
Handler = Callable[[Request, Any], Any]


def make_app(
    registry: Registry,
    run: StoredRun | None = None,
    *,
    adviser: Adviser | None = None,
    sessions: Sessions | None = None,
) -> Starlette:
    """The application. It starts the adviser with itself, and ends it."""
    adviser = adviser or Adviser(registry)
    arena = _Arena(registry, adviser, sessions or Sessions(registry, adviser), run)

    lanes = Lanes()
    answer = partial(_endpoint, lanes=lanes)

    @asynccontextmanager
    async def life(app: Starlette) -> AsyncIterator[None]:
        adviser.start()
        yield
        adviser.close()
        lanes.close()

    whole = "/api/run/replay/{condition:int}/{agent:int}/{number:int}"
    return Starlette(
        routes=[
            Route("/", _page),
            Route("/static/{name}", _asset),
            Route("/api/options", answer(arena.options)),
            Route("/api/games", answer(arena.begin), methods=["POST"]),
            Route("/api/games/{id}", answer(arena.state)),
            Route("/api/games/{id}/moves", answer(arena.move), methods=["POST"]),
            Route("/api/games/{id}/{action:str}", answer(arena.action), methods=["POST"]),
            Route("/api/run", answer(arena.overview)),
            Route(whole, answer(arena.replay)),
            Route(whole + "/odds/{turn:int}", answer(arena.odds)),
            Route("/api/run/decisive/{condition:int}/{first:int}/{second:int}", answer(arena.decisive)),
        ],
        middleware=[Middleware(Guard)],
        exception_handlers={HTTPException: _http_error, Exception: _our_error},
        lifespan=life,
    )


class _Arena:
    """What each address answers: plain data for plain data."""

    def __init__(self, registry: Registry, adviser: Adviser, sessions: Sessions, run: StoredRun | None) -> None:
        self._registry = registry
        self._adviser = adviser
        self._sessions = sessions
        self._pages = Pages(run, registry, adviser) if run is not None else None

    def options(self, request: Request, data: Any) -> Any:
        return options(self._registry)

    def begin(self, request: Request, data: Any) -> Any:
        wish = read(NewGame, data)
        return self._sessions.begin(wish.setup(), wish.player()).state()

    def state(self, request: Request, data: Any) -> Any:
        return self._sessions.find(request.path_params["id"]).state()

    def move(self, request: Request, data: Any) -> Any:
        return self._sessions.find(request.path_params["id"]).move(read(Move, data))

    def action(self, request: Request, data: Any) -> Any:
        session = self._sessions.find(request.path_params["id"])
        deeds: dict[str, Callable[[], Any]] = {
            "undo": session.undo,
            "hint": lambda: Later(session.lane, session.hint),
            "step": lambda: Later(session.lane, session.step),
            "odds": lambda: Later(ENGINE, session.odds),
        }
        action = request.path_params["action"]
        if action not in deeds:
            raise Refused(404, f"a game has no '{action[:40]}'")
        read(Nothing, data)
        return deeds[action]()

    def overview(self, request: Request, data: Any) -> Any:
        return None if self._pages is None else self._pages.overview()

    def replay(self, request: Request, data: Any) -> Any:
        pages, game = self._run(), _numbers(request, "condition", "agent", "number")
        return self._when_played(game, lambda: pages.replay(**game))

    def odds(self, request: Request, data: Any) -> Any:
        pages, game, turn = self._run(), _numbers(request, "condition", "agent", "number"), request.path_params["turn"]

        def weigh() -> Later:
            views = pages.views(**game)
            if turn >= len(views):
                raise Refused(404, f"the game has {len(views) - 1} turns")
            return Later(ENGINE, lambda: self._adviser.odds(views[turn]))

        return self._when_played(game, weigh)

    def _when_played(self, game: dict[str, int], work: Callable[[], Any]) -> Any:
        """The work, in the agent's lane if the game has to be played again for it."""
        agent = self._run().waits_for(**game)
        return work() if agent is None else Later(self._adviser.lane(agent), work)

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


def _endpoint(handler: Handler, lanes: Lanes) -> Callable[[Request], Any]:
    """The handler as an endpoint: JSON in, JSON out, and a sentence for whatever cannot be done."""

    async def endpoint(request: Request) -> Response:
        try:
            data = await _body(request) if request.method == "POST" else None
            found = await run_in_threadpool(handler, request, data)
            while isinstance(found, Later):
                found = await lanes.do(found)
            return JSONResponse(found)
        except Refused as refused:
            return JSONResponse({"error": refused.sentence}, refused.status, refused.headers)
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
