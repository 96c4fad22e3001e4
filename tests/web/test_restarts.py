"""Games in the browser that outlive the server, and games in two tabs."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from arena_page import Page
from conftest import serving
from starlette.applications import Starlette
from starlette.testclient import TestClient
from starlette.types import Receive, Scope, Send
from test_games import begin as begin_game
from test_games import do, move

from sweepstakes import Registry
from sweepstakes.web.agents.agent_service import AgentService
from sweepstakes.web.server.app import make_app

BEGINNER = "#/play?preset=beginner&seed=8&agent=exact"


class Restarting:
    """A server that can be restarted: it forgets all games, and keeps its address."""

    def __init__(self, registry: Registry, agent_service: AgentService) -> None:
        self._parts = registry, agent_service
        self.restart()

    def restart(self) -> None:
        registry, agent_service = self._parts
        self.app: Starlette = make_app(registry, agent_service=agent_service)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app(scope, receive, send)


@pytest.fixture(scope="module")
def server(registry: Registry, agent_service: AgentService) -> Restarting:
    return Restarting(registry, agent_service)


@pytest.fixture(scope="module")
def server_address(server: Restarting) -> Iterator[str]:
    with serving(server) as address:
        yield address


@pytest.fixture
def arena(chromium: Any, server_address: str) -> Page:
    page = Page(chromium, server_address)
    page.size(1280, 900)
    return page


def begin(page: Page, path: str = BEGINNER) -> None:
    page.open(path)
    page.one(".board")
    page.settle()


def play_a_little(page: Page) -> None:
    """A turn of the agent, clicks, a flag, and a turn that is taken back."""
    page.click("button.main")
    page.settle()
    for sign in (".hint", ".flag-hint", ".hint"):
        page.script(f"document.querySelector('.board {sign}')?.click()")
        page.settle()
    page.click(".pair button:last-child")
    page.settle()
    page.script("document.querySelector('.board .hint').click()")
    page.settle()


def test_a_game_goes_on_after_a_restart_of_the_server_and_a_reload(arena: Page, server: Restarting) -> None:
    begin(arena)
    play_a_little(arena)
    marks, clicks = arena.marks(), arena.text(".counters .clicks")
    assert marks.count(".") < 81
    server.restart()
    arena.browser.refresh()
    arena.one(".board .open")
    arena.settle()
    assert arena.marks() == marks
    assert arena.text(".counters .clicks") == clicks
    assert "The server no longer had this game: it was played again up to here." in arena.text(".status")
    arena.browser.refresh()  # the server has it again
    arena.one(".board .open")
    arena.settle()
    assert arena.marks() == marks
    assert "played again" not in arena.text(".status")
    arena.console_errors()  # the browser's note of the 404


def test_a_click_after_a_restart_is_carried_out_without_a_reload(arena: Page, server: Restarting) -> None:
    begin(arena)
    play_a_little(arena)
    marks = arena.marks()
    server.restart()
    arena.script("document.querySelector('.board .hint, .board .safe-hint').click()")
    arena.settle()
    changed = [(a, b) for a, b in zip(marks, arena.marks(), strict=True) if a != b]
    assert changed
    assert all(before == "." for before, _ in changed)
    assert not arena.all(".status.error:not([hidden])")
    arena.console_errors()


def test_a_game_that_cannot_be_played_again_says_so(arena: Page, server: Restarting) -> None:
    begin(arena)
    play_a_little(arena)
    arena.script(
        "for (const key of Object.keys(localStorage))"
        "  if (key.includes('turns')) localStorage[key] = JSON.stringify({turns: 'o99', undone: 0, seconds: null})"
    )
    server.restart()
    arena.visit("#/play")
    arena.until(lambda: arena.all(".board"), "no new game")
    arena.settle()
    assert "this browser cannot have it played again" in arena.text(".status")
    assert set(arena.marks()) == {"."}
    arena.console_errors()


def test_a_second_tab_shows_the_present_position_after_a_conflict(arena: Page) -> None:
    begin(arena)
    play_a_little(arena)
    first, stale = arena.browser.current_window_handle, arena.marks()
    arena.browser.switch_to.new_window("tab")
    try:
        second = arena.browser.current_window_handle
        arena.visit(BEGINNER)
        arena.one(".board .open")
        arena.settle()
        assert arena.marks() == stale
        arena.script("document.querySelector('.board .hint, .board .safe-hint').click()")
        arena.settle()
        present = arena.marks()
        assert present != stale
        arena.browser.switch_to.window(first)
        assert arena.marks() == stale
        arena.do().context_click(arena.cell(stale.index("."))).perform()
        arena.until(lambda: arena.marks() == present, "the first tab stays behind")
        assert "The game went on elsewhere, perhaps in another tab" in arena.text(".status")
        arena.settle()
        arena.do().context_click(arena.cell(present.index("."))).perform()
        arena.until(lambda: arena.marks()[present.index(".")] == "F", "the game cannot be played on")
        arena.browser.switch_to.window(second)
    finally:
        arena.browser.close()
        arena.browser.switch_to.window(first)
        arena.console_errors()


def test_a_second_tab_shows_no_hint_for_a_position_that_it_does_not_show(arena: Page) -> None:
    begin(arena)
    arena.script("document.querySelector('.side .check input').click()")  # hints off
    arena.browser.refresh()
    arena.one(".board")
    arena.settle()
    first = arena.browser.current_window_handle
    arena.browser.switch_to.new_window("tab")
    try:
        arena.visit(BEGINNER)
        arena.one(".board")
        arena.settle()
        arena.cell(40).click()
        arena.settle()
        present = arena.marks()
        arena.browser.switch_to.window(first)
        assert set(arena.marks()) == {"."}
        arena.script("document.querySelector('.side .check input').click()")  # hints on
        arena.one(".board .hint, .board .safe-hint")
        assert arena.marks() == present
        arena.browser.switch_to.window(next(tab for tab in arena.browser.window_handles if tab != first))
    finally:
        arena.browser.close()
        arena.browser.switch_to.window(first)
        arena.console_errors()


def test_a_saved_game_is_played_again_turn_by_turn(client: TestClient) -> None:
    state = begin_game(client, on_mine="end", agent="basic", seed=9)
    state = do(client, state, "step")
    state = do(client, state, "moves", action="flag", cell=state["shown"].index("."), hints=True, odds=True)
    state = do(client, state, "moves", action="flag", cell=state["shown"].index("F"))
    state = do(client, do(client, state, "undo"), "step")
    kept = client.get(f"/api/games/{state['id']}").json()
    words = kept["saved"].split()
    assert len(words) == kept["turns"] == 3
    assert [word[-1] for word in words] == ["a", "p", "a"]
    again = begin_game(
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
    state = begin_game(client)
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
