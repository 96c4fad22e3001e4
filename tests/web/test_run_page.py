"""Leaderboard, Watch and Agent, in a real browser. `run_pages.test.mjs` has their logic."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from arena_page import Page
from conftest import finish, serving
from selenium.webdriver import Keys

from sweepstakes import Registry, open_run
from sweepstakes.tournaments import run_tournament
from sweepstakes.web.agents.agent_service import AgentService
from sweepstakes.web.server.app import make_app


def watch(**state: object) -> str:
    """The address of a game on the larger boards."""
    return f"#/watch?{urlencode({'condition': '6x7/8', 'board': 3} | state)}"


def turns(page: Page) -> int:
    """The number of turns of the game, once it is known."""
    page.one(".replay-panel .board")
    page.until(lambda: not page.text(".timeline .turn-count").endswith(" 0"), "no game")
    return int(page.text(".timeline .turn-count").split()[-1])


def arrive(page: Page, there: str) -> None:
    page.until(lambda: page.text(".timeline .turn-count") == there, f"the timeline does not come to {there}")


def test_a_comparison_leads_to_a_deciding_board_which_is_watched_and_played(page: Page) -> None:
    page.open("#/leaderboard")
    assert page.text(".standings caption") == "all conditions: 36 boards"
    assert len(page.all(".chart .whisker")) == 6
    pair = page.one(".matrix tbody tr:first-child td:last-child")
    better, worse = map(int, pair.text.split("\n")[1].split(" : "))
    pair.click()
    page.until(lambda: len(page.all(".decisive-boards h4")) == 2, "no lists")
    assert len(page.all(".decisive-boards li")) == better + worse > 0
    link = page.one(".decisive-boards li a")
    condition, _, board = link.text.partition(", board ")
    link.click()
    page.until(lambda: len(page.all(".replay-panel .board")) == 2, "no two boards")
    chosen = page.one("select[name=condition]")
    assert chosen.get_attribute("title") == condition == page.one("select[name=condition] option:checked").text
    assert page.one("input[name=board]").get_attribute("value") == board.partition(":")[0]
    cells = len(page.marks())
    page.click(".watch-page a[href*='#/play']")
    page.one(".play-page .board .cell")
    assert "seed=11&number=" in page.browser.current_url
    page.settle()
    assert len(page.marks()) == cells


def test_the_keys_step_through_a_replay(page: Page) -> None:
    page.open(watch(first="basic"))
    last = turns(page)
    start = page.marks()
    steps = [(Keys.ARROW_RIGHT, 1), (Keys.ARROW_RIGHT, 2), (Keys.ARROW_LEFT, 1), (Keys.END, last), (Keys.HOME, 0)]
    for key, there in steps:
        page.do().send_keys(key).perform()
        arrive(page, f"Turn {there} of {last}")
    assert page.marks() == start
    page.script("document.querySelector('.timeline .speed input').value = 10")
    page.do().send_keys(Keys.SPACE).perform()
    arrive(page, f"Turn {last} of {last}")
    assert page.marks() != start
    assert "Score" in page.text(".reason")


def test_the_review_leads_to_the_next_mistake_and_a_click_on_its_graph_to_that_turn(page: Page) -> None:
    page.open(watch(first="random"))  # which misses proofs
    page.click(".next-mistake")
    page.until(lambda: page.all(".replay-panel .label"), "no class of a decision is named")
    page.until(lambda: page.all(".cell[aria-label*='it would have been better']"), "no better cell is marked")
    last = turns(page)
    graph = page.one(".review-graph")
    page.do().move_to_element_with_offset(graph, graph.size["width"] // 2 - 2, 0).click().perform()
    arrive(page, f"Turn {last - 1} of {last}")


def test_back_returns_to_the_board_and_the_turn(page: Page) -> None:
    page.open(watch(first="random", second="basic", turn=2))
    page.until(lambda: len(page.all(".replay-panel .board")) == 2, "no two boards")
    page.until(lambda: page.text(".turn-count").startswith("Turn 2 of"), "the turn of the address is not shown")
    page.click("[aria-label='The next board']")
    page.until(
        lambda: "board=4" in page.browser.current_url and page.text(".turn-count").startswith("Turn 0"), "no board"
    )
    page.browser.back()
    page.until(
        lambda: "board=3" in page.browser.current_url and page.text(".turn-count").startswith("Turn 2"), "no Back"
    )


def test_an_agent_has_a_page_with_links_back(page: Page) -> None:
    page.open("#/leaderboard")
    page.click(".standings tbody th a")
    page.until(lambda: page.text("h1") == "basic", "not the agent's page")
    assert len(page.all(".agent table")) == 2
    page.click(".against td a")
    assert page.text(".decisive-boards h3") == "basic against random"


def test_the_leaderboard_updates_itself_until_it_shows_the_final_table(
    chromium: Any, registry: Registry, agent_service: AgentService, half: Path, run_directory: Path
) -> None:
    with serving(make_app(registry, open_run(half), agent_service=agent_service)) as address:
        page = Page(chromium, address)
        page.size(1280, 900)
        page.open("#/leaderboard")
        page.until(lambda: page.text(".standings caption") == "all conditions: 18 boards so far", "no standings so far")
        assert page.text(".progress-text").startswith("36 of 72 games played (50 %)")
        assert len(page.all(".latest a")) == 2
        page.script("window.isSamePage = true")
        finish(half, run_directory)
        page.until(lambda: page.text(".standings caption") == "all conditions: 36 boards", "no final table")
        assert page.script("return window.isSamePage")
        assert not page.one(".live").is_displayed()
        assert page.console_errors() == []


def test_a_large_board_follows_the_turns_and_both_boards_scroll(
    chromium: Any, agent_service: AgentService, registry: Registry, tmp_path: Path
) -> None:
    data = {"games": 1, "boards": {"size": 60, "density": 0.1}, "agents": ["basic", "chain"], "moves": "all"}
    run_tournament(data, out=tmp_path / "large", workers=1)
    with serving(make_app(registry, open_run(tmp_path / "large"), agent_service=agent_service)) as address:
        page = Page(chromium, address)
        page.size(1280, 900)
        page.open("#/watch")
        page.until(lambda: len(page.all(".replay-panel .board")) == 2, "no two boards")
        page.until(lambda: all(map_.is_displayed() for map_ in page.all(".map")), "no overview map")
        tops = "return [...document.querySelectorAll('.board-frame')].map(frame => frame.scrollTop)"
        page.click("[aria-label='To the end']")
        page.script("document.querySelector('.board-frame').scrollTo(0, 0)")
        page.until(lambda: page.script(tops) == [0, 0], "the other board does not scroll")
        visible = (
            "const frame = document.querySelector('.board-frame'), box = frame.getBoundingClientRect();"
            "const inside = at => at.top >= box.top && at.bottom <= box.bottom && at.left >= box.left;"
            "const hints = [...frame.querySelectorAll('.hint, .flag-hint')];"
            "return hints.some(hint => inside(hint.getBoundingClientRect()))"
        )
        page.click("[aria-label='To the start']")
        for _ in range(3):
            page.script("document.querySelector('.board-frame').scrollTo(1e6, 1e6)")
            page.click("[aria-label=Forward]")
            page.until(lambda: page.script(visible), "the board does not follow the turn")
        assert page.console_errors() == []


@pytest.mark.parametrize(("width", "dark"), [(375, True), (1280, False)])
def test_no_page_is_wider_than_the_window(page: Page, width: int, dark: bool) -> None:
    page.size(width, 800, dark=dark)
    for path, sign in (("#/watch", ".replay-panel .board"), ("#/leaderboard", ".standings")):
        page.open(path)
        page.one(sign)
        assert page.overflow() <= 0, path


@pytest.mark.parametrize(
    ("path", "sign"),
    [
        ("#/watch?board=3&turn=2", ".board .heat"),
        ("#/watch?board=3&turn=5&odds=no", ".board .cell.open"),
        ("#/leaderboard?first=basic&second=random", ".decisive-boards a"),
        ("#/agent?name=basic", "h1"),
        ("#/nowhere", ".address-notice"),
    ],
    ids=["probabilities", "the end", "leaderboard", "agent", "no such page"],
)
def test_axe_finds_nothing(page: Page, axe: str, path: str, sign: str) -> None:
    page.open(path)
    page.one(sign)
    page.open_details()
    assert page.violations(axe) == {}


def test_on_a_telephone_rank_agent_and_score_stay_while_the_table_is_scrolled(page: Page) -> None:
    page.size(390, 844)
    page.open("#/leaderboard")
    assert "more columns on the right" in page.text(".more-columns")
    page.script("document.querySelector('.wide').scrollLeft = 1000")
    left, right = page.script(
        "const {left, right} = document.querySelector('.wide').getBoundingClientRect(); return [left, right]"
    )
    cells = page.script(
        "return [...document.querySelectorAll('.standings tbody tr:first-child > *')].slice(0, 3).map(cell => {"
        "const {left, right} = cell.getBoundingClientRect(); return [left, right]})"
    )
    assert left <= cells[0][0]
    assert cells[2][1] <= right
    assert cells[0][0] < cells[1][0] < cells[2][0]
    page.until(lambda: page.text(".more-columns") == "← more columns on the left", "the end is not noticed")
    assert page.overflow() <= 0


def test_the_tab_key_stops_once_in_the_matrix_and_the_arrow_keys_move_there(page: Page) -> None:
    page.open("#/leaderboard")
    page.one(".matrix")
    assert len(page.all(".matrix [tabindex='0']")) == 1
    page.script("document.querySelector('.matrix [tabindex=\"0\"]').focus()")
    page.do().send_keys(Keys.ARROW_DOWN, Keys.ARROW_LEFT, Keys.ENTER).perform()
    row, column = (cell.text for cell in page.all(".matrix tbody th"))
    assert page.text(".decisive-boards h3") == f"{column} against {row}"
