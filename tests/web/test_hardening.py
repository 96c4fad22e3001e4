"""The server rejects foreign hosts, malformed requests and impossible games, and survives faulty agents."""

from __future__ import annotations

import inspect
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from arena_page import TIMEOUT
from starlette.testclient import TestClient

from sweepstakes import Registry
from sweepstakes.web.agents.agent_service import MAX_THIRD_PARTY, AgentService
from sweepstakes.web.agents.request_handler import MAX_AGENTS
from sweepstakes.web.server.app import MAX_BODY, make_app
from sweepstakes.web.server.connection import TimedConnection
from sweepstakes.web.server.queues import MAX_PENDING
from sweepstakes.web.server.requests import MAX_SIDE

GAME: dict[str, Any] = {"rows": 5, "cols": 5, "mines": 4, "seed": 4}
TURN = GAME | {"agent": "basic", "shown": "." * 25}


def error_message(answer: Any, status: int) -> str:
    """The error of a response, which is always a message in JSON and never a traceback."""
    assert answer.status_code == status, answer.text
    assert answer.headers["content-type"] == "application/json"
    error = answer.json()["error"]
    assert "Traceback" not in answer.text
    assert ".py" not in error
    return str(error)


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "evil.example:80", "", "127.0.0.1@evil"])
def test_other_host_names_are_refused(client: TestClient, host: str) -> None:
    assert "127.0.0.1" in error_message(client.get("/api/options", headers={"host": host}), 403)


@pytest.mark.parametrize("host", ["127.0.0.1:9999", "localhost", "localhost:1", "[::1]:8"])
def test_this_machine_has_several_names(client: TestClient, host: str) -> None:
    assert client.get("/api/options", headers={"host": host}).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "https://127.0.0.1", "http://127.0.0.1:81"])
def test_other_origins_are_refused(client: TestClient, origin: str) -> None:
    assert "origin" in error_message(client.post("/api/positions/turn", json=TURN, headers={"origin": origin}), 403)


def test_the_own_origin_is_welcome(client: TestClient) -> None:
    assert client.post("/api/positions/turn", json=TURN, headers={"origin": "http://127.0.0.1"}).status_code == 200


def test_other_sites_may_link_to_the_page_and_no_more(client: TestClient) -> None:
    abroad = {"sec-fetch-site": "cross-site"}
    assert client.get("/", headers=abroad).status_code == 200
    error_message(client.get("/api/run", headers=abroad), 403)
    error_message(client.get("/static/arena.js", headers=abroad), 403)


def test_every_answer_carries_the_policy(client: TestClient) -> None:
    for path in ("/", "/static/style.css", "/api/options", "/nowhere"):
        headers = client.get(path).headers
        assert "default-src 'none'" in headers["content-security-policy"]
        policy = headers["content-security-policy"]
        assert "unsafe" not in policy.replace("'wasm-unsafe-eval'", "")  # which allows the engine, and no eval
        assert headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "path",
    [
        "/static/../app.py",
        "/static/%2e%2e/app.py",
        "/static/..%2fapp.py",
        "/static/%2e%2e%2f%2e%2e%2fetc%2fpasswd",
        "/static//etc/passwd",
        "/static/",
        "/../../etc/passwd",
        "/games.sqlite",
        "/api/run/replay/../../leaderboard.json",
    ],
)
def test_no_file_outside_the_front_end_is_reachable(client: TestClient, path: str) -> None:
    error_message(client.get(path), 404)


@pytest.mark.parametrize(
    ("path", "status"),
    [
        ("/api/run/replay/1/1/999999", 404),
        ("/api/run/replay/99/1/0", 404),
        ("/api/run/replay/1/1/-1", 404),
        ("/api/run/replay/1/1/" + "9" * 40, 404),
        ("/api/run/replay/1/x/0", 404),
        ("/api/run/decisive/1/1/77", 404),
        ("/api/positions/turn", 405),
    ],
)
def test_what_is_not_there_is_not_there(client: TestClient, path: str, status: int) -> None:
    error_message(client.get(path), status)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"rows": 101}, "rows"),
        ({"rows": 10**9}, "rows"),
        ({"rows": 0}, "rows"),
        ({"rows": "5"}, "rows"),
        ({"rows": 5.5}, "rows"),
        ({"mines": 26}, "26 mines"),
        ({"mines": -1}, "mines"),
        ({"seed": -1}, "seed"),
        ({"seed": 2**70}, "seed"),
        ({"seed": str(2**128)}, "seed"),
        ({"seed": "secret"}, "seed"),
        ({"seed": "-1"}, "seed"),
        ({"sead": 1}, "did you mean 'seed'"),
        ({"noise": "hiden(rate=0.2)"}, "did you mean 'hidden'"),
        ({"noise": "hidden(rate=7)"}, "rate"),
        ({"noise": "hidden(" + "(" * 60}, "hidden"),
        ({"noise": "x" * 1000}, "noise"),
        ({"agent": "basik"}, "did you mean 'basic'"),
        ({"first_click": "lucky"}, "first_click"),
        ({"start": 9999}, "start cell"),
        ({"mines": 24, "first_click": "opening"}, "no room"),
    ],
)
def test_impossible_games_are_refused_with_a_sentence(client: TestClient, changes: dict[str, Any], words: str) -> None:
    answer = client.post("/api/positions/turn", json=TURN | changes)
    assert answer.status_code in (404, 422)
    assert words in error_message(answer, answer.status_code)


@pytest.mark.parametrize("body", [b"", b"{", b"[]", b"null", b"\xff\xfe", b'{"a":' * 5000, b"NaN", b'"text"'])
def test_malformed_json_is_refused(client: TestClient, body: bytes) -> None:
    answer = client.post("/api/positions/turn", content=body, headers={"content-type": "application/json"})
    assert answer.status_code in (400, 413, 422)
    error_message(answer, answer.status_code)


def test_only_json_is_taken(client: TestClient) -> None:
    text = json.dumps(GAME)
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data"):
        error_message(client.post("/api/positions/turn", content=text, headers={"content-type": kind}), 415)


def test_large_requests_are_refused(client: TestClient) -> None:
    body = b" " * (MAX_BODY + 1)
    error_message(client.post("/api/positions/turn", content=body, headers={"content-type": "application/json"}), 413)


@pytest.fixture
def impatient(registry: Registry) -> Iterator[TestClient]:
    """A client of a server that waits half a second for the first turn of an agent, and long for anything else."""
    quick = AgentService(registry, seconds=TIMEOUT, first_seconds=0.5)
    with TestClient(make_app(registry, agent_service=quick), base_url="http://127.0.0.1") as client:
        yield client


def costs_one_answer(client: TestClient, agent: str, status: int, words: str) -> None:
    assert words in error_message(client.post("/api/positions/turn", json=TURN | {"agent": agent}), status)
    assert client.post("/api/positions/turn", json=TURN).status_code == 200


@pytest.mark.parametrize(
    ("agent", "words"), [("raises", "ValueError: no idea"), ("crashes", "crashed"), ("babbles", "not a Turn")]
)
def test_a_bad_agent_costs_an_answer_and_nothing_else(client: TestClient, agent: str, words: str) -> None:
    costs_one_answer(client, agent, 502, words)


def test_an_agent_that_hangs_costs_an_answer_and_nothing_else(impatient: TestClient) -> None:
    costs_one_answer(impatient, "hangs", 504, "took more than 0.5 seconds")


def test_an_error_of_our_own_is_a_sentence_too(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("sweepstakes.web.server.app.options", lambda registry: 1 / 0)
    assert "terminal" in error_message(client.get("/api/options"), 500)


@pytest.mark.parametrize(
    "path",
    [
        "/api/run/replay/{}/1/1",
        "/api/run/replay/1/{}/1",
        "/api/run/replay/1/1/{}",
        "/api/run/replay/1/1/{}/stored",
        "/api/run/decisive/{}/1/2",
        "/api/run/decisive/1/1/{}",
        "/static/{}",
    ],
)
def test_a_number_of_any_length_in_a_path_is_not_found(client: TestClient, path: str) -> None:
    for number in (10**18 - 1, 1 << 63, "9" * 5000):
        error_message(client.get(path.format(number)), 404)


@pytest.mark.parametrize(
    "body",
    [
        '{"rows": 1, "cols": 1, "mines": 0, "shown": ".", "agent": "basic", "seed": %s}',
        '{"rows": 1, "cols": 1, "mines": 0, "shown": ".", "agent": "basic", "seed": "%s"}',
        '{"rows": %s, "cols": 1, "mines": 0, "shown": ".", "agent": "basic"}',
        '{"rows": 1, "cols": 1, "mines": 0, "shown": ".", "agent": "chain(window=%s)"}',
    ],
)
def test_a_number_of_any_length_in_a_body_is_refused(client: TestClient, body: str) -> None:
    headers = {"content-type": "application/json"}
    answer = client.post("/api/positions/turn", content=body % ("9" * 5000), headers=headers)
    assert answer.status_code in (400, 422)


def test_a_server_without_a_run_says_so(registry: Registry) -> None:
    client = TestClient(make_app(registry), base_url="http://127.0.0.1")
    assert client.get("/api/run").json() is None
    assert "without a run" in error_message(client.get("/api/run/replay/1/1/1"), 404)


def test_the_limits_are_those_that_are_written_down() -> None:
    text = (Path(__file__).parents[2] / "SECURITY.md").read_text(encoding="utf-8")
    service = inspect.signature(AgentService).parameters
    rows = {
        "the body of a request": f"{MAX_BODY:,} bytes",
        "time to send a request or to read a part of an answer, before the connection is closed": (
            f"{TimedConnection.seconds:g} seconds"
        ),
        "rows and columns of a game or of a position to analyse": f"{MAX_SIDE}",
        "games that an agent remembers between two turns": f"{MAX_AGENTS}",
        "requests waiting for one process; beyond that, requests are refused and can be repeated": f"{MAX_PENDING}",
        "third-party agents with a host at the same time": f"{MAX_THIRD_PARTY}",
        "an answer of an agent or a board source, before its process is ended": (
            f"{service['seconds'].default:g} seconds"
        ),
        "the first answer of an agent, which may compile; advice of `champion`; a game played again": (
            f"{service['first_seconds'].default:g} seconds"
        ),
    }
    for what, limit in rows.items():
        assert f"| {what} | {limit} |" in text
    assert service["explain_seconds"].default == service["first_seconds"].default


@pytest.mark.parametrize("source", ["file(path=/etc/passwd)", "file", "board.py", "uniform(x=1)"])
def test_a_browser_has_no_file_read_as_a_board(client: TestClient, source: str) -> None:
    answer = client.post("/api/positions/deal", json=GAME | {"source": source})
    assert answer.status_code in (404, 422)
    assert "root" not in answer.text


def test_a_position_names_no_file(client: TestClient) -> None:
    body = {"text": "1 2 1 noise=fog.py\n1.\n"}
    answer = client.post("/api/positions/read", json=body)
    assert answer.status_code == 422
    assert "expected no file" in answer.json()["error"]
