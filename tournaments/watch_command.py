"""`sweepstakes watch`: see an agent play one game, and why it does what it does."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from sweepstakes.errors import PluginError, located
from sweepstakes.options import (
    Decimal,
    first_click_option,
    make_deal,
    number_option,
    parse_cell,
    plugin_option,
    seed_option,
    source_options,
    start_option,
)

if TYPE_CHECKING:
    from sweepstakes.agent import Agent
    from sweepstakes.registry import Registry
    from sweepstakes.tournaments.film import Film

plain_option = click.option("--plain", is_flag=True, help="Plain lines, as when the output is not a terminal.")
delay_option = click.option(
    "--delay", type=Decimal(0.01, 3600), default=0.5, show_default=True, help="Seconds between turns while playing."
)


@click.command("watch")
@click.argument("agent", metavar="AGENT")
@click.option("--board", "what", default="beginner", show_default=True, metavar="SIZE|FILE", help="Which board.")
@seed_option
@number_option
@source_options
@click.option("--on-mine", type=click.Choice(["continue", "end"]), default="continue", show_default=True)
@first_click_option("any")
@start_option
@click.option("--noise", default="exact-clues", show_default=True, help="As in hidden(rate=0.25).")
@plain_option
@delay_option
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
    plain: bool,
    delay: float,
    plugins: tuple[str, ...],
) -> None:
    """Watch an agent (a name, a name with parameters as in 'chain(window=6)', or a file) play one game."""
    from sweepstakes import executor
    from sweepstakes.explaining import explain_game, proven_turns, second_limits
    from sweepstakes.game import Game
    from sweepstakes.play import play_game
    from sweepstakes.registry import Registry
    from sweepstakes.rules import Rules
    from sweepstakes.tournaments import config
    from sweepstakes.tournaments.explained import NOTHING, OTHERWISE
    from sweepstakes.tournaments.film import film
    from sweepstakes.warm_up import warm_up

    registry = Registry(plugins)
    registry.check()
    name, factory = find_agent(registry, agent)
    deal = make_deal(registry, what, source, params, seed, number)
    rules = Rules(on_mine, first_click, parse_cell(start, "--start") if start is not None else None)  # type: ignore[arg-type]  # click has checked the words
    rules.check(deal.size)
    deal.source.check(deal.size, number + 1, rules)
    model = registry.noise(noise)
    warm_up()
    played = play_game(Game(deal, rules, model, name), factory, keep_turns=True)
    turns, limits = played.turns or [], second_limits(executor.Limits(**config.Limits().model_dump()))
    told, note = explain_game(Game(deal, rules, model, name), factory, turns, limits), ""
    if told is None:
        told = proven_turns(Game(deal, rules, model, name), turns)
        note = f"{OTHERWISE}: agent '{name}' did not explain itself ({NOTHING})"
    title = f"{name} on {what}, seed {seed}, board {number}, {rules}"
    if not model.exact:
        title += f", {model.name}"
    present(film(title, Game(deal, rules, model, name), told, played.result, note), plain, delay)


def find_agent(registry: Registry, text: str) -> tuple[str, Callable[[], Agent]]:
    """An agent's label and its factory, from a name with parameters or a file that offers one agent."""
    from sweepstakes.parameters import label, parse_call

    if text.endswith(".py"):
        plugin = registry.add_file(text)
        if plugin.error:
            raise PluginError(f"{located(text)}: {plugin.error}")
        names = plugin.offers.get("agent", [])
        if len(names) != 1:
            offered = ", ".join(names) or "no agent"
            raise PluginError(f"{text} offers {offered}: expected one; name another with --plugin {text}")
        return names[0], registry.agent(names[0], {})
    name, given = parse_call(text)
    return label(name, given), registry.agent(name, given)


def present(shown: Film, plain: bool, delay: float) -> None:
    """On the screen, or in lines where there is none."""
    from sweepstakes.tournaments.screen import play_by_play, show

    if plain or not (sys.stdin.isatty() and sys.stdout.isatty()):
        play_by_play(shown, click.echo)
    else:
        show(shown, delay)
