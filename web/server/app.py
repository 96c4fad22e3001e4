"""The Starlette application: the routes of the pages, of positions and of the run."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import partial
from typing import Any

from starlette.applications import Starlette
from starlette.concurrency import run_in_threadpool
from starlette.convertors import Convertor, register_url_convertor
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from sweepstakes.errors import PluginError, SweepstakesError
from sweepstakes.registry.registry import Registry
from sweepstakes.tournaments.stored_run import StoredRun
from sweepstakes.web.agents.agent_service import AgentService
from sweepstakes.web.assets import ENGINE as ENGINE_FILE
from sweepstakes.web.assets import PAGE, assets, engine, media_type
from sweepstakes.web.data.options import options
from sweepstakes.web.data.overview import Overview
from sweepstakes.web.data.person import Person, PersonGame
from sweepstakes.web.server.api_error import ApiError
from sweepstakes.web.server.positions import Positions
from sweepstakes.web.server.queues import QueuedWork, WorkQueues
from sweepstakes.web.server.requests import parse_body
from sweepstakes.web.server.security import SecurityMiddleware

MAX_BODY = 65_536
"""The largest request body, in bytes."""
Handler = Callable[[Request, Any], Any]


class NumberConvertor(Convertor[int]):
    """A whole number in a path, small enough for SQLite. A path with a larger one is not found."""

    regex = "[0-9]{1,18}"

    def convert(self, value: str) -> int:
        """Return the number."""
        return int(value)

    def to_string(self, value: int) -> str:
        """Return the number as it is written in a path."""
        return str(value)


register_url_convertor("number", NumberConvertor())


def make_app(
    registry: Registry, run: StoredRun | None = None, *, agent_service: AgentService | None = None, home: str = ""
) -> Starlette:
    """Return the application. It starts the agent service when it starts, and closes the agent service when it ends.

    The page links to the address `home`, if there is one, as the list of all runs.
    """
    agent_service = agent_service or AgentService(registry)
    api = _Api(registry, agent_service, run)
    queues = WorkQueues()

    @asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        await run_in_threadpool(agent_service.start)  # not here: a signal handler of this thread closes it
        yield
        agent_service.close()
        queues.close()

    return Starlette(
        routes=_routes(api, queues, home),
        middleware=[Middleware(SecurityMiddleware)],
        exception_handlers={HTTPException: _http_error, Exception: _internal_error},
        lifespan=lifespan,
    )


def _routes(api: _Api, queues: WorkQueues, home: str) -> list[Route]:
    endpoint = partial(_endpoint, queues=queues)
    replay = "/api/run/replay/{condition:number}/{agent:number}/{number:number}"
    return [
        Route("/", partial(_page, home=home)),
        Route("/static/{name}", _asset),
        Route("/api/options", endpoint(api.options)),
        Route("/api/positions/{action:str}", endpoint(api.positions), methods=["POST"]),
        Route("/api/run", endpoint(api.overview)),
        Route(replay, endpoint(api.replay)),
        Route(replay + "/stored", endpoint(api.stored_replay)),
        Route("/api/run/person", endpoint(api.person), methods=["GET", "POST"]),
        Route("/api/run/decisive/{condition:number}/{first:number}/{second:number}", endpoint(api.decisive)),
    ]


class _Api:
    """One method for each route of the API.

    A method takes the request and the JSON of its body, and returns the JSON of the response, or `QueuedWork` that
    computes this JSON where another process has to be waited for.
    """

    def __init__(self, registry: Registry, agent_service: AgentService, run: StoredRun | None) -> None:
        self._registry = registry
        self._agent_service = agent_service
        self._positions = Positions(registry, agent_service)
        self._overview = Overview(run, registry, agent_service) if run is not None else None

    def options(self, request: Request, data: Any) -> Any:
        return options(self._registry, self._agent_service.run_agents)

    def positions(self, request: Request, data: Any) -> Any:
        name = request.path_params["action"]
        if name not in self._positions.actions:
            raise ApiError(404, f"there is no action '{name[:40]}' for positions")
        return self._positions.actions[name](data)

    def overview(self, request: Request, data: Any) -> Any:
        return None if self._overview is None else self._overview.overview()

    def replay(self, request: Request, data: Any) -> Any:
        overview, game = self._opened_run(), _path_numbers(request, "condition", "agent", "number")
        return self._in_agent_queue(game, lambda: overview.replay(**game))

    def stored_replay(self, request: Request, data: Any) -> Any:
        return self._opened_run().stored_replay(**_path_numbers(request, "condition", "agent", "number"))

    def _in_agent_queue(self, game: dict[str, int], work: Callable[[], Any]) -> Any:
        """Queue the work for the game's agent if the agent has to play the game again; else do the work now."""
        agent = self._opened_run().agent_needed(**game)
        return work() if agent is None else QueuedWork(self._agent_service.queue_name(agent), work)

    def person(self, request: Request, data: Any) -> Any:
        """Return the games of the person with the agents' scores. A game in the request is stored first."""
        person = Person(self._opened_run())
        return person.games() if data is None else person.keep(parse_body(PersonGame, data))

    def decisive(self, request: Request, data: Any) -> Any:
        return self._opened_run().decisive(**_path_numbers(request, "condition", "first", "second"))

    def _opened_run(self) -> Overview:
        if self._overview is None:
            raise ApiError(404, "the server was started without a run")
        return self._overview


def _path_numbers(request: Request, *names: str) -> dict[str, int]:
    return {name: request.path_params[name] for name in names}


def _endpoint(handler: Handler, queues: WorkQueues) -> Callable[[Request], Any]:
    """Return the handler as an endpoint: JSON in, JSON out, and `{"error": message}` for a request that fails."""

    async def endpoint(request: Request) -> Response:
        try:
            data = await _json_body(request) if request.method == "POST" else None
            result = await run_in_threadpool(handler, request, data)
            while isinstance(result, QueuedWork):
                result = await queues.run(result)
            return JSONResponse(result)
        except ApiError as error:
            return JSONResponse({"error": error.message}, error.status, error.headers)
        except SweepstakesError as error:
            return JSONResponse({"error": str(error)}, 404 if isinstance(error, PluginError) else 422)
        except ClientDisconnect:
            return Response(status_code=400)  # because nobody reads it

    return endpoint


async def _json_body(request: Request) -> Any:
    """Return the JSON of a request body of at most `MAX_BODY` bytes."""
    if request.headers.get("content-type", "").partition(";")[0].strip() != "application/json":
        raise ApiError(415, "expected content-type: application/json")
    body = bytearray()
    async for part in request.stream():
        body += part
        if len(body) > MAX_BODY:
            raise ApiError(413, f"the request is larger than {MAX_BODY:,} bytes")
    try:
        return json.loads(body)
    except (ValueError, RecursionError):
        raise ApiError(400, "the request is not JSON") from None


async def _page(request: Request, home: str) -> Response:
    link = f'<a class="home" href="{home}">All runs</a>\n' if home else ""
    return Response(assets()[PAGE].replace("<nav", f"{link}<nav", 1), media_type=media_type(PAGE))


async def _asset(request: Request) -> Response:
    name = request.path_params["name"]
    if name == ENGINE_FILE:
        return Response(engine(), media_type="application/wasm")
    if name not in assets():
        raise HTTPException(404)
    return Response(assets()[name], media_type=media_type(name))


async def _http_error(request: Request, error: Exception) -> Response:
    status = error.status_code if isinstance(error, HTTPException) else 500
    messages = {404: "there is no such address", 405: "this address takes another method"}
    return JSONResponse({"error": messages.get(status, "the request cannot be answered")}, status)


async def _internal_error(request: Request, error: Exception) -> Response:
    return JSONResponse({"error": "the server has failed; the terminal of `sweepstakes serve` shows the error"}, 500)
