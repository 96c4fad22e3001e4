"""Which files a sealed process must be able to read, beside its agent's own."""

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
"""Shared libraries and what the C library asks the system. Neither /dev/zero, which can be mapped as memory that counts
as nobody's, nor all of /proc/self, which has the network's tables."""

_OTHER_ROOMS = frozenset({"leaderboards", "plugins", "tournaments", "web"})
"""Folders of the package, where it is installed as one, that no agent needs or that have agents of others in them."""

_INTERPRETER_BYTES = 4096


def python_paths() -> list[str]:
    """What a Python host must be able to read: the interpreter, installed packages, and this package's own files.

    Of `sweepstakes.plugins` these are the built-in ones, since a file that was dropped in is another agent's; run
    directories and whatever else lies beside a checkout are not among them. A path with `NAMES` before it is a folder
    that may be listed.
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
    """Those that exist and do not lie in another of them; each costs time in every host."""
    real = {path: path if path.startswith(("/proc/self/", NAMES)) else os.path.realpath(path) for path in paths}
    there = {path for path in real.values() if path.startswith(NAMES) or Path(path).exists()}
    return (path for path in sorted(there) if not any(str(folder) in there for folder in Path(path).parents))


def _all_but(left_out: Path, folder: Path) -> Iterator[str]:
    """A folder without one that is somewhere in it, in many paths: a rule for a folder has no exceptions."""
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
    """Where a package lies; it need not be imported."""
    spec = importlib.util.find_spec(package)
    assert spec
    assert spec.origin
    return Path(spec.origin).resolve().parent


def _own_files(package: Path) -> Iterator[str]:
    """The files of this package that an agent may read, and what numba has made of them."""
    inside = [path for path in sorted(package.iterdir()) if path.name not in _OTHER_ROOMS]
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
    """The files of the built-in plugins, of the modules they import from beside them, and the compiled ones of both."""
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
        if not file.is_file():  # the name of something in a module
            continue
        is_plugin = ".".join(words) in BUILT_IN
        if path.is_dir() and is_plugin:  # a package that is one plugin, with all that is in it
            yield path
        else:
            yield file
            yield from _compiled(file)
        for source in sorted(path.rglob("*.py")) if path.is_dir() and is_plugin else [file]:
            todo += re.findall(r"sweepstakes\.plugins\.[\w.]+", source.read_text(encoding="utf-8"))


def _compiled(file: Path) -> Iterator[Path]:
    """What Python and numba keep of a module beside it."""
    cache = file.parent / "__pycache__"
    return (path for path in sorted(cache.glob("*")) if path.name.split(".")[0].split("-")[0] == file.stem)


def _numba_folders(folder: Path) -> Iterator[Path]:
    """Where numba keeps compiled functions of this folder's modules, if not beside them."""
    homes = [os.environ.get("NUMBA_CACHE_DIR", ""), protected_folder()]
    homes.append(str(Path(os.environ.get("XDG_CACHE_HOME") or Path("~/.cache").expanduser(), "numba")))
    name = f"{folder.name}_{hashlib.sha1(str(folder).encode()).hexdigest()}"
    return (path for home in homes if home and (path := Path(home, name)).is_dir())


def program_paths(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """What a command must be able to read, and what it must be able to execute, beside its agent's files.

    These are the program, the files that its words name, its interpreter (of a script or of an ELF file) with the
    libraries beside that, and the system's libraries. A folder in the words is not among them.
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
    """Whether a word names a file that lies in the folder it names, and is no link to another one."""
    return Path(word).is_file() and Path(word).parent.resolve() in Path(word).resolve().parents


def _found(word: str) -> str:
    """A program as a command names it: a path, or a name in one of the folders of PATH."""
    return word if "/" in word else shutil.which(word) or word


def _beside(interpreter: str) -> Iterator[str]:
    """The libraries of an interpreter: PREFIX/lib of PREFIX/bin/NAME, and those of the environment it belongs to."""
    for path in (Path(interpreter).absolute(), Path(interpreter).resolve()):
        if path.parent.name == "bin":
            prefix = path.parent.parent
            yield from (str(prefix / name) for name in ("lib", "lib64", "pyvenv.cfg") if (prefix / name).exists())


def _interpreters(file: str) -> list[str]:
    """The programs that the kernel, or `env`, runs for a file: those of its first line, or its dynamic linker."""
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
    """The dynamic linker that a 64-bit ELF file names, from the file's first bytes."""
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
