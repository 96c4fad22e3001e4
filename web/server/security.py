"""Keeps other hosts' pages away from the server, and their code out of its pages."""

from __future__ import annotations

import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

HOST = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?")
POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)
HEADERS = {
    "content-security-policy": POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-cache",
}


class Guard:
    """Answers only requests to this machine by name, from its own pages; adds the policy to every answer."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on, or refuse it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(HEADERS)
            await send(message)

        sentence = refusal(scope)
        if sentence:
            await JSONResponse({"error": sentence}, 403)(scope, receive, guarded)
        else:
            await self._app(scope, receive, guarded)


def refusal(scope: Scope) -> str:
    """Why the request is refused; empty if it is not. A page of another host can only link to ours."""
    headers = Headers(scope=scope)
    host = headers.get("host", "")
    if not HOST.fullmatch(host):
        return "this server answers to 127.0.0.1 and localhost only"
    origin = headers.get("origin")
    if origin is not None and origin != f"http://{host}":
        return "the request comes from another origin"
    linked = scope["method"] == "GET" and scope["path"] == "/"
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") and not linked:
        return "the request comes from another site"
    return ""
