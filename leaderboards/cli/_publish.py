"""What `sweepstakes publish` does."""

from __future__ import annotations

from pathlib import Path

import click

from sweepstakes.leaderboards.publish import publish as write
from sweepstakes.tournaments.review.run_review import games_to_review, is_reviewed
from sweepstakes.tournaments.running.progress import Progress
from sweepstakes.tournaments.storage.opening import open_reader


def publish(
    directory: str,
    target: str | None,
    site: str | None,
    replays: int,
    engine: bool,
    transcripts: bool,
    keep: int | None,
    sums: bool,
    quiet: bool,
    plugins: tuple[str, ...],
) -> None:
    """Write the page, the website, or both."""
    if target is None and site is None:
        raise click.UsageError("expected --to DIR (a page with its data), --site DIR (a website), or both")
    if (keep is not None or sums) and target is None:
        raise click.UsageError(f"{'--sums' if sums else '--keep-boards'} needs --to DIR")
    if target is not None:
        with open_reader(directory, plugins) as run:
            total = games_to_review(run, len(run.agents)) if is_reviewed(run) else 0
            bar = Progress(total, 0, quiet=quiet or not total)
            try:
                files = write(
                    run, Path(target), keep, lambda step: _show_step(step, quiet=quiet), bar.advance, sums=sums
                )
            finally:
                bar.close()
        click.echo(f"{len(files)} files written to {target}", err=True)
    if site is not None:
        from sweepstakes.web.site.site import write_site

        page = write_site(directory, site, boards=replays, plugins=plugins, with_engine=engine, transcripts=transcripts)
        click.echo(f"written: {page}", err=True)


def _show_step(step: str, *, quiet: bool) -> None:
    """Say what is done next, in a pipe too."""
    if not quiet:
        click.echo(f"{step} ...", err=True)
