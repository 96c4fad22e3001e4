"""Specs of every form, wherever a name is: in tournament files and on command lines."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml

from sweepstakes import ConfigError, Size, Spec
from sweepstakes.leaderboards.publish import portable_yaml
from sweepstakes.tournaments.config.json_schema import json_schema
from sweepstakes.tournaments.config.loading import as_yaml, load, parse
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.resolve.planning import make_plan

Terminal = Callable[..., Any]
MINE = """\
from sweepstakes import Agent, Turn, hookimpl


class Mine(Agent):
    def __init__(self, depth: int = 1) -> None:
        self.depth = depth

    def act(self, view):
        return Turn(open=view.covered()[: self.depth], why="random")


class Other(Mine):
    pass


@hookimpl
def sweepstakes_agents():
    return {offers}
"""


@pytest.fixture(autouse=True)
def files(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text(MINE.replace("{offers}", "{'one': Mine}"))
    (tmp_path / "two.py").write_text(MINE.replace("{offers}", "{'mine': Mine, 'other': Other}"))


def plan_of(text: str, tmp_path: Path) -> Plan:
    path = tmp_path / "t.yaml"
    path.write_text(text)
    return make_plan(*load(path))[0]


@pytest.mark.parametrize(
    ("written", "label", "spec"),
    [
        ("basic", "basic", Spec("basic")),
        ("chain(window=6)", "chain(window=6)", Spec("chain", {"window": 6})),
        ("'chain(window=6, patterns=false)'", None, Spec("chain", {"window": 6, "patterns": False})),
        ("{chain: {window: 6}}", "chain(window=6)", Spec("chain", {"window": 6})),
        ("{chain: null}", "chain", Spec("chain")),
        ("{chain: {window: 6}, as: short}", "short", Spec("chain", {"window": 6})),
        ("{agent: chain, window: 6}", "chain(window=6)", Spec("chain", {"window": 6})),
        ("{agent: chain(window=6), patterns: false}", None, Spec("chain", {"window": 6, "patterns": False})),
        ("basic(scope=last)", 'basic(scope="last")', Spec("basic", {"scope": "last"})),
        ("one.py", "one", Spec("one")),
        ("one.py(depth=2)", "one(depth=2)", Spec("one", {"depth": 2})),
        ("two.py:other", "other", Spec("other")),
        ("{agent: 'two.py:mine', depth: 3, as: three}", "three", Spec("mine", {"depth": 3})),
        ("{'two.py:mine': {depth: 3}}", "mine(depth=3)", Spec("mine", {"depth": 3})),
    ],
)
def test_an_agent_is_named_in_every_form(written: str, label: str | None, spec: Spec, tmp_path: Path) -> None:
    for listed in (written, f"[{written}]" if "(" not in written or "'" in written else f"\n- {written}"):
        (entry,) = plan_of(f"boards: beginner\nagents: {listed}\n", tmp_path).entries
        assert (entry.label, entry.spec) == (label or str(spec), spec)


@pytest.mark.parametrize("agent", ["chain(window=6)", "basic(scope=last)", "one.py(depth=2)", "two.py:other(depth=3)"])
def test_what_a_table_prints_can_be_pasted_back(agent: str, tmp_path: Path) -> None:
    (first,) = plan_of(f"boards: beginner\nagents: ['{agent}']\n", tmp_path).entries
    again = f"boards: beginner\nplugins: [one.py, two.py]\nagents: ['{first.label}']\n"
    assert plan_of(again, tmp_path).entries == (first,)


def test_boards_sources_and_noises_are_named_in_every_form(tmp_path: Path) -> None:
    text = (
        "boards: [expert, 8x8/10, 6x6@0.2, 6x7 at 0.3, {size: 5, mines: 3, source: clustered(group=2)},"
        " {size: 5, mines: 3, source: {clustered: {group: 3}}}]\n"
        "noise: [exact-clues, hidden(rate=0.25), {hidden: {rate: 0.5}}, 'liar(rate=.1, blanks=true)']\n"
        "agents: basic\n"
    )
    plan = plan_of(text, tmp_path)
    assert list(dict.fromkeys(c.size for c in plan.conditions)) == [
        Size(16, 30, 99), Size(8, 8, 10), Size(6, 6, 7), Size(6, 7, 13), Size(5, 5, 3)
    ]  # fmt: skip
    assert list(dict.fromkeys(c.density for c in plan.conditions)) == [None, 0.2, 0.3]
    sources = ["uniform", "clustered(group=2)", "clustered(group=3)"]
    assert list(dict.fromkeys(str(c.source) for c in plan.conditions)) == sources
    noises = ["exact-clues", "hidden(rate=0.25)", "hidden(rate=0.5)", "liar(blanks=true,rate=0.1)"]
    assert list(dict.fromkeys(str(c.noise) for c in plan.conditions)) == noises
    for size in ("8x8/10", "6x6 at 0.2"):
        assert plan_of(f"boards: ['{size}']\nagents: basic\n", tmp_path).conditions[0].label == size


@pytest.mark.parametrize(
    ("key", "written", "expected"),
    [
        ("agents", "[chain(window=6,patterns=false)]", "at the comma: put it in quotes"),
        ("agents", "[basic, chain(window=6, patterns=false)]", "at the comma: put it in quotes"),
        ("agents", "[chain(window=6, patterns=[1,2])]", "at the comma: put it in quotes"),
        ("noise", "[{liar(rate=0.1,blanks=true): }]", "at the comma: put it in quotes"),
        ("boards", "{size: 4, mines: 2, source: clustered(group=2,x=3)}", "at the comma: put it in quotes"),
        ("agents", "[3]", "3: expected NAME, NAME(parameter=value, ...) or {NAME: {parameter: value}}"),
        ("noise", "{hidden: 0.1}", "hidden: expected its parameters as a mapping"),
        ("executor", "local(worker=2)", "executor 'local' has no parameter 'worker' (did you mean 'workers'?)"),
        ("noise", "[liar(rate=0.1,blanks=true)]", "at the comma: put it in quotes"),
        ("agents", "[patterns=false)]", "at the comma: put it in quotes"),
        ("agents", "Chain", "did you mean 'chain'?"),
        ("agents", "chian(window=6)", "unknown agent 'chian' (did you mean 'chain'?)"),
        ("agents", "chain(widow=6)", "agent 'chain' has no parameter 'widow' (did you mean 'window'?)"),
        ("agents", "chain(window=six)", "window: 'six' is invalid"),
        ("agents", "chain@1", "other versions cannot be named yet"),
        ("agents", "'command:./solver'", "solver: cannot be read: No such file"),
        ("agents", "{command: [./solver, --fast], as: x}", "solver: cannot be read: No such file"),
        ("agents", "{command: []}", "the program is missing"),
        ("agents", "{command: null}", "the program is missing"),
        ("agents", "{command: {a: 1}}", "expected [PROGRAM, ARGUMENT, ...] or a text of these words"),
        ("agents", "{command: [./solver, --depth, 6]}", "6 is not text: put it in quotes"),
        ("agents", """{command: "./solver 'it"}""", "unbalanced quotes"),
        ("agents", "{command: ./solver, agent: chain}", "expected either agent or command"),
        ("agents", "{agent: '', as: x}", "expected agent: NAME or command: [PROGRAM, ARGUMENT, ...]"),
        ("agents", "{command: ./solver, files: 3}", "3: expected a list of paths"),
        ("agents", "{agent: one.py, files: [1]}", "1 is not text: put it in quotes"),
        ("agents", "{agent: one.py(files=a), files: [b]}", "parameter 'files' is given twice"),
        (
            "agents",
            "{agent: chain, files: [w.npz]}",
            "files: 'chain' cannot have files: expected agent: FILE.py or command:",
        ),
        ("agents", "{one.py: {files: [w.npz]}}", "'files' is not a parameter: write it next to the agent's name"),
        ("agents", "{agent: chain(window=6), window: 5}", "parameter 'window' is given twice"),
        ("agents", "{chain: {as: x}}", "'as' is not a parameter"),
        ("agents", "{agnet: chain}", "expected {agent: NAME, parameter: value} or {NAME: {parameter: value}}"),
        ("agents", "two.py(depth=2)", "offers mine, other: name one, as in two.py:mine"),
        ("agents", "'two.py:ohter'", "offers no agent 'ohter' (did you mean 'other'?)"),
        ("agents", "nope.py", "nope.py: there is no such file"),
        ("agents", "basic(scope=" + "x" * 60 + ")", "is invalid"),
        ("boards", "8x8/100", "100 mines on 8 x 8: expected 0 to 64"),
        ("boards", "8x8-10", "unknown board size '8x8-10'"),
        ("boards", "exprt", "unknown boards 'exprt' (did you mean 'expert'?)"),
        ("boards", "{size: 5, mines: 3, source: clusterd(group=2)}", "(did you mean 'clustered'?)"),
        ("noise", "hidden(rate=2)", "rate 2: expected 0 to 1"),
        ("noise", "hidden(", "expected parameter=value, found nothing"),
        ("scores", "wins", "unknown score 'wins' (did you mean 'win'?)"),
        ("scores", "win(", "expected parameter=value, found nothing"),
        ("executor", "lokal", "unknown executor 'lokal' (did you mean 'local'?)"),
        ("executor", "local(", "expected parameter=value, found nothing"),
    ],
)
def test_a_mistake_in_a_file_is_answered_by_its_line_and_one_sentence(
    key: str, written: str, expected: str, tmp_path: Path
) -> None:
    data = {"boards": "beginner", "agents": "basic"} | {key: written}
    with pytest.raises(ConfigError) as caught:
        plan_of("".join(f"{name}: {value}\n" for name, value in data.items()), tmp_path)
    message = str(caught.value)
    assert message.startswith(f"{tmp_path / 't.yaml'}:{list(data).index(key) + 1}: "), message
    assert expected in message


def test_a_spec_too_long_for_a_table_is_called_by_its_name(tmp_path: Path) -> None:
    (tmp_path / "long.py").write_text(MINE.replace("{offers}", "{'long': Mine}").replace("depth: int", "depth: str"))
    plan = plan_of(f"boards: beginner\nagents: [long.py(depth={'x' * 60})]\n", tmp_path)
    assert [entry.label for entry in plan.entries] == ["long"]
    with pytest.raises(ConfigError, match="two agents have the label 'long': give one of them another label with `as`"):
        plan_of(f"boards: beginner\nagents: [long.py(depth={'x' * 60}), long.py(depth={'y' * 60})]\n", tmp_path)


def test_command_lines_take_the_same_forms(sweepstakes: Terminal, tmp_path: Path) -> None:
    agents = ("--agent", "chain(window=6)", "--agent", "one.py(depth=2)", "--agent", "two.py:other")
    dry = sweepstakes("run", "quick", "--dry-run", *agents)
    assert "exact, chain(window=6), one(depth=2), other\n" in dry.out
    options = ("--boards", "6x6 at 0.2", "--max", "20", "--quiet", "--executor", "serial")
    done = sweepstakes("match", "chain(window=6)", "two.py:mine(depth=3)", *options, "--noise", "hidden(rate=.25)")
    assert "boards: chain(window=6) did better on " in done.out, done.err
    assert "boards: one did better on 0, one-2 on 0, " in sweepstakes("match", "one.py", "one.py", *options).out
    watched = sweepstakes("watch", "two.py:other(depth=3)", "--board", "5x5/3", "--source", "clustered(group=2)")
    assert watched.out.startswith("other(depth=3) on 5x5/3, first click may hit a mine, ")
    assert "name one, as in two.py:mine" in sweepstakes("watch", "two.py").err
    (tmp_path / "p.txt").write_text("3 3 2\n...\n.2.\n...\n")
    assert sweepstakes("solve", "p.txt", "--noise", "hidden(rate=0.25)").code == 0
    assert "did you mean 'hidden'?" in sweepstakes("solve", "p.txt", "--noise", "hiden(rate=0.25)").err


def test_executors_are_chosen_by_name(sweepstakes: Terminal, tmp_path: Path) -> None:
    (tmp_path / "backwards.py").write_text(
        (Path(__file__).parents[2] / "examples" / "backwards.py").read_text(encoding="utf-8")
    )
    (tmp_path / "t.yaml").write_text("games: 4\nboards: 6x6/6\nagents: [random, basic]\nexecutor: serial\n")
    tables = []
    for number, options in enumerate(
        (
            [],
            ["--executor", "local(workers=1)"],
            ["--executor", "local", "--workers", "1"],
            ["--executor", "backwards.py"],
        )
    ):
        done = sweepstakes("run", "t.yaml", "--quiet", "--out", f"run{number}", *options)
        assert done.code == 0, done.err
        tables.append((tmp_path / f"run{number}" / "leaderboard.json").read_bytes())
    assert len(set(tables)) == 1
    refused = sweepstakes("run", "t.yaml", "--workers", "2", "--out", "run9")
    assert refused.err.endswith("2 workers: executor 'serial' has no parameter 'workers'\n")


def test_two_conditions_of_one_label_are_refused(tmp_path: Path) -> None:
    for folder, board in (("a", "*..\n...\n...\n"), ("b", "...\n.*.\n...\n")):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "one.txt").write_text(board)
    sources = ", ".join(f"{{size: 3, mines: 1, source: {{file: {{path: {f}/one.txt}}}}}}" for f in "ab")
    with pytest.raises(ConfigError, match="is the label of two conditions: rename a board file"):
        plan_of(f"games: 1\nboards: [{sources}]\nagents: basic\n", tmp_path)


def test_a_mistake_in_an_option_is_not_blamed_on_the_file(sweepstakes: Terminal) -> None:
    for option, word in (("--agent", "chian"), ("--executor", "lokal")):
        said = sweepstakes("run", "quick", "--dry-run", option, word)
        assert said.err.startswith(f"sweepstakes: {option}: unknown "), said.err


def test_scores_are_named_by_mappings_too(tmp_path: Path) -> None:
    assert plan_of("boards: beginner\nagents: basic\nscores: [{win: {}}, turns]\n", tmp_path).scores == ("win", "turns")


def test_a_program_has_words_options_and_files_relative_to_the_tournament_file(tmp_path: Path) -> None:
    (tmp_path / "bot.py").touch()
    (tmp_path / "t.yaml").write_text(
        "boards: beginner\nagents:\n"
        "- {command: [./solver, --fast, slow], as: first, window: 6, files: [data/w.bin]}\n"
        "- {command: python3 bot.py '(x)'}\n"
        "- command:./solver --fast(window=6,files=data/w.bin)\n"
        "- {command:./solver: {window: 6}, files: data/w.bin}\n"
        "- {agent: one.py, files: [w.npz], depth: 2}\n"
    )
    config, _ = load(tmp_path / "t.yaml")
    solver, weights = str(tmp_path / "solver"), str(tmp_path / "data" / "w.bin")
    specs = [item.spec for item in config.agents]
    assert specs == [
        Spec(parameters={"window": 6}, words=(solver, "--fast", "slow"), files=(weights,)),
        Spec(words=("python3", str(tmp_path / "bot.py"), "(x)")),
        Spec(parameters={"window": 6}, words=(solver, "--fast"), files=(weights,)),
        Spec(parameters={"window": 6}, words=(solver,), files=(weights,)),
        Spec(parameters={"depth": 2}, file=str(tmp_path / "one.py"), files=(str(tmp_path / "w.npz"),)),
    ]
    assert config.agents[0].as_ == "first"
    again = tmp_path / "elsewhere" / "again.yaml"
    again.parent.mkdir()
    again.write_text(as_yaml(config))
    assert [item.spec for item in load(again)[0].agents] == specs
    published = tmp_path / "published.yaml"
    published.write_text(portable_yaml(config))
    copied = tmp_path / "agents" / "bot" / "bot.py"  # as `publish` does
    copied.parent.mkdir(parents=True)
    copied.write_text("")
    assert str(tmp_path) not in published.read_text()
    assert [item.spec.portable for item in load(published)[0].agents] == [spec.portable for spec in specs]
    for data in (config.model_dump(mode="json", by_alias=True), yaml.safe_load((tmp_path / "t.yaml").read_text())):
        jsonschema.validate({"boards": "beginner", "agents": data["agents"]}, json_schema())


def test_agents_without_program_and_files_are_written_as_before() -> None:
    config = parse({"boards": "beginner", "agents": ["basic", {"agent": "chain", "window": 6}]})
    written = yaml.safe_load(as_yaml(config))["agents"]
    assert written == [{"agent": "basic", "as": None}, {"agent": "chain", "as": None, "window": 6}]


@pytest.mark.parametrize("agent", [{"command": "a", "agent": "b"}, {"command": 3}, {"agnet": "b"}])
def test_the_schema_wants_either_an_agent_or_a_command(agent: dict[str, Any]) -> None:
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate({"boards": "beginner", "agents": agent}, json_schema())
