"""Machine code of the kernels that a wheel contains, so that nothing is compiled after `pip install`.

`.ci/prebuild.py` makes it for one version of Python and of numba. It is loaded like code from numba's cache, so a call
of a kernel costs the same. If anything differs (the versions, the processor, the source of a kernel), the kernel is
compiled. A clone has no such code.
"""

from __future__ import annotations

import functools
from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

CPU = "x86-64-v3"
"""LLVM's name of the processor for which the code is made."""
FEATURES = ("avx", "avx2", "bmi", "bmi2", "cx16", "f16c", "fma", "lzcnt", "movbe", "popcnt", "sahf", "sse4.2", "xsave")
"""LLVM's names of the features of such a processor."""
STAMP = (CPU,)
"""Stands for the processor, and for the time of a kernel's source, in the files."""


def name() -> str:
    """Return the name of the folder for this build of Python, with its system and C library, and version of numba."""
    import numba  # not before `.ci/prebuild.py` has set the processor

    return f"{EXTENSION_SUFFIXES[0].split('.')[1]}-numba-{numba.__version__}"


@functools.cache
def prebuilt_folder() -> str:
    """Return the folder with the code, or "" if the wheel has no code for these versions and this processor."""
    places = Path(__file__).with_name("prebuilt")
    place = places / name() if places.is_dir() else places
    return str(place) if place.is_dir() and is_able() else ""


def is_able() -> bool:
    """Return whether this processor can run the code."""
    from llvmlite.binding import get_host_cpu_features  # only an installed wheel needs it here

    able = get_host_cpu_features()
    return all(able.get(feature) for feature in FEATURES)
