"""What must be true of the repository as a whole."""

from __future__ import annotations

import ast
import importlib.metadata
import inspect
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from pathlib import Path

import pytest

import sweepstakes
from sweepstakes import hookspecs
from sweepstakes.registry.registry import HOOKS, KINDS

ROOT = Path(__file__).parents[1]
ROOMS = {"core": "sweepstakes"} | {
    room: f"sweepstakes.{room}" for room in ("plugins", "tournaments", "leaderboards", "web")
}
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def sources(room: str) -> list[Path]:
    return sorted(path for path in (ROOT / room).rglob("*.py") if "__pycache__" not in path.parts)


def module_name(path: Path) -> str:
    """What a file of a room is imported as."""
    room, *inner = path.relative_to(ROOT).with_suffix("").parts
    return ".".join([ROOMS[room], *inner]).removesuffix(".__init__")


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
    folders = {module_name(path) for room in ROOMS for path in sources(room) if path.name == "__init__.py"}
    assert PROJECT["tool"]["setuptools"]["packages"] == sorted(folders)
    unlisted = {path.parent for room in ROOMS for path in sources(room)} - {
        path.parent for room in ROOMS for path in sources(room) if path.name == "__init__.py"
    }
    assert not unlisted, "a folder of modules without __init__.py is missing from the wheel"


def test_the_rooms_are_mapped_to_their_packages() -> None:
    assert PROJECT["tool"]["setuptools"]["package-dir"] == {package: room for room, package in ROOMS.items()}


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
        for room in ROOMS
        for path in sources(room)
    }
    expected |= {f"sweepstakes/tournaments/{path.name}" for path in (ROOT / "tournaments").glob("*.yaml")}
    expected |= {f"sweepstakes/web/static/{path.name}" for path in (ROOT / "web" / "static").iterdir()}
    expected |= {"sweepstakes/py.typed"}
    assert expected <= inside, sorted(expected - inside)
    assert {name for name in inside if name.endswith((".py", ".yaml"))} <= expected


def lazy_door(path: Path) -> tuple[set[str], set[str], list[str]]:
    """Of a package's `__init__.py`: the names for type checkers, the names of the lazy door, and `__all__`."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    typed: set[str] = set()
    lazy: set[str] = set()
    listed: list[str] = []
    for node in tree.body:
        if isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING":
            for line in node.body:
                assert isinstance(line, ast.ImportFrom)
                typed |= {f"{line.module}.{alias.name}" for alias in line.names}
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__all__":
            listed = ast.literal_eval(node.value)
        elif isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "__getattr__":
            assert isinstance(node.value, ast.Call)
            package = module_name(path)
            for module, names in ast.literal_eval(node.value.args[1]).items():
                lazy |= {f"{package}.{module}.{name}" for name in names.split()}
    return typed, lazy, listed


@pytest.mark.parametrize("room", ["core", "tournaments"])
def test_a_public_door_says_the_same_three_times(room: str) -> None:
    typed, lazy, listed = lazy_door(ROOT / room / "__init__.py")
    assert typed == lazy
    assert sorted(listed) == sorted(name.rpartition(".")[2] for name in lazy)
    assert len(listed) == len(set(listed))
    assert listed


def test_every_public_name_can_be_imported() -> None:
    for name in sweepstakes.__all__:
        assert getattr(sweepstakes, name) is not None
    space: dict[str, object] = {}
    exec("from sweepstakes import *", space)
    assert set(sweepstakes.__all__) <= set(space)
    with pytest.raises(AttributeError, match="module 'sweepstakes' has no attribute 'Agnet'"):
        _ = sweepstakes.Agnet  # type: ignore[attr-defined]


@pytest.mark.parametrize(
    ("room", "banned"),
    [
        ("core", ("plugins", "tournaments", "leaderboards", "web")),
        ("plugins", ("tournaments", "leaderboards", "web")),
        ("tournaments", ("leaderboards", "web")),
        ("leaderboards", ("web",)),
        ("web", ("leaderboards",)),
    ],
)
def test_rooms_import_only_what_lies_below_them(room: str, banned: tuple[str, ...]) -> None:
    packages = tuple(f"sweepstakes.{name}" for name in banned)
    for path in sources(room):
        upward = {name for name in imported(path) if any(f"{name}.".startswith(f"{package}.") for package in packages)}
        if path == ROOT / "core" / "registry.py":
            upward.discard("sweepstakes.plugins")  # it walks that folder, by name
        if path == ROOT / "core" / "__init__.py":
            upward = {name for name in upward if "stored_run" not in name}  # `sweepstakes.open_run`, when asked
        if path == ROOT / "leaderboards" / "commands.py":
            upward -= {"sweepstakes.web.site.site", "sweepstakes.web.site.site.write_site"}  # `publish --site`, when asked
        assert not upward, f"{path} imports {upward}"


def test_nothing_imports_a_room_by_its_folder() -> None:
    for path in [*ROOT.glob("tests/**/*.py"), *(path for room in ROOMS for path in sources(room))]:
        second = {name for name in imported(path) if name.split(".")[0] in ROOMS}
        assert not second, f"{path} imports {second}, a second copy"
    assert not {name for name in sys.modules if name.split(".")[0] in ROOMS}


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
    for room in ROOMS:
        for path in sources(room):
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
