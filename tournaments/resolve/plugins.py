"""The plugins that a tournament requires besides its agents, and the plugin files that it names."""

from __future__ import annotations

from collections.abc import Sequence

from sweepstakes.hosting.describing import describer_here
from sweepstakes.registry.registry import Registry
from sweepstakes.spec import Spec
from sweepstakes.tournaments.config.model import Tournament


def required_specs(config: Tournament) -> list[tuple[str, Spec]]:
    """Return the board sources and noises of a tournament, and the scores that it names by their files."""
    sources = [("board source", Spec.of(boards.source)) for boards in config.boards]
    noises = [("clue noise", Spec.of(noise)) for noise in config.noise]
    scores = [("score", spec) for spec in map(Spec.of, config.scores) if spec.file]
    return [*sources, *noises, *scores]


def is_known(registry: Registry, kind: str, spec: Spec) -> bool:
    """Return whether the registry has the plugin by name, so that no file has to be loaded for it."""
    return not spec.file and spec.name in registry.offers(kind)


def plugin_files(config: Tournament) -> list[str]:
    """Return the plugin files that a tournament names, without those that it names for their agents."""
    return [*config.plugins, *(spec.file for _, spec in required_specs(config) if spec.file)]


def add_plugins(registry: Registry, config: Tournament) -> None:
    """Load the plugin files of a tournament's board sources and noises into a registry, if they exist."""
    if any(not is_known(Registry.default(), kind, spec) for kind, spec in required_specs(config)):
        for file in plugin_files(config):
            registry.add_file(file, asked_for=False, describer=describer_here(config.isolation, config.limits))


def load_plugins(config: Tournament, plugins: Sequence[str] = ()) -> Registry:
    """Return a registry with the plugins of this machine, those that the tournament names, and these files.

    The files that it names for their agents are not loaded.

    Agents are described under the isolation of the tournament, as far as this machine can seal processes off.
    """
    describer = describer_here(config.isolation, config.limits)
    return Registry((*plugin_files(config), *plugins), describer=describer)
