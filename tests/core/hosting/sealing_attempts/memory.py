"""Attempts to get memory that no process is charged for, and rights of root."""

from __future__ import annotations

import ctypes
import mmap
import os
import struct
from pathlib import Path

from sealing_attempts.catalogue import Place, call, odd, refused, refused_if_contained


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
