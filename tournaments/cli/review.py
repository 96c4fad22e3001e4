"""`sweepstakes review`: judge every decision of a run's games against the exact posterior."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click

from sweepstakes.cli.options import plugin_option, workers_option

if TYPE_CHECKING:
    from sweepstakes.review import Thresholds
    from sweepstakes.tournaments.review.agent_review import AgentReview, WorstDecision
    from sweepstakes.tournaments.storage.stored_run import StoredRun


@click.command("review")
@click.argument("directory", metavar="RUN|PUBLISHED")
@click.argument("game", metavar="[GAME]", required=False)
@click.option("--agent", "agents", multiple=True, metavar="LABEL", help="Review only this agent; may be repeated.")
@click.option(
    "--games", "most", type=click.IntRange(1), metavar="N", help="Review only the first N boards of each condition."
)
@click.option("--worst", type=click.IntRange(0, 100), default=10, show_default=True, help="How many decisions to list.")
@click.option(
    "--inaccuracy",
    type=click.FloatRange(0, 1),
    default=0.02,
    show_default=True,
    help="The risk above the least one from which on a guess is an inaccuracy.",
)
@click.option(
    "--blunder",
    type=click.FloatRange(0, 1),
    default=0.1,
    show_default=True,
    help="The risk above the least one from which on a guess is a blunder.",
)
@click.option("--svg", "pictures", metavar="DIR", help="Draw the positions of the listed decisions into this folder.")
@workers_option
@click.option("--quiet", is_flag=True, help="Print no progress.")
@plugin_option
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
    """Judge every decision of the games of a run or of a published leaderboard, and list the worst ones.

    Each opened or flagged cell is compared with the exact mine probabilities of what was shown before it. GAME is
    AGENT/CONDITION/NUMBER, as in basic/1/0: that game is reviewed turn by turn. Games that did not keep their moves are
    played again. Boards of other sources than uniform cannot be judged.
    """
    from sweepstakes.compiling.warm_up import warm_up
    from sweepstakes.review import Thresholds
    from sweepstakes.tournaments.storage.stored_run import open_run

    thresholds = Thresholds(inaccuracy, blunder)
    if inaccuracy > blunder:
        raise click.BadParameter(f"{inaccuracy:g} is more than --blunder {blunder:g}", param_hint="--inaccuracy")
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
    from textwrap import fill

    from sweepstakes.tournaments.review import wording
    from sweepstakes.tournaments.review.pictures import draw_decisions
    from sweepstakes.tournaments.review.run_review import games_to_review, judged_conditions, review_run
    from sweepstakes.tournaments.running.progress import Progress
    from sweepstakes.tournaments.running.runner import LOCAL, pick_executor

    conditions = judged_conditions(run)
    bar = Progress(games_to_review(run, len(agents) or len(run.agents), most), 0, quiet=quiet)
    executor = pick_executor(run.registry, LOCAL, workers)
    reviews = review_run(run, executor, agents, most=most, thresholds=thresholds, progress=bar.advance)
    bar.close()
    click.echo(wording.audit_table(reviews))
    click.echo()
    click.echo(fill(wording.column_list(), wording.WIDTH))
    if len(conditions) < len(run.conditions):
        left_out = [c.label for i, c in enumerate(run.conditions) if i not in conditions]
        click.echo(f"not judged: {', '.join(left_out)}: only boards of 'uniform' can be")
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
    """The worst decisions of several agents: by turns the first of each, the second of each, and so on."""
    lists = [one.worst(most) for one in reviews if one.games]
    taken = [found[place] for place in range(most) for found in lists if place < len(found)]
    return taken[:most]


def _print_game(run: StoredRun, name: str, thresholds: Thresholds, pictures: str | None) -> None:
    from sweepstakes.tournaments.replay.explained import turns_of
    from sweepstakes.tournaments.replay.replay import Replay
    from sweepstakes.tournaments.review import wording
    from sweepstakes.tournaments.review.agent_review import AgentReview
    from sweepstakes.tournaments.review.pictures import draw_decisions
    from sweepstakes.tournaments.review.run_review import review_stored_game

    stored = run.game(name)
    reviewed = review_stored_game(run, stored, thresholds)
    replay = Replay.of(run.set_up(stored.fixture), turns_of(run, stored), stored.result)
    click.echo(f"{stored.name}: {stored.agent.label} on {stored.condition.label}")
    click.echo("\n".join(wording.turn_lines(reviewed, [frame.headline() for frame in replay.frames[1:]])))
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
        sys.exit(1)
