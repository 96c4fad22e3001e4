"""What `sweepstakes review` does with a game that was played elsewhere."""

from __future__ import annotations

from math import isnan

import click

from sweepstakes.game.turn import Turn
from sweepstakes.review import MISTAKES, GameReview, Summary, Thresholds, review_game
from sweepstakes.tournaments.replay.replay import Replay
from sweepstakes.tournaments.review import wording
from sweepstakes.tournaments.review.agent_review import WorstDecision, explained
from sweepstakes.tournaments.review.pictures import draw_decisions
from sweepstakes.tournaments.review.rawvf import RecordedGame, read_recording
from sweepstakes.warm_up import warm_up

CLAIMED = {"won": True, "lost": False, "loss": False}


def review_recording(path: str, thresholds: Thresholds, worst: int, pictures: str | None, *, quiet: bool) -> None:
    """Review the game in a RAWVF file turn by turn, sum it up, and list its worst decisions."""
    recorded = read_recording(path)
    warm_up(review=True, quiet=quiet)
    reviewed = review_game(recorded.game(), recorded.turns, thresholds=thresholds)
    replay = _replay(recorded)
    size, head = recorded.board.size, recorded.head
    by = " by ".join(filter(None, (head.get("level", ""), head.get("player", ""))))
    click.echo(f"{path}: {size.rows} x {size.cols}, {size.mines} mines{f' ({by})' if by else ''}")
    lines = [
        f"{frame.headline().replace(': guess: ', ': ', 1)} ({seconds:.2f} s)"
        for frame, seconds in zip(replay.frames[1:], recorded.times, strict=False)
    ]
    click.echo("\n".join(wording.turn_lines(reviewed, lines, {}, claims=False)))
    click.echo(replay.ending())
    for line in summary_lines(reviewed.summary):
        click.echo(line)
    claimed = CLAIMED.get(head.get("status", "").lower())
    if claimed is not None and claimed != replay.result.won:
        click.echo(f"the file says that the game was {'won' if claimed else 'lost'}, which its clicks do not show")
    decisions = worst_of(path, recorded, reviewed, worst)
    if decisions:
        click.echo("\nThe worst decisions:")
    for place, decision in enumerate(decisions, 1):
        click.echo()
        click.echo("\n".join(wording.worst_lines(place, decision)))
    if pictures is not None:
        for file in draw_decisions(decisions, pictures):
            click.echo(f"wrote {file}", err=True)


def _replay(recorded: RecordedGame) -> Replay:
    """Return the game turn by turn. A game without an end is given up."""
    game, turns = recorded.game(), [*recorded.turns]
    for turn in turns:
        game.take(turn)
    if not game.over:
        turns.append(Turn())
        game.take(turns[-1])
    return Replay.of(recorded.game(), turns, game.result())


def summary_lines(summary: Summary) -> list[str]:
    """Return how good and how lucky the game was, in three lines."""
    lines = []
    if summary.clicks:
        share = 100 * summary.accurate / summary.clicks
        lines.append(
            f"accuracy {share:.1f} %: {summary.accurate} of {summary.clicks} clicks opened only cells that were as "
            "safe as possible"
        )
    lines.append(
        f"skill: the clicks survive with probability {summary.survived:.3f}, the safest cells with "
        f"{summary.survivable:.3f}"
    )
    lines.append(f"luck {summary.luck:+.3f} games won")
    chances = [turn.chance for turn in summary.turns if not isnan(turn.chance)]
    if chances:
        lines.append(
            f"estimated chance to win: {chances[0]:.2f} at the start, {max(chances[:-1]):.2f} at the best moment, "
            f"{chances[-2]:.2f} before the last turn"
        )
    return lines


def worst_of(path: str, recorded: RecordedGame, reviewed: GameReview, most: int) -> list[WorstDecision]:
    """Return the mistakes that cost most."""
    mistakes = [judgement for judgement in reviewed.judgements if judgement.label in MISTAKES]
    mistakes.sort(key=lambda judgement: -judgement.cost)
    return [
        explained(path, judgement, reviewed.position(judgement), recorded.board, reviewed)
        for judgement in mistakes[:most]
    ]
