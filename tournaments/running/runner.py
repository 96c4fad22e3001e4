"""Runs a tournament: plays the games that its run directory lacks, then writes the tables."""

from __future__ import annotations

import functools
import gc
import shlex
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from contextlib import ExitStack, closing, contextmanager
from itertools import chain
from pathlib import Path
from typing import Any

import click

from sweepstakes.errors import ConfigError, RunError, brief, did_you_mean
from sweepstakes.executor import Chunk, Executor, PackedRows, Row
from sweepstakes.game.result import Ending
from sweepstakes.registry.registry import Registry
from sweepstakes.spec import Spec
from sweepstakes.standings import Standings
from sweepstakes.tournaments.config.loading import as_yaml, load, parse, resolve
from sweepstakes.tournaments.config.model import Tournament, as_list
from sweepstakes.tournaments.config.yaml_lines import YamlFile
from sweepstakes.tournaments.plan import Plan, describe_rules
from sweepstakes.tournaments.resolve.classes import AgentLike, ClassFiles, beside, with_agents
from sweepstakes.tournaments.resolve.planning import make_plan, with_workers
from sweepstakes.tournaments.running.again import check_packed, check_sample
from sweepstakes.tournaments.running.chunking import ChunkSizer
from sweepstakes.tournaments.running.executors import pick_executor, run_executor
from sweepstakes.tournaments.running.live_line import LiveLine
from sweepstakes.tournaments.running.load_warning import LoadWarning
from sweepstakes.tournaments.running.progress import Progress
from sweepstakes.tournaments.running.spending_limits import SpendingLimits
from sweepstakes.tournaments.running.time_out_forfeits import TimeOutForfeits
from sweepstakes.tournaments.running.workload import PlanWorkload, warm_up_for
from sweepstakes.tournaments.shard import WHOLE, Shard
from sweepstakes.tournaments.storage.atomic_file import write_text
from sweepstakes.tournaments.storage.database import run_errors
from sweepstakes.tournaments.storage.joining import import_games
from sweepstakes.tournaments.storage.opening import open_reader, usual_place
from sweepstakes.tournaments.storage.output_file import OutputFile
from sweepstakes.tournaments.storage.packed import Packer
from sweepstakes.tournaments.storage.packed_joining import compact
from sweepstakes.tournaments.storage.run_writer import RunWriter
from sweepstakes.untrusted.text import quoted

REPORTS = {
    "leaderboard.md": "markdown",
    "leaderboard.csv": "csv",
    "leaderboard.json": "json",
    "head-to-head.csv": "head-to-head",
    "timings.csv": "timings",
}
KEPT_AT_ONCE = 20_000
"""The number of stored games whose turns are sent to the workers at once."""


def run_tournament(
    tournament: Tournament | Mapping[str, Any] | str | Path,
    *,
    agents: Sequence[AgentLike] = (),
    out: str | Path | None = None,
    workers: int | None = None,
    plugins: tuple[str, ...] = (),
    quiet: bool = True,
) -> Standings:
    """Play a tournament and return its standings, which show themselves as a table in a notebook.

    `tournament` is a file, the name of a preset, plain data or a model. `agents` are played besides those of the
    tournament. Agents are names, files or classes; plain data may have `{"agent": Mine, "depth": 3, "as": "deep"}`. A
    class, also one of a notebook, becomes a file in the run directory, and plays as any plugin file does: in a process
    of its own, unless `isolation` is `none`. In plain data, noises, scores and board sources may be classes or
    instances too. `out` is the run directory; without it, nothing is kept on disk.
    """
    with ExitStack() as stack:
        directory = Path(stack.enter_context(tempfile.TemporaryDirectory()) if out is None else out)
        classes = ClassFiles(directory)
        added = [classes.agent(agent) for agent in agents]
        file: YamlFile | None = None
        if isinstance(tournament, str | Path):
            config, file = load(tournament, agents=tuple(added))
        elif isinstance(tournament, Tournament):
            config = with_agents(tournament, added)
        else:
            data = classes.plugins(tournament)
            named = [classes.agent(agent) for agent in as_list(data.get("agents", []))]
            config = parse(data | ({"agents": [*named, *added]} if named or added else {}))
        for path, text in classes.texts.items():
            with run_errors(path, "written"):
                path.parent.mkdir(parents=True, exist_ok=True)
            write_text(path, text)
        config = config if file is not None else resolve(config, Path.cwd(), Path.cwd())
        plan, registry = make_plan(config, file, plugins)
        return play_plan(plan, registry, directory, workers=workers, quiet=quiet)


def play_plan(
    plan: Plan,
    registry: Registry,
    directory: Path,
    *,
    workers: int | None = None,
    start_method: str | None = None,
    quiet: bool = False,
    start: Sequence[Path] = (),
    seed: int | None = None,
    show_output: Sequence[str] = (),
    show_rules: bool = True,
) -> Standings:
    """Play the games that the run directory lacks, write the tables into it, and return the standings.

    `start_method` says how the executor starts processes, as in `pick_executor`. `start` are other runs, or published
    leaderboards, whose games are imported first. `seed` is the secret seed of a run that begins now. What the agents in
    `show_output` write is printed as their games finish. With `show_rules`, the first line has rules, noises and seed.
    """
    _check_shown(plan, show_output)
    executor = _executor(plan, registry, workers, start_method)
    with closing(RunWriter(directory, plan, registry, seed)) as run:
        _play(run, plan.config, WHOLE, executor, start, show_output, quiet=quiet, show_rules=show_rules)
        return write_tables(run)


def play_shard(
    plan: Plan,
    registry: Registry,
    directory: Path,
    shard: Shard,
    *,
    workers: int | None = None,
    start_method: str | None = None,
    quiet: bool = False,
    start: Sequence[Path] = (),
    seed: int | None = None,
    show_output: Sequence[str] = (),
) -> int:
    """Play the games of the shard that the run directory lacks; return how many games the shard has.

    The tables are made when the shards are merged. The arguments are those of `play_plan`.
    """
    _check_shown(plan, show_output)
    executor = _executor(plan, registry, workers, start_method)
    with closing(RunWriter(directory, plan, registry, seed)) as run:
        run.note_shard(shard)
        return _play(run, plan.config, shard, executor, start, show_output, quiet=quiet)


def _check_shown(plan: Plan, labels: Sequence[str]) -> None:
    """Raise `ConfigError` if there is an agent among these that can have no output."""
    entries = {entry.label: entry for entry in plan.entries}
    for label in labels:
        if label not in entries:
            raise ConfigError(f"--show-output: unknown agent {brief(label)}{did_you_mean(label, list(entries))}")
        if entries[label].source is None and plan.config.isolation == "none":
            raise ConfigError(f"--show-output {label}: under `isolation: none` the output of agents is lost")
        if entries[label].source is None and not entries[label].forfeit:
            raise ConfigError(f"--show-output {label}: the agent is built in and writes nothing")


def _executor(plan: Plan, registry: Registry, workers: int | None, start_method: str | None) -> Executor:
    spec = with_workers(registry, Spec.of(plan.config.executor), workers or plan.config.workers)
    return pick_executor(registry, spec, workers, start_method)


def _play(
    run: RunWriter,
    config: Tournament,
    shard: Shard,
    executor: Executor,
    start: Sequence[Path],
    shown: Sequence[str],
    *,
    quiet: bool,
    show_rules: bool = True,
) -> int:
    """Play the games of the shard that the run lacks; return how many games the shard has.

    `config` is the tournament as its user wrote it: a seed that was secret is not in it.
    """
    games = shard.games(run.plan)
    if not quiet and show_rules:
        name = config.name if shard == WHOLE else f"{config.name}, shard {shard}"
        click.echo(f"{name}: {games:,} games, {describe_rules(run.plan.conditions)}", err=True)
        _print_changes(run)
    write_text(run.directory / "tournament.yaml", as_yaml(beside(run.directory, config)))
    for other in start:
        _import_games(run, other, executor, quiet=quiet)
    _add_forfeits(run, shard)
    _measure_kept(run, executor, shard, quiet=quiet)
    if missing := list(run.missing(shard)):
        _play_missing(run, executor, shard, missing, shown, quiet=quiet)
        run.check_stored()
    elif not quiet:
        click.echo(f"nothing to play: all {games:,} games are stored", err=True)
    run.note_isolation()
    return games


def write_tables(run: RunWriter) -> Standings:
    """Publish the seed if it was secret and all games have been played, write the tables, and return the standings."""
    from sweepstakes.tournaments.statistics.standings import standings  # imports scipy, meanwhile the workers start

    run.reveal_seed()
    compact(run)
    result = standings(run)
    placed = result._replace(place=usual_place(run.directory, "runs", result.name))
    for file, report in REPORTS.items():
        write_text(run.directory / file, run.registry.make("report", report).text(placed))
    return result


def _print_changes(run: RunWriter) -> None:
    """Say which agents have changed since they last played, and which forfeit their games."""
    for label, earlier in run.replaced.items():
        compared = shlex.join(["sweepstakes", "compare", str(run.directory), label, earlier])
        click.echo(
            f"{label} has changed since it last played; the games of its earlier version are kept: {compared}", err=True
        )
    if doubtful := run.doubtful():
        was, now = run.isolation_before, run.config.isolation
        public = run.secret is not None and run.secret.revealed
        what = "stay as they are, since the seed is public" if public else "are played again"
        click.echo(f"isolation was {was} and is {now}: {doubtful:,} games that were lost by a fault {what}", err=True)
    for entry in run.agents:
        if entry.forfeit:
            click.echo(f"{entry.label} forfeits its games: {entry.forfeit}", err=True)


def _add_forfeits(run: RunWriter, shard: Shard) -> None:
    """Store the games of the agents that cannot play at all as lost, without playing them."""
    for chunk in list(run.missing(shard)):
        forfeit = run.agents[chunk.agent].forfeit
        if forfeit:
            what = f"forfeits: {forfeit}:"
            workload = PlanWorkload(run.plan)
            run.add(workload.forfeit(fixture, Ending.ERROR, what, 0.0) for fixture in chunk.fixtures())


def _import_games(run: RunWriter, start: Path, executor: Executor, *, quiet: bool) -> None:
    """Import the games of the run or publication `start`, after playing a sample of them again."""
    with open_reader(start) as other:
        if run.secret is not None and not {c.key for c in run.plan.conditions} & {c.key for c in other.conditions}:
            why = "it was not played with the secret seed of this run"
            raise RunError(f"{start}: no games are imported: {why}; leave out --from, or give --seed a number")
        check = functools.partial(check_sample, run.plan, run.registry, executor, start)
        packed = functools.partial(check_packed, run.plan, run, executor, start)
        imported = import_games(run, other, check, packed)
        here = {entry.key for entry in run.agents}
        left_out = [entry.label for entry in other.agents if entry.key not in here]
    if not quiet:
        click.echo(f"{imported:,} games imported from {start}", err=True)
        if left_out:
            to_do = f"to have them too, run {start / 'tournament.yaml'}"
            click.echo(f"not agents of this tournament: {', '.join(left_out)}; {to_do}", err=True)


def _measure_kept(run: RunWriter, executor: Executor, shard: Shard, *, quiet: bool) -> None:
    """Measure what stored games lack of the plan's scores from their turns; say how many have to be played again."""
    games, without = run.lacking(shard)
    if not quiet and (games or without):
        what = f"{len(games):,} are measured from their moves, {without:,} without moves are played again"
        click.echo(f"{len(games) + without:,} stored games lack a score: {what}", err=True)
    if not games:
        return
    warm_up_for(run.plan, run.registry, quiet=quiet)
    with closing(Progress(len(games), 0, quiet=quiet)) as progress:
        for first in range(0, len(games), KEPT_AT_ONCE):
            kept = tuple(map(run.kept_game, games[first : first + KEPT_AT_ONCE]))
            sizer = ChunkSizer()
            chunks = sizer.split(Chunk(*stored.fixture, stored.fixture.number + 1) for stored in kept)
            with run_executor(executor, PlanWorkload(run.plan, kept=kept), chunks) as batches:
                for rows in batches:
                    run.add_measures(rows)
                    sizer.add(rows)
                    progress.advance(len(rows))


def _play_missing(
    run: RunWriter,
    executor: Executor,
    shard: Shard,
    missing: Sequence[Chunk],
    shown: Sequence[str],
    *,
    quiet: bool,
) -> None:
    """Play and store the games that the run lacks; observers get each finished game."""
    plan, registry = run.plan, run.registry
    warm_up_for(plan, registry, quiet=quiet)
    time_outs = TimeOutForfeits(run, shard, missing)
    run.add(time_outs.at_start())
    live = LiveLine(run, shard, missing)
    sizer = ChunkSizer(time_outs.applies, Packer(plan, functools.partial(registry.make, "score")).packs)
    output = OutputFile(run.directory, run.replaced)
    spending = SpendingLimits(run, plan.config.limits)
    spending.take()
    games = shard.games(plan)
    done = games - sum(len(chunk.numbers) for chunk in missing if not time_outs.applies(chunk.agent, chunk.condition))
    progress = Progress(
        games, done, quiet=quiet, standing=lambda: "; ".join(filter(None, (live.text(), executor.status())))
    )
    load = LoadWarning(getattr(executor, "workers", 1), lambda line: None if quiet else click.echo(line, err=True))
    workload = PlanWorkload(plan, shown=tuple(shown))
    with closing(progress), run_executor(executor, workload, sizer.split(missing)) as batches, _rare_collections():
        for rows in batches:
            load.check()
            taken = time_outs.take(rows)
            run.add(chain(taken.rows, taken.forfeits))
            rows_alone = [row for row in taken.rows if isinstance(row, Row)]
            spending.take(rows_alone)
            live.add(taken.rows, taken.blocks)
            sizer.add(rows)
            progress.advance(taken.finished)
            for each in rows:
                for row in each.noted if isinstance(each, PackedRows) else (each,):
                    if row.output:
                        _report_output(workload, row, output, quiet=quiet)
            if registry.observed:
                for row in rows_alone:
                    for error in registry.game_finished(row.result):
                        click.echo(f"sweepstakes: {error}", err=True)


def _report_output(workload: PlanWorkload, row: Row, file: OutputFile, *, quiet: bool) -> None:
    """Print or store the output of the agent in a game, as requested."""
    label, game = workload.plan.name(row.fixture), workload.title(row.fixture)
    if label in workload.shown:
        click.echo(f"{game} wrote:\n{quoted(row.output)}", err=True)
    if row.result.ending.is_fault and file.add(label, game, row.result.fault, row.output) == 1 and not quiet:
        click.echo(f"the output of {label} in its first games with a fault is in {file.path}", err=True)


@contextmanager
def _rare_collections() -> Iterator[None]:
    """Have the garbage collector run rarely.

    Rows are many small tuples without cycles. To look at them again and again takes a quarter of the time that the
    client of a cluster has for a row.
    """
    before = gc.get_threshold()
    gc.set_threshold(before[0] and max(before[0], 50_000), *before[1:])  # 0: it is switched off
    try:
        yield
    finally:
        gc.set_threshold(*before)
