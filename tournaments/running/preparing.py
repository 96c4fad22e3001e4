"""Getting a machine ready to play a plan that another machine made."""

from __future__ import annotations

from sweepstakes.errors import PluginError, RunError
from sweepstakes.game.faults import AgentFault
from sweepstakes.hosting.client import Hosts
from sweepstakes.hosting.hosted_agent import HostedAgents
from sweepstakes.registry.registry import Registry
from sweepstakes.tournaments.plan import Plan
from sweepstakes.tournaments.planning import changed_plugin, isolation_here
from sweepstakes.tournaments.running.runner import warm_up_for


def prepare(plan: Plan) -> None:
    """Compile what the games need, and make every agent once; `SweepstakesError` if this machine cannot play one.

    An agent that was made on the machine of the plan and cannot be made here is no fault of the agent: a library
    may be missing.
    """
    registry = Registry(trusted=plan.plugins, third_party=False)
    registry.check()
    if changed := changed_plugin(plan, registry):
        raise RunError(f"{changed} differs from that of the run")
    isolation = isolation_here(plan.config.isolation)
    warm_up_for(plan, registry, quiet=True)
    limits = plan.config.limits
    hosted = [(entry.label, entry.source) for entry in plan.entries if entry.source is not None]
    if not hosted:
        return
    with Hosts(warm=plan.warm_agents()) as hosts:
        for label, source in hosted:
            agents = HostedAgents(hosts, source, limits, isolation)
            try:
                agents()
            except AgentFault as fault:
                raise PluginError(f"agent '{label}' {fault.what}") from None
            finally:
                agents.end()
