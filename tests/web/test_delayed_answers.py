"""Play, in a real browser, on a server whose answers take their time."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from arena_page import Page
from conftest import serving
from selenium.webdriver.common.actions.action_builder import ActionBuilder
from starlette.applications import Starlette
from starlette.types import Receive, Scope, Send

EXPERT = "#/play?preset=expert&seed=7&agent=exact"
LARGE = "#/play?rows=100&cols=100&mines=1500&seed=3&agent=exact"


class Delayed:
    """An application whose answers to some requests come later."""

    def __init__(self, app: Starlette) -> None:
        self.app = app
        self.seconds: dict[str, float] = {}
        """By the last word of the path; `""` is any other request of the API."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and scope["path"].startswith("/api/games"):
            await asyncio.sleep(self.seconds.get(scope["path"].rpartition("/")[2], self.seconds.get("", 0)))
        await self.app(scope, receive, send)


@pytest.fixture(scope="module")
def delayed(app: Starlette) -> Delayed:
    return Delayed(app)


@pytest.fixture(scope="module")
def delayed_address(delayed: Delayed) -> Iterator[str]:
    with serving(delayed) as address:
        yield address


@pytest.fixture
def slow_page(page: Page, delayed: Delayed, delayed_address: str) -> Iterator[Page]:
    """The browser at the server whose answers are delayed."""
    delayed.seconds.clear()
    yield Page(page.browser, delayed_address)
    delayed.seconds.clear()


def begin(page: Page, path: str) -> None:
    page.open(path)
    page.one(".board")
    page.settle()


def open_until_flags(page: Page, wanted: int) -> list[int]:
    """Follow the cells marked H or CG until so many cells have a dashed flag; these."""
    for _ in range(60):
        page.settle()
        found = [int(cell.get_attribute("data-i")) for cell in page.all(".board .flag-hint")]
        if len(found) >= wanted:
            return found
        page.script("document.querySelector('.board .safe-hint, .board .hint').click()")
    raise AssertionError("no dashed flags")


def click_quickly(page: Page, cells: list[int], pause: float) -> None:
    """Click cells with a real pointer, so many seconds apart, whatever the page does meanwhile."""
    builder: Any = ActionBuilder(page.browser, duration=0)
    for cell in cells:
        builder.pointer_action.move_to(page.cell(cell)).click()
        builder.pointer_action.pause(pause)
        builder.key_action.pause(0)
    page.script("document.querySelector('.board-frame').scrollIntoView()")
    builder.perform()


@pytest.mark.parametrize(
    ("path", "delays", "pause"),
    [
        (EXPERT, {"": 0.06}, 0.06),
        (EXPERT, {"": 0.2}, 0.06),
        (EXPERT, {"": 0.2, "hint": 1.0}, 0.6),
        (LARGE, {"": 0.2, "hint": 1.5}, 0.6),
    ],
)
def test_dashed_flags_clicked_in_quick_succession_are_flagged_and_never_opened(
    slow_page: Page, delayed: Delayed, path: str, delays: dict[str, float], pause: float
) -> None:
    begin(slow_page, path)
    flags = [cell for cell in open_until_flags(slow_page, 3) if in_view(slow_page, cell)][:3]
    assert len(flags) == 3
    delayed.seconds.update(delays)
    click_quickly(slow_page, flags, pause)
    slow_page.settle()
    assert not slow_page.all(".status.end")
    assert [slow_page.marks()[cell] for cell in flags] == ["F", "F", "F"]


def in_view(page: Page, cell: int) -> bool:
    """Whether a cell can be clicked without scrolling."""
    return bool(
        page.script(
            "document.querySelector('.board-frame').scrollIntoView();"
            "const box = arguments[0].getBoundingClientRect();"
            "return document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2) === arguments[0]",
            page.cell(cell),
        )
    )


def test_a_click_does_what_was_drawn_when_the_pointer_went_down(slow_page: Page, delayed: Delayed) -> None:
    begin(slow_page, EXPERT)
    (cell, *_) = [cell for cell in open_until_flags(slow_page, 1) if in_view(slow_page, cell)]
    slow_page.do().move_to_element(slow_page.cell(cell)).click_and_hold().perform()
    slow_page.script("document.querySelector('.side .check input').click()")  # hints off: the flag is drawn no more
    slow_page.until(lambda: not slow_page.all(".board .flag-hint"), "the hints stay")
    slow_page.do().release().perform()
    slow_page.settle()
    assert slow_page.marks()[cell] == "F"


def test_with_hints_off_a_left_click_opens_also_where_a_hint_was(slow_page: Page) -> None:
    begin(slow_page, EXPERT)
    (cell, *_) = open_until_flags(slow_page, 1)
    slow_page.script("document.querySelector('.side .check input').click()")
    slow_page.script("arguments[0].click()", slow_page.cell(cell))
    slow_page.settle()
    assert slow_page.text(".status").startswith("Lost after")


def test_a_dashed_flag_that_is_clicked_twice_stays_flagged(slow_page: Page, delayed: Delayed) -> None:
    begin(slow_page, EXPERT)
    (cell, *_) = [cell for cell in open_until_flags(slow_page, 1) if in_view(slow_page, cell)]
    delayed.seconds[""] = 0.3
    slow_page.do().double_click(slow_page.cell(cell)).perform()
    slow_page.settle()
    assert slow_page.marks()[cell] == "F"


def test_a_click_on_the_old_board_does_nothing_on_the_new_one(slow_page: Page, delayed: Delayed) -> None:
    begin(slow_page, EXPERT)
    delayed.seconds["games"] = 0.5
    slow_page.script("document.querySelector('.setup button[type=submit]').click()")
    slow_page.cell(40).click()
    slow_page.settle()
    assert "seed=7" not in slow_page.browser.current_url
    assert set(slow_page.marks()) == {"."}


def test_a_whole_game_is_won_by_clicking_what_is_marked_without_waiting(slow_page: Page, delayed: Delayed) -> None:
    """A person who clicks one mark after the other at 200 ms of latency never opens a mine that was marked."""
    begin(slow_page, "#/play?preset=beginner&seed=8&agent=exact&source=no-guess")
    delayed.seconds[""] = 0.2
    marked = "document.querySelector('.board .flag-hint, .board .safe-hint, .board .hint')"
    slow_page.until(lambda: slow_page.script(f"{marked}?.click()") or slow_page.all(".status.end"), "no end")
    assert slow_page.text(".status").startswith("Won in")
    assert "hints were on" in slow_page.text(".status")
    assert "efficiency" not in slow_page.text(".status")
    assert not slow_page.all(".board .flag-hint, .board .safe-hint, .board .hint")
