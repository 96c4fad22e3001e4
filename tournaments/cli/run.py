"""The commands that play: run, match, schema."""

from __future__ import annotations

import json
import shlex
import sys
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from sweepstakes.errors import ConfigError
from sweepstakes.cli.options import SEED, Decimal, plugin_option
from sweepstakes.tournaments.cli.replay import replay
from sweepstakes.tournaments.cli.verify import verify
from sweepstakes.tournaments.cli.watch import watch

if TYPE_CHECKING:
    from sweepstakes.registry.spec import Spec

executor_option = click.option(
    "--executor", metavar="SPEC", help="How games get played: local, serial, or a plugin's; instead of the file's."
)


@click.command("run")
@click.argument("tournament", metavar="FILE|PRESET")
@click.option("--out", metavar="DIR", help="Run directory; by default runs/<name>. A run that is there goes on.")
@click.option("--workers", type=click.IntRange(1, 256), metavar="N", help="Processes; by default one for each core.")
@plugin_option
@click.option("--agent", "agents", multiple=True, metavar="SPEC", help="Add an agent: basic, chain(window=6), FILE.py.")
@executor_option
@click.option(
    "--games",
    type=click.IntRange(1, 10_000_000),
    metavar="N",
    help="Boards for each condition, instead of the file's.",
)
@click.option("--seed", type=SEED, metavar="N", help="Seed, instead of the file's.")
@click.option("--from", "start", metavar="DIR", help="Take over the games of another run or a published leaderboard.")
@click.option("--dry-run", is_flag=True, help="Say what would be played, and play nothing.")
@click.option("--quiet", is_flag=True, help="No progress, only the table.")
def run(
    tournament: str,
    out: str | None,
    workers: int | None,
    plugins: tuple[str, ...],
    agents: tuple[str, ...],
    executor: str | None,
    games: int | None,
    seed: int | None,
    start: str | None,
    dry_run: bool,
    quiet: bool,
) -> None:
    """Play a tournament and print its leaderboard."""
    from sweepstakes.tournaments.config.model import load
    from sweepstakes.tournaments.plan import make_plan
    from sweepstakes.tournaments.running.runner import play_plan

    options = {"games": games, "seed": seed, "executor": executor}
    changes: dict[str, Any] = {key: value for key, value in options.items() if value is not None}
    config, file = load(tournament, changes, agents)
    plan, registry = make_plan(config, file, plugins)
    for plugin in registry.plugins:
        if plugin.error and not quiet:
            click.echo(f"sweepstakes: plugin {plugin.name} is left out: {plugin.error}", err=True)
    directory = Path(out) if out is not None else Path("runs") / config.name
    if dry_run:
        for condition in plan.conditions:
            click.echo(f"{condition.label}: {condition.size}, {condition.rules}, {condition.noise.portable}")
        click.echo(f"agents: {', '.join(entry.label for entry in plan.entries)}")
        click.echo(
            f"{len(plan.entries)} agents x {len(plan.conditions)} conditions x {config.games:,} boards "
            f"= {plan.games:,} games, into {directory}"
        )
        return
    try:
        standings = play_plan(
            plan, registry, directory, workers=workers, quiet=quiet, start=Path(start) if start else None
        )
    except KeyboardInterrupt:
        click.echo(f"\nstopped; to go on: {shlex.join(['sweepstakes', *sys.argv[1:]])}", err=True)
        sys.exit(130)
    click.echo(registry.make("report", "markdown").text(standings), nl=False)
    if not quiet:
        click.echo(f"\nwritten to {directory}", err=True)


@click.command("match")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option(
    "--boards", default="intermediate", show_default=True, metavar="SIZE", help="Which boards, as in 16x30/99."
)
@click.option("--on-mine", type=click.Choice(["continue", "end"]), default="continue", show_default=True)
@click.option("--first-click", type=click.Choice(["any", "safe", "opening"]), default="any", show_default=True)
@click.option("--noise", default="exact-clues", show_default=True, metavar="SPEC", help="As in hidden(rate=0.25).")
@click.option("--score", help="What counts; by default identified, or win when a mine ends the game.")
@click.option("--delta", type=Decimal(1e-6, 1e6), default=0.02, show_default=True, help="A lead worth knowing.")
@click.option(
    "--max", "most", type=click.IntRange(1, 10_000_000), default=30_000, show_default=True, help="Most boards."
)
@click.option("--seconds", type=Decimal(1, 1_000_000), default=45, show_default=True, help="Most time to play.")
@click.option("--seed", type=SEED, default=0, show_default=True)
@click.option("--workers", type=click.IntRange(1, 256), metavar="N", help="Processes; by default one for each core.")
@executor_option
@plugin_option
@click.option("--quiet", is_flag=True, help="Only the verdict.")
def match(
    a: str,
    b: str,
    boards: str,
    on_mine: str,
    first_click: str,
    noise: str,
    score: str | None,
    delta: float,
    most: int,
    seconds: float,
    seed: int,
    workers: int | None,
    executor: str | None,
    plugins: tuple[str, ...],
    quiet: bool,
) -> None:
    """Play A against B on the same boards until it is clear who is better.

    Each is a name or a file, with parameters as in 'chain(window=6)'.
    """
    from sweepstakes.registry.spec import Spec
    from sweepstakes.tournaments.config.model import parse
    from sweepstakes.tournaments.match import play_match
    from sweepstakes.tournaments.plan import make_plan
    from sweepstakes.tournaments.running.runner import pick_executor, warm_up_for
    from sweepstakes.tournaments.statistics.sequential_test import MatchState

    second = Spec.parse(b)
    again = {"agent": b, "as": f"{second.name or Path(second.file).stem}-2"[:40]}
    config = parse(
        {
            "name": "match",
            "seed": seed,
            "games": most,
            "boards": boards,
            "rules": {"on_mine": on_mine, "first_click": first_click},
            "noise": noise,
            "agents": [a, b] if _resolved(Spec.parse(a)) != _resolved(second) else [a, again],
            "scores": score or [],
            "moves": "none",
            **({"executor": executor} if executor is not None else {}),
        }
    )
    plan, registry = make_plan(config, None, plugins)
    if len(plan.entries) != 2:
        raise ConfigError(f"a match is between two agents, these are {', '.join(e.label for e in plan.entries)}")
    left, right = (entry.label for entry in plan.entries)

    def tell(state: MatchState) -> None:
        if not quiet:
            mean, low, high = state.difference
            line = f"{state.boards:>7,} boards: {left} - {right} = {mean:+.4f} ({low:+.4f} to {high:+.4f})"
            click.echo(f"{line}, LLR {state.llr:+.2f} / {state.mirrored_llr:+.2f}", err=True)

    warm_up_for(plan, registry, quiet=quiet)
    player = pick_executor(registry, Spec.of(config.executor), workers)
    state = play_match(plan, registry, player, delta, tell, seconds)
    mean, low, high = state.difference
    click.echo(state.sentence(left, right, delta))
    click.echo(f"{plan.scores[0]}: {left} - {right} = {mean:+.4f} (95 % interval {low:+.4f} to {high:+.4f})")


def _resolved(spec: Spec) -> Spec:
    return replace(spec, file=str(Path(spec.file).resolve())) if spec.file else spec


@click.command("schema")
def schema() -> None:
    """Print the JSON Schema of tournament files, for editors."""
    from sweepstakes.tournaments.config.json_schema import json_schema

    click.echo(json.dumps(json_schema(), indent=1))


COMMANDS = [run, match, watch, replay, verify, schema]
