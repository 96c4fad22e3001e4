"""Makes real attempts, each in its own process: unrestricted, contained, or sealed.

`serve` is a small fork server: requests are lines of JSON on the standard input, answers on the standard output. For
each request it forks a parent, which starts a sibling and forks the process that makes the attempt. An attempt that
succeeds does no harm: it targets the parent, the sibling and a folder created for it.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import select
import signal
import socket
import sys
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any

from sealing_attempts import connections, files, memory, play, processes  # noqa: F401
from sealing_attempts.catalogue import ALLOWED, ODD, REFUSED, Attempt, Place, call, libc

SECONDS = 60
"""Seconds after which an attempt is killed."""
_SET_PARENT_DEATH_SIGNAL, _SET_DUMPABLE, _SET_TRACER = 1, 4, 0x59616D61
_PRCTL = 157


def lay_out(folder: Path, user: int = 0) -> None:
    """Create what `Place.folder` describes, or create it again. `user` owns what only its owner may read or change."""
    for path in folder.glob("new-*"):
        path.unlink()
    for name in ("own", "run"):
        (folder / name).mkdir(exist_ok=True)
    texts = {"run/games.sqlite": "seed", "other.py": "other = 1\n", "own/other.py": "other = 1\n"}
    texts |= {"own/own.py": "own = 1\n", "own/module.py": "VALUE = 'a module of its own'\n"}
    for name, text in texts.items():
        (folder / name).write_text(text)
    for path in (folder, *folder.rglob("*")):
        path.chmod(0o777 if path.is_dir() else path.stat().st_mode | 0o666)
    for name, mode in (("unneeded", 0o666), ("moving", 0o666), ("own/private.py", 0o600)):
        path = folder / name
        path.write_text("text")
        path.chmod(mode)
        if os.geteuid() == 0:
            os.chown(path, user, user)


def serve(more: Mapping[str, Attempt], become: Callable[[int], str] = lambda _: "") -> None:
    """Answer requests until there are no more. `more` are attempts besides those of the catalogue. `become` makes the
    parent a process of another user. It returns the reason if it cannot, or "".
    """
    known = {**REFUSED, **ALLOWED, **ODD, **more}
    for line in sys.stdin:
        ours, theirs = os.pipe()
        parent = os.fork()
        if not parent:
            try:
                said = _have_it_tried(json.loads(line), known, become)
            except BaseException as error:  # noqa: BLE001 - reported to the caller
                said = {"error": f"the parent failed: {type(error).__name__}: {error}", "code": None}
            os.write(theirs, json.dumps(said).encode() + b"\n")
            os._exit(0)
        os.close(theirs)
        with os.fdopen(ours) as answer:
            print(answer.readline().strip(), flush=True)
        with suppress(OSError):
            os.killpg(parent, signal.SIGKILL)  # what an attempt has left
        os.waitpid(parent, 0)


def _have_it_tried(
    request: dict[str, Any], known: Mapping[str, Attempt], become: Callable[[int], str]
) -> dict[str, Any]:
    """In the parent: start a sibling and the process that makes the attempt, and wait for it."""
    os.setpgid(0, 0)
    lay_out(Path(request["folder"]), request.get("user", 0))
    if request.get("user") and (why := become(request["user"])):
        return {"skip": why}
    call(_PRCTL, _SET_DUMPABLE, 1, 0, 0, 0)  # traced by its own user
    libc.prctl(_SET_TRACER, ctypes.c_long(-1), 0, 0, 0)  # by any, where Yama judges
    signal.pthread_sigmask(signal.SIG_BLOCK, [signal.SIGURG])
    tcp, abstract = socket.create_server(("127.0.0.1", 0)), socket.socket(socket.AF_UNIX)
    abstract.bind(f"\0sweepstakes-{os.getpid()}")
    abstract.listen()
    os.environ["LISTENING"] = str(tcp.getsockname()[1])
    parent, sibling = os.getpid(), os.fork()
    if not sibling:
        libc.prctl(_SET_TRACER, ctypes.c_long(-1), 0, 0, 0)
        signal.alarm(2 * SECONDS)
        while True:
            signal.pause()
    ours, theirs = os.pipe()
    question, asks = os.pipe()
    child = os.fork()
    if not child:
        for file in (tcp, abstract):
            file.close()
        os.close(ours)
        os.close(asks)
        os.dup2(question, 0)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, [signal.SIGURG])
        _try(request, known, Place(request["folder"], parent, sibling), theirs)
    os.close(theirs)
    os.write(asks, request.get("says", "").encode())
    os.close(asks)
    said = b""
    while select.select([ours], [], [], SECONDS)[0] and (more := os.read(ours, 65536)):
        said += more
    os.kill(child, signal.SIGKILL)
    _, status = os.waitpid(child, 0)
    os.kill(sibling, signal.SIGKILL)
    if "words" in request:
        return {"answer": said.decode(errors="replace"), "status": status}
    lines = said.splitlines()
    return json.loads(lines[-1]) if lines else {"error": f"it ended with status {status}", "code": None}


def _try(request: dict[str, Any], known: Mapping[str, Attempt], place: Place, answer: int) -> None:
    """In the last process: make the attempt, and write its outcome."""
    signal.alarm(SECONDS)
    resource.setrlimit(resource.RLIMIT_CPU, (1000, 1000))
    call(_PRCTL, _SET_PARENT_DEATH_SIGNAL, signal.SIGKILL, 0, 0, 0)
    os.environ["ANSWER"] = str(answer)
    words = request.get("words")
    try:
        if words:
            os.chdir(place.folder)
        _shut_off(request["how"], place, words)
        if words:
            os.dup2(answer, 1)
            os.execvp(words[0], words)
        made = known[request["attempt"]](place)
        said: dict[str, Any] = {"answer": str(made)[:300]}
    except BaseException as error:  # noqa: BLE001 - whatever it is, the caller judges it
        said = {"error": f"{type(error).__name__}: {error}", "code": getattr(error, "errno", None)}
    os.write(answer, json.dumps(said).encode() + b"\n")
    os._exit(0)


def _shut_off(how: str, place: Place, words: list[str] | None) -> None:
    from sweepstakes.hosting import sealing

    own = [f"{place.folder}/own/{name}.py" for name in ("own", "module", "compiled", "private")]
    if how == "contained":
        sealing.contain()
    elif how == "sealed" and words:
        sealing.seal([], program=words)
    elif how == "sealed":
        sealing.seal([*sealing.python_paths(), *own, f"{sealing.NAMES}{place.folder}/own"])
