"""How strong are the tests? Make small random changes (mutants) in modules and see whether the tests notice.

    python benchmarks/mutants.py core/game/referee_kernels.py tournaments/statistics/ratings.py --count 10 --seed 1

Each mutant changes one operator, constant, condition or statement in a copy of the files that git tracks. The tests of
the default tier run on it and stop at their first failure: those that name the module first, then all others. A mutant
that no test notices has survived: either it is equivalent to the original, or a test is missing.
"""

from __future__ import annotations

import argparse
import ast
import random
import shutil
import site
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[1]
OPERATORS: dict[type[ast.AST], str] = {
    ast.Lt: "<=", ast.LtE: "<", ast.Gt: ">=", ast.GtE: ">", ast.Eq: "!=", ast.NotEq: "==",
    ast.In: "not in", ast.NotIn: "in", ast.Is: "is not", ast.IsNot: "is",
    ast.Add: "-", ast.Sub: "+", ast.Mult: "+", ast.Div: "*", ast.FloorDiv: "*", ast.Mod: "*",
    ast.BitAnd: "|", ast.BitOr: "&", ast.LShift: ">>", ast.RShift: "<<", ast.And: "or", ast.Or: "and",
}  # fmt: skip
PROGRAM_SECONDS = 1200
"""A mutant whose tests take longer than this hangs them, so it is noticed."""


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
    subprocess.run([sys.executable, "-m", "venv", folder / ".venv"], check=True)
    python = str(folder / ".venv" / "bin" / "python")
    where = "import site; print(site.getsitepackages()[0])"
    packages = subprocess.run([python, "-c", where], capture_output=True, text=True, check=True).stdout.strip()
    (Path(packages) / "shared.pth").write_text(site.getsitepackages()[0] + "\n")
    install = [python, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "-e", str(folder)]
    subprocess.run(install, check=True)
    return python


def passes(python: str, folder: Path, tests: list[str]) -> bool:
    """Return True if these tests pass in the copy; without tests, if all of the default tier do."""
    command = [python, "-m", "pytest", "-x", "--no-header", "-p", "no:cacheprovider", *tests]
    try:
        done = subprocess.run(command, cwd=folder, capture_output=True, timeout=PROGRAM_SECONDS)
    except subprocess.TimeoutExpired:
        return False
    return done.returncode in (0, 5)  # 5: none of these files has a test of the default tier


def related(path: str) -> list[str]:
    """Return the test files that name the module."""
    parts = Path(path).with_suffix("").parts
    name = ".".join(("sweepstakes", *(parts[1:] if parts[0] == "core" else parts)))
    named = [test for test in sorted(ROOT.glob("tests/**/test_*.py")) if name in test.read_text()]
    alike = [
        test for test in sorted(ROOT.glob("tests/**/test_*.py")) if parts[-1].removesuffix("_kernels") in test.stem
    ]
    return [str(test.relative_to(ROOT)) for test in dict.fromkeys(named + alike)]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("modules", nargs="+", help="files of the project, such as core/game/rules.py")
    parser.add_argument("--count", type=int, default=40, help="mutants in all, spread evenly over the modules")
    parser.add_argument("--seed", type=int, default=1)
    asked = parser.parse_args()
    chance = random.Random(asked.seed)
    chosen: list[Mutant] = []
    for number, module in enumerate(asked.modules):
        count = asked.count // len(asked.modules) + (number < asked.count % len(asked.modules))
        found = list(mutants(module, (ROOT / module).read_bytes()))
        chosen += chance.sample(found, min(count, len(found)))
    with tempfile.TemporaryDirectory() as temporary:
        folder = Path(temporary)
        python = copy_project(folder)
        if not passes(python, folder, []):
            sys.exit("the tests fail without a mutant")
        survivors = 0
        for mutant in chosen:
            source = (ROOT / mutant.path).read_bytes()
            (folder / mutant.path).write_bytes(source[: mutant.start] + mutant.text.encode() + source[mutant.end :])
            begun = time.monotonic()
            tests = related(mutant.path)
            survived = (not tests or passes(python, folder, tests)) and passes(python, folder, [])
            survivors += survived
            word = "SURVIVED" if survived else "killed  "
            print(f"{word} {time.monotonic() - begun:5.0f} s  {mutant.describe(source)}", flush=True)
            (folder / mutant.path).write_bytes(source)
    print(f"{len(chosen) - survivors} of {len(chosen)} mutants killed ({1 - survivors / len(chosen):.0%})")


if __name__ == "__main__":
    main()
