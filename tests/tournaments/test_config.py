"""Tournament files: what they can say, and one helpful line for what they cannot."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from sweepstakes import Cell, ConfigError, Size
from sweepstakes.tournaments.config.json_schema import json_schema
from sweepstakes.tournaments.config.loading import PRESETS, as_yaml, find, load, parse
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.running.runner import run_tournament

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
    (entry,) = plan.entries
    assert entry.source is not None
    assert entry.source.plugin is not None
    assert entry.source.plugin.path == str(tmp_path / "mine_agent.py")
    assert plan.plugins == ()  # no process that knows the plan imports it


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        (GOOD + "sead: 3", 3, "unknown key 'sead' (did you mean 'seed'?)"),
        (GOOD + "seed: x", 3, "seed: 'x' is invalid"),
        (GOOD + "seed: -3", 3, "seed: -3 is invalid"),
        (GOOD + "games: 0", 3, "games: 0 is invalid"),
        (GOOD + "games: 2.5", 3, "games: 2.5 is invalid"),
        (GOOD + "games: true", 3, "games: True is invalid"),
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
        ("agents: [basic]\nboards: [beginner, beginner]", 2, "'beginner' is listed twice"),
        (GOOD + "rules: {on_mine: explode}", 3, "'explode' is invalid"),
        (GOOD + "rules: {on_mein: end}", 3, "did you mean 'on_mine'?"),
        (GOOD + "limits: {turn_second: 1}", 3, "did you mean 'turn_seconds'?"),
        (GOOD + "scores: [wins]", 3, "unknown score 'wins' (did you mean 'win'?)"),
        (GOOD + "noise: [{hiden: {rate: 0.2}}]", 3, "did you mean 'hidden'?"),
        (GOOD + "noise: [{hidden: {rat: 0.2}}]", 3, "did you mean 'rate'?"),
        (GOOD + "noise: [{hidden: {rate: 2}}]", 3, "rate 2: expected 0 to 1"),
        (GOOD + "noise: [hidden]", 3, "needs the parameter 'rate'"),
        (GOOD + "moves: some", 3, "'some' is invalid"),
        (GOOD + "plugins: [nope.py]", 3, "there is no such file"),
        ("boards: beginner\nagents: [basik]", 2, "unknown agent 'basik' (did you mean 'basic'?)"),
        ("boards: beginner\nagents:\n- random\n- {agent: random, scop: all}", 4, "has no parameter 'scop'"),
        ("boards: beginner\nagents: [./nope.py]", 2, "there is no such file"),
        ("boards: beginner\nagents: [basic, basic]", 2, "two agents have the label 'basic'"),
        ("boards: beginner\nagents: [{agnt: basic}]", 2, "expected {agent: NAME, parameter: value} or"),
        ("boards: beginner\nagents: []", 2, "agents"),
        ("boards: [beginner", 1, "not yaml"),
        ("boards: beginner\nboards: expert", 2, "the key 'boards' is given twice"),
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


BOARDS = "agents: [basic]\nboards: "
BOMB = "\n".join(
    ["a: &a [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]"]
    + [f"{b}: &{b} [{', '.join([f'*{a}'] * 10)}]" for a, b in ("ab", "bc", "cd", "de", "ef")]
)


@pytest.mark.parametrize(
    ("text", "line", "expected"),
    [
        (BOARDS + "{size: {from: 1, to: 1.0e+308, step: 1}, mines: 1}", 2, "more than 10,000 numbers"),
        (BOARDS + "{size: 9, density: {from: 0.1, to: 1, step: 1.0e-300}}", 2, "more than 10,000 numbers"),
        (
            BOARDS + "{size: 9, density: {from: 0.1, to: .inf, step: 0.1}}",
            2,
            "boards.density.to: expected a finite number, not inf",
        ),
        (
            BOARDS + "{size: 9, density: {from: .nan, to: 1, step: 0.1}}",
            2,
            "boards.density.from: expected a finite number, not nan",
        ),
        (BOARDS + "{size: {from: 9, to: 2, step: 1}, mines: 1}", 2, "the range from 9 to 2 is empty"),
        (BOARDS + "{size: {from: 1, to: 900, step: 1}, mines: {from: 0, to: 899, step: 1}}", 2, "810,000 sizes"),
        (BOARDS + "{size: {from: 1, to: 9000, step: 1}, mines: 1}\nrules: [{}, {}]", 2, "no board of 1001 x 1001"),
        (
            BOARDS + "{size: {from: 1, to: 900, step: 1}, density: [0, 0.1, 0.2, 0.3, 0.4, 0.5]}\nrules: [{}, {}]",
            1,
            "10,8",
        ),
        (BOARDS + "{size: 9, mines: 3, source: {file: {path: [1]}}}", 2, "path: [1] is invalid"),
        (BOARDS + "{size: 9, mines: 3, source: {file: {path: {a: b}}}}", 2, "path: {'a': 'b'} is invalid"),
        (GOOD + "seed: 2001-01-01", 3, "'2001-01-01' is a date"),
        (GOOD + "seed: 2001-99-99", 3, "'2001-99-99' is a date"),
        (GOOD + "seed: !!int abc", 3, "'abc' is not a valid int"),
        (GOOD + "seed: !!bool maybe", 3, "'maybe' is not a valid bool"),
        (GOOD + "seed: !!float x", 3, "'x' is not a valid float"),
        (GOOD + "seed: !!binary aGVsbG8=", 3, "'!!binary' is not supported"),
        (GOOD + "rules: !!python/object:os.system {}", 3, "'!!python/object:os.system' is not supported"),
        (GOOD + "seed: " + "9" * 5000, 3, "is not a valid int"),
        (GOOD + "seed: 0x" + "f" * 5000, 3, "seed: a very long int is invalid"),
        (GOOD + f"seed: {2**128}", 3, f"seed: {2**128} is invalid: expected a whole number from 0 to 2^128 - 1, or"),
        (
            GOOD + "seed: Secret",
            3,
            "seed: 'Secret' is invalid: expected a whole number from 0 to 2^128 - 1, or the word",
        ),
        (GOOD + "seed: yes", 3, "seed: True is invalid"),
        (GOOD + "seed: 3.0", 3, "seed: 3.0 is invalid"),
        (GOOD + "seed: [secret]", 3, "seed: ['secret'] is invalid"),
        (GOOD + f"games: {2**63}", 3, "games: 9223372036854775808 is too large: expected a whole number below 2^63"),
        (GOOD + "rules: &a [*a]", 3, "nested more than 50 levels deep"),
        (GOOD + "noise: &a {b: *a}", 3, "nested more than 50 levels deep"),
        (BOMB, 1, "more than 100,000 values"),
        ("[" * 5000, 1, "nested more than 50 levels deep"),
        (GOOD + "x: " + "{a: " * 2000, 3, "nested more than 50 levels deep"),
        (GOOD + 'plugins: ["a\\0b.py"]', 3, r"plugins.0: 'a\x00b.py' has an invisible character"),
        ('boards: beginner\nagents: ["\\ud800"]', 2, r"agents.0: '\ud800' has an invisible character"),
        (
            'boards: beginner\nagents: [{agent: basic, as: "\\e[31mred"}]',
            2,
            r"'\x1b[31mred' has an invisible character",
        ),
        (GOOD + "\x1b", 3, r"not yaml: unexpected character '\x1b'"),
        (GOOD + "\tseed: 3", 3, "not yaml"),
        (GOOD + "<<: {seed: 3}", 3, "'<<' is not supported: write the keys out"),
        (GOOD + "[a, b]: 3", 3, "['a', 'b'] cannot be a key"),
        (GOOD + "~: 3", 3, "None cannot be a key"),
        (GOOD + "x" * 9000 + ": 3", 3, "not yaml"),
        ("boards: beginner\nagents: [" + "x" * 9000 + "]", 2, "has 9,000 characters: expected at most 2,000"),
        ("boards: beginner\nagents: [" + "x" * 1000 + "]", 2, "unknown agent 'xxx"),
        (GOOD + "name: " + "x" * 300, 3, "at most 100 characters"),
        (GOOD + "limits: {turn_seconds: .nan}", 3, "limits.turn_seconds: expected a finite number, not nan"),
        (GOOD + "limits: {memory_mb: 99999999999999999}", 3, "expected at most 1000000000"),
        (
            "boards: beginner\nagents: [{agent: chain, window: .nan}]",
            2,
            "agents.0.window: expected a finite number, not nan",
        ),
    ],
)
def test_odd_values_are_answered_by_one_short_line_that_says_where(
    text: str, line: int, expected: str, tmp_path: Path
) -> None:
    with pytest.raises(ConfigError) as error:
        plan_of(text, tmp_path)
    message = str(error.value)
    assert message.startswith(f"{tmp_path / 'mine.yaml'}:{line}: "), message
    assert expected in message
    assert message.isprintable()
    assert len(message) < 480


def test_a_step_that_is_lost_in_the_digits_of_a_range_makes_one_number() -> None:
    config = parse({"boards": {"size": 9, "density": {"from": 0.25, "to": 0.25, "step": 1e-40}}, "agents": "basic"})
    assert [size for _, size, _ in config.boards[0].sizes()] == [Size(9, 9, 20)]


def test_a_seed_has_up_to_128_bits_or_is_secret(tmp_path: Path) -> None:
    assert plan_of(GOOD + f"seed: {2**128 - 1}", tmp_path).config.seed == 2**128 - 1
    assert plan_of(GOOD + "seed: secret", tmp_path).config.seed == "secret"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"\xff\xfeb\x00o\x00", "expected text in UTF-8"),
        (b"#" * 200_000, "it has more than 100,000 bytes"),
    ],
)
def test_a_file_that_is_no_tournament_is_not_read(data: bytes, expected: str, tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_bytes(data)
    with pytest.raises(ConfigError, match=expected):
        load(tmp_path / "mine.yaml")


def test_a_byte_order_mark_is_no_trouble(tmp_path: Path) -> None:
    (tmp_path / "mine.yaml").write_bytes(b"\xef\xbb\xbf" + GOOD.encode())
    assert load(tmp_path / "mine.yaml")[0].agents[0].agent == "basic"


def test_only_regular_files_are_read(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.yaml")
    (tmp_path / "folder.yaml").mkdir()
    for path in (tmp_path / "pipe.yaml", tmp_path / "folder.yaml", Path("/dev/zero")):
        with pytest.raises(ConfigError, match=f"{path}: expected a regular file"):
            load(path)
    for name in ("a\0b", "x" * 300, "x" * 5000, "\ud800"):
        with pytest.raises(ConfigError, match="and no file of that name"):
            load(name)
        with pytest.raises(ConfigError, match="there is no such file"):
            load(f"{name}.yaml")


def circle() -> list[Any]:
    inside: list[Any] = []
    inside.append(inside)
    return inside


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"seed": 2**128}, f"seed: {2**128} is invalid"),
        ({"seed": 10**5000}, "seed: a very long int is invalid"),
        ({"seed": float("nan")}, "seed: expected a finite number, not nan"),
        ({"rules": circle()}, "rules: nested more than 50 levels deep"),
        ({"noise": {1, 2}}, "noise: {1, 2} is a set"),
        ({"agents": ["a\0b.py"]}, "agents.0: 'a\\x00b.py' has an invisible character"),
        ({3: 4}, "3 cannot be a key"),
        ({"boards": {"size": {"from": 1, "to": 1e308, "step": 1}, "mines": 1}}, "more than 10,000 numbers"),
    ],
)
def test_plain_data_is_checked_as_files_are(change: dict[Any, Any], expected: str) -> None:
    with pytest.raises(ConfigError) as error:
        run_tournament({"boards": "beginner", "agents": ["basic"], **change})
    assert expected in str(error.value)
    assert len(str(error.value)) < 480


def test_a_tournament_of_the_most_conditions_is_planned(tmp_path: Path) -> None:
    sizes = "{rows: {from: 1, to: 100, step: 1}, cols: {from: 1, to: 100, step: 1}, mines: 0}"
    assert len(plan_of(BOARDS + sizes, tmp_path).conditions) == 10_000


def test_a_misspelt_preset_names_the_nearest() -> None:
    with pytest.raises(ConfigError, match="did you mean 'quick'"):
        find("quik")


def test_a_missing_file_is_said_to_be_missing(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"mine\.yaml: there is no such file"):
        load(tmp_path / "mine.yaml")


@pytest.mark.parametrize("preset", sorted(PRESETS.glob("*.yaml")), ids=lambda path: path.stem)
def test_every_preset_is_possible(preset: Path) -> None:
    config, file = load(preset)
    plan, _ = make_plan(config, file)
    assert plan.games > 0


def test_the_resolved_file_means_the_same_tournament() -> None:
    config, _ = load("quick", {"limits": {"turn_seconds": None}})
    again = parse(yaml.safe_load(as_yaml(config)))
    assert again == config
    assert make_plan(again)[0].conditions == make_plan(config)[0].conditions


def test_a_submission_whose_name_is_a_pattern_is_still_that_file_in_the_resolved_tournament(tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    for name in ("b[1].py", "b1.py"):  # the first is a pattern that the second fits
        (tmp_path / "in" / name).write_text("")
    (tmp_path / "mine.yaml").write_text("boards: beginner\nagents: in/\n")
    config, _ = load(tmp_path / "mine.yaml")
    assert sorted(Path(item.agent).name for item in config.agents) == ["b1.py", "b[1].py"]
    (tmp_path / "again.yaml").write_text(as_yaml(config))
    assert load(tmp_path / "again.yaml")[0].agents == config.agents


def test_a_pattern_is_not_taken_for_the_file_of_that_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("b[1].py", "b1.py"):
        (tmp_path / name).write_text("")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.yaml").write_text("boards: beginner\nagents: [{agent: 'b[1].py', depth: 3}]\n")
    (item,) = load("mine.yaml")[0].agents
    assert Path(item.agent).name == "b1.py"


def test_the_schema_describes_every_key() -> None:
    schema = json_schema()
    json.dumps(schema)
    assert {"seed", "games", "boards", "rules", "noise", "agents", "scores", "limits", "workers", "moves"} <= set(
        schema["properties"]
    )
    assert schema["additionalProperties"] is False
    assert schema["properties"]["games"]["description"]


@pytest.mark.parametrize("preset", sorted(PRESETS.glob("*.yaml")), ids=lambda path: path.stem)
def test_the_schema_accepts_every_preset(preset: Path) -> None:
    jsonschema.validate(yaml.safe_load(preset.read_text()), json_schema())


def test_the_schema_refuses_what_the_model_refuses() -> None:
    for bad in ({"boards": "beginner", "agents": ["basic"], "sead": 1}, {"agents": ["basic"]}):
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(bad, json_schema())


FICKLE = """
import random
from sweepstakes import BoardSource, Registry, hookimpl

class Fickle(BoardSource):
    def board(self, seed, number, size, protected):
        source = Registry.default().make("board source", "uniform")
        return source.board(SEED, number, size, protected)

@hookimpl
def sweepstakes_boards():
    return {"fickle": Fickle}
"""


def test_a_source_that_deals_another_board_the_second_time_is_refused(tmp_path: Path) -> None:
    (tmp_path / "fickle.py").write_text(FICKLE.replace("SEED", "random.getrandbits(60)"))
    boards = {"rows": 16, "cols": 30, "mines": 99, "source": "fickle"}
    config = parse({"boards": boards, "games": 1, "agents": ["random"], "plugins": [str(tmp_path / "fickle.py")]})
    with pytest.raises(ConfigError, match=r"board source 'fickle' was asked for the same board .* twice"):
        make_plan(config)
    (tmp_path / "fickle.py").write_text(FICKLE.replace("SEED", "seed"))
    make_plan(config)
