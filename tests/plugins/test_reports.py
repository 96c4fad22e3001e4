"""The reports: what they say, how wide they are, and that nobody's name can break them."""

from __future__ import annotations

import csv
import io
import json
import math
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest

from sweepstakes import Registry
from sweepstakes.plugins.reports.markdown import Markdown
from sweepstakes.standings import (
    ConditionFields,
    FaultLine,
    HeadToHead,
    Interval,
    ScoreColumn,
    Standing,
    Standings,
    Table,
    Timing,
)
from sweepstakes.tables import (
    boards_to_separate,
    common_words,
    condition_names,
    conditions_caption,
    conditions_grids,
    estimate,
    on_ties,
    rounded,
    short_names,
)

NASTY = "a|b_{50%}&<i>$#~^\\"
AGENTS = ["improved-probabilistic", "local-probability", NASTY, "random"]
SCORES = (
    ScoreColumn("identified", True, False),
    ScoreColumn("win", True, True, place=-3),
    ScoreColumn("safe-opened", True, False, place=3),
    ScoreColumn("detonated", False, False, place=2),
    ScoreColumn("turns", False, False, place=4),
    ScoreColumn("guesses", False, False, place=1),
)

WITHOUT_FIELDS = Path(__file__).parent / "reports"
"""What reports say of `small`, but for the fields of its conditions."""
FIELDS = ["rows", "cols", "mines", "density", "rules", "noise", "source"]


def table(condition: str) -> Table:
    lines = [
        Standing(
            1 + i,
            agent,
            100,
            (
                Interval(0.9 - i / 10, 0.88 - i / 10, 0.92 - i / 10),
                Interval(0.384, 0.379, 0.389),
                Interval(1.0, 1.0, 1.0),
                Interval(8.0 + i, 7.0 + i, 9.0 + i),
                Interval(120.5, 119.5, 121.5),
                Interval(22.8, 21.8, 23.8),
            ),
            Interval(-79.0 * i, -90.0 * i, -60.0 * i),
            i,
            0,
        )
        for i, agent in enumerate(AGENTS)
    ]
    pairs = [
        HeadToHead(a, b, 60, 20, 20, Interval(0.1, 0.05, 0.15), 0.001, 0.001)
        for i, a in enumerate(AGENTS)
        for b in AGENTS[i + 1 :]
    ]
    return Table(condition, 100, tuple(lines), tuple(pairs), ())


def standings(conditions: int = 12) -> Standings:
    labels = [f"30x30 at {0.05 * i:.2f}" for i in range(1, conditions + 1)]
    tables = [table("all conditions"), *map(table, labels)] if conditions > 1 else [table(labels[0])]
    return Standings("test_50%", SCORES, tuple(tables), "100 boards & more. " * 10)


def report_text(report: str, made: Standings) -> str:
    return str(Registry.default().make("report", report).text(made))


def small() -> Standings:
    score = Interval(0.5, 0.25, 0.75)
    line = Standing(1, "a", 4, (score,), Interval(1.0, -2.0, 3.0), 0, 0)
    pair = HeadToHead("a", "b", 2, 1, 1, score, 0.5, 0.25)
    timing = Timing("a", 4, Interval(0.001, 0.0005, 0.002), 0.001, 0.003, 0.004, 0.005)
    tables = [
        Table(label, 4, (line,), (pair,), (timing,), fields)
        for label, fields in (
            ("all conditions", None),
            ("8x8/10", ConditionFields(8, 8, 10, 0.15625, "on_mine=end first_click=any", "exact-clues", "uniform")),
            (
                "8x8 at 0.2, x(a=1, b=2)",
                ConditionFields(8, 8, 13, 0.2, "on_mine=end first_click=any", "exact-clues", "x(a=1, b=2)"),
            ),
        )
    ]
    return Standings("small", (ScoreColumn("win", True, True),), tuple(tables), "4 boards.")


def text(report: str, given: Standings | None = None) -> str:
    made: str = Registry.default().make("report", report).text(given or standings())
    return made


@pytest.mark.parametrize("report", ["markdown", "csv", "json", "latex", "html", "head-to-head", "timings"])
def test_every_report_is_there_and_the_same_each_time(report: str) -> None:
    assert text(report) == text(report)
    assert text(report).endswith("\n")


def test_markdown_stays_within_110_characters() -> None:
    assert max(map(len, text("markdown").splitlines())) <= 110


def test_markdown_shows_the_main_columns_in_order() -> None:
    head = next(line for line in text("markdown").splitlines() if line.startswith("| rank"))
    columns = [cell.strip() for cell in head.strip("|").split("|")]
    assert columns == ["rank", "agent", "identified", "win %", "rating", "guesses", "detonated", "turns", "faults"]


def test_markdown_with_many_conditions_is_no_wall_of_tables() -> None:
    made = text("markdown")
    assert made.count("| rank") == 1
    assert "30x30 at ..." in made
    assert "| 0.05      |" in made, "a line for each condition, since there are more of them than agents"


def test_a_line_is_an_agent_where_there_are_no_more_conditions_than_agents() -> None:
    few, many = (next(iter(conditions_grids(standings(count), None))) for count in (2, 12))
    assert few.heads == ["agent", "0.05", "0.10"]
    assert many.heads[1:] == [line[0] for line in few.lines]
    assert [line[1:3] for line in few.lines] == [
        [line[i] for line in many.lines[:2]] for i in range(1, len(many.heads))
    ]


def test_no_interval_is_shown_where_nothing_is_known_of_its_width_and_no_zero_has_a_sign() -> None:
    column = ScoreColumn("identified", True, False)
    assert estimate(Interval(0.0, 0.0, 0.0), column, 3) == "0.000"
    assert estimate(Interval(0.5, 0.49999, 0.50001), column, 3) == "0.500 ± 0.001"
    assert estimate(Interval(-0.0001, -0.1001, 0.0999), column, 3) == "0.000 ± 0.100"
    assert rounded(-0.3, 0) == "0"


def test_every_column_and_the_rank_are_explained_below_the_table() -> None:
    made = small()._replace(scores=(ScoreColumn("win", True, True, "Every safe cell is open."),))
    lines = Markdown().legend(made).splitlines()
    assert [line.split(":")[0] for line in lines if line.startswith("- ")] == [
        "- rank",
        "- win %",
        "- rating",
        "- faults",
    ]
    assert "- win %: every safe cell is open." in lines


def test_the_boards_that_would_separate_a_tie_are_those_after_which_the_test_finds_it() -> None:
    pair = HeadToHead("a", "b", 30, 50, 20, Interval(0.1, -0.04, 0.24), 0.2, 0.2)
    boards = boards_to_separate(pair, 100, 1)
    assert boards is not None
    assert math.isclose(boards, 100 * (0.14 / 0.1) ** 2, rel_tol=0.05)
    assert (boards_to_separate(pair, 100, 10) or 0) > 1.5 * boards, "among ten pairs more is needed"
    assert boards_to_separate(pair._replace(difference=Interval(0.0, -0.1, 0.1)), 100, 1) is None
    line = Standing(1, "a", 100, (), Interval(0, 0, 0), 0, 0)
    tied = Table("x", 100, (line, line._replace(agent="b")), (pair,), ())
    assert list(on_ties(tied)) == ["a and b share rank 1: about 200 boards would separate them (100 were played)."]
    assert list(on_ties(tied._replace(standings=(line, line._replace(agent="b", rank=2))))) == []


def test_faults_stand_below_the_table_with_the_command_that_shows_the_game() -> None:
    fault = FaultLine("a|b", "time-out", 1200, "agent 'a|b' took more than 1 s for a turn in game 3", "a|b/1/3")
    made = small()._replace(faults=(fault,), place="runs/other")
    assert "a\\|b: time-out in 1,200 games, the first being" in report_text("markdown", made)
    for report in ("markdown", "html"):
        assert "took more than 1 s for a turn in game 3" in report_text(report, made)
        assert "sweepstakes replay runs/other" in report_text(report, made)
    assert json.loads(report_text("json", made))["faults"][0]["games"] == 1200
    assert "faults" not in json.loads(report_text("json", small()))
    assert small().show_command("a/1/2") == "sweepstakes replay runs/small a/1/2"


def test_markdown_escapes_bars_in_names() -> None:
    line = next(line for line in text("markdown").splitlines() if "a\\|b" in line)
    assert len(re.split(r"(?<!\\)\|", line.strip("|"))) == 9


def test_latex_escapes_everything_that_tex_would_read() -> None:
    made = text("latex")
    assert r"a\textbar{}b\_\{50\%\}\&\textless{}i\textgreater{}\$\#\textasciitilde{}\textasciicircum{}" in made
    assert r"\caption{test\_50\%: all conditions." in made
    body = made[made.index(r"\midrule") : made.index(r"\bottomrule")]
    assert all(len(re.findall(r"(?<!\\)&", line)) == 8 for line in body.splitlines()[1:-1])
    assert made.count(r"\begin{table}") == made.count(r"\end{table}") > 1


def test_latex_writes_a_minus_and_not_a_hyphen() -> None:
    assert "& $-$79 &" in text("latex")


class _Page(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.outside: list[str] = []
        self.tables = self.captions = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag != "meta":
            self.open.append(tag)
        self.tables += tag == "table"
        self.captions += tag == "caption"
        self.outside += [str(value) for key, value in attrs if key in ("src", "href")]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_html_is_one_well_formed_page_without_other_hosts() -> None:
    page, made = _Page(), text("html")
    page.feed(made)
    assert page.open == []
    assert page.outside == []
    assert "http" not in made.replace("http-equiv", "").replace("xmlns='http://www.w3.org/2000/svg'", "")
    assert "<i>" not in made
    assert page.tables == page.captions == 15
    assert 'lang="en"' in made
    assert "prefers-color-scheme: dark" in made


def test_csv_has_every_score_with_its_interval() -> None:
    lines = list(csv.DictReader(io.StringIO(text("csv"))))
    assert len(lines) == 13 * 4
    assert lines[2]["agent"] == NASTY
    assert (lines[0]["win_low"], lines[0]["guesses_high"]) == ("0.379000", "23.800000")


def test_json_says_what_the_csv_says() -> None:
    data = json.loads(text("json"))
    assert data["tables"][0]["standings"][0]["scores"]["win"]["mean"] == 0.384
    assert data["tables"][0]["pairs"][0]["better"] == 60


CSV_FILES = {"csv": "leaderboard.csv", "head-to-head": "head-to-head.csv", "timings": "timings.csv"}


@pytest.mark.parametrize("report", CSV_FILES)
def test_csv_files_have_the_fields_of_a_condition_right_after_its_label(report: str) -> None:
    head, *lines = csv.reader(io.StringIO(text(report, small())))
    assert head[:8] == ["condition", *FIELDS]
    assert [line[:8] for line in lines] == [
        ["all conditions", *[""] * 7],
        ["8x8/10", "8", "8", "10", "0.15625", "on_mine=end first_click=any", "exact-clues", "uniform"],
        ["8x8 at 0.2, x(a=1, b=2)", "8", "8", "13", "0.2", "on_mine=end first_click=any", "exact-clues", "x(a=1, b=2)"],
    ]


@pytest.mark.parametrize("report", CSV_FILES)
def test_a_csv_without_the_fields_is_what_it_was_before_it_had_them(report: str) -> None:
    kept = io.StringIO()
    for line in csv.reader(io.StringIO(text(report, small()))):
        csv.writer(kept, lineterminator="\n").writerow(line[:1] + line[8:])
    assert kept.getvalue() == (WITHOUT_FIELDS / CSV_FILES[report]).read_text()


def test_json_has_the_fields_of_a_condition_beside_its_label() -> None:
    whole, first, second = json.loads(text("json", small()))["tables"]
    assert list(whole)[:8] == ["condition", *FIELDS]
    assert [whole[key] for key in FIELDS] == [None] * 7
    assert [first[key] for key in FIELDS] == [
        8,
        8,
        10,
        0.15625,
        "on_mine=end first_click=any",
        "exact-clues",
        "uniform",
    ]
    assert (second["density"], second["source"]) == (0.2, "x(a=1, b=2)")


def test_the_json_without_the_fields_is_what_it_was_before_it_had_them() -> None:
    kept = re.sub(rf'^   "({"|".join(FIELDS)})": .*\n', "", text("json", small()), flags=re.MULTILINE)
    assert kept == (WITHOUT_FIELDS / "leaderboard.json").read_text()


@pytest.mark.parametrize("report", ["markdown", "latex", "html"])
def test_reports_for_readers_say_nothing_of_the_fields(report: str) -> None:
    given = small()
    bare = given._replace(tables=tuple(table._replace(fields=None) for table in given.tables))
    assert text(report, given) == text(report, bare)


def test_a_single_condition_needs_no_second_table() -> None:
    assert "by condition" not in text("markdown", standings(1))


def test_conditions_lose_the_words_that_all_of_them_have() -> None:
    labels = [
        f"{level}, on_mine=end first_click={click}" for level in ("beginner", "expert") for click in ("safe", "opening")
    ]
    assert short_names(labels) == ["beginner safe", "beginner opening", "expert safe", "expert opening"]
    assert common_words(labels) == "on_mine=end"
    assert short_names(["16x16/40", "16x16/40, clustered(group=4)"]) == ["16x16/40", "clustered(group=4)"]
    assert short_names(["expert"]) == ["expert"]


@pytest.mark.parametrize(
    ("titles", "names", "common"),
    [
        (
            [
                f"{level}, {click}, first mine ends the game"
                for level in ("Beginner", "Expert")
                for click in ("safe first click", "first click opens a blank")
            ],
            [
                "Beginner, safe first click",
                "Beginner, first click opens a blank",
                "Expert, safe first click",
                "Expert, first click opens a blank",
            ],
            "first mine ends the game",
        ),
        (["10x10, mine density 0.1", "10x10, mine density 0.2"], ["0.1", "0.2"], "10x10, mine density ..."),
        (
            ["Expert, game begins at (0, 0)", "Expert, game begins at (0, 8)"],
            ["(0, 0)", "(0, 8)"],
            "Expert, game begins at ...",
        ),
        (
            ["16x16 with 40 mines", "16x16 with 40 mines, mines in groups of 4"],
            ["16x16 with 40 mines", "mines in groups of 4"],
            "16x16 with 40 mines",
        ),
        (["Beginner", "Expert"], ["Beginner", "Expert"], ""),
        (["Expert"], ["Expert"], ""),
    ],
)
def test_titles_of_conditions_lose_the_phrases_that_all_of_them_share(
    titles: list[str], names: list[str], common: str
) -> None:
    given = standings(1)
    tables = [given.tables[0]._replace(title=title) for title in titles]
    assert condition_names(tables) == names
    caption = conditions_caption(given._replace(tables=(given.tables[0], *tables)))
    assert caption.endswith(f"by condition ({common})" if common else "by condition")
