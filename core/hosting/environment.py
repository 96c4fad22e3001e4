"""The environment variables of processes in which agents live.

The server that starts hosts has only the variables that interpreters and libraries need, so that the others are nowhere
in the memory of a sealed agent. A host that is not sealed gets all of them with its setup.
"""

from __future__ import annotations

import os

from sweepstakes import logs

ONE_THREAD = dict.fromkeys(("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMBA_NUM_THREADS"), "1")
"""Settings for processes that play, since libraries that start one thread per core would slow each other down."""

_NEEDED = {
    *("HOME", "LANG", "LANGUAGE", "LD_LIBRARY_PATH", "PATH", "TMPDIR", "TZ", "VIRTUAL_ENV", "XDG_CACHE_HOME"),
    *ONE_THREAD,
}
_NEEDED_PREFIXES = ("LC_", "NUMBA_", "PYTHON")


def full() -> dict[str, str]:
    """Return the variables of this process, for a trusted process that plays."""
    return {**ONE_THREAD, **os.environ}


def of_agents() -> dict[str, str]:
    """Return the variables for a host that is not sealed.

    Third-party code must reach neither the log nor the key of the agent `llm`, which may play in the same run.
    """
    kept_back = (logs.FILE, logs.VERBOSE)
    return {
        name: value
        for name, value in os.environ.items()
        if name not in kept_back and not name.startswith("SWEEPSTAKES_LLM_")
    }


def minimal() -> dict[str, str]:
    """Return the variables that interpreters and libraries need."""
    return {name: value for name, value in full().items() if name in _NEEDED or name.startswith(_NEEDED_PREFIXES)}
