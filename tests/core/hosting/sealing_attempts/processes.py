"""Attempts at processes: starting them, signals, tracing, priorities and limits."""

from __future__ import annotations

import ctypes
import errno
import mmap
import os
import resource
import signal
import struct
import subprocess
import threading
import time
from pathlib import Path

from sealing_attempts.catalogue import Place, allowed, call, refused, refused_if_contained


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
    """The child shares our memory and stack, so it must only exit, in machine code.

    pop rdx; mov eax, 58; syscall; push rdx; test eax, eax; je child; ret; child: xor edi, edi; mov eax, 60; syscall
    """
    child = run_machine_code("5a b83a000000 0f05 52 85c0 7401 c3 31ff b83c000000 0f05")
    if child < 0:
        raise OSError(-child, os.strerror(-child))
    return os.waitpid(child, 0)


def run_machine_code(code: str) -> int:
    """Call a function given as machine code."""
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
    """Request SIGURG, which is ignored, when a pipe can be read."""
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


@refused_if_contained
def renice_the_session_of_a_sibling(place: Place) -> object:
    return Path(f"/proc/{place.sibling}/autogroup").write_text("1")


@refused_if_contained
def have_a_sibling_killed_when_memory_runs_out(place: Place) -> object:
    return Path(f"/proc/{place.sibling}/oom_score_adj").write_text("1000")


@refused_if_contained
def open_a_switch_of_the_kernel(place: Place) -> None:
    Path("/sys/kernel/mm/transparent_hugepage/enabled").open("r+").close()


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


@refused
def fork_in_a_thread(place: Place) -> None:
    caught: list[OSError] = []

    def attempt() -> None:
        # In machine code, since the other thread's locks stay locked in a child of this one: mov eax, 57; syscall;
        # test eax, eax; je child; ret; child: xor edi, edi; mov eax, 60; syscall
        child = run_machine_code("b839000000 0f05 85c0 7401 c3 31ff b83c000000 0f05")
        try:
            if child < 0:
                raise OSError(-child, os.strerror(-child))
            os.waitpid(child, 0)
        except OSError as error:
            caught.append(error)

    thread = threading.Thread(target=attempt)
    thread.start()
    thread.join()
    if caught:
        raise caught[0]
