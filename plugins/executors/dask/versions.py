"""The versions of everything that can change a result, on the client and on every node."""

from __future__ import annotations

import hashlib
import importlib
import importlib.metadata
import importlib.util
import platform
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

from sweepstakes import plugins

PACKAGES = ("sweepstakes", "sweepstakes.tournaments")
_OTHERS = ("plugins", "tournaments", "leaderboards", "web")


@cache
def versions() -> Mapping[str, str]:
    """Return the versions of Python, numba, numpy and this package, with a digest of the code that plays."""
    found = {name: importlib.metadata.version(name) for name in ("numba", "numpy")}
    code = f"{importlib.metadata.version('sweepstakes')} ({_digest()})"
    return {"Python": platform.python_version(), **found, "sweepstakes": code}


def difference(ours: Mapping[str, str], theirs: Mapping[str, str]) -> str:
    """Describe the difference, as in "numpy 1.26.4, expected 2.1.0". Return "" if there is no difference."""
    return "; ".join(
        f"{name} {theirs.get(name, 'is missing')}, expected {version}"
        for name, version in ours.items()
        if theirs.get(name) != version
    )


def _digest() -> str:
    """Return a digest of the Python files of the game, tournaments and built-in plugins, in any kind of install."""
    digest = hashlib.sha256()
    for name, file in sorted(set(_files())):
        digest.update(f"{name} {hashlib.sha256(file.read_bytes()).hexdigest()}\n".encode())
    return digest.hexdigest()[:8]


def _files() -> Iterator[tuple[str, Path]]:
    for package in PACKAGES:
        (folder,) = importlib.import_module(package).__path__[:1]
        for file in Path(folder).rglob("*.py"):
            path = file.relative_to(folder)
            if path.parts[0] not in _OTHERS:
                yield f"{package}/{path.as_posix()}", file
    for name in plugins.BUILT_IN:
        spec = importlib.util.find_spec(f"{plugins.__name__}.{name}")
        assert spec is not None
        assert spec.origin is not None
        origin = Path(spec.origin)
        yield name, origin
        for file in (*origin.parent.glob("*.npz"), *origin.parent.glob("*.py")):
            if origin.name == "__init__.py" or file.suffix != ".py" or file.name.startswith("_"):
                # A part of the built-in plugin. Other files here are plugins that were dropped in.
                yield f"{name}/{file.name}", file
