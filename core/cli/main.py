"""The program `sweepstakes`: its commands, exit codes and error messages."""

from __future__ import annotations

import errno
import functools
import importlib
import inspect
import io
import os
import re
import sys
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import click

from sweepstakes.errors import MAX_MESSAGE_LENGTH, ExitCode, SweepstakesError, brief, did_you_mean, located
from sweepstakes.untrusted.text import clean

COMMANDS = {
    "Play": {
        "run": "sweepstakes.tournaments.cli.run:run",
        "merge": "sweepstakes.tournaments.cli.merge:merge",
        "match": "sweepstakes.tournaments.cli.match:match",
        "race": "sweepstakes.tournaments.cli.race:race",
        "watch": "sweepstakes.tournaments.cli.watch:watch",
        "quiz": "sweepstakes.tournaments.cli.quiz:quiz",
        "classroom": "sweepstakes.leaderboards.cli.classroom:classroom",
        "serve": "sweepstakes.web.cli.serve:serve",
    },
    "Inspect": {
        "leaderboard": "sweepstakes.leaderboards.cli.leaderboard:leaderboard",
        "compare": "sweepstakes.tournaments.cli.compare:compare",
        "replay": "sweepstakes.tournaments.cli.replay:replay",
        "review": "sweepstakes.tournaments.cli.review:review",
        "verify": "sweepstakes.leaderboards.cli.verify:verify",
        "solve": "sweepstakes.cli.solve:solve_position",
        "board": "sweepstakes.cli.board:board",
        "agents": "sweepstakes.cli.agents:agents",
        "boards": "sweepstakes.cli.agents:boards",
        "noise": "sweepstakes.cli.agents:noise",
        "scores": "sweepstakes.cli.agents:scores",
    },
    "Write agents": {
        "new": "sweepstakes.cli.new:new",
        "check": "sweepstakes.tournaments.cli.check:check",
        "plugins": "sweepstakes.cli.plugins:show_plugins",
        "schema": "sweepstakes.tournaments.cli.schema:schema",
        "positions": "sweepstakes.cli.positions:write_positions",
    },
    "Publish": {
        "publish": "sweepstakes.leaderboards.cli.publish:publish",
        "front-page": "sweepstakes.leaderboards.cli.front_page:front_page",
    },
}
"""Every command and where it is defined; importing one imports no other."""

_OUTPUT = (errno.ENOSPC, errno.EDQUOT, errno.EFBIG, errno.EIO, errno.EBADF, errno.EPIPE)
"""Errors of an output stream that can no longer be written to; errors of files have a file name."""


_LONG = re.compile(r"([^\s']{30})[^\s']{30,}([^\s']{30})")
"""A value that is too long to be quoted whole; the two groups are quoted."""


class _Commands(click.Group):
    """A group that imports a command on first use, and lists the commands by purpose."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        """Return all commands, in the order of the help."""
        return [name for commands in COMMANDS.values() for name in commands]

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """Return the command with this name. If it does not exist, raise an error that suggests the nearest one."""
        names = self.list_commands(ctx)
        if cmd_name not in names:
            ctx.fail(f"no such command {brief(cmd_name)}{did_you_mean(cmd_name, names)}")
        (place,) = (commands[cmd_name] for commands in COMMANDS.values() if cmd_name in commands)
        module, _, function = place.partition(":")
        command: click.Command = getattr(importlib.import_module(module), function)
        return _with_log(command)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The commands in groups, each with the first paragraph of its help."""
        width = max(map(len, self.list_commands(ctx)))
        for group, commands in COMMANDS.items():
            with formatter.section(group):
                formatter.write_dl([(name.ljust(width), self._summary(ctx, name)) for name in commands])

    def _summary(self, ctx: click.Context, name: str) -> str:
        command = self.get_command(ctx, name)
        assert command is not None
        assert command.help is not None
        return inspect.cleandoc(command.help).split("\n\n")[0].replace("\n", " ")


def _log_options() -> list[click.Option]:
    lines = "With --log, also log every line exchanged with programs."
    return [
        click.Option(["--log", "log_file"], metavar="FILE", help="Append a log of all processes to FILE."),
        click.Option(["-v", "log_lines"], is_flag=True, help=lines),
    ]


def _with_log(command: click.Command) -> click.Command:
    """Let a command take `--log FILE` and `-v`, which may also come before its name."""
    act = command.callback
    assert act is not None
    if getattr(act, "logs", False):
        return command

    @functools.wraps(act)
    def logged(*words: Any, log_file: str | None, log_lines: bool, **options: Any) -> Any:
        context = click.get_current_context()
        before = context.find_root().params
        name = log_file or before.get("log_file") or os.environ.get("SWEEPSTAKES_LOG")
        verbose = log_lines or bool(before.get("log_lines"))
        if not name:
            if verbose:
                raise click.UsageError("-v needs --log FILE.")
            return act(*words, **options)
        from sweepstakes import logs  # which most commands do not need

        context.with_resource(logs.logging_to(name, verbose=verbose))
        log = logs.logger(__name__)
        log.info("sweepstakes %s started", command.name)
        try:
            result = act(*words, **options)
        except BaseException as error:
            log.info("sweepstakes %s ends: %s: %s", command.name, type(error).__name__, error)
            raise
        log.info("sweepstakes %s ends", command.name)
        return result

    logged.logs = True  # type: ignore[attr-defined]
    command.callback = logged
    command.params = [*command.params, *_log_options()]
    return command


@click.group(
    cls=_Commands,
    params=_log_options(),
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110},
    epilog=f"Exit codes: {', '.join(f'{code} {code.meaning}' for code in ExitCode)}.",
)
@click.version_option(package_name="sweepstakes", prog_name="sweepstakes", message="%(prog)s %(version)s")
def cli(log_file: str | None, log_lines: bool) -> None:
    """Run tournaments for Minesweeper agents. Every agent plays the same seeded boards."""


def main() -> None:
    """The console script: run the command of this process's arguments, and exit."""
    sys.exit(run(sys.argv[1:]))


def run(arguments: Sequence[str]) -> int:
    """Run a command and return its exit code. Bad input prints one line and returns 2."""
    _prepare_streams()
    try:
        code = _exit_code(cli(list(arguments) or ["--help"], prog_name="sweepstakes", standalone_mode=False))
    except SystemExit as left:
        code = _report_plugin(left) or _exit_code(left.code)
    except SweepstakesError as error:
        code = _print_error(str(error), error.exit_code)
    except click.ClickException as error:
        code = _print_error(_LONG.sub(r"\1...\2", error.format_message()))
    except (click.Abort, KeyboardInterrupt):
        code = _print_error("stopped", ExitCode.INTERRUPTED)
    except OSError as error:
        code = _report_os_error(error)
    except MemoryError:
        code = _print_error("not enough memory")
    except Exception as error:
        if os.environ.get("SWEEPSTAKES_DEBUG"):
            raise
        code = _report_plugin(error) or _print_error(
            f"internal error, {type(error).__name__}: {error} (SWEEPSTAKES_DEBUG=1 shows where)", ExitCode.INTERNAL
        )
    return _flush(code)


def _exit_code(result: Any) -> int:
    return result if isinstance(result, int) else ExitCode.SUCCESS if result is None else ExitCode.FAILED


def _print_error(text: str, code: int = ExitCode.INVALID) -> int:
    """Print one line on standard error, if it is open, and return the code."""
    with suppress(OSError):
        click.echo(f"sweepstakes: {clean(text, MAX_MESSAGE_LENGTH)}", err=True)
    return code


def _report_plugin(error: BaseException) -> int:
    """Print an exception that came out of a plugin, and which plugin that is; return 0 if it came from elsewhere."""
    blame = sys.modules.get("sweepstakes.registry.blame")  # otherwise no plugin has been imported
    if blame is None or not blame.plugin_at_fault(error):
        return 0
    return _print_error(blame.describe_failure(error, MAX_MESSAGE_LENGTH))


def _report_os_error(error: OSError) -> int:
    """Print an error of the operating system and what to do about it. A closed pipe is not reported."""
    what = error.strerror or str(error)
    if error.errno in (errno.EMFILE, errno.ENFILE):
        return _print_error("too many open files: allow more with `ulimit -n 1024`, or use fewer --workers")
    if error.filename is not None:
        return _print_error(f"{located(str(error.filename))}: {what}")
    if isinstance(error, BrokenPipeError):
        return ExitCode.FAILED
    if error.errno in _OUTPUT:
        return _print_error(f"cannot write the output: {what}; redirect it to a disk with free space", ExitCode.FAILED)
    return _print_error(f"operating system error: {what}")


def _prepare_streams() -> None:
    """Make the standard streams accept every text.

    A closed stream becomes the null device; characters that the encoding lacks become `?`.
    """
    for name, mode in (("stdin", "r"), ("stdout", "w"), ("stderr", "w")):
        stream = getattr(sys, name)
        if stream is None:
            setattr(sys, name, open(os.devnull, mode, encoding="utf-8"))  # noqa: SIM115, PTH123 - stays open
        elif isinstance(stream, io.TextIOWrapper) and mode == "w":
            stream.reconfigure(errors="replace")


def _flush(code: int) -> int:
    """Flush the standard streams, so that Python does not fail to do so at exit, with a traceback."""
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except OSError as error:
            with suppress(OSError):
                os.dup2(os.open(os.devnull, os.O_WRONLY), stream.fileno())
            code = code or _report_os_error(error)
    return code
