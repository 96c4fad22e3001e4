"""What plots are made of: axes, ties, places of labels, looks."""

from __future__ import annotations

import re
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from xml.etree import ElementTree

import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepstakes import open_run
from sweepstakes.leaderboards.pages.noise_tables import noise_tables
from sweepstakes.leaderboards.plots.curves import spread_out
from sweepstakes.leaderboards.plots.grid import find_grid
from sweepstakes.leaderboards.plots.pictures import bins, ties
from sweepstakes.leaderboards.plots.plots import draw
from sweepstakes.leaderboards.plots.style import INK, looks
from sweepstakes.leaderboards.results import read_results
from sweepstakes.standings import HeadToHead, Interval, Standing, Table
from sweepstakes.tournaments import run_tournament
from sweepstakes.tournaments.config.loading import parse
from sweepstakes.tournaments.plan import Condition
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.sweeps import sweeps


def conditions(boards: Any, **more: Any) -> tuple[Condition, ...]:
    return make_plan(parse({"boards": boards, "agents": ["random"], **more}))[0].conditions


def test_densities_on_one_size_are_one_curve_in_order() -> None:
    (sweep,) = sweeps(conditions({"size": 8, "density": [0.3, 0.1, 0.2]}))
    assert sweep.name == "density"
    assert [x for x, _ in sweep.series[0].points] == [0.1, 0.2, 0.3]
    assert sweep.series[0].title == ""


def test_sizes_at_one_density_are_one_curve_although_mines_are_rounded() -> None:
    (sweep,) = sweeps(conditions({"size": [5, 7, 9], "density": 0.4}))
    assert sweep.name == "size"
    assert [c.size.rows for _, c in sweep.series[0].points] == [5, 7, 9]


def test_a_grid_of_sizes_and_densities_is_drawn_both_ways() -> None:
    density, size = sweeps(conditions({"size": [5, 7, 9], "density": [0.1, 0.2, 0.3]}))
    assert [s.title for s in density.series] == ["5x5", "7x7", "9x9"]
    assert [s.title for s in size.series] == ["mine density 0.1", "mine density 0.2", "mine density 0.3"]


def test_rules_are_never_mixed_in_a_curve() -> None:
    rules = [{"first_click": "any"}, {"first_click": "safe"}]
    (sweep,) = sweeps(conditions({"size": 8, "density": [0.1, 0.2, 0.3]}, rules=rules))
    assert len(sweep.series) == 2
    assert all(len({c.rules for _, c in s.points}) == 1 for s in sweep.series)


def test_rates_of_noise_are_a_curve_for_each_model() -> None:
    noise = [{model: {"rate": rate}} for model in ("hidden", "liar") for rate in (0.1, 0.2, 0.3)]
    (sweep,) = sweeps(conditions("beginner", noise=noise))
    assert (sweep.name, [s.title for s in sweep.series]) == ("noise", ["clues withheld", "clues one off"])


def test_exact_clues_are_the_rate_0_of_every_noise() -> None:
    noise = ["exact-clues", *({model: {"rate": rate}} for model in ("hidden", "liar") for rate in (0.1, 0.2))]
    (sweep,) = sweeps(conditions("beginner", noise=noise))
    assert [[x for x, _ in s.points] for s in sweep.series] == [[0.0, 0.1, 0.2]] * 2


def test_two_points_are_no_curve() -> None:
    assert sweeps(conditions(["beginner", "expert"])) == []


@given(st.lists(st.floats(0, 1), min_size=1, max_size=12), st.floats(0.01, 0.2))
def test_labels_are_spread_out_in_order_and_inside_if_there_is_room(places: list[float], gap: float) -> None:
    found = spread_out(sorted(places), gap, 0.0, 1.0)
    assert all(b - a >= gap - 1e-9 for a, b in pairwise(found))
    if gap * (len(places) - 1) <= 1:
        assert -1e-9 <= found[0] <= found[-1] <= 1 + 1e-9


def test_labels_that_are_far_apart_stay_where_they_are() -> None:
    assert spread_out([0.1, 0.5, 0.9], 0.1, 0.0, 1.0) == pytest.approx([0.1, 0.5, 0.9])


def table(agents: str, different: set[str]) -> Table:
    zero = Interval(0.0, 0.0, 0.0)
    lines = tuple(Standing(1, agent, 1, (zero,), zero, 0, 0) for agent in agents)
    pairs = tuple(
        HeadToHead(a, b, 0, 1, 0, zero, 1.0, 0.001 if a + b in different else 0.5)
        for i, a in enumerate(agents)
        for b in agents[i + 1 :]
    )
    return Table("all", 1, lines, pairs, ())


def test_bars_join_the_longest_runs_that_cannot_be_told_apart() -> None:
    assert ties(table("abcd", set())) == [(0, 3)]
    assert ties(table("abcd", {"ad", "bd"})) == [(0, 2), (2, 3)]
    assert ties(table("ab", {"ab"})) == []


def test_every_agent_has_a_look_of_its_own() -> None:
    agents = [f"agent-{i}" for i in range(24)]
    found = looks(agents)
    assert len(set(found.values())) == 24
    assert looks(agents[:3]) == {agent: found[agent] for agent in agents[:3]}


def test_looks_do_not_depend_on_who_else_plays() -> None:
    assert looks(["a", "b"])["a"] == looks(["a", "c"])["a"]


def test_agents_that_differ_in_name_and_guess_rule_are_a_grid() -> None:
    def grid_of(agents: list[str]) -> Any:
        return find_grid(make_plan(parse({"boards": "beginner", "agents": agents}))[0])

    names, rules = ["basic", "chain"], ["random", "exact"]
    found = grid_of([f"{name}(guess={rule})" for rule in rules for name in names])
    assert (found.names, found.rules) == (names, rules)
    assert found.labels["chain", "exact"] == 'chain(guess="exact")'
    assert grid_of(["basic(guess=random)", "basic(guess=exact)"]) is None  # a single line
    assert grid_of(["basic(guess=random)", "basic(guess=exact)", "chain(guess=exact)"]) is None
    assert grid_of(["basic(guess=random)", "chain(guess=random,window=2)"]) is None
    assert grid_of(["basic", "chain"]) is None


@pytest.mark.parametrize(("low", "high", "width"), [(0, 0, 1), (3, 12, 1), (0, 39, 1), (0, 40, 2), (5, 130, 4)])
def test_whole_numbers_have_bins_of_whole_numbers(low: int, high: int, width: int) -> None:
    edges = bins(low, high, whole=True)
    assert edges[0] == low - 0.5
    assert edges[-1] > high
    assert set(edges[1:] - edges[:-1]) == {width}


def test_a_noise_page_has_a_table_for_each_noise_and_a_column_for_each_rate() -> None:
    noises = ["exact-clues", *({name: {"rate": rate}} for name in ("liar", "hidden") for rate in (0.1, 0.5))]
    data = {
        "games": 2,
        "boards": {"size": 4, "mines": 2},
        "agents": ["random", "basic"],
        "noise": noises,
        "executor": "serial",
    }
    with TemporaryDirectory() as folder:
        run_tournament(data, out=folder)
        with open_run(folder) as run:
            text = noise_tables(read_results(run))
    assert re.findall(r"^\*\*([\w ]+)\*\*$", text, re.M) == ["clues one off", "clues withheld"]
    assert len(re.findall(r"^\| agent +\| +rate 0 \| +rate 0.1 \| +rate 0.5 \|$", text, re.M)) == 2
    assert len(re.findall(r"^\| (?:random|basic) ", text, re.M)) == 4


def test_a_saved_plot_and_its_dark_twin_are_valid_svg_with_the_same_shapes(finished: Path, tmp_path: Path) -> None:
    with open_run(finished / "run") as run:
        files = draw(read_results(run), tmp_path)
    assert {path.stem.removesuffix("-dark") for path in files} >= {"ranking", "distribution"}
    for light in (path for path in files if not path.stem.endswith("-dark")):
        dark = light.with_name(f"{light.stem}-dark.svg")
        shapes = [[element.tag for element in ElementTree.parse(path).iter()] for path in (light, dark)]
        assert shapes[0] == shapes[1]
        assert len(shapes[0]) > 50
        colours = {path: set(re.findall("#[0-9a-f]{6}", path.read_text())) for path in (light, dark)}
        assert INK.lower() in colours[light] - colours[dark]
