"""How strong are the tests? Make small random changes (mutants) in modules and see whether the tests notice.

    python benchmarks/mutants.py core/game/referee_kernels.py tournaments/statistics/ratings.py --count 10 --seed 1

Each mutant changes one operator, constant, condition or statement in a copy of the files that git tracks. The tests of
the default tier run on it and stop at their first failure: the files called like the module, then those that name it
and those next to them, then the whole tier, unless `--related` leaves that out. A mutant that no test notices has
survived: either it is equivalent to the original, or a test is missing.
"""

from __future__ import annotations

import argparse
import ast
import os
import random
import shutil
import signal
import site
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
OPERATORS: dict[type[ast.AST], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "*",
    ast.BitAnd: "|", ast.BitOr: "&", ast.LShift: ">>", ast.RShift: "<<", ast.And: "or", ast.Or: "and",
}  # fmt: skip
PASSED = (0, 5)
"""Exit codes of pytest: 5 if none of the files has a test of the default tier."""


class Mutant(NamedTuple):
    """One change: the text between two offsets of a file becomes another."""

    path: str
    line: int
    start: int
    end: int
    text: str

    def describe(self, source: bytes) -> str:
        """Return file, line and the change."""
        return f"{self.path}:{self.line}: {source[self.start : self.end].decode()!r} -> {self.text!r}"


def mutants(path: str, source: bytes) -> Iterator[Mutant]:
    """Yield every mutant of a module, in no particular order."""
    tree = ast.parse(source)
    begins = [0]
    for text in source.splitlines(keepends=True):
        begins.append(begins[-1] + len(text))
    annotations = {
        id(inside)
        for node in ast.walk(tree)
        for field in ("annotation", "returns")
        if (hint := getattr(node, field, None)) is not None
        for inside in ast.walk(hint)
    }

    def replace(node: ast.expr | ast.stmt, text: str) -> Mutant:
        assert node.end_lineno is not None
        assert node.end_col_offset is not None
        start, end = begins[node.lineno - 1] + node.col_offset, begins[node.end_lineno - 1] + node.end_col_offset
        return Mutant(path, node.lineno, start, end, text)

    for node in ast.walk(tree):
        if id(node) in annotations:
            continue
        if isinstance(node, ast.Compare) and len(node.ops) == 1:
            left, right = ast.unparse(node.left), ast.unparse(node.comparators[0])
            yield replace(node, f"({left} {OPERATORS[type(node.ops[0])]} {right})")
        elif isinstance(node, ast.BinOp) and type(node.op) in OPERATORS:
            yield replace(node, f"(({ast.unparse(node.left)}) {OPERATORS[type(node.op)]} ({ast.unparse(node.right)}))")
        elif isinstance(node, ast.BoolOp):
            joined = f" {OPERATORS[type(node.op)]} ".join(f"({ast.unparse(value)})" for value in node.values)
            yield replace(node, f"({joined})")
        elif isinstance(node, ast.If | ast.While):
            yield replace(node.test, f"(not ({ast.unparse(node.test)}))")
        elif isinstance(node, ast.Constant) and isinstance(node.value, int):
            yield replace(node, str(not node.value if isinstance(node.value, bool) else node.value + 1))
        elif isinstance(node, ast.AugAssign) or (isinstance(node, ast.Expr) and isinstance(node.value, ast.Call)):
            yield replace(node, "pass")


def copy_project(folder: Path) -> str:
    """Copy the tracked files and install them in an environment that shares our dependencies. Return its Python."""
    names = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in filter(None, names.split("\0")):
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        shutil.copy2(ROOT / name, folder / name)
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", folder / ".venv"], check=True)
    python = str(folder / ".venv" / "bin" / "python")
    where = "import site; print(site.getsitepackages()[0])"
    packages = subprocess.run([python, "-c", where], capture_output=True, text=True, check=True).stdout.strip()
    (Path(packages) / "shared.pth").write_text(site.getsitepackages()[0] + "\n")
    install = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "-e", str(folder)]
    subprocess.run(install, check=True)
    return python


def failure(python: str, folder: Path, seconds: float, *arguments: str) -> str:
    """Return the first test of the copy that fails, or "" if all pass. Tests that take longer than `seconds` hang."""
    command = [python, "-m", "pytest", "-x", "--no-header", "--no-loadscope-reorder", "-p", "no:cacheprovider"]
    with tempfile.TemporaryFile("w+") as file:  # not a pipe: processes that tests leave behind would keep it open
        running = subprocess.Popen(
            [*command, *arguments], cwd=folder, stdout=file, stderr=subprocess.STDOUT, start_new_session=True
        )
        try:
            code = running.wait(seconds)
        except subprocess.TimeoutExpired:
            return f"the tests hang: more than {seconds:g} seconds"
        finally:
            with suppress(ProcessLookupError):
                os.killpg(running.pid, signal.SIGKILL)  # also a worker in an endless kernel
            running.wait()
        file.seek(0)
        output = file.read()
    if code in PASSED:
        return ""
    failed = [line for line in output.splitlines() if line.startswith(("FAILED", "ERROR"))]
    return failed[0] if failed else f"pytest ended with {code}: {output[-200:].strip()}"


def related(folder: Path, path: str) -> tuple[list[str], list[str]]:
    """Return the test files called like the module or else its package, and those that name it or are next to them."""
    parts = Path(path).with_suffix("").parts
    name = ".".join(("sweepstakes", *(parts[1:] if parts[0] == "core" else parts)))
    tests = sorted(folder.glob("tests/**/test_*.py"))
    named = [test for test in tests if name in test.read_text()]
    alike: list[Path] = []
    for word in (parts[-1].removesuffix("_kernels"), parts[-2]):
        alike = alike or [test for test in tests if word in test.stem]
    places = [folder.joinpath("tests", *parts[start:end]) for end in range(len(parts) - 1, 0, -1) for start in (0, 1)]
    beside = sorted(next(place for place in places if place.is_dir()).glob("test_*.py"))
    others = dict.fromkeys([test for test in named if test in beside] + named + beside)
    return [str(test) for test in alike], [str(test) for test in others if test not in alike]


def noticed_by(python: str, folder: Path, mutant: Mutant, seconds: float, whole: bool) -> str:
    """Return the test that notices the mutant, which is in the copy, or "" if none does."""
    alike, others = related(folder, mutant.path)
    return (
        (failure(python, folder, seconds, "-n0", *alike) if alike else "")
        or failure(python, folder, seconds, *others)
        or (failure(python, folder, seconds) if whole else "")
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="+", help="files of the project, such as core/game/rules.py")
    parser.add_argument("--count", type=int, default=40, help="mutants in all, spread evenly over the modules")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--related", action="store_true", help="leave out the whole tier, so survivors may be too many")
    parser.add_argument("--skip-check", action="store_true", help="assume that the tests pass without a mutant")
    parser.add_argument("--seconds", type=float, default=1200, help="tests that take longer hang, which is noticed")
    parser.add_argument("--only", type=int, nargs="+", help="try only the mutants with these numbers, counted from 1")
    asked = parser.parse_args()
    chance = random.Random(asked.seed)
    chosen: list[Mutant] = []
    for number, module in enumerate(asked.modules):
        count = asked.count // len(asked.modules) + (number < asked.count % len(asked.modules))
        found = list(mutants(module, (ROOT / module).read_bytes()))
        chosen += chance.sample(found, min(count, len(found)))
    numbers = asked.only or range(1, len(chosen) + 1)
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        python = copy_project(folder)
        if not asked.skip_check and (failed := failure(python, folder, asked.seconds)):
            sys.exit(f"the tests fail without a mutant: {failed}")
        survivors = 0
        for number in numbers:
            mutant = chosen[number - 1]
            source = (folder / mutant.path).read_bytes()
            (folder / mutant.path).write_bytes(source[: mutant.start] + mutant.text.encode() + source[mutant.end :])
            begun = time.monotonic()
            noticed = noticed_by(python, folder, mutant, asked.seconds, not asked.related)
            survivors += not noticed
            word = "killed  " if noticed else "SURVIVED"
            print(f"{number:3} {word} {time.monotonic() - begun:5.0f} s  {mutant.describe(source)}", flush=True)
            if noticed:
                print(f"    {noticed}", flush=True)
            (folder / mutant.path).write_bytes(source)
    print(f"{len(numbers) - survivors} of {len(numbers)} mutants killed ({1 - survivors / len(numbers):.0%})")


if __name__ == "__main__":
    main()
