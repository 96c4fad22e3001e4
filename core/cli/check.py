"""`sweepstakes check`: test an agent, step by step, as a tournament will use it."""

from __future__ import annotations

import json
import queue
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import IO, Any, NamedTuple

import click

from sweepstakes.cli.options import Decimal, plugin_option
from sweepstakes.errors import PluginError, located
from sweepstakes.untrusted.text import clean

_START = 300
"""Seconds in which a new process must be ready, before it loads the agent."""
_LINES = 20
"""Lines that are shown of what an agent printed."""
_MOST_LINES = 60
"""Lines that are shown of any message, traceback or output."""


class StepReport(NamedTuple):
    """The outcome of one step."""

    owner: str
    name: str
    passed: bool
    message: str
    fix: str
    trace: str
    printed: str


@click.command("check")
@click.argument("target", metavar="AGENT")
@click.option("--limit", type=Decimal(1, 1_000_000), default=60, show_default=True, help="Seconds a step may take.")
@plugin_option
def check(target: str, limit: float, plugins: tuple[str, ...]) -> None:
    """Check an agent (a file, a name, or either with parameters) as a tournament will use it.

    The report says for each failed step how to mend the agent. The exit code is 1 if any step failed.
    """
    _check_target(target, plugins)
    from sweepstakes.compiling.warm_up import warm_up

    warm_up()
    failed = done = 0
    owner, printed_traces = "", set()
    for done, step in enumerate(run_steps(target, plugins, limit), 1):
        if step.owner != owner:
            owner = step.owner
            click.echo(f"agent {owner}")
        word = click.style("ok  ", fg="green") if step.passed else click.style("FAIL", fg="red", bold=True)
        remark = f" ({clean(step.message)})" if step.passed and step.message else ""
        click.echo(f"{done:>3} {word}  {step.name}{remark}")
        if step.passed:
            continue
        failed += 1
        _block(step.message)
        if step.fix:
            _block(f"to do: {step.fix}")
        if step.trace and step.trace not in printed_traces:
            printed_traces.add(step.trace)
            _block(step.trace.rstrip())
        if step.printed:
            _block("it printed:\n" + step.printed)
    click.echo(f"{done - failed} of {done} steps passed")
    if failed:
        sys.exit(1)


def _check_target(target: str, plugins: tuple[str, ...]) -> None:
    """`PluginError` if there is no such file or agent, before anything is compiled and a process is started."""
    from sweepstakes.registry.registry import Registry
    from sweepstakes.registry.spec import Spec
    from sweepstakes.untrusted.files import is_file

    spec = Spec.parse(target)
    if spec.file:
        if not is_file(Path(spec.file)):
            raise PluginError(f"{located(spec.file)}: there is no such file")
    elif not plugins:  # plugin files may do anything: only the other process loads them
        Registry.default().spec("agent", spec)


def _block(text: str) -> None:
    """Print a text, indented; only its last lines if there are too many."""
    lines = text.splitlines()
    for line in lines[-_MOST_LINES:]:
        indent = min(len(line) - len(line.lstrip(" ")), 40)
        click.echo(" " * (10 + indent) + clean(line, 500))


def run_steps(target: str, plugins: tuple[str, ...], limit: float) -> Iterator[StepReport]:
    """The reports, step by step. A step that kills its process or hangs has failed; the next one gets a new process."""
    skip = 0
    while True:
        with tempfile.TemporaryFile("w+", encoding="utf-8", errors="replace") as printed:
            ended = False
            for number, report in _one_process(target, plugins, limit, skip, printed):
                if report is None:
                    ended = True
                elif number >= skip:
                    skip = number + 1
                    yield report
                elif not report.passed:
                    ended = True  # the agent no longer loads
            if ended:
                return


def _one_process(
    target: str, plugins: tuple[str, ...], limit: float, skip: int, printed: IO[str]
) -> Iterator[tuple[int, StepReport | None]]:
    """Number and report of the steps that one process completed; after the last of all steps None for a report."""
    request = json.dumps({"target": target, "plugins": plugins, "skip": skip})
    process = subprocess.Popen(
        [sys.executable, "-P", "-m", "sweepstakes.testing.isolated", request],  # -P: no imports from the current folder
        stdout=subprocess.PIPE,
        stderr=printed,
        text=True,
    )
    messages: queue.Queue[dict[str, Any] | None] = queue.Queue()
    reader = threading.Thread(target=_read_messages, args=(process.stdout, messages), daemon=True)
    reader.start()
    step: dict[str, Any] | None = None
    output_start, wait = 0, float(_START)
    try:
        while True:
            try:
                message = messages.get(timeout=wait)
            except queue.Empty:
                message = {"hung": True}
            if message is None or "hung" in message:
                if message is None:
                    process.wait()
                code = process.returncode if message is None else None
                yield _broken(step, code, limit, _tail(printed, output_start))
                return
            if "wrong" in message:
                raise PluginError(message["wrong"])
            if "end" in message:
                yield -1, None
                return
            if "ready" in message:
                wait = limit
            elif "passed" in message:
                assert step is not None
                output = "" if message["passed"] else _tail(printed, output_start)
                yield (
                    message["number"],
                    StepReport(
                        step["owner"],
                        step["name"],
                        message["passed"],
                        message["message"],
                        step["fix"],
                        message["trace"],
                        output,
                    ),
                )
                step = None
            else:
                step, output_start = message, message["printed"]
    finally:
        process.kill()
        process.wait()
        reader.join()
        if process.stdout is not None:
            process.stdout.close()


def _read_messages(stream: IO[str] | None, messages: queue.Queue[dict[str, Any] | None]) -> None:
    """Put every message of the process into the queue, and None after the last."""
    for line in stream or ():
        with suppress(ValueError):  # an agent may have written into the stream
            if isinstance(message := json.loads(line), dict):
                messages.put(message)
    messages.put(None)


def _broken(step: dict[str, Any] | None, code: int | None, limit: float, printed: str) -> tuple[int, StepReport | None]:
    """The report of a step whose process ended with an exit code, or hangs (None)."""
    if step is None:
        what = "it did not start" if code is None else f"it ended by itself with exit code {code}"
        raise PluginError(f"the checking process failed: {what}: {clean(printed[-300:], 300)}")
    if code is None:
        message = f"it did not finish within {limit:g} s"
        fix = "bound loops and searches by a count; a tournament stops a turn after its limit, and the game is lost"
    else:
        cause = f"signal {-code}" if code < 0 else f"exit code {code}"
        message = f"it killed its process ({cause})"
        fix = "do not call exit functions; a crash inside compiled code is an index out of bounds most of the time"
    return step["number"], StepReport(step["owner"], step["name"], False, message, fix, "", printed)


def _tail(printed: IO[str], start: int) -> str:
    """The last lines that were printed from a position of the file on."""
    printed.seek(start)
    lines = printed.read().splitlines()
    return "\n".join(lines[-_LINES:])
