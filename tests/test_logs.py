"""The log is silent by default. With `--log` it has starts and ends of processes, limits, retries and lines."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest
import yaml
from said import Said

from sweepstakes import GameSetup, Registry, Size, logs, play_game
from sweepstakes.errors import HostingError
from sweepstakes.game.faults import AgentFault
from sweepstakes.game.result import Ending, GameResult
from sweepstakes.hosting import environment, sealing
from sweepstakes.hosting.client import Hosts
from sweepstakes.hosting.forked import Server
from sweepstakes.hosting.hosted_agent import HostedAgents, setup_of
from sweepstakes.limits import Limits
from sweepstakes.registry.agent_source import AgentSource
from sweepstakes.registry.plugin_source import PluginSource

Command = Callable[..., Said]
AGENT = """
import ctypes, os, time
from sweepstakes import Agent, Turn, hookimpl

class One(Agent):
    def act(self, view):
        {what}
        return Turn(open=view.covered()[:1])

@hookimpl
def sweepstakes_agents():
    return {{"{name}": One}}
"""
LINE = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d\.\d{3} (INFO|WARNING|ERROR|DEBUG) +([a-z-]+)\[(\d+)\] (\S+): (.+)")
PROGRAM = Path(__file__).parents[1] / "examples" / "languages" / "first_sh.sh"
TINY = {"games": 2, "boards": {"rows": 4, "cols": 4, "mines": 3}, "agents": ["random"]}
needs_sh = pytest.mark.skipif(os.name != "posix", reason="needs sh")


def write(folder: Path, **agents: str) -> None:
    """Write an agent for each name, which does something in its turns, and a tournament of all of them."""
    for name, what in agents.items():
        (folder / f"{name}.py").write_text(AGENT.format(name=name, what=what))
    own = [f"{name}.py" for name in agents]
    limits = {"turn_seconds": 0.3}
    (folder / "t.yaml").write_text(yaml.safe_dump({**TINY, "agents": ["random", *own], "limits": limits}))


def read(path: Path) -> list[tuple[str, ...]]:
    """Level, kind, process id, agent and message of every line; each must have them."""
    lines = path.read_text(encoding="utf-8").splitlines()
    found = [LINE.fullmatch(line) for line in lines]
    assert all(found), [line for line, match in zip(lines, found, strict=True) if not match]
    return [match.groups() for match in found if match]


@pytest.fixture(autouse=True)
def no_log(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """No log before a test, and none is left behind."""
    for name in (logs.FILE, logs.VERBOSE):
        monkeypatch.delenv(name, raising=False)
    yield
    assert logs.file() is None
    assert logs.FILE not in os.environ


@pytest.mark.system
@pytest.mark.parametrize("start", ["fork", pytest.param("spawn", marks=pytest.mark.slow)])
def test_the_log_has_start_end_limit_and_agent_of_every_process(
    start: str, sweepstakes: Command, tmp_path: Path
) -> None:
    write(tmp_path, crash="os._exit(3)", hang="time.sleep(600)")
    log = tmp_path / "x.log"
    said = sweepstakes("run", "t.yaml", "--workers", "2", "--quiet", "--start-method", start, "--log", "x.log")
    assert said.code == 0, said.err
    lines = read(log)
    assert {"main", "worker"} <= {kind for _, kind, *_ in lines}
    told = [f"{agent}: {message}" for *_, agent, message in lines]
    started = {pid for _, _, _, agent, message in lines for pid in re.findall(r"^host (\d+) started", message)}
    ended = {pid for _, _, _, agent, message in lines for pid in re.findall(r"^host (\d+) ended", message)}
    assert started
    assert started <= ended
    assert any(re.match(r"crash: host \d+ ended by exit code 3 ", line) for line in told)
    assert any(re.match(r"hang: host \d+ ended by SIGKILL .*: it did not answer within 0.3 s", line) for line in told)
    assert "hang: a fault of the agent: it took more than 0.3 s for a turn" in told
    assert "hang: game hang/1/0 ended as time-out" in told
    assert "hang: game hang/1/0 is played again: its host used hardly any processor time" in told
    workers = {pid for _, kind, pid, _, _ in lines if kind == "worker"}
    for pid in workers:
        assert any(f"worker {pid} is ready" in line for line in told)
        assert any(f"worker {pid} ended" in line for line in told)
    assert told[0] == "-: sweepstakes run started"
    assert any(line.endswith(": sweepstakes run ends") for line in told)


def test_nothing_is_written_by_default(sweepstakes: Command, tmp_path: Path) -> None:
    write(tmp_path, crash="os._exit(3)")
    said = sweepstakes("run", "t.yaml", "--executor", "serial", "--quiet")
    assert (said.code, said.err) == (0, "")
    assert {path.name for path in tmp_path.iterdir()} == {"crash.py", "t.yaml", "runs"}


@needs_sh
@pytest.mark.parametrize("verbose", [False, True])
def test_v_shows_every_line_that_a_program_exchanges(verbose: bool, sweepstakes: Command, tmp_path: Path) -> None:
    program = {"command": f"sh {PROGRAM}", "as": "first"}
    (tmp_path / "t.yaml").write_text(yaml.safe_dump({**TINY, "agents": [program]}))
    words = ["run", "t.yaml", "--executor", "serial", "--quiet", "--log", "x.log", *["-v"] * verbose]
    said = sweepstakes(*words)
    assert said.code == 0, said.err
    lines = read(tmp_path / "x.log")
    assert any(agent == "first" and "becomes the program sh " in message for *_, agent, message in lines)
    exchanged = [message for level, _, _, agent, message in lines if level == "DEBUG" and agent == "first"]
    if not verbose:
        assert exchanged == []
        return
    assert exchanged[0] == "> sweepstakes 1"
    assert exchanged[1].startswith("< ready name=first-sh")
    assert exchanged.count("< open 0") == 2
    assert sum(line.startswith("> turn ") for line in exchanged) == sum(line.startswith("< open") for line in exchanged)


@needs_sh
def test_an_unreadable_line_is_quoted_in_200_printable_characters(sweepstakes: Command, tmp_path: Path) -> None:
    answer = r"printf '\033[2Jready\007 %0500d\n' 7"
    (tmp_path / "odd.sh").write_text(f"read x; echo ready name=odd version=1; while read x; do {answer}; done\n")
    (tmp_path / "t.yaml").write_text(yaml.safe_dump({**TINY, "agents": [{"command": "sh odd.sh", "as": "odd"}]}))
    assert sweepstakes("run", "t.yaml", "--executor", "serial", "--quiet", "--log", "x.log").code == 0
    warnings = [message for level, *_, message in read(tmp_path / "x.log") if message.startswith("unreadable line")]
    assert warnings
    quoted = warnings[0].rpartition(": ")[2]
    assert quoted.startswith("'ready")
    assert len(quoted) == logs.LONGEST_QUOTE + 2
    assert "\033" not in (tmp_path / "x.log").read_text()


@pytest.mark.parametrize("words", [["--log", "x.log", "agents"], ["agents", "--log", "x.log"]])
def test_the_option_may_come_before_and_after_the_command(
    words: list[str], sweepstakes: Command, tmp_path: Path
) -> None:
    logs.agent.set("earlier")  # an agent that this process has played before
    assert sweepstakes(*words).code == 0
    assert {agent for *_, agent, _ in read(tmp_path / "x.log")} == {"-"}
    assert read(tmp_path / "x.log")[0][-1] == "sweepstakes agents started"
    assert sweepstakes(*words).code == 0
    assert len(read(tmp_path / "x.log")) == 4, "it appends"


def test_the_variable_names_the_log_too(sweepstakes: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(logs.FILE, "x.log")
    assert sweepstakes("agents").code == 0
    monkeypatch.delenv(logs.FILE)
    assert read(tmp_path / "x.log")[0][1] == "main"


def test_a_script_logs_by_the_variable(tmp_path: Path) -> None:
    code = "from sweepstakes import logs; logs.logger('sweepstakes.logs').warning('a\\nb')"
    variables = {**os.environ, logs.FILE: str(tmp_path / "x.log")}
    done = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=True)
    assert done.stderr == ""
    assert [(level, message) for level, *_, message in read(tmp_path / "x.log")] == [("WARNING", "a b")]


@pytest.mark.parametrize(
    ("words", "error"),
    [
        (["--log", "."], "the log cannot be written: Is a directory"),
        (["--log", "missing/x.log"], "the log cannot be written: No such file or directory"),
        (["-v"], "-v needs --log FILE."),
    ],
)
def test_a_log_that_cannot_be_written_is_answered_by_one_line(
    words: list[str], error: str, sweepstakes: Command
) -> None:
    said = sweepstakes("agents", *words)
    assert (said.code, said.out) == (2, "")
    assert said.err.count("\n") == 1
    assert error in said.err


def test_warnings_are_not_printed_without_a_log(capsys: pytest.CaptureFixture[str]) -> None:
    assert any(isinstance(each, logging.NullHandler) for each in logging.getLogger("sweepstakes").handlers)
    assert not logs.logger("sweepstakes.logs").isEnabledFor(logging.INFO)


def test_a_host_knows_neither_the_path_nor_the_file(tmp_path: Path) -> None:
    with logs.logging_to(str(tmp_path / "x.log"), verbose=True):
        for variables in (
            environment.of_agents(),
            environment.minimal(),
            setup_of(AgentSource(None), "process", Limits()),
        ):
            assert str(tmp_path / "x.log") not in repr(variables)
        assert environment.full()[logs.FILE] == str(tmp_path / "x.log")


LOOKS = """
import gc, os, sys
names = sorted(name for name in os.environ if name.startswith("SWEEPSTAKES_"))
files = [os.path.realpath(f"/proc/self/fd/{file}") for file in os.listdir("/proc/self/fd")] if LISTS else []
try:
    text = open(LOG).read()
except OSError as error:
    text = type(error).__name__
raise ValueError(f"names {names} open {any(file == LOG for file in files)} read {text[:40]!r}")
"""


@pytest.mark.system
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="looks into /proc")
@pytest.mark.parametrize("spawn", [False, True])
@pytest.mark.parametrize("isolation", ["process", "sealed"])
def test_a_hosted_agent_has_no_log_and_a_sealed_one_cannot_read_it(isolation: str, spawn: bool, tmp_path: Path) -> None:
    if isolation == "sealed" and sealing.missing():
        pytest.skip("this machine cannot seal")
    folder = tmp_path / "mine"
    folder.mkdir()
    log = folder / "x.log"  # in the folder of the agent, whose files a sealed agent may read
    code = f"LOG, LISTS = {str(log)!r}, {isolation != 'sealed'}" + LOOKS
    agent = AGENT.format(name="mine", what="pass")
    (folder / "mine.py").write_text(agent.replace("class One", f"{code}\nclass One"))
    plugin = PluginSource("file", "mine", str(folder / "mine.py"), (folder / "mine.py").read_text())
    with logs.logging_to(str(log)):
        logs.logger("sweepstakes.logs").warning("the first line")
        with closing(Server(spawn=spawn)) as server:
            agents = HostedAgents(Hosts(server), AgentSource(plugin, "mine"), Limits(memory_mb=1024), isolation)
            with pytest.raises(AgentFault) as raised:
                agents()
            agents.end()
    assert "names [] open False" in raised.value.what
    if isolation == "sealed":
        assert "read 'PermissionError'" in raised.value.what


REFUSES = """
import os
from sweepstakes import os_support
fork = os.fork
refusals = [True] * 3

def refuse():
    if refusals.pop() if refusals else False:
        raise BlockingIOError(11, "Resource temporarily unavailable")
    return fork()

def at_first():
    os.fork = refuse

def for_ever():
    os_support.FORK_SECONDS = 0.0
    refusals.extend([True] * 1000)
    os.fork = refuse
"""


@pytest.mark.own_server
@pytest.mark.parametrize("how", ["at_first", "for_ever"])
def test_the_log_says_that_the_system_refuses_to_start_a_process(
    how: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "refusing.py").write_text(REFUSES)
    monkeypatch.syspath_prepend(tmp_path)
    with logs.logging_to(str(tmp_path / "x.log")), closing(Server()) as server, Hosts(server) as hosts:
        server.call(f"refusing:{how}")
        if how == "at_first":
            hosts.start().kill()
        else:
            with pytest.raises(HostingError, match="no further process can be started"):
                hosts.start()
    refused = "the system refuses to start a process (Resource temporarily unavailable)"
    told = [(level, message) for level, kind, _, _, message in read(tmp_path / "x.log") if kind == "server"]
    found = [line for line in told if line[1].startswith(refused)]
    if how == "at_first":
        assert found == [("WARNING", f"{refused}: trying again")]
    else:
        assert found == [("ERROR", f"{refused}: given up")]


def played(what: str, log: Path, on_wait: Callable[[], None] | None = None) -> GameResult:
    """Play one game by an agent that does something in its turns, and log it."""
    plugin = PluginSource("file", "mine", str(log.parent / "mine.py"), AGENT.format(name="mine", what=what))
    with logs.logging_to(str(log)), Hosts(on_wait=on_wait) as hosts:
        agents = HostedAgents(hosts, AgentSource(plugin, "mine"), Limits(turn_seconds=60, memory_mb=256))
        result = play_game(GameSetup(Size(1, 1, 0)).game(Registry.built_in()), agents).result
        agents.end()
    return result


@pytest.mark.own_server
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="memory is limited on Linux")
def test_the_log_says_which_host_was_killed_for_its_memory(tmp_path: Path) -> None:
    eat = "import mmap; kept = mmap.mmap(-1, 400 << 20); kept.write(b'x' * (200 << 20)); kept.write(b'x' * (200 << 20))"
    result = played(f"{eat}; time.sleep(60)", tmp_path / "x.log")
    assert result.ending is Ending.MEMORY, result.fault
    lines = read(tmp_path / "x.log")
    (pid,) = (pid for *_, message in lines for pid in re.findall(r"^host (\d+) is killed: it holds more mem", message))
    assert any(re.match(f"host {pid} ended by SIGKILL", message) for *_, message in lines)
    assert "a fault of the agent: it held more than 256 MB" in [message for *_, message in lines]


@pytest.mark.own_server
def test_the_log_says_how_long_the_machine_stood_still(tmp_path: Path) -> None:
    result = played("time.sleep(0.1)", tmp_path / "x.log", on_wait=lambda: time.sleep(0.3))
    assert result.ending is Ending.WON, result.fault
    told = [(level, agent, message) for level, _, _, agent, message in read(tmp_path / "x.log")]
    stood_still = re.compile(r"the machine stood still for \d\.\d\d s: taken off the clock of the agent")
    assert any(line[:2] == ("WARNING", "mine") and stood_still.fullmatch(line[2]) for line in told)
