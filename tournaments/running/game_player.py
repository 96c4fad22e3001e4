"""Plays the games of a plan, in this process or in a worker process."""

from __future__ import annotations

import functools
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import nullcontext
from time import monotonic

from sweepstakes import logs, os_support
from sweepstakes.agent import Agent
from sweepstakes.errors import PluginError, RunError, SweepstakesError
from sweepstakes.executor import Finished, Fixture, Guard, Limits, Row
from sweepstakes.game.game import Game
from sweepstakes.game.playing import Played, play_game
from sweepstakes.game.result import MAX_MEASURE, GameResult
from sweepstakes.game.transcript import pack_transcript
from sweepstakes.game.turn import Turn
from sweepstakes.game.turn_codec import pack, read_turns
from sweepstakes.hosting.client import Hosts
from sweepstakes.hosting.hosted_agent import HostedAgents
from sweepstakes.inference.explaining import explain_game, proven_turns
from sweepstakes.limits import second_limits
from sweepstakes.registry.registry import Registry
from sweepstakes.score import MeasuredScore
from sweepstakes.spec import Spec
from sweepstakes.tournaments.plan import KeptGame, Plan
from sweepstakes.tournaments.resolve.playable import changed_plugin
from sweepstakes.tournaments.running.repeating import find_mismatch
from sweepstakes.tournaments.running.spending_limits import check_known
from sweepstakes.tournaments.storage.output_file import MAX_FAULTS
from sweepstakes.tournaments.storage.packed import Packer
from sweepstakes.untrusted.exceptions import describe_error

_LOG = logs.logger(__name__)
Measure = Callable[[Game, Sequence[Turn]], Mapping[str, float]]
SAMPLE = 10
"""With `moves: sample`, the games on this many boards of each condition keep their moves, or on `keep_boards`."""


def warm_agents(plan: Plan) -> tuple[str, ...] | None:
    """Return the built-in agents whose compiled code host processes need, or None without host processes."""
    sources = [entry.source for entry in plan.entries if entry.source is not None]
    if not sources:
        return None
    return tuple(Registry.built_in().self_contained_agents()) if any(source.kernels for source in sources) else ()


class PlanPlayer:
    """Plays any game of a plan. `shown` and `kept` are those of a `PlanWorkload`."""

    def __init__(
        self,
        plan: Plan,
        registry: Registry | None = None,
        limits: Limits | None = None,
        hosts: Hosts | None = None,
        shown: Collection[str] = (),
        kept: Iterable[KeptGame] = (),
    ) -> None:
        self.plan = plan
        self._shown = shown
        fresh = registry is None
        registry = registry or Registry(trusted=plan.plugins, third_party=False)
        registry.check()
        if fresh and (changed := changed_plugin(plan, registry)):
            raise RunError(f"{changed} has changed since the run was started: stop and run again")
        self._registry = registry
        self._limits = limits or plan.config.limits
        self._second_limits = second_limits(self._limits)
        if any(entry.source is not None for entry in plan.entries):
            os_support.check_memory(self._limits.memory_mb)
        self._own_hosts = hosts is None
        self._hosts = hosts or Hosts(warm=warm_agents(plan))
        self._agents: dict[int, Callable[[], Agent]] = {}
        self._live: HostedAgents | None = None
        self._spending: Agent | None = None
        """The agent of the current game, if it may have spent something."""
        self._kept = {stored.fixture: stored for stored in kept}
        self._packer = Packer(plan, functools.partial(registry.make, "score"))
        self._faults: Counter[int] = Counter()
        """The faults of each agent whose output was reported: more are not wanted."""
        scores: dict[str, MeasuredScore] = {name: registry.make("score", name) for name in plan.measures}
        self._missing = dict.fromkeys(score.name for score in scores.values())
        self._reviewed = [score.name for score in scores.values() if not score.needs_evidence]
        self._reviews: dict[Measure, dict[str, str]] = {}
        """What is measured of the turns alone: by function, the scores that it measures, by name in `GameResult`."""
        self._measures: dict[Measure, dict[str, str]] = {}
        """What needs evidence too, in the same way."""
        for label, score in scores.items():
            functions = self._measures if score.needs_evidence else self._reviews
            functions.setdefault(score.measure, {})[score.name] = label

    def agent(self, fixture: Fixture) -> Callable[[], Agent]:
        """Return the factory of a game's agent. It is made for the first game, since other agents may be missing."""
        factory = self._agents.get(fixture.agent)
        if factory is None:
            entry = self.plan.entries[fixture.agent]
            if entry.source is None:
                factory = self._registry.agent(entry.spec)
            else:
                isolation = self.plan.config.isolation
                factory = HostedAgents(self._hosts, entry.source, self._limits, isolation, label=entry.label)
            self._agents[fixture.agent] = factory
        return factory

    def packs(self, fixture: Fixture) -> bool:
        """Return whether the row of this game is packed."""
        return not self._kept and self._packer.packs(fixture)

    def pack(self, rows: Sequence[Row]) -> list[Finished]:
        """Pack the rows that are not kept; stored games that were measured are kept."""
        return list(rows) if self._kept else self._packer.pack(rows)

    def end_chunk(self) -> None:
        """End the host process of the agent that played last."""
        if self._live is not None:
            self._live.end()
            self._live = None
        logs.agent.set("-")

    def close(self) -> None:
        """End all host processes that this object has started."""
        self.end_chunk()
        if self._own_hosts:
            self._hosts.close()

    def game(self, fixture: Fixture) -> Game:
        """Return a game before its first turn."""
        return self.plan.game(fixture, self._registry)

    def play(self, fixture: Fixture, guard: Guard | None = None) -> Row:
        """Play one game. A guard, if there is one, calls the factory of the agent.

        If the plan has scores that need evidence, the agent plays the finished game a second time, to give it. The
        result of the game is that of the first playing, even if the second one fails. What is measured without evidence
        is measured from the turns of the first playing, off the agent's clock. A game in `kept` is not played:
        its turns are measured.
        """
        if (stored := self._kept.get(fixture)) is not None:
            return self._complete(stored, guard)
        started = monotonic()
        moves = self.plan.config.moves
        keep = moves == "all" or (moves == "sample" and fixture.number < (self.plan.config.keep_boards or SAMPLE))
        self._spending = None
        make, again = self._factories(fixture, guard)
        logs.agent.set(self.plan.entries[fixture.agent].label)
        starting = make.starting if isinstance(make, HostedAgents) else 0.0
        played = self._play(fixture, make, keep)
        if played.result.ending.is_fault:
            _LOG.warning("game %s ended as %s", self.plan.title(fixture), played.result.ending)  # a fault has the seed
        keep = keep or (moves != "none" and played.result.ending.is_fault)  # so that `replay` shows what happened
        packed = pack(played.turns) if keep and played.turns is not None else None
        row = Row(fixture, played.result, played.seconds, packed, output=self._output(fixture, make, played))
        if self._missing:
            row = row._replace(result=self._measured(row, played.turns, again, guard))
        if self._spending is not None:
            spent = self._spent(fixture, self._spending)
            row = row._replace(result=row.result._replace(measures={**row.result.measures, **spent}))
            if keep:
                row = row._replace(transcript=pack_transcript(self._spending.transcript))
        if isinstance(make, HostedAgents):  # a host is started once for a chunk, however many games that has
            started += make.starting - starting
        return row._replace(took=monotonic() - started, files=self._files(make))

    def _complete(self, stored: KeptGame, guard: Guard | None) -> Row:
        """Add to the row of a stored game what it lacks, from its turns. Return it unchanged if they do not match."""
        started = monotonic()
        fixture = stored.fixture
        size = self.plan.conditions[fixture.condition].size
        row = Row(fixture, GameResult.from_row(size, stored.row), 0.0, stored.moves)
        game = self.game(fixture)
        try:
            turns = read_turns(stored.moves)
        except ValueError:
            return row
        if find_mismatch(game, turns, row.result, row.result):
            return row
        known = {name: value for name, value in game.result()._asdict().items() if getattr(row.result, name) is None}
        result = row.result._replace(**known)
        if self._missing:
            measured = self._measured(row._replace(result=result), turns, self._factories(fixture, guard)[1], guard)
            result = result._replace(measures={**measured.measures, **row.result.measures})
        return row._replace(result=result, took=monotonic() - started)

    def _files(self, agents: Callable[[], Agent]) -> tuple[tuple[str, str], ...]:
        """Return the data files that the agent has opened for the first time in the game that it has just played."""
        files = agents.take_files() if isinstance(agents, HostedAgents) else ()
        return tuple((file.place, file.digest) for file in files)

    def _output(self, fixture: Fixture, agents: Callable[[], Agent], played: Played) -> str:
        """Return the output of the agent in the game that it has just played, if it is requested."""
        if not isinstance(agents, HostedAgents):
            return ""
        if self.plan.name(fixture) in self._shown:
            return agents.output
        if not played.result.ending.is_fault or self._faults[fixture.agent] >= MAX_FAULTS:
            return ""
        output = agents.output
        self._faults[fixture.agent] += bool(output)
        return output

    def _measured(
        self,
        row: Row,
        turns: Sequence[Turn] | None,
        again: Callable[[], Agent],
        guard: Guard | None,
    ) -> GameResult:
        """Return the result of a game with its measures; those of a game that ended by a fault need no evidence."""
        result, fixture = row.result, row.fixture
        fault = result.ending.is_fault
        measures: dict[str, float | None] = dict(result.measures if fault else self._missing)
        if turns is not None:
            reviewed = self._measure(self._reviews, fixture, turns)
            measures.update((name, reviewed[name]) for name in self._reviewed)
        if self._measures and not fault:
            first = row._replace(result=result._replace(measures=dict(measures)))
            if not self.plan.entries[fixture.agent].repeatable:  # the engine gives the evidence
                explained: list[Turn] | None = proven_turns(self.game(fixture), turns or [])
            else:
                with guard.second_playing(first) if guard is not None else nullcontext():
                    explained = explain_game(self.game(fixture), again, turns or [], self._second_limits)
            if explained is not None:
                measures.update(self._measure(self._measures, fixture, explained))
        return result._replace(measures=measures)

    def explain(self, fixture: Fixture, turns: Sequence[Turn]) -> list[Turn] | None:
        """Return the turns of a finished game with the evidence that its agent gives in a second playing.

        Returns None if the second playing fails, or if the agent cannot repeat a game.
        """
        if not self.plan.entries[fixture.agent].repeatable:
            return None
        return explain_game(self.game(fixture), self._factories(fixture, None)[1], turns, self._second_limits)

    def _factories(self, fixture: Fixture, guard: Guard | None) -> tuple[Callable[[], Agent], Callable[[], Agent]]:
        """Return the factories of the agent of a game and of the agent of its second playing."""
        factory = self.agent(fixture)
        if isinstance(factory, HostedAgents):
            if self._live is not factory:
                self.end_chunk()
                self._live = factory
            return factory, functools.partial(factory.make, self._second_limits)
        if not self.plan.entries[fixture.agent].repeatable:
            factory = self._remember(factory)
        make = factory if guard is None else functools.partial(guard, factory)
        return make, make

    def _spent(self, fixture: Fixture, agent: Agent) -> dict[str, float]:
        """Return what the agent has spent in its game.

        Raise `RunError` if a score or a limit needs a number that is unknown.
        """
        spent, label = dict(agent.spent), self.plan.entries[fixture.agent].label
        check_known(spent, self._limits, label)
        for name in self._missing:
            if name in spent and spent[name] is None:
                raise RunError(f"score '{name}': agent '{label}' does not know it, see docs/language-models.md")
        return {name: value for name, value in spent.items() if value is not None}

    def _remember(self, factory: Callable[[], Agent]) -> Callable[[], Agent]:
        """Wrap the factory so that the agent is remembered and can be asked after the game what it has spent."""

        def make() -> Agent:
            self._spending = factory()
            return self._spending

        return make

    def _play(self, fixture: Fixture, make: Callable[[], Agent], keep: bool) -> Played:
        """Play the game. Play it again if a host took too long without computing, since the machine may be the cause.

        The second game counts only if it begins with the turns of the first. Otherwise the time-out counts, since an
        agent could sleep in a game that it dislikes, to get another one.
        """
        hosted = isinstance(make, HostedAgents)
        played = play_game(self.game(fixture), make, keep_turns=keep or hosted or bool(self._missing))
        if isinstance(make, HostedAgents) and make.doubtful:
            _LOG.warning("game %s is played again: its host used hardly any processor time", self.plan.title(fixture))
            again = play_game(self.game(fixture), make, keep_turns=True)
            before, after = list(played.turns or ()), list(again.turns or ())
            if pack(after[: len(before)]) == pack(before):
                played = again
        return played

    def _measure(
        self, functions: Mapping[Measure, Mapping[str, str]], fixture: Fixture, turns: Sequence[Turn]
    ) -> dict[str, float]:
        """Return the numbers that these functions measure, by name. Raise `PluginError` if the function of a plugin
        gives none."""
        values: dict[str, float] = {}
        for measure, scores in functions.items():
            label = next(iter(scores.values()))
            try:
                found = {str(name): float(value) for name, value in measure(self.game(fixture), turns).items()}
            except (SweepstakesError, MemoryError, RecursionError):
                raise
            except (Exception, SystemExit) as error:
                if self._registry.find("score", Spec.parse(label).name).plugin.origin == "built in":
                    raise
                raise self._failed(label, f"raised {describe_error(error)}", fixture) from None
            for name in scores.keys() - found.keys():
                raise self._failed(scores[name], f"measured nothing that is called '{name}'", fixture)
            for name, value in found.items():
                if not abs(value) < MAX_MEASURE:
                    raise self._failed(label, f"measured {name} as {value:g}, expected a number below 2^53", fixture)
            values |= found
        return values

    def _failed(self, score: str, what: str, fixture: Fixture) -> PluginError:
        return PluginError(f"score '{Spec.parse(score).portable}' {what}, in game {self.plan.title(fixture)}")
