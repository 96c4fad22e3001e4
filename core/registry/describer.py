"""Descriptions of plugins that a registry must not import, as values and as plain data, and the makers of these."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NamedTuple, Protocol

from sweepstakes.errors import PluginError
from sweepstakes.registry.agent_source import AgentSource, ReadFile
from sweepstakes.registry.loading import KINDS, check_name, explain_error, load_plugin
from sweepstakes.registry.own_modules import ModuleWatch
from sweepstakes.registry.parameters import Description, describe_factory
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.spec import Spec
from sweepstakes.untrusted.exceptions import text_of, trace_of
from sweepstakes.untrusted.text import clean, clean_lines

_MAX_OFFERS = 200
"""Maximum number of offers of a plugin that are described."""


class BrokenPlugin(PluginError):  # noqa: N818 - its base has the suffix
    """A plugin that does not load, or whose hooks are invalid."""

    def __init__(self, text: str, *, loaded: bool, trace: str) -> None:
        super().__init__(text)
        self.loaded = loaded
        """Whether the plugin could be imported."""
        self.trace = trace
        """The traceback of the exception that importing it raised."""


class Described(NamedTuple):
    """The offers of a plugin."""

    offers: list[tuple[str, str, Description]]
    """Kind, name and description of each."""
    observer: bool
    """Whether the plugin has the hook `sweepstakes_game_finished`."""
    file: str
    kernels: bool
    """Whether importing the plugin imports compiled code, such as the inference engine or built-in agents."""
    weights: dict[str, str]
    """The file that the class of an agent names as its `weights`, by the name of the agent."""
    files: tuple[ReadFile, ...] = ()
    """The data files that importing the plugin opens."""

    @classmethod
    def of_plain(cls, data: Any) -> Described:
        """Check what `describe_plugin` returned in a host; `PluginError` if it is not valid.

        Third-party code in the host may have written it.
        """
        try:
            if error := data.get("error"):
                raise BrokenPlugin(clean(error, 1000), loaded=data["loaded"] is True, trace=clean_lines(data["trace"]))
            offers = []
            for kind, name, summary, parameters, needs, repeatable in data["offers"]:
                check_name(KINDS[kind], name)
                needed = tuple(clean(n, 60) for n in needs)
                described = Description(clean(summary, 400), clean(parameters, 400), needed, repeatable is not False)
                offers.append((kind, name, described))
            weights = {name: file for name, file in data["weights"].items() if type(file) is str and "\0" not in file}
            observes, kernels = bool(data["observer"]), data["kernels"] is True
            return cls(offers, observes, clean(data["file"], 1000), kernels, weights)
        except (AttributeError, KeyError, TypeError, ValueError):
            raise PluginError("it wrote into the files of its process while it was loaded") from None


def describe_plugin(source: PluginSource, modules: ModuleWatch) -> dict[str, Any]:
    """Import a plugin in a host, and describe its offers or its error as plain data: see `Described.of_plain`."""
    module = None
    try:
        module = source.load()
        loaded = load_plugin(source, module)
        modules.check()
    except BaseException as caught:  # noqa: BLE001 - third-party code may raise anything
        error = modules.missing(caught) or caught
        text = text_of(error, 1000) if isinstance(error, PluginError) else explain_error(error, source.path)
        return {"error": text, "loaded": module is not None, "trace": "" if module is not None else trace_of(error)}
    offers = [[kind, name, *describe_factory(factory)] for kind, name, factory in loaded.offers[:_MAX_OFFERS]]
    weights = {}
    for kind, name, factory in loaded.offers[:_MAX_OFFERS]:
        named = getattr(factory, "weights", "") if kind == "agent" and isinstance(factory, type) else ""
        if type(named) is str and named:
            weights[name] = named[:1000]
    kernels = "numba" in sys.modules
    observes = loaded.observer is not None
    return {"offers": offers, "observer": observes, "file": loaded.file, "kernels": kernels, "weights": weights}


class Describer(Protocol):
    """Asks third-party code about itself, in another process."""

    def read_imports(self, text: str, package: str) -> list[str]:
        """Return the names in the import statements of a text: see `imported_names`."""

    def describe(self, source: PluginSource, files: Sequence[str] = ()) -> Described:
        """Return what a plugin offers. Raise `PluginError` if it does not load. `files` are the files that it reads."""

    def check_agent(self, agent: AgentSource) -> tuple[ReadFile, ...]:
        """Return the data files that the agent opens while it is made. Raise `PluginError` if it cannot be made."""

    def describe_program(self, spec: Spec) -> AgentSource:
        """Return a program as an agent, with its version. Raise `PluginError` or `ParameterError` if it cannot play."""
