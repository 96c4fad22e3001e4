"""Plugins are described by hosts: under the isolation and the time of the tournament, and see no more than agents."""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path

import pytest
from said import Said

from sweepstakes.errors import PluginError
from sweepstakes.hosting import sealing
from sweepstakes.hosting.describing import HostDescriber, read_imports
from sweepstakes.limits import Limits
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.registry.registry import Registry
from sweepstakes.resolving import find_agent
from sweepstakes.spec import Spec

sealed_only = pytest.mark.skipif(bool(sealing.missing()), reason="; ".join(sealing.missing()))

SEALED = HostDescriber("sealed")
STRANGER = """
import os, pathlib
from sweepstakes import hookimpl
try:
    pathlib.Path({folder!r}, "imported").write_text("x")
except OSError:
    pass
assert os.environ.get("SWEEPSTAKES_TEST_SECRET", "") == {secret!r}, os.environ

@hookimpl
def sweepstakes_scores():
    return {{"stranger": object}}
"""


def write(folder: Path, secret: str = "") -> Path:
    path = folder / "stranger.py"
    path.write_text(STRANGER.format(folder=str(folder), secret=secret))
    return path


@sealed_only
def test_a_file_that_is_named_for_its_agent_is_not_imported_here_whatever_it_offers(tmp_path: Path) -> None:
    path = write(tmp_path)
    registry = Registry(third_party=False, describer=SEALED)
    with pytest.raises(PluginError, match="offers no agent"):
        registry.named("agent", Spec.parse(str(path)))
    plugin = Registry(third_party=False, describer=SEALED).add_file(path, only_agents=True)
    assert plugin.offers == {"score": ["stranger"]}
    assert not (tmp_path / "imported").exists()


@sealed_only
def test_a_sealed_host_does_not_see_the_environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SWEEPSTAKES_TEST_SECRET", "secret")
    assert SEALED.describe(PluginSource.of_file(write(tmp_path), read_imports)).offers
    assert HostDescriber().describe(PluginSource.of_file(write(tmp_path, "secret"), read_imports)).offers


def test_no_host_sees_the_key_of_language_models(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SWEEPSTAKES_LLM_KEY", "secret")
    path = write(tmp_path)
    path.write_text(path.read_text().replace("SWEEPSTAKES_TEST_SECRET", "SWEEPSTAKES_LLM_KEY"))
    assert HostDescriber().describe(PluginSource.of_file(path, read_imports)).offers


LIAR = """
from sweepstakes import Agent, hookimpl
from sweepstakes.hosting import frames

class Liar(Agent):
    pass

@hookimpl
def sweepstakes_agents():
    return {{"liar": Liar, "honest": Liar}}

honest = frames.done_frame
frames.done_frame = lambda number, answer: honest(number, {{**answer, "file": {file!r}}})
"""


def test_a_plugin_that_says_it_is_another_file_does_not_take_its_place(tmp_path: Path) -> None:
    liar, honest = tmp_path / "liar.py", tmp_path / "honest.py"
    liar.write_text(LIAR.format(file=str(honest)))
    honest.write_text(LIAR.partition("honest =")[0].format().replace('"liar": Liar, ', ""))
    registry = Registry(third_party=False)
    registry.add_file(liar, only_agents=True)
    assert registry.plugins[-1].file == str(liar)
    source = find_agent(registry, f"{honest}:honest", check=False)
    assert source is not None
    assert source.plugin is not None
    assert source.plugin.path == str(honest)


def test_describing_takes_no_longer_than_the_tournament_allows(tmp_path: Path) -> None:
    path = tmp_path / "slow.py"
    path.write_text("while True:\n    pass\n")
    with pytest.raises(PluginError, match=r"it took more than 0\.2 s to start"):
        HostDescriber("process", Limits(start_seconds=0.2)).describe(PluginSource.of_file(path, read_imports))


@pytest.mark.parametrize("frame", [r"\1\0\0\0D", r"\4\0\0\0D\0\0\0", r"\5\0\0\0D\1\0\0\0"])
def test_a_file_that_answers_in_the_place_of_its_host_is_refused_in_a_line(tmp_path: Path, frame: str) -> None:
    path = tmp_path / "forger.py"
    path.write_text(
        "import os\n"
        "for file in range(3, 300):\n"
        "    try:\n"
        f"        os.write(file, b'{frame}')\n"
        "    except OSError:\n"
        "        pass\n"
    )
    with pytest.raises(PluginError, match="wrote into the files of its process"):
        HostDescriber().describe(PluginSource.of_file(path, read_imports))


def test_third_party_text_is_parsed_in_a_host_and_not_here(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, sweepstakes: Callable[..., Said]
) -> None:
    import ast

    def refuse(*_: object, **__: object) -> None:
        raise AssertionError("the main process parses")

    greedy = tmp_path / "greedy.py"
    greedy.write_text(f"import a{'.a' * 85_000}\n")  # whose tree takes 8 GB
    importlib.import_module("sweepstakes.tournaments.config.model")  # whose classes pydantic parses
    with monkeypatch.context() as patch:
        patch.setattr(ast, "parse", refuse)
        said = sweepstakes("check", "greedy.py")
    assert said.code == 1
    killed = "its imports cannot be read: that held more than 1024 MB"  # if that is noticed first
    assert "it cannot be read: its code takes too much memory" in said.out or killed in said.out
    assert "Traceback" not in said.out + said.err


def test_limits_of_descriptions_are_those_of_one_registry(tmp_path: Path) -> None:
    slow = tmp_path / "slow.py"
    slow.write_text("import time\ntime.sleep(0.5)\n")
    hasty = Registry(third_party=False, describer=HostDescriber("process", Limits(start_seconds=0.2)))
    assert "took more than 0.2 s" in hasty.add_file(slow).error
    assert "it has no hook" in Registry(third_party=False).add_file(slow).error
