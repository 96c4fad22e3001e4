"""Attempts at files."""

from __future__ import annotations

import os
from pathlib import Path

from sealing_attempts.catalogue import Place, allowed, refused


@refused
def open_for_writing(place: Place) -> None:
    Path(place.folder, "own", "own.py").open("r+").close()


@refused
def create(place: Place) -> object:
    return Path(place.folder, f"new-{os.getpid()}").write_text("new")


@refused
def create_in_tmp(place: Place) -> None:
    path = Path("/tmp", f"sweepstakes-{os.getpid()}")
    path.write_text("new")
    path.unlink()


@refused
def create_in_shared_memory(place: Place) -> None:
    path = Path(f"/dev/shm/sweepstakes-{os.getpid()}")
    path.write_text("new")
    path.unlink()


@refused
def make_a_folder(place: Place) -> None:
    Path(place.folder, f"folder-{os.getpid()}").mkdir()


@refused
def unlink(place: Place) -> None:
    Path(place.folder, "unneeded").unlink()


@refused
def rename(place: Place) -> object:
    path = Path(place.folder, "moving")
    return path.rename(path.with_name("moved")).rename(path)


@refused
def link(place: Place) -> None:
    Path(place.folder, f"link-{os.getpid()}").symlink_to("other.py")


@refused
def truncate(place: Place) -> None:
    os.truncate(Path(place.folder, "moving"), 0)


@refused
def change_times(place: Place) -> None:
    os.utime(Path(place.folder, "other.py"))


@refused
def change_modes(place: Place) -> None:
    Path(place.folder, "moving").chmod(0o644)


@refused
def read_etc_passwd(place: Place) -> object:
    return Path("/etc/passwd").read_text()


@refused
def read_another_agents_file(place: Place) -> object:
    return Path(place.folder, "other.py").read_text()


@refused
def read_another_agents_file_beside_its_own(place: Place) -> object:
    return Path(place.folder, "own", "other.py").read_text()


@refused
def read_a_file_of_a_run(place: Place) -> object:
    return Path(place.folder, "run", "games.sqlite").read_text()


@refused
def list_a_folder(place: Place) -> object:
    return sorted(Path(place.folder).iterdir())


@refused
def read_another_agents_file_by_way_of_proc(place: Place) -> object:
    return Path(f"/proc/self/root{place.folder}", "other.py").read_text()


@refused
def lock_a_file(place: Place) -> None:
    import fcntl

    with Path(place.folder, "own", "own.py").open() as file:
        fcntl.flock(file, fcntl.LOCK_SH)


@allowed
def read_its_own_file(place: Place) -> object:
    return Path(place.folder, "own", "own.py").read_text()


@allowed
def read_a_file_that_only_its_user_may_read(place: Place) -> object:
    return Path(place.folder, "own", "private.py").read_text()


@allowed
def write_to_dev_null(place: Place) -> object:
    return Path(os.devnull).write_text("nothing")


@allowed
def read_dev_urandom(place: Place) -> object:
    return len(Path("/dev/urandom").open("rb", buffering=0).read(8)), len(os.urandom(8))
