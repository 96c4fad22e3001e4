"""Writes every generated page and picture of the documentation.

    python docs/tools/write.py [NAME ...]            show what differs from the pages, and exit with 1 if anything does
    python docs/tools/write.py --write [NAME ...]    write it into the pages

NAME is one of the generators below; without a name, all of them run.
"""

from __future__ import annotations

import argparse
import difflib
import sys
from collections.abc import Callable
from pathlib import Path

import agents_page
import claims_page
import diagrams
import first_click
import notebooks
import pictures
import printed_pages
import reference
import report_points
import tutorial

GENERATORS: dict[str, Callable[[], dict[Path, str]]] = {
    "reference": reference.generated,
    "agents": agents_page.generated,
    "claims": claims_page.generated,
    "diagrams": diagrams.generated,
    "report-points": report_points.generated,
    "first-click": first_click.generated,
    "printed": printed_pages.generated,
    "pictures": pictures.generated,
    "tutorial": tutorial.generated,
    "notebooks": notebooks.generated,
}


def differences(files: dict[Path, str]) -> dict[Path, str]:
    """Return the files whose text is another one, each with the difference as a diff."""
    found = {}
    for file, text in files.items():
        old = file.read_text(encoding="utf-8") if file.is_file() else ""
        if old != text:
            lines = difflib.unified_diff(old.splitlines(), text.splitlines(), file.name, "generated", lineterm="", n=1)
            found[file] = "\n".join(lines)
    return found


def main() -> int:
    """Compare or write; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("names", nargs="*", choices=[*GENERATORS, []], metavar="NAME", help=", ".join(GENERATORS))
    asked = parser.parse_args()
    differing = 0
    for name in asked.names or GENERATORS:
        files = GENERATORS[name]()
        found = differences(files)
        differing += len(found)
        for file, diff in found.items():
            if asked.write:
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text(files[file], encoding="utf-8")
            print(f"{name}: {file.name} {'written' if asked.write else 'differs'}\n{'' if asked.write else diff}")
        print(f"{name}: {len(files)} files, {len(found)} differ", flush=True)
    return int(bool(differing) and not asked.write)


if __name__ == "__main__":
    sys.exit(main())
