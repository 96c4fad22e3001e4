"""What the Leaderboard and Watch pages need of a run: the same for the server and for a static site."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Mapping
from typing import Any

from sweepstakes.errors import PluginError, RunError
from sweepstakes.record import read_turns
from sweepstakes.registry import Registry
from sweepstakes.result import GameResult
from sweepstakes.score import MeasuredScore, Score
from sweepstakes.turn import Turn
from sweepstakes.view import View
from sweepstakes.web.adviser import Adviser
from sweepstakes.web.refused import Refused
from sweepstakes.web.replay import positions, replay
from sweepstakes.web.run import Run, StoredAgent, StoredGame

MOST_BOARDS = 50
"""How many of the boards that decided a comparison are listed for each side."""
MOST_AGAIN = 20
"""How many games that had to be played again are remembered."""


class Pages:
    """A run as the pages see it.

    If there is an `adviser`, it plays again games that kept no moves, and finds the reasons of any game.
    """

    def __init__(self, run: Run, registry: Registry, adviser: Adviser | None = None) -> None:
        self.run = run
        self._registry = registry
        self._adviser = adviser
        self._again: OrderedDict[tuple[int, int, int], list[Turn]] = OrderedDict()
        self._told: OrderedDict[tuple[int, int, int], tuple[list[Turn], str]] = OrderedDict()

    def overview(self) -> dict[str, Any]:
        """The leaderboard, and what can be watched."""
        self.run.reload()
        return {
            "name": self.run.directory.resolve().name,
            "leaderboard": self.run.leaderboard(),
            "agents": [{"id": agent.id, "label": agent.label} for agent in self.run.agents.values()],
            "conditions": [
                {
                    "id": condition.id,
                    "label": condition.label,
                    "boards": condition.boards,
                    **condition.setting.size._asdict(),
                    "seed": condition.setting.seed,
                    "source": condition.setting.source,
                    "rules": condition.setting.rules._asdict() | {"text": str(condition.setting.rules)},
                    "noise": condition.setting.noise,
                }
                for condition in self.run.conditions.values()
            ],
        }

    def replay(self, condition: int, agent: int, number: int) -> dict[str, Any]:
        """A game, turn by turn."""
        stored = self._stored(condition, agent, number)
        turns, note = self._explained(stored)
        game = stored.setting.game(self._registry, stored.agent.label)
        values = {name: worth(score, stored.result) for name, score in self._scores().items()}
        return replay(game, turns, stored.result) | {
            "agent": stored.agent.label,
            "number": number,
            "note": note,
            "scores": {name: round(value, 6) for name, value in values.items() if value is not None},
        }

    def views(self, condition: int, agent: int, number: int) -> list[View]:
        """The positions of a game: before the first turn, and after each."""
        stored = self._stored(condition, agent, number)
        return list(positions(stored.setting.game(self._registry, stored.agent.label), self._turns(stored)))

    def waits_for(self, condition: int, agent: int, number: int) -> str | None:
        """The agent that has to play the game again before it can be shown; None if it can be shown at once."""
        stored = self._stored(condition, agent, number)
        at_once = self._adviser is None or (condition, agent, number) in self._told
        return None if at_once or not self.can_play_again(stored.agent) else stored.agent.name

    def decisive(self, condition: int, first: int, second: int, most: int = MOST_BOARDS) -> dict[str, Any]:
        """The boards on which two agents differ, by the ranking score: for each side those with the largest lead."""
        if condition not in self.run.conditions or not {first, second} <= set(self.run.agents):
            raise Refused(404, "there is no such condition or agent")
        name, score = self.ranking()
        left, right = (worths(score, self.run.results(condition, agent)) for agent in (first, second))
        return comparison(name, score, left, right, most)

    def ranking(self) -> tuple[str, Score]:
        """The score that ranks."""
        return next(iter(self._scores().items()))

    def _scores(self) -> dict[str, Score]:
        board = self.run.leaderboard()
        names = [column["name"] for column in board["scores"]] if board else ["identified"]
        scores: dict[str, Score] = {}
        for name in names:
            try:
                scores[name] = self._registry.make("score", name, {})
            except PluginError:
                continue  # its plugin is not here: the table has its numbers all the same
        return scores or {"identified": self._registry.make("score", "identified", {})}

    def _stored(self, condition: int, agent: int, number: int) -> StoredGame:
        stored = self.run.game(condition, agent, number)
        if stored is None:
            raise Refused(404, f"there is no game of agent {agent} on board {number} of condition {condition}")
        return stored

    def _explained(self, stored: StoredGame) -> tuple[list[Turn], str]:
        """The turns with their reasons, and a line if the reasons are not the agent's."""
        key = (stored.condition.id, stored.agent.id, stored.number)
        if key not in self._told:
            self._told[key] = self._explain(stored, self._turns(stored))
        while len(self._told) > MOST_AGAIN:
            self._told.popitem(last=False)
        return self._told[key]

    def _explain(self, stored: StoredGame, turns: list[Turn]) -> tuple[list[Turn], str]:
        if self._adviser is None:
            return turns, "Nobody was there to find reasons."
        label, setting = stored.agent.label, stored.setting
        try:
            if self._registry.find("agent", stored.agent.name).version != stored.agent.version:
                raise Refused(409, f"{label} has changed since the game was played")
            told = self._adviser.explain(setting, label, stored.agent.name, stored.agent.parameters, turns)
            if told is not None:
                return told, ""
            why = f"a second playing of {label} broke off or took other turns"
        except (Refused, PluginError) as error:
            why = str(error)
        try:
            proven = self._adviser.prove(setting, label, turns)
            return proven, f"The reasons are the engine's own smallest proofs: {why}."
        except Refused as error:
            return turns, f"There are no reasons: {why}, and {error}."

    def _turns(self, stored: StoredGame) -> list[Turn]:
        if stored.moves is not None:
            try:
                return read_turns(stored.moves)
            except ValueError as error:
                raise RunError(f"the game of {stored.agent.label} on board {stored.number}: {error}") from None
        key = (stored.condition.id, stored.agent.id, stored.number)
        turns = self._again.get(key)
        if turns is None:
            turns = self._again[key] = self._play_again(stored)
        while len(self._again) > MOST_AGAIN:
            self._again.popitem(last=False)
        return turns

    def can_play_again(self, agent: StoredAgent) -> bool:
        """Whether there is somebody to play the agent's games again, and the agent is the same as then."""
        if self._adviser is None:
            return False
        try:
            return self._registry.find("agent", agent.name).version == agent.version
        except PluginError:
            return False

    def _play_again(self, stored: StoredGame) -> list[Turn]:
        label = stored.agent.label
        if self._adviser is None:
            raise Refused(404, f"the moves of {label} on board {stored.number} were not kept")
        if not self.can_play_again(stored.agent):
            raise Refused(409, f"the moves were not kept, and {label} has changed since: it cannot be played again")
        result, turns = self._adviser.play(stored.setting, label, stored.agent.name, stored.agent.parameters)
        if _alike(result) != _alike(stored.result):
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


def _alike(result: GameResult) -> tuple[Any, ...]:
    """What must be the same when a game is played again."""
    return tuple(result._replace(fault="", measures={}))
