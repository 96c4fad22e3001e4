"""The data of the Leaderboard and Watch pages: the server and the static site read a run through `Overview`."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping
from contextlib import suppress
from math import isnan
from typing import Any

from sweepstakes.drawing.agent_looks import agent_looks
from sweepstakes.errors import PluginError, RunError
from sweepstakes.executor import Fixture
from sweepstakes.game.game import Game
from sweepstakes.game.result import GameResult
from sweepstakes.game.turn import Turn
from sweepstakes.game.turn_codec import read_turns
from sweepstakes.game.view import View
from sweepstakes.registry.registry import Registry
from sweepstakes.review import review_game, why_not_judged
from sweepstakes.score import Score, bounds_of
from sweepstakes.spec import Spec
from sweepstakes.standings import ScoreColumn
from sweepstakes.tables import COLUMNS, short_titles
from sweepstakes.tournaments.plan import Entry
from sweepstakes.tournaments.replay.replay import Replay
from sweepstakes.tournaments.statistics.paired_tests import SIGNIFICANT
from sweepstakes.tournaments.statistics.standings import score_column
from sweepstakes.tournaments.storage.run_reader import StoredGame
from sweepstakes.tournaments.storage.transcripts import transcript_of
from sweepstakes.tournaments.stored_run import StoredRun
from sweepstakes.tournaments.sweeps import Sweep, sweeps
from sweepstakes.web.agents.agent_service import AgentService
from sweepstakes.web.agents.run_agents import RunAgent
from sweepstakes.web.data.live import LiveLeaderboard
from sweepstakes.web.data.review import serialize_review
from sweepstakes.web.data.serialize import serialize_replay, serialize_seed
from sweepstakes.web.data.short_names import short_names
from sweepstakes.web.server.api_error import ApiError

MAX_BOARDS = 50
"""The number of decisive boards of a comparison that are listed for each agent."""
REVIEW_BUDGET = 1 << 15
"""States of the exact sum in the review of a game, which the server makes while the browser waits."""
PAGE_SCORES = ("identified", "win", "safe-opened")
"""The scores that the referee in the page computes for a person's game."""
MAX_CACHED_GAMES = 20
"""The number of games whose turns are kept after an agent has played them again or explained them."""


class Overview:
    """A run, with agents and conditions numbered by their position in the tournament from 1.

    The `agent_service` lets agents play games again whose moves were not stored, and finds the reasons of turns.
    """

    def __init__(
        self,
        run: StoredRun,
        registry: Registry,
        agent_service: AgentService | None = None,
        *,
        transcripts: bool = True,
    ) -> None:
        self.run = run
        self._registry = registry
        self._agent_service = agent_service
        self._transcripts = transcripts
        """Whether replays have what language models said in their turns."""
        self._live = LiveLeaderboard()
        self._replayed_turns: OrderedDict[Fixture, list[Turn]] = OrderedDict()
        self._explained_turns: OrderedDict[Fixture, tuple[list[Turn], str]] = OrderedDict()

    def overview(self) -> dict[str, Any]:
        """Return the present leaderboard, agents and conditions of the run: the answer of `/api/run`."""
        self.run = run = self.run.reopened()
        played = self.played_score()
        labels = [agent.label for agent in run.agents]
        looks = agent_looks(labels)
        names, left_out = short_names(labels)
        titles = short_titles([condition.title for condition in run.conditions])
        return {
            "name": run.directory.resolve().name,
            **self._describe(run),
            "secret": self._is_secret(),
            "agents": [
                {"id": i, "label": label, "short": names[label], "look": looks[label]._asdict()} | self._about(agent)
                for i, (label, agent) in enumerate(zip(labels, run.agents, strict=True), 1)
            ],
            "left_out": left_out,
            "columns": COLUMNS,
            "played": played[0] if played else None,
            "sweeps": [_serialize_sweep(sweep, run) for sweep in sweeps(run.conditions)],
            "conditions": [
                {
                    "id": i,
                    "label": condition.label,
                    "title": condition.title,
                    "short": titles[i - 1],
                    "boards": run.boards(i - 1),
                    "bounds": bounds_of(played[1], played[0], condition.size) if played else None,
                    **condition.size._asdict(),
                    "seed": None if condition.commitment else serialize_seed(condition.seed),
                    "source": str(condition.source.portable),
                    "rules": condition.rules._asdict(),
                    "noise": str(condition.noise.portable),
                }
                for i, condition in enumerate(run.conditions, 1)
            ],
        }

    def replay(self, condition: int, agent: int, number: int) -> dict[str, Any]:
        """Return a stored game turn by turn, with the reason of each turn: the answer of `/api/run/replay/...`."""
        stored = self._find(condition, agent, number)
        turns, note = self._explained(stored)
        return self._replay(stored, turns, note, review=True)

    def stored_replay(self, condition: int, agent: int, number: int) -> dict[str, Any]:
        """Return what is known about a game without asking its agent, for `/api/run/replay/.../stored`.

        `replay` is the game turn by turn without reasons, or None if the agent has to play it again. `seconds` is the
        time that the agent took for the stored game, or None if that is unknown.
        """
        stored = self._find(condition, agent, number)
        _, (seconds,), _ = self.run.results(condition - 1, agent - 1, range(number, number + 1))
        known = self.turns_known(condition, agent, number)
        replay = self._replay(stored, self._turns(stored), "", review=False) if known else None
        return {"agent": stored.agent.label, "seconds": seconds, "replay": replay}

    def _replay(self, stored: StoredGame, turns: list[Turn], note: str, *, review: bool) -> dict[str, Any]:
        replay = Replay.of(self.run.set_up(stored.fixture), turns, stored.result)
        if replay.mismatch:
            note = f"{replay.mismatch}: the stored result is not the result of the stored game."
        judged = review and not replay.mismatch
        values = {name: score_value(score, stored.result) for name, score in self._scores().items()}
        texts = transcript_of(self.run, stored.fixture) if self._transcripts else []
        return (
            serialize_replay(replay)
            | ({"said": texts} if texts else {})
            | {
                "agent": stored.agent.label,
                "number": stored.number,
                "note": note,
                "review": self._review(stored, turns, len(replay.frames) - 1) if judged else None,
                "scores": {name: round(value, 6) for name, value in values.items() if value is not None},
            }
        )

    def _review(self, stored: StoredGame, turns: list[Turn], shown: int) -> dict[str, Any] | None:
        """Return the review of a game without its largest positions, or None if the game cannot be judged."""
        game = self.run.set_up(stored.fixture)
        if why_not_judged(game.board_ref):
            return None
        return serialize_review(review_game(game, turns, budget=REVIEW_BUDGET), shown)

    def views(self, condition: int, agent: int, number: int) -> list[View]:
        """Return the positions of a game: before the first turn, and after each turn."""
        stored = self._find(condition, agent, number)
        replay = Replay.of(self.run.set_up(stored.fixture), self._turns(stored), stored.result)
        return [frame.after for frame in replay.frames]

    def turns_known(self, condition: int, agent: int, number: int) -> bool:
        """Return whether the turns of a game are stored, or the agent has already played the game again."""
        stored = self._find(condition, agent, number)
        return stored.moves is not None or stored.fixture in self._replayed_turns

    def agent_needed(self, condition: int, agent: int, number: int) -> Spec | None:
        """Return the agent that must play the game again before it can be shown; None if it can be shown at once."""
        stored = self._find(condition, agent, number)
        available = self._agent_service is None or stored.fixture in self._explained_turns
        return None if available or not self.can_play_again(stored.agent) else self._spec(stored.agent)

    def decisive(self, condition: int, first: int, second: int, max_boards: int = MAX_BOARDS) -> dict[str, Any]:
        """Return the boards on which two agents have different ranking scores: for each agent, those with its largest
        leads."""
        agents = range(1, len(self.run.agents) + 1)
        if not 1 <= condition <= len(self.run.conditions) or first not in agents or second not in agents:
            raise ApiError(404, "there is no such condition or agent")
        name, score = self.ranking()
        first_scores, second_scores = (score_values(score, self.results(condition, agent)) for agent in (first, second))
        return comparison(name, score, first_scores, second_scores, max_boards)

    def results(self, condition: int, agent: int) -> dict[int, GameResult]:
        """Return the results of an agent under a condition, by board."""
        numbers, _, results = self.run.results(condition - 1, agent - 1)
        return dict(zip(numbers, results, strict=True))

    def ranking(self) -> tuple[str, Score]:
        """Return the name and the score by which the leaderboard ranks."""
        return next(iter(self._scores().items()))

    def played_score(self) -> tuple[str, Score] | None:
        """Return the name and the first score of the run by which a person is compared with the agents; None without
        one."""
        scores = self._scores()
        return next(((name, scores[name]) for name in scores if name in PAGE_SCORES), None)

    def can_play_again(self, agent: Entry) -> bool:
        """Return whether the agent is available in the version of the stored games, and there is an agent service."""
        own = self._own(agent)
        if own is not None:
            return own.source is not None
        offer = self._registry.offers("agent").get(agent.spec.name)
        return self._agent_service is not None and offer is not None and offer.version == agent.version

    def _own(self, agent: Entry) -> RunAgent | None:
        """Return the agent service's entry for an agent of the run that is not built in."""
        return None if self._agent_service is None else self._agent_service.run_agents.get(agent.label)

    def _spec(self, agent: Entry) -> Spec:
        """Return the agent as the agent service names it."""
        return agent.spec if self._own(agent) is None else Spec(agent.label)

    def _scores(self) -> dict[str, Score]:
        scores: dict[str, Score] = {}
        for name in self.run.plan.scores:
            with suppress(PluginError):  # the score's plugin is not installed; the leaderboard has its numbers
                scores[name] = self.run.make("score", name)
        return scores or {"identified": self.run.make("score", "identified")}

    def _about(self, agent: Entry) -> dict[str, str]:
        """Return the sentence with which an agent describes itself, and why it is not available. Each may be empty."""
        own = self._own(agent)
        if own is not None:
            return {"about": own.summary, "missing": own.missing}
        offer = self._registry.offers("agent").get(agent.spec.name)
        if offer is None:
            return {"about": "", "missing": "it is not installed here"}
        changed = (
            ""
            if offer.version == agent.version
            else f"it has changed since: version {agent.version}, now {offer.version}"
        )
        return {"about": offer.summary, "missing": changed}

    def _describe(self, run: StoredRun) -> dict[str, Any]:
        """Return the leaderboard and the progress of the run, with the words for scores and whether pairs differ
        significantly."""
        described = self._live.describe(run)
        if described["leaderboard"] is None:
            return described
        installed = {name: score_column(name, score) for name, score in self._scores().items()}
        scores = []
        for each in described["leaderboard"]["scores"]:
            column = installed.get(each["name"], ScoreColumn(**each))
            words = {"head": column.head, "axis": column.axis, "unit": column.unit, "about": column.sentence}
            words["title"] = column.title or column.name
            scores.append(each | words | {"scale": column.scale, "percent": column.percent})
        tables = [
            table | {"pairs": [pair | {"significant": pair["p_mean"] < SIGNIFICANT} for pair in table["pairs"]]}
            for table in described["leaderboard"]["tables"]
        ]
        return described | {"leaderboard": described["leaderboard"] | {"scores": scores, "tables": tables}}

    def _is_secret(self) -> bool:
        """Return whether the seed of the run is still secret, so that its boards must not be shown."""
        return self.run.secret is not None and not self.run.secret.revealed

    def set_up(self, fixture: Fixture) -> Game:
        """Return a game before its first turn. Raise `ApiError` while the seed of the run is secret."""
        self._check_seed()
        return self.run.set_up(fixture)

    def _check_seed(self) -> None:
        if self._is_secret():
            self.run = self.run.reopened()  # which may have ended since
        if self._is_secret():
            raise ApiError(403, "the seed of this run is secret until its last game: no board is shown before that")

    def _find(self, condition: int, agent: int, number: int) -> StoredGame:
        self._check_seed()
        exists = 1 <= condition <= len(self.run.conditions) and 1 <= agent <= len(self.run.agents)
        stored = self.run.find(Fixture(agent - 1, condition - 1, number)) if exists else None
        if stored is None:
            raise ApiError(404, f"there is no game of agent {agent} on board {number} of condition {condition}")
        return stored

    def _explained(self, stored: StoredGame) -> tuple[list[Turn], str]:
        """Return the turns with their reasons, and a note if the reasons are not the agent's own."""
        key = stored.fixture
        if key not in self._explained_turns:
            self._explained_turns[key] = self._explain(stored, self._turns(stored))
        while len(self._explained_turns) > MAX_CACHED_GAMES:
            self._explained_turns.popitem(last=False)
        return self._explained_turns[key]

    def _explain(self, stored: StoredGame, turns: list[Turn]) -> tuple[list[Turn], str]:
        if self._agent_service is None:
            return turns, "The turns have no reasons: no agent was asked for them."
        label, setup = stored.agent.label, stored.setup
        try:
            if not stored.agent.repeatable:
                raise ApiError(409, f"{label} is not repeatable, so it is not asked again")
            own = self._own(stored.agent)
            if own is not None and own.source is None:
                raise ApiError(409, f"{label} cannot be asked: {own.missing}")
            if own is None and self._registry.find("agent", stored.agent.spec.name).version != stored.agent.version:
                raise ApiError(409, f"{label} has changed since the game was played")
            explained = self._agent_service.explain(setup, label, self._spec(stored.agent), turns)
            if explained is not None:
                return explained, ""
            why = f"{label} did not finish a second game, or took other turns in it"
        except (ApiError, PluginError) as error:
            why = str(error)
        try:
            proven = self._agent_service.prove(setup, label, turns)
            return proven, f"The reasons are the engine's smallest proofs: {why}."
        except ApiError as error:
            return turns, f"The turns have no reasons: {why}, and {error}."

    def _turns(self, stored: StoredGame) -> list[Turn]:
        if stored.moves is not None:
            try:
                return read_turns(stored.moves)
            except ValueError as error:
                raise RunError(f"the game of {stored.agent.label} on board {stored.number}: {error}") from None
        turns = self._replayed_turns.get(stored.fixture)
        if turns is None:
            turns = self._replayed_turns[stored.fixture] = self._play_again(stored)
        while len(self._replayed_turns) > MAX_CACHED_GAMES:
            self._replayed_turns.popitem(last=False)
        return turns

    def _play_again(self, stored: StoredGame) -> list[Turn]:
        label = stored.agent.label
        if self._agent_service is None:
            raise ApiError(404, f"the moves of {label} on board {stored.number} were not kept")
        if not self.can_play_again(stored.agent):
            own = self._own(stored.agent)
            why = f"{label} has changed since" if own is None else own.missing
            raise ApiError(409, f"the moves were not kept, and {label} cannot play the game again: {why}")
        result, turns = self._agent_service.play(stored.setup, label, self._spec(stored.agent))
        if not result.agrees(stored.result):
            raise ApiError(409, f"the moves were not kept, and {label} plays another game now")
        return turns


def _serialize_sweep(sweep: Sweep, run: StoredRun) -> dict[str, Any]:
    """Conditions that make curves: for each point its place on the axis and the number of the condition."""
    numbers = {condition.label: number for number, condition in enumerate(run.conditions, 1)}
    return {
        "name": sweep.name,
        "axis": sweep.axis,
        "series": [
            {"title": series.title, "points": [[x, numbers[condition.label]] for x, condition in series.points]}
            for series in sweep.series
        ],
    }


def comparison(
    name: str,
    score: Score,
    first_scores: Mapping[int, float | None],
    second_scores: Mapping[int, float | None],
    max_boards: int,
    available: Collection[int] | None = None,
) -> dict[str, Any]:
    """Compare two agents board by board: on how many boards each is better, and up to `max_boards` of these boards.

    Boards with the largest lead come first. With `available`, only these boards are listed.
    """
    sign = 1 if score.more_is_better else -1
    leads = []
    for number in sorted(first_scores.keys() & second_scores.keys()):
        first, second = first_scores[number], second_scores[number]
        if first is not None and second is not None and first != second:
            leads.append((sign * (first - second), number, round(first, 6), round(second, 6)))
    leads.sort(key=lambda lead: (-abs(lead[0]), lead[1]))
    won = [lead[1:] for lead in leads if lead[0] > 0]
    lost = [lead[1:] for lead in leads if lead[0] < 0]
    listed = [[lead for lead in side if available is None or lead[0] in available] for side in (won, lost)]
    return {
        "score": name,
        "better": len(won),
        "worse": len(lost),
        "boards": len(first_scores.keys() & second_scores.keys()),
        "won": listed[0][:max_boards],
        "lost": listed[1][:max_boards],
    }


def score_values(score: Score, results: Mapping[int, GameResult]) -> dict[int, float | None]:
    """Return the score on each board."""
    return {number: score_value(score, result) for number, result in results.items()}


def score_value(score: Score, result: GameResult) -> float | None:
    """Return the score of a game, or None for a measured score without a value in this game."""
    value = float(score(result))
    return None if isnan(value) else value
