"""Games over the server: what a person can do, and what stays secret."""

from __future__ import annotations

from typing import Any

import pytest
from starlette.testclient import TestClient

from sweepstakes import Registry
from sweepstakes.web.wish import NewGame, read

GAME = {"rows": 6, "cols": 6, "mines": 5, "seed": 4, "agent": "basic", "first_click": "any"}


def begin(client: TestClient, **changes: Any) -> dict[str, Any]:
    answer = client.post("/api/games", json=GAME | changes)
    assert answer.status_code == 200, answer.text
    state: dict[str, Any] = answer.json()
    return state


def do(client: TestClient, state: dict[str, Any], deed: str, **body: Any) -> dict[str, Any]:
    answer = client.post(f"/api/games/{state['id']}/{deed}", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def move(client: TestClient, state: dict[str, Any], action: str, cell: int) -> dict[str, Any]:
    return do(client, state, "moves", action=action, cell=cell)


def mines(registry: Registry, **changes: Any) -> list[bool]:
    """Where the mines of GAME are; only a test may know."""
    setting = read(NewGame, GAME | changes).setting()
    return [bool(mine) for mine in setting.game(registry, "test").board.layout]


def test_the_options_name_every_agent_and_noise(client: TestClient) -> None:
    options = client.get("/api/options").json()
    assert {"random", "basic"} <= {agent["name"] for agent in options["agents"]}
    assert {"exact-clues", "hidden"} <= {noise["name"] for noise in options["noises"]}
    assert options["presets"]["expert"] == {"rows": 16, "cols": 30, "mines": 99}


def test_the_same_seed_is_the_same_board_as_in_a_tournament(client: TestClient, registry: Registry) -> None:
    state = begin(client)
    for cell, mine in enumerate(mines(registry)):
        state = move(client, state, "flag" if mine else "open", cell) if state["shown"][cell] == "." else state
    assert state["over"]
    assert state["result"]["won"]
    assert state["result"]["scores"]["identified"] == 1


def test_nothing_tells_the_mines_before_the_end(client: TestClient, registry: Registry) -> None:
    state = begin(client)
    safe = mines(registry).index(False)
    for answer in (state, do(client, state, "hint"), do(client, state, "odds"), move(client, state, "open", safe)):
        assert "layout" not in answer
        assert "result" not in answer


def test_the_board_is_shown_at_the_end(client: TestClient, registry: Registry) -> None:
    state = begin(client, on_mine="end")
    state = move(client, state, "open", mines(registry).index(True))
    assert state["over"]
    assert state["layout"].count("*") == 5
    assert state["result"]["ending"] == "lost"


def test_undo_takes_back_one_turn_and_the_end_too(client: TestClient, registry: Registry) -> None:
    begun = begin(client, on_mine="end")
    safe = next(i for i, mine in enumerate(mines(registry)) if not mine)
    one = move(client, begun, "open", safe)
    lost = move(client, one, "open", mines(registry).index(True))
    assert lost["over"]
    assert do(client, lost, "undo") == one
    assert do(client, lost, "undo") == begun
    assert client.post(f"/api/games/{lost['id']}/undo", json={}).status_code == 409


def test_a_flag_is_set_and_lifted_and_keeps_its_cell_closed(client: TestClient) -> None:
    state = move(client, begin(client), "flag", 7)
    assert state["shown"][7] == "F"
    assert state["left"] == 4
    refused = client.post(f"/api/games/{state['id']}/moves", json={"action": "open", "cell": 7})
    assert refused.status_code == 409
    assert "flagged" in refused.json()["error"]
    assert move(client, state, "flag", 7)["shown"][7] == "."


def test_a_chord_opens_around_a_clue_whose_mines_are_flagged(client: TestClient, registry: Registry) -> None:
    where = mines(registry)
    around = {
        i: [r * 6 + c for r in range(6) for c in range(6) if max(abs(r - i // 6), abs(c - i % 6)) == 1]
        for i in range(36)
    }
    clue = next(i for i in range(36) if not where[i] and sum(where[j] for j in around[i]) == 1)
    state = move(client, begin(client), "open", clue)
    early = client.post(f"/api/games/{state['id']}/moves", json={"action": "chord", "cell": clue})
    assert early.status_code == 409
    state = move(client, state, "flag", next(j for j in around[clue] if where[j]))
    state = move(client, state, "chord", clue)
    assert all(state["shown"][j] != "." for j in around[clue])


def test_a_hint_is_asked_once_and_a_step_takes_it(client: TestClient) -> None:
    state = begin(client, agent="random")
    hint = do(client, state, "hint")
    assert do(client, state, "hint") == hint
    stepped = do(client, state, "step")
    assert stepped["turn"] == hint
    assert stepped["shown"][hint["open"][0]] != "."


def test_steps_lead_to_the_end(client: TestClient) -> None:
    state = begin(client)
    while not state["over"]:
        state = do(client, state, "step")
    assert state["result"]["ending"] in ("won", "finished")
    assert client.post(f"/api/games/{state['id']}/step", json={}).status_code == 409


def test_probabilities_do_not_believe_flags(client: TestClient, registry: Registry) -> None:
    wrong = mines(registry).index(False)
    state = move(client, begin(client), "flag", wrong)
    found = do(client, state, "odds")
    assert found["status"] == "ok"
    runs = found["percent"]
    percents = [value for value, count in zip(runs[::2], runs[1::2], strict=True) for _ in range(count)]
    assert percents[wrong] == pytest.approx(100 * 5 / 36, abs=0.06)


@pytest.mark.parametrize("noise", ["hidden(rate=0.25)", "liar(rate=0.1)", "optimistic(rate=0.5)"])
def test_noisy_games_have_hints_and_probabilities(client: TestClient, noise: str) -> None:
    state = begin(client, noise=noise, first_click="opening")
    state = do(client, state, "step")
    assert do(client, state, "odds")["status"] == "ok"


def test_an_agent_may_give_up(client: TestClient) -> None:
    state = begin(client, agent="gives-up")
    assert do(client, state, "hint")["open"] == []
    state = do(client, state, "step")
    assert state["result"]["ending"] == "gave up"
    assert do(client, state, "undo")["over"] is False
