"""Claims are judged by the published numbers alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from sweepstakes import RunError
from sweepstakes.leaderboards.claims import claims
from sweepstakes.leaderboards.claims.claims import FAILS, HOLDS, PARTLY, Claim, claims_page
from sweepstakes.leaderboards.claims.published import Published

FIELDS = "rows,cols,mines,density,rules,noise,source"
TURNS = [("a", "10,9,11"), ("b", "20,19,21")]


@pytest.fixture
def published(tmp_path: Path) -> Published:
    """Two agents at three densities: a is ahead at 0.1, level at 0.2 and far behind at 0.3."""
    directory = tmp_path / "board"
    directory.mkdir()
    board = [
        f"condition,{FIELDS},rank,agent,games,identified,identified_low,identified_high,turns,turns_low,turns_high"
    ]
    pairs = ["condition,first,second,difference,difference_low,difference_high"]
    times = ["condition,agent,seconds"]
    for density, a, b, low, high in (
        (0.1, 0.95, 0.90, 0.04, 0.06),
        (0.2, 0.80, 0.80, -0.01, 0.01),
        (0.3, 0.40, 0.60, -0.25, -0.15),
    ):
        label = f"8x8 with {density}"
        fields = f"8,8,{64 * density:.0f},{density},on_mine=continue first_click=any,exact-clues,uniform"
        board += [f"{label},{fields},1,a,9,{a},{a - 0.01},{a + 0.01},10,9,11"]
        board += [f"{label},{fields},2,b,9,{b},{b - 0.01},{b + 0.01},20,19,21"]
        pairs += [f"{label},b,a,{b - a},{-high},{-low}"]
        times += [f"{label},a,0.001", f"{label},b,0.002"]
    board[1:1] = [f"everything,{',' * 6},1,{agent},9,0.7,0.6,0.8,{turns}" for agent, turns in TURNS]
    (directory / "leaderboard.csv").write_text("\n".join(board) + "\n")
    (directory / "head-to-head.csv").write_text("\n".join(pairs) + "\n")
    (directory / "timings.csv").write_text("\n".join(times) + "\n")
    return Published(directory)


def test_ahead_counts_the_conditions_with_a_clear_difference(published: Published) -> None:
    measured = claims.ahead("a", "b")(published)
    assert measured.verdict == PARTLY
    assert measured.text.startswith(
        "clearly ahead under 1 of 3 conditions, behind under 1; -0.200 (8x8 with 0.3) to +0.050"
    )
    assert claims.ahead("a", "b", below=0.15)(published).verdict == HOLDS


def test_levels_are_compared_with_means(published: Published) -> None:
    assert claims.stays_above("a", 0.3)(published).verdict == HOLDS
    assert claims.stays_above("a", 0.99)(published).verdict == FAILS
    assert claims.falls_below("a", 0.5, 0.3)(published).verdict == HOLDS
    assert claims.falls_below("a", 0.5, 0.1)(published).verdict == FAILS
    assert claims.falls_below("b", 0.5, 0.3)(published).text == "b never falls below 0.5"


def test_falls_and_dips(published: Published) -> None:
    assert claims.drops(["a", "b"], (0.1, 0.2), (0.2, 0.3))(published).verdict == HOLDS
    assert claims.dips("a", 0.1, 0.2)(published).verdict == HOLDS


def test_times_turns_and_likeness(published: Published) -> None:
    assert claims.faster("a", "b")(published) == ("b takes 2.00 to 2.00 times the CPU time of a", HOLDS)
    assert claims.faster("a", "b", times=3)(published).verdict == FAILS
    assert claims.fewer("a", "b", "turns")(published).verdict == HOLDS
    assert claims.about_the_same("a", "b")(published).verdict == PARTLY


def leaderboard(directory: Path, *lines: str) -> Published:
    """A leaderboard of lines, each after its condition's label with its fields, rank, agent and a score of no width."""
    (directory / "leaderboard.csv").write_text(
        "\n".join([f"condition,{FIELDS},rank,agent,games,identified,identified_low,identified_high", *lines])
    )
    return Published(directory)


def test_a_level_is_known_by_its_size_and_a_first_click_by_the_rules(tmp_path: Path) -> None:
    rules = "on_mine=end first_click={} start=0,0"
    found = leaderboard(
        tmp_path,
        f'one,9,9,10,0.123457,"{rules.format("any")}",exact-clues,uniform,1,a,9,0.8,0.8,0.8',
        f'two,9,9,10,0.123457,"{rules.format("safe")}",exact-clues,uniform,1,a,9,0.5,0.5,0.5',
        f'beginner?,9,9,11,0.135802,"{rules.format("safe")}",exact-clues,uniform,1,a,9,0.1,0.1,0.1',
    )
    assert claims.rate("a", "beginner", 0.8, 0.02)(found) == ("first click any: 80.0 %, safe: 50.0 %", PARTLY)


def test_groups_are_known_by_the_source(tmp_path: Path) -> None:
    found = leaderboard(
        tmp_path,
        'one,8,8,10,0.15625,on_mine=end first_click=any,exact-clues,"clustered(group=4, size=2)",1,a,9,0.25,0.25,0.25',
        "not clustered,8,8,10,0.15625,on_mine=end first_click=any,exact-clues,uniform,1,a,9,0.75,0.75,0.75",
    )
    measured = claims.in_groups(["a"], "identified", more=False)(found)
    assert measured == ("identified per game: a 0.25 in groups, 0.75 scattered", HOLDS)


def test_the_only_condition_stands_for_all(tmp_path: Path, published: Published) -> None:
    assert published.overall == "everything"
    assert list(published.conditions) == ["8x8 with 0.1", "8x8 with 0.2", "8x8 with 0.3"]
    found = leaderboard(tmp_path, "one,8,8,10,0.2,on_mine=end first_click=any,exact-clues,uniform,1,a,9,0.5,0.5,0.5")
    assert found.overall == "one"
    assert found.conditions["one"] == (8, 8, 10, 0.2, "on_mine=end first_click=any", "exact-clues", "uniform")


def test_a_leaderboard_without_fields_is_to_be_published_again(tmp_path: Path) -> None:
    (tmp_path / "leaderboard.csv").write_text(
        "condition,rank,agent,games,identified,identified_low,identified_high\n8x8 at 0.1,1,a,9,0.5,0.5,0.5"
    )
    with pytest.raises(RunError, match=r"the column 'rows' has 'None'; publish the run again"):
        claims.stays_above("a", 0.3)(Published(tmp_path))
    with pytest.raises(RunError, match=r"condition 'one': the column 'cols' has ''; publish the run again"):
        claims.stays_above("a", 0.3)(leaderboard(tmp_path, "one,8,,,,,,,1,a,9,0.5,0.5,0.5"))
    with pytest.raises(RunError, match=r"leaderboard.csv: no conditions; publish the run again"):
        claims.stays_above("a", 0.3)(leaderboard(tmp_path, "all conditions,,,,,,,,1,a,9,0.5,0.5,0.5"))


def test_what_is_not_published_is_an_open_claim_or_a_clear_error(published: Published) -> None:
    there = Claim("X", "a is ahead", "board", claims.ahead("a", "b"))
    nowhere = Claim("X", "c is ahead", "nowhere", claims.ahead("c", "b"))
    page = claims_page([there, nowhere], published.directory.parent)
    assert "[board](board/README.md)" in page
    assert "not measured yet" in page
    with pytest.raises(RunError, match="'c' and 'b' have not met"):
        claims.ahead("c", "b")(published)
