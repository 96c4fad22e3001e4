"""The Analysis page, in a real browser."""

from __future__ import annotations

from pathlib import Path

from arena_page import Page
from selenium.webdriver.common.actions.wheel_input import ScrollOrigin
from selenium.webdriver.common.keys import Keys

from sweepstakes import Board
from sweepstakes.game.board_formats import encode

STUCK = "#/analysis?rows=4&cols=4&mines=3&cells=bC15"


def begin(page: Page, path: str = "#/analysis?rows=3&cols=4&mines=2") -> None:
    page.open(path)
    page.one(".analysis-page")
    solved(page)


def solved(page: Page) -> None:
    page.until(lambda: page.all(".analysis-page:not(.busy)"), "the position is not solved")


def address(page: Page) -> str:
    return str(page.script("return location.hash"))


def test_a_position_is_edited_by_clicks_and_keys_and_not_by_scrolling(page: Page) -> None:
    begin(page)
    page.do().context_click(page.cell(0)).perform()
    page.cell(1).click()
    assert page.marks() == "F1.........."  # as many mines as are flagged around it
    page.do().scroll_from_origin(ScrollOrigin.from_element(page.cell(1)), 0, 200).perform()
    assert page.marks() == "F1.........."
    page.do().send_keys("+", "+", "-").perform()
    assert page.marks() == "F2.........."
    page.script("arguments[0].focus()", page.cell(5))
    page.do().send_keys("3", Keys.ARROW_RIGHT, "f", Keys.ARROW_RIGHT, "?", Keys.ARROW_DOWN, "*").perform()
    assert page.marks() == "F2...3F?...*"
    page.do().send_keys(Keys.BACKSPACE).perform()
    assert page.marks() == "F2...3F?...."
    page.do().key_down(Keys.CONTROL).send_keys("z").key_up(Keys.CONTROL).perform()
    assert page.marks() == "F2...3F?...*"
    marks = page.marks()
    page.browser.refresh()
    page.one(".board .open")
    assert page.marks() == marks


def test_the_best_cells_and_champions_table_are_shown(page: Page) -> None:
    begin(page, STUCK)
    page.one(".candidates tbody tr")
    assert page.text(".results").startswith("Best cell\nexact opens (")
    assert "champion opens (" in page.text(".results")
    assert len(page.all(".board .advised")) == 1
    assert len(page.all(".board .best")) == 1


def test_the_proof_of_the_cell_under_the_pointer_is_shown(page: Page) -> None:
    begin(page, "#/analysis?rows=3&cols=3&mines=1&cells=bC1bC4a2")
    page.do().move_to_element(page.cell(3)).perform()
    page.until(lambda: "because of" in page.text(".cell-info"), "no proof")
    assert page.all(".board .proves")


def test_a_contradiction_is_named_and_outlined(page: Page) -> None:
    begin(page, "#/analysis?rows=2&cols=2&mines=1&cells=bcC2")
    assert page.text(".status.error") == "These clues cannot all be true: the 1 at (0, 0) and the 2 at (0, 1)."
    assert len(page.all(".board .contradicts")) == 2


def test_a_text_is_pasted_and_a_file_is_opened(page: Page, tmp_path: Path) -> None:
    begin(page)
    page.script(
        "const clipboardData = new DataTransfer(); clipboardData.setData('text/plain', arguments[0]);"
        "document.body.dispatchEvent(new ClipboardEvent('paste', {clipboardData, bubbles: true, cancelable: true}))",
        "2 3 1 on_mine=continue noise=hidden(rate=0.25)\n1..\n.?.\n",
    )
    page.until(lambda: page.marks() == "1...?.", "nothing is pasted")
    assert "noise=hidden" in address(page)
    board = Board.parse("*..\n...\n...\n")
    path = tmp_path / "board.mbf"
    path.write_bytes(encode(board, "mbf"))
    page.script("document.querySelector('.position-files').open = true")
    page.one("input[type=file]").send_keys(str(path))
    page.until(lambda: page.marks() == "." * 9, "the file is not opened")
    page.cell(8).click()
    assert page.marks() == ".10110000"  # the mines are known: a blank floods
    assert "layout=" in address(page)


def test_every_own_game_opens_in_the_analysis(page: Page) -> None:
    page.open("#/play?preset=beginner&seed=8")
    page.one(".board")
    page.settle()
    page.cell(40).click()
    page.settle()
    marks = page.marks()
    page.click("a.button[href^='#/analysis']")
    page.one(".analysis-page .board")
    solved(page)
    assert page.marks() == marks
    assert "layout" not in address(page)
    page.browser.back()
    page.one(".play-page .board .open")
    assert page.marks() == marks


def test_an_address_that_is_no_position_is_named(page: Page) -> None:
    begin(page, "#/analysis?rows=3&cols=3&cells=C8&layout=zz&noise=fog")
    said = page.text(".address-notice")
    for words in ("cells of the address are not those of 3 × 3", "layout of the address", "noise “fog”"):
        assert words in said


def test_the_page_fits_a_phone(page: Page) -> None:
    page.size(375, 800)
    begin(page, STUCK)
    page.one(".candidates")
    assert page.overflow() <= 0


def paste(page: Page, text: str) -> None:
    page.script(
        "const clipboardData = new DataTransfer(); clipboardData.setData('text/plain', arguments[0]);"
        "document.body.dispatchEvent(new ClipboardEvent('paste', {clipboardData, bubbles: true, cancelable: true}))",
        text,
    )


def test_a_pasted_text_changes_the_rules_only_if_it_states_them_and_says_so(page: Page) -> None:
    begin(page, "#/analysis?rows=3&cols=3&mines=1&first_click=safe&noise=hidden(rate%3D0.25)")
    paste(page, "2 3 1\n1..\n...\n")
    page.until(lambda: page.marks() == "1.....", "nothing is pasted")
    assert "on_mine" not in address(page)
    assert "first_click=safe" in address(page)
    assert "noise=hidden" in address(page)
    page.script("document.querySelector('.position-files').open = true")
    assert page.text(".position-files [role=status]") == "Read: 2 × 3 with 1 mine."
    paste(page, "2 3 1 on_mine=continue first_click=safe\n1..\n.1.\n")
    page.until(lambda: page.marks() == "1...1.", "nothing is pasted")
    assert "on_mine=continue" in address(page)
    said = "Read: 2 × 3 with 1 mine. The rules have changed: a mine goes off, play goes on; clues are exact."
    assert page.text(".position-files [role=status]") == said


def test_the_page_reads_its_own_address(page: Page) -> None:
    begin(page, STUCK)
    own, marks = page.script("return location.href"), page.marks()
    begin(page, "#/analysis?rows=3&cols=3&mines=1&on_mine=continue")
    paste(page, own)
    page.until(lambda: page.marks() == marks, "the address is not read")
    assert page.script("return location.href") == own  # with its rules
    paste(page, own.replace("cells=bC15", "cells=bC99"))
    page.script("document.querySelector('.position-files').open = true")
    assert "cells of the address are not those of 4 × 4" in page.text(".position-files .error")
    assert page.marks() == marks


def test_the_heat_map_of_a_position_shows_how_likely_a_mine_is_beside_no_clue(page: Page) -> None:
    colours = set()
    for mines in (1, 12, 49, 86):
        begin(page, f"#/analysis?rows=10&cols=10&mines={mines}")
        page.one(".board .heat.background")
        style = "getComputedStyle(document.querySelector('.board .heat.background')).backgroundColor"
        colours.add(page.script(f"return {style}"))
    assert len(colours) == 4
