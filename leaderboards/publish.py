"""Publishes a finished run as a directory: page, tables, data and plots."""

from __future__ import annotations

import json
import platform
import shutil
import subprocess
from collections.abc import Callable, Mapping
from importlib.metadata import version
from pathlib import Path
from textwrap import fill
from typing import Any

import yaml

from sweepstakes.errors import ConfigError, RunError
from sweepstakes.leaderboards.agent_files import copy_agent_files, has_agent_files, with_files_here
from sweepstakes.leaderboards.pages.citation import FILE as CITATION
from sweepstakes.leaderboards.pages.citation import citation_text
from sweepstakes.leaderboards.pages.page import WIDTH, PageTexts, page, timings_page
from sweepstakes.leaderboards.plots.plots import draw, score_plots, time_plots
from sweepstakes.leaderboards.plugin_files import SUMS, PluginPlaces, copy_plugin_files, sums_text
from sweepstakes.leaderboards.published_times import TIMINGS, VERSIONS, published_versions, with_published_times
from sweepstakes.leaderboards.results import Results, read_results
from sweepstakes.markup import escape_markdown
from sweepstakes.tournaments.config.loading import PRESETS, as_yaml, load
from sweepstakes.tournaments.config.model import Tournament
from sweepstakes.tournaments.race_report import FILE as RACE
from sweepstakes.tournaments.resolve.known_files import FILE_LISTS, lists_text
from sweepstakes.tournaments.resolve.playable import changed_since_played
from sweepstakes.tournaments.review.agent_page import FOLDER, agent_pages, page_names
from sweepstakes.tournaments.review.run_review import games_to_review, is_reviewed, review_run
from sweepstakes.tournaments.running.executors import LOCAL, pick_executor
from sweepstakes.tournaments.statistics.published_tally import FILE as TALLY
from sweepstakes.tournaments.statistics.published_tally import tally_text
from sweepstakes.tournaments.storage.atomic_file import write_text
from sweepstakes.tournaments.storage.database import run_errors
from sweepstakes.tournaments.storage.migrations import FORMAT
from sweepstakes.tournaments.storage.opening import usual_place
from sweepstakes.tournaments.storage.publication_keys import KEYS, keys
from sweepstakes.tournaments.storage.published_games import FILE, write_rows
from sweepstakes.tournaments.storage.published_packed import FILE as PACKED
from sweepstakes.tournaments.storage.published_packed import write_packed
from sweepstakes.tournaments.storage.run_reader import RunReader
from sweepstakes.tournaments.storage.secret_seed import SEED_FILE, SecretSeed
from sweepstakes.untrusted.files import make_folder
from sweepstakes.untrusted.text import clean

USUAL_PLACE = "leaderboards/published"
"""The folder of publications that printed commands name if a publication is in it."""
READING = "reading.md"
"""The interpretation of the results, written by hand: a file in the directory that the page includes."""
TABLES = {"leaderboard.csv": "csv", "leaderboard.json": "json", "head-to-head.csv": "head-to-head"}
AGENT_PAGES = (
    "Every decision of every game was judged by the exact mine probabilities. Where an agent loses, its luck and its "
    "worst decisions, as pictures, are on a page of its own:"
)
_LIBRARIES = ("sweepstakes", "matplotlib", "numba", "numpy", "scipy")


def publish(
    run: RunReader,
    target: Path,
    keep: int | None = None,
    on_step: Callable[[str], None] = lambda step: None,
    on_review: Callable[[int], None] = lambda games: None,
    *,
    sums: bool = False,
    with_plots: bool = True,
) -> list[Path]:
    """Write the page and all its files. The same games give the same bytes, except for times and versions.

    A publication, whose games have no times, can be published again, also in its own directory: the times and versions
    are those in its files.

    With `keep`, games.csv.gz has the games on that many first boards of each condition, and packed.jsonl.gz the scores
    of the others. With `sums`, tally.json has who won each board and the sums of the scores instead. `on_step` is
    called with a description of the next step, `on_review` with the number of games that were reviewed since its last
    call. Plots are left out unless `with_plots`. Raise `RunError` if the run is not finished, or if its agents or
    conditions have changed since.
    """
    results = read_results(run)
    _check_run(run, results, target)
    played: Mapping[str, str] = {}
    if run.published:
        results = results._replace(standings=with_published_times(results.standings, run.directory))
        played = published_versions(run.directory)
    if not results.sums:  # with sums, nothing is known about the other games
        results = results._replace(keep=results.keep if keep is None else min(keep, run.config.games), sums=sums)
    if results.sums and results.keep is None:
        raise RunError("--sums needs --keep-boards N: it is for the games on the other boards")
    with run_errors(target, "written"):
        make_folder(target)
    files = texts(run, results, target, cited=True)
    timed = bool(results.standings.tables[0].timings)
    if (timed and not run.published) or not (target / "timings.md").exists():
        files["timings.md"] = timings_page(results)
        files[TIMINGS] = run.make("report", "timings").text(results.standings)
        files[VERSIONS] = json.dumps(dict(played) or versions(), indent=1) + "\n"
    for name in {SEED_FILE, TALLY, PACKED, SUMS, FILE_LISTS} - files.keys():
        with run_errors(target / name, "written"):
            (target / name).unlink(missing_ok=True)  # of an earlier publication
    if has_agent_pages(run, results):
        on_step(f"reviewing {games_to_review(run, len(run.agents)):,} games")
        with run_errors(target / FOLDER, "written"):
            make_folder(target / FOLDER)
        files.update(agent_texts(run, target, on_review))
    on_step(f"writing tables and {results.plan.games:,} games")
    for name, text in files.items():
        write_text(target / name, text)
    boards = run.config.games if keep is None else keep
    all_rows = {entry.key for entry in run.agents if not entry.repeatable}
    write_rows((row for row in run.rows() if row[2] < boards or row[1] in all_rows), target / FILE)
    if results.keep is not None and not results.sums:
        write_packed(run, boards, target / PACKED)
    copies = [
        *copy_agent_files(results.plan.config, target, run.file_lists.values()),
        *copy_plugin_files(results.plan.config, target),
    ]
    if copies:
        write_text(target / SUMS, sums_text(copies, target))
        copies.append(target / SUMS)
    write_text(target / CITATION, citation_text(results.plan, target))
    copies.append(target / CITATION)
    plots: list[Path] = []
    if with_plots:
        on_step(f"drawing {len(score_plots(results)) + len(time_plots(results))} plots")
        with run_errors(target / "plots", "written"):
            plots = draw(results, target / "plots")
    return [*(target / name for name in files), target / FILE, *copies, *plots]


def _check_run(run: RunReader, results: Results, target: Path) -> None:
    """Raise `RunError` with the reason if the run cannot be published to `target`."""
    if target.resolve() == run.directory.resolve() and (run.directory / "games.sqlite").exists():
        raise RunError(f"{target} is the run itself: choose another directory")
    if results.missing and (run.directory / RACE).exists():
        raise RunError(
            f"{run.directory}: a race cannot be published, since its agents played different boards: see {RACE}"
        )
    if results.missing:
        raise RunError(f"{run.directory}: {results.missing:,} games have not been played yet; finish the run first")
    if run.secret is not None and not run.secret.revealed:
        raise RunError(f"{run.directory}: its seed is still secret: run the tournament again to publish it")
    if changed := changed_since_played(run):
        raise RunError(
            f"{run.directory}: changed since these games were played: {', '.join(changed)}; "
            "run the tournament again first"
        )


def texts(
    run: RunReader, results: Results, target: Path, *, cited: bool | None = None, form: int = FORMAT
) -> dict[str, str]:
    """Return the files that depend only on the games and on reading.md in the target: name to text.

    `cited` says whether the publication has a file with its citation; by default it is looked up in the target. `form`
    is the format of its games.
    """
    config = results.plan.config
    preset = preset_of(config)
    file = portable_yaml(config)
    start = config.name if preset is not None else "tournament.yaml"
    place = usual_place(target, USUAL_PLACE, config.name)
    to = place if place != "." else f"published/{config.name}"
    command = f"sweepstakes run {start}\nsweepstakes publish runs/{config.name} --to {to}"
    if results.keep is not None and config.keep_boards is None:
        command += f" --keep-boards {results.keep}"
    if results.sums:
        command += " --sums"
    reading = target / READING
    words = PageTexts(
        about(preset) if preset is not None else "",
        _text(reading) if reading.is_file() else "",
        command,
        file,
        _on_seed(run.secret, place) if run.secret is not None else "",
        _agent_list(run) if has_agent_pages(run, results) else "",
        copied=has_agent_files(config) or bool(PluginPlaces(config)),
        cited=(target / CITATION).is_file() if cited is None else cited,
        place=place,
    )
    tables = {name: run.make("report", report).text(results.standings) for name, report in TABLES.items()}
    return {
        "README.md": page(results, words),
        **tables,
        KEYS: json.dumps(keys(results.plan, form), indent=1) + "\n",
        **_file_lists(run, results),
        "tournament.yaml": file,
        **({TALLY: _tally(run, results)} if results.sums else {}),
        **({SEED_FILE: run.secret.public_text()} if run.secret is not None else {}),
    }


def _tally(run: RunReader, results: Results) -> str:
    """Return the text of tally.json, which a publication already has."""
    if run.published and (run.directory / TALLY).is_file():
        return _text(run.directory / TALLY)
    return tally_text(results.plan, results.tallies, results.keep or 0)


def _file_lists(run: RunReader, results: Results) -> dict[str, str]:
    """Return the file that lists data files which published agents opened while they played, if there are any."""
    published = {entry.key for entry in results.plan.entries}
    lists = {key: listed for key, listed in run.file_lists.items() if key in published}
    return {FILE_LISTS: lists_text(lists) + "\n"} if lists else {}


def has_agent_pages(run: RunReader, results: Results) -> bool:
    """Return whether agents have pages, which requires that every game is reviewed and published."""
    return results.keep is None and is_reviewed(run)


def agent_texts(run: RunReader, target: Path, on_review: Callable[[int], None] = lambda games: None) -> dict[str, str]:
    """Return the pages of the agents and their pictures, by name."""
    reviews = review_run(run, pick_executor(run.registry, LOCAL, None), progress=on_review)
    place = usual_place(target, USUAL_PLACE, run.config.name)
    pages = agent_pages(reviews, run.registry, f"sweepstakes review {place}")
    return {f"{FOLDER}/{name}": text for page in pages for name, text in page.files("md").items()}


def _agent_list(run: RunReader) -> str:
    """Return the links to the pages of the agents."""
    names = page_names([entry.label for entry in run.agents])
    links = ", ".join(f"[{escape_markdown(label)}]({FOLDER}/{name}.md)" for label, name in names.items())
    return fill(f"{AGENT_PAGES} {links}.", WIDTH, break_long_words=False, break_on_hyphens=False)


def _on_seed(secret: SecretSeed, place: str) -> str:
    """Return the paragraph of the page on a seed that was secret, with the command that checks it."""
    words = (
        f"The seed of the boards, {secret.seed}, was 128 bits of the system's randomness, and secret until the last "
        "game had been played. Before the first game its commitment was printed: the SHA-256 of its decimal digits in "
        f"ASCII, without a line end, which is {secret.sha256}. One command compares the seed with the commitment and "
        "plays a sample of the games again:"
    )
    return f"{fill(words, WIDTH)}\n\n```bash\nsweepstakes verify {place}\n```"


def _text(path: Path) -> str:
    """Return the text of a file. Raise `RunError` if it is not UTF-8."""
    try:
        with run_errors(path):
            return path.read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise RunError(f"{path}: not a text: {error.reason} at byte {error.start}; write it in utf-8") from None


def preset_of(config: Tournament) -> Path | None:
    """Return the built-in preset that is equal to the tournament, or None."""
    path = PRESETS / f"{config.name}.yaml"
    if not path.is_file():
        return None
    try:
        preset, _ = load(path)
    except ConfigError:
        return None
    return path if portable_yaml(preset) == portable_yaml(config) else None


def about(preset: Path) -> str:
    """Return the comment that a preset begins with, as a paragraph."""
    lines = []
    for line in preset.read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            break
        lines.append(line.removeprefix("#").strip())
    return " ".join(lines)


def portable_yaml(config: Tournament) -> str:
    """Return the tournament file without workers and executor, and with paths next to it instead of absolute ones."""
    places = PluginPlaces(config)
    boards = [item.model_copy(update={"source": places.moved(item.source)}) for item in config.boards]
    changes = {
        "agents": with_files_here(config),
        "boards": tuple(boards),
        "noise": tuple(map(places.moved, config.noise)),
        "scores": tuple(map(places.moved, config.scores)),
        "plugins": tuple(map(places.of, config.plugins)),
        "workers": None,
    }
    data: dict[str, Any] = yaml.safe_load(as_yaml(config.model_copy(update=changes)))
    del data["workers"], data["executor"]
    for spec in (*data["agents"], *data["rules"]):  # null means the default here; among the limits it means no limit
        for key in [key for key, value in spec.items() if value is None]:
            del spec[key]
    return yaml.safe_dump(data, sort_keys=False, default_flow_style=None, width=100)


def versions() -> dict[str, str]:
    """Return the versions of Python and the libraries; of a git checkout of sweepstakes also its commit."""
    installed = {"python": platform.python_version(), **{name: version(name) for name in _LIBRARIES}}
    if commit := code_commit(Path(__file__).resolve().parents[1]):
        installed["commit"] = commit
    return installed


def code_commit(folder: Path) -> str:
    """Return the commit of the git checkout in a folder, with `-dirty` if files have changed; "" without a checkout."""
    if not (folder / ".git").exists() or (git := shutil.which("git")) is None:
        return ""
    words = [git, "-C", str(folder), "describe", "--always", "--abbrev=40", "--exclude=*", "--dirty"]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=10, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return clean(done.stdout, 60) if done.returncode == 0 else ""
