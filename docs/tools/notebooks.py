"""Runs the notebooks of `examples/notebooks` in a kernel, as Jupyter does: needs the extra `notebook`.

`run_cells` runs the cells without a kernel, which takes less time and needs nothing but Python.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import io
import json
import linecache
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
NOTEBOOKS = ROOT / "examples" / "notebooks"
Cells = list[dict[str, Any]]


def read(notebook: Path) -> dict[str, Any]:
    """The notebook as data."""
    found: dict[str, Any] = json.loads(notebook.read_text(encoding="utf-8"))
    return found


def code_cells(notebook: dict[str, Any]) -> Cells:
    """The cells with code."""
    return [cell for cell in notebook["cells"] if cell["cell_type"] == "code"]


def texts_of(cell: dict[str, Any]) -> dict[str, str]:
    """What a cell printed, and the texts of what it showed, by kind; pictures are left out."""
    found: dict[str, str] = {}
    for output in cell["outputs"]:
        parts = {"stream": output["text"]} if output["output_type"] == "stream" else output.get("data", {})
        for kind, text in parts.items():
            if kind != "image/png" and output["output_type"] != "display_data":
                found[kind] = found.get(kind, "") + "".join(text)
    return found


def workplace(directory: Path) -> Path:
    """A folder to run notebooks in. The leaderboards are next to it, as they are next to the notebooks."""
    place = directory / "examples" / "notebooks"
    place.mkdir(parents=True)
    (directory / "leaderboards").symlink_to(ROOT / "leaderboards", target_is_directory=True)
    return place


def run_cells(notebook: dict[str, Any]) -> Iterator[dict[str, str]]:
    """Run the code in one module, cell by cell, as a notebook does; what each printed, and the texts of its value."""
    module = ModuleType("__notebook__")
    before = sys.modules.get(module.__name__)
    sys.modules[module.__name__] = module
    try:
        for number, cell in enumerate(code_cells(notebook)):
            source, file = "".join(cell["source"]), f"<cell {number}>"
            linecache.cache[file] = (len(source), None, source.splitlines(keepends=True), file)
            tree = ast.parse(source)
            last = tree.body.pop() if tree.body and isinstance(tree.body[-1], ast.Expr) else None
            printed, value = io.StringIO(), None
            with contextlib.redirect_stdout(printed):
                exec(compile(tree, file, "exec", dont_inherit=True), vars(module))
                if isinstance(last, ast.Expr):
                    value = eval(compile(ast.Expression(last.value), file, "eval", dont_inherit=True), vars(module))
            found = {"stream": printed.getvalue()} if printed.getvalue() else {}
            if value is not None:
                found["text/plain"] = repr(value)
                for kind, method in (("text/html", "_repr_html_"), ("image/svg+xml", "_repr_svg_")):
                    if hasattr(value, method):
                        found[kind] = getattr(value, method)()
            yield found
    finally:
        del sys.modules[module.__name__]
        if before is not None:
            sys.modules[module.__name__] = before


def execute(notebook: dict[str, Any], directory: Path) -> dict[str, Any]:
    """The notebook as a kernel of Jupyter leaves it, without what differs from run to run."""
    nbformat: Any = importlib.import_module("nbformat")
    from nbclient import NotebookClient

    done = nbformat.reads(json.dumps(notebook), as_version=4)
    NotebookClient(done, timeout=600, resources={"metadata": {"path": str(directory)}}).execute()
    for cell in done["cells"]:
        cell["metadata"] = {}
    done["metadata"] = notebook["metadata"]
    found: dict[str, Any] = json.loads(nbformat.writes(done))
    return found


def differences(notebook: dict[str, Any], outputs: list[dict[str, str]]) -> list[str]:
    """Where the texts differ from those in the notebook."""
    return [
        f"cell {number}: {kind}\n--- in the notebook\n{shown.get(kind)}\n--- now\n{found.get(kind)}"
        for number, (cell, found) in enumerate(zip(code_cells(notebook), outputs, strict=True), 1)
        for shown in [texts_of(cell)]
        for kind in sorted(shown.keys() | found.keys())
        if shown.get(kind) != found.get(kind)
    ]


def generated() -> dict[Path, str]:
    """Return the notebooks by their files; one that still shows the same texts stays as it is, with its pictures."""
    found = {}
    for path in sorted(NOTEBOOKS.glob("*.ipynb")):
        notebook = read(path)
        with tempfile.TemporaryDirectory() as directory:
            done = execute(notebook, workplace(Path(directory)))
        same = not differences(notebook, [texts_of(cell) for cell in code_cells(done)])
        now = json.dumps(done, indent=1, ensure_ascii=False) + "\n"
        found[path] = path.read_text(encoding="utf-8") if same else now
    return found
