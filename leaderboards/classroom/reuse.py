"""Find what a submission reuses: the inference engine, built-in agents, or the way in which one of them plays."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from sweepstakes.errors import PluginError
from sweepstakes.hosting.describing import read_imports
from sweepstakes.leaderboards.classroom.built_in_play import Likeness
from sweepstakes.leaderboards.classroom.class_rules import ENGINE, REGISTRY, ClassRules
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.registry.registry import Registry

_PLUGINS = "sweepstakes.plugins"
_OR = " or "
"""Between the names of agents that are in one module."""


class Reuse(NamedTuple):
    """What a submission reuses."""

    imports: tuple[str, ...] = ()
    """The inference engine, the registry and built-in agents that its import statements name."""
    likeness: Likeness = Likeness()

    def sentences(self) -> list[str]:
        """Return the sentences to report."""
        found = [f"plays as {self.likeness}"] if self.likeness.is_alike else []
        return [*found, *(f"imports {name}" for name in self.imports)]

    def not_allowed(self, rules: ClassRules) -> list[str]:
        """Return the reuse that the class file does not allow; nothing if the file has no such rule."""
        if rules.allow is None:
            return []
        played = self.likeness.is_alike and not set(self.likeness.agents) & set(rules.allow)
        found = [f"plays as {self.likeness}"] if played else []
        return [*found, *(f"imports {name}" for name in self.imports if not set(name.split(_OR)) & set(rules.allow))]


def reused_imports(source: PluginSource | None) -> tuple[str, ...]:
    """Return the names in the import statements of a submission and its modules. They are parsed in a host.

    Imports that a program computes are not found, but its play is compared in any case.
    """
    if source is None:
        return ()
    texts = [(source.text, "")]
    texts += [(module.text, module.package) for module in source.modules if module.kind in ("module", "package")]
    names: set[str] = set()
    for text, package in texts:
        try:
            names.update(read_imports(text, package))
        except PluginError as error:
            return (f"what cannot be read: {error}",)
    return tuple(sorted({word for name in names for word in _reported(name)}))


def _reported(name: str) -> Iterator[str]:
    """Yield the name of an import for a report; nothing if everybody may import it."""
    if name == ENGINE or name.startswith(f"{ENGINE}."):
        yield ENGINE
    elif name == REGISTRY or name.startswith("sweepstakes.registry"):
        yield REGISTRY
    elif name.startswith(f"{_PLUGINS}."):
        agents = Registry.built_in().offers("agent").items()
        modules = {agent: getattr(offer.factory, "__module__", "") for agent, offer in agents}
        named = [agent for agent, module in modules.items() if f"{name}.".startswith(f"{module}.")]
        if named:
            yield _OR.join(named)
