"""A plan as the workload of executors, and as a parcel for other machines."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

from sweepstakes.errors import PluginError, RunError
from sweepstakes.executor import Finished, Fixture, Limits, PackedRows, Row
from sweepstakes.game.faults import AgentFault
from sweepstakes.game.result import LONGEST_FAULT, Ending, GameResult
from sweepstakes.game.transcript import check_transcript
from sweepstakes.hosting.client import Hosts
from sweepstakes.hosting.hosted_agent import HostedAgents
from sweepstakes.registry.registry import Registry
from sweepstakes.spec import Spec
from sweepstakes.tournaments.plan import KeptGame, Plan
from sweepstakes.tournaments.resolve.machine import isolation_here
from sweepstakes.tournaments.resolve.playable import changed_plugin
from sweepstakes.tournaments.running.game_player import PlanPlayer, warm_agents
from sweepstakes.tournaments.running.packing import PackedFile, Paths, pack_files, unpack_files
from sweepstakes.tournaments.storage.packed import Block, read_head
from sweepstakes.untrusted.text import clean
from sweepstakes.warm_up import warm_up


class PlanWorkload(NamedTuple):
    """The games of a plan, as a `Workload`. It can be pickled."""

    plan: Plan
    shown: tuple[str, ...] = ()
    """The labels of the agents whose output is kept in every game. For others it is kept only in their first faults."""
    kept: tuple[KeptGame, ...] = ()
    """Games that are not played again: the measures that their rows lack are computed from their turns."""

    def open(self, limits: Limits | None = None, hosts: Hosts | None = None) -> PlanPlayer:
        """Load the plugins in the current process and return the player of the games."""
        return PlanPlayer(self.plan, limits=limits, hosts=hosts, shown=self.shown, kept=self.kept)

    def warm_agents(self) -> tuple[str, ...] | None:
        """Return the built-in agents whose compiled code host processes need, or None without host processes."""
        return warm_agents(self.plan)

    def forfeit(self, fixture: Fixture, ending: Ending, what: str, seconds: float) -> Row:
        """Return the row of a game whose process ended before the game did: a fault, and no counts."""
        setup = self.plan.setup(fixture)
        fault = clean(f"agent '{clean(self.plan.name(fixture))}' {what}{setup.where()}", LONGEST_FAULT)
        return Row(fixture, GameResult(*setup.size, ending, fault=fault), seconds, None)

    def check(self, row: Finished) -> None:
        """Raise `ValueError`, with a sentence, for a row that is impossible in the plan, or an invalid block."""
        if isinstance(row, PackedRows):
            names = {name for name, _ in read_head(Block.of(row))["columns"]}
            if not names >= set(self.plan.scores):
                raise ValueError("a block without a score of the tournament")
            return
        self.plan.conditions[row.fixture.condition].check(row.result, row.seconds, row.moves, row.took)
        if row.transcript is not None:
            check_transcript(row.transcript)

    def title(self, fixture: Fixture) -> str:
        """Return the name of a game: AGENT/CONDITION/NUMBER."""
        return self.plan.title(fixture)

    def repeats(self, fixture: Fixture) -> bool:
        """Return whether the agent of the game plays it the same way every time."""
        return self.plan.entries[fixture.agent].repeatable

    def parcel(self) -> Parcel:
        """Return the plan with the contents of the files that it names, for another machine."""
        return Parcel(self, pack_files(self.plan))

    def prepare(self) -> None:
        """Compile what the games need, and make every agent once. Raise `SweepstakesError` if an agent cannot be made.

        If an agent could be made on the machine of the plan but not here, it is not the agent's fault: a library may be
        missing here.
        """
        plan = self.plan
        registry = Registry(trusted=plan.plugins, third_party=False)
        registry.check()
        if changed := changed_plugin(plan, registry):
            raise RunError(f"{changed} differs from that of the run")
        isolation = isolation_here(plan.config.isolation)
        warm_up_for(plan, registry, quiet=True)
        hosted = [(entry.label, entry.source) for entry in plan.entries if entry.source is not None]
        if not hosted:
            return
        with Hosts(warm=self.warm_agents()) as hosts:
            for label, source in hosted:
                agents = HostedAgents(hosts, source, plan.config.limits, isolation)
                try:
                    agents()
                except AgentFault as fault:
                    raise PluginError(f"agent '{label}' {fault.what}") from None
                finally:
                    agents.end()


class Parcel(NamedTuple):
    """A workload and the files that its plan names. It can be pickled."""

    workload: PlanWorkload
    files: Mapping[Paths, tuple[PackedFile, ...]]

    def unpack(self, folder: Path) -> PlanWorkload:
        """Write the files into the folder, and return the workload that names them there."""
        return self.workload._replace(plan=unpack_files(self.workload.plan, self.files, folder))


def warm_up_for(plan: Plan, registry: Registry, *, quiet: bool) -> None:
    """Compile what the built-in agents need, before any worker starts. Third-party code runs only in workers."""
    specs = [entry.spec for entry in plan.entries if entry.built_in and entry.repeatable]
    noises = [registry.noise(spec) for spec in dict.fromkeys(c.noise for c in plan.conditions)]
    exact = [noise for noise in noises if noise.exact][:1]
    noisy = [noise for noise in noises if not noise.exact][:1]
    agents = {spec.name: registry.agent(spec) for spec in [*map(Spec, warm_agents(plan) or ()), *specs]}
    measures = [registry.make("score", measure) for measure in plan.measures]
    # Third-party agents may need any kernel at any time, and their processes cannot write to the cache.
    rare = warm_agents(plan) is not None or any(measure.needs_evidence for measure in measures)
    review = any(measure.needs_prior for measure in measures)
    warm_up(agents.values(), exact + noisy, quiet=quiet, review=review, rare=rare)
