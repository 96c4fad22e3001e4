"""The command line, put together from the rooms by name, so that asking for help imports nothing heavy."""

from __future__ import annotations

import importlib
import os
import sys

import click

from sweepstakes.errors import SweepstakesError, did_you_mean

_ROOMS = (
    "sweepstakes.commands",
    "sweepstakes.tournaments.commands",
    "sweepstakes.leaderboards.commands",
    "sweepstakes.web.commands",
)


class _Rooms(click.Group):
    """A group that takes its commands from each room's `commands.py`."""

    def _commands(self) -> dict[str, click.Command]:
        found: list[click.Command] = []
        for room in _ROOMS:
            found += importlib.import_module(room).COMMANDS
        return {command.name: command for command in found if command.name}

    def list_commands(self, ctx: click.Context) -> list[str]:
        """All commands, in the order in which a newcomer needs them."""
        return list(self._commands())

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """A command, or an error that names the nearest one."""
        commands = self._commands()
        if cmd_name not in commands:
            ctx.fail(f"no command '{cmd_name}'{did_you_mean(cmd_name, commands)}")
        return commands[cmd_name]


@click.group(cls=_Rooms, context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 110})
@click.version_option(package_name="sweepstakes", prog_name="sweepstakes", message="%(prog)s %(version)s")
def cli() -> None:
    """Tournaments for Minesweeper agents, on the same seeded boards for everyone."""


def main() -> None:
    """Run the command line: bad input is answered by one line and exit code 2."""
    try:
        sys.exit(cli(sys.argv[1:] or ["--help"], prog_name="sweepstakes", standalone_mode=False))
    except SweepstakesError as error:
        click.echo(f"sweepstakes: {error}", err=True)
        sys.exit(2)
    except click.ClickException as error:
        click.echo(f"sweepstakes: {error.format_message()}", err=True)
        sys.exit(2)
    except (click.Abort, KeyboardInterrupt):
        click.echo("\nsweepstakes: stopped", err=True)
        sys.exit(130)
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        sys.exit(1)
    except OSError as error:
        if os.environ.get("SWEEPSTAKES_DEBUG"):
            raise
        from sweepstakes.disk import in_words

        click.echo(f"sweepstakes: {in_words(error, error.filename or '')}", err=True)
        sys.exit(2)
    except Exception as error:
        if os.environ.get("SWEEPSTAKES_DEBUG"):
            raise
        click.echo(
            f"sweepstakes: internal error, {type(error).__name__}: {error} (SWEEPSTAKES_DEBUG=1 shows where)",
            err=True,
        )
        sys.exit(70)
