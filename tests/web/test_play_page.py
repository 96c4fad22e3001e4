"""Play, in a real browser: mouse, fingers, keyboard, layout and accessibility. `play_page.test.mjs` has its logic."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from arena_page import Page
from conftest import serving
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from selenium.webdriver.common.actions.interaction import POINTER_TOUCH
from selenium.webdriver.common.actions.pointer_input import PointerInput
from selenium.webdriver.common.keys import Keys
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

from sweepstakes import Registry
from sweepstakes.web.agents.agent_service import AgentService
from sweepstakes.web.server.app import make_app
from sweepstakes.web.server.requests import BoardSetup, parse_body

SMALL = "#/play?rows=6&cols=6&mines=5&seed=4&first_click=any&on_mine=continue"
BEGINNER = "#/play?preset=beginner&seed=8&agent=exact"


@pytest.fixture(scope="module")
def mines(registry: Registry) -> set[int]:
    """The cells of SMALL that are mines."""
    board = parse_body(BoardSetup, {"rows": 6, "cols": 6, "mines": 5, "seed": 4}).setup().game(registry, "test").board
    return {i for i, mine in enumerate(board.layout) if mine}


def begin(page: Page, path: str = SMALL, *, hints: bool = True) -> None:
    """Open the page; hints are off at first."""
    page.open(path)
    page.one(".board")
    page.settle()
    if hints:
        page.click(".check input")
        page.settle()


def click(page: Page, index: int) -> None:
    page.cell(index).click()
    page.settle()


def flag(page: Page, index: int) -> None:
    page.do().context_click(page.cell(index)).perform()
    page.settle()


def test_a_newcomer_finds_a_game_with_a_hint_and_buttons_that_end_it(page: Page) -> None:
    page.open()
    page.click('nav a[href="#/play"]')
    page.one(".board")
    assert not page.all(".board .hint")
    page.click(".check input")
    page.one(".board .hint")
    page.settle()
    page.click("button.main")
    page.settle()
    assert page.all(".board .open")
    page.script("document.querySelector('.side input[type=range]').value = 10")
    page.click(".pair button:first-child")
    page.until(lambda: page.all(".status.end"), "autoplay does not end")
    assert page.text(".status").startswith(("Won in", "Lost after"))
    assert page.script("return document.title") in ("won · Play · sweepstakes", "lost · Play · sweepstakes")
    page.click(".new-game button:first-child")
    page.until(lambda: set(page.marks()) == {"."}, "no new game")


def test_a_whole_game_is_played_with_the_mouse(page: Page, mines: set[int]) -> None:
    begin(page, hints=False)
    for cell in range(36):
        if page.marks()[cell] == ".":
            flag(page, cell) if cell in mines else click(page, cell)
    assert page.text(".status").startswith("Won. Score 1.00: 5 of 5 mines safely identified. ")
    assert len(page.all(".board .cell.right")) == 5


def test_the_keyboard_is_enough(page: Page, mines: set[int]) -> None:
    begin(page, hints=False)
    page.do().send_keys("n").perform()
    page.settle()
    assert set(page.marks()) == {"."}  # letters are for the board only
    page.script("document.querySelector('.board .cell').focus()")
    for cell in range(36):
        row, col = divmod(cell, 6)
        if page.marks()[cell] == ".":
            page.do().send_keys("f" if cell in mines else Keys.SPACE).perform()
            page.settle()
        keys = [Keys.ARROW_RIGHT] if col < 5 else [Keys.HOME, Keys.ARROW_DOWN] if row < 5 else []
        page.do().send_keys(*keys).perform()
    assert page.text(".status").startswith("Won.")
    page.do().send_keys("u").perform()
    page.until(lambda: not page.all(".status.end"), "u takes nothing back")


def test_a_tap_opens_and_a_long_press_flags(page: Page, mines: set[int]) -> None:
    begin(page, hints=False)
    safe, mine = min(set(range(36)) - mines), min(mines)
    finger: Any = PointerInput(POINTER_TOUCH, "finger")  # type: ignore[no-untyped-call]

    def touch(cell: int) -> Any:
        builder: Any = ActionBuilder(page.browser, mouse=finger, duration=0)
        builder.pointer_action.move_to(page.cell(cell)).pointer_down()
        return builder

    tap = touch(safe)
    tap.pointer_action.pointer_up()
    tap.perform()
    page.until(lambda: page.marks()[safe] != ".", "a tap does not open")
    page.settle()
    touch(mine).perform()
    page.until(lambda: page.marks()[mine] == "F", "a long press does not flag")
    lift: Any = ActionBuilder(page.browser, mouse=finger, duration=0)
    lift.pointer_action.pointer_up()
    lift.perform()
    page.settle()
    assert page.marks()[mine] == "F"


def test_a_click_or_c_opens_around_a_clue(page: Page, mines: set[int]) -> None:
    around = {i: {j for j in range(36) if max(abs(i // 6 - j // 6), abs(i % 6 - j % 6)) == 1} for i in range(36)}
    clue = next(i for i in range(36) if i not in mines and len(around[i] & mines) == 1)
    begin(page, hints=False)
    click(page, clue)
    flag(page, *(around[clue] & mines))
    before = page.marks()
    for way in ("left", "middle", "key"):
        cell = page.cell(clue)
        if way == "left":
            cell.click()
        elif way == "middle":
            page.script("arguments[0].dispatchEvent(new MouseEvent('auxclick', {button: 1, bubbles: true}))", cell)
        else:
            page.script("arguments[0].focus()", cell)
            page.do().send_keys("c").perform()
        page.until(lambda: all(page.marks()[j] != "." for j in around[clue]), f"{way} opens nothing")
        page.settle()
        page.click(".pair button:last-child")  # undo
        page.until(lambda: page.marks() == before, "undo takes nothing back")
        page.settle()


def test_a_click_does_what_was_drawn_when_the_pointer_went_down(page: Page) -> None:
    begin(page, BEGINNER)
    for _ in range(60):
        if page.all(".board .flag-hint"):
            break
        page.script("document.querySelector('.board .safe-hint, .board .hint').click()")
        page.settle()
    cell = int(page.one(".board .flag-hint").get_attribute("data-i"))
    page.do().move_to_element(page.cell(cell)).click_and_hold().perform()
    page.script("document.querySelector('.side .check input').click()")  # hints off: the flag is drawn no more
    page.until(lambda: not page.all(".board .flag-hint"), "the hints stay")
    page.do().release().perform()
    page.settle()
    assert page.marks()[cell] == "F"


def test_a_game_survives_reload_and_visits_to_other_pages_and_back_returns_to_it(page: Page, mines: set[int]) -> None:
    begin(page, hints=False)
    click(page, min(set(range(36)) - mines))
    marks, link = page.marks(), page.script("return location.hash")
    page.browser.refresh()
    page.one(".board .open")
    assert page.marks() == marks
    page.click('nav a[href^="#/leaderboard"]')
    page.one(".standings")
    page.click('nav a[href^="#/play"]')
    page.one(".board .open")
    assert page.marks() == marks
    assert not page.one(".check input").is_selected()  # the choice survives too
    page.settle()
    page.click(".new-game button:first-child")
    page.until(lambda: set(page.marks()) == {"."}, "no new game")
    page.until(lambda: page.script("return location.hash") != link, "the address stays")
    page.browser.back()
    page.until(lambda: page.all(".board") and page.marks() == marks, "Back does not return to the game")


class Restarting:
    """A server that can be restarted: it forgets all games, and keeps its address."""

    def __init__(self, registry: Registry, agent_service: AgentService) -> None:
        self.registry = registry
        self.agent_service = agent_service
        self.restart()

    def restart(self) -> None:
        self.app: Starlette = make_app(self.registry, agent_service=self.agent_service)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await self.app(scope, receive, send)


@pytest.fixture
def restarting(registry: Registry, agent_service: AgentService) -> Iterator[tuple[Restarting, str]]:
    server = Restarting(registry, agent_service)
    with serving(server) as address:
        yield server, address


def test_a_game_goes_on_after_a_restart_of_the_server(chromium: Any, restarting: tuple[Restarting, str]) -> None:
    server, address = restarting
    page = Page(chromium, address)
    page.size(1280, 900)
    begin(page, BEGINNER)
    for button in ("button.main", "button.main", ".pair button:last-child", "button.main"):
        page.click(button)
        page.settle()
    marks, clicks = page.marks(), page.text(".counters .clicks")
    assert set(marks) != {"."}
    server.restart()
    page.browser.refresh()
    page.one(".board .open")
    page.settle()
    assert page.marks() == marks
    assert page.text(".counters .clicks") == clicks
    server.restart()
    page.click("button.main")  # without a reload
    page.until(lambda: page.marks() != marks, "the turn is lost")
    page.settle()
    assert not page.all(".status.error:not([hidden])")
    page.console_errors()  # the browser's notes of the 404


def test_a_board_of_10_000_cells_can_be_played(page: Page) -> None:
    begin(page, "#/play?rows=100&cols=100&mines=1500&seed=3&agent=basic")
    assert len(page.all(".board .cell")) == 10_000
    page.click(".board .hint")
    page.until(lambda: page.text(".counters .clicks") == "1", "no turn")
    page.settle()
    assert page.all(".board .open")


FRAME = "document.querySelector('.board-frame')"


@pytest.mark.parametrize(("width", "height"), [(1440, 900), (1024, 768)])
@pytest.mark.parametrize("path", ["#/play?preset=expert", "#/analysis?rows=16&cols=30&mines=99"])
def test_expert_fits_a_window_without_scrolling(page: Page, width: int, height: int, path: str) -> None:
    page.size(width, height)
    page.open(path)
    page.one(".board")
    page.until(lambda: not page.all(".busy"), "the page stays busy")
    scrolled = f"return [{FRAME}.scrollWidth - {FRAME}.clientWidth, {FRAME}.scrollHeight - {FRAME}.clientHeight]"
    assert page.script(scrolled) == [0, 0]
    assert page.script("return document.documentElement.scrollHeight - innerHeight") <= 0
    assert page.script("return document.querySelector('.cell').offsetWidth") >= 20


def test_on_a_telephone_the_board_comes_first_and_clicks_set_flags_under_the_thumb(page: Page) -> None:
    page.size(390, 844)
    begin(page, "#/play?preset=beginner", hints=False)
    box = page.script(f"const box = {FRAME}.getBoundingClientRect(); return [box.top, box.bottom]")
    assert 0 < box[0] < 300
    assert box[1] < 844 - 50
    page.click(".flag-button")
    click(page, 40)
    assert page.marks()[40] == "F"
    assert page.script("return document.querySelector('.thumb-bar').getBoundingClientRect().bottom") <= 844


@pytest.mark.parametrize("width", [390, 1024, 1440])
def test_nothing_moves_while_somebody_plays(page: Page, width: int) -> None:
    page.size(width, 844)
    begin(page, "#/play?preset=beginner&seed=3&agent=exact")
    places = (
        f"return [{FRAME}, ...document.querySelectorAll('.new-game, .side')].map(e => e.getBoundingClientRect().top)"
    )
    before = page.script(places)
    for _ in range(40):
        if page.all(".status.end"):
            break
        page.script("document.querySelector('button.main').click()")
        page.settle()
        assert page.script(places) == before
    assert page.all(".status.end")


@pytest.mark.parametrize(("width", "dark"), [(375, True), (1280, False)])
def test_the_page_is_not_wider_than_the_window(page: Page, width: int, dark: bool) -> None:
    page.size(width, 800, dark=dark)
    begin(page, "#/play?preset=expert")
    assert page.overflow() <= 0


@pytest.mark.parametrize(
    ("path", "keys", "steps"),
    [
        ("#/play?preset=beginner&seed=8&agent=exact", "p", 1),
        ("#/play?preset=beginner&seed=8&agent=exact", "", 0),
        ("#/play?rows=5&cols=5&mines=4&seed=8&agent=random", "", 0),
        ("#/play?rows=5&cols=5&mines=6&seed=8&agent=random", "", 30),
        ("#/play?rows=5&cols=5&mines=4&seed=4&on_mine=continue&agent=random&noise=liar(rate%3D0.5)", "", 30),
        ("#/play?preset=hard", "", 0),
    ],
    ids=["probabilities", "a guess", "random", "the end", "lies", "an address that cannot be"],
)
def test_axe_finds_nothing(page: Page, axe: str, path: str, keys: str, steps: int) -> None:
    begin(page, path)
    for _ in range(steps):
        if page.all(".status.end"):
            break
        page.click("button.main")
        page.settle()
    if keys:
        page.script("document.querySelector('.board .cell').focus()")
        page.do().send_keys(keys).perform()
        page.one(".board .heat")
        page.settle()
    page.open_details()
    assert page.violations(axe) == {}
