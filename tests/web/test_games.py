"""What the server does for games in the page: turns of agents, and boards of sources that the engine does not know."""

from __future__ import annotations

from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from threading import Thread
from typing import Any

import pytest
from arena_page import until
from starlette.testclient import TestClient

from sweepstakes import Registry, Turn
from sweepstakes.game.game import Game
from sweepstakes.game.playing import play_game
from sweepstakes.game.rules import Rules
from sweepstakes.game.turn import flat_cells
from sweepstakes.web.data.serialize import layout_text, position_text
from sweepstakes.web.server.requests import BoardSetup, parse_body

GAME = {"rows": 6, "cols": 6, "mines": 5, "seed": 4, "first_click": "any", "on_mine": "continue"}
COVERED = "." * 36


def new_game(registry: Registry, **changes: Any) -> Game:
    return parse_body(BoardSetup, GAME | changes).setup().game(registry, "test")


def turn(client: TestClient, **changes: Any) -> dict[str, Any]:
    answer = client.post("/api/positions/turn", json=GAME | {"shown": COVERED} | changes)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def test_the_options_name_agents_noises_rules_and_defaults(client: TestClient) -> None:
    options = client.get("/api/options").json()
    assert {"random", "basic"} <= {agent["name"] for agent in options["agents"]}
    assert {"exact-clues", "hidden"} <= {noise["name"] for noise in options["noises"]}
    assert options["presets"]["expert"] == {"rows": 16, "cols": 30, "mines": 99}
    assert options["rules"]["on_mine"]["phrases"]["end"] == "first mine ends the game"
    assert [*options["rules"]] == [*Rules._fields]
    assert options["in_page"] == "exact"
    words = {key: rule["phrases"] for key, rule in options["rules"].items() if rule["kind"] != "cell"}
    assert all(options["defaults"][key] in phrases for key, phrases in words.items())
    assert options["defaults"]["start"] is None


@pytest.mark.parametrize("agent", ["champion", "basic", "trusting"])
@pytest.mark.parametrize("noise", ["exact-clues", "liar(rate=0.2)"])
def test_an_agent_that_is_asked_for_every_turn_plays_its_own_game(
    client: TestClient, registry: Registry, agent: str, noise: str
) -> None:
    """It gets the seed and the views that a tournament would give it."""
    for seed in range(3):
        asked = {"noise": noise, "seed": seed}
        game = new_game(registry, **asked)
        turns = []
        while not game.over:
            found = turn(client, **asked, agent=agent, game=f"{agent}-{noise}-{seed}", shown=position_text(game.view()))
            turns.append((found["open"], found["flag"], found["unflag"]))
            opened, flagged, unflagged = ([divmod(cell, 6) for cell in cells] for cells in turns[-1])
            game.take(Turn(opened, flagged, unflagged, why=found["why"]))
        played = play_game(new_game(registry, **asked), registry.agent(agent), keep_turns=True)
        assert turns == [tuple(flat_cells(cells, 6) for cells in each[:3]) for each in played.turns or []]


def test_a_seed_that_a_browser_would_round_is_sent_as_text(client: TestClient, registry: Registry) -> None:
    seed = 2**128 - 7
    assert parse_body(BoardSetup, GAME | {"seed": str(seed)}).setup().seed == seed
    assert turn(client, seed=str(seed), agent="random")["why"] == "random"


@pytest.mark.parametrize("rule", ["safe", "opening"])
def test_a_slow_source_deals_the_board_of_a_tournament(client: TestClient, registry: Registry, rule: str) -> None:
    asked = GAME | {"source": "no-guess", "first_click": rule, "on_mine": "end"}
    found = client.post("/api/positions/deal", json=asked | {"first": 14}).json()
    game = new_game(registry, **asked)
    game.take(Turn(open=[(2, 2)]))
    assert found == {"layout": layout_text(game.board.layout)}


@pytest.mark.parametrize(
    ("changes", "said"),
    [
        ({"source": "no-guess"}, "expected first_click: safe or opening"),
        ({"first": 36}, "not on a board of 6 x 6"),
        ({"first": -1}, "first"),
        ({"start": 9999}, "start cell"),
        ({"mines": 36, "first_click": "safe"}, "no room"),
    ],
)
def test_a_board_that_cannot_be_dealt_is_answered_by_a_sentence(
    client: TestClient, changes: dict[str, Any], said: str
) -> None:
    answer = client.post("/api/positions/deal", json=GAME | changes)
    assert answer.status_code == 422
    assert said in answer.json()["error"]


def test_agents_and_noises_are_named_with_parameters_and_no_file_is_loaded(client: TestClient, tmp_path: Path) -> None:
    assert turn(client, agent="chain(window=6)", noise="hidden(rate=.25)")["open"]
    evil = tmp_path / "evil.py"
    evil.write_text(f"open({str(tmp_path / 'mark')!r}, 'w')")
    for changes, expected in (
        ({"agent": str(evil)[-80:]}, "expected the agent by name"),
        ({"noise": str(evil)[-80:]}, "expected the noise by name"),
        ({"agent": f"command:touch {tmp_path.name}"}, "expected the agent by name"),
        ({"agent": "chain(widow=6)"}, "did you mean 'window'?"),
        ({"agent": "chian"}, "did you mean 'chain'?"),
    ):
        answer = client.post("/api/positions/turn", json=GAME | {"shown": COVERED, "agent": "basic"} | changes)
        assert answer.status_code in (404, 422)
        assert expected in answer.json()["error"]
    assert not (tmp_path / "mark").exists()


def test_another_agent_answers_while_the_first_is_thinking(client: TestClient) -> None:
    traces = Path(mkdtemp())  # the name of an agent has at most 80 characters
    thread = Thread(target=lambda: turn(client, agent=f"ponders(traces={traces})"))
    thread.start()
    try:
        until((traces / "asked").exists, "the agent is not asked")
        assert turn(client, agent="basic")["why"] == "random"
    finally:
        (traces / "answer").touch()
        thread.join()
        rmtree(traces)
