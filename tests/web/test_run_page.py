"""Watch and Leaderboard, in a real browser."""

from __future__ import annotations

import time

import pytest
from arena_page import Page


def place(page: Page) -> str:
    return page.text(".timeline .turn-count")


def arrive(page: Page, there: str) -> None:
    page.until(lambda: place(page) == there, f"the timeline does not come to {there}")


def test_a_replay_goes_back_and_forward(page: Page) -> None:
    page.open("#/watch?condition=1&board=3&first=2")
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
    page.open("#/watch?condition=1&board=3&first=1")
    page.one(".replay-panel .heat")
    page.until(lambda: "exactly" in page.text(".reason"), "no probability in the reason")
    assert page.text(".reason").startswith("R Next, turn 1. Random: opens 1; exactly")
    assert page.all(".board .hint")
    page.click(".check input")
    page.until(lambda: not page.all(".replay-panel .heat"), "the probabilities stay")


def test_two_agents_play_side_by_side(page: Page) -> None:
    page.open("#/watch?condition=2&board=1&first=1&second=2")
    page.until(lambda: len(page.all(".replay-panel .board")) == 2, "no two boards")
    page.click("[aria-label='To the end']")
    assert [seat.get_attribute("aria-label") for seat in page.all(".replay-panel")] == ["random", "basic"]
    assert all(page.script("return [...document.querySelectorAll('.reason')].map(r => r.textContent)"))


def test_the_review_leads_to_the_next_mistake_and_a_click_on_its_graph_to_that_turn(page: Page) -> None:
    page.open("#/watch?condition=1&board=3&first=1")  # `random`, which misses proofs
    page.click(".next-mistake")
    page.until(lambda: page.all(".replay-panel .label"), "no class of a decision is named")
    page.until(lambda: page.all(".cell[aria-label*='it would have been better']"), "no better cell is marked")
    turns = int(place(page).split()[-1])
    graph = page.one(".review-graph")
    page.do().move_to_element_with_offset(graph, graph.size["width"] // 2 - 2, 0).click().perform()
    arrive(page, f"Turn {turns - 1} of {turns}")


def test_a_replay_plays_by_itself(page: Page) -> None:
    page.open("#/watch?condition=3&board=0&first=2")
    page.one(".replay-panel .board")
    page.script("document.querySelector('.timeline .speed input').value = 10")
    page.click("[aria-label=Play]")
    page.until(lambda: place(page).split()[1] == place(page).split()[-1], "it does not reach the end")


def test_a_board_can_be_played_after_it_was_watched(page: Page) -> None:
    page.open("#/watch?condition=1&board=3&first=2")
    page.click(".watch-page a[href*='#/play']")
    page.one(".play-page .board .hint")
    assert page.script("return document.querySelector('.counters').textContent").endswith("11 / 3")


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
    page.script("const s = document.querySelector('select[name=condition]'); s.value = '2';")
    page.script("document.querySelector('select[name=condition]').dispatchEvent(new Event('change'))")
    assert page.text(".standings caption") == "5x5 at 0.1: 12 boards"


def test_a_comparison_leads_to_the_boards_that_decided_it(page: Page) -> None:
    page.open("#/leaderboard")
    page.click(".matrix td button")
    page.click(".boards a")
    page.until(lambda: len(page.all(".replay-panel .board")) == 2, "no two boards")
    assert "first=2" in page.browser.current_url


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


def test_the_page_of_100_000_games_opens_in_two_seconds(page: Page, large_address: str) -> None:
    page.address = large_address
    begun = time.monotonic()
    page.open("#/leaderboard")
    page.one(".standings tbody tr")
    assert time.monotonic() - begun < 2
