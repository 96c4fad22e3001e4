"""Tournament files: what they can say, and one helpful line for what they cannot."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from sweepstakes import Cell, ConfigError, Size
from sweepstakes.tournaments.config import HERE, find, load, parse
from sweepstakes.tournaments.plan import make_plan
from sweepstakes.tournaments.runner import as_yaml
from sweepstakes.tournaments.schema import json_schema

GOOD = "boards: beginner\nagents: [basic]\n"


def plan_of(text: str, tmp_path: Path) -> Any:
    path = tmp_path / "mine.yaml"
    path.write_text(text)
    config, file = load(path)
    return make_plan(config, file)[0]


def test_every_combination_of_the_lists_is_a_condition(tmp_path: Path) -> None:
    plan = plan_of(
        """
        games: 3
        boards: [expert, {rows: [8, 9], cols: 10, density: {from: 0.1, to: 0.3, step: 0.1}}, {size: [4, 5], mines: 3}]
        rules: [{on_mine: end}, {first_click: safe, start: [0, 1]}]
        noise: [exact-clues, {hidden: {rate: 0.25}}]
        agents: [basic, random]
        """,
        tmp_path,
    )
    assert len(plan.conditions) == (1 + 2 * 3 + 2) * 2 * 2
    assert len({condition.key for condition in plan.conditions}) == len(plan.conditions)
    assert len({condition.label for condition in plan.conditions}) == len(plan.conditions)
    assert plan.games == 3 * 2 * len(plan.conditions)
    assert Size(8, 10, 8) in {c.size for c in plan.conditions}
    assert {c.rules.start for c in plan.conditions} == {None, Cell(0, 1)}


def test_a_range_of_densities_is_computed_on_decimals(tmp_path: Path) -> None:
    plan = plan_of(
        "boards: {size: 10, density: {from: 0.1, to: 0.5, step: 0.05}}\nagents: basic\n",
        tmp_path,
    )
    assert [c.size.mines for c in plan.conditions] == [10, 15, 20, 25, 30, 35, 40, 45, 50]


def test_parameters_and_labels_make_entries(tmp_path: Path) -> None:
    plan = plan_of("boards: beginner\nagents: [basic, {agent: basic, as: other}]\n", tmp_path)
    assert [entry.label for entry in plan.entries] == ["basic", "other"]
    assert plan.entries[0].key == plan.entries[1].key


def test_the_usual_scores_depend_on_the_rule(tmp_path: Path) -> None:
    assert plan_of(GOOD, tmp_path).scores[0] == "identified"
    assert plan_of(GOOD + "rules: {on_mine: end}\n", tmp_path).scores[0] == "win"


def test_an_agent_file_is_found_beside_the_tournament(tmp_path: Path) -> None:
    (tmp_path / "mine_agent.py").write_text(
        "from sweepstakes import Agent, Turn, hookimpl\n"
        "class Mine(Agent):\n    def act(self, view):\n        return Turn(open=view.covered()[:1])\n"
        "@hookimpl\ndef sweepstakes_agents():\n    return {'mine': Mine}\n"
    )
    plan = plan_of("boards: beginner\nagents: [./mine_agent.py]\n", tmp_path)
    assert [entry.label for entry in plan.entries] == ["mine"]
    assert plan.files == (str(tmp_path / "mine_agent.py"),)


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        (GOOD + "sead: 3", 3, "unknown key 'sead' (did you mean 'seed'?)"),
        (GOOD + "seed: x", 3, "seed: 'x' does not fit"),
        (GOOD + "seed: -3", 3, "seed: -3 does not fit"),
        (GOOD + "games: 0", 3, "games: 0 does not fit"),
        (GOOD + "games: 2.5", 3, "games: 2.5 does not fit"),
        (GOOD + "games: true", 3, "games: True does not fit"),
        ("agents: [basic]", 1, "the key 'boards' is missing"),
        ("boards: beginner", 1, "the key 'agents' is missing"),
        ("agents: [basic]\nboards: begginer", 2, "unknown boards 'begginer' (did you mean 'beginner'?)"),
        ("agents: [basic]\nboards: {rows: 9, cols: 9, mines: 90}", 2, "90 mines on 9 x 9: expected 0 to 81"),
        ("agents: [basic]\nboards: {rows: 9, cols: 9, density: 1.5}", 2, "density 1.5: expected 0 to 1"),
        ("agents: [basic]\nboards: {rows: 9999, cols: 9, mines: 9}", 2, "no board of 9999 x 9"),
        ("agents: [basic]\nboards: {rows: 9, cols: 9}", 2, "expected either mines or density"),
        ("agents: [basic]\nboards: {rows: 9, mines: 9}", 2, "expected rows and cols"),
        ("agents: [basic]\nboards: {rows: 9, cols: 9, densty: 0.1}", 2, "did you mean 'density'?"),
        ("agents: [basic]\nboards: {size: 9, density: {from: 0.1, to: 1, stp: 1}}", 2, "did you mean 'step'?"),
        ("agents: [basic]\nboards: {size: 3, mines: 1}\nrules: {first_click: opening}", 2, "leave no room"),
        ("agents: [basic]\nboards: {size: 3, mines: 1}\nrules: {start: [3, 0]}", 2, "start cell (3, 0)"),
        ("agents: [basic]\nboards: {size: 3, mines: 1, source: unifrom}", 2, "did you mean 'uniform'?"),
        ("agents: [basic]\nboards: [beginner, beginner]", 2, "'beginner' stands here twice"),
        (GOOD + "rules: {on_mine: explode}", 3, "'explode' does not fit"),
        (GOOD + "rules: {on_mein: end}", 3, "did you mean 'on_mine'?"),
        (GOOD + "limits: {turn_second: 1}", 3, "did you mean 'turn_seconds'?"),
        (GOOD + "scores: [wins]", 3, "unknown score 'wins' (did you mean 'win'?)"),
        (GOOD + "noise: [{hiden: {rate: 0.2}}]", 3, "did you mean 'hidden'?"),
        (GOOD + "noise: [{hidden: {rat: 0.2}}]", 3, "did you mean 'rate'?"),
        (GOOD + "noise: [{hidden: {rate: 2}}]", 3, "rate 2: expected 0 to 1"),
        (GOOD + "noise: [hidden]", 3, "needs the parameter 'rate'"),
        (GOOD + "moves: some", 3, "'some' does not fit"),
        (GOOD + "plugins: [nope.py]", 3, "there is no such file"),
        ("boards: beginner\nagents: [basik]", 2, "unknown agent 'basik' (did you mean 'basic'?)"),
        ("boards: beginner\nagents:\n- random\n- {agent: random, scop: all}", 4, "has no parameter 'scop'"),
        ("boards: beginner\nagents: [./nope.py]", 2, "there is no such file"),
        ("boards: beginner\nagents: [basic, basic]", 2, "two agents are called 'basic'"),
        ("boards: beginner\nagents: [{agnt: basic}]", 2, "the key 'agent' is missing"),
        ("boards: beginner\nagents: []", 2, "agents"),
        ("boards: [beginner", 1, "not yaml"),
        ("boards: beginner\nboards: expert", 2, "the key 'boards' stands here twice"),
        ("- a\n- b", 1, "expected a mapping"),
        ("", 1, "expected a mapping"),
    ],
)
def test_bad_input_is_answered_by_one_line_that_says_where(text: str, line: int, expected: str, tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as error:
        plan_of(text, tmp_path)
    message = str(error.value)
    assert message.startswith(f"{tmp_path / 'mine.yaml'}:{line}: "), message
    assert expected in message
    assert "\n" not in message


def test_a_misspelt_preset_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match="did you mean 'quick'"):
        find("quik")


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"mine\.yaml: there is no such file"):
        load(tmp_path / "mine.yaml")


@pytest.mark.parametrize("preset", sorted(HERE.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_preset_is_possible(preset: Path) -> None:
    config, file = load(preset)
    plan, _ = make_plan(config, file)
    assert plan.games > 0


def test_the_resolved_file_means_the_same_tournament(tmp_path: Path) -> None:
    config, _ = load("quick", {"limits": {"turn_seconds": None}})
    again = parse(yaml.safe_load(as_yaml(config)))
    assert again == config
    assert make_plan(again)[0].conditions == make_plan(config)[0].conditions


def test_the_schema_describes_every_key() -> None:
    schema = json_schema()
    json.dumps(schema)
    assert {"seed", "games", "boards", "rules", "noise", "agents", "scores", "limits", "workers", "moves"} <= set(
        schema["properties"]
    )
    assert schema["additionalProperties"] is False
    assert schema["properties"]["games"]["description"]


@pytest.mark.parametrize("preset", sorted(HERE.glob("*.yaml")), ids=lambda path: path.stem)
def test_the_schema_accepts_every_preset(preset: Path) -> None:
    jsonschema.validate(yaml.safe_load(preset.read_text()), json_schema())


def test_the_schema_refuses_what_the_model_refuses() -> None:
    for bad in ({"boards": "beginner", "agents": ["basic"], "sead": 1}, {"agents": ["basic"]}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(bad, json_schema())
