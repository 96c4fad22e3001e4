"""Rejects requests from pages of other sites, and forbids the arena's pages to load code of other sites."""

from __future__ import annotations

import re

from starlette.datastructures import Headers, MutableHeaders
from starlette.responses import JSONResponse
from starlette.types import ASGIApp, Message, Receive, Scope, Send

LOCAL_HOST = re.compile(r"(127\.0\.0\.1|localhost|\[::1\])(:\d{1,5})?")
CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self' 'wasm-unsafe-eval'",
        "style-src 'self'",
        "img-src 'self' data:",
        "connect-src 'self'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)
SECURITY_HEADERS = {
    "content-security-policy": CONTENT_SECURITY_POLICY,
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
    "cache-control": "no-cache",
}


class SecurityMiddleware:
    """Rejects requests with a foreign host or origin (403), and adds the security headers to every response."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass the request on to the application, or reject it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return

        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                MutableHeaders(scope=message).update(SECURITY_HEADERS)
            await send(message)

        message = rejection(scope)
        if message:
            await JSONResponse({"error": message}, 403)(scope, receive, send_with_headers)
        else:
            await self._app(scope, receive, send_with_headers)


def rejection(scope: Scope) -> str:
    """Return the message with which the request is rejected; empty if it is accepted.

    A page of another site may link to the start page, but request nothing else.
    """
    headers = Headers(scope=scope)
    host = headers.get("host", "")
    if not LOCAL_HOST.fullmatch(host):
        return "this server answers to 127.0.0.1 and localhost only"
    origin = headers.get("origin")
    if origin is not None and origin != f"http://{host}":
        return "the request comes from another origin"
    is_link = scope["method"] == "GET" and scope["path"] == "/"
    if headers.get("sec-fetch-site", "same-origin") not in ("same-origin", "none") and not is_link:
        return "the request comes from another site"
    return ""
