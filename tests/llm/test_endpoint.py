"""The client of chat endpoints: what is tried again, how long it waits, and what it never says."""

from __future__ import annotations

import json
import logging
import re
import socket
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from typing import Any
from urllib.parse import urlsplit

import pytest
from scripted_endpoint import (
    KEY,
    Step,
    body,
    breaks_off,
    completion,
    drips,
    hangs_up,
    in_order,
    says,
    serving,
    stalls,
    status,
)

from sweepstakes.errors import HostingError
from sweepstakes.plugins.agents.llm.endpoint import (
    Completion,
    Endpoint,
    EndpointError,
    Usage,
    address_in,
    read_completion,
)

ASKED = {"model": "m", "messages": [{"role": "user", "content": "?"}]}


class Asking:
    """An endpoint and the waiting that it made."""

    def __init__(self, url: str, **variables: str) -> None:
        self.waited: list[float] = []
        self.endpoint = Endpoint(
            {"SWEEPSTAKES_LLM_URL": url, "SWEEPSTAKES_LLM_KEY": KEY, **variables}, sleep=self.waited.append
        )

    def ask(self, seconds: float = 20.0, retries: int = 5) -> Completion:
        return self.endpoint.ask(ASKED, seconds=seconds, retries=retries)


def test_a_request_carries_the_key_and_the_body() -> None:
    with serving(in_order(says("yes"))) as server:
        assert Asking(server.url).ask().reply.text == "yes"
    assert (server.requests, server.paths) == ([ASKED], ["/v1/chat/completions"])
    assert server.headers[0]["Authorization"] == f"Bearer {KEY}"


@pytest.mark.parametrize(
    "trouble",
    [
        status(429),
        status(408),
        status(500),
        status(502, b"<html>"),
        status(503),
        hangs_up,
        breaks_off,
        body(b"<html>Welcome</html>"),
        body(b"null"),
        body(b'{"choices": []}'),
        body(b'{"error": {"code": 429}}'),
        body(b'{"choices": [{"message": {"content": 5}}]}'),
        body(b"\xff"),
        body(b"[" * 100_000),
    ],
)
def test_what_the_network_does_is_tried_again_with_longer_and_longer_waits(trouble: Step) -> None:
    with serving(in_order(trouble, trouble, trouble, says("yes"))) as server:
        asking = Asking(server.url)
        answered = asking.ask()
    assert answered.reply.text == "yes"
    assert asking.waited == [1, 2, 4]
    assert (answered.usage.calls, answered.usage.retries) == (1, 3)


@pytest.mark.parametrize(
    "trouble",
    [
        stalls,
        drips(b"HTTP/1.1 200 OK\r\nContent-Length: 100000\r\n\r\n"),
        drips(b"HTTP/1.0 200 OK\r\n\r\n"),
        drips(b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Length: 100000\r\n\r\n"),
        drips(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    ],
    ids=["nothing", "length", "old", "close", "continue"],
)
def test_a_stalled_answer_is_given_up_and_tried_again(trouble: Step) -> None:
    with serving(in_order(trouble, says("yes"))) as server:
        assert Asking(server.url).ask(seconds=0.3).reply.text == "yes"
        assert (len(server.requests), server.dripped) == (2, 0)


@pytest.mark.parametrize(
    ("header", "low", "high"),
    [
        ("7", 7, 7),
        ("0", 0, 0),
        ("2.5", 2.5, 2.5),
        ("-3", 0, 0),
        ("soon", 1, 1),
        ("nan", 1, 1),
        ("Wed, 21 Oct 2015 07:28:00 GMT", 0, 0),
    ],
)
def test_the_wait_that_the_endpoint_asks_for_is_honoured(header: str, low: float, high: float) -> None:
    with serving(in_order(status(429, Retry_After=header), says("yes"))) as server:
        asking = Asking(server.url)
        asking.ask()
    assert len(asking.waited) == 1
    assert low <= asking.waited[0] <= high


def test_the_wait_may_be_a_date() -> None:
    def wait(handler: Any) -> None:
        date = format_datetime(datetime.now(UTC) + timedelta(seconds=200), usegmt=True)
        handler.send(429, b"", Retry_After=date)

    with serving(in_order(wait, says("yes"))) as server:
        asking = Asking(server.url)
        asking.ask()
    assert 0 < asking.waited[0] <= 200


def test_an_endpoint_that_asks_for_an_hour_is_not_waited_for() -> None:
    with serving(in_order(status(429, Retry_After="3600"))) as server:
        asking = Asking(server.url)
        with pytest.raises(EndpointError, match="answered with status 429 and asks to wait 3600 s"):
            asking.ask()
    assert asking.waited == []


def test_an_endpoint_that_is_not_there_is_no_fault_of_the_model() -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    asking = Asking(f"http://127.0.0.1:{port}/v1")
    with pytest.raises(HostingError, match=r"refuses connections after 3 tries: .*run again to resume") as error:
        asking.ask(retries=2)
    assert asking.waited == [1, 2]
    assert str(port) not in str(error.value)


@pytest.mark.parametrize("code", [400, 401, 403, 404, 422, 301])
def test_a_refusal_is_not_tried_again_and_says_why_without_secrets(code: int) -> None:
    def refuse(handler: Any) -> None:
        place = f"127.0.0.1:{handler.server.server_address[1]}"
        text = f"no model m for {KEY} or sk-very***, at http://{place}/v1\x1b[2J"
        handler.send(code, json.dumps({"error": {"message": text}}).encode(), Location="http://example.com/")

    with serving(in_order(refuse)) as server:
        asking = Asking(server.url)
        with pytest.raises(EndpointError) as error:
            asking.ask()
    said = str(error.value)
    assert said.startswith("the endpoint of SWEEPSTAKES_LLM_URL refused the request with status")
    assert "no model m for *** or ***" in said
    assert "sk-v" not in said
    assert "127.0.0.1" not in said
    assert "\x1b" not in said
    assert len(server.requests) == 1


@pytest.mark.parametrize(
    ("variables", "url", "key"),
    [
        (
            {"SWEEPSTAKES_LLM_URL": "http://a/v1", "SWEEPSTAKES_LLM_KEY": "1", "OPENAI_BASE_URL": "http://b/v1"},
            "a",
            "1",
        ),
        ({"SWEEPSTAKES_LLM_URL": "http://a/v1", "OPENAI_API_KEY": "2"}, "a", ""),
        ({"OPENAI_BASE_URL": "http://b/v1", "OPENAI_API_KEY": "2", "SWEEPSTAKES_LLM_KEY": "1"}, "b", "2"),
        ({"SWEEPSTAKES_LLM_URL": " ", "OPENAI_BASE_URL": "https://b:8/v1 "}, "b", ""),
    ],
)
def test_a_key_goes_to_the_address_beside_it_only(variables: dict[str, str], url: str, key: str) -> None:
    found, secret, _ = address_in(variables)
    assert (urlsplit(found).hostname, secret) == (url, key)


@pytest.mark.parametrize(
    ("variables", "what"),
    [
        ({}, "needs an endpoint: set SWEEPSTAKES_LLM_URL"),
        ({"OPENAI_API_KEY": KEY}, "needs an endpoint"),
        ({"SWEEPSTAKES_LLM_URL": "localhost:80/secret-path"}, "not a base URL"),
        ({"SWEEPSTAKES_LLM_URL": "ftp://secret-path/v1"}, "not a base URL"),
        ({"SWEEPSTAKES_LLM_URL": "http://me:secret-path@a/v1"}, "not a base URL"),
        ({"SWEEPSTAKES_LLM_URL": "http://a:port/secret-path"}, "not a base URL"),
        ({"SWEEPSTAKES_LLM_URL": "http://a/v1", "SWEEPSTAKES_LLM_KEY": f"{KEY}\nX: y"}, "characters"),
    ],
)
def test_a_bad_address_or_key_is_one_line_that_does_not_quote_it(variables: dict[str, str], what: str) -> None:
    with pytest.raises(EndpointError, match=what) as error:
        Endpoint(variables)
    assert "secret" not in str(error.value)


def test_the_log_has_neither_address_nor_key(caplog: pytest.LogCaptureFixture) -> None:
    with serving(in_order(status(500, KEY.encode()), hangs_up, says("yes"))) as server, caplog.at_level(logging.DEBUG):
        Asking(server.url).ask()
    assert "127.0.0.1" not in caplog.text
    assert KEY not in caplog.text


@pytest.mark.parametrize("escaped", ["", "s", "k-0", KEY])
@pytest.mark.parametrize("depth", [1, 2, 3])
def test_a_key_that_the_endpoint_sends_back_is_removed_from_the_answer(escaped: str, depth: int) -> None:
    """Also if it is escaped as JSON allows, in texts that contain JSON."""
    digits = "04x" if depth % 2 else "04X"
    spelled = "".join(f"\\u{ord(each):{digits}}" if each in escaped else each for each in KEY)
    content = f'{{"why": "{spelled}"}}'
    for _ in range(depth - 1):
        content = json.dumps(content)
    with serving(in_order(says(f"my key is {content}, or {KEY}"))) as server:
        answered = Asking(server.url).ask()
    assert "my key is " in answered.reply.text
    text = answered.reply.text
    for _ in range(4):
        assert KEY not in text
        text = text.replace("\\\\", "\\")
        text = re.sub(r"\\u([0-9a-fA-F]{4})", lambda found: chr(int(found[1], 16)), text)
    assert KEY.encode() not in answered.data


def test_usage_is_counted_and_nonsense_is_not() -> None:
    tokens = {"prompt_tokens": 9, "completion_tokens": 5, "completion_tokens_details": {"reasoning_tokens": 3}}
    assert read_completion(json.dumps(completion("a", usage=tokens)).encode()).usage[:3] == (9, 5, 3)
    lies: list[Any] = [None, 7, [], {"prompt_tokens": -1, "completion_tokens": "5"}, {"prompt_tokens": 1 << 80}]
    for usage in lies:
        data = json.dumps({**completion("a"), "usage": usage}).encode()
        assert read_completion(data).usage[:3] == (0, 0, 0)
    assert Usage(1, 2, 3, 4, 5, 6.0, 7.0).plus(Usage(1, 1, 1, 1, 1, 1.0, 1.0)) == (2, 3, 4, 5, 6, 7.0, 8.0)


@pytest.mark.parametrize(
    ("content", "stated"),
    [
        ("<think>one</think>two", "two"),
        ("one</think>two", "two"),
        ("<think>one</think>two<think>three</think>four", "four"),
        ("<think>one", ""),
        ([{"type": "text", "text": "a"}, {"type": "image"}, {"type": "text", "text": "b"}], "ab"),
        (None, ""),
    ],
)
def test_thoughts_are_not_part_of_what_is_stated(content: Any, stated: str) -> None:
    assert read_completion(json.dumps(completion(content)).encode()).reply.text == stated


def test_a_proxy_of_the_environment_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    with serving(in_order(says("yes"))) as server:
        monkeypatch.setenv("http_proxy", server.url.removesuffix("/v1"))
        monkeypatch.delenv("no_proxy", raising=False)
        monkeypatch.delenv("NO_PROXY", raising=False)
        assert Asking("http://model.example/v1").ask().reply.text == "yes"
    assert server.paths == ["http://model.example/v1/chat/completions"]
