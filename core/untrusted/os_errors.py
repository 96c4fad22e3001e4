"""What the system says when a file cannot be read or written, in words that name the remedy."""

from __future__ import annotations

import errno
from pathlib import Path

from sweepstakes.errors import located
from sweepstakes.untrusted.text import clean

FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
"""There is no room: on the disk, in the user's share of it, or in a file, by a limit of the process."""
NO_HANDLES = frozenset((errno.EMFILE, errno.ENFILE))

NO_ROOM = "the disk is full; nothing finished is lost: make room and give the same command again"
TOO_MANY_FILES = "too few files may be open at once here: raise the limit (`ulimit -n 1024`) and try again"


def in_words(error: OSError, path: Path | str, action: str = "read") -> str:
    """The line for an error of the system about a file, if it is known which; `action`: what was to be done with it."""
    what = NO_ROOM if error.errno in FULL else TOO_MANY_FILES if error.errno in NO_HANDLES else ""
    if what and not path:
        return what
    return (
        f"{located(path) if path else 'a file'}: cannot be {action}: {what or error.strerror or clean(str(error), 100)}"
    )
