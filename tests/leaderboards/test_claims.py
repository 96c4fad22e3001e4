"""Claims are judged by the published numbers alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from sweepstakes import RunError
from sweepstakes.leaderboards import claims
from sweepstakes.leaderboards.claims import FAILS, HOLDS, PARTLY, Claim, claims_page
from sweepstakes.leaderboards.published import Published


@pytest.fixture
def published(tmp_path: Path) -> Published:
    """Two agents at three densities: a is ahead at 0.1, level at 0.2 and far behind at 0.3."""
    directory = tmp_path / "board"
    directory.mkdir()
    board = ["condition,rank,agent,score,score_low,score_high,turns,turns_low,turns_high"]
    pairs = ["condition,first,second,difference,difference_low,difference_high"]
    times = ["condition,agent,seconds"]
    for label, a, b, low, high in (
        ("8x8 at 0.1", 0.95, 0.90, 0.04, 0.06),
        ("8x8 at 0.2", 0.80, 0.80, -0.01, 0.01),
        ("8x8 at 0.3", 0.40, 0.60, -0.25, -0.15),
    ):
        board += [f"{label},1,a,{a},{a - 0.01},{a + 0.01},10,9,11", f"{label},2,b,{b},{b - 0.01},{b + 0.01},20,19,21"]
        pairs += [f"{label},b,a,{b - a},{-high},{-low}"]
        times += [f"{label},a,0.001", f"{label},b,0.002"]
    board[1:1] = ["all conditions,1,a,0.7,0.6,0.8,10,9,11", "all conditions,1,b,0.7,0.6,0.8,20,19,21"]
    (directory / "leaderboard.csv").write_text("\n".join(board) + "\n")
    (directory / "head-to-head.csv").write_text("\n".join(pairs) + "\n")
    (directory / "timings.csv").write_text("\n".join(times) + "\n")
    return Published(directory)


def test_ahead_counts_the_conditions_with_a_clear_difference(published: Published) -> None:
    measured = claims.ahead("a", "b")(published)
    assert measured.verdict == PARTLY
    assert measured.text.startswith(
        "clearly ahead under 1 of 3 conditions, behind under 1; -0.200 (8x8 at 0.3) to +0.050"
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


def test_what_is_not_published_is_an_open_claim_or_a_clear_error(published: Published) -> None:
    there = Claim("X", "a is ahead", "board", claims.ahead("a", "b"))
    nowhere = Claim("X", "c is ahead", "nowhere", claims.ahead("c", "b"))
    page = claims_page([there, nowhere], published.directory.parent)
    assert "[board](board/README.md)" in page
    assert "not measured yet" in page
    with pytest.raises(RunError, match="'c' and 'b' have not met"):
        claims.ahead("c", "b")(published)
