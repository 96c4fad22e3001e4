"""Every attempt is made by a real process: one that is free, one that is contained, and one that is sealed."""

from __future__ import annotations

import errno
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import attempts
import pytest
from sealing_attempts import REFUSALS, trying

from sweepstakes.hosting import sealing

LACKS = sealing.missing()
USERS = {"root": 0, "nobody": attempts.NOBODY} if os.geteuid() == 0 else {"this-user": 0}
"""Who tries; a test that is not root's tries as who it is."""

NOT_EVERYWHERE = {
    *("open_a_switch_of_the_kernel", "renice_the_session_of_a_sibling"),
    *("clone3_by_number", "connect_by_multipath_tcp", "keep_a_key", "leave_the_namespaces", "make_an_io_ring"),
    *("make_a_queue_of_messages", "make_a_segment_of_shared_memory", "read_the_memory_of_a_sibling", "trace_a_sibling"),
}
"""What a container, or how a system is set up, may refuse to every process."""

pytestmark = [pytest.mark.system, pytest.mark.skipif(bool(LACKS), reason="; ".join(LACKS))]

Try = Callable[..., dict[str, Any]]


@pytest.fixture(scope="module")
def folder() -> Iterator[str]:
    """What `attempts.Place.folder` says, which anybody may enter; and a module that numba compiles."""
    with tempfile.TemporaryDirectory(prefix="sweepstakes-attempts-") as name:
        trying.lay_out(Path(name))
        compiled = "import numba\n\n@numba.njit(cache=True)\ndef double(x):\n    return 2 * x\n"
        Path(name, "own", "compiled.py").write_text(compiled)
        yield name


@pytest.fixture(scope="module")
def server() -> Iterator[subprocess.Popen[str]]:
    with subprocess.Popen(
        [sys.executable, attempts.__file__], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as process:
        yield process
        assert process.stdin
        process.stdin.close()


@pytest.fixture
def try_(server: subprocess.Popen[str], folder: str) -> Try:
    def ask(how: str, user: str, **request: Any) -> dict[str, Any]:
        assert server.stdin
        assert server.stdout
        server.stdin.write(json.dumps({"how": how, "user": USERS[user], "folder": folder, **request}) + "\n")
        server.stdin.flush()
        said: dict[str, Any] = json.loads(server.stdout.readline())
        if "skip" in said:
            pytest.skip(said["skip"])
        return said

    return ask


by_every_user = pytest.mark.parametrize("user", USERS)


@by_every_user
@pytest.mark.parametrize("attempt", attempts.REFUSED)
def test_a_sealed_process_is_refused_what_a_free_one_can_do(try_: Try, user: str, attempt: str) -> None:
    free = try_("free", user, attempt=attempt)
    if attempt in NOT_EVERYWHERE and "error" in free:
        pytest.skip(f"this system refuses it to everybody: {free['error']}")
    assert "error" not in free, free
    sealed = try_("sealed", user, attempt=attempt)
    assert sealed.get("code") in REFUSALS, sealed


@by_every_user
@pytest.mark.parametrize("attempt", sorted(attempts.REFUSED_IF_CONTAINED))
def test_a_contained_process_is_refused_what_reaches_into_others(try_: Try, user: str, attempt: str) -> None:
    contained = try_("contained", user, attempt=attempt)
    assert contained.get("code") in (errno.EPERM, errno.EACCES), contained


@by_every_user
@pytest.mark.parametrize("attempt", sorted({*attempts.REFUSED} - attempts.REFUSED_IF_CONTAINED))
def test_a_contained_process_can_do_all_else(try_: Try, user: str, attempt: str) -> None:
    if attempt in NOT_EVERYWHERE and "error" in try_("free", user, attempt=attempt):
        pytest.skip("this system refuses it to everybody")
    contained = try_("contained", user, attempt=attempt)
    assert "error" not in contained, contained


@by_every_user
@pytest.mark.parametrize("attempt", attempts.ODD)
def test_a_sealed_process_has_no_rights_of_root(try_: Try, user: str, attempt: str) -> None:
    sealed = try_("sealed", user, attempt=attempt)
    assert sealed.get("code") == errno.EPERM, sealed
    if user == "root":
        assert try_("free", user, attempt=attempt).get("code") in (errno.EINVAL, errno.EFAULT)


@by_every_user
@pytest.mark.parametrize("how", ["free", "contained", "sealed"])
@pytest.mark.parametrize("attempt", attempts.ALLOWED)
def test_play_goes_on(try_: Try, user: str, how: str, attempt: str) -> None:
    said = try_(how, user, attempt=attempt)
    assert "error" not in said, said
    assert said["answer"] not in ("", "False", "0")


@pytest.mark.parametrize("how", ["contained", "sealed"])
def test_root_raises_no_limit_that_was_set_before(try_: Try, how: str) -> None:
    (held,) = re.findall(r"CapEff:\s+(\w+)", Path("/proc/self/status").read_text())
    if not int(held, 16) & 1 << 24:
        pytest.skip("this user has no CAP_SYS_RESOURCE")
    assert "error" not in try_("free", "root", attempt="raise_a_limit")
    assert try_(how, "root", attempt="raise_a_limit").get("code") == errno.EPERM


@by_every_user
def test_numba_raises_in_a_sealed_process_unless_it_is_told_not_to_cache(try_: Try, user: str) -> None:
    said = try_("sealed", user, attempt="compile_with_a_cache_that_cannot_be")
    assert said["error"].startswith("RuntimeError: cannot cache function 'double'"), said


@by_every_user
@pytest.mark.parametrize("how", ["contained", "sealed"])
def test_nothing_is_held_that_raises_a_limit(try_: Try, user: str, how: str) -> None:
    said = try_(how, user, attempt="hold_capabilities")
    sets = json.loads(said["answer"])
    assert sets["NoNewPrivs"] == 1
    assert not sets["CapEff"] & (1 << 24 | 1 << 21 | 1 << 19)
    if how == "sealed":
        assert not sets["CapEff"] | sets["CapPrm"] | sets["CapInh"] | sets["CapAmb"]
        assert not (sets["CapBnd"] and USERS[user] == 0 and user == "root")


C_PROGRAM = r"""
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

static void *answer(void *place) { *(int *)place = 42; return 0; }

int main(void) {
    char line[100];
    int number = 0;
    pthread_t thread;
    if (!fgets(line, sizeof line, stdin)) return 1;
    pthread_create(&thread, 0, answer, &number);
    pthread_join(thread, 0);
    int child = fork();
    if (!child) _exit(0);
    if (child > 0) waitpid(child, 0, 0);
    printf("%d fork=%d socket=%d write=%d read=%d\n", number, child > 0, socket(AF_INET, SOCK_DGRAM, 0) >= 0,
           open("new-by-c", O_CREAT | O_WRONLY, 0666) >= 0, open("/etc/passwd", O_RDONLY) >= 0);
    return 0;
}
"""

SH_PROGRAM = """#!/bin/sh
read line
{ echo > new-by-sh; } 2>/dev/null && write=1 || write=0
{ read word < /etc/passwd; } 2>/dev/null && read=1 || read=0
echo "42 write=$write read=$read"
(echo fork=1)
"""

JS_PROGRAM = """
const fs = require("fs"), child = require("child_process"), dgram = require("dgram");
const can = (what) => { try { what(); return 1; } catch (error) { return 0; } };
require("readline").createInterface({ input: process.stdin }).once("line", (line) => {
  const fork = child.spawnSync("/bin/true").error ? 0 : 1;
  const write = can(() => fs.writeFileSync("new-by-js", "new")), read = can(() => fs.readFileSync("/etc/passwd"));
  const socket = dgram.createSocket("udp4");
  const say = (made) => {
    console.log(`42 fork=${fork} socket=${made} write=${write} read=${read}`);
    process.exit(0);
  };
  socket.on("error", () => say(0));
  socket.bind(0, () => say(1));
});
"""

PY_PROGRAM = """#!/usr/bin/env python3
import fractions, json, os, socket, sys
def can(what):
    try:
        what()
        return 1
    except OSError:
        return 0
line = input()
read, write = can(lambda: open("/etc/passwd")), can(lambda: open("new-by-python", "w"))
udp = can(lambda: socket.socket(socket.AF_INET, socket.SOCK_DGRAM))
print(42, f"fork={can(lambda: os.fork() or os._exit(0))} socket={udp} write={write} read={read}")
"""

PERL_PROGRAM = """#!/usr/bin/perl
use POSIX; use Socket;
$| = 1;
my $line = <STDIN>;
my $child = fork();
exit 0 if defined $child && !$child;
printf "42 fork=%d socket=%d write=%d read=%d\\n",
    defined $child ? 1 : 0, socket(my $s, PF_INET, SOCK_DGRAM, 0) ? 1 : 0,
    open(my $f, ">", "new-by-perl") ? 1 : 0, open(my $g, "<", "/etc/passwd") ? 1 : 0;
"""


def built(folder: str, *options: str) -> list[str]:
    """The words of a command that runs the C program."""
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler")
    program = Path(folder, "own", f"program{''.join(options)}")
    source = program.with_suffix(".c")
    source.write_text(C_PROGRAM)
    subprocess.run(["cc", *options, "-pthread", "-o", program, source], check=True)
    return [str(program)]


def script(folder: str, name: str, text: str, *before: str) -> list[str]:
    """The words of a command that runs a script, by its interpreter or by its first line."""
    if before and not shutil.which(before[0]):
        pytest.skip(f"there is no {before[0]}")
    path = Path(folder, "own", name)
    path.write_text(text)
    path.chmod(0o755)
    return [*before, str(path)]


PROGRAMS: dict[str, Callable[[str], list[str]]] = {
    "c": lambda folder: built(folder),
    "static-c": lambda folder: built(folder, "-static"),
    "sh": lambda folder: script(folder, "program.sh", SH_PROGRAM, "sh"),
    "sh-by-its-first-line": lambda folder: script(folder, "program.sh", SH_PROGRAM),
    "node": lambda folder: script(folder, "program.js", JS_PROGRAM, "node"),
    "python": lambda folder: script(folder, "program.py", PY_PROGRAM, sys.executable),
    "system-python": lambda folder: script(folder, "program.py", PY_PROGRAM, "/usr/bin/python3"),
    "perl-by-its-first-line": lambda folder: script(folder, "program.pl", PERL_PROGRAM),
}


@by_every_user
@pytest.mark.parametrize("language", PROGRAMS)
def test_a_sealed_program_answers_and_is_refused_the_rest(try_: Try, folder: str, user: str, language: str) -> None:
    words = PROGRAMS[language](folder)
    free = try_("free", user, words=words, says="question\n")["answer"]
    assert free.startswith("42 "), free
    assert "=0" not in free
    sealed = try_("sealed", user, words=words, says="question\n")["answer"]
    assert sealed.startswith("42 "), sealed
    assert "=1" not in sealed


@by_every_user
def test_a_sealed_program_cannot_become_another(try_: Try, folder: str, user: str) -> None:
    words = script(folder, "becomes.sh", "#!/bin/sh\necho 42\nexec /bin/echo another\n")
    assert try_("free", user, words=words)["answer"] == "42\nanother\n"
    assert try_("sealed", user, words=words)["answer"] == "42\n"


@by_every_user
def test_a_sealed_process_cannot_start_thousands_of_threads(try_: Try, user: str) -> None:
    if user != "root" and "error" in try_("free", user, attempt="leave_the_namespaces"):
        pytest.skip("threads are counted apart in a user namespace, which this system does not allow")
    assert try_("free", user, attempt="start_very_many_threads").get("answer") == "600"
    said = try_("sealed", user, attempt="start_very_many_threads")
    assert said.get("code") == errno.EAGAIN, said
    assert int(said["error"].split()[3]) > 400


@by_every_user
@pytest.mark.parametrize("how", ["contained", "sealed"])
def test_the_parents_death_still_ends_it(try_: Try, user: str, how: str) -> None:
    assert try_(how, user, attempt="ask_for_the_signal_of_the_parents_death")["answer"] == "9"


@pytest.mark.parametrize("how", ["contained", "sealed"])
@pytest.mark.parametrize("attempt", ["call_as_32_bit_programs_do", "call_by_an_x32_number"])
def test_numbers_of_other_architectures_lead_nowhere(try_: Try, how: str, attempt: str) -> None:
    said = try_(how, next(iter(USERS)), attempt=attempt)
    assert "answer" not in said, said


def test_a_sealed_process_loads_kernels_that_were_compiled_before(try_: Try) -> None:
    user = next(iter(USERS))
    assert "error" not in try_("free", user, attempt="call_a_kernel")
    assert try_("free", user, attempt="call_a_kernel")["answer"] == "0", "there is no cache to be read"
    assert try_("sealed", user, attempt="call_a_kernel_from_the_cache") == {"answer": "0"}
