"""The notebooks produce the output that they show."""

from __future__ import annotations

import importlib.util
from pathlib import Path

import notebooks
import pytest

pytestmark = pytest.mark.system

BOOKS = sorted(notebooks.NOTEBOOKS.glob("*.ipynb"))


LONG = ("writing_an_agent",)
"""Notebooks that are run in a kernel only."""


@pytest.mark.parametrize("path", [path for path in BOOKS if path.stem not in LONG], ids=lambda path: path.stem)
def test_a_notebook_shows_what_it_says(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its cells are run in this process, without a kernel."""
    pytest.importorskip("pandas")
    monkeypatch.setenv("MPLBACKEND", "agg")
    import matplotlib.pyplot as plt

    monkeypatch.chdir(notebooks.workplace(tmp_path))
    monkeypatch.setattr(plt, "show", lambda: plt.close("all"))
    notebook = notebooks.read(path)
    wrong = notebooks.differences(notebook, list(notebooks.run_cells(notebook)))
    assert not wrong, "\n\n".join(wrong)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")
@pytest.mark.parametrize("path", BOOKS, ids=lambda path: path.stem)
def test_a_notebook_runs_in_a_kernel(path: Path, tmp_path: Path) -> None:
    for module in ("nbclient", "ipykernel", "pandas"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed: the extra `notebook` has it")
    notebook = notebooks.read(path)
    done = notebooks.execute(notebook, notebooks.workplace(tmp_path))
    outputs = [notebooks.texts_of(cell) for cell in notebooks.code_cells(done)]
    assert not notebooks.differences(notebook, outputs)


def test_every_notebook_is_small_and_was_run_from_top_to_bottom() -> None:
    assert len(BOOKS) == 4
    for path in BOOKS:
        assert path.stat().st_size < 300_000, path
        cells = notebooks.code_cells(notebooks.read(path))
        assert [cell["execution_count"] for cell in cells] == list(range(1, len(cells) + 1)), path
        assert not [output for cell in cells for output in cell["outputs"] if output.get("name") == "stderr"], path
