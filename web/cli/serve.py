"""The command that opens the arena in a browser."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import click

from sweepstakes.cli.options import isolation_option, plugin_option
from sweepstakes.errors import SweepstakesError


@click.command("serve")
@click.argument("run", required=False, metavar="[RUN|PUBLISHED|DIR]", type=click.Path(path_type=Path))
@click.option(
    "--port",
    type=click.IntRange(0, 65535),
    default=8765,
    show_default=True,
    help="Port to listen on. 0 picks a free one.",
)
@click.option("--open/--no-open", "show", default=False, help="Whether to open the page in a browser.")
@click.option("--wait", is_flag=True, help="Wait until the first game of the run has been played.")
@isolation_option
@plugin_option
def serve(isolation: str | None, **options: Any) -> None:
    """Open the arena: play, watch games and read leaderboards in a browser.

    With RUN or PUBLISHED, the arena shows its leaderboard and games. The run may still be in progress: the standings
    update themselves. With DIR, which contains runs or published leaderboards, the arena lists them. Only this machine
    can connect to the server.
    """
    if isolation == "none":
        raise SweepstakesError(
            "--isolation none: the server imports no agents: expected process, sealed or sealed-if-possible"
        )
    try:
        from sweepstakes.web.cli._serve import serve as act
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] not in ("starlette", "uvicorn"):
            raise
        raise SweepstakesError(
            "serve needs the extra `web`: pip install 'sweepstakes[web]', or pip install -e '.[web]' in a clone"
        ) from None
    act(isolation=isolation, **options)
