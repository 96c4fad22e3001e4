"""What `sweepstakes match` does."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import click
from click.core import ParameterSource

from sweepstakes.errors import ConfigError
from sweepstakes.executor import Fixture
from sweepstakes.game.setup import EXACT_CLUES
from sweepstakes.spec import Spec
from sweepstakes.standings import FaultLine
from sweepstakes.tournaments.config.loading import parse
from sweepstakes.tournaments.config.model import EARLIER, Tournament
from sweepstakes.tournaments.earlier_games import EarlierGames, find_earlier_games
from sweepstakes.tournaments.match import play_match
from sweepstakes.tournaments.match_text import fault_lines, match_lines, progress_line
from sweepstakes.tournaments.plan import SECRET, Condition, describe_rules
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.running.executors import pick_executor
from sweepstakes.tournaments.running.workload import warm_up_for
from sweepstakes.tournaments.statistics.sequential_test import MatchState
from sweepstakes.tournaments.storage.secret_seed import SecretSeed, draw_seed


def match(
    a: str,
    b: str,
    boards: str,
    on_mine: str,
    first_click: str,
    noise: str,
    score: str | None,
    delta: float | None,
    most: int,
    seconds: float,
    seed: int | str,
    directory: Path | None,
    workers: int | None,
    executor: str | None,
    isolation: str | None,
    start_method: str | None,
    plugins: tuple[str, ...],
    fail_if_worse: bool,
    quiet: bool,
) -> None:
    """Play a match, and print its progress and its verdict."""
    rules = {"on_mine": on_mine, "first_click": first_click}
    given: dict[str, Any] = {"boards": boards, **rules, "noise": noise, "seed": seed}
    place, earlier = _earlier_games((a, b), directory, given, plugins)
    if earlier is not None:
        condition = earlier.condition
        rules = {"on_mine": condition.rules.on_mine, "first_click": condition.rules.first_click}
        given = {"boards": str(condition.size), **rules, "noise": str(condition.noise), "seed": condition.seed}
        plugins = (*plugins, *earlier.plugins)
        most = min(most, len(earlier.results))
    agents = _two_agents(a, b) if earlier is None else [(a, b)[1 - place]]
    config = _config(agents, most, score, given, executor=executor, isolation=isolation)
    plan, registry = make_plan(config, None, plugins)
    if len(plan.entries) != len(agents):
        raise ConfigError(f"a match is between two agents, but A and B are {', '.join(e.label for e in plan.entries)}")
    warm_up_for(plan, registry, quiet=quiet)
    known = {}
    if earlier is not None:
        entries = (*plan.entries[:place], earlier.entry, *plan.entries[place:])
        plan = plan._replace(entries=entries, conditions=(earlier.condition,))
        known = {Fixture(place, 0, number): result for number, result in enumerate(earlier.results[:most])}
        if not quiet:
            other = f"; --boards, --on-mine, ... choose {earlier.others} other conditions" if earlier.others else ""
            click.echo(f"{earlier.entry.label}: {len(known):,} games of {earlier.directory}{other}", err=True)
    left, right = (entry.label for entry in plan.entries)
    secret = SecretSeed(draw_seed(), revealed=False) if given["seed"] == SECRET else None
    if secret is not None:
        plan = plan.with_seed(secret.seed, secret=True)
        if quiet:  # no file has the commitment, so it is always printed before the first game
            click.echo(f"seed {plan.conditions[0].seed_text}", err=True)
    if not quiet:
        game = f"on {given['boards']}, {describe_rules(plan.conditions)}; score {plan.scores[0]}"
        click.echo(f"{left} against {right} {game}", err=True)

    def print_state(state: MatchState) -> None:
        if not quiet:
            click.echo(progress_line(state, left), err=True)

    def show_command(fault: FaultLine) -> str:
        number = fault.game.rpartition("/")[2]
        if earlier is not None and fault.agent == earlier.entry.label:
            return shlex.join(["sweepstakes", "replay", str(earlier.directory), f"{earlier.name}/{number}"])
        agent = a if fault.agent == left else b
        return _watch_command(agent, plan.conditions[0], number, given, isolation, plugins)

    match_executor = pick_executor(registry, Spec.of(config.executor), workers, start_method)
    state = play_match(plan, registry, match_executor, delta, print_state, seconds, known)
    for line in match_lines(state, left, right, plan.scores[0], registry.make("score", plan.scores[0])):
        click.echo(line)
    if earlier is not None and not state.verdict.final and most == len(earlier.results):
        click.echo(f"{earlier.entry.label} has no games on further boards")
    for line in fault_lines(state.faults, show_command):
        click.echo(line)
    if secret is not None:
        click.echo(f"the seed was {secret.seed}; the SHA-256 of its decimal text is {secret.sha256}")
    worse = state.is_loss or any(fault.agent == left for fault in state.faults)
    if worse if fail_if_worse else state.broken:
        click.get_current_context().exit(1)


def _earlier_games(
    agents: tuple[str, str], directory: Path | None, given: dict[str, Any], plugins: tuple[str, ...]
) -> tuple[int, EarlierGames | None]:
    """Return which of the two agents is an earlier version, and its games, or (0, None) if neither is."""
    stored = [place for place, text in enumerate(agents) if EARLIER.fullmatch(text) and not Path(text).exists()]
    if len(stored) == 2:
        both = " and ".join(agents)
        raise ConfigError(f"{both} are both earlier versions: use `sweepstakes compare RUN {' '.join(agents)}`")
    if stored:
        source = click.get_current_context().get_parameter_source
        asked = {name: value for name, value in given.items() if source(name) is not ParameterSource.DEFAULT}
        return stored[0], find_earlier_games(agents[stored[0]], directory, asked, plugins)
    if directory is not None:
        raise ConfigError(f"--run {directory}: expected an earlier version, such as NAME@1, as A or B")
    return 0, None


def _two_agents(a: str, b: str) -> list[Any]:
    """The agents of the config; B gets another label if it is the same as A."""
    second = Spec.parse(b)
    relabelled = {"agent": b, "as": f"{second.name or Path(second.file).stem}-2"[:40]}
    return [a, b] if _resolved(Spec.parse(a)) != _resolved(second) else [a, relabelled]


def _config(
    agents: list[Any], most: int, score: str | None, given: dict[str, Any], **changes: str | None
) -> Tournament:
    """The match as a tournament of one condition."""
    rules = {"on_mine": given["on_mine"], "first_click": given["first_click"]}
    config = {"name": "match", "seed": given["seed"], "games": most, "boards": given["boards"], "rules": rules}
    config |= {"noise": given["noise"], "agents": agents, "scores": score or [], "moves": "none"}
    return parse(config | {key: value for key, value in changes.items() if value is not None})


def _watch_command(
    agent: str,
    condition: Condition,
    number: str,
    given: dict[str, Any],
    isolation: str | None,
    plugins: tuple[str, ...],
) -> str:
    """The command that plays a game of the match again."""
    rules = condition.rules
    words = ["sweepstakes", "watch", agent, "--board", given["boards"], "--on-mine", rules.on_mine]
    words += ["--first-click", rules.first_click, "--seed", str(condition.seed), "--number", number]
    words += ["--noise", given["noise"]] if condition.noise != EXACT_CLUES else []
    words += ["--start", f"{rules.start.row},{rules.start.col}"] if rules.start is not None else []
    words += ["--no-flood"] if not rules.flood else []
    words += ["--isolation", isolation] if isolation is not None else []
    return shlex.join([*words, *(part for file in plugins for part in ("--plugin", file))])


def _resolved(spec: Spec) -> Spec:
    return replace(spec, file=str(Path(spec.file).resolve())) if spec.file else spec
