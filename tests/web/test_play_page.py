"""Play, in a real browser."""

from __future__ import annotations

from typing import Any

import pytest
from arena_page import Page
from selenium.webdriver.common.keys import Keys

from sweepstakes import Registry
from sweepstakes.game.board_statistics import board_statistics
from sweepstakes.web.server.requests import NewGame, parse_body

SMALL = "#/play?rows=6&cols=6&mines=5&seed=4&first_click=any&on_mine=continue"
CLASSIC = SMALL.replace("continue", "end")


def mines(registry: Registry) -> list[int]:
    new_game: dict[str, Any] = {"rows": 6, "cols": 6, "mines": 5, "seed": 4, "first_click": "any", "agent": "basic"}
    board = parse_body(NewGame, new_game).setup().game(registry, "test").board
    return [i for i, mine in enumerate(board.layout) if mine]


def begin(page: Page, path: str = SMALL, *, hints: bool = True) -> None:
    page.open(path)
    page.one(".board")
    page.settle()
    if not hints:
        page.click(".check input")
        page.settle()


def switch(page: Page, label: str) -> None:
    """Click the checkbox with this label."""
    boxes = "[...document.querySelectorAll('.side .check')]"
    page.script(f"{boxes}.find(box => box.textContent === arguments[0]).querySelector('input').click()", label)


def click(page: Page, index: int) -> None:
    page.cell(index).click()
    page.settle()


def test_a_seed_of_128_bits_is_not_rounded(page: Page) -> None:
    seed = 2**128 - 1
    begin(page, SMALL.replace("seed=4", f"seed={seed}"))
    assert page.one("input[name=seed]").get_attribute("value") == str(seed)


def test_a_whole_game_is_played_by_clicks(page: Page, registry: Registry) -> None:
    begin(page, hints=False)
    where = mines(registry)
    for cell in range(36):
        if page.marks()[cell] != ".":
            continue
        if cell in where:
            page.do().context_click(page.cell(cell)).perform()
            page.settle()
        else:
            click(page, cell)
    assert page.text(".status").startswith("Won. Score 1.00: 5 of 5 mines safely identified. ")
    assert len(page.all(".board .cell.right")) == 5


def test_wrong_flags_are_shown_at_the_end(page: Page, registry: Registry) -> None:
    begin(page, CLASSIC, hints=False)
    where = mines(registry)
    safe = next(i for i in range(36) if i not in where)
    for cell in (safe, where[0]):
        page.do().context_click(page.cell(cell)).perform()
        page.settle()
    click(page, where[1])
    assert page.text(".status").startswith("Lost after")
    assert [cell.get_attribute("data-i") for cell in page.all(".board .wrong")] == [str(safe)]
    assert [cell.get_attribute("data-i") for cell in page.all(".board .right")] == [str(where[0])]
    assert len(page.all(".board .detonated")) == 1
    assert len(page.all(".board .mine")) == 3


@pytest.mark.parametrize("agent", ["basic", "random"])
def test_hints_are_followed_to_the_end(page: Page, agent: str) -> None:
    begin(page, f"#/play?rows=6&cols=6&mines=5&seed=9&on_mine=continue&agent={agent}")
    for _ in range(60):
        signs = page.all(".board .hint, .board .safe-hint, .board .flag-hint")
        if not signs:
            break
        signs[0].click()
        page.settle()
    assert "mines safely identified" in page.text(".status")
    assert page.text(".new-game button:first-child") == "New game"


def test_a_newcomer_finds_a_game_with_a_hint_and_a_button_that_ends_it(page: Page) -> None:
    page.open()
    page.click('nav a[href="#/play"]')
    page.one(".board .hint")
    for _ in range(200):
        page.settle()
        if page.all(".status.end"):
            break
        page.click("button.main")
    assert page.text(".status").startswith(("Won in", "Lost after"))


def test_a_classic_game_is_won_by_the_last_safe_cell_and_counted(page: Page, registry: Registry) -> None:
    begin(page, CLASSIC, hints=False)
    where = mines(registry)
    clicks = 0
    for cell in range(36):
        if page.marks()[cell] == "." and cell not in where:
            click(page, cell)
            clicks += 1
    status = page.text(".status.won")
    assert status.startswith("Won in ")
    board = parse_body(NewGame, {"rows": 6, "cols": 6, "mines": 5, "seed": 4, "first_click": "any", "agent": "basic"})
    three_bv = board_statistics(board.setup().game(registry, "test").board).three_bv
    assert f"3BV {three_bv}, {clicks} clicks, efficiency {round(100 * three_bv / clicks)} %" in status
    assert page.text(".counters .three-bv") == str(three_bv)
    assert len(page.all(".board .mine")) == 5


def test_clicks_are_not_lost_while_a_hint_is_computed(page: Page, registry: Registry) -> None:
    begin(page, CLASSIC + "&agent=ponders")
    safe = [i for i in range(36) if i not in mines(registry)]
    clicked = page.script(
        "const cells = document.querySelectorAll('.board .cell');"
        "for (const i of arguments[0]) cells[i].click();"
        "return document.querySelector('.play-page').classList.contains('busy')",
        safe,
    )
    assert clicked
    page.until(lambda: page.all(".status.won"), "clicks were lost")


def test_a_game_survives_reload_and_visits_to_other_pages(page: Page, registry: Registry) -> None:
    begin(page, CLASSIC, hints=False)
    click(page, next(i for i in range(36) if i not in mines(registry)))
    marks = page.marks()
    page.browser.refresh()
    page.one(".board .open")
    assert page.marks() == marks
    page.click('nav a[href^="#/leaderboard"]')
    page.one(".standings, .notice")
    page.click('nav a[href^="#/play"]')
    page.one(".board .open")
    assert page.marks() == marks
    page.visit("#/play")
    page.one(".board .open")
    assert page.marks() == marks
    assert "seed=4" in page.script("return location.hash")
    assert not page.one(".check input").is_selected()  # the choice survives too


def test_a_new_game_from_a_link_is_on_another_board_and_back_returns(page: Page, registry: Registry) -> None:
    begin(page, CLASSIC, hints=False)
    click(page, next(i for i in range(36) if i not in mines(registry)))
    marks, link = page.marks(), page.script("return location.hash")
    page.click(".setup button[type=submit]")
    page.until(lambda: set(page.marks()) == {"."}, "no new game")
    assert page.script("return location.hash") != link
    assert page.one("input[name=seed]").get_attribute("value") != "4"
    page.browser.back()
    page.until(lambda: page.all(".board") and page.marks() == marks, "Back does not return to the game")


def test_another_adviser_keeps_the_game(page: Page, registry: Registry) -> None:
    begin(page, SMALL)
    click(page, next(i for i in range(36) if i not in mines(registry)))
    marks = page.marks()
    page.script(
        "const agent = document.querySelector('select[name=agent]');"
        "agent.value = 'random'; agent.dispatchEvent(new Event('change'))"
    )
    page.one(".board .hint.random")
    page.settle()
    assert page.marks() == marks
    said = "R random No cell is certainly safe. random would open the cell marked R, picked at random."
    assert page.text(".status").startswith(said)
    assert "agent=random" in page.script("return location.hash")


def test_at_the_end_of_a_noisy_game_the_lies_are_shown(page: Page) -> None:
    begin(page, "#/play?rows=6&cols=6&mines=5&seed=4&on_mine=continue&agent=random&noise=liar(rate%3D0.5)")
    page.script("document.querySelector('.side input[type=range]').value = 10")
    page.click(".pair button:first-child")
    page.until(lambda: page.all(".status.end"), "autoplay does not end")
    lies = page.all(".board .lied")
    assert f"{len(lies)} clues lied" in page.text(".status")
    assert all(cell.get_attribute("data-truth") != cell.text for cell in lies)
    assert "a lie: the true number is" in lies[0].get_attribute("aria-label")


def test_a_board_without_guesses_is_dealt_by_the_first_click(page: Page) -> None:
    begin(page, "#/play?preset=beginner&source=no-guess&agent=exact", hints=False)
    click(page, 40)
    for _ in range(80):
        if page.all(".status.end"):
            break
        page.click("button.main")
        page.settle()
    assert page.text(".status").startswith("Won in")


def test_values_of_an_address_that_cannot_be_are_named(page: Page) -> None:
    begin(page, "#/play?preset=hard&noise=fog&agent=nobody&seat=4")
    said = page.text(".address-notice")
    for word in ("preset “hard”", "noise “fog”", "agent “nobody”", "no “seat”"):
        assert word in said


def test_undo_takes_back_what_was_done(page: Page, registry: Registry) -> None:
    begin(page)
    before = page.marks()
    click(page, next(i for i in range(36) if i not in mines(registry)))
    assert page.marks() != before
    page.click(".pair button:last-child")
    page.settle()
    assert page.marks() == before


def test_the_keyboard_is_enough(page: Page, registry: Registry) -> None:
    begin(page, hints=False)
    where = mines(registry)
    page.script("document.querySelector('.board .cell').focus()")
    for cell in range(36):
        row, col = divmod(cell, 6)
        if page.marks()[cell] == ".":
            page.do().send_keys("f" if cell in where else Keys.SPACE).perform()
            page.settle()
        keys = [Keys.ARROW_RIGHT] if col < 5 else [Keys.HOME, Keys.ARROW_DOWN] if row < 5 else []
        for key in keys:
            page.do().send_keys(key).perform()
    assert page.text(".status").startswith("Won.")
    page.do().send_keys("u").perform()
    page.settle()
    assert not page.all(".status.end")


def test_a_double_or_middle_click_or_c_opens_around_a_clue(page: Page, registry: Registry) -> None:
    where = set(mines(registry))
    around = {i: {j for j in range(36) if max(abs(i // 6 - j // 6), abs(i % 6 - j % 6)) == 1} for i in range(36)}
    clue = next(i for i in range(36) if i not in where and len(around[i] & where) == 1)
    (mine,) = around[clue] & where
    for way in ("double", "middle", "key"):
        begin(page, hints=False)
        click(page, clue)
        page.do().context_click(page.cell(mine)).perform()
        page.settle()
        cell = page.cell(clue)
        if way == "double":
            page.do().double_click(cell).perform()
        elif way == "middle":
            event = "new MouseEvent('auxclick', {button: 1, bubbles: true})"
            page.script(f"arguments[0].dispatchEvent({event})", cell)
        else:
            page.script("arguments[0].focus()", cell)
            page.do().send_keys("c").perform()
        page.until(lambda: all(page.marks()[j] != "." for j in around[clue]), f"{way} opens nothing")


def test_probabilities_are_shown_on_demand(page: Page) -> None:
    begin(page)
    assert not page.all(".board .heat")
    switch(page, "Show mine probabilities")
    page.one(".board .heat")
    page.settle()
    labels = [cell.get_attribute("aria-label") for cell in page.all(".board .heat")]
    assert all("a mine with" in label or "beside no clue" in label for label in labels)
    assert page.text(".cell-info") == "Cells beside no clue: a mine with 14 % each."


def test_before_a_safe_first_click_every_cell_is_safe(page: Page) -> None:
    begin(page, "#/play?preset=beginner&seed=8&agent=exact&first_click=safe")
    switch(page, "Show mine probabilities")
    page.one(".board .heat")
    page.settle()
    assert {cell.text for cell in page.all(".board .heat")} <= {"0", "CG"}
    assert "The first click is safe by the rules" in page.text(".cell-info")
    page.do().context_click(page.cell(40)).perform()
    page.settle()
    assert page.text(".status").startswith("CG guess The first click is safe by the rules.")
    assert page.cell(40).get_attribute("aria-label") == "row 4, column 4: flagged, a mine with 0\u00a0%"


def test_a_flag_that_cannot_be_right_is_named_on_the_page(page: Page) -> None:
    begin(page, "#/play?preset=beginner&seed=8&agent=exact")
    for _ in range(20):
        page.click("button.main")
        page.settle()
        proven = page.script("return document.querySelector('.status .reason-mark')?.textContent") == "H safe"
        if proven or page.all(".status.end"):
            break
    sign = page.one(".board .hint")
    cell = int(sign.get_attribute("data-i"))
    page.do().context_click(sign).perform()
    page.settle()
    row, col = divmod(cell, 9)
    assert page.text(".status .flag-warning") == f"The flag at row {row}, column {col} cannot be right."
    assert "unflag-hint" in page.cell(cell).get_attribute("class")
    assert "the flag cannot be right" in page.cell(cell).get_attribute("aria-label")
    page.cell(cell).click()
    page.settle()
    assert page.marks()[cell] == "."
    assert not page.all(".status .flag-warning")


def test_an_agent_that_gives_up_leaves_the_game_to_the_person(page: Page) -> None:
    begin(page, SMALL + "&agent=gives-up")
    for button in ("button.main", ".pair button:first-child"):
        page.click(button)
        page.settle()
        assert page.text(".status") == "gives-up gives up here."
        page.until(lambda: page.text(".pair button:first-child") == "Autoplay", "autoplay goes on")
        assert not page.all(".status.end")


def test_the_clues_that_prove_a_cell_are_outlined(page: Page) -> None:
    begin(page, "#/play?preset=beginner&seed=8&agent=knowledge-base")
    for _ in range(40):
        page.settle()
        proven = page.script("return document.querySelector('.status .reason-mark')?.textContent") == "H safe"
        if proven or page.all(".status.end"):
            break
        page.click("button.main")
    page.do().move_to_element(page.one(".board .hint")).perform()
    page.one(".board .cell.open.proves")
    assert "proved by" in page.text(".cell-info")


def test_autoplay_plays_to_the_end_and_can_be_paused(page: Page) -> None:
    begin(page, "#/play?preset=beginner&seed=2&agent=basic")
    page.script("const s = document.querySelector('.side input[type=range]'); s.value = 10")
    page.click(".pair button:first-child")
    page.until(lambda: page.all(".status.end"), "autoplay does not end")


def test_a_game_that_cannot_be_is_answered_on_the_page(page: Page) -> None:
    begin(page)
    page.script("document.querySelector('select[name=preset]').value = 'custom'")
    page.script("document.querySelector('select[name=preset]').dispatchEvent(new Event('change'))")
    amount = page.one("input[name=amount]")
    amount.clear()
    amount.send_keys("999")
    page.click(".setup button[type=submit]")
    page.settle()
    assert "999 mines" in page.text(".status.error")
    assert any("422" in line for line in page.console_errors())  # the browser's own note


def test_the_status_is_told_to_those_who_cannot_see(page: Page) -> None:
    begin(page)
    assert page.one(".status").get_attribute("aria-live") == "polite"
    grid = page.one("[role=grid]")
    assert grid.get_attribute("aria-rowcount") == "6"
    assert page.cell(7).get_attribute("aria-label").startswith("row 1, column 1: ")


def test_a_board_of_10_000_cells_can_be_played(page: Page) -> None:
    begin(page, "#/play?rows=100&cols=100&mines=1500&seed=3&agent=basic")
    assert len(page.all(".board .cell")) == 10_000
    page.click(".board .hint")
    page.until(lambda: page.text(".counters .clicks") == "1", "no turn")
    page.settle()
    assert page.all(".board .open")


def background(page: Page) -> str:
    """The colour of the cells beside no clue."""
    return str(
        page.script("return getComputedStyle(document.querySelector('.board .heat.background')).backgroundColor")
    )


@pytest.mark.parametrize("dark", [False, True])
def test_the_heat_map_shows_how_likely_a_mine_is_beside_no_clue(page: Page, dark: bool) -> None:
    page.size(1280, 900, dark=dark)
    colours = []
    for mines in (1, 30, 120, 210):  # of 250 cells
        begin(page, f"#/play?rows=10&cols=25&mines={mines}&seed=2&first_click=any&on_mine=continue&agent=random")
        switch(page, "Show mine probabilities")
        page.one(".board .heat.background")
        colours.append(background(page))
    assert len(set(colours)) == 4
    page.size(1280, 900)


def test_every_certain_cell_is_marked_whatever_the_agent_has_found(page: Page) -> None:
    begin(page, "#/play?preset=intermediate&seed=7&agent=basic")
    switch(page, "Show mine probabilities")
    page.click("button.main")
    partly = 0
    for _ in range(8):
        page.settle()
        if page.all(".status.end"):
            break
        labels = page.script(
            "return [...document.querySelectorAll('.board .heat')]"
            ".map(cell => [cell.className, cell.getAttribute('aria-label')])"
        )
        safe = [name for name, label in labels if label.endswith("certainly safe")]
        assert len(safe) == sum(": covered" in label and "a mine with 0\u00a0%" in label for _, label in labels)
        flags = [name for name, label in labels if "flag-hint" in name]
        assert len(flags) == sum(": covered" in label and "a mine with 100\u00a0%" in label for _, label in labels)
        partly += any("safe-hint" in name for name in safe)
        page.click("button.main")
    assert partly  # `basic` does not find all of them


def test_letters_act_only_while_the_board_has_the_focus(page: Page) -> None:
    begin(page)
    before = page.marks()
    page.script("document.activeElement.blur()")
    page.do().send_keys("newhup").perform()
    page.script("document.querySelector('.setup button').focus()")
    page.do().send_keys("newhup").perform()
    page.settle()
    assert page.marks() == before
    assert not page.all(".board .heat")
    page.script("document.querySelector('.board .cell').focus()")
    page.do().send_keys("n").perform()
    page.until(lambda: page.marks() != before, "n takes no turn")


def test_a_click_beside_the_hints_is_not_the_players_own_efficiency(page: Page, registry: Registry) -> None:
    begin(page, CLASSIC)
    where = mines(registry)
    for cell in range(36):
        if page.marks()[cell] == "." and cell not in where:
            click(page, cell)
    assert page.text(".status.won").endswith("clicks, hints were on.")
