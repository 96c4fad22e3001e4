"""Reviews the games of a run; a game without kept moves is played again by its agent."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence

from sweepstakes.errors import RunError, did_you_mean
from sweepstakes.executor import Executor, Fixture
from sweepstakes.game.result import GameResult
from sweepstakes.game.turn import Turn
from sweepstakes.game.turn_codec import read_turns
from sweepstakes.review import GameReview, Thresholds, review_game, why_not_judged
from sweepstakes.review.judgement import DEFAULT
from sweepstakes.tournaments.replay.explained import turns_of
from sweepstakes.tournaments.resolve.playable import Playable, find_playable
from sweepstakes.tournaments.review.agent_review import AgentReview
from sweepstakes.tournaments.running.again import play_again
from sweepstakes.tournaments.storage.run_reader import RunReader, StoredGame

Progress = Callable[[int], None]
"""Called with the number of games that were reviewed since the last call."""


def review_stored_game(run: RunReader, stored: StoredGame, thresholds: Thresholds = DEFAULT) -> GameReview:
    """Return the review of one stored game. Raise `RunError` if it cannot be judged or its turns are not available."""
    _check(run, stored.fixture.condition)
    return review_game(run.set_up(stored.fixture), turns_of(run, stored), thresholds=thresholds)


def review_run(
    run: RunReader,
    executor: Executor,
    agents: Sequence[str] = (),
    *,
    most: int | None = None,
    thresholds: Thresholds = DEFAULT,
    progress: Progress = lambda done: None,
) -> list[AgentReview]:
    """Review the games of some agents, by default of all, in the order of the run.

    At most the first `most` boards of each condition are reviewed. Conditions that cannot be judged, and games that
    cannot be played again or have another result now, are counted and left out. Raise `RunError` if no condition is
    left.
    """
    thresholds.check()
    labels = [entry.label for entry in run.agents]
    for agent in agents:
        if agent not in labels:
            raise RunError(f"{run.directory}: no agent '{agent}' in this run{did_you_mean(agent, labels)}")
    conditions = judged_conditions(run)
    reviews = [
        AgentReview(entry, run.plan.config.name, run.make("score", "identified"))
        for entry in run.agents
        if not agents or entry.label in agents
    ]
    playable = find_playable(run, [review.entry for review in reviews])
    by_agent: dict[int, AgentReview] = {}
    games: dict[Fixture, GameResult] = {}
    for review in reviews:
        place = labels.index(review.label)
        by_agent[place] = review
        review.why_missing = playable.missing.get(review.label, "")
        found = _results(run, place, conditions, most)
        review.boards = len(found)
        games |= found
    gone = {place for place, review in by_agent.items() if review.why_missing}
    for fixture, turns in _turns(run, games, playable, executor, gone):
        review = by_agent[fixture.agent]
        if turns is None:
            review.left_out += 1
        else:
            game = run.set_up(fixture)
            review.add(run.name(fixture), games[fixture], review_game(game, turns, thresholds=thresholds), game)
        progress(1)
    return reviews


def games_to_review(run: RunReader, agents: int, most: int | None = None) -> int:
    """Return how many games `review_run` reviews, of `agents` agents and at most `most` games of each."""
    boards = run.config.games if run.kept_boards is None else run.kept_boards
    return len(judged_conditions(run)) * agents * min(most or boards, boards)


def is_reviewed(run: RunReader) -> bool:
    """Return whether reviews measure a score of the tournament. If so, its publication has a page for each agent."""
    return any(run.make("score", measure).needs_prior for measure in run.plan.measures)


def judged_conditions(run: RunReader) -> list[int]:
    """Return the conditions whose games can be judged. Raise `RunError` with the reason if no condition can."""
    reasons = [_why_not(run, condition) for condition in range(len(run.conditions))]
    if all(reasons):
        raise RunError(f"{run.directory}: {reasons[0]}")
    return [condition for condition, reason in enumerate(reasons) if not reason]


def _why_not(run: RunReader, condition: int) -> str:
    """Return why the games of a condition cannot be judged, or "" if they can."""
    if condition in run.changed:
        return "the board source or the noise has changed since the games were played"
    if run.secret is not None and not run.secret.revealed:
        return "the seed is still secret, and so are the boards"
    return why_not_judged(run.set_up(Fixture(0, condition, 0)).board_ref)


def _check(run: RunReader, condition: int) -> None:
    if reason := _why_not(run, condition):
        raise RunError(f"{run.directory}: {reason}")


def _results(run: RunReader, agent: int, conditions: Iterable[int], most: int | None) -> dict[Fixture, GameResult]:
    boards = range(run.config.games if most is None else min(most, run.config.games))
    found = {}
    for condition in conditions:
        numbers, _, results = run.results(condition, agent, boards)
        found.update({Fixture(agent, condition, n): result for n, result in zip(numbers, results, strict=True)})
    return found


def _turns(
    run: RunReader, games: dict[Fixture, GameResult], playable: Playable, executor: Executor, gone: Collection[int]
) -> Iterator[tuple[Fixture, Sequence[Turn] | None]]:
    """Yield the turns of each game: the kept ones, or else those that its agent takes now; None if the game is not the
    same.

    `gone` are the agents that cannot be played. Games that are played again come last, in the order of the plan,
    whichever worker is faster, so that the same games give the same page.
    """
    missing = []
    for fixture, result in games.items():
        stored = run.find(fixture)
        if stored is not None and stored.moves is not None:
            yield fixture, _read(stored.moves)
        elif fixture.agent in gone or not result.ending.repeatable:
            yield fixture, None
        else:
            missing.append(fixture)
    order = deque(sorted(missing))
    moves: dict[Fixture, bytes | None] = {}
    for row in play_again(playable.plan._replace(measures=()), missing, executor):
        moves[row.fixture] = row.moves if row.result.agrees(games[row.fixture]) else None
        while order and order[0] in moves:
            fixture = order.popleft()
            packed = moves.pop(fixture)
            yield fixture, None if packed is None else _read(packed)


def _read(moves: bytes) -> Sequence[Turn] | None:
    try:
        return read_turns(moves)
    except ValueError:
        return None
