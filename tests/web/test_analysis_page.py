"""The Analysis page, in a real browser. `analysis_page.test.mjs` and `editing.test.mjs` have its logic."""

from __future__ import annotations

from pathlib import Path

import pytest
from arena_page import Page
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
from selenium.webdriver.common.keys import Keys

from sweepstakes import Board
from sweepstakes.game.board_formats import encode

STUCK = "#/analysis?rows=4&cols=4&mines=3&cells=bC15"


def begin(page: Page, path: str = "#/analysis?rows=3&cols=4&mines=2") -> None:
    page.open(path)
    page.one(".analysis-page")
    page.until(lambda: page.all(".analysis-page:not(.busy)"), "the position is not solved")
    page.until(lambda: "thinking" not in page.text(".results"), "champion does not answer")


def wait_for_info(page: Page, text: str) -> None:
    page.until(lambda: page.text(".cell-info") == text, f"never: {text}")


def test_a_position_is_edited_by_clicks_and_keys_and_not_by_scrolling(page: Page) -> None:
    begin(page)
    page.do().context_click(page.cell(0)).perform()
    page.cell(1).click()
    assert page.marks() == "F1.........."
    page.do().scroll_from_origin(ScrollOrigin.from_element(page.cell(1)), 0, 200).perform()
    assert page.marks() == "F1.........."
    page.do().send_keys("+", "+", "-").perform()
    assert page.marks() == "F2.........."
    page.script("arguments[0].focus()", page.cell(5))
    page.do().send_keys("3", Keys.ARROW_RIGHT, "f", Keys.ARROW_RIGHT, "?", Keys.ARROW_DOWN, "*").perform()
    assert page.marks() == "F2...3F?...*"
    page.do().send_keys(Keys.BACKSPACE).perform()
    page.do().key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
    assert page.marks() == "F2...3F?...*"
    page.browser.refresh()
    page.one(".board .open")
    assert page.marks() == "F2...3F?...*"


def test_the_results_and_the_proof_of_the_cell_under_the_pointer_fit_a_phone(page: Page) -> None:
    page.size(375, 800)
    begin(page, STUCK)
    page.one(".candidates tbody tr")
    assert page.text(".results").startswith("Best cell\nexact opens (")
    assert "champion opens (" in page.text(".results")
    assert len(page.all(".board .advised")) == len(page.all(".board .best")) == 1
    assert page.overflow() <= 0
    begin(page, "#/analysis?rows=3&cols=3&mines=1&cells=bC1bC4a2")
    page.do().move_to_element(page.cell(3)).perform()
    page.until(lambda: "because of" in page.text(".cell-info"), "no proof")
    assert page.all(".board .proves")
    assert page.overflow() <= 0


def test_a_text_is_pasted_and_a_file_is_opened(page: Page, tmp_path: Path) -> None:
    begin(page)
    page.script(
        "const clipboardData = new DataTransfer(); clipboardData.setData('text/plain', arguments[0]);"
        "document.body.dispatchEvent(new ClipboardEvent('paste', {clipboardData, bubbles: true, cancelable: true}))",
        "2 3 1 on_mine=continue noise=hidden(rate=0.25)\n1..\n.?.\n",
    )
    page.until(lambda: page.marks() == "1...?.", "nothing is pasted")
    assert "noise=hidden" in page.script("return location.hash")
    path = tmp_path / "board.mbf"
    path.write_bytes(encode(Board.parse("*..\n...\n...\n"), "mbf"))
    page.open_details()
    page.one("input[type=file]").send_keys(str(path))
    page.until(lambda: page.marks() == "." * 9, "the file is not opened")
    page.cell(8).click()
    assert page.marks() == ".10110000"  # the mines are known: a blank floods
    assert "layout=" in page.script("return location.hash")


def test_the_heat_map_shows_how_likely_a_mine_is_away_from_the_clues(page: Page) -> None:
    begin(page, "#/analysis?rows=10&cols=10&mines=1")
    style = "getComputedStyle(document.querySelector('.board .heat.background')).backgroundColor"
    colours: dict[bool, set[str]] = {False: set(), True: set()}
    for mines, chance in ((1, "1.0"), (12, "12"), (49, "49"), (86, "86")):
        page.script(
            "const mines = document.querySelector('input[name=mines]');"
            "mines.value = arguments[0]; mines.dispatchEvent(new Event('change', {bubbles: true}))",
            mines,
        )
        wait_for_info(page, f"Each cell away from the clues is a mine with probability {chance} %.")
        for dark in colours:
            page.size(1280, 900, dark=dark)
            colours[dark].add(page.script(f"return {style}"))
    assert [len(found) for found in colours.values()] == [4, 4]


@pytest.mark.parametrize(
    "path",
    ["#/analysis", f"{STUCK}&agent=random", "#/analysis?rows=2&cols=2&mines=1&cells=bcC2"],
    ids=["empty", "candidates", "a contradiction"],
)
def test_axe_finds_nothing(page: Page, axe: str, path: str) -> None:
    begin(page, path)
    page.open_details()
    assert page.violations(axe) == {}
