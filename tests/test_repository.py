"""What must be true of the repository as a whole."""

from __future__ import annotations

import ast
import functools
import importlib
import importlib.metadata
import inspect
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from collections.abc import Collection, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

import pytest

import sweepstakes
from sweepstakes import hookspecs
from sweepstakes.registry.loading import HOOKS, KINDS

ROOT = Path(__file__).parents[1]
FOLDERS = {"core": "sweepstakes"} | {
    folder: f"sweepstakes.{folder}" for folder in ("plugins", "tournaments", "leaderboards", "web")
}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def sources(folder: str) -> list[Path]:
    """Return the modules of a package. The templates of `sweepstakes new` are data."""
    skipped = {"__pycache__", "templates"}
    return sorted(path for path in (ROOT / folder).rglob("*.py") if not skipped & set(path.parts))


def module_name(path: Path) -> str:
    """Return the name under which a file is imported."""
    folder, *inner = path.relative_to(ROOT).with_suffix("").parts
    return ".".join([FOLDERS[folder], *inner]).removesuffix(".__init__")


def imported(path: Path) -> set[str]:
    """The modules that a file imports anywhere, type checking included; relative imports are not used."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: a relative import"
            names |= {node.module or ""} | {f"{node.module}.{alias.name}" for alias in node.names}
    return names


def test_the_list_of_packages_equals_the_folders() -> None:
    folders = {module_name(path) for folder in FOLDERS for path in sources(folder) if path.name == "__init__.py"}
    assert PROJECT["tool"]["setuptools"]["packages"] == sorted(folders)
    unlisted = {path.parent for folder in FOLDERS for path in sources(folder)} - {
        path.parent for folder in FOLDERS for path in sources(folder) if path.name == "__init__.py"
    }
    assert not unlisted, "a folder of modules without __init__.py is missing from the wheel"


def test_the_folders_are_mapped_to_their_packages() -> None:
    assert PROJECT["tool"]["setuptools"]["package-dir"] == {package: folder for folder, package in FOLDERS.items()}


@pytest.mark.system
def test_the_wheel_is_complete(tmp_path: Path) -> None:
    try:
        version = importlib.metadata.version("setuptools")
    except importlib.metadata.PackageNotFoundError:
        version = "0"
    if int(version.split(".")[0]) < 77:
        pytest.skip(f"setuptools is {version} here: the extra `test` brings one that can build")
    copy = tmp_path / "copy"
    ignored = shutil.ignore_patterns(".git", ".venv", "build", "runs", "*.egg-info", "__pycache__", ".*_cache")
    shutil.copytree(ROOT, copy, ignore=ignored)
    made = subprocess.run(
        [
            sys.executable,
            "-m",
            "pip",
            "wheel",
            "-q",
            "--no-deps",
            "--no-build-isolation",
            "-w",
            str(tmp_path),
            str(copy),
        ],
        capture_output=True,
        text=True,
        check=False,
    )
    assert made.returncode == 0, made.stderr
    (wheel,) = tmp_path.glob("*.whl")
    inside = set(zipfile.ZipFile(wheel).namelist())
    expected = {
        f"{module_name(path).replace('.', '/')}{'/__init__' if path.name == '__init__.py' else ''}.py"
        for folder in FOLDERS
        for path in sources(folder)
    }
    presets, templates = ROOT / "tournaments" / "presets", ROOT / "core" / "cli" / "templates"
    expected |= {f"sweepstakes/tournaments/presets/{path.name}" for path in presets.glob("*.yaml")}
    expected |= {f"sweepstakes/cli/templates/{path.name}" for path in templates.iterdir()}
    expected |= {f"sweepstakes/plugins/agents/{path.name}" for path in (ROOT / "plugins" / "agents").glob("*.npz")}
    expected |= {f"sweepstakes/web/static/{path.name}" for path in (ROOT / "web" / "static").iterdir()}
    expected |= {"sweepstakes/py.typed"}
    assert expected <= inside, sorted(expected - inside)
    assert {name for name in inside if name.endswith((".py", ".yaml"))} <= expected


@pytest.mark.parametrize("folder", ["core", "core/learning", "tournaments"])
def test_public_names_are_those_that_type_checkers_see(folder: str) -> None:
    tree = ast.parse((ROOT / folder / "__init__.py").read_text(encoding="utf-8"))
    typed, *_ = (node for node in tree.body if isinstance(node, ast.If))
    package = importlib.import_module(module_name(ROOT / folder / "__init__.py"))
    seen = []
    for line in typed.body:
        assert isinstance(line, ast.ImportFrom)
        assert line.module is not None
        for alias in line.names:
            seen.append(alias.name)
            assert getattr(package, alias.name) is getattr(importlib.import_module(line.module), alias.name)
    assert sorted(seen) == package.__all__


def test_every_public_name_can_be_imported() -> None:
    for name in sweepstakes.__all__:
        assert getattr(sweepstakes, name) is not None
    space: dict[str, object] = {}
    exec("from sweepstakes import *", space)
    assert set(sweepstakes.__all__) <= set(space)
    with pytest.raises(AttributeError, match="module 'sweepstakes' has no attribute 'Agnet'"):
        _ = sweepstakes.Agnet


LAYERS = """
errors untrusted spec lazy logs os_support markup html_page tables wiring compiling plugins.list
drawing
game agent boards noise score report executor limits standings hookspecs
inference
review | registry
learning | hosting
resolving | warm_up
testing
door
plugins
tournaments.config
tournaments.condition_words tournaments.plan tournaments.shard tournaments.sweeps tournaments.time_outs
tournaments.game_counts
tournaments.resolve
tournaments.storage
tournaments.statistics
tournaments.running | tournaments.quiz
tournaments.replay | tournaments.game_scores
tournaments.match tournaments.match_text tournaments.earlier_games | tournaments.verification | tournaments.comparison
tournaments.race | tournaments.review | tournaments.stored_run | tournaments.checked_games
tournaments.race_report
tournaments.door
leaderboards | web
cli
"""
"""The packages and modules from the lowest layer to the highest. Each imports itself and what is in lower layers; what
`|` separates in a layer does not import each other. `door` is an `__init__.py` that names public things lazily,
`plugins.list` the one that lists the built-in plugins."""
MAX_IMPORTS_IN_FUNCTIONS = 40
"""Imports of our own modules inside functions, name by name: for the lazy command line and optional extras."""


class Imports(NamedTuple):
    """The modules of ours that a module imports, those for type checkers left out."""

    modules: set[str]
    in_functions: list[str]
    """Those that are imported inside functions, name by name."""


def read_imports(tree: ast.AST, known: Collection[str]) -> Imports:
    """The imports in a module, wherever they are. An empty package is a place: to import it imports nothing."""
    found = Imports(set(), [])

    def visit(node: ast.AST, inside: bool) -> None:
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            return
        inside = inside or isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef)
        names = [alias.name for alias in node.names] if isinstance(node, ast.Import | ast.ImportFrom) else []
        if isinstance(node, ast.ImportFrom):
            names = [f"{node.module}.{name}" for name in names]
        for name in names:
            module = next((each for each in reversed(packages_of(name)) if each in known), "")
            if module:
                found.modules.add(module)
                found.in_functions.extend([module] * inside)
        for child in ast.iter_child_nodes(node):
            visit(child, inside)

    visit(tree, False)
    return found


def packages_of(module: str) -> list[str]:
    """The packages around a module, from the outermost on, and the module."""
    words = module.split(".")
    return [".".join(words[: count + 1]) for count in range(len(words))]


@functools.cache
def all_imports() -> dict[str, Imports]:
    """The imports of every module."""
    trees = {
        module_name(path): ast.parse(path.read_text(encoding="utf-8")) for folder in FOLDERS for path in sources(folder)
    }
    known = {name for name, tree in trees.items() if len(tree.body) > 1}
    return {name: read_imports(tree, known - {name}) for name, tree in trees.items()}


def part_of(module: str) -> str:
    """The package or module of `LAYERS` to which a module belongs."""
    words = module.split(".")[1:]
    if "cli" in words or words == ["__main__"]:
        return "cli"
    if not words:
        return "door"
    if words[0] == "tournaments":
        return ".".join(words[:2]) if len(words) > 1 else "tournaments.door"
    return "plugins.list" if words == ["plugins"] else words[0]


def find_cycle(edges: Mapping[str, Collection[str]]) -> list[str]:
    """Return modules that import each other in a circle, if any."""
    finished: set[str] = set()
    path: list[str] = []

    def visit(module: str) -> list[str]:
        if module in path:
            return path[path.index(module) :]
        if module not in finished:
            path.append(module)
            for other in sorted(edges.get(module, ())):
                if found := visit(other):
                    return found
            path.pop()
            finished.add(module)
        return []

    return next(filter(None, map(visit, sorted(edges))), [])


def test_a_cycle_is_found() -> None:
    assert find_cycle({"a": {"b"}, "b": {"c", "d"}, "d": {"b"}}) == ["b", "d"]
    assert find_cycle({"a": {"b", "c"}, "b": {"c"}}) == []


def test_imports_in_functions_count_and_those_for_type_checkers_do_not() -> None:
    text = "from a import b\nif TYPE_CHECKING:\n    import c\ndef f():\n    from a.d import x, y\n"
    assert read_imports(ast.parse(text), {"a", "a.b", "a.d", "c"}) == ({"a.b", "a.d"}, ["a.d", "a.d"])


def test_no_modules_import_each_other_in_a_circle() -> None:
    assert find_cycle({name: imports.modules for name, imports in all_imports().items()}) == []


def test_few_modules_are_imported_inside_functions() -> None:
    found = [f"{name} imports {each}" for name, imports in all_imports().items() for each in imports.in_functions]
    assert len(found) <= MAX_IMPORTS_IN_FUNCTIONS, "\n".join(found)


def test_every_layer_imports_only_what_lies_below_it() -> None:
    layers = [[part.split() for part in line.split("|")] for line in LAYERS.strip().splitlines()]
    places = {name: (rank, i) for rank, parts in enumerate(layers) for i, names in enumerate(parts) for name in names}
    assert {part_of(module) for module in all_imports()} == set(places)
    for module, imports in all_imports().items():
        here = places[part_of(module)]
        for name in imports.modules:
            there = places[part_of(name)]
            assert there == here or there[0] < here[0], f"{module} imports {name}"


def modules() -> dict[str, set[str]]:
    """Every module, and the modules of ours that it imports, also those for type checkers."""
    names = {module_name(path) for folder in FOLDERS for path in sources(folder)}
    return {
        module_name(path): {name for name in imported(path) if name in names} - {module_name(path)}
        for folder in FOLDERS
        for path in sources(folder)
    }


def package_of(module: str) -> str:
    return max((folder for folder in FOLDERS.values() if f"{module}.".startswith(f"{folder}.")), key=len)


def test_nothing_imports_the_command_line_but_the_command_line() -> None:
    for module, names in modules().items():
        if "cli" not in module.split(".") and module != "sweepstakes.__main__":
            assert not {name for name in names if "cli" in name.split(".")}, module


def test_a_module_whose_name_begins_with_an_underscore_is_imported_by_its_own_package_only() -> None:
    for module, names in modules().items():
        for name in names:
            package, _, leaf = name.rpartition(".")
            if leaf.startswith("_") and leaf != "__main__":
                assert f"{module}.".startswith(f"{package}."), f"{module} imports {name}"
                assert package_of(module) == package_of(name), f"{module} imports {name}, of another package"


PUBLIC_IN_SPITE_OF_AN_UNDERSCORE = {
    **dict.fromkeys(("_asdict", "_fields", "_make", "_replace"), "documented names of a NamedTuple"),
    **dict.fromkeys(("_repr_html_", "_repr_svg_"), "what notebooks call"),
    "_exit": "os._exit ends a process at once, which nothing else does",
    "_getframe": "sys._getframe is how an agent peeks at its caller",
}
ALLOWED_PRIVATE_ATTRIBUTES = {
    "tests/nasty": "agents that attack the program from inside",
}


def private_names(tree: ast.AST) -> Iterator[tuple[int, str]]:
    """The private names of other objects and modules that a file reads, sets or imports, with their lines."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            own = isinstance(node.value, ast.Name) and node.value.id in ("self", "cls")
            names = [] if own else [node.attr]
        elif isinstance(node, ast.ImportFrom):
            names = [*(node.module or "").split("."), *(alias.name for alias in node.names)]
        elif isinstance(node, ast.Call) and ast.unparse(node.func).endswith("attr"):  # getattr, setattr and a patch
            given = [each.value for each in node.args[:2] if isinstance(each, ast.Constant)]
            names = [name for text in given if isinstance(text, str) for name in text.split(".")]
        else:
            continue
        for name in names:
            private = name.startswith("_") and not name.startswith("__")
            if private and name not in PUBLIC_IN_SPITE_OF_AN_UNDERSCORE:
                yield node.lineno, name


def test_tests_use_public_names() -> None:
    """A kernel that is compared with a slow twin may be in a private module, whose name ends in `_kernels`."""
    found = []
    for path in sorted(ROOT.glob("tests/**/*.py")):
        place = path.relative_to(ROOT)
        if {place.as_posix(), *(parent.as_posix() for parent in place.parents)} & ALLOWED_PRIVATE_ATTRIBUTES.keys():
            continue
        names = private_names(ast.parse(path.read_text(encoding="utf-8")))
        found += [f"{place}:{line}: {name}" for line, name in names if not name.endswith("_kernels")]
    assert found == []


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("run._query('x')", ["_query"]),
        ("agent._clicked = 4", ["_clicked"]),
        ("from sweepstakes.inference.stuck import _describe", ["_describe"]),
        ("monkeypatch.setattr(module, '_CHUNK', 1)", ["_CHUNK"]),
        ("monkeypatch.setattr('package.module._CHUNK', 1)", ["_CHUNK"]),
        ("self._calls = row._replace(a=1), __name__", []),
    ],
)
def test_private_names_are_found(text: str, names: list[str]) -> None:
    assert [name for _, name in private_names(ast.parse(text))] == names


def texts(path: Path) -> Iterator[str]:
    """Every text in a Python file, docstrings included, or in a page all of it."""
    if path.suffix != ".py":
        yield path.read_text(encoding="utf-8")
        return
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value


NOT_THERE = {
    "sweepstakes.Agnet",
    "sweepstakes.learning.stable_baselines",
    "sweepstakes.learning.stable_baselines.StableBaselinesEnv",
    "sweepstakes.__main__",
    "sweepstakes.plugins.whole",
    "sweepstakes.plugins.agents.mine",
}
"""Names that tests and pages make up, the one module that does not return when it is imported, and one that needs
stable-baselines3."""


def test_every_module_that_a_text_names_is_there() -> None:
    """Texts become programs of other processes, lazy imports, and what readers of the docs look for."""
    pages = [
        ROOT / "README.md",
        ROOT / "CONTRIBUTING.md",
        *ROOT.glob("docs/*.md"),
        *ROOT.glob("benchmarks/*.py"),
        *ROOT.glob("tests/**/*.py"),
    ]
    for path in [*pages, *(path for folder in FOLDERS for path in sources(folder))]:
        for text in texts(path):
            named = set(re.findall(r"(?<![\w./-])sweepstakes(?:\.[A-Za-z_]\w*)+", text))
            for module, names in re.findall(r"from (sweepstakes[\w.]*) import ([\w, ]+)", text):
                named |= {f"{module}.{name.split()[0]}" for name in names.split(",") if name.strip()}
            for name in sorted(named - NOT_THERE):
                assert exists(name), f"{path.relative_to(ROOT)} names {name}"


def exists(name: str) -> bool:
    """Return whether a dotted name is a module, or something in one."""
    words = name.split(".")
    for count in range(len(words), 0, -1):
        try:
            thing: object = importlib.import_module(".".join(words[:count]))
        except ModuleNotFoundError:
            continue
        for word in words[count:]:
            if not hasattr(thing, word):
                return False
            thing = getattr(thing, word)
        return True
    return False


def test_nothing_imports_a_package_by_the_name_of_its_folder() -> None:
    for path in [*ROOT.glob("tests/**/*.py"), *(path for folder in FOLDERS for path in sources(folder))]:
        second = {name for name in imported(path) if name.split(".")[0] in FOLDERS}
        assert not second, f"{path} imports {second}, a second copy"
    assert not {name for name in sys.modules if name.split(".")[0] in FOLDERS}


def test_every_hook_is_typed_and_says_what_it_is_for() -> None:
    assert set(KINDS.values()) < set(HOOKS)
    for name in HOOKS:
        hook = getattr(hookspecs, name)
        signature = inspect.signature(hook)
        assert inspect.getdoc(hook), name
        assert signature.return_annotation is not inspect.Signature.empty, name
        assert all(p.annotation is not inspect.Parameter.empty for p in signature.parameters.values()), name
        assert hasattr(hook, "sweepstakes_spec"), name
    assert len(Path(str(hookspecs.__file__)).read_text(encoding="utf-8").splitlines()) <= 70, "one screen"


def test_every_module_begins_with_a_sentence() -> None:
    for folder in FOLDERS:
        for path in sources(folder):
            words = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8")))
            assert words, path
            assert words.splitlines()[0].endswith((".", ":")), path


def tracked() -> list[Path]:
    if shutil.which("git") is None or not (ROOT / ".git").exists():
        pytest.skip("not a git checkout")
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    return [ROOT / name for name in listed.split("\0") if name and (ROOT / name).is_file()]


def test_no_tracked_file_names_a_place_on_somebodys_machine() -> None:
    place = re.compile(rb"/(?:home|Users|root|work|tmp|opt)/[A-Za-z0-9_.-]+|[A-Z]:\\Users")
    for path in tracked():
        if path != Path(__file__).resolve():
            found = place.search(path.read_bytes())
            assert found is None, f"{path}: {found and found.group()!r}"


def test_nothing_generated_is_tracked() -> None:
    generated = {"__pycache__", "build", "dist", "runs", ".venv", ".mypy_cache", ".pytest_cache", ".hypothesis"}
    for path in tracked():
        assert not generated & set(path.relative_to(ROOT).parts), path


def test_the_changelog_has_the_version_and_dates() -> None:
    headings = re.findall(r"^## (.*)$", (ROOT / "CHANGELOG.md").read_text(encoding="utf-8"), re.M)
    released = headings[1:] if headings[0] == "[Unreleased]" else headings
    dates = [re.fullmatch(r"\[(\d+\.\d+\.\d+)\] - (\d{4}-\d\d-\d\d)", heading) for heading in released]
    found = [match.groups() for match in dates if match is not None]
    assert len(found) == len(released), f"expected `## [VERSION] - YEAR-MONTH-DAY`: {released}"
    assert found[0][0] == PROJECT["project"]["version"]
    assert [date for _, date in found] == sorted((date for _, date in found), reverse=True)


def test_what_the_checks_of_the_forge_name_is_there() -> None:
    for path in [*(ROOT / ".ci").iterdir(), *ROOT.glob(".github/workflows/*.yml"), ROOT / ".pre-commit-config.yaml"]:
        for name in re.findall(r"(?<![\w/.])((?:tests|benchmarks|\.ci)/[\w/.]*\w)", path.read_text(encoding="utf-8")):
            assert (ROOT / name).exists(), f"{path.relative_to(ROOT)} names {name}"
