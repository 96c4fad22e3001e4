"""The client of a chat endpoint: one request at a time, over HTTP, with retries.

An endpoint is anything that answers `POST BASE_URL/chat/completions` as OpenAI does. The standard library's client is
enough for that: each request has a connection of its own, and a timer ends requests whose answer drips in forever.

What goes wrong between the agent and the model is not the model's fault. After time-outs, broken connections, answers
that are not chat completions, and the statuses 408, 425, 429 and 5xx, the request is sent again. `EndpointError` is
raised if that does not help, and at once for every other status. Its message names neither the address nor the key.
"""

from __future__ import annotations

import http.client
import json
import os
import re
import socket
import ssl
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from typing import Any, NamedTuple
from urllib.parse import SplitResult, urlsplit
from urllib.request import getproxies, proxy_bypass

from sweepstakes import logs
from sweepstakes.errors import HostingError
from sweepstakes.plugins.agents.llm.answers import Reply
from sweepstakes.untrusted.text import clean

_LOG = logs.logger(__name__)
URL, KEY = "SWEEPSTAKES_LLM_URL", "SWEEPSTAKES_LLM_KEY"
FALLBACKS = ("OPENAI_BASE_URL", "OPENAI_API_KEY")
"""The variables that are used if there is no `URL`: its key is never sent to another address."""
MAX_BYTES = 1 << 24
"""Maximum length of an answer, in bytes."""
MAX_WAIT = 300.0
"""Seconds that an endpoint may ask to wait; if it asks for more, it counts as unreachable."""
_LEAST_KEY = 8
"""Minimum length of a key that is removed from answers. A shorter one could occur in any answer by chance."""
_RETRIED = {408, 425, 429}
_THOUGHTS = re.compile(r"^.*</think>", re.DOTALL)


class EndpointError(HostingError):
    """The endpoint of a language model cannot be used, through no fault of the model. The run stops but can resume."""


class Usage(NamedTuple):
    """What the requests of a game have taken, summed up."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    """Reasoning tokens included."""
    reasoning_tokens: int = 0
    calls: int = 0
    """Requests that were answered."""
    retries: int = 0
    """Requests that were sent again because of the network or the endpoint."""
    seconds: float = 0.0
    """Seconds that answered requests waited for their answers."""
    lost_seconds: float = 0.0
    """Seconds lost to failed requests and to the waiting before the next ones."""

    def plus(self, other: Usage) -> Usage:
        """Return the sum of both."""
        return Usage._make(one + two for one, two in zip(self, other, strict=True))


class Completion(NamedTuple):
    """One answer of an endpoint."""

    reply: Reply
    usage: Usage
    content: str
    """What the model wrote, thoughts and tool calls included, to be shown to people."""
    data: bytes
    """The answer as the endpoint sent it."""


class _Failed(Exception):  # noqa: N818 - the request is tried again
    """A request that may succeed later; the message says what happened, as the end of a sentence."""

    def __init__(self, what: str, wait: float | None = None) -> None:
        super().__init__(what)
        self.what = what
        self.wait = wait
        """Seconds that the endpoint asks to wait."""


class Endpoint:
    """The endpoint that the environment names."""

    def __init__(
        self,
        variables: Mapping[str, str] = os.environ,
        *,
        sleep: Callable[[float], None] = time.sleep,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        url, self._key, self._named = address_in(variables)
        self._url = _checked(url, self._named)
        if not all("!" <= letter <= "~" for letter in self._key):
            raise EndpointError("the key of the endpoint has characters that a request cannot carry")
        self._secret = _spellings(self._key) if len(self._key) >= _LEAST_KEY else None
        self._sleep, self._now = sleep, now

    @property
    def url(self) -> str:
        """The base URL. It must never be printed or stored."""
        return self._url.geturl()

    def ask(self, body: Mapping[str, Any], *, seconds: float, retries: int) -> Completion:
        """Send a request, up to `retries` times again, each for up to `seconds`. Raise `EndpointError` if all fail."""
        begun = self._now()
        for tries in range(retries + 1):
            sent = self._now()
            try:
                completion = self._ask_once(body, seconds)
            except _Failed as failed:
                wait = min(2.0**tries, 60.0) if failed.wait is None else failed.wait
                _LOG.warning("the endpoint %s; try %d of %d", failed.what, tries + 1, retries + 1)
                if tries == retries or wait > MAX_WAIT:
                    asks = f" and asks to wait {failed.wait:.0f} s" if failed.wait and wait > MAX_WAIT else ""
                    times = "" if tries == 0 else f" after {tries + 1} tries"
                    raise EndpointError(
                        f"the endpoint of {self._named} {failed.what}{asks}{times}: the game is not counted; run again "
                        "to resume"
                    ) from None
                self._sleep(wait)
            else:
                spent = self._now() - sent
                lost = max(sent - begun, 0.0)
                usage = completion.usage._replace(retries=tries, seconds=spent, lost_seconds=lost)
                return completion._replace(usage=usage)
        raise AssertionError("unreachable")

    def _ask_once(self, body: Mapping[str, Any], seconds: float) -> Completion:
        status, wait, data = self._post(json.dumps(body).encode(), seconds)
        if status == 200:
            return read_completion(data)
        if status in _RETRIED or status >= 500:
            raise _Failed(f"answered with status {status}", wait)
        raise EndpointError(f"the endpoint of {self._named} refused the request with status {status}{self._why(data)}")

    def _post(self, data: bytes, seconds: float) -> tuple[int, float | None, bytes]:
        """Send a request. Return the status of the answer, the seconds that it asks to wait, and its body."""
        headers = {"Content-Type": "application/json", "Accept": "application/json", "Connection": "close"}
        if self._key:
            headers["Authorization"] = f"Bearer {self._key}"
        connection, target = self._connect(seconds)
        late = threading.Event()
        sockets: list[socket.socket] = []  # the connection forgets its own once an answer says that it is the last one

        def give_up() -> None:
            late.set()
            for each in sockets or [connection.sock]:
                with suppress(OSError, TypeError):  # there may be none yet
                    socket.socket.shutdown(each, socket.SHUT_RDWR)

        timer = threading.Timer(seconds, give_up)
        timer.daemon = True
        timer.start()
        try:
            connection.connect()
            sockets.append(connection.sock)
            connection.request("POST", target, data, headers)
            answer = connection.getresponse()
            content = answer.read(MAX_BYTES + 1)
            if late.is_set():
                raise _Failed(f"did not answer in {seconds:g} s")
            if len(content) > MAX_BYTES:
                raise _Failed(f"answered with more than {MAX_BYTES:,} bytes")
            if self._secret is not None:  # an endpoint may send it back, and answers are kept
                content = self._secret.sub(b"***", content)
            return answer.status, _wait_of(answer.headers.get("Retry-After")), content
        except (OSError, http.client.HTTPException, ValueError) as error:
            if late.is_set() or isinstance(error, TimeoutError):
                raise _Failed(f"did not answer in {seconds:g} s") from None
            raise _Failed(_describe(error)) from None
        finally:
            timer.cancel()
            connection.close()

    def _connect(self, seconds: float) -> tuple[http.client.HTTPConnection, str]:
        """Return a connection, through the proxy of the environment if there is one, and the target of the request."""
        url = self._url
        secure = url.scheme == "https"
        host, port = url.hostname or "", url.port or (443 if secure else 80)
        target = f"{url.path.rstrip('/')}/chat/completions" + (f"?{url.query}" if url.query else "")
        proxy = urlsplit(getproxies().get(url.scheme, "")) if not proxy_bypass(host) else urlsplit("")
        place = (proxy.hostname, proxy.port or 80) if proxy.hostname else (host, port)
        if secure:
            context = ssl.create_default_context()
            connection: http.client.HTTPConnection = http.client.HTTPSConnection(
                *place, timeout=seconds, context=context
            )
            if proxy.hostname:
                connection.set_tunnel(host, port)
            return connection, target
        if proxy.hostname:
            target = f"http://{url.netloc}{target}"
        return http.client.HTTPConnection(*place, timeout=seconds), target

    def _why(self, data: bytes) -> str:
        """Return what the endpoint says about an error, without any part of the key or the address."""
        try:
            error = json.loads(data)
            error = error.get("error", error)
            text = error["message"] if isinstance(error, dict) else error
        except (ValueError, KeyError, AttributeError, TypeError, RecursionError):
            return ""
        if not isinstance(text, str):
            return ""
        secrets = [self._key, self._url.geturl(), self._url.netloc, self._url.hostname or ""]
        words = [_hidden(word, secrets) for word in clean(text, 300).split()]
        return f": {' '.join(words)}"


def _spellings(key: str) -> re.Pattern[bytes]:
    """Return a pattern of the key in JSON, whose texts may contain JSON again: each character may be escaped."""
    return re.compile("".join(rf"\\{{0,7}}(?:{re.escape(each)}|(?i:u00{ord(each):02x}))" for each in key).encode())


def _hidden(word: str, secrets: list[str]) -> str:
    """Return the word, or `***` if it has five characters in a row of a secret."""
    runs = {secret[place : place + 5] for secret in secrets for place in range(len(secret) - 4)}
    runs |= {secret for secret in secrets if secret}
    return "***" if any(run in word for run in runs) else word


def address_in(variables: Mapping[str, str]) -> tuple[str, str, str]:
    """Return the base URL, the key, and the name of the variable of the URL."""
    for url, key in ((URL, KEY), FALLBACKS):
        if address := variables.get(url, "").strip():
            return address, variables.get(key, "").strip(), url
    raise EndpointError(f"the agent llm needs an endpoint: set {URL} to its base URL, as in http://127.0.0.1:8080/v1")


def _checked(url: str, named: str) -> SplitResult:
    with suppress(ValueError):
        split = urlsplit(url)
        printable = all("!" <= letter <= "~" for letter in url)
        if split.scheme in ("http", "https") and split.hostname and split.username is None and printable:
            _ = split.port
            return split
    raise EndpointError(
        f"{named} is not a base URL: expected http://HOST:PORT/v1 or https://HOST/v1, without user name"
    )


def _describe(error: Exception) -> str:
    """Return what went wrong with a connection, without the address, which texts of errors may contain."""
    if isinstance(error, ConnectionRefusedError):
        return "refuses connections"
    if isinstance(error, ssl.SSLError):
        return f"has no valid certificate ({type(error).__name__})"
    if isinstance(error, http.client.HTTPException | ConnectionError):
        return f"broke off ({type(error).__name__})"
    return f"cannot be reached ({type(error).__name__})"


def _wait_of(text: str | None) -> float | None:
    """Return the seconds of a header Retry-After, which has seconds or a date; None if it has neither."""
    if text is None:
        return None
    with suppress(ValueError):
        seconds = float(text)
        return max(seconds, 0.0) if seconds == seconds else None
    with suppress(ValueError, TypeError):
        date = parsedate_to_datetime(text)
        date = date if date.tzinfo else date.replace(tzinfo=UTC)
        return max((date - datetime.now(UTC)).total_seconds(), 0.0)
    return None


def read_completion(data: bytes) -> Completion:
    """Return the answer in the body of a chat completion. Raise `_Failed` if the body is not valid."""
    try:
        value = json.loads(data)
        choice = value["choices"][0]
        message = choice["message"]
        text = _text(message.get("content"))
        calls = tuple(
            (str(call["function"]["name"]), _arguments(call["function"]["arguments"]))
            for call in message.get("tool_calls") or ()
        )
        thoughts = _text(message.get("reasoning_content") or message.get("reasoning"))
        cut_off = choice.get("finish_reason") == "length"
    except (ValueError, KeyError, IndexError, TypeError, AttributeError, RecursionError):
        raise _Failed("answered with something that is not a chat completion") from None
    stated = _THOUGHTS.sub("", text)
    if stated.lstrip().startswith("<think>"):  # thoughts that did not end contain no answer
        stated = ""
    shown = "\n".join(
        part for part in (thoughts and f"<think>\n{thoughts}\n</think>", text, *(f"{n}({a})" for n, a in calls)) if part
    )
    return Completion(Reply(stated, calls, cut_off), _usage(value.get("usage"))._replace(calls=1), shown, data)


def read_kept(data: bytes) -> Completion | None:
    """Return the answer in a file of the cache; None if the file was damaged."""
    try:
        return read_completion(data)
    except _Failed:
        return None


def _text(content: Any) -> str:
    """Return the text of a content, which is a text, a list of parts, or missing."""
    if content is None:
        return ""
    if isinstance(content, list):
        return "".join(part["text"] for part in content if part.get("type") == "text")
    if not isinstance(content, str):
        raise TypeError("no text")
    return content


def _arguments(value: Any) -> str:
    """Return the arguments of a call, which some endpoints send as an object."""
    return value if isinstance(value, str) else json.dumps(value)


def _usage(value: Any) -> Usage:
    """Return the tokens of a request; 0 for each count that the endpoint does not report or that is invalid."""
    if not isinstance(value, dict):
        return Usage()
    details = value.get("completion_tokens_details")
    details = details if isinstance(details, dict) else {}
    prompt, completion = _tokens(value, "prompt_tokens"), _tokens(value, "completion_tokens")
    return Usage(prompt, completion, min(_tokens(details, "reasoning_tokens"), completion))


def _tokens(value: Mapping[str, Any], name: str) -> int:
    number = value.get(name)
    return number if type(number) is int and 0 <= number < 1 << 31 else 0
