"""What `sweepstakes watch` does."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path

import click

from sweepstakes.agent import Agent
from sweepstakes.cli.setups import make_setup, write_svg
from sweepstakes.drawing.svg import Theme
from sweepstakes.errors import SweepstakesError
from sweepstakes.game.playing import play_game
from sweepstakes.game.rules import Rules
from sweepstakes.game.setup import EXACT_CLUES
from sweepstakes.game.size import PRESETS
from sweepstakes.game.transcript import bounded
from sweepstakes.hosting.describing import describer_here
from sweepstakes.hosting.hosted_agent import HostedAgents
from sweepstakes.inference.explaining import explain_game, proven_turns
from sweepstakes.limits import DEFAULT_LIMITS, second_limits
from sweepstakes.registry.registry import Registry
from sweepstakes.resolving import playing_agent
from sweepstakes.review import review_game, why_not_judged
from sweepstakes.spec import Spec
from sweepstakes.tournaments.condition_words import noise_words
from sweepstakes.tournaments.replay.explained import ENGINE_REASONS, NO_EXPLANATION, NOT_REPEATABLE
from sweepstakes.tournaments.replay.replay import Replay
from sweepstakes.tournaments.replay.said import said_by_turn
from sweepstakes.tournaments.replay.terminal import browse, print_log, print_replay
from sweepstakes.tournaments.resolve.machine import isolation_here
from sweepstakes.untrusted.files import write_file
from sweepstakes.untrusted.text import quoted
from sweepstakes.warm_up import warm_up


def watch(
    agent: str,
    what: str,
    seed: int,
    number: int,
    source: str,
    params: tuple[str, ...],
    rules: Rules,
    noise: str,
    plain: bool,
    cells: bool,
    delay: float,
    svg_file: str | None,
    turn: int | None,
    gif_file: str | None,
    theme: Theme,
    isolation: str | None,
    plugins: tuple[str, ...],
) -> None:
    """Play one game, and show or draw it."""
    describer = describer_here(isolation_here(isolation or "process"))
    registry = Registry(plugins, import_agents=isolation == "none", describer=describer)
    registry.check()
    spec = Spec.parse(agent)
    name = str((registry.spec("agent", spec) if not spec.words else spec).portable)
    setup = make_setup(what, source, params, seed, number)._replace(rules=rules, noise=Spec.parse(noise))
    setup.check(registry)
    warm_up()
    limits = DEFAULT_LIMITS
    texts: Sequence[str] = ()
    with playing_agent(registry, spec, limits, isolation_here(isolation or "process")) as factory:
        made: list[Agent] = []

        def make() -> Agent:
            made.append(factory())
            return made[-1]

        played = play_game(setup.game(registry, name), make, keep_turns=True)
        turns, note = played.turns or [], ""
        output = factory.output if isinstance(factory, HostedAgents) else ""
        repeatable = spec.words or registry.the_named("agent", spec).repeatable
        if not repeatable and made:
            texts = bounded(made[0].transcript)
        explained = None
        if repeatable:
            explained = explain_game(setup.game(registry, name), factory, turns, second_limits(limits))
    if explained is None:
        explained = proven_turns(setup.game(registry, name), turns)
        note = f"{ENGINE_REASONS}: agent '{name}' {NO_EXPLANATION if repeatable else NOT_REPEATABLE}"
    title = f"{name} on {what.capitalize() if what in PRESETS else what}, {rules.words}"
    if setup.noise != EXACT_CLUES:
        title += f", {noise_words([setup.noise])}"
    title += f", seed {seed}, board {number}"
    replay = Replay.of(setup.game(registry, name), explained, played.result, title, note).with_false_proofs()
    if any(texts):
        game = setup.game(registry, name)
        review = None if why_not_judged(game.board_ref) else review_game(game, turns)
        replay = replay._replace(said=said_by_turn(texts, review))
    drawn = draw(replay, svg_file, turn, gif_file, theme, delay)
    if cells:
        print_log(replay, click.echo)
    elif not drawn:
        present(replay, plain, delay)
    if output:
        click.echo(f"\nagent '{name}' wrote:\n{quoted(output)}", err=True)


def draw(
    replay: Replay, svg_file: str | None, turn: int | None, gif_file: str | None, theme: Theme, delay: float
) -> bool:
    """Write the requested pictures. Return whether there were any."""
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
    """Show a replay in the terminal, or as plain lines if the input or the output is not a terminal."""
    if plain or not (sys.stdin.isatty() and sys.stdout.isatty()):
        print_replay(replay, click.echo)
    else:
        browse(replay, delay)
