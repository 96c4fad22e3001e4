"""The error of a request that the server cannot carry out: an HTTP status and a message."""

from __future__ import annotations

RETRY_AFTER = 2
"""Seconds after which the browser may repeat a request that was answered 503 because a queue was full."""
SHUTTING_DOWN = "the server is shutting down"


class ApiError(Exception):
    """The request cannot be carried out: an HTTP status of 400 or more, and a message for the person in the browser."""

    def __init__(self, status: int, message: str) -> None:
        super().__init__(message)
        self.status = status
        self.message = message

    @property
    def headers(self) -> dict[str, str]:
        """The extra headers of the response: `retry-after` for a 503, else none."""
        return {"retry-after": str(RETRY_AFTER)} if self.status == 503 else {}
