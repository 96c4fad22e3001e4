"""The files that a sealed process must be able to read, in addition to its agent's own."""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import os
import re
import shutil
import struct
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from sweepstakes.compiling.protected_folder import protected_folder
from sweepstakes.hosting.sealing.landlock import NAMES
from sweepstakes.plugins import BUILT_IN

_SYSTEM = [
    *("/lib", "/lib64", "/usr/lib", "/usr/lib64", "/usr/local/lib", "/usr/local/lib64"),
    *("/etc/ld.so.cache", "/etc/ld.so.preload", "/etc/localtime", "/usr/share/zoneinfo", "/usr/share/locale"),
    *("/dev/urandom", "/dev/random"),
    *("/proc/cpuinfo", "/proc/meminfo", "/proc/sys/vm/overcommit_memory", "/sys/devices/system/cpu"),
    *("/sys/kernel/mm/transparent_hugepage/enabled", "/sys/kernel/mm/transparent_hugepage/hpage_pmd_size"),
    *(
        f"/proc/self/{name}"
        for name in ("auxv", "cgroup", "cmdline", "fd", "limits", "maps", "stat", "statm", "status")
    ),
]
"""Shared libraries, and what the C library reads from the system. Not /dev/zero, which can be mapped as memory that is
charged to no process, and not all of /proc/self, which includes network tables."""

_OTHER_PACKAGES = frozenset({"leaderboards", "plugins", "tournaments", "web"})
"""Folders of an installed package that no agent needs, or that contain other agents."""

_INTERPRETER_BYTES = 4096


def python_paths() -> list[str]:
    """Return what a Python host must be able to read: the interpreter, installed packages, and this package's files.

    Of `sweepstakes.plugins` only built-in plugins are included, since a dropped-in file belongs to another agent. Run
    directories and other files next to a checkout are not included. A path that starts with `NAMES` is a folder whose
    entries may be listed.
    """
    return list(_python_paths())


@functools.cache
def _python_paths() -> tuple[str, ...]:
    package = _folder("sweepstakes")
    folders = [Path(sys.base_prefix, "lib"), Path(sys.base_prefix, "lib64"), Path(sysconfig.get_path("stdlib"))]
    folders += [Path(path) for path in sys.path if Path(path).name in ("site-packages", "dist-packages")]
    found = [os.path.realpath(sys.executable)]
    for path in (*_SYSTEM, *map(str, folders)):
        found += _all_but(package, Path(path)) if package.is_relative_to(Path(path).resolve()) else [path]
    found += _own_files(package)
    return tuple(_needed(found))


def _needed(paths: Iterable[str]) -> Iterator[str]:
    """Return the paths that exist and are not inside another one, since each path costs time in every host."""
    real = {path: path if path.startswith(("/proc/self/", NAMES)) else os.path.realpath(path) for path in paths}
    there = {path for path in real.values() if path.startswith(NAMES) or Path(path).exists()}
    return (path for path in sorted(there) if not any(str(folder) in there for folder in Path(path).parents))


def _all_but(left_out: Path, folder: Path) -> Iterator[str]:
    """Yield the paths that make up `folder` without `left_out`: Landlock rules for folders allow no exceptions."""
    yield f"{NAMES}{folder}"
    for path in sorted(folder.iterdir()):
        real = path.resolve()
        if real == left_out:
            continue
        if left_out.is_relative_to(real):
            yield from _all_but(left_out, path)
        else:
            yield str(path)


def _folder(package: str) -> Path:
    """Return the folder of a package, without importing it."""
    spec = importlib.util.find_spec(package)
    assert spec
    assert spec.origin
    return Path(spec.origin).resolve().parent


def _own_files(package: Path) -> Iterator[str]:
    """Yield the files of this package that an agent may read, and numba's caches of them."""
    inside = [path for path in sorted(package.iterdir()) if path.name not in _OTHER_PACKAGES]
    if (package / "plugins").is_dir():
        yield f"{NAMES}{package}"
        yield from map(str, inside)
    else:
        yield str(package)
    plugins = _folder("sweepstakes.plugins")
    yield f"{NAMES}{plugins}"
    yield from map(str, _built_in(plugins))
    for folder in (package, *(path for path in package.rglob("*") if path.is_dir())):
        for cache in _numba_folders(folder):
            yield str(cache)


def _built_in(plugins: Path) -> Iterator[Path]:
    """Yield the files of the built-in plugins and of the plugin modules that they import, with their compiled files."""
    todo = [f"sweepstakes.plugins.{name}" for name in sorted(BUILT_IN)]
    seen: set[str] = set()
    while todo:
        name = todo.pop()
        if name in seen:
            continue
        seen.add(name)
        words = name.split(".")[2:]
        if len(words) > 0:
            todo.append(name.rpartition(".")[0])
        path = plugins.joinpath(*words)
        file = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
        if not file.is_file():  # the name belongs to something inside a module
            continue
        is_plugin = ".".join(words) in BUILT_IN
        if path.is_dir() and is_plugin:  # the package is one plugin: include the whole folder
            yield path
        else:
            yield file
            yield from _compiled(file)
        for source in sorted(path.rglob("*.py")) if path.is_dir() and is_plugin else [file]:
            todo += re.findall(r"sweepstakes\.plugins\.[\w.]+", source.read_text(encoding="utf-8"))


def _compiled(file: Path) -> Iterator[Path]:
    """Return the compiled files that Python and numba keep next to a module."""
    cache = file.parent / "__pycache__"
    return (path for path in sorted(cache.glob("*")) if path.name.split(".")[0].split("-")[0] == file.stem)


def _numba_folders(folder: Path) -> Iterator[Path]:
    """Return the folders where numba keeps compiled functions of this folder's modules, if not next to them."""
    homes = [os.environ.get("NUMBA_CACHE_DIR", ""), protected_folder()]
    homes.append(str(Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser(), "numba")))
    name = f"{folder.name}_{hashlib.sha1(str(folder).encode()).hexdigest()}"
    return (path for home in homes if home and (path := Path(home, name)).is_dir())


def program_paths(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """Return the paths that a command must be able to read, and those to execute, in addition to its agent's files.

    These are the program, the files named by `words`, the interpreter of a script or of an ELF file with the libraries
    next to it, and the system's libraries. Folders named by `words` are not included.
    """
    readable = [*_SYSTEM, "/usr/share", "/etc/ssl/openssl.cnf"]
    named = [word for text in words[1:] for word in (text, text.partition("=")[2]) if _is_there(word)]
    executable: list[str] = []
    first = _found(words[0])
    todo = [(first, first != words[0] or bool(named))]
    while todo:
        file, is_interpreter = todo.pop()
        if not Path(file).is_file() or file in executable:
            continue
        executable.append(file)
        if is_interpreter:
            readable += _beside(file)
        todo += [(other, True) for other in _interpreters(file)]
    return [*readable, *executable, *named], executable


def _is_there(word: str) -> bool:
    """Return whether a word names a file that really lies in the folder it names, and does not link to another one."""
    return Path(word).is_file() and Path(word).parent.resolve() in Path(word).resolve().parents


def _found(word: str) -> str:
    """Return the path of a program that is named by a path, or by a name in one of the folders of PATH."""
    return word if "/" in word else shutil.which(word) or word


def _beside(interpreter: str) -> Iterator[str]:
    """Yield the libraries of an interpreter: PREFIX/lib for PREFIX/bin/NAME, and those of its virtual environment."""
    for path in (Path(interpreter).absolute(), Path(interpreter).resolve()):
        if path.parent.name == "bin":
            prefix = path.parent.parent
            yield from (str(prefix / name) for name in ("lib", "lib64", "pyvenv.cfg") if (prefix / name).exists())


def _interpreters(file: str) -> list[str]:
    """Return the programs that run a file: the interpreter in its first line, with `env`, or its dynamic linker."""
    try:
        with Path(file).open("rb") as opened:
            start = opened.read(_INTERPRETER_BYTES)
    except OSError:
        return []
    if start.startswith(b"#!"):
        line = os.fsdecode(start[2:].split(b"\n")[0])
        program, *rest = line.split() or [""]
        after = [word for word in rest if not word.startswith("-") and "=" not in word]
        return [program, *(_found(word) for word in after[:1] if Path(program).name == "env")]
    return _linker(start)


def _linker(start: bytes) -> list[str]:
    """Return the dynamic linker that a 64-bit ELF file names in its first bytes."""
    try:
        if start[:5] != b"\x7fELF\x02":
            return []
        (table,) = struct.unpack_from("<Q", start, 32)
        size, count = struct.unpack_from("<HH", start, 54)
        for number in range(count):
            kind, _, offset, _, _, length = struct.unpack_from("<IIQQQQ", start, table + number * size)
            if kind == 3:  # PT_INTERP
                return [os.fsdecode(start[offset : offset + length].rstrip(b"\0"))]
    except (OverflowError, struct.error):
        pass
    return []
