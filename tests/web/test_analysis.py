"""The API of the Analysis page."""

from __future__ import annotations

import base64
from typing import Any

import pytest
from starlette.testclient import TestClient

from sweepstakes import Board, Registry, View
from sweepstakes.game.board_formats import encode
from sweepstakes.game.board_urls import board_url, view_url

FIGURE = {"rows": 3, "cols": 3, "mines": 3, "shown": "2.1....3."}


def ask(client: TestClient, path: str, **body: Any) -> dict[str, Any]:
    answer = client.post(f"/api/positions/{path}", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_the_likelihoods_of_a_noise_are_those_of_its_table(client: TestClient) -> None:
    found = ask(client, "noise", noise="liar(rate=0.1)")
    noise = Registry.built_in().noise("liar(rate=0.1)")
    assert found == {"likelihoods": noise.table.reshape(-1).tolist()}


def test_champion_lists_what_it_considered(client: TestClient) -> None:
    found = ask(client, "advise", rows=4, cols=4, mines=3, shown="1...............")
    assert len(found["open"]) == 1
    listed = found["candidates"] or found["wins"]
    assert listed[0]["cell"] == found["open"][0]
    refused = ask(client, "advise", **FIGURE, noise="hidden(rate=0.25)")
    assert refused["refused"] == "clues under noise: lookahead and endgame need exact clues"


def test_any_agent_says_what_it_would_do(client: TestClient) -> None:
    turn = ask(client, "turn", **FIGURE, agent="random")
    assert turn["why"] == "random"
    assert FIGURE["shown"][turn["open"][0]] == "."  # type: ignore[index]


BOARD = Board.parse("*..\n.*.\n...\n")


@pytest.mark.parametrize(
    "pasted",
    [
        {"text": str(BOARD)},
        {"text": board_url(BOARD, "pttacg")},
        {"text": encode(BOARD, "json").decode()},
        {"mbf": base64.b64encode(encode(BOARD, "mbf")).decode()},
    ],
)
def test_a_whole_board_is_read_with_its_mines_and_covered(client: TestClient, pasted: dict[str, str]) -> None:
    found = ask(client, "read", **pasted)
    assert found == {"rows": 3, "cols": 3, "mines": 2, "shown": "." * 9, "layout": "*...*...."}


def test_a_position_is_read_and_written_as_text_and_as_an_address(client: TestClient) -> None:
    view = View.parse("3 3 3 on_mine=end first_click=safe\n2.1\n.F.\n.3.\n")
    position = {"rows": 3, "cols": 3, "mines": 3, "shown": "2.1.F..3."}
    rules = {"on_mine": "end", "first_click": "safe", "noise": "exact-clues"}
    assert ask(client, "read", text=str(view)) == position | rules
    for unruled in (view_url(view), "3 3 3\n2.1\n.F.\n.3.\n", "2.1\n.F.\n.3.\n"):
        assert ask(client, "read", text=unruled, mines=3) == position  # the page keeps its rules
    written = ask(client, "write", **position, **rules)
    assert View.parse(written["text"]) == view
    assert written["url"] == view_url(view)
    assert "withheld" in ask(client, "write", rows=1, cols=2, mines=1, shown="?.")["why"]


@pytest.mark.parametrize(
    ("path", "body", "said"),
    [
        ("read", {}, "nothing to read"),
        ("read", {"text": "..x"}, "row 1 of the position has 'x'"),
        ("read", {"text": "1.."}, "the mine count is missing"),
        ("read", {"text": '{"rows": %s}' % ("9" * 5000)}, "a number in it has thousands of digits"),
        ("read", {"text": f"{'9' * 5000} 3 1\n..."}, "expected `rows cols mines`"),
        ("read", {"mbf": "%%"}, "expected base64"),
        ("read", {"text": "*" * 101}, "at most 100 rows and columns"),
        ("advise", FIGURE | {"shown": "..."}, "3 cells, expected 9"),
        ("advise", FIGURE | {"shown": "........x"}, "row 3 of the position has 'x'"),
        ("advise", FIGURE | {"mines": 10}, "10 mines on 3 x 3"),
        ("advise", FIGURE | {"noise": "fog.py"}, "by name"),
        ("noise", {"noise": "fog.py"}, "by name"),
        ("solve", FIGURE, "no action 'solve'"),
        ("turn", FIGURE | {"agent": "nobody"}, "nobody"),
        ("advise", FIGURE | {"rows": 101}, "expected at most 100"),
        ("divine", FIGURE, "no action 'divine'"),
    ],
)
def test_what_cannot_be_is_answered_by_one_line(client: TestClient, path: str, body: dict[str, Any], said: str) -> None:
    answer = client.post(f"/api/positions/{path}", json=body)
    assert answer.status_code in (404, 422)
    assert said in answer.json()["error"]
    assert "\n" not in answer.json()["error"]
