"""Descriptions of plugins that a registry must not import, and the interface of whatever provides them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

from sweepstakes.errors import PluginError
from sweepstakes.registry.agent_source import AgentSource, ReadFile
from sweepstakes.registry.parameters import Description
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.spec import Spec


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
