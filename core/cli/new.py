"""`sweepstakes new`: write a plugin and its test from a template."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import click

from sweepstakes.errors import PluginError, brief, located
from sweepstakes.untrusted.files import exists, write_file

_OFFERS = {
    "agent": "agent",
    "policy": "agent",
    "noise": "clue noise",
    "board": "board source",
    "score": "score",
    "report": "report",
}
_NEXT = {
    "agent": "sweepstakes check {file}\n  sweepstakes watch {file}\n  sweepstakes match {file} basic",
    "policy": "sweepstakes check {file}\n  sweepstakes match {file} random --on-mine continue",
    "noise": "sweepstakes watch exact --noise {name} --plugin {file}",
    "board": "sweepstakes board beginner --source {name} --plugin {file}",
    "score": "sweepstakes match basic random --score {name} --plugin {file}",
    "report": "sweepstakes plugins --plugin {file}",
}

_TEMPLATES = Path(__file__).parent / "templates"
"""Working plugins and their tests, with the names `my-thing`, `my_thing` and `MyThing` to be replaced."""
_LONGEST = 60
"""Maximum length of a name, which is used in tables and as a file name."""


@click.command("new")
@click.argument("name")
@click.option("--kind", type=click.Choice(list(_OFFERS)), default="agent", show_default=True, help="Kind of plugin.")
@click.option("--package", is_flag=True, help="Write an installable folder with pyproject.toml and an entry point.")
@click.option("--dir", "where", default=".", metavar="DIR", show_default="current folder", help="Folder to write to.")
def new(name: str, kind: str, package: bool, where: str) -> None:
    """Write a working plugin called NAME, and a test for it."""
    offered, module = _names(name, kind)
    home = Path(where) / offered if package else Path(where)
    files = {f"{module}.py": f"{kind}.py", f"test_{module}.py": f"test_{kind}.py"}
    if kind == "policy":
        if package:
            raise PluginError(
                "--package: a policy needs its file of weights, which a package does not include: omit --package"
            )
        files[f"{module}.json"] = "policy.json"
    if package:
        files["pyproject.toml"] = "package.toml"
    for file in files:
        if exists(home / file):
            where = located(home / file)
            raise PluginError(f"{where} already exists: choose another name, or another folder with --dir")
    for file, template in files.items():
        text = (_TEMPLATES / template).read_text(encoding="utf-8")
        write_file(home / file, _fill_in(text, offered, module).encode(), PluginError)
        click.echo(f"wrote {home / file}")
    click.echo("next:")
    click.echo(f"  pytest {home / f'test_{module}.py'}")
    click.echo("  " + _NEXT[kind].format(file=home / f"{module}.py", name=offered))
    if package:
        click.echo(f"  pip install -e {home}")


def _names(name: str, kind: str) -> tuple[str, str]:
    """Return the name that the plugin offers, and the name of its module."""
    from sweepstakes.registry.registry import Registry

    if not re.fullmatch(r"[a-z][a-z0-9]*([_-][a-z0-9]+)*", name):
        raise PluginError(f"{brief(name)} is not a valid plugin name: expected words of a-z and 0-9, as in my_agent")
    if len(name) > _LONGEST:
        raise PluginError(f"{brief(name)} is not a valid plugin name: expected at most {_LONGEST} characters")
    offered, module = name.replace("_", "-"), name.replace("-", "_")
    other = Registry.default().offers(_OFFERS[kind]).get(offered)
    if other is not None:
        raise PluginError(f"the {_OFFERS[kind]} '{offered}' already exists in {other.plugin.file}: choose another name")
    if module in sys.stdlib_module_names or module in ("sweepstakes", "numpy", "numba", "pytest"):
        raise PluginError(f"'{module}' is the name of another Python module: choose another name")
    return offered, module


def _fill_in(text: str, offered: str, module: str) -> str:
    title = "".join(word.capitalize() for word in module.split("_"))
    return text.replace("my-thing", offered).replace("my_thing", module).replace("MyThing", title)
