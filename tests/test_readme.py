"""The commands and numbers in the README and in the guides that continue it are correct."""

from __future__ import annotations

import re
import subprocess
import sys
from math import isnan
from pathlib import Path
from typing import Any

import pytest

from sweepstakes.testing import check_agent
from sweepstakes.tournaments.config.loading import load
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.stored_run import open_run

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text()
TOURNAMENTS = (ROOT / "docs" / "tournaments.md").read_text()
SOLVE = (ROOT / "docs" / "solve-watch-play.md").read_text()


def blocks(language: str, page: str = README) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", page, re.S | re.M)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """The stranger's folder, with the files that the README shows."""
    agent = next(block for block in blocks("python") if "class EdgeFirst" in block)
    assert len([line for line in agent.splitlines() if line.strip()]) <= 16
    (tmp_path / "edge_first.py").write_text(agent)
    return tmp_path


def sweepstakes(*words: str, cwd: Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run([sys.executable, "-m", "sweepstakes", *words], cwd=cwd, capture_output=True, text=True)


def test_the_first_two_commands_install_and_run_and_test() -> None:
    first, second, *_ = [line for block in blocks("bash") for line in block.splitlines()]
    assert first == ("python3 -m venv .venv && .venv/bin/pip install --quiet -e . && .venv/bin/sweepstakes run quick")
    assert second == ".venv/bin/pip install --quiet -e '.[test]' && .venv/bin/pytest"


def test_the_first_agent_plays_at_once_and_gets_points(folder: Path) -> None:
    done = sweepstakes(
        "run", "quick", "--agent", "edge_first.py", "--games", "5", "--out", "runs/edge-first", cwd=folder
    )
    assert done.returncode == 0, done.stderr
    (points,) = re.findall(r"^\| +\d+ \| edge-first +\| +([\d.]+) ", done.stdout, re.MULTILINE)
    assert float(points) > 0.8


@pytest.mark.system
def test_an_agent_joins_a_published_leaderboard(folder: Path) -> None:
    lines = next(block for block in blocks("bash") if "--from" in block).splitlines()
    assert len(lines) == 3
    (folder / "leaderboards").symlink_to(ROOT / "leaderboards")
    for line in lines:
        _, command, *words = line.split()
        few = ["--games", "2"] if command == "run" else []
        done = sweepstakes(command, *words, *few, cwd=folder)
        assert done.returncode == 0, done.stderr
    games = open_run(folder / "runs" / "joined").games
    played = {agent for agent, seconds in zip(games["agent"], games["seconds"], strict=True) if not isnan(seconds)}
    assert played == {"edge-first"}
    assert len(set(games["agent"])) == 11
    joined = folder / "joined"
    assert "edge-first" in (joined / "README.md").read_text()
    copied = joined / "agents" / "edge_first" / "edge_first.py"
    assert copied.read_text() == (folder / "edge_first.py").read_text()


@pytest.mark.system
def test_the_first_agent_does_what_every_agent_must(folder: Path) -> None:
    namespace: dict[str, object] = {"__name__": "edge_first"}
    exec((folder / "edge_first.py").read_text(), namespace)
    check_agent(namespace["EdgeFirst"])  # type: ignore[arg-type]


def test_the_tournament_file_is_possible(folder: Path) -> None:
    (folder / "mine.yaml").write_text(blocks("yaml", TOURNAMENTS)[0])
    plan, _ = make_plan(*load(folder / "mine.yaml"))
    assert [entry.label for entry in plan.entries] == ["basic", "chain(window=6)", "edge-first"]
    assert len(plan.conditions) == 4


def test_the_lines_of_python_run(folder: Path) -> None:
    code = next(block for block in blocks("python", TOURNAMENTS) if "run_tournament" in block)
    done = subprocess.run([sys.executable, "-c", code], cwd=folder, capture_output=True, text=True)
    assert done.stdout == "basic\n", done.stderr


def test_the_plot_of_ones_own_is_drawn(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("pandas")
    import matplotlib.pyplot as plt

    monkeypatch.chdir(ROOT)
    monkeypatch.setattr(plt, "rcParams", plt.rcParams | {"backend": "agg"})
    names: dict[str, Any] = {}
    exec(next(block for block in blocks("python", TOURNAMENTS) if "groupby" in block), names)
    assert len(plt.gca().lines) == len(set(names["games"]["agent"]))
    plt.close("all")


def test_the_position_is_solved(folder: Path) -> None:
    (folder / "position.txt").write_text(blocks("text", SOLVE)[0])
    done = sweepstakes("solve", "position.txt", cwd=folder)
    assert "safe: (0, 1) (1, 2)" in done.stdout, done.stderr


def test_every_command_that_a_page_names_is_there() -> None:
    helped = sweepstakes("--help", cwd=ROOT).stdout
    for page in [ROOT / "README.md", ROOT / "SECURITY.md", *ROOT.glob("docs/*.md")]:
        for name in set(re.findall(r"`sweepstakes ([a-z-]+)", page.read_text())):
            assert re.search(rf"^  {name} ", helped, re.M), f"{page.name}: {name}"


def test_the_first_leaderboard_is_of_the_reports_and_says_what_each_agent_reasons_with() -> None:
    assert README.index("<picture>") > README.index("| rank ")
    assert (
        "leaderboards/published/density/plots/score-density.svg"
        in README.partition("<picture>")[2].partition("</picture>")[0]
    )
    heads, _, *rows = re.findall(r"^\| rank.*?\n\n", README, re.M | re.S)[0].strip().splitlines()
    cells = [[cell.strip() for cell in row.strip("|").split("|")] for row in rows]
    shown = [row[:3] for row in cells]
    published = (ROOT / "leaderboards" / "published" / "density" / "README.md").read_text()
    table = re.findall(r"^\| rank.*?\n\n", published, re.M | re.S)[0].strip().splitlines()[2:]
    assert shown == [[cell.strip() for cell in row.strip("|").split("|")][:3] for row in table]
    assert [cell.strip() for cell in heads.strip("|").split("|")][2].removesuffix(" %") in re.findall(
        r"`(\w+)`", README
    )
    sources = (ROOT / "docs" / "sources.md").read_text()
    for _, agent, _, report, reasons in cells:
        built = re.findall(rf"^\| ([A-E]), .*`{agent}`", sources, re.MULTILINE)
        assert report == (", ".join(built) or "ours"), agent
        assert len(reasons) > 10


def test_what_it_says_of_classic_games_is_what_is_published() -> None:
    published = (ROOT / "leaderboards" / "published" / "classic" / "README.md").read_text()
    paragraph = re.search(r"In classic Minesweeper.*?\n\n", README, re.S)
    assert paragraph is not None
    words = " ".join(paragraph[0].split())
    shown = re.findall(r"`(\w+)`,? (?:wins )?([\d.]+) % (\([^)]*\))", words)
    assert [agent for agent, *_ in shown] == ["champion", "exact", "chain", "basic"]
    for agent, rate, interval in shown:
        assert re.search(rf"^\| +\d+ \| {agent} +\| {rate} {re.escape(interval)} \|", published, re.M), agent


@pytest.mark.system
def test_the_commands_that_show_why_an_agent_loses(folder: Path) -> None:
    (run,) = [block for block in blocks("bash") if "--agent" in block and "--from" not in block]
    others = [command.split()[1:] for command in re.findall(r"`(sweepstakes (?:check|review) [^`]*edge[^`]*)`", README)]
    assert [command for command, *_ in others] == ["check", "review"]
    for words in ([*run.split()[1:], "--games", "2"], *others):
        done = sweepstakes(*words, cwd=folder)
        assert done.returncode == 0, done.stderr
    assert "the worst decisions" in done.stdout.lower(), done.stdout


def test_every_link_leads_somewhere() -> None:
    for target in re.findall(r"\]\(([^)#]+)\)", README):
        assert (ROOT / target).exists(), target
