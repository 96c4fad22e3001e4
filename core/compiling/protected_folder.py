"""The folder for compiled code. Agents must not be able to change it, since its content runs in every process.

It is `sweepstakes-UID` in /var/tmp, which is permanent and writable for every user. A folder next to the code could not
be protected: Landlock cannot exclude a subfolder from a rule, so agents would lose the permission to create files in
all folders above it. In /var/tmp that does no harm.
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
    """Return the folder, creating it if necessary, or "" if compiled code is kept in numba's default place.

    The latter applies if NUMBA_CACHE_DIR is set, on systems other than Linux, and if /var/tmp is missing or is the
    folder for temporary files. A folder that others can access, perhaps left by another user or an agent, is never
    used. In that case a number is added to the name.
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
