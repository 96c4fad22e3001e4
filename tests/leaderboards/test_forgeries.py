"""`verify` accepts no forged publication: each test changes a copy of an honest one, and types the command."""

from __future__ import annotations

import csv
import gzip
import io
import json
import re
import shutil
from base64 import b64decode, b64encode
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml

from sweepstakes.leaderboards.pages.citation import FILE as CITATION
from sweepstakes.leaderboards.pages.citation import citation_text
from sweepstakes.leaderboards.publish import publish, texts
from sweepstakes.leaderboards.results import read_results
from sweepstakes.tournaments import run_tournament
from sweepstakes.tournaments.storage.packed import Block, decode, encode
from sweepstakes.tournaments.stored_run import open_run

Terminal = Callable[..., Any]
Forgery = Callable[[Path], object]
TALLY = Path(__file__).parents[1] / "formats" / "4" / "tally"
"""A publication of 21 games of `SMALL` with sums in place of most games."""
SMALL: dict[str, Any] = {
    "executor": "serial",
    "name": "small",
    "seed": 5,
    "games": 12,
    "boards": [{"size": 5, "mines": 3}, {"size": 6, "mines": 4}],
    "rules": {"on_mine": "end", "first_click": "safe"},
    "agents": ["exact", "basic", "random"],
    "scores": ["win", "safe-opened", "guesses"],
    "moves": "none",
}
OWN = """
from sweepstakes import Agent, Turn, hookimpl

class First(Agent):
    def act(self, view):
        return Turn(open=view.covered()[:1])

@hookimpl
def sweepstakes_agents():
    return {"first": First}
"""


@pytest.fixture(scope="module")
def honest(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder of honest publications: of built-in agents, one that keeps some games, one with an agent of its own."""
    home = tmp_path_factory.mktemp("honest")
    run_tournament(SMALL, out=home / "run")
    with closing(open_run(home / "run")) as run:
        publish(run, home / "small", with_plots=False)
        publish(run, home / "packed", 5, with_plots=False)
    shutil.copytree(TALLY, home / "kept")
    (home / "first.py").write_text(OWN)
    own = {**SMALL, "games": 3, "agents": ["basic", str(home / "first.py")]}
    run_tournament(own, out=home / "own-run")
    with closing(open_run(home / "own-run")) as run:
        publish(run, home / "own", with_plots=False)
    return home


@pytest.fixture
def verify(honest: Path, tmp_path: Path, sweepstakes: Terminal) -> Callable[..., Any]:
    """Copy a publication, forge it, and verify it."""

    def check(forge: Forgery, name: str = "small", *words: str) -> Any:
        shutil.copytree(honest / name, tmp_path / name)
        forge(tmp_path / name)
        return sweepstakes("verify", name, "--quiet", "--workers", "1", *words)

    return check


def rows(change: Callable[[list[dict[str, str]]], list[dict[str, str]]], *, tables: bool = True) -> Forgery:
    """Change the rows of the games; then the tables are those of the changed rows, as a careful forger has them."""

    def forge(directory: Path) -> None:
        file = directory / "games.csv.gz"
        with gzip.open(file, "rt", newline="") as old:
            games = list(csv.DictReader(old))
        text = io.StringIO()
        writer = csv.DictWriter(text, list(games[0]), lineterminator="\n")
        writer.writeheader()
        writer.writerows(change(games))
        file.write_bytes(gzip.compress(text.getvalue().encode()))
        if tables:
            rewrite_tables(directory)

    return forge


def rewrite_tables(directory: Path) -> None:
    with closing(open_run(directory)) as run:
        for name, text in texts(run, read_results(run), directory).items():
            (directory / name).write_text(text)
        (directory / CITATION).write_text(citation_text(run.plan, directory))


def key_of(directory: Path, label: str) -> str:
    agents: dict[str, dict[str, str]] = json.loads((directory / "keys.json").read_text())["agents"]
    return next(key for key, agent in agents.items() if agent["label"] == label)


def replaced(name: str, pattern: str, new: str) -> Forgery:
    """Change the first match of a pattern in a file."""

    def forge(directory: Path) -> None:
        text = (directory / name).read_text()
        changed = re.sub(pattern, new, text, count=1, flags=re.MULTILINE)
        assert changed != text, "nothing was forged"
        (directory / name).write_text(changed)

    return forge


def changed_json(change: Callable[[Any], None], name: str = "leaderboard.json") -> Forgery:
    def forge(directory: Path) -> None:
        data = json.loads((directory / name).read_text())
        change(data)
        (directory / name).write_text(json.dumps(data, indent=1) + "\n")

    return forge


def changed_yaml(*, tables: bool = True, **changes: Any) -> Forgery:
    def forge(directory: Path) -> None:
        file = directory / "tournament.yaml"
        data = yaml.safe_load(file.read_text())
        file.write_text(yaml.safe_dump({**data, **changes}, sort_keys=False))
        if tables:
            rewrite_tables(directory)

    return forge


def lines_of(name: str, change: Callable[[list[str]], list[str]]) -> Forgery:
    def forge(directory: Path) -> None:
        lines = (directory / name).read_text().splitlines()
        (directory / name).write_text("\n".join(change(lines)) + "\n")

    return forge


def timed_out(row: dict[str, str]) -> dict[str, str]:
    counts = dict.fromkeys(("opened", "right_flags", "turns", "cells_clicked", "guesses", "clicks", "three_bv"), "0")
    return {**row, **counts, "ending": "time-out", "fault": "agent 'basic' took more than 2 s for a turn"}


def wins_to_time_outs(directory: Path) -> None:
    key = key_of(directory, "basic")
    rows(lambda games: [timed_out(g) if g["agent"] == key and g["ending"] == "won" else g for g in games])(directory)


def loss_to_win(games: list[dict[str, str]]) -> list[dict[str, str]]:
    won = next(row for row in games if row["ending"] == "won")
    lost = next(row for row in games if row["ending"] == "lost" and row["condition"] == won["condition"])
    lost.update({name: won[name] for name in won if name not in ("condition", "agent", "number")})
    return games


def fewer_guesses(games: list[dict[str, str]]) -> list[dict[str, str]]:
    row = next(row for row in games if int(row["guesses"]) > 1)
    row["guesses"] = str(int(row["guesses"]) - 1)
    return games


def swap_agents(directory: Path) -> None:
    def swap(data: Any) -> None:
        first, second = list(data["agents"].values())[:2]
        first["label"], second["label"] = second["label"], first["label"]

    changed_json(swap, "keys.json")(directory)
    rewrite_tables(directory)


def best_rank(data: Any) -> None:
    for line in data["tables"][0]["standings"]:
        line["rank"] = 1


def mean_of_first(data: Any) -> None:
    data["tables"][1]["standings"][0]["scores"]["win"]["mean"] += 0.000001


FORGERIES: dict[str, tuple[Forgery, str]] = {
    "a mean in leaderboard.csv": (
        replaced("leaderboard.csv", r"(exact,24,0\.)\d", r"\g<1>7"),
        "leaderboard.csv: line 2",
    ),
    "a rank in leaderboard.csv": (replaced("leaderboard.csv", r"3(?=,random)", "1"), "rank: it says 1"),
    "faults in leaderboard.csv": (replaced("leaderboard.csv", r"0,0$", "4,0"), "faults: it says 4"),
    "a line cut out of leaderboard.csv": (lines_of("leaderboard.csv", lambda lines: lines[:-1]), "it says nothing"),
    "a line more in leaderboard.csv": (lines_of("leaderboard.csv", lambda lines: [*lines, lines[-1]]), "give nothing"),
    "two lines of leaderboard.csv swapped": (
        lines_of("leaderboard.csv", lambda lines: [lines[0], lines[2], lines[1], *lines[3:]]),
        "agent: it says",
    ),
    "ranks in leaderboard.json": (changed_json(best_rank), "leaderboard.json: tables[0].standings[2].rank: it says 1"),
    "the last digit of a mean in leaderboard.json": (changed_json(mean_of_first), "scores.win.mean"),
    "a rating in leaderboard.json": (
        changed_json(lambda data: data["tables"][0]["standings"][1]["rating"].update(mean=999.0)),
        "rating.mean: it says 999.0",
    ),
    "a p-value in leaderboard.json": (
        changed_json(lambda data: data["tables"][0]["pairs"][0].update(p_mean=0.0001)),
        "pairs[0].p_mean",
    ),
    "a condition cut out of leaderboard.json": (changed_json(lambda data: data["tables"].pop()), "tables[2]"),
    "the sentence on boards in leaderboard.json": (
        changed_json(lambda data: data.update(footnote=data["footnote"].replace("12 boards", "1,200 boards"))),
        "footnote",
    ),
    "faults invented in leaderboard.json": (
        changed_json(lambda data: data.update(faults=[{"agent": "basic", "kind": "error", "games": 3}])),
        "faults: it says",
    ),
    "a count in head-to-head.csv": (
        replaced("head-to-head.csv", r"(exact,basic,)\d+", r"\g<1>23"),
        "better: it says 23",
    ),
    "a line cut out of head-to-head.csv": (lines_of("head-to-head.csv", lambda lines: lines[:-1]), "head-to-head.csv"),
    "a score in the first table of the page": (
        replaced("README.md", r"(exact +\| )\d", r"\g<1>7"),
        "README.md: table 1",
    ),
    "two agents swapped on the page": (replaced("README.md", r"exact ", "basic "), "README.md: table 1"),
    "a score by condition on the page": (
        replaced("README.md", r"^(\| exact +\|) +\S+ ", r"\g<1> 99.9 "),
        "README.md: table 2",
    ),
    "a share in the head-to-head table of the page": (
        replaced("README.md", r"^(\| +2 \| basic +\|) +\S+ ", r"\g<1> 88 "),
        "it says 88",
    ),
    "a table more on the page": (
        lambda at: (at / "README.md").write_text(
            (at / "README.md").read_text() + "\n| a | b |\n|---|---|\n| 1 | 2 |\n"
        ),
        "it says 1 | 2; the games give nothing",
    ),
    "the tournament on the page": (
        replaced("README.md", r"^games: 12", "games: 1200"),
        "tournament.yaml: it says games: 1200",
    ),
    "faults invented on the page": (
        replaced(
            "README.md",
            r"^## Repeat it",
            "## Faults\n\nbasic: error in 3 games, the first being\n\n    lie\n\n## Repeat it",
        ),
        "faults: it says basic: error in 3 games",
    ),
    "a table deleted": (lambda at: (at / "head-to-head.csv").unlink(), "head-to-head.csv"),
    "the page deleted": (lambda at: (at / "README.md").unlink(), "README.md"),
    "a rival's wins turned into time-outs": (wins_to_time_outs, "the row says time-out; played again it is won"),
    "a loss turned into a win": (rows(loss_to_win), "the row says won"),
    "one guess less": (rows(fewer_guesses), "the row says"),
    "a game cut out": (rows(lambda games: games[:5] + games[6:]), "1 game is missing: board 5"),
    "the last boards cut out": (
        rows(lambda games: [row for row in games if int(row["number"]) < 9]),
        "exact/1: 3 games are missing: boards 9 to 11",
    ),
    "a game cut out, with the old tables": (rows(lambda games: games[1:], tables=False), "is missing: board 0"),
    "a game added": (
        rows(lambda games: [*games, {**games[-1], "number": "12"}]),
        "1 games that the tournament file does not have: board 12",
    ),
    "a game twice": (rows(lambda games: [*games, games[-1]], tables=False), "appears twice"),
    "half of the games in tournament.yaml": (changed_yaml(games=6), "does not have: boards 6 to 11"),
    "twice the games in tournament.yaml": (changed_yaml(games=24), "12 games are missing: boards 12 to 23"),
    "another seed in tournament.yaml": (changed_yaml(seed=6, tables=False), "games are missing"),
    "another order of scores in tournament.yaml": (
        changed_yaml(scores=["safe-opened", "win", "guesses"], tables=False),
        "leaderboard.json: scores[0].name",
    ),
    "an agent replaced in tournament.yaml": (
        changed_yaml(agents=["exact", {"chain": {}, "as": "basic"}, "random"]),
        "agent basic: basic played, the tournament file names chain",
    ),
    "an agent left out of tournament.yaml": (
        changed_yaml(agents=["exact", "basic"]),
        "agent random: the tournament file",
    ),
    "an agent more in tournament.yaml": (
        changed_yaml(agents=["exact", "basic", "random", "ibm"]),
        "agent ibm: the tournament file names it, and it has no games",
    ),
    "two agents swapped in keys.json": (swap_agents, "agent exact: basic played, the tournament file names exact"),
    "another version in keys.json": (replaced("keys.json", '"version": "v1"', '"version": "v9"'), "missing"),
}


@pytest.mark.parametrize(
    "name",
    [
        name if number % 3 == 0 else pytest.param(name, marks=pytest.mark.system)
        for number, name in enumerate(FORGERIES)
    ],
)
def test_a_forged_publication_is_not_accepted(name: str, verify: Callable[..., Any]) -> None:
    forge, expected = FORGERIES[name]
    done = verify(forge)
    assert done.code == (2 if name == "a game twice" else 1), done
    assert expected in done.out + done.err
    assert done.code == 2 or "differ" in done.out.splitlines()[-1]


@pytest.mark.parametrize("name", ["small", "own", "run", "packed"])
def test_an_honest_publication_is_accepted(name: str, verify: Callable[..., Any]) -> None:
    done = verify(lambda directory: None, name)
    assert (done.code, done.err) == (0, ""), done
    assert done.out.splitlines()[-1].endswith("all rows and tables agree")


def flip_bits(directory: Path) -> None:
    """Let the worst agent win all games that are published as bits alone, with sums and tables to fit."""
    data = json.loads((directory / "tally.json").read_text())
    for agents in data["conditions"].values():
        agent = agents[key_of(directory, "random")]
        bits = bytes(a | b for a, b in zip(b64decode(agent["won"]), b"\x07\xff\xf8", strict=True))  # boards 5 to 20
        won = str(sum(map(int.bit_count, bits)))
        agent["won"] = b64encode(bits).decode()
        agent["scores"]["win"] = {"n": 21, "total": won, "squares": won}
    (directory / "tally.json").write_text(json.dumps(data, indent=1) + "\n")
    rewrite_tables(directory)


def test_a_forged_bit_is_found(verify: Callable[..., Any]) -> None:
    done = verify(flip_bits, "kept", "--sample", "1")
    assert done.code == 1
    assert re.search(r"random/1/\d+: tally.json says it was won; played again it is otherwise", done.out)


def win_packed_games(directory: Path) -> None:
    """Let the worst agent win all packed games, with tables to fit."""
    lines = []
    for line in gzip.decompress((directory / "packed.jsonl.gz").read_bytes()).splitlines():
        condition, agent, first, last, step, head, data = json.loads(line)
        if agent == key_of(directory, "random"):
            games = decode(Block(first, last, step, head, b64decode(data)))
            won = np.ones(len(games.numbers))
            block = encode(games._replace(columns={**games.columns, ".won": won, "win": won}), range(first, last, step))
            head, data = block.head, b64encode(block.data).decode()
        lines.append(json.dumps([condition, agent, first, last, step, head, data]) + "\n")
    (directory / "packed.jsonl.gz").write_bytes(gzip.compress("".join(lines).encode()))
    rewrite_tables(directory)


def test_a_forged_block_is_found(verify: Callable[..., Any]) -> None:
    done = verify(win_packed_games, "packed", "--sample", "1")
    assert done.code == 1
    assert re.search(r"random/1/\d+: packed with win 1, not 0 as played again", done.out)


def change_sum(directory: Path) -> None:
    data = json.loads((directory / "tally.json").read_text())
    for agents in data["conditions"].values():
        agents[key_of(directory, "random")]["scores"]["guesses"]["total"] = "12"
    (directory / "tally.json").write_text(json.dumps(data, indent=1) + "\n")
    rewrite_tables(directory)


def test_sums_of_games_that_are_not_published_line_by_line_are_compared_if_all_are_played(
    verify: Callable[..., Any],
) -> None:
    done = verify(change_sum, "kept")
    assert done.code == 3
    assert done.out.splitlines()[-1].endswith("nothing differs, but not everything could be verified: tally.json")


def test_a_changed_sum_is_found(verify: Callable[..., Any]) -> None:
    done = verify(change_sum, "kept", "--sample", "1")
    assert done.code == 1
    assert "tally.json: random/1: the sum of guesses is not that of its games" in done.out


def test_sums_that_are_right_are_accepted(verify: Callable[..., Any]) -> None:
    done = verify(lambda directory: None, "kept", "--sample", "1")
    assert done.code == 0, done


def test_a_changed_file_of_an_agent_is_found(verify: Callable[..., Any]) -> None:
    done = verify(replaced("agents/first/first.py", r"\[:1\]", "[1:2]"), "own")
    assert done.code == 1
    assert "agent first: its files are not those that played: version" in done.out


def test_an_agent_whose_file_is_gone_cannot_be_verified_unless_it_is_allowed(
    verify: Callable[..., Any], sweepstakes: Terminal
) -> None:
    done = verify(lambda directory: shutil.rmtree(directory / "agents"), "own")
    assert done.code == 3
    assert done.out.splitlines()[-1].endswith("nothing differs, but not everything could be verified: first")
    done = sweepstakes("verify", "own", "--quiet", "--allow-unverified", "first")
    assert done.code == 0, done
    assert "first: cannot be verified: " in done.out
    done = sweepstakes("verify", "own", "--quiet", "--allow-unverified", "frist")
    assert (done.code, "did you mean 'first'" in done.err) == (2, True)


def hidden_table(directory: Path) -> None:
    """Hide the first table in a comment, where no reader sees it."""
    text = (directory / "README.md").read_text()
    (directory / "README.md").write_text(re.sub(r"((?:^\|.*\n)+)", r"<!--\n\1-->\n", text, count=1, flags=re.MULTILINE))


CLEVERER: dict[str, tuple[Forgery, str]] = {
    "a table hidden in a comment": (hidden_table, "README.md: what hides or adds a table: it says <!--"),
    "a table without bars at its ends": (
        replaced("README.md", r"^## Repeat it", "agent | win %\n---|---\nbasic | 100.0\n\n## Repeat it"),
        "it says agent | win %",
    ),
    "a table in HTML": (
        replaced("README.md", r"^## Repeat it", "<table><tr><td>100.0</td></tr></table>\n\n## Repeat it"),
        "it says <table",
    ),
    "a rank twice in leaderboard.json": (
        replaced("leaderboard.json", '"rank": 1,', '"rank": 3, "rank": 1,'),
        "leaderboard.json: cannot be read: 'rank' is given twice",
    ),
    "a number more in leaderboard.json": (changed_json(lambda data: data.update(prize=None)), "prize: it says null"),
    "the seed in citation.md": (replaced("citation.md", "seed 5", "seed 6"), "citation.md: it says 6,; "),
    "versions.json without versions": (lambda at: (at / "versions.json").write_text("[1]"), "citation.md: it says"),
    "the versions in versions.json": (
        replaced("versions.json", '"sweepstakes": "', '"sweepstakes": "9'),
        "citation.md",
    ),
}


@pytest.mark.system
@pytest.mark.parametrize("name", CLEVERER)
def test_a_cleverer_forgery_is_not_accepted(name: str, verify: Callable[..., Any]) -> None:
    forge, expected = CLEVERER[name]
    done = verify(forge)
    assert done.code == 1, done
    assert expected in done.out


def without_measure(label: str) -> Forgery:
    """Say that the worst measured game of an agent was not measured."""

    def forge(directory: Path) -> None:
        key = key_of(directory, label)

        def change(games: list[dict[str, str]]) -> list[dict[str, str]]:
            measured = [row for row in games if row["agent"] == key]
            worst = min(measured, key=lambda row: float(json.loads(row["measures"])["win-adjusted"]))
            worst["measures"] = '{"win-adjusted": null}'
            return games

        rows(change)(directory)

    return forge


@pytest.mark.slow
def test_a_measure_that_was_left_out_is_found(sweepstakes: Terminal, honest: Path, tmp_path: Path) -> None:
    own = {**SMALL, "games": 2, "agents": ["basic", str(honest / "first.py")], "scores": ["win", "win-adjusted"]}
    run_tournament(own, out=tmp_path / "run")
    with closing(open_run(tmp_path / "run")) as run:
        publish(run, tmp_path / "measured", with_plots=False)
    done = sweepstakes("verify", "measured", "--quiet")  # all games are in its sample, so pages are compared too
    assert done.code == 0, done
    shutil.copytree("measured", "forged")
    without_measure("first")(tmp_path / "forged")
    done = sweepstakes("verify", "forged", "--quiet")
    assert done.code in (1, 3), done
    assert "first: 1 game was measured only once of two times" in done.out
    without_measure("basic")(tmp_path / "measured")
    done = sweepstakes("verify", "measured", "--quiet")
    assert done.code == 1
    assert "the row says no win-adjusted; played again it is win-adjusted" in done.out
