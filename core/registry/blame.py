"""Find the plugin that raised an exception, so that the message can name it.

Trusted plugins (scores, board sources, noises, reports, executors) are called from many places and may raise anything,
including `SystemExit`. Some calls know which plugin they have called; in all other cases the traceback shows it.
"""

from __future__ import annotations

import os
import sys
from pathlib import PurePath

from sweepstakes.errors import SweepstakesError, located
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.untrusted.exceptions import describe_error, text_of, traceback_entries

RAISED = (Exception, SystemExit)
"""Exceptions of a plugin, except the user's Ctrl-C."""
_places: dict[str, str] = {}
"""The files and folders of plugins that this process has imported, with the names of the plugins."""


def note_imported(source: PluginSource) -> None:
    """Remember where the code of a third-party plugin is, after it has been imported."""
    name = located(source.path) if source.path else source.name
    module = sys.modules.get(source.value.partition(":")[0]) if source.kind == "entry point" else None
    files = [source.path, *(each.path for each in source.modules), getattr(module, "__file__", None) or ""]
    for file in filter(None, files):
        package = PurePath(file).name == "__init__.py"
        _places[str(PurePath(file).parent) + os.sep if package else file] = name


def plugin_at_fault(error: BaseException) -> str:
    """Return the plugin in the traceback of an exception, or "" if no plugin is involved."""
    for file, *_ in reversed(traceback_entries(error)):
        for place, name in _places.items():
            if file == place or (place.endswith(os.sep) and file.startswith(place)):
                return name
    return ""


def describe_failure(error: BaseException, longest: int) -> str:
    """Describe in one line an exception that is not an agent's fault. Name the plugin that raised it, if any."""
    if issubclass(type(error), SweepstakesError):
        return text_of(error, longest)
    plugin = plugin_at_fault(error)
    return f"plugin {plugin} raised {describe_error(error, longest)}" if plugin else describe_error(error, longest)
