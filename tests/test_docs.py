"""The documentation agrees with the code."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import click
import pictures
import pytest
from agents_page import SHOWN
from reference import KEYS, WHOLE_FILE, examples
from write import GENERATORS, differences

from sweepstakes import (
    PRESETS,
    Agent,
    BoardSource,
    ClueNoise,
    GameSetup,
    MeasuredScore,
    Registry,
    Score,
    Turn,
    hookspecs,
)
from sweepstakes.cli.main import COMMANDS, cli
from sweepstakes.executor import Chunk, Executor, Fixture, GamePlayer, Row, Workload
from sweepstakes.registry.loading import HOOKS
from sweepstakes.report import Report
from sweepstakes.testing import check_agent
from sweepstakes.tournaments.config.loading import load

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
CONTRACTS: dict[str, list[Callable[..., Any]]] = {
    "sweepstakes_agents": [Agent.act],
    "sweepstakes_boards": [BoardSource.board, BoardSource.check, BoardSource.contents],
    "sweepstakes_clue_noise": [ClueNoise.likelihood],
    "sweepstakes_scores": [Score.of, Score.worst, MeasuredScore.measure],
    "sweepstakes_executors": [Executor.run],
    "sweepstakes_reports": [Report.text],
    "sweepstakes_game_finished": [hookspecs.sweepstakes_game_finished],
}

FIELDS: dict[str, list[type]] = {
    "sweepstakes_agents": [Agent, Turn],
    "sweepstakes_boards": [BoardSource],
    "sweepstakes_clue_noise": [ClueNoise],
    "sweepstakes_scores": [Score, MeasuredScore],
    "sweepstakes_executors": [Executor, Workload, GamePlayer, Chunk, Fixture, Row],
    "sweepstakes_reports": [Report],
}
"""The classes whose public fields and methods the section of a hook names."""
BUILT_IN_ONLY = {"version"}
INHERITED = {"model", "missing"}
"""Methods that a plugin neither implements nor calls."""


def section_on(hook: str) -> str:
    text = (DOCS / "hooks.md").read_text(encoding="utf-8")
    section = re.search(rf"^## `{hook}`\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert section is not None, f"hooks.md has no section on {hook}"
    return section[1]


@pytest.mark.parametrize(("hook", "kind"), [(hook, kind) for hook, kinds in FIELDS.items() for kind in kinds])
def test_every_field_of_the_contract_of_a_hook_is_named(hook: str, kind: type) -> None:
    own = {*vars(kind), *vars(kind).get("__annotations__", {})}
    public = {name for name in own if not name.startswith("_")} - BUILT_IN_ONLY - INHERITED
    assert public
    words = set(re.findall(r"\w+", " ".join(re.findall(r"`([^`]+)`", section_on(hook)))))
    assert public <= words, f"{hook}: {kind.__name__}"


@pytest.mark.parametrize("hook", HOOKS)
def test_every_hook_is_documented_with_what_it_and_its_contract_take(hook: str) -> None:
    section = section_on(hook)
    for function in (getattr(hookspecs, hook), *CONTRACTS[hook]):
        arguments = [name for name in inspect.signature(function).parameters if name != "self"]
        if function.__name__ != hook or arguments:
            assert f"`{function.__name__}({', '.join(arguments)})" in section
        for argument in arguments:
            assert re.search(rf"`{argument}\b", section), f"{hook}: {function.__name__}({argument}) is not explained"


@pytest.mark.parametrize(
    ("kind", "heading"), [("board source", "Boards"), ("score", "Scores"), ("clue noise", "Clue noise")]
)
def test_every_built_in_is_defined(kind: str, heading: str) -> None:
    text = (DOCS / "definitions.md").read_text(encoding="utf-8")
    section = re.search(rf"^## {heading}\n(.*?)(?=^## |\Z)", text, re.MULTILINE | re.DOTALL)
    assert section is not None
    for name, offer in Registry.default().offers(kind).items():
        if offer.plugin.origin == "built in":
            assert re.search(rf"`{name}[`(]", section[1]), f"definitions.md does not define {kind} '{name}'"


def test_links_between_the_pages_lead_somewhere() -> None:
    for page in DOCS.glob("*.md"):
        for target in re.findall(r"\]\(([^)#:]+)\)", page.read_text(encoding="utf-8")):
            assert (DOCS / target).exists(), f"{page.name}: {target}"


def test_the_fast_agent_of_the_page_is_an_agent() -> None:
    (code,) = re.findall(r"```python\n(.*?)```", (DOCS / "fast-agents.md").read_text(encoding="utf-8"), re.DOTALL)
    names: dict[str, Any] = {}
    exec(inspect.cleandoc("\n" + code), names)
    check_agent(names["AnyCell"])


LONG = ("claims", "pictures", "tutorial")
"""Generators that run many commands or read every leaderboard."""


@pytest.mark.parametrize(
    "name",
    [
        pytest.param(name, marks=pytest.mark.system) if name in LONG else name
        for name in GENERATORS
        if name != "notebooks"  # which need a kernel, and have tests of their own
    ],
)
def test_generated_pages_and_pictures_are_up_to_date(name: str) -> None:
    found = differences(GENERATORS[name]())
    assert not found, f"run docs/tools/write.py --write {name}\n" + "\n".join(found.values())


def test_every_picture_is_drawn_by_code() -> None:
    drawn = {*pictures.pictures()}
    for name in ("agents", "diagrams", "first-click", "report-points"):
        drawn |= GENERATORS[name]().keys()
    assert set((DOCS / "pictures").rglob("*.svg")) <= drawn


def test_the_page_of_commands_has_the_help_of_every_command() -> None:
    page = (DOCS / "commands.md").read_text(encoding="utf-8")
    with click.Context(cli) as context:
        for group, commands in COMMANDS.items():
            assert f"## {group}\n" in page
            for name in commands:
                command = cli.get_command(context, name)
                assert command is not None
                part = page.partition(f"### sweepstakes {name}\n")[2].partition("###")[0]
                missing = {word for option in command.params for word in option.opts if word.startswith("--")}
                assert not {word for word in missing if word not in part}, name


def test_the_page_of_the_tournament_file_has_every_key_and_says_what_it_means() -> None:
    page = (DOCS / "tournament-file.md").read_text(encoding="utf-8")
    keys = re.findall(
        r"^###? `\w+`\n\nType: \S.*?\. (?:Default: \S.*?\.|Required\.)\n\n\S.*?\n\n```yaml\n", page, re.M | re.S
    )
    assert len(keys) == len(re.findall(r"^###? `", page, re.MULTILINE)) == len(KEYS), "a key without all of its parts"


@pytest.mark.parametrize(("key", "text"), [*examples().items(), ("", WHOLE_FILE)])
def test_the_examples_of_the_tournament_file_are_understood(key: str, text: str, tmp_path: Path) -> None:
    file = tmp_path / "mine.yaml"
    for name in ("edge_first.py", "my_policy.py", "ann.py", "fog.py", "caution.py"):
        (tmp_path / name).touch()
    file.write_text(text, encoding="utf-8")
    load(file)
    *_, last = key.split(".")
    assert f"{last}:" in text or f"{{{last}:" in text


def test_the_page_of_the_architecture_names_what_is_there() -> None:
    page = (DOCS / "architecture.md").read_text(encoding="utf-8")
    files = re.findall(
        r"`((?:benchmarks|core|docs|leaderboards|plugins|tests|tournaments|web)/[\w/.]*)`(?:, `(\w+)`)?", page
    )
    assert len(files) > 40
    for file, name in files:
        path = ROOT / file
        assert path.exists(), file
        assert not name or re.search(rf"\b(def|class) {name}\b", path.read_text(encoding="utf-8")), f"{file}: {name}"


def test_the_page_of_python_has_every_exported_name_and_what_it_is() -> None:
    page = (DOCS / "python.md").read_text(encoding="utf-8")
    assert not re.findall(r"^\| `\w+` \| +\|$", page, re.MULTILINE), "a name without a sentence"


def test_the_page_of_the_agents_has_every_built_in_agent() -> None:
    assert {*SHOWN, "llm"} == {
        name for name, offer in Registry.default().offers("agent").items() if offer.plugin.origin == "built in"
    }


def test_the_program_of_the_definitions_makes_the_boards_of_tournaments() -> None:
    code = re.search(r"```python run\n(.*?)```", (DOCS / "definitions.md").read_text(encoding="utf-8"), re.DOTALL)
    assert code is not None
    names: dict[str, Any] = {}
    exec(code[1].rpartition("\nprint(")[0], names)
    for number, seed in enumerate((0, 7, 2**128 - 1)):
        setup = GameSetup(PRESETS["expert"], seed=seed, number=number)
        protected = (0, 1, 30, 31)
        rows = names["board"](seed, *setup.size, number, protected=protected)
        assert "\n".join(rows) == str(setup.board_ref(Registry.default()).board(protected)).strip()


def test_the_first_page_of_the_site_leads_to_every_page() -> None:
    index = (DOCS / "index.md").read_text(encoding="utf-8")
    for page in DOCS.glob("*.md"):
        if page.name != "index.md":
            assert f"]({page.name})" in index, f"the table of index.md has no link to {page.name}"
            assert re.search(rf"^(?:.* <)?{page.stem}>?$", index, re.MULTILINE), (
                f"the navigation of index.md has no {page.name}"
            )


def test_every_benchmark_is_on_the_page_of_speed() -> None:
    page = (DOCS / "speed.md").read_text(encoding="utf-8")
    for benchmark in (ROOT / "benchmarks").glob("*.py"):
        assert f"`{benchmark.name}" in page, benchmark.name
