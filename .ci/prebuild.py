"""Compile every kernel of the installed sweepstakes for the processor of `prebuilt.CPU`, for a wheel.

python .ci/prebuild.py FOLDER: writes a subfolder for the versions of Python and numba that run this.
"""

from __future__ import annotations

import gc
import os
import sys
import tempfile
from pathlib import Path

from sweepstakes.compiling import prebuilt


def compile_all() -> None:
    """Call every kernel that a command or an agent uses."""
    from sweepstakes import Cell, Registry, View, inference
    from sweepstakes.warm_up import warm_up

    view = View.parse("1 4 1\n..1.")
    inference.lookahead(view, [Cell(0, 0)])
    inference.endgame(view)
    registry = Registry.built_in()
    agents = [registry.agent(name) for name in registry.self_contained_agents()]
    noises = [registry.noise(name) for name in ("exact-clues", "hidden(rate=0.25)")]
    warm_up(agents, noises, review=True, alone=True)  # what another process compiles could not be saved here


def save_all(folder: Path) -> int:
    """Write what was compiled into the folder; return the number of functions."""
    from numba.core.dispatcher import Dispatcher

    from sweepstakes.compiling.numba_compiler import KernelCache

    kernels = [each for each in gc.get_objects() if isinstance(each, Dispatcher)]
    saved = 0
    for kernel in kernels:
        if isinstance(kernel._cache, KernelCache):
            for signature, compiled in kernel.overloads.items():
                kernel._cache.save_prebuilt(signature, compiled, str(folder))
                saved += 1
    return saved


def main() -> None:
    """Compile without the caches and the processor of this machine, and save."""
    with tempfile.TemporaryDirectory() as cache:
        os.environ |= {"NUMBA_CPU_NAME": prebuilt.CPU, "NUMBA_CPU_FEATURES": "", "NUMBA_CACHE_DIR": cache}
        compile_all()
        folder = Path(sys.argv[1]) / prebuilt.name()
        folder.mkdir(parents=True)
        saved = save_all(folder)
        size = sum(path.stat().st_size for path in folder.iterdir())
        print(f"{folder.name}: {saved} functions, {size:,} bytes")


if __name__ == "__main__":
    main()
