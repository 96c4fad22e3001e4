"""Claims are judged by the published games alone, by intervals."""

from __future__ import annotations

import re
from contextlib import closing
from pathlib import Path

import numpy as np
import pytest
from claims import deductions, estimates, measures, uncompiled, verdicts
from claims.claim_list import SYSTEMS
from claims.claims import Claim, Judged, System, claims_page, counts, judge_claims
from claims.published import Published
from claims.verdicts import (
    ANSWER,
    FAILS,
    HOLDS,
    NOT_REPRODUCED,
    OPEN,
    PARTLY,
    UNSTATED,
    Measured,
    Truth,
)
from scipy.stats import binomtest

from sweepstakes import RunError
from sweepstakes.leaderboards.publish import publish
from sweepstakes.standings import ConditionFields, Interval
from sweepstakes.tournaments import run_tournament
from sweepstakes.tournaments.stored_run import open_run

ROOT = Path(__file__).parents[2]


class Numbers(Published):
    """Numbers of single games by agent, condition and score, in place of those of files."""

    def __init__(self, values: dict[tuple[str, str, str], list[float]], conditions: dict[str, ConditionFields]) -> None:
        super().__init__(Path("numbers"))
        self.__dict__["conditions"] = conditions
        self.__dict__["ranking_score"] = "identified"
        self.numbers = values
        self.times: dict[tuple[str, str], Interval] = {}

    def values(self, agent: str, condition: str, name: str = "") -> estimates.Values:
        """The numbers."""
        return np.array(self.numbers[agent, condition, name or "identified"])

    def seconds(self, agent: str, condition: str) -> Interval:
        """The times."""
        return self.times[agent, condition]


def fields(density: float = 0.1, source: str = "uniform") -> ConditionFields:
    return ConditionFields(8, 8, round(64 * density), density, "first_click=any", "exact-clues", source)


def around(mean: float, spread: float = 0.02) -> list[float]:
    return [mean + spread * (-1) ** i for i in range(50)]


@pytest.fixture
def numbers() -> Numbers:
    """Two agents at three densities: a is ahead at 0.1, level at 0.2 and far behind at 0.3."""
    values = {}
    for density, a, b in ((0.1, 0.95, 0.90), (0.2, 0.8, 0.8), (0.3, 0.40, 0.60)):
        values["a", f"at {density}", "identified"] = around(a)
        values["b", f"at {density}", "identified"] = around(b, 0.05)
        values["a", f"at {density}", "turns"] = around(10, 3)
        values["b", f"at {density}", "turns"] = around(10.5, 3)
    found = Numbers(values, {f"at {density}": fields(density) for density in (0.1, 0.2, 0.3)})
    for label in found.conditions:
        found.times["a", label], found.times["b", label] = Interval(1.0, 0.9, 1.1), Interval(2.0, 1.9, 2.1)
    return found


@pytest.mark.parametrize(
    ("truths", "verdict"),
    [
        ([True, True], HOLDS),
        ([True, None], HOLDS),
        ([True, False], PARTLY),
        ([True, False, None], PARTLY),
        ([False, None], FAILS),
        ([False, False], FAILS),
        ([None, None], OPEN),
        ([], OPEN),
    ],
)
def test_undecided_conditions_count_neither_for_a_claim_nor_against_it(truths: list[Truth], verdict: str) -> None:
    assert verdicts.verdict_of(truths) == verdict
    assert verdicts.verdict_of(reversed(truths)) == verdict


def test_the_conditions_that_are_false_or_undecided_are_named() -> None:
    truths: dict[str, Truth] = {"0.1": None, "0.2": True, "0.3": True, "0.4": True}
    assert verdicts.judged("x", truths).exceptions == "undecided: 0.1"
    assert verdicts.judged("x", truths | {"0.2": False}).exceptions == "false: 0.2; undecided: 0.1"
    assert verdicts.judged("x", dict.fromkeys(truths, False) | {"0.1": True}).exceptions == "false: 0.2 to 0.4"
    assert verdicts.judged("x", {"a": False, "b": None}).exceptions == "undecided: b"
    assert verdicts.judged("x", {"a": None, "b": None}).exceptions == ""


def test_an_observation_of_another_program_is_not_reproduced_rather_than_false() -> None:
    def seen(*truths: Truth) -> Measured:
        found = verdicts.judged("x", {str(i): truth for i, truth in enumerate(truths)})
        return verdicts.reproduced(lambda _: found)(Published(Path("nothing")))

    assert seen(False, None) == Measured("x", NOT_REPRODUCED)
    assert seen(None).verdict == NOT_REPRODUCED
    assert seen(True, None).verdict == HOLDS
    assert seen(True, False).verdict == PARTLY


def test_agents_are_compared_on_the_same_boards(numbers: Numbers) -> None:
    measured = measures.ahead("a", "b")(numbers)
    assert measured.verdict == PARTLY
    assert measured.exceptions == "false: 0.3; undecided: 0.2"
    assert measured.numbers.endswith("; ahead at 1 of 3")
    assert "ahead at 1 of 3, behind at 1, undecided at 1; from -0.200" in measured.details[0]
    assert measures.ahead("a", "b", where=measures.densities(0.1, 0.1))(numbers).verdict == HOLDS
    fewer = measures.ahead("a", "b", "turns", fewer=True)(numbers)  # 3 up and down on every board, but always by 0.5
    assert fewer.verdict == HOLDS
    assert fewer.details[0].startswith("turns, a minus b: -0.500 [-0.500, -0.500]")


def test_likeness_is_judged_by_the_interval(numbers: Numbers) -> None:
    measured = measures.about_the_same("a", "b")(numbers)
    assert (measured.verdict, measured.exceptions) == (PARTLY, "false: 0.1, 0.3")
    same = measures.about_the_same("a", "a")(numbers)
    assert (same.verdict, same.numbers) == (HOLDS, "equal on every board")
    numbers.numbers["b", "at 0.2", "identified"] = around(0.8, 0.5)  # too wide to say whether they are within 0.02
    assert measures.about_the_same("a", "b")(numbers).exceptions == "undecided: 0.2"


def test_levels_are_compared_with_intervals(numbers: Numbers) -> None:
    assert measures.stays("a", 0.3)(numbers).verdict == HOLDS
    assert measures.stays("a", 0.99)(numbers).verdict == FAILS
    assert measures.stays("a", 0.9)(numbers).verdict == PARTLY
    assert measures.crosses("a", 0.5, 0.3)(numbers).verdict == HOLDS
    assert measures.crosses("a", 0.5, 0.25)(numbers).verdict == HOLDS  # between two measured densities
    assert measures.crosses("a", 0.5, 0.1)(numbers).verdict == FAILS
    assert measures.crosses("b", 0.5, 0.3)(numbers).numbers == "b never falls below 0.5"


def test_falls_between_densities(numbers: Numbers) -> None:
    assert measures.steeper(["a", "b"], (0.1, 0.2), (0.2, 0.3))(numbers).verdict == HOLDS
    assert measures.falls("a", 0.1, 0.2)(numbers).verdict == HOLDS
    assert measures.falls("a", 0.2, 0.2)(numbers).verdict == OPEN


def test_times_are_ratios_with_intervals(numbers: Numbers) -> None:
    slower = measures.slower("b", "a")(numbers)
    assert slower.verdict == HOLDS
    assert slower.numbers.startswith("time x 2.00 [1.79, 2.24] at 0.1")
    assert measures.slower("a", "b")(numbers).verdict == FAILS


def test_deductions_are_compared_in_the_positions_of_the_reference_game() -> None:
    values = {("reference", "one", "stuck"): [4.0, 6.0], ("reference", "one", "stuck-provable"): [2.0, 3.0]}
    values |= {("reference", "one", "pairs-prove"): [2.0, 2.0], ("a", "one", "stuck-proven"): [9.0, 9.0]}
    for agent, proven in (("a", [8.0, 9.0]), ("basic", [5.0, 5.0])):
        values |= {(agent, "one", "provable-cells"): [10.0, 10.0], (agent, "one", "proven-cells"): proven}
    found = Numbers(values, {"one": fields()})
    solved = deductions.solves("a", "pairs-prove", lambda share: share.mean > 0.5)(found)
    assert solved.verdict == HOLDS
    assert solved.numbers.startswith("80.0 [")
    assert "a proves in time 85.00 [" in solved.details[1]
    out = deductions.works_out({"a": "pairs-prove"})(found)
    assert out.verdict == ANSWER
    assert out.numbers.startswith("40.0 [")
    assert "basic proves in time 50.00 [" in out.details[1]


def test_times_without_the_compiler_are_compared_on_the_same_boards(
    numbers: Numbers, monkeypatch: pytest.MonkeyPatch
) -> None:
    times = [
        uncompiled.Uncompiled("board", 8, density, agent, board, seconds * (1 + board))
        for density, factor in ((0.1, 2.0), (0.2, 0.5))
        for board in range(4)
        for agent, seconds in (("a", factor), ("b", 1.0))
    ]
    monkeypatch.setattr(uncompiled, "read", lambda: [*times, times[0]._replace(leaderboard="other", seconds=99.0)])
    measured = measures.slower_uncompiled("board", "a", "b")(numbers)
    assert (measured.verdict, measured.exceptions) == (PARTLY, "false: 0.2")
    assert measured.numbers == "uncompiled: time x 0.50 [0.50, 0.50] at 0.2 to 2.00 [2.00, 2.00] at 0.1"
    assert "5000.0 and 2500.0 at 0.1" in measured.details[1]
    assert measured.details[2].startswith("compiled: 0.50 [")


def test_the_times_without_the_compiler_are_those_of_every_case() -> None:
    found = {(time.leaderboard, time.side, time.density, time.agent) for time in uncompiled.read()}
    assert found == {
        (leaderboard, side, density, agent)
        for leaderboard, (agents, boards) in uncompiled.CASES.items()
        for side, density in boards
        for agent in agents
    }
    assert len(uncompiled.read()) == uncompiled.BOARDS * len(found)


def test_a_win_rate_that_none_of_our_starts_has_is_not_reproduced() -> None:
    won = {"any": 20, "safe": 60}
    found = Numbers(
        {("a", rule, "identified"): [1.0] * n + [0.0] * (100 - n) for rule, n in won.items()},
        {rule: ConditionFields(9, 9, 10, 0.12, f"on_mine=end first_click={rule}", "", "uniform") for rule in won},
    )
    assert measures.win_rate("a", "beginner", 0.2)(found).verdict == HOLDS
    between, higher = (measures.win_rate("a", "beginner", claimed)(found) for claimed in (0.4, 0.9))
    assert between.verdict == higher.verdict == NOT_REPRODUCED
    assert "the claim is between two of them" in between.details[0]
    assert "between" not in higher.details[0]


def test_groups_are_known_by_the_source() -> None:
    found = Numbers(
        {("a", "one", "x"): around(2.0), ("a", "two", "x"): around(1.0), ("a", "three", "x"): around(1.5)},
        {
            "one": fields(source="clustered(group=4)"),
            "two": fields(),
            "three": fields(source="clustered(group=2)"),
        },
    )
    measured = measures.in_groups(["a"], "x", more=True)(found)
    assert measured.verdict == HOLDS
    assert measured.numbers == "+1.00 [+0.99, +1.01] in groups of 4 (a)"
    assert measures.in_groups(["a"], "x", more=False)(found).verdict == FAILS


def test_a_peak_is_compared_with_every_density_outside_of_its_range() -> None:
    values = {0.1: 5.0, 0.2: 8.0, 0.3: 8.001, 0.4: 6.0}
    found = Numbers(
        {("a", f"{d}", "x"): around(mean, 0.5) for d, mean in values.items()},
        {f"{d}": fields(d) for d in values},
    )
    measured = measures.peaks("a", "x", 0.2, 0.2)(found)
    assert (measured.verdict, measured.exceptions) == (HOLDS, "undecided: 0.3 on 8x8")
    assert measured.numbers == "highest: 8.0 [7.9, 8.1] at 0.3 on 8x8"
    assert measures.peaks("a", "x", 0.1, 0.1)(found).verdict == FAILS


def test_a_range_of_whole_numbers_holds_if_the_mean_rounds_into_it() -> None:
    found = Numbers({("a", "c", "x"): around(2.9), ("a", "c", "y"): around(7.0)}, {"c": fields()})
    scores = {"x": "clues", "y": "most"}
    assert measures.rounds_to("a", scores, 3, 4, measures.everywhere, "x")(found).verdict == HOLDS
    assert measures.rounds_to("a", scores, 3, 4, measures.everywhere, "y")(found).verdict == FAILS


def test_numbers_go_together_within_conditions_only() -> None:
    rng = np.random.default_rng(1)
    values = {}
    for i, label in enumerate(("one", "two")):
        x = rng.normal(size=200) + 10 * i  # between conditions both grow; within them one falls as the other grows
        values["a", label, "x"] = x.tolist()
        values["a", label, "y"] = (10 * i - x + rng.normal(size=200) + 20 * i).tolist()
        values["a", label, "z"] = rng.normal(size=200).tolist()
    found = Numbers(values, {"one": fields(), "two": fields(0.2)})
    assert measures.go_together([("a", "x", "y")], measures.everywhere, "-")(found).verdict == HOLDS
    assert measures.go_together([("a", "x", "y")], measures.everywhere, "+")(found).verdict == FAILS
    assert measures.go_together([("a", "x", "z")], measures.everywhere, "+")(found).verdict == OPEN
    assert measures.go_together([("a", "x", "z")], measures.everywhere, "?")(found).verdict == UNSTATED


def test_a_share_is_of_the_sums_and_has_an_interval() -> None:
    share = estimates.ratio(np.array([1.0, 2.0, 3.0, 2.0]), np.array([2.0, 4.0, 6.0, 4.0]))
    assert share == pytest.approx((0.5, 0.5, 0.5))
    wide = estimates.ratio(np.array([0.0, 4.0]), np.array([2.0, 2.0]))
    assert wide.mean == 1.0
    assert wide.low < 0 < 2 < wide.high


def test_a_share_of_none_or_all_has_the_exact_interval() -> None:
    positions = np.array([3.0, 0.0, 6.0, 2.0])  # 11 positions in four games, all of them solved
    assert estimates.ratio(positions, positions) == pytest.approx((1, 0.7151, 1), abs=1e-4)
    assert estimates.ratio(np.zeros(4), positions) == pytest.approx((0, 0, 0.2849), abs=1e-4)
    for n in (1, 11, 400):
        low = estimates.none_or_all(1.0, n).low
        assert (low, 1.0) == pytest.approx(tuple(binomtest(n, n).proportion_ci(method="exact")))
    assert estimates.ratio(np.zeros(3), np.zeros(3)) == (0, 0, 1)
    assert all(estimates.none_or_all(1.0, n).low < 1 for n in (1, 10**6))


def test_growth_is_an_exponent() -> None:
    points = [(float(n), Interval(2.0 * n**3, 1.9 * n**3, 2.1 * n**3)) for n in (10, 20, 40)]
    power = estimates.slope(points)
    assert power.mean == pytest.approx(3.0)
    assert power.low < 3.0 < power.high


def test_a_combination_weighs_independent_samples() -> None:
    a, b = np.array(around(1.0, 0.1)), np.array(around(0.25, 0.1))
    found = estimates.combination([(1, a), (-2, b)])
    assert found.mean == pytest.approx(0.5)
    assert found.high - found.mean == pytest.approx(1.959964 * (a.var(ddof=1) / 50 * 5) ** 0.5)


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with one small publication, `board`."""
    folder = tmp_path_factory.mktemp("library")
    data = {
        "name": "board",
        "games": 6,
        "boards": {"size": 6, "density": [0.1, 0.2]},
        "agents": ["basic", "chain"],
        "scores": ["identified", "guesses", "stuck"],
        "executor": "serial",
    }
    run_tournament(data, out=folder / "run")
    with closing(open_run(folder / "run")) as run:
        publish(run, folder / "board", with_plots=False)
    return folder


def test_single_games_are_those_of_the_publication(library: Path) -> None:
    published = Published(library / "board")
    label = published.at(0.2)
    for score in ("identified", "guesses", "stuck"):
        values = published.values("chain", label, score)
        assert len(values) == 6
        assert values.mean() == pytest.approx(published.score("chain", label, score).mean, abs=1e-6)
    flags = published.values("basic", label, "right_flags")
    assert (flags == flags.astype(int)).all()
    assert published.seconds("chain", label).mean > 0
    with pytest.raises(RunError, match="no score 'stuk'"):
        published.values("chain", label, "stuk")
    with pytest.raises(RunError, match="no games of 'nobody'"):
        published.values("nobody", label)
    with pytest.raises(RunError, match=r"0 conditions have the density 0\.9"):
        published.at(0.9)


def test_what_is_not_published_is_an_open_claim(library: Path) -> None:
    there = Claim("1", "chain is ahead", "board", measures.ahead("chain", "basic"))
    nowhere = Claim("2", "it is so | elsewhere", "nowhere", measures.ahead("chain", "basic"))
    live = Claim("3", "one is one", "", lambda _: Measured("1 = 1", HOLDS), "true")
    judged = judge_claims([System("A", "a method", [there, nowhere, live])], library)
    page = claims_page(judged)
    cells = [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in page.splitlines() if "|" in line]
    rows = {row[0]: row[1:] for row in cells if len(row) == 6}
    assert rows["A1"][-1] == "[board](../leaderboards/published/board/README.md)"
    assert rows["A2"][:4] == ["2", "it is so \\| elsewhere", "not measured yet", "**open**"]
    assert rows["A3"] == ["3", "one is one", "1 = 1", "**holds**", "see below"]
    assert ["A3", "repeat: `true`"] in cells
    assert "(sources.md#a)" in page
    assert counts(judged[2:]) == "1 **holds**"


def test_a_leaderboard_without_fields_is_to_be_published_again(tmp_path: Path) -> None:
    (tmp_path / "leaderboard.csv").write_text(
        "condition,rank,agent,games,identified,identified_low,identified_high\n8x8 at 0.1,1,a,9,0.5,0.5,0.5"
    )
    with pytest.raises(RunError, match=r"the column 'rows' has 'None'; publish the run again"):
        _ = Published(tmp_path).conditions
    head = "condition,rows,cols,mines,density,rules,noise,source,rank,agent,games,identified"
    (tmp_path / "leaderboard.csv").write_text(f"{head}\none,8,,,,,,,1,a,9,0.5\n")
    with pytest.raises(RunError, match=r"condition 'one': the column 'cols' has ''; publish the run again"):
        _ = Published(tmp_path).conditions
    (tmp_path / "leaderboard.csv").write_text(f"{head}\nall conditions,,,,,,,,1,a,9,0.5\n")
    with pytest.raises(RunError, match=r"leaderboard.csv: no conditions; publish the run again"):
        _ = Published(tmp_path).conditions


@pytest.fixture(scope="module")
def judged() -> list[Judged]:
    """The claims of the reports with their measurements in the published leaderboards."""
    return judge_claims(SYSTEMS, ROOT / "leaderboards" / "published")


def test_the_summary_of_each_report_agrees_with_its_verdicts(judged: list[Judged]) -> None:
    fitting = {
        "held": {HOLDS},
        "in part or open": {PARTLY, OPEN, UNSTATED},
        "did not hold": {FAILS, NOT_REPRODUCED},
    }
    verdict = {j.name: j.measured.verdict for j in judged if j.measured is not None}
    for system in SYSTEMS:
        own = {name for name in verdict if name.startswith(system.letter)}
        for what, text in system.summary.items():
            named = set(re.findall(r"\b[A-E]\d+\b", text))
            fit = {name for name in own if verdict[name] in fitting[what]}
            assert named <= fit, f"{system.letter}, {what}: {named - fit}"
            assert what == "held" or named == fit, f"{system.letter}, {what}: {fit - named} not named"


def test_the_first_page_counts_the_verdicts_of_all_reports(judged: list[Judged]) -> None:
    words = {
        HOLDS: "hold",
        PARTLY: "hold in part",
        FAILS: "do not hold",
        NOT_REPRODUCED: "were not reproduced",
        OPEN: "is undecided",
    }
    page = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    found = [j.measured.verdict for j in judged if j.measured is not None]
    for verdict, said in words.items():
        assert f" {found.count(verdict)} {said}" in page, said


def test_claims_have_short_cells_and_the_page_says_whose_agents_are_measured(judged: list[Judged]) -> None:
    for j in judged:
        assert j.measured is not None
        assert len(j.measured.numbers) <= 120, j.name
        assert len(j.claim.claim) <= 120, j.name
        assert (j.measured.verdict == ANSWER) == ("question:" in j.claim.claim), j.name
    page = claims_page(judged)
    assert "The measured agents are our readings of the reports' texts" in page.partition("## Summary")[0]
    assert page.index("## Summary") < page.index("## A: ")
    assert "100.0 [100.0, 100.0]" not in page


def test_every_system_has_claims_of_its_own() -> None:
    assert [system.letter for system in SYSTEMS] == ["A", "B", "C", "D", "E"]
    for system in SYSTEMS:
        assert len(system.claims) > 10
        lines = [(claim.section, claim.claim, claim.leaderboard) for claim in system.claims]
        assert len(set(lines)) == len(lines)
        assert all(claim.leaderboard or claim.command for claim in system.claims)
