"""A run that was played from Python is read back, and resumed, by the command line, from any folder."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from sweepstakes import open_run
from sweepstakes.tournaments import run_tournament

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
BOARDS = {"size": 12, "density": 0.05}
DATA = {
    "boards": BOARDS,
    "agents": ["random", "./edge_first.py"],
    "noise": "fog",
    "scores": ["win", "caution.py:caution"],
    "plugins": ["fog.py"],
    "games": 2,
    "executor": "serial",
}


@pytest.fixture
def folder(tmp_path: Path, sweepstakes: Callable[..., Any]) -> Path:
    for name in ("edge_first.py", "fog.py", "caution.py"):
        shutil.copy(EXAMPLES / name, tmp_path)
    (tmp_path / "elsewhere").mkdir()
    return tmp_path


@pytest.mark.parametrize(
    ("data", "plugins"),
    [pytest.param(DATA, (), marks=pytest.mark.system), ({**DATA, "plugins": []}, ("fog.py",))],
    ids=["plugins of the tournament", "plugins of the call"],
)
def test_relative_paths_of_a_run_from_python_mean_the_same_from_every_folder(
    folder: Path,
    sweepstakes: Callable[..., Any],
    monkeypatch: pytest.MonkeyPatch,
    data: dict[str, Any],
    plugins: tuple[str, ...],
) -> None:
    run_tournament(data, out="run", plugins=plugins)
    monkeypatch.chdir(folder / "elsewhere")
    said = sweepstakes("leaderboard", "../run")
    assert (said.code, said.err) == (0, "")
    said = sweepstakes("run", "../run", "--out", "../run")
    assert said.code == 0, said.err
    assert "nothing to play: all 4 games are stored" in said.err


def test_the_games_of_a_run_have_the_density_of_its_tournament_with_or_without_its_plugins(
    folder: Path, sweepstakes: Callable[..., Any]
) -> None:
    run_tournament(DATA, out="run")
    for _ in range(2):
        with open_run("run") as run:
            assert set(run.games["density"]) == {0.05}
        (folder / "fog.py").unlink(missing_ok=True)


def test_a_plugin_of_the_command_line_that_the_games_need_is_named_in_the_run(
    folder: Path, sweepstakes: Callable[..., Any]
) -> None:
    (folder / "watching.py").write_text(
        "from sweepstakes import hookimpl\n@hookimpl\ndef sweepstakes_game_finished(result):\n    pass\n"
    )
    (folder / "t.yaml").write_text("boards: 3x3/1\nagents: random\nnoise: fog\ngames: 2\nexecutor: serial\n")
    words = ("run", "t.yaml", "--out", "run", "--quiet", "--plugin", "fog.py", "--plugin", "watching.py")
    assert sweepstakes(*words).code == 0
    said = sweepstakes("leaderboard", "run")
    assert (said.code, said.err) == (0, "")
    assert sweepstakes("run", "run", "--out", "run", "--quiet").code == 0
    text = (folder / "run" / "tournament.yaml").read_text()
    assert text.endswith(f"plugins:\n- {folder / 'fog.py'}\n")
    assert sweepstakes(*words).code == 0
    assert (folder / "run" / "tournament.yaml").read_text() == text
