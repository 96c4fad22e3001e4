"""Notices that the file of a run was removed, replaced or cut while the run was being played."""

from __future__ import annotations

from pathlib import Path

from sweepstakes.errors import LostGamesError


class WatchedFile:
    """A file that only grows. SQLite itself would keep writing to a deleted file."""

    def __init__(self, path: Path) -> None:
        self._path = path
        status = path.stat()
        self._identity, self._size = (status.st_dev, status.st_ino), status.st_size

    def check(self) -> None:
        """Raise `LostGamesError` if the file is no longer the one that was opened, or was cut off."""
        try:
            now = self._path.stat()
        except OSError:
            raise self.lost("was removed or moved") from None
        if (now.st_dev, now.st_ino) != self._identity:
            raise self.lost("was replaced by another file")
        if now.st_size < self._size:  # SQLite never makes it smaller
            raise self.lost("was cut off")
        self._size = now.st_size

    def lost(self, what: str) -> LostGamesError:
        """Return the error for a file to which `what` has happened."""
        return LostGamesError(
            f"{self._path} {what} while the run was being played: games may be lost; run the same command again, "
            "and leave the directory alone meanwhile"
        )
