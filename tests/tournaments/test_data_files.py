"""All data files that an agent opens, at any time, are part of its identity."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import pytest
from said import Said

from sweepstakes import Registry
from sweepstakes.hosting import sealing
from sweepstakes.hosting.client import Hosts
from sweepstakes.hosting.describing import describer_here, read_imports
from sweepstakes.hosting.hosted_agent import HostedAgents
from sweepstakes.registry.own_data import own_data
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.resolving import find_agent

sealable = pytest.mark.skipif(bool(sealing.missing()), reason="this machine cannot seal")

AGENT = """
from pathlib import Path
from sweepstakes import Agent, Turn, hookimpl
HERE = Path(__file__).parent
{imported}

class Mine(Agent):
    '''Opens the cell that its weights say.'''
    {named}

    def __init__(self):
        {made}

    def act(self, view):
        {turn}
        covered = view.covered()
        return Turn(open=[covered[place % len(covered)]], why="random")

@hookimpl
def sweepstakes_agents():
    return {{"mine": Mine}}
"""
READ = 'place = int((HERE / "weights.csv").read_text())'
GAMES = "boards: 4x4/3\ngames: 3\nexecutor: serial\nrules: {on_mine: end, first_click: any}\n"


def write(folder: Path, name: str = "mine.py", **parts: str) -> Path:
    folder.mkdir(parents=True, exist_ok=True)
    given = {"imported": "place = 0", "named": "", "made": "pass", "turn": "global place", **parts}
    (folder / name).write_text(AGENT.format(**given))
    (folder / "weights.csv").write_text("0\n")
    return folder / name


def agents_of(directory: Path) -> dict[str, int]:
    """The number of games of each agent of a run, by label."""
    with closing(sqlite3.connect(directory / "games.sqlite")) as db:
        return dict(db.execute("select label, count(number) from agents left join games on agent = id group by label"))


WHEN = {
    "imported": {"imported": READ},
    "made": {"made": f"global place; {READ}"},
    "turn": {"turn": READ},
    "rare": {"turn": f"if len(view.covered()) < 16: {READ}\n        else: place = 0"},
}


@pytest.mark.parametrize(
    "when",
    [
        "imported",
        pytest.param("rare", marks=pytest.mark.slow),
        *(pytest.param(when, marks=pytest.mark.slow) for when in ("made", "turn")),
    ],
)
def test_an_agent_plays_again_when_a_file_that_it_opens_has_changed(
    when: str, tmp_path: Path, sweepstakes: Callable[..., Said]
) -> None:
    write(tmp_path, **WHEN[when])
    (tmp_path / "t.yaml").write_text(f"agents: [./mine.py, random]\n{GAMES}")
    assert sweepstakes("run", "t.yaml", "--out", "run", "--quiet").code == 0
    assert sweepstakes("run", "t.yaml", "--out", "run", "--quiet").code == 0
    assert agents_of(tmp_path / "run") == {"mine": 3, "random": 3}
    (tmp_path / "weights.csv").write_text("5\n")
    said = sweepstakes("verify", "run", "--sample", "1")
    assert said.code != 0
    assert "it has changed since" in said.out + said.err
    assert sweepstakes("run", "t.yaml", "--out", "run", "--quiet").code == 0
    assert agents_of(tmp_path / "run") == {"mine": 3, "mine@1": 3, "random": 3}
    assert sweepstakes("verify", "run").code == 0
    (tmp_path / "weights.csv").write_text("0\n")  # as it was: nothing is to be played
    assert sweepstakes("run", "t.yaml", "--out", "run", "--quiet").code == 0
    assert sorted(agents_of(tmp_path / "run").values()) == [3, 3, 3]


def test_files_that_are_nobodys_data_do_not_count(tmp_path: Path) -> None:
    plugin = PluginSource.of_file(write(tmp_path / "agent", imported="import helper").resolve(), read_imports)
    home = tmp_path / "agent"
    (home / "run" / "deep").mkdir(parents=True)
    (home / "run" / "games.sqlite").write_text("")
    (home / "out").symlink_to(tmp_path)
    for place in ("data/new.csv", "weights.csv"):
        assert own_data(str(home / place), plugin) == place
    for place in ("run/deep/x", ".env", ".git/config", "__pycache__/x.pyc", "mine.py", "out/secret", "../secret", "."):
        assert own_data(str(home / place), plugin) == "", place
    alone = PluginSource.of_file((home / "mine.py").resolve(), read_imports, alone=True)
    assert own_data(str(home / "weights.csv"), alone) == ""


def opened(file: Path, isolation: str = "process") -> list[tuple[str, bool]]:
    """What an agent is seen to open while it is made: place, and whether it plays by it."""
    registry = Registry(third_party=False)
    source = find_agent(registry, str(file), check=False)
    assert source is not None
    with Hosts() as hosts:
        agents = HostedAgents(hosts, source, isolation=isolation)
        agents()
        try:
            return sorted((file.place, bool(file.digest)) for file in agents.take_files())
        finally:
            agents.end()


def test_what_an_agent_writes_is_no_part_of_its_identity(tmp_path: Path) -> None:
    kept = '(HERE / "kept.txt").write_text("1"); (HERE / "kept.txt").read_text(); open(HERE / "log", "a")'
    file = write(tmp_path, made=f'{kept}; (HERE / "weights.csv").open("rb")')
    assert opened(file) == [("kept.txt", False), ("log", False), ("weights.csv", True)]
    before = find_agent(Registry(third_party=False), str(file)).version
    (tmp_path / "log").write_text("other")
    assert find_agent(Registry(third_party=False), str(file)).version == before


@pytest.mark.own_server  # whose folder is that of the test
def test_many_ways_to_open_a_file_are_seen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    made = (
        "import os, sqlite3, mmap, numpy; open('a.txt'); os.open(b'b.txt', os.O_RDONLY); numpy.loadtxt('c.txt'); "
        "open(os.open('d.txt', os.O_RDONLY)); open('./x/../e.txt'); import io; io.FileIO(Path('f.txt'))"
    )
    (tmp_path / "x").mkdir()
    for name in "abcdef":
        (tmp_path / f"{name}.txt").write_text("1")
    assert [place for place, _ in opened(write(tmp_path, made=made))] == [f"{name}.txt" for name in "abcdef"]


@pytest.mark.system
def test_check_lists_the_data_files(tmp_path: Path, sweepstakes: Callable[..., Said]) -> None:
    write(tmp_path, **WHEN["rare"])
    (tmp_path / "unused.csv").write_text("")
    said = sweepstakes("check", "mine.py", "--limit", "300")
    assert "data files, part of its identity: weights.csv\n" in said.out


@pytest.mark.system
@sealable
def test_a_sealed_agent_reads_the_files_of_a_folder_of_its_own(
    tmp_path: Path, sweepstakes: Callable[..., Said]
) -> None:
    write(tmp_path / "in" / "ann", "agent.py", **WHEN["turn"])
    nosy = "try: place = int((HERE.parent / 'ann' / 'weights.csv').read_text()) // 0\n        except OSError: place = 0"
    write(tmp_path / "in" / "bob", "bob.py", turn=nosy)
    (tmp_path / "t.yaml").write_text(f"agents: [./in/]\n{GAMES}isolation: sealed\n")
    said = sweepstakes("run", "t.yaml", "--out", "run")
    assert said.code == 0, said.err
    assert "Error" not in said.out
    (tmp_path / "in" / "ann" / "weights.csv").write_text("3\n")
    assert sweepstakes("run", "t.yaml", "--out", "run", "--quiet").code == 0
    assert agents_of(tmp_path / "run") == {"ann": 3, "ann@1": 3, "bob": 3}


@sealable
def test_a_sealed_agent_reads_the_weights_that_its_class_names(
    tmp_path: Path, sweepstakes: Callable[..., Said]
) -> None:
    file = write(tmp_path, named='weights = "weights.csv"', **WHEN["turn"])
    (tmp_path / "t.yaml").write_text(f"agents: [random]\n{GAMES}isolation: sealed\n")
    for _ in range(2):
        said = sweepstakes("run", "t.yaml", "--agent", "mine.py", "--out", "run")
        assert said.code == 0, said.err
        assert "Error" not in said.out
        (tmp_path / "weights.csv").write_text("3\n")
    assert agents_of(tmp_path / "run") == {"mine": 3, "mine@1": 3, "random": 3}
    (tmp_path / "secret").write_text("1")
    (tmp_path / "weights.csv").unlink()
    (tmp_path / "sub").mkdir()
    linked = write(tmp_path / "sub", named='weights = "link.csv"')
    (tmp_path / "sub" / "link.csv").symlink_to(tmp_path / "secret")
    registry = Registry(third_party=False, describer=describer_here("sealed"))
    with pytest.raises(Exception, match=r"link\.csv is a link to"):
        find_agent(registry, str(linked))
    assert file.exists()


@pytest.mark.system
def test_a_publication_has_the_data_files_and_can_be_verified_elsewhere(
    tmp_path: Path, sweepstakes: Callable[..., Said]
) -> None:
    write(tmp_path / "src", **WHEN["turn"])
    (tmp_path / "src" / "private.txt").write_text("never opened")
    (tmp_path / "t.yaml").write_text(f"agents: [src/mine.py]\n{GAMES}")
    for number in range(2):  # the second version has late files in its identity
        (tmp_path / "src" / "weights.csv").write_text(f"{number}\n")
        assert sweepstakes("run", "t.yaml", "--out", "run", "--quiet").code == 0
    said = sweepstakes("publish", "run", "--to", "page")
    assert said.code == 0, said.err
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "page").rename(tmp_path / "elsewhere" / "page")
    (tmp_path / "src" / "weights.csv").unlink()
    assert {path.name for path in (tmp_path / "elsewhere" / "page" / "agents" / "mine").iterdir()} == {
        "mine.py",
        "weights.csv",
    }
    said = sweepstakes("verify", "elsewhere/page")
    assert said.code == 0, said.out + said.err
    (tmp_path / "elsewhere" / "page" / "agents" / "mine" / "weights.csv").write_text("9\n")
    assert sweepstakes("verify", "elsewhere/page", "--sample", "1").code != 0


@pytest.mark.system
def test_shards_with_other_data_files_are_not_merged(tmp_path: Path, sweepstakes: Callable[..., Said]) -> None:
    write(tmp_path, **WHEN["turn"])
    (tmp_path / "t.yaml").write_text(f"agents: [./mine.py]\n{GAMES}")
    for number in (1, 2):
        assert sweepstakes("run", "t.yaml", "--shard", f"{number}/2", "--out", f"run{number}", "--quiet").code == 0
    assert sweepstakes("merge", "run1", "run2", "--out", "same").code == 0
    (tmp_path / "weights.csv").write_text("4\n")
    assert sweepstakes("run", "t.yaml", "--shard", "2/2", "--out", "run3", "--quiet").code == 0
    said = sweepstakes("merge", "run1", "run3", "--out", "other")
    assert said.code != 0
    assert "the file weights.csv of an agent was another one in run3" in said.err


@pytest.mark.system
def test_games_played_with_another_data_file_are_not_imported(tmp_path: Path, sweepstakes: Callable[..., Said]) -> None:
    write(tmp_path, **WHEN["turn"])
    (tmp_path / "t.yaml").write_text(f"agents: [./mine.py, random]\n{GAMES}")
    assert sweepstakes("run", "t.yaml", "--out", "first", "--quiet").code == 0
    for weights, count in (("0", 6), ("5", 3)):
        (tmp_path / "weights.csv").write_text(f"{weights}\n")
        said = sweepstakes("run", "t.yaml", "--from", "first", "--out", f"run{weights}")
        assert f"{count} games imported from first" in said.out + said.err
        assert sweepstakes("verify", f"run{weights}").code == 0


@pytest.mark.system
@sealable
@pytest.mark.parametrize("named", ["../class/hidden-seed", "old/secret-seed", ".hidden"])
def test_weights_that_a_class_names_are_in_its_folder(
    named: str, tmp_path: Path, sweepstakes: Callable[..., Said]
) -> None:
    for place in ("class/hidden-seed", "in/old/secret-seed", "in/.hidden"):
        (tmp_path / place).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / place).write_text("12345")
    write(tmp_path / "in", named=f'weights = "{named}"')
    (tmp_path / "t.yaml").write_text(f"agents: [in/mine.py]\n{GAMES}isolation: sealed\n")
    said = sweepstakes("run", "t.yaml", "--out", "run")
    assert said.code != 0
    assert "as its `weights`: expected a file in its folder" in said.err


@pytest.mark.system
@sealable
def test_to_try_to_open_a_file_gives_a_sealed_agent_no_right_to_it(
    tmp_path: Path, sweepstakes: Callable[..., Said]
) -> None:
    nosy = "try: (HERE / 'private.txt').read_text(); print('I READ IT')\n        except OSError: print('refused')\n"
    write(tmp_path / "in", made=nosy, turn=f"place = 0\n        {nosy}")
    (tmp_path / "in" / "private.txt").write_text("of somebody else")
    for out, games, isolation in (("run", 3, "sealed"), ("other", 3, "process"), ("other", 5, "sealed")):
        text = f"agents: [in/mine.py]\n{GAMES}isolation: {isolation}\n".replace("games: 3", f"games: {games}")
        (tmp_path / "t.yaml").write_text(text)
        said = sweepstakes("run", "t.yaml", "--out", out, "--show-output", "mine")
        assert said.code == 0, said.err
        expected, other = ("refused", "I READ IT") if isolation == "sealed" else ("I READ IT", "refused")
        assert expected in said.out + said.err
        assert other not in said.out + said.err
    assert sweepstakes("publish", "run", "--to", "page").code == 0
    assert not list(tmp_path.glob("page/**/private.txt"))
