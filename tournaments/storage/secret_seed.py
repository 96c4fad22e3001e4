"""The secret seed of a run: drawn when the run begins, and published when its last game has been played.

`secret-seed` in the run directory is the decimal text of the seed, without a line end. Only its owner may read it.
Everybody may read `seed.json`. Before the first game it gets the commitment, which is the SHA-256 of the bytes of
`secret-seed`. After the last game it also gets the seed. A publication has only `seed.json`.
"""

from __future__ import annotations

import json
import os
import re
import secrets
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

from sweepstakes.errors import RunError
from sweepstakes.game.rng import LARGEST_SEED
from sweepstakes.tournaments.plan import Plan, commitment
from sweepstakes.tournaments.storage.database import FILE as GAMES
from sweepstakes.tournaments.storage.database import run_errors
from sweepstakes.untrusted.files import read_file

SECRET_FILE = "secret-seed"
SEED_FILE = "seed.json"
OTHER_DIRECTORY = "choose another directory with --out"
_BITS = LARGEST_SEED.bit_length()
_DECIMAL = re.compile("0|[1-9][0-9]{0,38}", re.ASCII)
_HASH = re.compile("[0-9a-f]{64}", re.ASCII)


class SecretSeed(NamedTuple):
    """A seed that is, or was, secret."""

    seed: int
    revealed: bool
    """Whether the run has ended, and its seed is published."""

    @property
    def sha256(self) -> str:
        """The commitment: the SHA-256 of the decimal text of the seed."""
        return commitment(self.seed)

    @property
    def sentence(self) -> str:
        """The sentence below a table."""
        what = f"the SHA-256 of its decimal text is {self.sha256}"
        if not self.revealed:
            return f"The seed is secret until the last game has been played; {what}."
        return f"The seed was secret until the last game had been played; {what}, which sweepstakes verify checks."

    def public_text(self) -> str:
        """Return the text of `seed.json`."""
        seed = {"seed": str(self.seed)} if self.revealed else {}  # as text, because other programs round large numbers
        return json.dumps({"sha256": self.sha256, **seed}, indent=1) + "\n"


def draw_seed() -> int:
    """Return a new secret seed: 128 random bits from the operating system."""
    return secrets.randbits(_BITS)


def settle_seed(directory: Path, plan: Plan, given: int | None = None) -> tuple[Plan, SecretSeed | None]:
    """Return the plan with the secret seed of its run directory.

    If the run begins now, store `given` or a new seed there. The caller has locked the directory. A plan whose seed is
    a number is returned unchanged. Raise `RunError` if that is not the published seed of the directory, or if the
    directory's secret seed is missing, damaged or not secret.
    """
    asked = plan.config.seed
    if isinstance(asked, int):
        if not (directory / SEED_FILE).exists():
            return plan, None
        secret = read_seed(directory)
        if secret == SecretSeed(asked, revealed=True):
            return plan, secret
        was = f"the seed was secret (SHA-256 {secret.sha256})"
        raise RunError(f"{directory} holds another tournament: {was} and is {asked} now; {OTHER_DIRECTORY}")
    begun = [name for name in (SECRET_FILE, SEED_FILE, GAMES) if os.path.lexists(directory / name)]
    if begun == [GAMES]:
        was = "its seed was not secret, or its seed is lost"
        raise RunError(f"{directory} holds another tournament: {was}; {OTHER_DIRECTORY}")
    if not begun:
        _write(directory / SECRET_FILE, str(draw_seed() if given is None else given), 0o600)
    if SEED_FILE not in begun:  # a run that was killed immediately may have only the first file
        _write(directory / SEED_FILE, SecretSeed(_read_secret(directory), revealed=False).public_text(), 0o644)
    secret = read_seed(directory)
    if given is not None and given != secret.seed:
        was = f"the SHA-256 of its secret seed is {secret.sha256}, but that of the seed file is {commitment(given)}"
        raise RunError(f"{directory} holds another tournament: {was}; {OTHER_DIRECTORY}")
    if not secret.revealed:
        _make_private(directory / GAMES)
    return plan.with_seed(secret.seed, secret=not secret.revealed), secret


def read_seed(directory: Path) -> SecretSeed:
    """Return the seed of a run or a publication with a `seed.json`, or of a run whose tournament says `seed: secret`.

    Raise `RunError` if it does not match the commitment, or is missing, damaged or not secret.
    """
    path = directory / SEED_FILE
    if not os.path.lexists(path):
        raise RunError(f"{path}: missing: it has the commitment to the secret seed of this run; bring the file back")
    try:
        data = json.loads(read_file(path, 1000, RunError))
        committed, published = data["sha256"], data.get("seed")
        if not _HASH.fullmatch(committed) or not (published is None or _is_seed(published)):
            raise ValueError
    except (ValueError, TypeError, LookupError, AttributeError, RecursionError):
        expected = "expected `sha256` with 64 hexadecimal digits, and `seed` with a decimal number if it is published"
        raise RunError(f"{path}: damaged: {expected}; replace it by an intact copy") from None
    seed = _read_secret(directory) if published is None else int(published)
    if commitment(seed) != committed:
        file = path if published is not None else directory / SECRET_FILE
        what = f"the SHA-256 of this seed is {commitment(seed)}, the commitment was {committed}"
        raise RunError(f"{file}: not the seed of this run: {what}")
    return SecretSeed(seed, published is not None)


def read_seed_file(path: Path, *, private: bool = True) -> int:
    """Return the secret seed in a file that several runs share and, if it is `private`, only its owner may read.

    If there is no such file, draw a new seed and store it there. If several processes do so at once, all get the seed
    of the first. Raise `RunError` if the file is damaged or not secret.
    """
    if not os.path.lexists(path):
        part = path.with_name(f"{path.name}.{secrets.token_hex(8)}.part")
        with run_errors(path, "written"):
            try:
                _write_durably(part, str(draw_seed()), 0o600)
                with suppress(FileExistsError):
                    os.link(part, path)
            finally:
                part.unlink(missing_ok=True)
    return _read_seed(path, private=private)


def reveal_seed(directory: Path, secret: SecretSeed) -> SecretSeed:
    """Publish the seed in the run directory, next to its commitment."""
    revealed = secret._replace(revealed=True)
    _write(directory / SEED_FILE, revealed.public_text(), 0o644)
    return revealed


def _read_secret(directory: Path) -> int:
    """Return the seed in the file that only its owner may read."""
    path = directory / SECRET_FILE
    if not os.path.lexists(path):
        raise RunError(f"{path}: missing: without the secret seed no game of this run can be set up; bring it back")
    return _read_seed(path, private=True)


def _read_seed(path: Path, *, private: bool) -> int:
    text = read_file(path, 100, RunError).decode("ascii", "replace").removesuffix("\n")
    with run_errors(path):
        mode = path.stat().st_mode & 0o777
    if private and os.name == "posix" and mode & 0o077:
        what = f"others may read it (mode {mode:o}), so it is not secret"
        raise RunError(f"{path}: {what}: start again with another one, or `chmod 600` it if nobody has read it")
    if not _is_seed(text):
        raise RunError(f"{path}: damaged: expected a decimal number below 2^128 and nothing else; bring back a copy")
    return int(text)


def _is_seed(text: str) -> bool:
    return _DECIMAL.fullmatch(text) is not None and int(text) <= LARGEST_SEED


def _make_private(path: Path) -> None:
    """Create the database, readable only by its owner, unless it exists. SQLite gives its other files the same mode.

    Its moves and faults reveal boards that other agents have yet to play.
    """
    with run_errors(path, "written"), suppress(FileExistsError):
        os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600))


def _write(path: Path, text: str, mode: int) -> None:
    """Write a file of this mode atomically and durably. It never exists with other contents or another mode."""
    part = path.with_name(path.name + ".part")
    with run_errors(path, "written"):
        try:
            part.unlink(missing_ok=True)
            _write_durably(part, text, mode)
            part.replace(path)
        except OSError:
            with suppress(OSError):
                part.unlink(missing_ok=True)
            raise


def _write_durably(path: Path, text: str, mode: int) -> None:
    """Write a new file and flush it to the disk."""
    handle = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | getattr(os, "O_BINARY", 0), mode)
    with os.fdopen(handle, "wb") as file:
        file.write(text.encode("ascii"))
        file.flush()
        os.fsync(handle)
