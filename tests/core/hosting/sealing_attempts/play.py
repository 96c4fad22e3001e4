"""What an agent needs to play."""

from __future__ import annotations

import mmap
import os
import signal
import time
from pathlib import Path

from sealing_attempts.catalogue import Place, allowed


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
