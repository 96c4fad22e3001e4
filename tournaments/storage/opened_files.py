"""Keeps the lists of data files that the agents of a run have opened, in the table `meta` of its database."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable

from sweepstakes.errors import RunError
from sweepstakes.executor import Row
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.resolve.known_files import (
    META,
    FileList,
    FileLists,
    conflict,
    data_files,
    differ,
    lists_text,
    read_lists,
    with_known_files,
)
from sweepstakes.tournaments.storage.database import set_meta
from sweepstakes.tournaments.storage.run_reader import RunReader
from sweepstakes.untrusted.text import clean


class OpenedFiles:
    """The lists of a run. In `plan` the versions of the agents include the listed files."""

    def __init__(self, db: sqlite3.Connection, plan: Plan) -> None:
        self._db = db
        self._lists = FileLists()
        for (text,) in db.execute("select value from meta where key = ?", [META]):
            self._lists = read_lists(text)
        self._bases = [entry.key for entry in plan.entries]
        entries = tuple(with_known_files(entry, self._lists) for entry in plan.entries)
        for base, entry in zip(self._bases, entries, strict=True):
            if files := data_files(entry):
                self._lists.setdefault(entry.key, FileList(base, entry.version)).add(files)
        self._store()
        self.plan = plan._replace(entries=entries)

    def note(self, rows: Iterable[Row]) -> None:
        """Add the data files that agents opened in these games to their lists."""
        changed = [self._list(row.fixture.agent).add(row.files) for row in rows if row.files]
        if any(changed):
            self._store()

    def take_over(self, run: RunReader) -> set[str]:
        """Copy the lists of another run. Return the keys of agents whose files were different there."""
        lists = run.file_lists
        left_out = set()
        for place, entry in enumerate(self.plan.entries):
            if (listed := lists.get(entry.key)) is None:
                continue
            if differ(listed.files, entry):
                left_out.add(entry.key)
                continue
            self._list(place).add(tuple(listed.files.items()))
        self._store()
        return left_out

    def merge(self, run: RunReader) -> None:
        """Add the lists of another run. Raise `RunError` if a file had different contents there."""
        for key, listed in run.file_lists.items():
            here = self._lists.setdefault(key, FileList(listed.base, listed.version))
            if place := conflict(here, listed):
                what = f"the file {clean(place, 80)} of an agent was another one in {run.directory}"
                raise RunError(f"{what}: nothing is merged; play these runs with the same files")
            here.add(tuple(listed.files.items()))
        self._store()

    def _list(self, agent: int) -> FileList:
        entry = self.plan.entries[agent]
        return self._lists.setdefault(entry.key, FileList(self._bases[agent], entry.version))

    def _store(self) -> None:
        if self._lists:
            set_meta(self._db, META, lists_text(self._lists))
