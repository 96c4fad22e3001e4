"""Watch and Leaderboard, in a real browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from urllib.parse import urlencode

import pytest
from arena_page import Page
from conftest import serving
from selenium.webdriver import Keys

from sweepstakes import Registry, open_run
from sweepstakes.tournaments import run_tournament
from sweepstakes.web.agents.agent_service import AgentService
from sweepstakes.web.server.app import make_app

CONDITIONS = ("6x7/8", "5x5 at 0.1", "5x5 at 0.2")
AGENTS = ("random", "basic")


def watch(condition: int, board: int, first: int, second: int | None = None, **more: object) -> str:
    """The address of a game, with conditions and agents by their places from 1 on."""
    state: dict[str, object] = {"condition": CONDITIONS[condition - 1], "board": board, "first": AGENTS[first - 1]}
    if second is not None:
        state["second"] = AGENTS[second - 1]
    return f"#/watch?{urlencode(state | more)}"


def place(page: Page) -> str:
    return page.text(".timeline .turn-count")


def arrive(page: Page, there: str) -> None:
    page.until(lambda: place(page) == there, f"the timeline does not come to {there}")


def test_a_replay_goes_back_and_forward(page: Page) -> None:
    page.open(watch(1, 3, 2))
    page.one(".replay-panel .board")
    seen = [page.marks()]
    turns = int(place(page).split()[-1])
    for turn in range(1, turns + 1):
        page.click("[aria-label=Forward]")
        arrive(page, f"Turn {turn} of {turns}")
        seen.append(page.marks())
    assert len(set(seen)) == turns + 1
    assert "Score" in page.text(".reason")
    for turn in reversed(range(turns)):
        page.click("[aria-label=Back]")
        arrive(page, f"Turn {turn} of {turns}")
        assert page.marks() == seen[turn]


def test_each_turn_has_its_reason_and_probabilities(page: Page) -> None:
    page.open(watch(1, 3, 1))
    page.one(".replay-panel .heat")
    page.until(lambda: "exactly" in page.text(".reason"), "no probability in the reason")
    assert page.text(".reason").startswith("R Next, turn 1. Random: opens 1; exactly")
    assert page.all(".board .hint")
    page.click(".check input")
    page.until(lambda: not page.all(".replay-panel .heat"), "the probabilities stay")


def test_two_agents_play_side_by_side(page: Page) -> None:
    page.open(watch(2, 1, 1, 2))
    page.until(lambda: len(page.all(".replay-panel .board")) == 2, "no two boards")
    page.click("[aria-label='To the end']")
    assert [seat.get_attribute("aria-label") for seat in page.all(".replay-panel")] == ["random", "basic"]
    assert all(page.script("return [...document.querySelectorAll('.reason')].map(r => r.textContent)"))


def test_the_review_leads_to_the_next_mistake_and_a_click_on_its_graph_to_that_turn(page: Page) -> None:
    page.open(watch(1, 3, 1))  # `random`, which misses proofs
    page.click(".next-mistake")
    page.until(lambda: page.all(".replay-panel .label"), "no class of a decision is named")
    page.until(lambda: page.all(".cell[aria-label*='it would have been better']"), "no better cell is marked")
    turns = int(place(page).split()[-1])
    graph = page.one(".review-graph")
    page.do().move_to_element_with_offset(graph, graph.size["width"] // 2 - 2, 0).click().perform()
    arrive(page, f"Turn {turns - 1} of {turns}")


def test_a_replay_plays_by_itself(page: Page) -> None:
    page.open(watch(3, 0, 2))
    page.one(".replay-panel .board")
    page.script("document.querySelector('.timeline .speed input').value = 10")
    page.click("[aria-label=Play]")
    page.until(lambda: place(page).split()[1] == place(page).split()[-1], "it does not reach the end")


def test_a_board_can_be_played_after_it_was_watched(page: Page) -> None:
    page.open(watch(1, 3, 2))
    page.click(".watch-page a[href*='#/play']")
    page.one(".play-page .board .hint")
    assert "seed=11&number=3" in page.browser.current_url
    assert page.text(".counters").startswith("Mines left\n8")
    assert len(page.all(".play-page .board .cell")) == 42


def test_the_table_is_sorted_by_any_column(page: Page) -> None:
    page.open("#/leaderboard")

    def agents() -> list[str]:
        return [cell.text for cell in page.all(".standings tbody th")]

    page.one(".standings")
    assert agents() == ["basic", "random"]
    header = "//table[@class='standings']//button[text()='turns']"
    for expected, order in ((["basic", "random"], "ascending"), (["random", "basic"], "descending")):
        page.browser.find_element("xpath", header).click()
        assert agents() == expected
        assert page.one("th[aria-sort]").get_attribute("aria-sort") == order


def test_the_condition_chooses_the_table(page: Page) -> None:
    page.open("#/leaderboard")
    assert page.text(".standings caption") == "all conditions: 36 boards"
    page.script("const s = document.querySelector('select[name=condition]'); s.value = '5x5 at 0.1';")
    page.script("document.querySelector('select[name=condition]').dispatchEvent(new Event('change'))")
    assert page.text(".standings caption") == "5x5 at 0.1: 12 boards"


def test_a_comparison_leads_to_the_boards_that_decided_it(page: Page) -> None:
    page.open("#/leaderboard")
    page.click(".matrix td button")
    page.click(".boards a")
    page.until(lambda: len(page.all(".replay-panel .board")) == 2, "no two boards")
    assert "first=basic&second=random" in page.browser.current_url


def test_the_scores_are_drawn(page: Page) -> None:
    page.open("#/leaderboard")
    page.one(".chart")
    assert len(page.all(".chart .whisker")) == 6
    assert [line.text for line in page.all(".key li")] == ["basic", "random"]


@pytest.mark.parametrize(("width", "dark"), [(375, True), (1280, False)])
@pytest.mark.parametrize("path", ["#/play?preset=expert", "#/watch", "#/leaderboard"])
def test_no_page_is_wider_than_the_window(page: Page, path: str, width: int, dark: bool) -> None:
    page.size(width, 800, dark=dark)
    page.open(path)
    page.one(".board, .standings")
    assert page.overflow() <= 0


def test_the_keys_step_through_a_replay(page: Page) -> None:
    page.open(watch(1, 3, 2))
    page.one(".replay-panel .board")
    turns = int(place(page).split()[-1])
    for key, there in (
        (Keys.ARROW_RIGHT, 1),
        (Keys.ARROW_RIGHT, 2),
        (Keys.ARROW_LEFT, 1),
        (Keys.END, turns),
        (Keys.HOME, 0),
    ):
        page.do().send_keys(key).perform()
        arrive(page, f"Turn {there} of {turns}")
    page.script("document.querySelector('.timeline .speed input').value = 10")
    page.do().send_keys(Keys.SPACE).perform()
    arrive(page, f"Turn {turns} of {turns}")


def test_the_address_has_the_state_and_back_restores_it(page: Page) -> None:
    page.open(watch(2, 1, 1, 2, turn=2))
    page.until(lambda: len(page.all(".replay-panel .board")) == 2, "no two boards")
    page.until(lambda: place(page).startswith("Turn 2 of"), "the turn of the address is not shown")
    page.click("[aria-label='The next board']")
    page.until(lambda: "board=2" in page.browser.current_url and place(page).startswith("Turn 0"), "no other board")
    page.browser.back()
    page.until(lambda: "board=1" in page.browser.current_url and place(page).startswith("Turn 2 of"), "Back is lost")
    page.open("#/leaderboard?condition=5x5+at+0.1&sort=turns&order=down&hide=basic&first=basic&second=random")
    assert page.text(".standings caption") == "5x5 at 0.1: 12 boards"
    assert page.one("th[aria-sort]").get_attribute("aria-sort") == "descending"
    assert [cell.text for cell in page.all(".standings tbody th")] == ["random"]
    assert page.text(".decisive-boards h3") == "basic against random"
    assert not page.one(".address-notice").is_displayed()


def test_unknown_values_in_the_address_are_named(page: Page) -> None:
    page.open("#/watch?condition=6x7/9&board=99&first=nobody&colour=red")
    notice = page.text(".address-notice")
    for word in ("6x7/9", "99", "nobody", "colour"):
        assert f"“{word}”" in notice
    page.open("#/leaderboard?sort=beauty")
    assert "“beauty”" in page.text(".address-notice")
    page.open("#/nowhere")
    assert "“nowhere”" in page.text(".address-notice")


def test_agents_are_searched_and_hidden_in_all_tables(page: Page) -> None:
    page.open("#/leaderboard")
    page.one("input[type=search]").send_keys("BAS")
    page.until(lambda: [cell.text for cell in page.all(".standings tbody th")] == ["basic"], "the search finds another")
    assert [cell.text for cell in page.all(".matrix tbody th")] == ["basic"]
    assert [line.text for line in page.all(".key li")] == ["basic"]
    assert "search=BAS" in page.browser.current_url


def test_an_agent_has_a_page_with_links_back(page: Page) -> None:
    page.open("#/leaderboard")
    page.click(".standings tbody th a")
    page.until(lambda: page.text("h1") == "basic", "not the agent's page")
    assert "#/agent?name=basic" in page.browser.current_url
    assert len(page.all(".agent table")) == 2
    page.click(".against td a")
    assert page.text(".decisive-boards h3") == "basic against random"


def test_a_large_board_follows_the_turns_and_both_boards_scroll(
    chromium: Any, agent_service: AgentService, registry: Registry, tmp_path: Path
) -> None:
    data = {"games": 1, "boards": {"size": 100, "density": 0.1}, "agents": ["basic", "exact"], "moves": "all"}
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
            assert page.script(visible)
        assert page.console_errors() == []


@pytest.mark.parametrize("condition", ["all conditions", *CONDITIONS])
def test_the_boards_behind_a_number_of_the_matrix_are_as_many_as_it_says(page: Page, condition: str) -> None:
    page.open(f"#/leaderboard?{urlencode({'condition': condition})}")
    pair = page.one(".matrix tbody tr:first-child td:last-child button")
    better, worse = map(int, pair.text.split("\n")[1].split(" : "))
    assert better + worse
    pair.click()
    page.until(lambda: len(page.all(".decisive-boards h4")) == 2, "no lists")
    said = [int(head.text.split(" was better on ")[1].split()[0]) for head in page.all(".decisive-boards h4")]
    assert said == [better, worse]
    assert (
        page.script("return document.querySelector('select[name=decisive-condition]').selectedOptions[0].text")
        == condition
    )
    assert len(page.all(".decisive-boards li")) == better + worse


def test_a_deciding_board_of_all_conditions_leads_to_its_game(page: Page) -> None:
    page.open("#/leaderboard?first=basic&second=random")
    link = page.one(".decisive-boards li a")
    condition, _, board = link.text.partition(", board ")
    link.click()
    page.one(".watch-page .board")
    assert page.one("select[name=condition]").get_attribute("value") == condition
    assert page.one("input[name=board]").get_attribute("value") == board.partition(":")[0]
