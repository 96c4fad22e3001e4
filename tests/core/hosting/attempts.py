"""Attempts in addition to those of `sealing_attempts`: with the engine, with numba, and as another user.

Run as a program, this is the fork server of `sealing_attempts.trying`.
"""

from __future__ import annotations

import ctypes
import errno
import json
import os
import resource
import struct
import sys
import threading
from pathlib import Path

from sealing_attempts import catalogue, trying
from sealing_attempts.catalogue import ODD, REFUSED_IF_CONTAINED, Place, call
from sealing_attempts.processes import run_machine_code

__all__ = ["ALLOWED", "NOBODY", "ODD", "REFUSED", "REFUSED_IF_CONTAINED", "Place"]

NOBODY = 65534


def read_the_tests(place: Place) -> object:
    return Path(__file__).read_text()


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


def raise_a_limit(place: Place) -> object:
    """Raise the hard limit, which was set before this process was contained. Root can do this."""
    limits = ctypes.create_string_buffer(struct.pack("=QQ", 2000, 2000), 16)
    return call(160, resource.RLIMIT_CPU, ctypes.addressof(limits))


def hold_capabilities(place: Place) -> object:
    lines = (line.split(":") for line in Path("/proc/self/status").read_text().splitlines())
    return json.dumps({name: int(value, 16) for name, value in lines if name.startswith(("Cap", "NoNewPrivs"))})


def import_its_own_module(place: Place) -> object:
    sys.path.insert(0, f"{place.folder}/own")
    module = __import__("module")
    return module.VALUE


def play_a_game(place: Place) -> object:
    from sweepstakes import Board, Game
    from sweepstakes.game.playing import play_game
    from sweepstakes.plugins.agents.chain import Chain

    board = Board.parse("..*....\n...*..*\n.*.....\n....*..\n..*....\n......*\n*......")
    return play_game(Game(board), Chain).result.outcome


def compile_with_a_cache(place: Place) -> object:
    """Compile as an agent does that is imported from its file."""
    from sweepstakes.hosting.sealing import without_numba_cache

    without_numba_cache()
    sys.path.insert(0, f"{place.folder}/own")
    return __import__("compiled").double(4)


def compile_with_a_cache_that_cannot_be(place: Place) -> object:
    sys.path.insert(0, f"{place.folder}/own")
    return __import__("compiled").double(4)


def call_a_kernel(place: Place) -> object:
    """Number of kernels that numba did not find in its cache. No other attempt needs it."""
    import numpy as np

    from sweepstakes.game.influence_kernels import longest_frontier

    longest_frontier(np.array([[1, -1]], np.int8))
    return sum(longest_frontier.stats.cache_misses.values())  # type: ignore[attr-defined]


def call_a_kernel_from_the_cache(place: Place) -> object:
    """The same in a process that cannot write a cache."""
    from sweepstakes.hosting.sealing import without_numba_cache

    without_numba_cache()
    return call_a_kernel(place)


REFUSED = {**catalogue.REFUSED, "read_the_tests": read_the_tests}
MORE_ALLOWED = {each.__name__: each for each in (import_its_own_module, play_a_game, compile_with_a_cache)}
ALLOWED = {**catalogue.ALLOWED, **MORE_ALLOWED}
OTHERS = {
    each.__name__: each
    for each in (
        ask_for_the_signal_of_the_parents_death,
        call_as_32_bit_programs_do,
        call_by_an_x32_number,
        start_very_many_threads,
        raise_a_limit,
        hold_capabilities,
        compile_with_a_cache_that_cannot_be,
        call_a_kernel,
        call_a_kernel_from_the_cache,
    )
}


def enterable() -> str:
    """Make folders that only root may enter accessible to this process. Return the reason if that fails, or ""."""
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


def become(user: int) -> str:
    """Switch to another user. Return the reason if that fails, or ""."""
    if why := enterable():
        return why
    os.setgroups([])
    os.setgid(user)
    os.setuid(user)
    return ""


def main() -> None:
    """Import what a host imports, and serve requests."""
    import numpy  # noqa: F401

    import sweepstakes.inference  # noqa: F401
    from sweepstakes.game import referee_kernels  # noqa: F401
    from sweepstakes.hosting import sealing

    sealing.prepare()
    play_a_game(Place("", 0, 0))
    trying.serve({**REFUSED, **ALLOWED, **OTHERS}, become)


if __name__ == "__main__":
    main()
