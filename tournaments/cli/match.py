"""`sweepstakes match`: two agents play the same boards until a sequential test ends."""

from __future__ import annotations

import shlex
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from sweepstakes.cli.options import (
    Decimal,
    executor_option,
    isolation_option,
    noise_option,
    on_mine_option,
    parse_seed_or_secret,
    plugin_option,
    start_method_option,
    workers_option,
)
from sweepstakes.errors import ConfigError
from sweepstakes.hosting.early_process import end_early, start_early

if TYPE_CHECKING:
    from sweepstakes.spec import Spec
    from sweepstakes.standings import FaultLine


@click.command("match")
@click.argument("a", metavar="A")
@click.argument("b", metavar="B")
@click.option(
    "--boards",
    default="intermediate",
    show_default=True,
    metavar="SIZE",
    help="The size of the boards, as in 16x30/99.",
)
@on_mine_option("end")
@click.option(
    "--first-click",
    type=click.Choice(["any", "safe", "opening"]),
    default="safe",
    show_default=True,
    help="Whether the first cell may be a mine (any), is safe, or has no mine around it (opening).",
)
@noise_option
@click.option("--score", help="The score to compare; by default win, or identified if the game continues.")
@click.option(
    "--delta",
    type=Decimal(1e-6, 1e6),
    help="The lead that the test looks for; by default 0.02 of a share, or a tenth of the standard deviation.",
)
@click.option(
    "--max",
    "most",
    type=click.IntRange(1, 10_000_000),
    default=30_000,
    show_default=True,
    help="The maximum number of boards.",
)
@click.option(
    "--seconds",
    type=Decimal(1, 1_000_000),
    default=45,
    show_default=True,
    help="The maximum time of the match in seconds.",
)
@click.option(
    "--seed",
    type=parse_seed_or_secret,
    default=0,
    show_default=True,
    metavar="N|secret",
    help="The seed of the boards; secret draws one that is printed after the match.",
)
@click.option(
    "--run",
    "directory",
    metavar="DIR",
    type=click.Path(path_type=Path),
    help="The run with the games of an earlier version, as NAME@2; by default the only one in runs/ that has them.",
)
@workers_option
@executor_option
@isolation_option
@start_method_option
@plugin_option
@click.option("--quiet", is_flag=True, help="Print only the verdict, no progress.")
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
    quiet: bool,
) -> None:
    """Play agent A against agent B on the same boards until a test decides which is better.

    A and B are names or files, with or without parameters, as in 'chain(window=6)'. The boards are those of the classic
    game unless you say otherwise: the first click is safe, a mine ends the game, and wins count.

    One of them may be an earlier version of an agent, as in 'match luna.py luna@2'. A run keeps the games of earlier
    versions, so the other agent plays the boards of that run, under its rules: those of its first condition, unless
    --boards, --on-mine, --first-click, --noise or --seed choose another.

    Of two equal agents A is named better in at most 5 % and B in at most 1 % of all matches. For scores without luck
    (win-adjusted) this is asymptotic: it holds approximately. By other scores without bounds no winner is named.

    Games lost by faults are listed. If an agent finishes no game, the match stops and the exit code is 1.
    """
    if executor is None and start_method is None:
        start_early("sweepstakes.plugins.executors.local.forkserver")
        click.get_current_context().call_on_close(end_early)
    from sweepstakes.executor import Fixture
    from sweepstakes.game.setup import EXACT_CLUES
    from sweepstakes.spec import Spec
    from sweepstakes.tournaments.config.loading import parse
    from sweepstakes.tournaments.config.model import EARLIER
    from sweepstakes.tournaments.earlier_games import find_earlier_games
    from sweepstakes.tournaments.match import play_match
    from sweepstakes.tournaments.match_text import fault_lines, match_lines, progress_line
    from sweepstakes.tournaments.plan import SECRET, describe_rules
    from sweepstakes.tournaments.planning import make_plan
    from sweepstakes.tournaments.running.runner import pick_executor, warm_up_for
    from sweepstakes.tournaments.statistics.sequential_test import MatchState
    from sweepstakes.tournaments.storage.secret_seed import SecretSeed, draw_seed

    stored = [place for place, text in enumerate((a, b)) if EARLIER.fullmatch(text) and not Path(text).exists()]
    if len(stored) == 2:
        raise ConfigError(f"{a} and {b} are both earlier versions: use `sweepstakes compare RUN {a} {b}`")
    earlier = None
    if stored:
        options = {"boards": boards, "on_mine": on_mine, "first_click": first_click, "noise": noise, "seed": seed}
        source = click.get_current_context().get_parameter_source
        asked = {name: value for name, value in options.items() if source(name) is not ParameterSource.DEFAULT}
        earlier = find_earlier_games((a, b)[stored[0]], directory, asked, plugins)
        condition = earlier.condition
        boards, on_mine, first_click = str(condition.size), condition.rules.on_mine, condition.rules.first_click
        noise, seed, plugins = str(condition.noise), condition.seed, (*plugins, *earlier.plugins)
        most = min(most, len(earlier.results))
    elif directory is not None:
        raise ConfigError(f"--run {directory}: expected an earlier version, such as NAME@1, as A or B")
    if earlier is None:
        second = Spec.parse(b)
        relabelled = {"agent": b, "as": f"{second.name or Path(second.file).stem}-2"[:40]}
        agents = [a, b] if _resolved(Spec.parse(a)) != _resolved(second) else [a, relabelled]
    else:
        agents = [(a, b)[1 - stored[0]]]
    config = parse(
        {
            "name": "match",
            "seed": seed,
            "games": most,
            "boards": boards,
            "rules": {"on_mine": on_mine, "first_click": first_click},
            "noise": noise,
            "agents": agents,
            "scores": score or [],
            "moves": "none",
            **({"executor": executor} if executor is not None else {}),
            **({"isolation": isolation} if isolation is not None else {}),
        }
    )
    plan, registry = make_plan(config, None, plugins)
    if len(plan.entries) != len(agents):
        raise ConfigError(f"a match is between two agents, but A and B are {', '.join(e.label for e in plan.entries)}")
    known = {}
    warm_up_for(plan, registry, quiet=quiet)
    if earlier is not None:
        entries = (earlier.entry, *plan.entries) if stored == [0] else (*plan.entries, earlier.entry)
        plan = plan._replace(entries=entries, conditions=(earlier.condition,))
        known = {Fixture(stored[0], 0, number): result for number, result in enumerate(earlier.results[:most])}
        if not quiet:
            where = f"{earlier.entry.label}: {len(known):,} games of {earlier.directory}"
            other = f"; --boards, --on-mine, ... choose {earlier.others} other conditions" if earlier.others else ""
            click.echo(where + other, err=True)
    left, right = (entry.label for entry in plan.entries)
    secret = SecretSeed(draw_seed(), revealed=False) if seed == SECRET else None
    if secret is not None:
        plan = plan.with_seed(secret.seed, secret=True)
        if quiet:  # no file has the commitment, so it is always printed before the first game
            click.echo(f"seed {plan.conditions[0].seed_text}", err=True)
    if not quiet:
        rules = describe_rules(plan.conditions)
        click.echo(f"{left} against {right} on {boards}, {rules}; score {plan.scores[0]}", err=True)

    def print_state(state: MatchState) -> None:
        if not quiet:
            click.echo(progress_line(state, left), err=True)

    def watch_command(fault: FaultLine) -> str:
        if earlier is not None and fault.agent == earlier.entry.label:
            game = f"{earlier.name}/{fault.game.rpartition('/')[2]}"
            return shlex.join(["sweepstakes", "replay", str(earlier.directory), game])
        command = ["sweepstakes", "watch", a if fault.agent == left else b, "--board", boards, "--on-mine", on_mine]
        command += ["--first-click", first_click, "--seed", str(plan.conditions[0].seed)]
        command += ["--number", fault.game.rpartition("/")[2]]
        command += ["--noise", noise] if plan.conditions[0].noise != EXACT_CLUES else []
        rules = plan.conditions[0].rules
        command += ["--start", f"{rules.start.row},{rules.start.col}"] if rules.start is not None else []
        command += ["--no-flood"] if not rules.flood else []
        command += ["--isolation", isolation] if isolation is not None else []
        return shlex.join([*command, *(part for file in plugins for part in ("--plugin", file))])

    match_executor = pick_executor(registry, Spec.of(config.executor), workers, start_method)
    state = play_match(plan, registry, match_executor, delta, print_state, seconds, known)
    for line in match_lines(state, left, right, plan.scores[0], registry.make("score", plan.scores[0])):
        click.echo(line)
    if earlier is not None and not state.verdict.final and most == len(earlier.results):
        click.echo(f"{earlier.entry.label} has no games on further boards")
    for line in fault_lines(state.faults, watch_command):
        click.echo(line)
    if secret is not None:
        click.echo(f"the seed was {secret.seed}; the SHA-256 of its decimal text is {secret.sha256}")
    if state.broken:
        click.get_current_context().exit(1)


def _resolved(spec: Spec) -> Spec:
    return replace(spec, file=str(Path(spec.file).resolve())) if spec.file else spec
