"""Run the steps for board sources, clue noises, scores and reports of a plugin, each in its own process."""

from __future__ import annotations

import functools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from sweepstakes.errors import PluginError
from sweepstakes.game.faults import AgentFault
from sweepstakes.hosting.client import Hosts
from sweepstakes.hosting.hosted_agent import HostedAgents
from sweepstakes.limits import Limits
from sweepstakes.registry.agent_source import AgentSource
from sweepstakes.registry.loading import Plugin, load_plugin
from sweepstakes.registry.parameters import check_parameters
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.testing.offers import OFFER_STEPS
from sweepstakes.testing.steps import Step
from sweepstakes.untrusted.exceptions import describe_error, text_of
from sweepstakes.untrusted.text import clean


class CheckedStep(NamedTuple):
    """The result of a step."""

    kind: str
    name: str
    """The name of the offer."""
    step: Step
    passed: bool
    message: str


def run_step(source: Sequence[Any], kind: str, name: str, values: Mapping[str, Any], place: int) -> tuple[bool, str]:
    """Import the plugin and run one step, as the task of a host. Return whether it passed, and its message."""
    offers = load_plugin(PluginSource.of_plain(source)).offers
    factory = next(make for of, offered, make in offers if (of, offered) == (kind, name))
    try:
        check_parameters(factory, values, f"{kind} '{name}'")
        return True, OFFER_STEPS[kind][place].run(functools.partial(factory, **values)) or ""
    except AssertionError as error:
        return False, text_of(error, 1000) or "an assertion of its own failed"
    except Exception as error:  # noqa: BLE001 - third-party code may raise anything
        return False, f"it raised {describe_error(error, 1000)}"


def check_offers(plugin: Plugin, seconds: float, parameters: Mapping[str, Any] | None = None) -> Iterator[CheckedStep]:
    """Check everything that a plugin offers except agents and executors. Each step may take `seconds`."""
    if plugin.source is None:
        raise PluginError(plugin.error)
    task, text, values = f"{__name__}:{run_step.__name__}", list(plugin.source), dict(parameters or {})
    offers = [(kind, name) for kind, names in plugin.offers.items() if kind in OFFER_STEPS for name in names]
    with Hosts() as hosts:
        for kind, name in offers:
            for place, step in enumerate(OFFER_STEPS[kind]):
                given = {"source": text, "kind": kind, "name": name, "values": values, "place": place}
                source = AgentSource(None, parameters=given, task=task)
                with HostedAgents(hosts, source) as checking:
                    try:
                        passed, message = checking.start(Limits(start_seconds=seconds))
                    except AgentFault as fault:
                        passed, message = False, f"it {fault.what}"
                    except (TypeError, ValueError):  # the plugin may have written the answer itself
                        passed, message = False, "it wrote into the files of its process"
                yield CheckedStep(kind, name, step, passed is True, clean(str(message), 1000))
