"""Messages for errors of the operating system about files, with a remedy."""

from __future__ import annotations

import errno
from pathlib import Path

from sweepstakes.errors import located
from sweepstakes.untrusted.text import clean

FULL = frozenset((errno.ENOSPC, errno.EDQUOT, errno.EFBIG))
"""The disk is full, the user's quota is used up, or a file exceeds the size limit of the process."""
NO_HANDLES = frozenset((errno.EMFILE, errno.ENFILE))

NO_ROOM = "the disk is full; nothing finished is lost: make room and give the same command again"
TOO_MANY_FILES = "too few files may be open at once here: raise the limit (`ulimit -n 1024`) and try again"


def in_words(error: OSError, path: Path | str, action: str = "read") -> str:
    """Return the message for an error about a file. `path` may be empty; `action` is `read` or `written`."""
    what = NO_ROOM if error.errno in FULL else TOO_MANY_FILES if error.errno in NO_HANDLES else ""
    if what and not path:
        return what
    return (
        f"{located(path) if path else 'a file'}: cannot be {action}: {what or error.strerror or clean(str(error), 100)}"
    )
