"""Games that the browser has kept, played again by the server, and moves in a position that is no longer there."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient
from test_games import begin, do, move


def test_a_saved_game_is_played_again_turn_by_turn(client: TestClient) -> None:
    state = begin(client, on_mine="end", agent="basic", seed=9)
    state = do(client, state, "step")
    state = do(client, state, "moves", action="flag", cell=state["shown"].index("."), hints=True, odds=True)
    state = do(client, state, "moves", action="flag", cell=state["shown"].index("F"))
    state = do(client, do(client, state, "undo"), "step")
    kept = client.get(f"/api/games/{state['id']}").json()
    words = kept["saved"].split()
    assert len(words) == kept["turns"] == 3
    assert [word[-1] for word in words] == ["a", "p", "a"]
    again = begin(
        client, on_mine="end", agent="basic", seed=9, saved={"turns": kept["saved"], "undone": 1, "seconds": 33.5}
    )
    ignored = {"id": "", "seconds": 0, "version": 0}
    assert again | ignored == {key: value for key, value in kept.items() if key != "saved"} | ignored
    assert 33.5 <= again["seconds"] < 60
    assert again["with_hints"] == again["with_odds"] == 1


@pytest.mark.parametrize(
    ("turns", "said"),
    [
        ("x1", "'x1' is not a turn"),
        ("a", "'a' is not a turn"),
        ("o" + "9" * 5000, "is not a turn"),
        ("o99", "breaks the rules"),
        ("o1 o1", "breaks the rules"),
    ],
)
def test_a_saved_game_that_cannot_be_is_refused(client: TestClient, turns: str, said: str) -> None:
    body = {"preset": "beginner", "seed": 3, "agent": "basic", "saved": {"turns": turns}}
    answer = client.post("/api/games", json=body)
    assert answer.status_code == 422
    assert said in answer.json()["error"]


def test_a_move_in_a_position_that_is_no_longer_there_is_refused(client: TestClient) -> None:
    state = begin(client)
    move(client, state, "flag", 3)
    for path, body in (
        ("moves", {"action": "flag", "cell": 3}),
        ("undo", {}),
        ("step", {}),
        ("hint", {}),
        ("odds", {}),
    ):
        answer = client.post(f"/api/games/{state['id']}/{path}", json=body | {"version": state["version"]})
        assert answer.status_code == 409
        assert "went on elsewhere" in answer.json()["error"]
