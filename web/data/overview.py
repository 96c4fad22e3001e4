"""What the Leaderboard and Watch pages need of a run: the same for the server and for a static site."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping
from contextlib import suppress
from typing import Any

from sweepstakes.errors import PluginError, RunError
from sweepstakes.executor import Fixture
from sweepstakes.game.result import GameResult
from sweepstakes.game.turn import Turn
from sweepstakes.game.turn_codec import read_turns
from sweepstakes.game.view import View
from sweepstakes.registry.registry import Registry
from sweepstakes.registry.spec import Spec
from sweepstakes.score import MeasuredScore, Score
from sweepstakes.tournaments.plan import Entry
from sweepstakes.tournaments.replay.replay import Replay
from sweepstakes.tournaments.storage.stored_run import StoredGame, StoredRun
from sweepstakes.web.agents.agent_service import Adviser
from sweepstakes.web.data.serialize import plain_replay
from sweepstakes.web.server.api_error import Refused

MOST_BOARDS = 50
"""How many of the boards that decided a comparison are listed for each side."""
MOST_AGAIN = 20
"""How many games that had to be played again are remembered."""


class Pages:
    """A run as the pages see it. Agents and conditions are named by their place in the tournament, counted from 1.

    If there is an `adviser`, it plays again games that kept no moves, and finds the reasons of any game.
    """

    def __init__(self, run: StoredRun, registry: Registry, adviser: Adviser | None = None) -> None:
        self.run = run
        self._registry = registry
        self._adviser = adviser
        self._again: OrderedDict[Fixture, list[Turn]] = OrderedDict()
        self._told: OrderedDict[Fixture, tuple[list[Turn], str]] = OrderedDict()

    def overview(self) -> dict[str, Any]:
        """The leaderboard, and what can be watched, as the run stands now."""
        self.run = run = self.run.reopened()
        return {
            "name": run.directory.resolve().name,
            "leaderboard": run.leaderboard(),
            "agents": [{"id": i, "label": agent.label} for i, agent in enumerate(run.agents, 1)],
            "conditions": [
                {
                    "id": i,
                    "label": condition.label,
                    "boards": run.boards(i - 1),
                    **condition.size._asdict(),
                    "seed": condition.seed,
                    "source": str(condition.source.portable),
                    "rules": condition.rules._asdict() | {"text": str(condition.rules)},
                    "noise": str(condition.noise.portable),
                }
                for i, condition in enumerate(run.conditions, 1)
            ],
        }

    def replay(self, condition: int, agent: int, number: int) -> dict[str, Any]:
        """A game, turn by turn."""
        stored = self._stored(condition, agent, number)
        turns, note = self._explained(stored)
        shown = Replay.of(self.run.set_up(stored.fixture), turns, stored.result)
        if shown.complaint:
            note = f"{shown.complaint}: the row is not what the game was."
        values = {name: worth(score, stored.result) for name, score in self._scores().items()}
        return plain_replay(shown) | {
            "agent": stored.agent.label,
            "number": number,
            "note": note,
            "scores": {name: round(value, 6) for name, value in values.items() if value is not None},
        }

    def views(self, condition: int, agent: int, number: int) -> list[View]:
        """The positions of a game: before the first turn, and after each."""
        stored = self._stored(condition, agent, number)
        shown = Replay.of(self.run.set_up(stored.fixture), self._turns(stored), stored.result)
        return [frame.after for frame in shown.frames]

    def waits_for(self, condition: int, agent: int, number: int) -> Spec | None:
        """The agent that has to play the game again before it can be shown; None if it can be shown at once."""
        stored = self._stored(condition, agent, number)
        at_once = self._adviser is None or stored.fixture in self._told
        return None if at_once or not self.can_play_again(stored.agent) else stored.agent.spec

    def decisive(self, condition: int, first: int, second: int, most: int = MOST_BOARDS) -> dict[str, Any]:
        """The boards on which two agents differ, by the ranking score: for each side those with the largest lead."""
        agents = range(1, len(self.run.agents) + 1)
        if not 1 <= condition <= len(self.run.conditions) or first not in agents or second not in agents:
            raise Refused(404, "there is no such condition or agent")
        name, score = self.ranking()
        left, right = (worths(score, self.results(condition, agent)) for agent in (first, second))
        return comparison(name, score, left, right, most)

    def results(self, condition: int, agent: int) -> dict[int, GameResult]:
        """The results of an agent under a condition, by board."""
        numbers, _, results = self.run.results(condition - 1, agent - 1)
        return dict(zip(numbers, results, strict=True))

    def ranking(self) -> tuple[str, Score]:
        """The score that ranks."""
        return next(iter(self._scores().items()))

    def can_play_again(self, agent: Entry) -> bool:
        """Whether there is somebody to play the agent's games again, and the agent is the same as then."""
        offer = self._registry.offers("agent").get(agent.spec.name)
        return self._adviser is not None and offer is not None and offer.version == agent.version

    def _scores(self) -> dict[str, Score]:
        scores: dict[str, Score] = {}
        for name in self.run.plan.scores:
            with suppress(PluginError):  # its plugin is not here: the table has its numbers all the same
                scores[name] = self.run.make("score", name)
        return scores or {"identified": self.run.make("score", "identified")}

    def _stored(self, condition: int, agent: int, number: int) -> StoredGame:
        known = 1 <= condition <= len(self.run.conditions) and 1 <= agent <= len(self.run.agents)
        stored = self.run.find(Fixture(agent - 1, condition - 1, number)) if known else None
        if stored is None:
            raise Refused(404, f"there is no game of agent {agent} on board {number} of condition {condition}")
        return stored

    def _explained(self, stored: StoredGame) -> tuple[list[Turn], str]:
        """The turns with their reasons, and a line if the reasons are not the agent's."""
        key = stored.fixture
        if key not in self._told:
            self._told[key] = self._explain(stored, self._turns(stored))
        while len(self._told) > MOST_AGAIN:
            self._told.popitem(last=False)
        return self._told[key]

    def _explain(self, stored: StoredGame, turns: list[Turn]) -> tuple[list[Turn], str]:
        if self._adviser is None:
            return turns, "Nobody was there to find reasons."
        label, setup = stored.agent.label, stored.setup
        try:
            if self._registry.find("agent", stored.agent.spec.name).version != stored.agent.version:
                raise Refused(409, f"{label} has changed since the game was played")
            told = self._adviser.explain(setup, label, stored.agent.spec, turns)
            if told is not None:
                return told, ""
            why = f"a second playing of {label} broke off or took other turns"
        except (Refused, PluginError) as error:
            why = str(error)
        try:
            proven = self._adviser.prove(setup, label, turns)
            return proven, f"The reasons are the engine's own smallest proofs: {why}."
        except Refused as error:
            return turns, f"There are no reasons: {why}, and {error}."

    def _turns(self, stored: StoredGame) -> list[Turn]:
        if stored.moves is not None:
            try:
                return read_turns(stored.moves)
            except ValueError as error:
                raise RunError(f"the game of {stored.agent.label} on board {stored.number}: {error}") from None
        turns = self._again.get(stored.fixture)
        if turns is None:
            turns = self._again[stored.fixture] = self._play_again(stored)
        while len(self._again) > MOST_AGAIN:
            self._again.popitem(last=False)
        return turns

    def _play_again(self, stored: StoredGame) -> list[Turn]:
        label = stored.agent.label
        if self._adviser is None:
            raise Refused(404, f"the moves of {label} on board {stored.number} were not kept")
        if not self.can_play_again(stored.agent):
            raise Refused(409, f"the moves were not kept, and {label} has changed since: it cannot be played again")
        result, turns = self._adviser.play(stored.setup, label, stored.agent.spec)
        if result.outcome != stored.result.outcome:
            raise Refused(409, f"the moves were not kept, and {label} plays another game now")
        return turns


def comparison(
    name: str,
    score: Score,
    left: Mapping[int, float | None],
    right: Mapping[int, float | None],
    most: int,
    listed: Collection[int] | None = None,
) -> dict[str, Any]:
    """Two agents by their values on each board: on how many each is better, and for each side up to `most` boards.

    Those with the largest lead come first; if `listed` is given, only boards among these are listed.
    """
    sign = 1 if score.more_is_better else -1
    leads = []
    for number in sorted(left.keys() & right.keys()):
        mine, theirs = left[number], right[number]
        if mine is not None and theirs is not None and mine != theirs:
            leads.append((sign * (mine - theirs), number, round(mine, 6), round(theirs, 6)))
    leads.sort(key=lambda lead: (-abs(lead[0]), lead[1]))
    won = [lead[1:] for lead in leads if lead[0] > 0]
    lost = [lead[1:] for lead in leads if lead[0] < 0]
    shown = [[lead for lead in side if listed is None or lead[0] in listed] for side in (won, lost)]
    return {
        "score": name,
        "better": len(won),
        "worse": len(lost),
        "boards": len(left.keys() & right.keys()),
        "won": shown[0][:most],
        "lost": shown[1][:most],
    }


def worths(score: Score, results: Mapping[int, GameResult]) -> dict[int, float | None]:
    """The score on each board."""
    return {number: worth(score, result) for number, result in results.items()}


def worth(score: Score, result: GameResult) -> float | None:
    """The score of a game; None if it would have had to be measured, and was not or could not be."""
    if isinstance(score, MeasuredScore) and result.measures.get(score.name) is None and not result.ending.is_fault:
        return None
    return float(score(result))
