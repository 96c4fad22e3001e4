"""The folder for compiled code that the processes of agents cannot change: what is in it runs in every process.

It is `sweepstakes-UID` in /var/tmp, which lasts and which every user can write. Beside the code it could not be
protected: Landlock has no rule for a folder without a part of it, so an agent could make no files in any folder above
the part. Nobody misses that in /var/tmp.
"""

from __future__ import annotations

import functools
import os
import stat
import sys
import tempfile
from contextlib import suppress
from pathlib import Path

PLACE = "/var/tmp"
_MAX_NAMES = 100


@functools.cache
def protected_folder() -> str:
    """The folder, which is made if need be; empty if compiled code is kept where numba keeps it.

    That is so if NUMBA_CACHE_DIR names a folder, on other systems than Linux, and where /var/tmp is missing or is the
    folder for temporary files. A folder that is not this user's alone, as another user or an agent may have left it, is
    never used: a number is added to the name.
    """
    if not sys.platform.startswith("linux") or os.environ.get("NUMBA_CACHE_DIR"):
        return ""
    if os.path.realpath(PLACE) != PLACE or os.path.realpath(tempfile.gettempdir()) == PLACE:
        return ""
    for number in range(_MAX_NAMES):
        folder = Path(PLACE, f"sweepstakes-{os.geteuid()}" + (f"-{number}" if number else ""))
        with suppress(OSError):
            folder.mkdir(0o700)
        try:
            found = folder.lstat()
        except OSError:
            return ""
        if stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid() and not found.st_mode & 0o077:
            return str(folder)
    return ""
