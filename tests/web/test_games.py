"""Games over the server: the moves and actions of a person, and the mines that stay secret."""

from __future__ import annotations

from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp
from threading import Thread
from typing import Any

import pytest
from arena_page import until
from starlette.testclient import TestClient

from sweepstakes import Cell, Registry, Spec, Turn
from sweepstakes.game.board_statistics import board_statistics
from sweepstakes.game.playing import play_game
from sweepstakes.game.turn import flat_cells
from sweepstakes.web.agents.agent_service import AgentService
from sweepstakes.web.data.serialize import position_text
from sweepstakes.web.server.requests import Move, NewGame, parse_body
from sweepstakes.web.server.session import Session

GAME = {"rows": 6, "cols": 6, "mines": 5, "seed": 4, "agent": "basic", "first_click": "any"}


def begin(client: TestClient, **changes: Any) -> dict[str, Any]:
    answer = client.post("/api/games", json=GAME | changes)
    assert answer.status_code == 200, answer.text
    state: dict[str, Any] = answer.json()
    return state


def do(client: TestClient, state: dict[str, Any], path: str, **body: Any) -> dict[str, Any]:
    answer = client.post(f"/api/games/{state['id']}/{path}", json=body)
    assert answer.status_code == 200, answer.text
    found: dict[str, Any] = answer.json()
    return found


def move(client: TestClient, state: dict[str, Any], action: str, cell: int) -> dict[str, Any]:
    return do(client, state, "moves", action=action, cell=cell)


def mines(registry: Registry, **changes: Any) -> list[bool]:
    """Where the mines of GAME are; only a test may know."""
    setup = parse_body(NewGame, GAME | changes).setup()
    return [bool(mine) for mine in setup.game(registry, "test").board.layout]


def around(cell: int) -> set[int]:
    """The neighbours of a cell of GAME."""
    return {j for j in range(36) if max(abs(cell // 6 - j // 6), abs(cell % 6 - j % 6)) == 1}


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


def test_a_seed_that_a_browser_would_round_is_sent_as_text(client: TestClient, registry: Registry) -> None:
    seed = 2**128 - 7
    state = begin(client, seed=str(seed))
    assert state["seed"] == str(seed)
    game = parse_body(NewGame, GAME | {"seed": str(seed)}).setup().game(registry, "basic")
    assert game.board_ref.tournament_seed == seed


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
    timeless = {"seconds": None, "undone": None, "version": None}
    assert do(client, lost, "undo") | timeless == one | timeless
    assert do(client, lost, "undo") | {"undone": 0, "version": 0} == begun
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
    assert expanded(found["percent"])[wrong] == pytest.approx(100 * 5 / 36, abs=0.06)


@pytest.mark.parametrize("noise", ["hidden(rate=0.25)", "liar(rate=0.1)", "optimistic(rate=0.5)"])
def test_noisy_games_have_hints_and_probabilities(client: TestClient, noise: str) -> None:
    state = begin(client, noise=noise, first_click="opening")
    state = do(client, state, "step")
    assert do(client, state, "odds")["status"] == "ok"


def test_an_agent_that_gives_up_does_not_end_the_game_of_the_person(client: TestClient) -> None:
    state = begin(client, agent="gives-up")
    hint = do(client, state, "hint")
    assert (hint["open"], hint["flag"], hint["unflag"]) == ([], [], [])
    stepped = do(client, state, "step")
    assert stepped["turn"] == hint
    assert {key: value for key, value in stepped.items() if key != "turn"} == state


def expanded(runs: list[Any]) -> list[Any]:
    """The value for each cell."""
    return [value for value, count in zip(runs[::2], runs[1::2], strict=True) for _ in range(count)]


@pytest.mark.parametrize("rule", ["safe", "opening"])
@pytest.mark.parametrize("agent", ["exact", "champion", "improved-probabilistic", "basic", "random"])
def test_before_a_safe_first_click_no_cell_can_be_a_mine_flagged_or_not(
    client: TestClient, rule: str, agent: str
) -> None:
    state = begin(client, first_click=rule, agent=agent)
    for _ in range(2):
        found = do(client, state, "odds")
        assert found["first_click_safe"]
        assert expanded(found["percent"]) == [0] * 36
        hint = do(client, state, "hint")
        assert hint["first_click_safe"]
        assert hint["unflag"] == [cell for cell in hint["open"] if state["shown"][cell] == "F"]
        state = move(client, state, "flag", hint["open"][0])
    opened = do(client, state, "step")
    assert "*" not in opened["shown"]
    assert not do(client, opened, "hint")["first_click_safe"]


def test_with_a_fixed_start_the_clues_count(client: TestClient) -> None:
    state = begin(client, first_click="safe", start=0)
    assert not do(client, state, "odds")["first_click_safe"]
    assert not do(client, state, "hint")["first_click_safe"]


WRONG: dict[str, Any] = {
    "rows": 8,
    "cols": 8,
    "mines": 10,
    "first_click": "opening",
    "on_mine": "end",
    "agent": "exact",
}


@pytest.mark.parametrize("seed", range(12))
def test_a_flag_that_cannot_be_right_is_named_and_the_advice_does_without_it(client: TestClient, seed: int) -> None:
    state = do(client, begin(client, **WRONG, seed=seed), "step")
    safe: list[int] = []
    while not (safe or state["over"]):
        state = do(client, state, "step")
        percents = expanded(do(client, state, "odds")["percent"]) if not state["over"] else []
        safe = [cell for cell, percent in enumerate(percents) if percent == 0]
    if not safe:
        pytest.skip("the game is over before a cell is certain")
    state = move(client, state, "flag", safe[0])
    hint = do(client, state, "hint")
    assert hint["flags"]["wrong"] == [safe[0]]
    assert hint["why"] == "proof"
    while not state["over"] and state["shown"][safe[0]] == "F":  # other proven cells may come first
        state = do(client, state, "step")
        assert state["shown"][safe[0]].isdigit() == (safe[0] in state["turn"]["unflag"])
    assert state["shown"][safe[0]].isdigit() or state["result"]["ending"] == "lost"  # by a guess
    assert not state["over"] or state["result"]["ending"] != "gave up"


@pytest.mark.parametrize("agent", ["exact", "knowledge-base", "improved-probabilistic"])
def test_advice_never_contradicts_the_probabilities_whatever_a_person_flags(client: TestClient, agent: str) -> None:
    """Every covered cell next to a clue is flagged, one after the other: what is called proven is certain."""
    state = do(client, begin(client, **(WRONG | {"agent": agent}), seed=3), "step")
    for cell, mark in enumerate(state["shown"]):
        if mark != ".":
            continue
        flagged = move(client, state, "flag", cell)
        hint = do(client, flagged, "hint")
        percents = expanded(do(client, flagged, "odds")["percent"])
        if hint["why"] == "proof":
            assert all(percents[named] == 0 for named in hint["open"])
            assert all(percents[named] == 100 for named in hint["flag"])
        assert hint["open"] or hint["flag"]
        assert (percents[cell] == 0) == (cell in hint["flags"]["wrong"])
        state = do(client, flagged, "undo")


def test_flags_that_cannot_all_be_right_are_named_as_conflicting(client: TestClient, registry: Registry) -> None:
    state = begin(client)
    where = mines(registry)
    clue = next(i for i in range(36) if not where[i] and around(i) & {j for j in range(36) if where[j]})
    state = move(client, state, "open", clue)
    number = int(state["shown"][clue])
    for cell in sorted(around(clue))[: number + 1]:
        state = move(client, state, "flag", cell)
    flags = do(client, state, "hint")["flags"]
    assert flags["wrong"] == []
    assert flags["conflicting"] == sorted(around(clue))[: number + 1]


def test_right_flags_are_neither_doubted_nor_lifted(client: TestClient) -> None:
    state = begin(client, agent="exact")
    while not state["over"]:
        hint = do(client, state, "hint")
        assert hint["flags"] == {"wrong": [], "conflicting": [], "unproven": []}
        assert hint["unflag"] == []
        if hint["flag"] and hint["why"] == "proof":
            state = move(client, state, "flag", hint["flag"][0])
        else:
            state = do(client, state, "step")


@pytest.mark.parametrize("agent", ["exact", "champion", "basic", "trusting"])
@pytest.mark.parametrize("noise", ["exact-clues", "liar(rate=0.2)"])
def test_an_agent_that_plays_alone_plays_its_own_game(
    client: TestClient, registry: Registry, agent: str, noise: str
) -> None:
    """Its flags are its own: they stay what they are, and it gets the view that a tournament would give it."""
    for seed in range(3):
        state = begin(client, agent=agent, noise=noise, seed=seed)
        turns = []
        while not state["over"]:
            state = do(client, state, "step")
            turns.append((state["turn"]["open"], state["turn"]["flag"], state["turn"]["unflag"]))
        game = parse_body(NewGame, GAME | {"noise": noise, "seed": seed}).setup().game(registry, agent)
        played = play_game(game, registry.agent(agent), keep_turns=True)
        assert turns == [tuple(flat_cells(cells, 6) for cells in turn[:3]) for turn in played.turns or []]


def test_agents_and_noises_are_named_with_parameters_and_no_file_is_loaded(client: TestClient, tmp_path: Path) -> None:
    state = begin(client, agent="chain(window=6)", noise="hidden(rate=.25)", preset="8x8/10")
    assert (state["agent"], state["noise"], state["mines"]) == ("chain(window=6)", "hidden(rate=0.25)", 10)
    do(client, state, "hint")
    evil = tmp_path / "evil.py"
    evil.write_text(f"open({str(tmp_path / 'mark')!r}, 'w')")
    for changes, expected in (
        ({"agent": str(evil)}, "expected the agent by name"),
        ({"noise": str(evil)}, "expected the noise by name"),
        ({"agent": f"command:touch {tmp_path.name}"}, "expected the agent by name"),
        ({"agent": "chain(widow=6)"}, "did you mean 'window'?"),
        ({"agent": "chian"}, "did you mean 'chain'?"),
        ({"preset": "300x300/10"}, "expected at most 100 rows and columns"),
        ({"preset": "exprt"}, "no board size 'exprt'"),
    ):
        answer = client.post("/api/games", json=GAME | changes)
        assert answer.status_code in (404, 422)
        assert expected in answer.json()["error"]
    assert not (tmp_path / "mark").exists()


def test_another_adviser_answers_while_the_first_is_thinking(client: TestClient) -> None:
    traces = Path(mkdtemp())  # the name of an agent has at most 80 characters
    state = begin(client, agent=f"ponders(traces={traces})")
    answers: list[Any] = []
    path = f"/api/games/{state['id']}/hint"
    thread = Thread(target=lambda: answers.append(client.post(path, json={})))
    thread.start()
    try:
        until((traces / "asked").exists, "the agent is not asked")
        changed = do(client, state, "adviser", agent="basic")
        assert changed["agent"] == "basic"
        assert changed["shown"] == state["shown"]
        assert do(client, state, "hint")["why"] == "random"
    finally:
        (traces / "answer").touch()
        thread.join()
        rmtree(traces)
    assert answers[0].status_code == 409
    unknown = client.post(f"/api/games/{state['id']}/adviser", json={"agent": "nobody"})
    assert unknown.status_code == 404


def test_clicks_are_counted_and_the_3bv_is_told_at_the_end(client: TestClient, registry: Registry) -> None:
    state = begin(client, on_mine="end")
    clicks = 0
    for cell, mine in enumerate(mines(registry)):
        if not mine and state["shown"][cell] == ".":
            assert "three_bv" not in state
            state = move(client, state, "open", cell)
            clicks += 1
    board = parse_body(NewGame, GAME).setup().game(registry, "test").board
    assert (state["result"]["ending"], state["clicks"]) == ("won", clicks)
    assert state["three_bv"] == board_statistics(board).three_bv


def test_a_hint_has_every_certain_cell_whatever_the_agent_has_found(client: TestClient) -> None:
    state = begin(client, preset="intermediate", seed=7, agent="basic", first_click="opening", on_mine="end")
    unfound = 0
    for _ in range(8):
        state = do(client, state, "step")
        if state["over"]:
            break
        hint, percents = do(client, state, "hint"), expanded(do(client, state, "odds")["percent"])
        covered = [cell for cell, mark in enumerate(state["shown"]) if mark == "."]
        assert hint["certain"]["safe"] == [cell for cell in covered if percents[cell] == 0]
        assert set(hint["certain"]["mines"]) >= {cell for cell in covered if percents[cell] == 100}
        unfound += bool(set(hint["certain"]["safe"]) - set(hint["open"]))
    assert unfound  # `basic` does not find all of them


def test_the_clock_runs_from_the_first_opened_cell_to_the_end(registry: Registry, agent_service: AgentService) -> None:
    now = [100.0]
    setup = parse_body(NewGame, GAME | {"on_mine": "end"}).setup()
    session = Session("x", setup, Spec("basic"), registry, agent_service, clock=lambda: now[0])
    where = mines(registry)
    now[0] += 5
    session.move(Move(action="flag", cell=where.index(True)))
    assert session.state()["seconds"] is None
    session.move(Move(action="open", cell=where.index(False)))
    now[0] += 7.5
    assert session.state()["seconds"] == 7.5
    lost = session.move(Move(action="open", cell=[i for i, mine in enumerate(where) if mine][1]))
    now[0] += 100
    assert session.state()["seconds"] == lost["seconds"] == 7.5
    assert session.state()["clicks"] == 3
    session.undo()
    assert session.state()["seconds"] == 107.5
    assert (session.state()["clicks"], session.state()["undone"]) == (2, 1)


def test_a_source_that_takes_long_deals_in_another_process(client: TestClient, registry: Registry) -> None:
    options = {"source": "no-guess", "first_click": "safe", "on_mine": "end"}
    state = move(client, begin(client, **options), "open", 14)
    game = parse_body(NewGame, GAME | options).setup().game(registry, "test")
    game.take(Turn(open=[Cell(2, 2)]))
    assert state["shown"] == position_text(game.view())
    refused = client.post("/api/games", json=GAME | {"source": "no-guess"})
    assert refused.status_code == 422
    assert "expected first_click safe or opening" in refused.json()["error"]


def test_the_end_of_a_noisy_game_tells_which_clues_lied(client: TestClient, registry: Registry) -> None:
    state = begin(client, noise="liar(rate=0.5)", agent="random")
    board = parse_body(NewGame, GAME).setup().game(registry, "test").board
    while not state["over"]:
        assert "lies" not in state
        state = do(client, state, "step")
    true = {cell: int(clue) for cell, clue in enumerate(board.clues.reshape(-1)) if clue >= 0}
    shown = {cell: int(mark) for cell, mark in enumerate(state["shown"]) if mark.isdigit()}
    assert {int(cell): clue for cell, clue in state["lies"].items()} == {
        cell: true[cell] for cell in shown if shown[cell] != true[cell]
    }
    assert state["lies"]
