"""A change in the source of any kernel invalidates all compiled kernels."""

from __future__ import annotations

import ast
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from pkgutil import walk_packages

import numba
import pytest
from numba.core import types
from numba.core.dispatcher import Dispatcher

from sweepstakes import warm_up
from sweepstakes.compiling import decorators
from sweepstakes.game.result import max_turns
from sweepstakes.plugins.agents import exact, learned
from sweepstakes.web.engine import build

not_compiled = bool(numba.config.DISABLE_JIT)  # type: ignore[attr-defined]
PACKAGES = ["sweepstakes", "sweepstakes.plugins", "sweepstakes.web"]


def compiled() -> Iterator[Dispatcher]:
    """Every compiled function of ours."""
    names = {
        module.name
        for package in PACKAGES
        for module in walk_packages(import_module(package).__path__, f"{package}.")
        if not module.name.endswith(("__main__", "learning.stable_baselines"))  # which is not installed for the tests
    }
    for name in sorted(names):
        for value in vars(import_module(name)).values():
            if isinstance(value, Dispatcher):
                yield value


def imported(source: Path) -> Iterator[Path]:
    """The files of ours that a file imports names from."""
    for node in ast.walk(ast.parse(source.read_text())):
        assert not isinstance(node, ast.ImportFrom) or node.level == 0
        names = [node.module or ""] if isinstance(node, ast.ImportFrom) else []
        names += [alias.name for alias in node.names] if isinstance(node, ast.Import) else []
        for name in names:
            if name.split(".")[0] == "sweepstakes":
                spec = find_spec(name)
                assert spec is not None
                assert spec.origin is not None
                yield Path(spec.origin)


@pytest.mark.skipif(not_compiled, reason="nothing is compiled")
def test_every_compiled_function_is_defined_in_a_file_that_is_watched() -> None:
    watched = {path.resolve() for path in decorators.sources()}
    watched.add(Path(learned.__file__).resolve())  # all in one file, at which numba's cache looks by itself
    watched.update(path.resolve() for path in build.sources())  # of the module for browsers, which has its own digest
    functions = {function.py_func for function in compiled()} - {max_turns, exact.opening_cell}  # both in that digest
    names = {one.__name__ for one in functions}
    assert {"place_mines", "longest_frontier", "sum_layouts", "settle", "least_probable"} <= names
    assert {one.__qualname__ for one in functions if Path(one.__code__.co_filename).resolve() not in watched} == set()


@pytest.mark.skipif(not_compiled, reason="nothing is compiled")
def test_every_kernel_that_is_cached_closes_over_the_digest() -> None:
    cached = [function for function in compiled() if function.stats.cache_path is not None]
    assert len(cached) > 10
    for function in cached:
        assert [cell.cell_contents for cell in function.py_func.__closure__ or ()] == [decorators.DIGEST], function


@pytest.mark.skipif(not_compiled, reason="nothing is compiled")
def test_where_references_are_not_counted_no_array_leaves_a_function_for_one_that_counts_them() -> None:
    warm_up.warm_up(quiet=True)
    for function in compiled():
        if not function.targetoptions["_nrt"]:
            for one in function.overloads.values():
                assert not _holds_arrays(one.signature.return_type), function  # type: ignore[attr-defined]


def _holds_arrays(given: types.Type) -> bool:
    return isinstance(given, types.Array) or any(map(_holds_arrays, getattr(given, "types", ())))


@pytest.mark.slow
@pytest.mark.skipif(not_compiled, reason="nothing is compiled")
def test_numba_compiles_the_kernels_without_our_shortcuts_too(tmp_path: Path) -> None:
    script = (
        "import numba; numba.version_info = numba.version_info._replace(short=(9, 9))\n"
        "from sweepstakes import inference\n"
        "from sweepstakes.game.view import View\nfrom sweepstakes.inference import deduction\n"
        "view = View.parse('1 3 1\\n.1.')\n"
        "print(inference.Knowledge.of(view, deduction.pairs, False).safe, inference.forced(view.shown).status)\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env=os.environ | {"NUMBA_CACHE_DIR": str(tmp_path)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "[] ok\n"


@pytest.mark.parametrize("source", decorators.sources(), ids=lambda path: f"{path.parent.name}/{path.name}")
def test_what_a_watched_file_imports_is_watched_too(source: Path) -> None:
    watched = {path.resolve() for path in decorators.sources()}
    assert [path.name for path in imported(source) if path.resolve() not in watched] == []


FLAGS = """
import numpy as np
from sweepstakes.compiling import decorators
from sweepstakes.game.referee_kernels import standing_flags

print(decorators.__file__)
print(standing_flags(np.array([-2, -3], np.int8), 1), sum(standing_flags.stats.cache_hits.values()))
"""


def test_a_kernel_is_compiled_anew_when_a_constant_of_another_file_has_changed(tmp_path: Path) -> None:
    package = tmp_path / "sweepstakes"
    shutil.copytree(Path(decorators.__file__).parents[1], package, ignore=shutil.ignore_patterns("__pycache__"))
    settings = {"PYTHONPATH": str(tmp_path), "NUMBA_CACHE_DIR": str(tmp_path / "cache"), "NUMBA_DISABLE_JIT": "0"}
    settings["PYTHONDONTWRITEBYTECODE"] = "1"  # Python tells files of the same second and length apart by nothing

    def answer() -> str:
        done = subprocess.run(
            [sys.executable, "-c", FLAGS], env=os.environ | settings, capture_output=True, text=True, check=True
        )
        where, said = done.stdout.splitlines()
        assert Path(where).parents[1] == package
        return said

    assert answer() == "1 0"
    assert answer() == "1 1"
    codes = package / "game" / "codes.py"
    codes.write_text(codes.read_text().replace("FLAG = -2", "FLAG = -5"))
    assert answer() == "0 0"
