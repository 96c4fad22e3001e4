"""Seccomp: restrict the system calls of this process, its threads and the processes that it starts.

A filter is a short program that the kernel runs at each system call, with the call's number and arguments. It cannot
read what arguments point to, so calls that name files or addresses are either allowed (Landlock checks the file) or
refused altogether. A refused call fails with an error and has no other effect.
"""

from __future__ import annotations

import ctypes
import errno
import functools
import os
import platform
import struct
import sys
from collections.abc import Iterable, Sequence

from sweepstakes.hosting.sealing.system_calls import system_call

NUMBERS = {
    **{"read": 0, "write": 1, "open": 2, "close": 3, "stat": 4, "fstat": 5, "lstat": 6, "poll": 7, "lseek": 8},
    **{"mmap": 9, "mprotect": 10, "munmap": 11, "brk": 12, "rt_sigaction": 13, "rt_sigprocmask": 14},
    **{"rt_sigreturn": 15, "ioctl": 16, "pread64": 17, "pwrite64": 18, "readv": 19, "writev": 20, "access": 21},
    **{"pipe": 22, "select": 23, "sched_yield": 24, "mremap": 25, "msync": 26, "mincore": 27, "madvise": 28},
    **{"shmget": 29, "shmat": 30, "shmctl": 31, "dup": 32, "dup2": 33, "pause": 34, "nanosleep": 35},
    **{"getitimer": 36, "alarm": 37, "setitimer": 38, "getpid": 39, "sendto": 44, "recvfrom": 45, "shutdown": 48},
    **{"getsockname": 51, "getpeername": 52, "socketpair": 53, "getsockopt": 55, "clone": 56, "execve": 59},
    **{"exit": 60, "wait4": 61, "kill": 62, "uname": 63, "semget": 64, "semop": 65, "semctl": 66, "shmdt": 67},
    **{"msgget": 68, "msgsnd": 69, "msgrcv": 70, "msgctl": 71, "fcntl": 72, "getdents": 78, "getcwd": 79},
    **{"chdir": 80, "fchdir": 81, "readlink": 89, "umask": 95, "gettimeofday": 96, "getrlimit": 97},
    **{"getrusage": 98, "sysinfo": 99, "times": 100, "ptrace": 101, "getuid": 102, "getgid": 104, "geteuid": 107},
    **{
        "getegid": 108,
        "setpgid": 109,
        "getppid": 110,
        "getpgrp": 111,
        "setsid": 112,
        "getgroups": 115,
        "getresuid": 118,
        "getresgid": 120,
    },
    **{"getpgid": 121, "getsid": 124, "capget": 125, "rt_sigpending": 127, "rt_sigtimedwait": 128},
    **{"rt_sigsuspend": 130, "sigaltstack": 131, "statfs": 137, "fstatfs": 138, "getpriority": 140, "setpriority": 141},
    **{"sched_setparam": 142, "sched_setscheduler": 144, "sched_setaffinity": 203, "ioprio_set": 251},
    **{"sched_setattr": 314},
    **{"sched_getparam": 143, "sched_getscheduler": 145, "sched_get_priority_max": 146},
    **{"sched_get_priority_min": 147, "prctl": 157, "arch_prctl": 158, "setrlimit": 160, "gettid": 186},
    **{"tkill": 200, "time": 201, "futex": 202, "sched_getaffinity": 204, "epoll_create": 213, "getdents64": 217},
    **{"set_tid_address": 218, "restart_syscall": 219, "semtimedop": 220, "fadvise64": 221, "clock_gettime": 228},
    **{"clock_getres": 229, "clock_nanosleep": 230, "exit_group": 231, "epoll_wait": 232, "epoll_ctl": 233},
    **{"tgkill": 234, "get_mempolicy": 239, "mq_open": 240, "mq_unlink": 241, "mq_timedsend": 242},
    **{"waitid": 247, "add_key": 248, "request_key": 249, "keyctl": 250, "openat": 257, "newfstatat": 262},
    **{"readlinkat": 267, "faccessat": 269, "pselect6": 270, "ppoll": 271, "set_robust_list": 273},
    **{"vmsplice": 278, "epoll_pwait": 281, "signalfd": 282, "timerfd_create": 283, "eventfd": 284},
    **{"timerfd_settime": 286, "timerfd_gettime": 287, "signalfd4": 289, "eventfd2": 290, "epoll_create1": 291},
    **{"dup3": 292, "pipe2": 293, "preadv": 295, "pwritev": 296, "prlimit64": 302, "getcpu": 309},
    **{"process_vm_readv": 310, "process_vm_writev": 311, "sched_getattr": 315, "getrandom": 318},
    **{"memfd_create": 319, "userfaultfd": 323, "membarrier": 324, "preadv2": 327, "pwritev2": 328, "statx": 332},
    **{"rseq": 334, "io_uring_setup": 425, "io_uring_enter": 426, "io_uring_register": 427, "close_range": 436},
    **{"pidfd_getfd": 438, "faccessat2": 439, "process_madvise": 440, "epoll_pwait2": 441, "memfd_secret": 447},
    **{"futex_waitv": 449},
}
"""The x86-64 numbers of the system calls that are named below."""

_FREE = """
    read write open close stat fstat lstat poll lseek mprotect munmap brk rt_sigaction rt_sigprocmask rt_sigreturn
    pread64 pwrite64 readv writev preadv pwritev preadv2 pwritev2 access faccessat faccessat2 openat newfstatat statx
    readlink readlinkat getdents getdents64 getcwd chdir fchdir umask statfs fstatfs fadvise64
    pipe pipe2 dup dup2 dup3 close_range select pselect6 ppoll epoll_create epoll_create1 epoll_ctl epoll_wait
    epoll_pwait epoll_pwait2 eventfd eventfd2 signalfd signalfd4 timerfd_create timerfd_settime timerfd_gettime
    recvfrom shutdown getsockname getpeername getsockopt
    mremap msync mincore madvise membarrier get_mempolicy
    futex futex_waitv set_robust_list set_tid_address rseq arch_prctl gettid getpid getppid getpgrp getpgid getsid
    getuid getgid geteuid getegid getgroups getresuid getresgid capget uname sysinfo getrusage times getrlimit setrlimit
    getpriority sched_yield sched_getparam sched_getscheduler sched_getattr sched_get_priority_max
    sched_get_priority_min sched_getaffinity getcpu
    pause nanosleep clock_nanosleep clock_gettime clock_getres gettimeofday time alarm getitimer setitimer
    rt_sigpending rt_sigtimedwait rt_sigsuspend sigaltstack restart_syscall kill tkill tgkill wait4 waitid
    getrandom exit exit_group
"""
"""Calls that a sealed process may make with any arguments. Landlock checks the files that are opened and the targets of
signals; `setrlimit` cannot raise the caller's hard limits; `wait4` finds no child."""

_UNCHARGED_MEMORY = """
    memfd_create memfd_secret io_uring_setup io_uring_enter io_uring_register userfaultfd vmsplice
    ptrace process_vm_readv process_vm_writev process_madvise pidfd_getfd
    shmget shmat shmctl shmdt semget semop semctl semtimedop msgget msgsnd msgrcv msgctl mq_open mq_unlink mq_timedsend
    keyctl add_key request_key
"""
"""Calls that a contained process may not make: they reach into other processes, or make memory that is charged to no
process or remains after the process has ended."""

_LEAVING = "setsid setpgid"
"""Calls that do nothing in a contained process but report success. So processes that it starts stay in its process
group, which can be killed in one step."""

_OF_ONE_PROCESS = "prlimit64 sched_setaffinity sched_setattr sched_setparam sched_setscheduler"
"""Calls that a contained process may make only for itself, as process 0: a limit can end another process."""

_OF_ONE_OR_MANY = {"setpriority": 0, "ioprio_set": 1}
"""The same for calls whose first argument says what the second one identifies: its value for a process."""

_FIRST_NEW = 424
"""The first number of calls added since 2019. A C library that finds one missing falls back to another call."""

_THREAD, _NAMESPACES = 0x00010000, 0x7E020000
_SHARED_ANONYMOUS, _HUGE_PAGES = 0x21, 0x40000
_UNIX, _STREAM, _TYPE_OF_SOCKET = 1, 1, 0xF
_IOCTLS = {
    **{"TCGETS": 0x5401, "TCGETS2": 0x802C542A, "TIOCGWINSZ": 0x5413, "FIONREAD": 0x541B, "FIONBIO": 0x5421},
    **{"FIONCLEX": 0x5450, "FIOCLEX": 0x5451},
}
_FCNTLS = {
    **{"F_DUPFD": 0, "F_GETFD": 1, "F_SETFD": 2, "F_GETFL": 3, "F_SETFL": 4},
    **{"F_DUPFD_CLOEXEC": 1030, "F_GETPIPE_SZ": 1032},
}
_PRCTLS = {
    **{"PR_GET_PDEATHSIG": 2, "PR_GET_DUMPABLE": 3, "PR_SET_NAME": 15, "PR_GET_NAME": 16, "PR_CAPBSET_READ": 23},
    **{"PR_GET_NO_NEW_PRIVS": 39, "PR_SET_VMA": 0x53564D41},
}

_ALLOW, _ERROR = 0x7FFF0000, 0x00050000
_REFUSE, _UNKNOWN, _NO_TERMINAL, _NOTHING = (_ERROR | code for code in (errno.EPERM, errno.ENOSYS, errno.ENOTTY, 0))
_LOAD, _AND, _EQUAL, _AT_LEAST, _HAS_BIT, _RETURN = 0x20, 0x54, 0x15, 0x35, 0x45, 0x06
_NUMBER, _ARCHITECTURE, _FIRST_ARGUMENT = 0, 4, 16
_X86_64, _X32 = 0xC000003E, 0x40000000

_SECCOMP, _SET_FILTER, _ACTION_AVAILABLE, _ALL_THREADS = 317, 1, 2, 1

_Step = tuple[int, int, int, int]
"""One instruction: its operation, the steps to skip if it is true and if it is false, and its operand."""


@functools.cache
def lacking() -> str:
    """Return why filters cannot be used here, in one sentence; "" if they can."""
    if not sys.platform.startswith("linux"):
        return "the system is not Linux"
    if platform.machine() != "x86_64" or sys.maxsize < 2**32:
        return f"the machine is {platform.machine()} with {8 * struct.calcsize('P')} bits, not x86-64"
    action = ctypes.c_uint32(_ERROR)
    try:
        system_call(_SECCOMP, _ACTION_AVAILABLE, 0, ctypes.addressof(action))
    except OSError as error:
        return f"the kernel has no seccomp filters ({os.strerror(error.errno or 0)})"
    return ""


def allow_only_play(*, execute: bool) -> None:
    """Allow only the calls of a program that reads, computes and answers, with any number of threads.

    `execute` says whether the process may become another program.
    """
    _install(_sealed(execute))


def refuse_to_reach_others() -> None:
    """Refuse calls that make memory charged to no process, and calls that reach into other processes or limit them."""
    _install(_contained())


def prepare() -> None:
    """Make the filters in advance, in the process that others are forked from."""
    _sealed(False)
    _sealed(True)
    _contained()


class _Program(ctypes.Structure):
    _fields_ = (("length", ctypes.c_uint16), ("steps", ctypes.c_uint64))


def _install(steps: ctypes.Array[ctypes.c_char]) -> None:
    """Apply a filter to all threads of this process; new privileges must already be forbidden."""
    program = _Program(len(steps) // 8, ctypes.addressof(steps))
    other = system_call(_SECCOMP, _SET_FILTER, _ALL_THREADS, ctypes.addressof(program))
    if other:
        raise OSError(errno.EBUSY, f"thread {other} has a filter of its own")


@functools.cache
def _sealed(execute: bool) -> ctypes.Array[ctypes.c_char]:
    """Return the filter of a sealed process: calls that are not named fail."""
    steps = _only_x86_64()
    # Allow new threads but no new processes; namespaces would bring capabilities.
    steps += _if("clone", _load(0), (_HAS_BIT, 1, 0, _NAMESPACES), (_HAS_BIT, 1, 0, _THREAD), _REFUSAL, _PERMISSION)
    # Shared memory without a file, and huge pages, may not be charged to the process that fills them.
    steps += _if(
        "mmap",
        _load(3),
        (_HAS_BIT, 2, 0, _HUGE_PAGES),
        (_AND, 0, 0, _SHARED_ANONYMOUS),
        (_EQUAL, 0, 1, _SHARED_ANONYMOUS),
        _REFUSAL,
        _PERMISSION,
    )
    # Allow a stream between two ends within this process: event loops wake themselves with it. Nothing can leave it.
    steps += _if(
        "socketpair",
        _load(0),
        (_EQUAL, 0, 4, _UNIX),
        _load(1),
        (_AND, 0, 0, _TYPE_OF_SOCKET),
        (_EQUAL, 0, 1, _STREAM),
        _PERMISSION,
        _REFUSAL,
    )
    steps += _if("sendto", _load(4), (_EQUAL, 0, 3, 0), _load(4, upper=True), (_EQUAL, 0, 1, 0), _PERMISSION, _REFUSAL)
    steps += _if("prlimit64", _load(0), *_each([0], _ALLOW), _REFUSAL)  # limits of this process only
    steps += _if("prctl", _load(0), *_each(_PRCTLS.values(), _ALLOW), _REFUSAL)
    steps += _if("fcntl", _load(1), *_each(_FCNTLS.values(), _ALLOW), _REFUSAL)
    steps += _if("ioctl", _load(1), *_each(_IOCTLS.values(), _ALLOW), _give(_NO_TERMINAL))
    steps += _each(_numbers(_FREE), _ALLOW)
    if execute:
        steps += _each(_numbers("execve"), _ALLOW)
    steps += [(_AT_LEAST, 0, 1, _FIRST_NEW), _give(_UNKNOWN), _REFUSAL]
    return _packed(steps)


@functools.cache
def _contained() -> ctypes.Array[ctypes.c_char]:
    """Return the filter of a contained process: calls that are not named are allowed."""
    steps = _only_x86_64()
    for name in _OF_ONE_PROCESS.split():
        steps += _if(name, _load(0), *_each([0], _ALLOW), _REFUSAL)
    for name, this_process in _OF_ONE_OR_MANY.items():
        steps += _if(name, _load(0), (_EQUAL, 0, 3, this_process), _load(1), (_EQUAL, 0, 1, 0), _PERMISSION, _REFUSAL)
    steps += _each(_numbers(_LEAVING), _NOTHING)
    return _packed([*steps, *_each(_numbers(_UNCHARGED_MEMORY), _REFUSE), _PERMISSION])


def _load(argument: int, *, upper: bool = False) -> _Step:
    """Load the lower, or the upper, 32 bits of an argument."""
    return _LOAD, 0, 0, _FIRST_ARGUMENT + 8 * argument + 4 * upper


def _give(action: int) -> _Step:
    """End the filter with an action."""
    return _RETURN, 0, 0, action


_PERMISSION, _REFUSAL = _give(_ALLOW), _give(_REFUSE)


def _numbers(names: str) -> list[int]:
    """Return the numbers of the system calls whose names are the words of a text."""
    return [NUMBERS[name] for name in names.split()]


def _only_x86_64() -> list[_Step]:
    """Refuse calls of other architectures, whose numbers mean other calls; then load the call's number."""
    return [
        (_LOAD, 0, 0, _ARCHITECTURE),
        (_EQUAL, 1, 0, _X86_64),
        _REFUSAL,
        (_LOAD, 0, 0, _NUMBER),
        (_AT_LEAST, 0, 1, _X32),
        _give(_UNKNOWN),
    ]


def _if(name: str, *steps: _Step) -> list[_Step]:
    """Return steps for one system call; the last of `steps` must end the filter."""
    return [(_EQUAL, 0, len(steps), NUMBERS[name]), *steps]


def _each(values: Iterable[int], action: int) -> list[_Step]:
    """End the filter with `action` if the loaded value is one of `values`."""
    return [step for value in values for step in ((_EQUAL, 0, 1, value), _give(action))]


def _packed(steps: Sequence[_Step]) -> ctypes.Array[ctypes.c_char]:
    """Return the filter in the kernel's format."""
    return ctypes.create_string_buffer(b"".join(struct.pack("=HBBI", *step) for step in steps), 8 * len(steps))
