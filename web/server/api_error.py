"""A request that is answered by a sentence."""

from __future__ import annotations

RETRY_AFTER = 2
"""Seconds after which it is worth asking again where there was no room."""


class Refused(Exception):  # noqa: N818 - it names what happened to the request
    """The request cannot be carried out: an HTTP status of 400 or more, and a sentence for the person who asked."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.sentence = sentence

    @property
    def headers(self) -> dict[str, str]:
        """What the answer says besides: when to ask again, if there was no room."""
        return {"retry-after": str(RETRY_AFTER)} if self.status == 503 else {}
