"""Measures how fast the arena is in a browser: first paint, a click, a large run, a large board.

    python benchmarks/arena.py [--quick]

Needs the extra `web`, selenium, `chromium` and `chromedriver`. A server runs in a process of its own; a headless
Chromium visits it. It prints medians and the slowest of the repetitions, next to the targets for an idle machine:

- first paint of the Play page, as the browser reports it, in a fresh tab with the browser's cache off;
- the answer to a click on an Expert board: from the event to the frame in which the cell is open, without a hint;
- the leaderboard of a run of 300,000 games: from opening the page to its table;
- the hint on a 100 x 100 board after its first click: from the request of the page to the server's answer;
- one step of a replay of two 100 x 100 boards: the time in scripts.
"""

import argparse
import shutil
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median
from typing import Any

from selenium import webdriver

from sweepstakes import open_run
from sweepstakes.tournaments import run_tournament
from sweepstakes.tournaments.running.runner import REPORTS
from sweepstakes.tournaments.storage.atomic_file import write_text

LARGE_RUN = 300_000


@contextmanager
def browser() -> Iterator[Any]:
    """A headless Chromium."""
    binary, driver = shutil.which("chromium"), shutil.which("chromedriver")
    if binary is None or driver is None:
        sys.exit("arena.py needs chromium and chromedriver (Debian: apt-get install chromium chromium-driver)")
    options = webdriver.ChromeOptions()
    options.binary_location = binary
    with tempfile.TemporaryDirectory() as profile:
        for word in ("headless=new", "no-sandbox", "disable-gpu", "no-first-run", f"user-data-dir={profile}"):
            options.add_argument(f"--{word}")
        chromium = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
        chromium.set_window_size(1280, 900)
        chromium.set_script_timeout(60)
        try:
            yield chromium
        finally:
            chromium.quit()


@contextmanager
def server(run: Path) -> Iterator[str]:
    """A server of the run, and its address."""
    command = [sys.executable, "-u", "-m", "sweepstakes", "serve", str(run), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        yield process.stdout.readline().split()[4]
    finally:
        process.terminate()
        process.wait()


def large_run(directory: Path, games: int) -> Path:
    """Write a finished run of `games` games, which repeats the games of a small run."""
    tournament = {"name": "large", "games": 100, "boards": ["beginner", "intermediate", "expert"]}
    run_tournament(tournament | {"agents": ["random", "basic", "exact"]}, out=directory, workers=1)
    boards = games // 9
    with sqlite3.connect(directory / "games.sqlite") as db:
        columns = [name for _, name, *_ in db.execute("pragma table_info(games)") if name != "moves"]
        others = ", ".join(name for name in columns if name != "number")
        for k in range(1, -(-boards // 100)):
            db.execute(
                f"insert into games (number, {others}) select number + {100 * k}, {others} from games "
                f"where number < 100 and number + {100 * k} < {boards}"
            )
    db.close()
    file = directory / "tournament.yaml"
    file.write_text(file.read_text().replace("games: 100\n", f"games: {boards}\n"))
    with open_run(directory) as run:
        standings = run.standings()
        for name, report in REPORTS.items():
            write_text(directory / name, run.registry.make("report", report).text(standings))
    return directory


def visit(chromium: Any, address: str) -> None:
    """Load the address in an empty page."""
    chromium.get("about:blank")
    chromium.get(address)


def wait(chromium: Any, script: str, seconds: float = 60) -> Any:
    """Wait until the value of the script is true, and return it."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if found := chromium.execute_script(f"return {script}"):
            return found
        time.sleep(0.005)
    sys.exit(f"the page never came to: {script}")


def first_paint(chromium: Any, address: str) -> float:
    """Seconds to the first contentful paint of the Play page."""
    visit(chromium, f"{address}#/play")
    return float(wait(chromium, "performance.getEntriesByName('first-contentful-paint')[0]?.startTime")) / 1000


def expert_click(chromium: Any, address: str) -> float:
    """Seconds from a click on a covered cell of an Expert board to the frame that shows it open."""
    visit(chromium, f"{address}#/play?preset=expert")
    wait(chromium, "document.querySelectorAll('.board .cell').length === 480")
    chromium.execute_script(
        "const box = [...document.querySelectorAll('.check')].find(label => /hint/i.test(label.textContent))"
        "?.querySelector('input'); if (box?.checked) box.click();"
    )
    wait(chromium, "!document.querySelector('.busy')")
    return 1e-3 * float(
        chromium.execute_async_script(
            "const done = arguments[0], cell = document.querySelector('.cell[data-i=\"200\"]');"
            "const begun = performance.now(), covered = () => cell.classList.contains('covered');"
            "const look = () => covered() ? requestAnimationFrame(look) : "
            "requestAnimationFrame(() => done(performance.now() - begun));"
            "cell.dispatchEvent(new MouseEvent('click', {bubbles: true, detail: 1})); look();"
        )
    )


def leaderboard(chromium: Any, address: str) -> float:
    """Seconds from opening the leaderboard to its table."""
    begun = time.monotonic()
    visit(chromium, f"{address}#/leaderboard")
    wait(chromium, "document.querySelector('.standings tbody tr')")
    return time.monotonic() - begun


def large_hint(chromium: Any) -> float:
    """Seconds for the hint on a 100 x 100 board after its first click, as the page asks for it."""
    return 1e-3 * float(
        chromium.execute_async_script(
            "const done = arguments[0], post = (path, body) => fetch(path, {method: 'POST', "
            "headers: {'content-type': 'application/json'}, body: JSON.stringify(body)}).then(answer => answer.json());"
            "(async () => { const game = await post('/api/games', {rows: 100, cols: 100, density: 0.15, "
            "agent: 'exact', first_click: 'opening'});"
            "await post(`/api/games/${game.id}/moves`, {action: 'open', cell: 5050}); const begun = performance.now();"
            "await post(`/api/games/${game.id}/hint`, {}); done(performance.now() - begun); })()"
        )
    )


def replay_steps(chromium: Any, address: str, steps: int) -> list[float]:
    """Seconds that scripts take for each step of two 100 x 100 replays side by side."""
    visit(chromium, f"{address}#/watch")
    wait(chromium, "document.querySelectorAll('.replay-panel .board').length === 2")
    wait(chromium, "!document.querySelector('.waiting')", 300)
    times = []
    chromium.execute_cdp_cmd("Performance.enable", {})
    for _ in range(steps):
        before = _script_seconds(chromium)
        chromium.execute_async_script(
            "const done = arguments[0]; document.querySelector('[aria-label=Forward]').click();"
            "setTimeout(() => requestAnimationFrame(() => done()), 400);"
        )
        times.append(_script_seconds(chromium) - before)
    return times


def _script_seconds(chromium: Any) -> float:
    metrics = chromium.execute_cdp_cmd("Performance.getMetrics", {})["metrics"]
    return float(next(metric["value"] for metric in metrics if metric["name"] == "ScriptDuration"))


def report(what: str, times: list[float], target: float) -> None:
    """Print the median and the slowest time next to the target."""
    middle = median(times)
    verdict = f"{middle / target:.2f} of the target {1000 * target:.0f} ms"
    print(f"{what:48} median {1000 * middle:7.1f} ms, slowest {1000 * max(times):7.1f} ms, {verdict}", flush=True)


def repeated(times: int, measure: Callable[[], float]) -> list[float]:
    """Measure several times, after one measurement that is not counted."""
    measure()
    return [measure() for _ in range(times)]


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description="How quick the arena is in a browser.")
    parser.add_argument("--quick", action="store_true", help="fewer repetitions, and a run of 9,000 games")
    quick = parser.parse_args().quick
    times = 3 if quick else 9
    with tempfile.TemporaryDirectory() as folder, browser() as chromium:
        chromium.execute_cdp_cmd("Network.enable", {})
        chromium.execute_cdp_cmd("Network.setCacheDisabled", {"cacheDisabled": True})
        games = 9_000 if quick else LARGE_RUN
        with server(large_run(Path(folder) / "large", games)) as address:
            report("first paint of Play", repeated(times, lambda: first_paint(chromium, address)), 0.5)
            report("a click on Expert", repeated(times, lambda: expert_click(chromium, address)), 0.05)
            report(f"leaderboard of {games:,} games", repeated(times, lambda: leaderboard(chromium, address)), 2.0)
            report("hint on 100 x 100", repeated(times, lambda: large_hint(chromium)), 0.3)
        boards = {"size": 100, "density": 0.2}
        tournament = {"name": "steps", "games": 1, "boards": boards, "agents": ["exact", "basic"], "moves": "all"}
        run_tournament(tournament, out=Path(folder) / "steps", workers=1)
        with server(Path(folder) / "steps") as address:
            report("a step of two 100 x 100 replays", replay_steps(chromium, address, 10 * times)[1:], 0.033)


if __name__ == "__main__":
    main()
