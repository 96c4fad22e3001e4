"""What `sweepstakes review` does."""

from __future__ import annotations

import sys
from textwrap import fill

import click

from sweepstakes.errors import ExitCode
from sweepstakes.review import Thresholds
from sweepstakes.tables import join_words
from sweepstakes.tournaments.cli._review_recording import review_recording
from sweepstakes.tournaments.replay.explained import turns_of
from sweepstakes.tournaments.replay.replay import Replay
from sweepstakes.tournaments.replay.said import said_by_turn
from sweepstakes.tournaments.review import wording
from sweepstakes.tournaments.review.agent_review import AgentReview, WorstDecision
from sweepstakes.tournaments.review.pictures import draw_decisions
from sweepstakes.tournaments.review.rawvf import is_recording
from sweepstakes.tournaments.review.run_review import games_to_review, judged_conditions, review_run, review_stored_game
from sweepstakes.tournaments.running.executors import LOCAL, pick_executor
from sweepstakes.tournaments.running.progress import Progress
from sweepstakes.tournaments.storage.transcripts import transcript_of
from sweepstakes.tournaments.stored_run import StoredRun, open_run
from sweepstakes.warm_up import warm_up


def review(
    directory: str,
    game: str | None,
    agents: tuple[str, ...],
    most: int | None,
    worst: int,
    inaccuracy: float,
    blunder: float,
    pictures: str | None,
    workers: int | None,
    quiet: bool,
    plugins: tuple[str, ...],
) -> None:
    """Review one game, or all games of a run."""
    thresholds = Thresholds(inaccuracy, blunder)
    if inaccuracy > blunder:
        raise click.BadParameter(f"{inaccuracy:g} is more than --blunder {blunder:g}", param_hint="--inaccuracy")
    if is_recording(directory):
        given = {"GAME": game, "--agent": agents, "--games": most, "--workers": workers}
        if unused := [name for name, value in given.items() if value]:
            raise click.UsageError(f"{directory} is one game: {join_words(unused)} cannot be used with it")
        review_recording(directory, thresholds, worst, pictures, quiet=quiet)
        return
    with open_run(directory, plugins) as opened:
        run = opened.including(*agents, *([game.rsplit("/", parts)[0] for parts in (1, 2)] if game is not None else ()))
        warm_up(review=True, quiet=quiet)
        if game is not None:
            _print_game(run, game, thresholds, pictures)
        else:
            _print_run(run, directory, agents, most, worst, thresholds, pictures, workers, quiet)


def _print_run(
    run: StoredRun,
    directory: str,
    agents: tuple[str, ...],
    most: int | None,
    worst: int,
    thresholds: Thresholds,
    pictures: str | None,
    workers: int | None,
    quiet: bool,
) -> None:
    conditions = judged_conditions(run)
    bar = Progress(games_to_review(run, len(agents) or len(run.agents), most), 0, quiet=quiet)
    executor = pick_executor(run.registry, LOCAL, workers)
    reviews = review_run(run, executor, agents, most=most, thresholds=thresholds, progress=bar.advance)
    bar.close()
    click.echo(wording.audit_table(reviews))
    click.echo()
    click.echo(fill(wording.column_list(), wording.WIDTH))
    if len(conditions) < len(run.conditions):
        left_out = [c.title for i, c in enumerate(run.conditions) if i not in conditions]
        click.echo(f"not judged: {'; '.join(left_out)} (only boards of the source uniform can be judged)")
    if (kept := run.kept_boards) is not None:
        click.echo(f"reviewed: the games on the first {kept:,} boards of each condition (the others are packed)")
    for note in wording.notes(reviews):
        click.echo(note)
    for one in reviews:
        lines = list(wording.weaknesses(one)) if one.games else ["no game could be reviewed"]
        click.echo(f"\n{one.label}: {'' if lines else 'no mistakes'}".rstrip())
        for line in lines:
            click.echo(fill(line, wording.WIDTH, initial_indent="  ", subsequent_indent="    "))
    decisions = _worst_of(reviews, worst)
    if decisions:
        click.echo(f"\nThe worst decisions{'' if len(reviews) == 1 else ' of all agents'}:")
    for place, decision in enumerate(decisions, 1):
        click.echo()
        click.echo("\n".join(wording.worst_lines(place, decision, directory)))
    if pictures is not None:
        for file in draw_decisions(decisions, pictures):
            click.echo(f"wrote {file}", err=True)


def _worst_of(reviews: list[AgentReview], most: int) -> list[WorstDecision]:
    """Return the worst decisions of several agents: the first of each, then the second of each, and so on."""
    lists = [one.worst(most) for one in reviews if one.games]
    taken = [found[place] for place in range(most) for found in lists if place < len(found)]
    return taken[:most]


def _print_game(run: StoredRun, name: str, thresholds: Thresholds, pictures: str | None) -> None:
    stored = run.game(name)
    reviewed = review_stored_game(run, stored, thresholds)
    turns = turns_of(run, stored)
    replay = Replay.of(run.set_up(stored.fixture), turns, stored.result)
    said = said_by_turn(transcript_of(run, stored.fixture), reviewed)
    click.echo(f"{stored.name}: {stored.agent.label} on {stored.condition.title}")
    click.echo("\n".join(wording.turn_lines(reviewed, [frame.headline() for frame in replay.frames[1:]], said)))
    click.echo(replay.ending())
    click.echo(wording.summary_line(reviewed.audit))
    luck = reviewed.luck.win
    won = float(stored.result.won)
    click.echo(f"luck {luck:+.3f}: win {won:.0f}, win-adjusted {won - luck:.3f}")
    if pictures is not None:
        one = AgentReview(stored.agent, run.config.name, run.make("score", "identified"))
        one.add(stored.name, stored.result, reviewed, run.set_up(stored.fixture))
        for file in draw_decisions(one.worst(100), pictures):
            click.echo(f"wrote {file}", err=True)
    if replay.mismatch:
        click.echo(f"{replay.mismatch}: the row differs from the game")
        sys.exit(ExitCode.FAILED)
