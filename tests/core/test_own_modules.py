"""An agent's own files are found by reading its code. They are its identity, and all that it may import."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from textwrap import dedent

import pytest

from sweepstakes import Agent, PluginError, Registry, Spec
from sweepstakes.game.setup import GameSetup
from sweepstakes.game.size import Size
from sweepstakes.hosting import sealing
from sweepstakes.hosting.describing import read_imports
from sweepstakes.registry.import_statements import imported_names
from sweepstakes.registry.own_modules import is_installed, own_modules
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.registry.program_identity import digest_of
from sweepstakes.resolving import find_agent, find_agents, playing_agent
from sweepstakes.untrusted.files import read_file

AGENT = """
    from sweepstakes import Agent, Turn, hookimpl
    {imports}

    class Mine(Agent):
        '''Opens what its helper says.'''

        def act(self, view):
            {inside}
            return Turn(open=[{pick}(view)], why="random")

    @hookimpl
    def sweepstakes_agents():
        return {{"mine": Mine}}
"""
FIRST = "def pick(view):\n    return view.covered()[0]\n"
sealable = pytest.mark.skipif(bool(sealing.missing()), reason="this machine cannot seal")


def write(folder: Path, imports: str = "import helper", pick: str = "helper.pick", inside: str = "pass") -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / "mine.py"
    file.write_text(dedent(AGENT).format(imports=imports, pick=pick, inside=inside))
    return file


def names(file: Path, **how: Path | None) -> list[str]:
    folder = how.get("folder", file.parent)
    return [module.name for module in own_modules(file, file.read_text(), imported_names, folder=folder)]


def fault(spec: Spec | str, isolation: str = "process") -> str:
    """The fault of the agent in one game; empty if it has none."""
    from sweepstakes.game.playing import play_game

    registry = Registry(third_party=False)
    with playing_agent(registry, spec, isolation=isolation) as factory:
        return play_game(GameSetup(Size(2, 2, 1)).game(registry, "mine"), factory).result.fault


def test_imports_are_followed_through_modules_packages_and_namespaces(tmp_path: Path) -> None:
    file = write(tmp_path, "import helper, json, numpy, no_such_module, sweepstakes.game\nfrom pkg.inner import deep")
    (tmp_path / "helper.py").write_text("def lazy():\n    from space import far\nimport helper\n")
    (tmp_path / "pkg" / "inner").mkdir(parents=True)
    (tmp_path / "pkg" / "__init__.py").write_text("from . import beside\n")
    (tmp_path / "pkg" / "beside.py").write_text("from .inner.deep import X\nfrom ..above import nothing\n")
    (tmp_path / "pkg" / "inner" / "__init__.py").write_text("")
    (tmp_path / "pkg" / "inner" / "deep.py").write_text("X = 1\n")
    (tmp_path / "space").mkdir()
    (tmp_path / "space" / "far.py").write_text("")
    (tmp_path / "unused.py").write_text("")
    expected = ["helper", "pkg", "pkg.beside", "pkg.inner", "pkg.inner.deep", "space", "space.far"]
    assert names(file) == expected
    assert names(file, folder=None) == []


def test_what_is_installed_is_nobodys_own_whatever_lies_beside_the_agent(tmp_path: Path) -> None:
    file = write(tmp_path, "import json, numpy, sweepstakes")
    for name in ("json", "numpy", "sweepstakes"):
        (tmp_path / f"{name}.py").write_text("raise RuntimeError\n")
    assert names(file) == []
    assert is_installed(str(sys.modules["numpy"].__file__))
    assert is_installed(str(sys.modules["json"].__file__))
    assert not is_installed(str(file))


def test_a_changed_helper_is_another_version_and_another_folder_is_not(tmp_path: Path) -> None:
    here, there = write(tmp_path / "here"), write(tmp_path / "there")
    for file in (here, there):
        (file.parent / "helper.py").write_text(FIRST)
    version = PluginSource.of_file(here, read_imports).version
    assert version == PluginSource.of_file(there, read_imports).version
    assert version.split("+")[0] == PluginSource.of_file(here, read_imports, alone=True).version
    (there.parent / "helper.py").write_text(FIRST.replace("[0]", "[-1]"))
    assert version != PluginSource.of_file(there, read_imports).version


def test_a_module_is_imported_as_it_was_read(tmp_path: Path) -> None:
    file = write(tmp_path)
    (tmp_path / "helper.py").write_text(FIRST)
    registry = Registry(third_party=False)
    find_agents(registry, str(file))
    (tmp_path / "helper.py").write_text("raise RuntimeError\n")
    with playing_agent(registry, str(file)) as factory:
        assert isinstance(factory(), Agent)


@pytest.mark.parametrize("isolation", ["process", pytest.param("sealed", marks=sealable)])
def test_a_module_that_no_import_names_is_a_fault_with_the_line_to_add(isolation: str, tmp_path: Path) -> None:
    inside = "import importlib; helper = importlib.import_module('hel' + 'per')"
    file = write(tmp_path, "pass", inside=inside)
    (tmp_path / "helper.py").write_text("import second\n" + FIRST)
    (tmp_path / "second.py").write_text("")
    said = fault(str(file), isolation)
    assert "it loads the module 'helper', which is not one of its own files: list it: files: [" in said
    listed = Spec.parse(str(file)).adding({"files": [str(tmp_path / "helper.py")]})
    assert fault(listed, isolation) == ""


def test_a_module_of_another_folder_that_is_loaded_all_the_same_is_a_fault(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "faraway_helper.py").write_text(FIRST)
    inside = (
        f"import importlib, sys; sys.path.append({str(elsewhere)!r}); h = importlib.import_module('faraway_helper')"
    )
    file = write(tmp_path / "agent", "pass", inside=inside, pick="h.pick")
    assert f"files: [{elsewhere / 'faraway_helper.py'}]" in fault(str(file))


@sealable
def test_a_sealed_agent_imports_its_own_modules_and_reads_the_file_of_its_path(tmp_path: Path) -> None:
    file = write(tmp_path, "import helper", inside="open(self.path).read()")
    constructor = "    def __init__(self, path=''):\n        self.path = path\n\n"
    file.write_text(file.read_text().replace("    def act", f"{constructor}    def act"))
    (tmp_path / "helper.py").write_text(FIRST)
    (tmp_path / "weights.txt").write_text("1")
    spec = Spec.parse(str(file)).adding({"path": str(tmp_path / "weights.txt")})
    assert fault(spec, "sealed") == ""
    registry = Registry(third_party=False)
    before = find_agent(registry, spec).version
    (tmp_path / "weights.txt").write_text("2")
    assert find_agent(registry, spec).version != before


def test_an_editable_install_is_identified_by_its_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    info = tmp_path / "site" / "mine-1.0.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: mine\nVersion: 1.0\n")
    (info / "entry_points.txt").write_text("[sweepstakes]\nmine = editable_mine.mine\n")
    source = tmp_path / "src" / "editable_mine"
    write(source, "from . import helper")
    (source / "__init__.py").write_text("")
    (source / "helper.py").write_text(FIRST)
    for folder in ("site", "src"):
        monkeypatch.syspath_prepend(str(tmp_path / folder))
    from sweepstakes.hosting.describing import end_describing

    end_describing()  # the next host server has the new path
    registry = Registry()
    before = find_agent(registry, "mine")
    assert before.version.startswith("mine 1.0+")
    assert fault_of_installed(registry) == ""
    (source / "helper.py").write_text(FIRST.replace("[0]", "[-1]"))
    assert find_agent(Registry(), "mine").version != before.version
    end_describing()


def fault_of_installed(registry: Registry) -> str:
    from sweepstakes.game.playing import play_game

    with playing_agent(registry, "mine") as factory:
        return play_game(GameSetup(Size(2, 2, 1)).game(registry, "mine"), factory).result.fault


def test_two_trusted_plugins_with_helpers_of_one_name_are_refused(tmp_path: Path) -> None:
    score = (
        "import clashing_helper\nfrom sweepstakes import Score, hookimpl\n"
        "class S(Score):\n    def of(self, result): return 1.0\n    def worst(self, result): return 0.0\n"
        "@hookimpl\ndef sweepstakes_scores():\n    return {'NAME': S}\n"
    )
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"score_{name}.py").write_text(score.replace("NAME", name))
        (tmp_path / name / "clashing_helper.py").write_text(f"X = '{name}'\n")
    registry = Registry(third_party=False)
    assert registry.add_file(tmp_path / "one" / "score_one.py").error == ""
    second = registry.add_file(tmp_path / "two" / "score_two.py")
    assert "its module 'clashing_helper'" in second.error
    assert " has the same name as " in second.error
    assert second.error.endswith("clashing_helper.py: rename one")


def test_two_files_may_offer_agents_of_one_name(tmp_path: Path) -> None:
    registry = Registry(third_party=False)
    for name in ("new", "old"):
        file = write(tmp_path / name, "pass", pick="(lambda view: view.covered()[0])")
        file.write_text(file.read_text() + f"# {name}\n")
    new, old = (find_agent(registry, str(tmp_path / name / "mine.py")) for name in ("new", "old"))
    assert new.spec == old.spec == Spec("mine")
    assert new.version != old.version
    basic = tmp_path / "basic.py"
    basic.write_text((tmp_path / "new" / "mine.py").read_text().replace('"mine"', '"basic"'))
    assert find_agent(registry, str(basic)).hosted
    assert find_agent(registry, "basic").version == "v1"
    other = tmp_path / "other.py"
    other.write_text(basic.read_text())
    assert "two plugins offer the agent 'basic'" in registry.add_file(other).error


def test_the_imports_of_a_long_file_are_found_without_a_tree_of_all_of_it(tmp_path: Path) -> None:
    for name in ("first", "second", "third", "fourth", "fifth"):
        (tmp_path / f"{name}.py").write_text("x = 1\n")
    numbers = f"x = [{'1,' * 200_000}]\n"
    rest = "if x: import second; from third import (\n    x,\n)\ndef f():\n    import fourth, \\\n fifth\n"
    text = f"\ufeffimport first\n{numbers}{rest}"
    long = tmp_path / "long.py"
    long.write_text(text)
    found = own_modules(long, text.encode().decode("latin-1"), imported_names, folder=tmp_path)
    assert [module.name for module in found] == ["fifth", "first", "fourth", "second", "third"]


@pytest.mark.parametrize("text", ["import x\n" * 100_000, f"from x import ({'y,' * 200_000})\n"])
def test_a_long_file_that_imports_very_much_is_refused(text: str, tmp_path: Path) -> None:
    with pytest.raises(PluginError, match="its import statements are too long or too many"):
        own_modules(tmp_path / "long.py", text, imported_names, folder=tmp_path)


@pytest.mark.skipif(not Path("/proc/self/fd").is_dir(), reason="this system does not list open files")
@pytest.mark.parametrize("read", [lambda folder: read_file(folder, 10, PluginError), digest_of])
def test_a_folder_that_is_read_as_a_file_is_left_closed(read: Callable[[Path], object], tmp_path: Path) -> None:
    before = set(Path("/proc/self/fd").iterdir())
    with pytest.raises(PluginError, match="cannot be read"):
        read(tmp_path)
    assert set(Path("/proc/self/fd").iterdir()) == before
