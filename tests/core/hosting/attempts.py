"""What an agent may try, each in a process of its own: as it is, contained, or sealed; as root, or as nobody.

Run as a program this is a small fork server: requests are lines of JSON on the standard input, answers on the standard
output. For each request it forks a parent, which takes on the user, starts a sibling, and forks the process that tries.
"""

from __future__ import annotations

import ctypes
import errno
import json
import mmap
import os
import resource
import select
import signal
import socket
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

NOBODY = 65534
SECONDS = 60
"""After which an attempt is killed."""


class Place(NamedTuple):
    """What an attempt can aim at."""

    folder: str
    """A folder that anybody may write, with `other.py`, `run/games.sqlite`, and the agent's in `own`: `own.py`,
    `private.py`, `module.py` and `compiled.py`. In `own` there is `other.py` too, which is not the agent's."""
    parent: int
    sibling: int


Attempt = Callable[[Place], object]
REFUSED: dict[str, Attempt] = {}
"""What a sealed process cannot do, and any other can."""
REFUSED_IF_CONTAINED: set[str] = set()
"""Of those, what a contained process cannot do either."""
ALLOWED: dict[str, Attempt] = {}
"""What a sealed process can do."""
ODD: dict[str, Attempt] = {}
"""What must not even be tried with success: the arguments are wrong, and only a sealed process gets EPERM for it."""

libc = ctypes.CDLL(None, use_errno=True)
libc.syscall.restype = ctypes.c_long


def call(number: int, *arguments: int) -> int:
    """A system call by its number."""
    answer: int = libc.syscall(ctypes.c_long(number), *(ctypes.c_long(argument) for argument in arguments))
    if answer < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return answer


def refused(attempt: Attempt) -> Attempt:
    REFUSED[attempt.__name__] = attempt
    return attempt


def refused_if_contained(attempt: Attempt) -> Attempt:
    REFUSED_IF_CONTAINED.add(attempt.__name__)
    return refused(attempt)


def allowed(attempt: Attempt) -> Attempt:
    ALLOWED[attempt.__name__] = attempt
    return attempt


def odd(attempt: Attempt) -> Attempt:
    ODD[attempt.__name__] = attempt
    return attempt


# Files


@refused
def open_for_writing(place: Place) -> None:
    Path(place.folder, "own", "own.py").open("r+").close()


@refused
def create(place: Place) -> object:
    return Path(place.folder, f"new-{os.getpid()}").write_text("new")


@refused
def create_in_tmp(place: Place) -> None:
    path = Path("/tmp", f"sweepstakes-{os.getpid()}")
    path.write_text("new")
    path.unlink()


@refused
def create_in_shared_memory(place: Place) -> None:
    path = Path(f"/dev/shm/sweepstakes-{os.getpid()}")
    path.write_text("new")
    path.unlink()


@refused
def make_a_folder(place: Place) -> None:
    Path(place.folder, f"folder-{os.getpid()}").mkdir()


@refused
def unlink(place: Place) -> None:
    Path(place.folder, "unneeded").unlink()


@refused
def rename(place: Place) -> object:
    path = Path(place.folder, "moving")
    return path.rename(path.with_name("moved")).rename(path)


@refused
def link(place: Place) -> None:
    Path(place.folder, f"link-{os.getpid()}").symlink_to("other.py")


@refused
def truncate(place: Place) -> None:
    os.truncate(Path(place.folder, "moving"), 0)


@refused
def change_times(place: Place) -> None:
    os.utime(Path(place.folder, "other.py"))


@refused
def change_modes(place: Place) -> None:
    Path(place.folder, "moving").chmod(0o644)


@refused
def read_etc_passwd(place: Place) -> object:
    return Path("/etc/passwd").read_text()


@refused
def read_another_agents_file(place: Place) -> object:
    return Path(place.folder, "other.py").read_text()


@refused
def read_another_agents_file_beside_its_own(place: Place) -> object:
    return Path(place.folder, "own", "other.py").read_text()


@refused
def read_a_file_of_a_run(place: Place) -> object:
    return Path(place.folder, "run", "games.sqlite").read_text()


@refused
def list_a_folder(place: Place) -> object:
    return sorted(Path(place.folder).iterdir())


@refused
def read_another_agents_file_by_way_of_proc(place: Place) -> object:
    return Path(f"/proc/self/root{place.folder}", "other.py").read_text()


@refused
def read_the_tests(place: Place) -> object:
    return Path(__file__).read_text()


@refused
def lock_a_file(place: Place) -> None:
    import fcntl

    with Path(place.folder, "own", "own.py").open() as file:
        fcntl.flock(file, fcntl.LOCK_SH)


@allowed
def read_its_own_file(place: Place) -> object:
    return Path(place.folder, "own", "own.py").read_text()


@allowed
def read_a_file_that_only_its_user_may_read(place: Place) -> object:
    return Path(place.folder, "own", "private.py").read_text()


@allowed
def write_to_dev_null(place: Place) -> object:
    return Path(os.devnull).write_text("nothing")


@allowed
def read_dev_urandom(place: Place) -> object:
    return len(Path("/dev/urandom").open("rb", buffering=0).read(8)), len(os.urandom(8))


# Connections


def listening() -> int:
    """The port of a server in the parent, which was started before."""
    return int(os.environ["LISTENING"])


@refused
def connect_by_tcp(place: Place) -> None:
    socket.create_connection(("127.0.0.1", listening()), timeout=10).close()


@refused
def listen_for_tcp(place: Place) -> None:
    socket.create_server(("127.0.0.1", 0)).close()


@refused
def send_by_udp(place: Place) -> object:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as sender:
        return sender.sendto(b"board", ("127.0.0.1", listening()))


@refused
def connect_by_multipath_tcp(place: Place) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM, 262) as connection:
        connection.connect(("127.0.0.1", listening()))


@refused
def open_a_unix_socket(place: Place) -> None:
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(f"{place.folder}/socket-{os.getpid()}")


@refused_if_contained
def connect_to_an_abstract_socket(place: Place) -> None:
    with socket.socket(socket.AF_UNIX) as connection:
        connection.connect(f"\0sweepstakes-{place.parent}")


@refused
def make_a_pair_of_datagram_sockets(place: Place) -> None:
    one, other = socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)
    one.close()
    other.close()


@refused
def open_a_netlink_socket(place: Place) -> None:
    socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0).close()


@refused
def send_an_open_file(place: Place) -> object:
    one, other = socket.socketpair()
    return socket.send_fds(one, [b"x"], [other.fileno()])


@allowed
def wake_an_event_loop(place: Place) -> object:
    import asyncio

    async def answer() -> int:
        return await asyncio.get_running_loop().run_in_executor(None, lambda: 5)

    return asyncio.run(answer())


# Processes


@refused
def fork(place: Place) -> object:
    child = os.fork()
    if not child:
        os._exit(0)
    return os.waitpid(child, 0)


@refused
def fork_by_number(place: Place) -> object:
    return _forked(call(57))


@refused
def clone_by_number(place: Place) -> object:
    return _forked(call(56, signal.SIGCHLD, 0, 0, 0, 0))


@refused
def clone3_by_number(place: Place) -> object:
    arguments = ctypes.create_string_buffer(struct.pack("=8Q", 0, 0, 0, 0, signal.SIGCHLD, 0, 0, 0), 64)
    return _forked(call(435, ctypes.addressof(arguments), 64))


@refused
def vfork(place: Place) -> object:
    """The child has our memory and stack, so it must do nothing but end, in machine code.

    pop rdx; mov eax, 58; syscall; push rdx; test eax, eax; je child; ret; child: xor edi, edi; mov eax, 60; syscall
    """
    child = run_machine_code("5a b83a000000 0f05 52 85c0 7401 c3 31ff b83c000000 0f05")
    if child < 0:
        raise OSError(-child, os.strerror(-child))
    return os.waitpid(child, 0)


def run_machine_code(code: str) -> int:
    """Call a function whose bytes these are."""
    page = mmap.mmap(-1, mmap.PAGESIZE, mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS, 7)
    page.write(bytes.fromhex(code.replace(" ", "")))
    answer: int = ctypes.CFUNCTYPE(ctypes.c_int)(ctypes.addressof(ctypes.c_char.from_buffer(page)))()
    return answer


def _forked(child: int) -> object:
    if not child:
        os._exit(0)
    return os.waitpid(child, 0)


@refused
def run_a_program(place: Place) -> object:
    return subprocess.run(["/bin/true"], check=True).returncode


@refused
def become_a_program(place: Place) -> object:
    os.write(int(os.environ["ANSWER"]), b'{"answer": "about to"}\n')
    return os.execv("/bin/true", ["true"])


@refused
def leave_the_namespaces(place: Place) -> object:
    return call(272, 0x10000000)  # unshare, CLONE_NEWUSER


@refused
def begin_a_session(place: Place) -> None:
    os.setsid()


@refused_if_contained
def signal_the_parent(place: Place) -> None:
    os.kill(place.parent, 0)


@refused_if_contained
def kill_a_sibling(place: Place) -> None:
    os.kill(place.sibling, signal.SIGKILL)


@refused_if_contained
def signal_a_sibling_by_its_descriptor(place: Place) -> None:
    signal.pidfd_send_signal(os.pidfd_open(place.sibling), 0)


@refused_if_contained
def have_the_kernel_signal_the_parent(place: Place) -> object:
    """SIGURG, which is ignored, when a pipe can be read."""
    import fcntl

    ours, theirs = os.pipe()
    fcntl.fcntl(ours, 10, signal.SIGURG)  # F_SETSIG
    fcntl.fcntl(ours, fcntl.F_SETOWN, place.parent)
    fcntl.fcntl(ours, fcntl.F_SETFL, os.O_ASYNC)
    os.write(theirs, b"x")
    time.sleep(0.1)
    pending = Path(f"/proc/{place.parent}/status").read_text()
    (blocked,) = (int(line.split()[1], 16) for line in pending.splitlines() if line.startswith("ShdPnd"))
    if not blocked & (1 << (signal.SIGURG - 1)):
        raise PermissionError(errno.EPERM, "the signal did not arrive")
    return blocked


@refused
def renice_itself(place: Place) -> None:
    os.setpriority(os.PRIO_PROCESS, 0, os.getpriority(os.PRIO_PROCESS, 0) + 1)


@refused_if_contained
def renice_a_sibling(place: Place) -> None:
    os.setpriority(os.PRIO_PROCESS, place.sibling, 19)


@refused
def choose_processors(place: Place) -> None:
    os.sched_setaffinity(0, os.sched_getaffinity(0))


@refused_if_contained
def renice_its_group(place: Place) -> None:
    os.setpriority(os.PRIO_PGRP, 0, os.getpriority(os.PRIO_PGRP, 0))


@refused_if_contained
def choose_processors_of_the_parent(place: Place) -> None:
    os.sched_setaffinity(place.parent, os.sched_getaffinity(place.parent))


@refused_if_contained
def choose_a_scheduler(place: Place) -> None:
    os.sched_setscheduler(place.sibling, os.SCHED_BATCH, os.sched_param(0))


@refused_if_contained
def limit_a_sibling(place: Place) -> object:
    return resource.prlimit(place.sibling, resource.RLIMIT_CPU)


@refused_if_contained
def trace_a_sibling(place: Place) -> object:
    call(101, 16, place.sibling, 0, 0)  # PTRACE_ATTACH
    os.waitpid(place.sibling, 0x40000000)
    return call(101, 17, place.sibling, 0, 0)


@refused_if_contained
def read_the_memory_of_a_sibling(place: Place) -> object:
    secret = ctypes.create_string_buffer(b"the board")
    ours = ctypes.create_string_buffer(9)
    near = ctypes.create_string_buffer(struct.pack("=QQ", ctypes.addressof(ours), 1), 16)
    far = ctypes.create_string_buffer(struct.pack("=QQ", id(type), 1), 16)
    del secret
    return call(310, place.sibling, ctypes.addressof(near), 1, ctypes.addressof(far), 1, 0)


@refused_if_contained
def read_the_memory_of_the_parent_by_way_of_proc(place: Place) -> object:
    with Path(f"/proc/{place.parent}/mem").open("rb", buffering=0) as memory:
        memory.seek(id(type))
        return len(memory.read(8))


@refused_if_contained
def read_the_environment_of_the_parent(place: Place) -> object:
    return Path(f"/proc/{place.parent}/environ").read_bytes()


@refused_if_contained
def read_the_maps_of_the_parent(place: Place) -> object:
    return Path(f"/proc/{place.parent}/maps").read_bytes()


@refused_if_contained
def read_where_the_parent_is(place: Place) -> object:
    return Path(f"/proc/{place.parent}/cwd").readlink()


@refused
def read_the_command_of_the_parent(place: Place) -> object:
    return Path(f"/proc/{place.parent}/cmdline").read_bytes()


@refused
def clear_the_signal_of_the_parents_death(place: Place) -> object:
    return call(157, 1, 0, 0, 0, 0)


def ask_for_the_signal_of_the_parents_death(place: Place) -> object:
    number = ctypes.c_int()
    call(157, 2, ctypes.addressof(number), 0, 0, 0)
    return number.value


def call_as_32_bit_programs_do(place: Place) -> object:
    """Ask for the number of this process by `int 0x80`: mov eax, 20; int 0x80; ret."""
    said = run_machine_code("b814000000 cd80 c3")
    if said < 0:
        raise OSError(-said, os.strerror(-said))
    return said


def call_by_an_x32_number(place: Place) -> object:
    return call(0x40000000 | 39)


@allowed
def signal_itself(place: Place) -> None:
    os.kill(os.getpid(), signal.SIGURG)


@allowed
def start_threads(place: Place) -> object:
    done: list[int] = []
    threads = [threading.Thread(target=done.append, args=(number,)) for number in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    return sorted(done)


def start_very_many_threads(place: Place) -> object:
    threading.stack_size(65536)
    end = threading.Event()
    started = 0
    try:
        for _ in range(600):
            threading.Thread(target=end.wait).start()
            started += 1
    except RuntimeError as error:
        raise BlockingIOError(errno.EAGAIN, f"{started} threads: {error}") from None
    finally:
        end.set()
    return started


@refused
def fork_in_a_thread(place: Place) -> None:
    caught: list[OSError] = []

    def attempt() -> None:
        try:
            _forked(call(57))
            Path(place.folder, f"thread-{os.getpid()}").write_text("new")
        except OSError as error:
            caught.append(error)

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    if caught:
        raise caught[0]


# Memory


@refused_if_contained
def make_memory_without_a_file(place: Place) -> None:
    os.close(os.memfd_create("memory"))


@refused_if_contained
def make_a_segment_of_shared_memory(place: Place) -> object:
    segment = call(29, 0, 4096, 0o1600)  # shmget, IPC_PRIVATE, IPC_CREAT
    return call(31, segment, 0, 0)  # shmctl, IPC_RMID


@refused_if_contained
def make_a_queue_of_messages(place: Place) -> object:
    return call(71, call(68, 0, 0o1600), 0, 0)


@refused_if_contained
def make_an_io_ring(place: Place) -> None:
    arguments = ctypes.create_string_buffer(120)
    os.close(call(425, 1, ctypes.addressof(arguments)))


@refused_if_contained
def keep_a_key(place: Place) -> object:
    kind, name = ctypes.create_string_buffer(b"user"), ctypes.create_string_buffer(b"sweepstakes")
    return call(248, ctypes.addressof(kind), ctypes.addressof(name), ctypes.addressof(name), 5, -2)


@refused
def map_shared_memory(place: Place) -> None:
    mmap.mmap(-1, 4096, mmap.MAP_SHARED | mmap.MAP_ANONYMOUS).close()


@refused
def map_dev_zero(place: Place) -> None:
    with Path("/dev/zero").open("rb") as file:
        mmap.mmap(file.fileno(), 4096, mmap.MAP_SHARED, mmap.PROT_READ).close()


@refused
def enlarge_a_pipe(place: Place) -> object:
    import fcntl

    return fcntl.fcntl(os.pipe()[1], fcntl.F_SETPIPE_SZ, 1 << 20)


@refused
def open_many_files(place: Place) -> object:
    return [os.pipe() for _ in range(100)]


def raise_a_limit(place: Place) -> object:
    """The hard one, that was set before this process was shut off; root can."""
    limits = ctypes.create_string_buffer(struct.pack("=QQ", 2000, 2000), 16)
    return call(160, resource.RLIMIT_CPU, ctypes.addressof(limits))


def hold_capabilities(place: Place) -> object:
    lines = (line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
    return json.dumps({name: int(value, 16) for name, value in lines if name.startswith(("Cap", "NoNewPrivs"))})


@odd
def reboot(place: Place) -> object:
    return call(169, 0, 0, 0, 0)


@odd
def set_the_clock(place: Place) -> object:
    wrong = ctypes.create_string_buffer(struct.pack("=qq", 0, -1), 16)
    return call(164, ctypes.addressof(wrong), 0)


@odd
def load_a_program_into_the_kernel(place: Place) -> object:
    return call(321, 1000, 0, 0)


@odd
def mount(place: Place) -> object:
    return call(165, 0, 0, 0, 0, 0)


# Play


@allowed
def multiply_matrices(place: Place) -> object:
    import numpy as np

    one = np.arange(90_000, dtype=np.float64).reshape(300, 300) / 90_000
    return float((one @ one).sum()) > 0


@allowed
def import_what_was_not_imported(place: Place) -> object:
    import wave
    import xmlrpc.client

    import scipy.special

    return [module.__name__ for module in (wave, xmlrpc.client, scipy.special)]


@allowed
def import_its_own_module(place: Place) -> object:
    sys.path.insert(0, f"{place.folder}/own")
    module = __import__("module")
    return module.VALUE


@allowed
def play_a_game(place: Place) -> object:
    from sweepstakes import Board, Game
    from sweepstakes.game.playing import play_game
    from sweepstakes.plugins.agents.chain import Chain

    board = Board.parse("..*....\n...*..*\n.*.....\n....*..\n..*....\n......*\n*......")
    return play_game(Game(board), Chain).result.outcome


@allowed
def map_a_file(place: Place) -> object:
    with Path(place.folder, "own", "own.py").open("rb") as file:
        return len(mmap.mmap(file.fileno(), 0, mmap.MAP_SHARED, mmap.PROT_READ)[:])


@allowed
def ask_about_the_machine(place: Place) -> object:
    text = (
        Path("/proc/cpuinfo").read_text() + Path("/proc/self/status").read_text() + Path("/proc/self/maps").read_text()
    )
    return bool(text) and os.cpu_count() and bool(os.sched_getaffinity(0)) and bool(os.times())


@allowed
def set_a_timer(place: Place) -> object:
    signal.signal(signal.SIGVTALRM, signal.SIG_IGN)
    signal.setitimer(signal.ITIMER_REAL, 30)
    time.sleep(0.001)
    return signal.setitimer(signal.ITIMER_REAL, 0)[0] > 0


@allowed
def compile_with_a_cache(place: Place) -> object:
    """As an agent does that is imported from its file."""
    from sweepstakes.hosting.sealing import without_numba_cache

    without_numba_cache()
    sys.path.insert(0, f"{place.folder}/own")
    return __import__("compiled").double(4)


def compile_with_a_cache_that_cannot_be(place: Place) -> object:
    sys.path.insert(0, f"{place.folder}/own")
    return __import__("compiled").double(4)


def call_a_kernel(place: Place) -> object:
    """How often numba did not find a kernel in its cache; no other attempt needs it."""
    import numpy as np

    from sweepstakes.game.influence_kernels import longest_frontier

    longest_frontier(np.array([[1, -1]], np.int8))
    return sum(longest_frontier.stats.cache_misses.values())  # type: ignore[attr-defined]


def call_a_kernel_from_the_cache(place: Place) -> object:
    """The same, in a process that can write no cache."""
    from sweepstakes.hosting.sealing import without_numba_cache

    without_numba_cache()
    return call_a_kernel(place)


# The server


def enterable() -> str:
    """Have folders that only root may enter stand open, for this process; return why that cannot be, or nothing."""
    from sweepstakes.hosting.sealing import NAMES, python_paths

    needed = [Path(path.removeprefix(NAMES)) for path in python_paths()]
    closed = {parent for path in needed for parent in path.parents if not parent.stat().st_mode & 1}
    try:
        if closed:
            call(272, 0x00020000)  # unshare, CLONE_NEWNS
            _mount("none", "/", "", 0x44000)  # MS_REC | MS_PRIVATE
        for folder in sorted(closed):
            children = {folder / path.relative_to(folder).parts[0] for path in needed if path.is_relative_to(folder)}
            files = {child: os.open(child, os.O_PATH) for child in children}
            _mount("none", str(folder), "tmpfs", 0)
            folder.chmod(0o755)
            for child, file in files.items():
                child.mkdir()
                _mount(f"/proc/self/fd/{file}", str(child), "", 0x5000)  # MS_REC | MS_BIND
                os.close(file)
    except OSError as error:
        return f"nobody may enter {', '.join(map(str, sorted(closed)))}: {error}"
    return ""


def _mount(source: str, target: str, kind: str, flags: int) -> None:
    texts = [ctypes.create_string_buffer(os.fsencode(text)) for text in (source, target, kind)]
    call(165, *map(ctypes.addressof, texts), flags, 0)


def shut_off(how: str, place: Place, words: list[str] | None) -> None:
    from sweepstakes.hosting import sealing

    own = [f"{place.folder}/own/{name}.py" for name in ("own", "module", "compiled", "private")]
    if how == "contained":
        sealing.contain()
    elif how == "sealed" and words:
        sealing.seal([], program=words)
    elif how == "sealed":
        sealing.seal([*sealing.python_paths(), *own, f"{sealing.NAMES}{place.folder}/own"])


def attempt(request: dict[str, Any], place: Place, answer: int) -> None:
    """In the last process: try, and write what came of it."""
    signal.alarm(SECONDS)
    resource.setrlimit(resource.RLIMIT_CPU, (1000, 1000))
    call(157, 1, signal.SIGKILL, 0, 0, 0)  # PR_SET_PDEATHSIG
    os.environ["ANSWER"] = str(answer)
    words = request.get("words")
    try:
        if words:
            os.chdir(place.folder)
        shut_off(request["how"], place, words)
        if words:
            os.dup2(answer, 1)
            os.execvp(words[0], words)
        made = globals()[request["attempt"]](place)
        said: dict[str, Any] = {"answer": str(made)[:300]}
    except BaseException as error:  # noqa: BLE001 - whatever it is, the test judges it
        said = {"error": f"{type(error).__name__}: {error}", "code": getattr(error, "errno", None)}
    os.write(answer, json.dumps(said).encode() + b"\n")
    os._exit(0)


def serve(request: dict[str, Any]) -> dict[str, Any]:
    """In the parent: start a sibling and the process that tries, and wait for it."""
    os.setpgid(0, 0)
    if request["user"]:
        if why := enterable():
            return {"skip": why}
        os.setgroups([])
        os.setgid(request["user"])
        os.setuid(request["user"])
    call(157, 4, 1, 0, 0, 0)  # PR_SET_DUMPABLE: traced by its own user
    with_any = 0x59616D61
    libc.prctl(with_any, ctypes.c_long(-1), 0, 0, 0)  # PR_SET_PTRACER, any, where Yama judges
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGURG])
    tcp, abstract = socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_UNIX)
    abstract.bind(f"\0sweepstakes-{os.getpid()}")
    abstract.listen()
    os.environ["LISTENING"] = str(tcp.getsockname()[1])
    parent, sibling = os.getpid(), os.fork()
    if not sibling:
        libc.prctl(with_any, ctypes.c_long(-1), 0, 0, 0)
        signal.alarm(2 * SECONDS)
        while True:
            signal.pause()
    ours, theirs = os.pipe()
    question, asks = os.pipe()
    child = os.fork()
    if not child:
        for file in (tcp, abstract):
            file.close()
        os.close(ours)
        os.close(asks)
        os.dup2(question, 0)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGURG])
        attempt(request, Place(request["folder"], parent, sibling), theirs)
    os.close(theirs)
    os.write(asks, request.get("says", "").encode())
    os.close(asks)
    said = b""
    while select.select([ours], [], [], SECONDS)[0] and (more := os.read(ours, 65536)):
        said += more
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.kill(sibling, signal.SIGKILL)
    if "words" in request:
        return {"answer": said.decode(errors="replace"), "status": status}
    lines = said.splitlines()
    return json.loads(lines[-1]) if lines else {"error": f"it ended with status {status}", "code": None}


def main() -> None:
    """Import what a host has imported, and serve requests."""
    import numpy  # noqa: F401

    import sweepstakes.inference  # noqa: F401
    from sweepstakes.game import referee_kernels  # noqa: F401
    from sweepstakes.hosting import sealing

    sealing.prepare()
    play_a_game(Place("", 0, 0))
    for line in sys.stdin:
        ours, theirs = os.pipe()
        parent = os.fork()
        if not parent:
            try:
                said = serve(json.loads(line))
            except BaseException as error:  # noqa: BLE001 - the test is told
                said = {"error": f"the parent failed: {type(error).__name__}: {error}", "code": None}
            os.write(theirs, json.dumps(said).encode())
            os._exit(0)
        os.close(theirs)
        with os.fdopen(ours) as answer:
            print(answer.read(), flush=True)
        os.waitpid(parent, 0)


if __name__ == "__main__":
    main()
