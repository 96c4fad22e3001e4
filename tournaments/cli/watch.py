"""`sweepstakes watch`: an agent plays one game, shown turn by turn with its reasons."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING

import click

from sweepstakes.cli.options import (
    Decimal,
    F,
    first_click_option,
    isolation_option,
    make_setup,
    noise_option,
    number_option,
    on_mine_option,
    parse_cell,
    plugin_option,
    seed_option,
    source_options,
    start_option,
    svg_option,
    theme_option,
    write_svg,
)
from sweepstakes.errors import SweepstakesError
from sweepstakes.untrusted.files import write_file

if TYPE_CHECKING:
    from sweepstakes.drawing.svg import Theme
    from sweepstakes.tournaments.replay.replay import Replay

plain_option = click.option("--plain", is_flag=True, help="Print plain lines, as when the output is not a terminal.")
delay_option = click.option(
    "--delay", type=Decimal(0.01, 3600), default=0.5, show_default=True, help="Seconds between turns while playing."
)

_FILE = click.Path()


def picture_options(command: F) -> F:
    """`--svg FILE`, `--turn N`, `--gif FILE` and `--theme`."""
    gif = click.option("--gif", "gif_file", type=_FILE, metavar="FILE", help="Draw all turns, as an animated GIF.")
    turn = click.option(
        "--turn", type=click.IntRange(0), metavar="N", help="The turn that --svg draws; default: the end."
    )
    return svg_option(turn(gif(theme_option(command))))


@click.command("watch")
@click.argument("agent", metavar="AGENT")
@click.option(
    "--board",
    "what",
    default="beginner",
    show_default=True,
    metavar="SIZE|FILE|URL",
    help="The size of the board, or a file or an address with a board.",
)
@seed_option
@number_option
@source_options
@on_mine_option("continue")
@first_click_option("any")
@start_option
@noise_option
@click.option("--no-flood", is_flag=True, help="Opening a cell with clue 0 does not open its neighbours.")
@plain_option
@delay_option
@picture_options
@isolation_option
@plugin_option
def watch(
    agent: str,
    what: str,
    seed: int,
    number: int,
    source: str,
    params: tuple[str, ...],
    on_mine: str,
    first_click: str,
    start: str | None,
    noise: str,
    no_flood: bool,
    plain: bool,
    delay: float,
    svg_file: str | None,
    turn: int | None,
    gif_file: str | None,
    theme: Theme,
    isolation: str | None,
    plugins: tuple[str, ...],
) -> None:
    """Watch an agent (a name or a file, with parameters as in 'chain(window=6)') play one game."""
    from sweepstakes.compiling.warm_up import warm_up
    from sweepstakes.game.playing import play_game
    from sweepstakes.game.rules import Rules
    from sweepstakes.game.setup import EXACT_CLUES
    from sweepstakes.hosting.describing import limits_here
    from sweepstakes.hosting.hosted_agent import HostedAgents, playing_agent
    from sweepstakes.inference.explaining import explain_game, proven_turns
    from sweepstakes.limits import DEFAULT_LIMITS, second_limits
    from sweepstakes.registry.registry import Registry
    from sweepstakes.spec import Spec
    from sweepstakes.tournaments.planning import isolation_here
    from sweepstakes.tournaments.replay.explained import ENGINE_REASONS, NO_EXPLANATION
    from sweepstakes.tournaments.replay.replay import Replay
    from sweepstakes.untrusted.text import quoted

    describing = limits_here(isolation_here(isolation or "process"))
    registry = Registry(plugins, import_agents=isolation == "none", describing=describing)
    registry.check()
    spec = Spec.parse(agent)
    name = str((registry.spec("agent", spec) if not spec.words else spec).portable)
    cell = parse_cell(start, "--start") if start is not None else None
    rules = Rules(on_mine, first_click, cell, not no_flood)  # type: ignore[arg-type]  # click has checked the words
    setup = make_setup(what, source, params, seed, number)._replace(rules=rules, noise=Spec.parse(noise))
    setup.check(registry)
    warm_up()
    limits = DEFAULT_LIMITS
    with playing_agent(registry, spec, limits, isolation_here(isolation or "process")) as factory:
        played = play_game(setup.game(registry, name), factory, keep_turns=True)
        turns, note = played.turns or [], ""
        output = factory.output if isinstance(factory, HostedAgents) else ""
        explained = explain_game(setup.game(registry, name), factory, turns, second_limits(limits))
    if explained is None:
        explained = proven_turns(setup.game(registry, name), turns)
        note = f"{ENGINE_REASONS}: agent '{name}' did not explain itself ({NO_EXPLANATION})"
    title = f"{name} on {what}, seed {seed}, board {number}, {rules.words}"
    if setup.noise != EXACT_CLUES:
        title += f", {setup.noise}"
    replay = Replay.of(setup.game(registry, name), explained, played.result, title, note).with_false_proofs()
    if not draw(replay, svg_file, turn, gif_file, theme, delay):
        present(replay, plain, delay)
    if output:
        click.echo(f"\nagent '{name}' wrote:\n{quoted(output)}", err=True)


def draw(
    replay: Replay, svg_file: str | None, turn: int | None, gif_file: str | None, theme: Theme, delay: float
) -> bool:
    """Write the pictures that were asked for; whether there were any."""
    if svg_file is None and gif_file is None:
        return False
    if turn is not None and turn >= len(replay.frames):
        raise SweepstakesError(f"--turn {turn}: the game has {len(replay.frames) - 1} turns")
    if svg_file is not None:
        write_svg(svg_file, replay if turn is None else replay.frames[turn], theme=theme)
    if gif_file is not None:
        data = replay.gif(theme="light" if theme == "auto" else theme, seconds=delay)
        write_file(Path(gif_file), data, SweepstakesError)
        click.echo(f"{len(replay.frames)} pictures written to {gif_file}", err=True)
    return True


def present(replay: Replay, plain: bool, delay: float) -> None:
    """Show a replay in the terminal; as plain lines if the input or the output is not a terminal."""
    from sweepstakes.tournaments.replay.terminal import browse, print_replay

    if plain or not (sys.stdin.isatty() and sys.stdout.isatty()):
        print_replay(replay, click.echo)
    else:
        browse(replay, delay)
