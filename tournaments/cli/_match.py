"""What `sweepstakes match` does."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import Any

import click

from sweepstakes.cli.options import chosen
from sweepstakes.errors import ConfigError, ExitCode
from sweepstakes.executor import Fixture
from sweepstakes.game.setup import EXACT_CLUES
from sweepstakes.spec import Spec
from sweepstakes.standings import FaultLine
from sweepstakes.tournaments.cli._contests import condition_text, executor_of, tournament_of
from sweepstakes.tournaments.cli.contests import Contest
from sweepstakes.tournaments.config.model import EARLIER
from sweepstakes.tournaments.earlier_games import EarlierGames, find_earlier_games
from sweepstakes.tournaments.match import play_match
from sweepstakes.tournaments.match_text import fault_lines, match_lines, progress_line
from sweepstakes.tournaments.plan import SECRET, Condition
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.running.workload import warm_up_for
from sweepstakes.tournaments.statistics.sequential_test import MatchState
from sweepstakes.tournaments.storage.secret_seed import SecretSeed, draw_seed


def match(
    a: str,
    b: str,
    contest: Contest,
    delta: float | None,
    most: int,
    seconds: float,
    directory: Path | None,
    fail_if_worse: bool,
    quiet: bool,
) -> None:
    """Play a match, and print its progress and its verdict."""
    place, earlier = _earlier_games((a, b), directory, contest)
    if earlier is not None:
        condition = earlier.condition
        own: dict[str, Any] = {"boards": str(condition.size), "noise": str(condition.noise), "seed": condition.seed}
        plugins = (*contest.plugins, *earlier.plugins)
        contest = contest._replace(**own, rules=condition.rules, plugins=plugins)
        most = min(most, len(earlier.results))
    agents = _two_agents(a, b) if earlier is None else [(a, b)[1 - place]]
    config = tournament_of(contest, "match", agents, most)
    plan, registry = make_plan(config, None, contest.plugins)
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
    secret = SecretSeed(draw_seed(), revealed=False) if contest.seed == SECRET else None
    if secret is not None:
        plan = plan.with_seed(secret.seed, secret=True)
        if quiet:  # no file has the commitment, so it is always printed before the first game
            click.echo(f"seed {plan.conditions[0].seed_text}", err=True)
    if not quiet:
        click.echo(f"{left} against {right} {condition_text(contest, plan)}", err=True)

    def print_state(state: MatchState) -> None:
        if not quiet:
            click.echo(progress_line(state, left), err=True)

    def show_command(fault: FaultLine) -> str:
        number = fault.game.rpartition("/")[2]
        if earlier is not None and fault.agent == earlier.entry.label:
            return shlex.join(["sweepstakes", "replay", str(earlier.directory), f"{earlier.name}/{number}"])
        agent = a if fault.agent == left else b
        return _watch_command(agent, plan.conditions[0], number, contest)

    state = play_match(plan, registry, executor_of(contest, config, registry), delta, print_state, seconds, known)
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
        click.get_current_context().exit(ExitCode.FAILED)


def _earlier_games(
    agents: tuple[str, str], directory: Path | None, contest: Contest
) -> tuple[int, EarlierGames | None]:
    """Return which of the two agents is an earlier version, and its games, or (0, None) if neither is."""
    stored = [place for place, text in enumerate(agents) if EARLIER.fullmatch(text) and not Path(text).exists()]
    if len(stored) == 2:
        both = " and ".join(agents)
        raise ConfigError(f"{both} are both earlier versions: use `sweepstakes compare RUN {' '.join(agents)}`")
    if stored:
        given = {"boards": contest.boards, "noise": contest.noise, "seed": contest.seed, **contest.rules._asdict()}
        return stored[0], find_earlier_games(agents[stored[0]], directory, chosen(given), contest.plugins)
    if directory is not None:
        raise ConfigError(f"--run {directory}: expected an earlier version, such as NAME@1, as A or B")
    return 0, None


def _two_agents(a: str, b: str) -> list[Any]:
    """Return the agents of the config; B gets another label if it is the same as A."""
    second = Spec.parse(b)
    relabelled = {"agent": b, "as": f"{second.name or Path(second.file).stem}-2"[:40]}
    return [a, b] if _resolved(Spec.parse(a)) != _resolved(second) else [a, relabelled]


def _watch_command(agent: str, condition: Condition, number: str, contest: Contest) -> str:
    """Return the command that plays a game of the match again."""
    words = ["sweepstakes", "watch", agent, "--board", contest.boards, *condition.rules.arguments()]
    words += ["--seed", str(condition.seed), "--number", number]
    words += ["--noise", contest.noise] if condition.noise != EXACT_CLUES else []
    words += ["--isolation", contest.isolation] if contest.isolation is not None else []
    return shlex.join([*words, *(part for file in contest.plugins for part in ("--plugin", file))])


def _resolved(spec: Spec) -> Spec:
    return replace(spec, file=str(Path(spec.file).resolve())) if spec.file else spec
