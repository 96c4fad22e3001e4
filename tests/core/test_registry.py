from __future__ import annotations

import os
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import dedent
from typing import Any

import pytest

import sweepstakes.plugins
from sweepstakes import Ending, GameResult, ParameterError, PluginError, Registry, Spec
from sweepstakes.registry.loading import KINDS, Plugin
from sweepstakes.resolving import find_agent

GOOD = """
    from sweepstakes import Agent, Turn, hookimpl

    class {name}(Agent):
        '''Opens the first covered cell.'''

        def __init__(self, window: int = 4) -> None:
            if window < 1:
                raise ValueError("window: expected 1 or more")

        def act(self, view):
            return Turn(open=view.covered()[:1])

    @hookimpl
    def sweepstakes_agents():
        return {{"{agent}": {name}}}
"""

HEAD = "from sweepstakes import Agent, Turn, hookimpl\n"

BROKEN = {
    "syntax": ("def f(:\n    pass\n", r"^line 1: invalid syntax$"),
    "indentation": ("def f():\npass\n", r"^line 2: expected an indented block"),
    "import_error": (
        "import no_such_module_anywhere\n",
        r"^ModuleNotFoundError: No module named 'no_such_module_anywhere'; install what it needs",
    ),
    "import_name": (
        "from sweepstakes import Agnet\n",
        r"^ImportError: cannot import name 'Agnet' .*correct the import$",
    ),
    "raises": ("\n\nraise ValueError('two\\nlines')\n", r"^line 3: ValueError: two lines$"),
    "name_error": ("x = undefined_name\n", r"^line 1: NameError: name 'undefined_name' is not defined$"),
    "system_exit": ("import sys\nsys.exit(3)\n", r"^line 2: SystemExit: 3$"),
    "base_exception": ("class Far(BaseException): pass\nraise Far('away')\n", r"^line 2: Far: away$"),
    "wrong_text": (
        "class Odd(Exception):\n    def __str__(self): raise ValueError\nraise Odd\n",
        r"^line 3: Odd$",
    ),
    "null_bytes": ("x = 1\0\n", r"null byte"),
    "not_utf8": (b"x = '\xff'\n", r"utf-8"),
    "no_hook": (HEAD, r"^it has no hook: expected a function such as sweepstakes_agents\(\) marked with @hookimpl"),
    "misspelt": (
        HEAD + "@hookimpl\ndef sweepstakes_agent(): return {}\n",
        r"^there is no hook sweepstakes_agent \(did you mean 'sweepstakes_agents'\?\)$",
    ),
    "misspelt_prefix": (
        HEAD + "@hookimpl\ndef sweepstake_agents(): return {}\n",
        r"^there is no hook sweepstake_agents \(did you mean 'sweepstakes_agents'\?\)$",
    ),
    "misspelt_and_unmarked": (
        HEAD + "def sweepstakes_agnets(): return {}\n",
        r"^there is no hook sweepstakes_agnets \(did you mean 'sweepstakes_agents'\?\)$",
    ),
    "unmarked": (
        HEAD + "def sweepstakes_agents(): return {}\n",
        r"^sweepstakes_agents is not marked: put @hookimpl from sweepstakes above it$",
    ),
    "no_function": (HEAD + "sweepstakes_agents = {}\n", r"^sweepstakes_agents is not marked"),
    "wrong_argument": (
        HEAD + "@hookimpl\ndef sweepstakes_agents(registry): return {}\n",
        r"^sweepstakes_agents takes the argument 'registry', which the hook does not have: expected none$",
    ),
    "wrong_observer": (
        HEAD + "@hookimpl\ndef sweepstakes_game_finished(reslt): pass\n",
        r"^sweepstakes_game_finished takes the argument 'reslt', .*: expected result$",
    ),
    "raising_hook": (
        HEAD + "@hookimpl\ndef sweepstakes_agents(): raise KeyError('lost')\n",
        r"^sweepstakes_agents\(\) raised KeyError: 'lost'$",
    ),
    "exiting_hook": (
        HEAD + "@hookimpl\ndef sweepstakes_agents(): raise SystemExit(4)\n",
        r"^line 3: SystemExit: 4$",
    ),
    "returns_none": (
        HEAD + "@hookimpl\ndef sweepstakes_agents(): pass\n",
        r"^sweepstakes_agents\(\) returned a NoneType, expected a mapping of name -> factory$",
    ),
    "returns_list": (
        HEAD + "@hookimpl\ndef sweepstakes_scores(): return []\n",
        r"^sweepstakes_scores\(\) returned a list, expected a mapping",
    ),
    "bad_name": (
        HEAD + "@hookimpl\ndef sweepstakes_agents(): return {'Bad Name': Agent}\n",
        r"^sweepstakes_agents\(\) offers 'Bad Name': expected a name of at most 60 characters: a-z",
    ),
    "no_name": (
        HEAD + "@hookimpl\ndef sweepstakes_agents(): return {3: Agent}\n",
        r"^sweepstakes_agents\(\) offers 3: expected a name",
    ),
    "not_callable": (
        HEAD + "@hookimpl\ndef sweepstakes_agents(): return {'mine': 'Mine'}\n",
        r"^sweepstakes_agents\(\) offers 'mine' as 'Mine': expected a class or function$",
    ),
    "duplicate_agent": (
        HEAD + "@hookimpl\ndef sweepstakes_agents(): return {'new': Agent, 'basic': Agent}\n",
        r"^two plugins offer the agent 'basic': .*basic\.py and .*duplicate_agent\.py; rename one$",
    ),
}


@pytest.fixture(autouse=True)
def _no_folder(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("SWEEPSTAKES_PLUGINS", raising=False)


Write = Callable[..., Path]


@pytest.fixture
def write(tmp_path: Path) -> Write:
    """Writes a plugin file and returns its path."""

    def write(name: str, text: str | bytes | None = None, folder: str = "") -> Path:
        path = tmp_path / folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        stem = path.stem.replace("_", "-")
        if text is None:
            text = dedent(GOOD).format(name="First", agent=stem)
        path.write_bytes(text if isinstance(text, bytes) else text.encode())
        return path

    return write


def report(registry: Registry, name: str) -> Plugin:
    (plugin,) = [plugin for plugin in registry.plugins if plugin.name == name]
    return plugin


@pytest.mark.parametrize("name", BROKEN)
def test_a_broken_plugin_is_reported_and_the_others_go_on(name: str, write: Write) -> None:
    text, message = BROKEN[name]
    before = write("a_first.py")
    broken = write(f"{name}.py", text)
    after = write("z_last.py")
    registry = Registry([before, broken, after])
    plugin = report(registry, name)
    assert re.search(message, plugin.error), plugin.error
    assert "\n" not in plugin.error
    assert (plugin.origin, plugin.file, plugin.offers) == ("file", str(broken), {})
    assert {"a-first", "z-last", "basic", "random"} <= set(registry.offers("agent"))
    assert not {"new", "mine"} & set(registry.offers("agent"))
    assert [plugin.name for plugin in registry.plugins if plugin.error] == [name]
    with pytest.raises(PluginError, match=re.escape(f"{broken}: {plugin.error}")):
        registry.check()


def test_the_users_interrupt_is_not_a_broken_plugin(write: Write) -> None:
    with pytest.raises(KeyboardInterrupt):
        Registry([write("stop.py", "import os, signal\nos.kill(os.getpid(), signal.SIGINT)\n")], import_agents=True)


def test_an_interrupt_that_nobody_typed_is_a_broken_plugin(write: Write) -> None:
    registry = Registry([write("stop.py", "raise KeyboardInterrupt\n")])
    assert registry.plugins[-1].error == "line 1: KeyboardInterrupt"


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("missing.py", None, "there is no such file"),
        ("agent.txt", "x = 1", "not a Python file: expected a name that ends in .py"),
        ("agent", "x = 1", "not a Python file: expected a name that ends in .py"),
        (".", None, "it is a folder: expected a file that ends in .py"),
    ],
)
def test_a_path_that_is_no_plugin_file_is_reported(
    name: str, text: str | None, message: str, tmp_path: Path, write: Write
) -> None:
    path = tmp_path / name if text is None else write(name, text)
    registry = Registry([path])
    assert registry.plugins[-1].error == message
    assert registry.plugins[-1].file == str(path.resolve())
    assert "basic" in registry.offers("agent")


def test_a_good_file_offers_its_agents_with_the_hash_of_its_text(write: Write) -> None:
    path = write("my_agent.py")
    offer = Registry([path]).find("agent", "my-agent")
    assert offer.summary == "Opens the first covered cell."
    assert offer.plugin.version == offer.version
    assert re.fullmatch("[0-9a-f]{12}", offer.version)
    path.write_text(path.read_text() + "# changed\n")
    assert Registry([path]).find("agent", "my-agent").version != offer.version


def test_a_files_own_version_number_does_not_hide_that_its_text_changed(write: Write) -> None:
    text = dedent(GOOD).format(name="First", agent="mine").replace("def __init__", "version = 1\n\n    def __init__")
    versions = {Registry([write("mine.py", text + end)]).find("agent", "mine").version for end in ("", "\n")}
    assert len(versions) == 2


def test_a_built_in_agent_has_its_integer_version() -> None:
    registry = Registry()
    assert registry.find("agent", "basic").version == "v1"
    assert registry.find("board source", "uniform").version == "v1"


def test_two_files_of_one_name_are_refused_by_naming_both(write: Write) -> None:
    one = write("same.py", folder="one")
    two = write("same.py", dedent(GOOD).format(name="Second", agent="second"), folder="two")
    registry = Registry([one, two])
    assert registry.plugins[-1].error == f"two plugins have the name 'same': {one} and {two}; rename one"
    assert "same" in registry.offers("agent")
    assert "second" not in registry.offers("agent")


def test_two_files_of_one_name_are_no_trouble_if_the_first_is_broken(write: Write) -> None:
    registry = Registry([write("same.py", "1 /", folder="one"), write("same.py", folder="two")])
    assert "same" in registry.offers("agent")


def test_two_plugins_that_offer_one_name_are_refused_by_naming_both(write: Write) -> None:
    text = dedent(GOOD).format(name="First", agent="same")
    one, two = write("one.py", text), write("two.py", text)
    assert Registry([one, two]).plugins[-1].error == (
        f"two plugins offer the agent 'same': {one} and {two}; rename one"
    )


def test_the_same_file_is_loaded_once_however_it_is_named(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write("mine.py", "1 /")
    monkeypatch.setenv("SWEEPSTAKES_PLUGINS", str(path.parent))
    monkeypatch.chdir(path.parent)
    registry = Registry([path, "mine.py", path.parent / "x" / ".." / "mine.py"])
    assert [plugin.name for plugin in registry.plugins].count("mine") == 1
    with pytest.raises(PluginError, match="invalid syntax"):
        registry.check()  # the folder alone would not make it asked for


def test_a_built_in_file_that_is_named_again_is_not_loaded_again() -> None:
    file = Registry().find("agent", "basic").plugin.file
    registry = Registry([file])
    assert not any(plugin.error for plugin in registry.plugins)


def test_names_that_only_begin_like_a_hook_are_left_alone(write: Write) -> None:
    text = dedent(GOOD).format(name="First", agent="mine")
    text = "import sweepstakes.plugins as sweepstakes_extra\nsweepstakes_version = 3\n" + text
    assert not report(Registry([write("mine.py", text)]), "mine").error


def test_order_is_by_name_whatever_the_file_system_says(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("c", "a", "b"):
        path = write(f"{name}.py")
    monkeypatch.setenv("SWEEPSTAKES_PLUGINS", str(path.parent))
    names = [plugin.name for plugin in Registry().plugins]
    assert names[-3:] == ["a", "b", "c"]
    assert names[:-3] == sorted(names[:-3])
    assert list(Registry().offers("agent")) == sorted(Registry().offers("agent"))


def test_folders_and_files_in_the_environment_are_loaded(write: Write, monkeypatch: pytest.MonkeyPatch) -> None:
    inside = write("inside.py", folder="folder")
    write("notes.txt", "not a plugin", folder="folder")
    alone = write("alone.py")
    gone = alone.with_name("gone")
    monkeypatch.setenv("SWEEPSTAKES_PLUGINS", os.pathsep.join([str(inside.parent), "", str(alone), str(gone)]))
    registry = Registry()
    assert {"inside", "alone"} <= set(registry.offers("agent"))
    assert report(registry, "gone").error == "there is no such file"
    registry.check()  # nobody asked for it by name


@pytest.fixture
def dropped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """A folder that is part of `sweepstakes.plugins`, to drop files into."""
    folder = tmp_path / "dropped"
    folder.mkdir()
    monkeypatch.setattr(sweepstakes.plugins, "__path__", [*sweepstakes.plugins.__path__, str(folder)])
    known = set(sys.modules)
    yield folder
    for name in set(sys.modules) - known:
        if name.startswith("sweepstakes.plugins."):
            del sys.modules[name]
            vars(sweepstakes.plugins).pop(name.split(".")[2], None)


def test_a_file_dropped_into_plugins_is_found(dropped: Path) -> None:
    (dropped / "edge_dropped.py").write_text(dedent(GOOD).format(name="Edge", agent="edge"))
    (dropped / "pack").mkdir()
    (dropped / "pack" / "__init__.py").write_text(dedent(GOOD).format(name="Packed", agent="packed"))
    (dropped / "sub").mkdir()
    (dropped / "sub" / "deep.py").write_text(dedent(GOOD).format(name="Deep", agent="deep"))
    (dropped / "_helper.py").write_text("raise ValueError\n")
    registry = Registry()
    assert {"edge", "packed", "deep"} <= set(registry.offers("agent"))
    assert not any(plugin.error for plugin in registry.plugins)
    assert not any("_helper" in plugin.name for plugin in registry.plugins)


def test_what_is_broken_among_the_dropped_is_reported_and_the_others_go_on(dropped: Path) -> None:
    (dropped / "a_bad.py").write_text("1 /\n")
    (dropped / "badpack").mkdir()
    (dropped / "badpack" / "__init__.py").write_text("raise ValueError('bad package')\n")
    (dropped / "badpack" / "inner.py").write_text(dedent(GOOD).format(name="Inner", agent="inner"))
    (dropped / "forgot.py").write_text("from sweepstakes import Agent\n")
    (dropped / "misspelt.py").write_text(HEAD + "@hookimpl\ndef sweepstake_agents(): return {}\n")
    (dropped / "dangling.py").symlink_to(dropped / "nowhere.py")
    (dropped / "z_good.py").write_text(dedent(GOOD).format(name="Good", agent="good"))
    registry = Registry()
    errors = {plugin.name.rpartition("plugins.")[2]: plugin.error for plugin in registry.plugins if plugin.error}
    assert sorted(errors) == ["a_bad", "badpack.inner", "dangling", "forgot", "misspelt"]
    assert "ValueError: bad package" in errors["badpack.inner"]
    assert "it has no hook" in errors["forgot"]
    assert "did you mean 'sweepstakes_agents'" in errors["misspelt"]
    assert {"good", "basic"} <= set(registry.offers("agent"))


# Making what is offered.


def test_an_unknown_name_gets_the_nearest(write: Write) -> None:
    with pytest.raises(PluginError, match=r"^unknown agent 'bsic' \(did you mean 'basic'\?\)$"):
        Registry().find("agent", "bsic")
    with pytest.raises(
        PluginError, match=r"^unknown score 'x' \(known: .*detonated, .* more\); 1 plugins did not load"
    ):
        Registry([write("bad.py", "1 /")]).find("score", "x")


def test_parameters_are_checked_before_anything_is_made(write: Write) -> None:
    path = write("mine.py")
    hosted = Registry([path])
    for parameters, error in (
        ({"widnow": 6}, r"^agent 'mine' has no parameter 'widnow' \(did you mean 'window'\?\)$"),
        ({"window": "six"}, r"^agent 'mine': window: 'six' is invalid"),
        (
            {"window": 0},
            r"^agent 'mine\(window=0\)' raised ValueError: window: expected 1 or more \(line \d+ of mine.py\)$",
        ),
    ):
        with pytest.raises(PluginError, match=error):
            find_agent(hosted, Spec("mine", parameters))
    registry = Registry([path], import_agents=True)
    assert registry.agent(Spec("mine", {"window": 6}))()
    with pytest.raises(ParameterError, match=r"^agent 'mine' has no parameter 'widnow' \(did you mean 'window'\?\)$"):
        registry.agent(Spec("mine", {"widnow": 6}))
    with pytest.raises(ParameterError, match=r"^agent 'mine': window: 'six' is invalid"):
        registry.agent(Spec("mine", {"window": "six"}))
    with pytest.raises(PluginError, match=r"^agent 'mine\(window=0\)': window: expected 1 or more$"):
        registry.agent(Spec("mine", {"window": 0}))


@pytest.mark.parametrize(("kind", "hook"), KINDS.items())
def test_an_offer_that_makes_something_else_is_refused(kind: str, hook: str, write: Write) -> None:
    path = write(
        "odd.py",
        HEAD + f"@hookimpl\ndef {hook}(): return {{'odd': dict, 'exits': exit, 'mute': mute}}\n"
        "def mute(): raise ValueError\n",
    )
    registry = Registry([path], import_agents=True)
    with pytest.raises(PluginError, match=rf"^{kind} 'odd' of .*odd.py makes a dict, expected a [A-Z]\w+$"):
        registry.make(kind, "odd")
    with pytest.raises(PluginError, match=f"^{kind} 'mute': ValueError$"):
        registry.make(kind, "mute")
    with pytest.raises(PluginError, match=f"^{kind} 'exits'"):
        registry.make(kind, "exits")


def test_everything_built_in_comes_through_the_hooks_without_errors() -> None:
    registry = Registry()
    assert not [plugin.error for plugin in registry.plugins if plugin.error]
    for kind in KINDS:
        assert registry.offers(kind), kind
        for offer in registry.offers(kind).values():
            assert offer.summary, offer.name
            assert offer.summary.endswith("."), offer.name


# Observers.

RESULT = GameResult(1, 1, 0, Ending.WON, 1, 0, 0, 0, 1, 1, 1, 0)


def test_an_observer_that_raises_does_not_keep_the_others_from_seeing(write: Write, tmp_path: Path) -> None:
    seen = tmp_path / "seen"
    observer = (
        HEAD
        + "from pathlib import Path\n@hookimpl\ndef sweepstakes_game_finished(result):\n"
        + f"    path = Path({str(seen)!r})\n"
        + "    path.write_text((path.read_text() if path.exists() else '') + result.ending + ';')\n"
    )
    files = [
        write("a_sees.py", observer),
        write("b_raises.py", HEAD + "@hookimpl\ndef sweepstakes_game_finished(result): raise ValueError('no')\n"),
        write("c_exits.py", HEAD + "@hookimpl\ndef sweepstakes_game_finished(): raise SystemExit(1)\n"),
        write("d_sees.py", observer),
    ]
    registry = Registry(files)
    assert registry.observed
    assert not Registry().observed
    complaints = registry.game_finished(RESULT)
    assert sorted(complaints) == ["observer b_raises raised ValueError: no", "observer c_exits raised SystemExit: 1"]
    assert registry.game_finished(RESULT) == []
    assert seen.read_text() == "won;" * 4


# Installed distributions.


def installed(folder: Path, name: str, entry_points: str, metadata: bool = True, **modules: str) -> None:
    """A distribution as an installer would leave it."""
    info = folder / f"{name.replace('-', '_')}-1.2.dist-info"
    info.mkdir(parents=True)
    if metadata:
        (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\nVersion: 1.2\n")
    (info / "entry_points.txt").write_text(dedent(entry_points))
    for module, text in modules.items():
        (folder / f"{module}.py").write_text(text)


def listing(folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """What `sweepstakes plugins` says where the folder is installed."""
    environment = os.environ | {"PYTHONPATH": str(folder), "PYTHONWARNINGS": "error"}
    return subprocess.run(
        [sys.executable, "-m", "sweepstakes", "plugins", *arguments],
        capture_output=True,
        text=True,
        env=environment,
        cwd=folder,
        check=False,
    )


def test_installed_distributions_are_found_and_the_broken_ones_reported(tmp_path: Path) -> None:
    good = dedent(GOOD)
    installed(
        tmp_path,
        "a-broken-one",
        "[sweepstakes]\nbroken = no_such_module_of_theirs\nwrong = one_module:nothing_there\n",
    )
    installed(
        tmp_path, "one-agent", "[sweepstakes]\none = one_module\n", one_module=good.format(name="One", agent="one")
    )
    installed(
        tmp_path, "two-agent", "[sweepstakes]\none = two_module\n", two_module=good.format(name="Two", agent="two")
    )
    installed(tmp_path, "z-last", "[sweepstakes]\nlast = last_module\n", last_module=good.format(name="Z", agent="z"))
    said = listing(tmp_path)
    assert said.returncode == 0, said.stderr
    text = re.sub(r"\+[0-9a-f]{12}\)", ")", said.stdout)  # a hash: the modules are not in site-packages
    assert "one  (installed, one-agent 1.2)\n    " + str(tmp_path / "one_module.py") + "\n    agent: one\n" in text
    assert "last  (installed, z-last 1.2)" in text
    assert "agent: z\n" in text
    assert "No module named 'no_such_module_of_theirs'; install what it needs" in text
    assert "AttributeError: module 'one_module' has no attribute 'nothing_there'" in text
    both = f"{tmp_path / 'one_module.py'} and {tmp_path / 'two_module.py'}"
    assert f"error: two plugins have the name 'one': {both}; rename one" in text
    assert "3 with errors" in text
    assert listing(tmp_path, "--strict").returncode == 1


def test_one_module_installed_under_two_names_is_reported(tmp_path: Path) -> None:
    text = dedent(GOOD).format(name="One", agent="one")
    installed(tmp_path, "one-agent", "[sweepstakes]\none = one_module\ntwo = one_module\n", one_module=text)
    said = listing(tmp_path)
    assert "1 with errors" in said.stdout
    assert "one  (installed, one-agent 1.2+" in said.stdout


def test_a_damaged_distribution_leaves_the_rest_in_place(tmp_path: Path) -> None:
    text = dedent(GOOD).format(name="One", agent="one")
    installed(tmp_path, "one-agent", "[sweepstakes]\none = one_module\n", metadata=False, one_module=text)
    said = listing(tmp_path)
    assert said.returncode == 0, said.stderr
    assert "agent: basic\n" in said.stdout
    assert "one  (installed" in said.stdout
    (tmp_path / "one_agent-1.2.dist-info" / "entry_points.txt").write_text("[sweepstakes]\nno equals sign\n")
    said = listing(tmp_path)
    assert said.returncode == 0, said.stderr
    assert "agent: basic\n" in said.stdout
    assert "Traceback" not in said.stdout + said.stderr


def test_a_package_is_one_plugin_and_the_files_in_it_are_its_own(dropped: Path) -> None:
    (dropped / "whole").mkdir()
    (dropped / "whole" / "__init__.py").write_text(dedent(GOOD).format(name="Whole", agent="whole"))
    (dropped / "whole" / "part.py").write_text("raise RuntimeError('not a plugin')")
    registry = Registry()
    assert "whole" in registry.offers("agent")
    assert [plugin.name for plugin in registry.plugins if "whole" in plugin.name] == ["sweepstakes.plugins.whole"]


def test_every_plugin_of_the_registry_is_a_plugin_only_once() -> None:
    names: list[Any] = [plugin.name for plugin in Registry().plugins]
    assert len(names) == len(set(names))


def test_what_is_built_in_is_a_list_and_the_list_is_what_is_there() -> None:
    home = Path(sweepstakes.plugins.__path__[0])
    modules = {".".join(file.relative_to(home).with_suffix("").parts) for file in home.glob("*/[!_]*.py")}
    packages = {".".join(door.relative_to(home).parts[:-1]) for door in home.glob("*/*/__init__.py")}
    assert modules | packages == sweepstakes.plugins.BUILT_IN
    assert {p.origin for p in Registry().plugins if p.name.startswith("sweepstakes.plugins.")} == {"built in"}


@pytest.mark.parametrize("kind", ["agent", "board source", "clue noise"])
def test_every_built_in_that_can_change_a_result_has_an_integer_version_of_its_own(kind: str) -> None:
    offers = Registry.default().offers(kind)
    assert len(offers) > 3
    for offer in offers.values():
        assert re.fullmatch(r"v[1-9]\d*", offer.version), f"{kind} '{offer.name}' has the version {offer.version}"


@pytest.mark.parametrize("folder", ["", "agents"])
def test_a_file_dropped_in_is_identified_by_its_text_whatever_version_it_claims(folder: str) -> None:
    file = Path(sweepstakes.plugins.__path__[0]) / folder / "a_file_dropped_in_by_a_test.py"
    text = (
        "from sweepstakes import Agent, Turn, hookimpl\n"
        "class Dropped(Agent):\n    version = 1\n"
        "    def act(self, view):\n        return Turn(open=view.covered()[:1])\n"
        "@hookimpl\ndef sweepstakes_agents():\n    return {'dropped-in': Dropped}\n"
    )
    try:
        file.write_text(text)
        offer = Registry().find("agent", "dropped-in")
    finally:
        file.unlink()
    assert offer.plugin.origin == "dropped in"
    assert offer.version == offer.plugin.version != "v1"


HOOKS_BY_NAME = """\
from sweepstakes import Agent, Turn, hookimpl


class One(Agent):
    def act(self, view):
        return Turn()


@hookimpl(specname="sweepstakes_agents")
def mine():
    return {"one-a": One}


@hookimpl%s
def sweepstakes_agents():
    return {"%s": One}
"""


def test_a_function_may_stand_for_a_hook_under_another_name(write: Write) -> None:
    registry = Registry([write("named.py", HOOKS_BY_NAME % ("", "one-b"))])
    assert report(registry, "named").error == ""
    assert sorted(report(registry, "named").offers["agent"]) == ["one-a", "one-b"]


@pytest.mark.parametrize(
    ("mark", "name", "expected"),
    [
        ("", "one-a", "two functions offer the agent 'one-a': rename one"),
        ("(wrapper=True)", "one-b", "sweepstakes_agents is a wrapper, which is not supported"),
        ("(specname='sweepstakes_agnets')", "one-b", "there is no hook sweepstakes_agnets (did you mean"),
    ],
)
def test_hooks_that_pluggy_would_take_otherwise_are_refused(mark: str, name: str, expected: str, write: Write) -> None:
    registry = Registry([write("named.py", HOOKS_BY_NAME % (mark, name))])
    assert expected in report(registry, "named").error
    assert not report(registry, "named").offers


def test_a_file_stands_for_what_it_offers(write: Write) -> None:
    registry, file = Registry(), str(write("named.py", HOOKS_BY_NAME % ("", "one-b")))
    assert [offer.name for offer in registry.named("agent", Spec.parse(str(file)))] == ["one-b", "one-a"]
    assert registry.spec("agent", f"{file}:one-a") == Spec("one-a")
    with pytest.raises(PluginError, match=r"name one, as in named\.py:one-b"):
        registry.spec("agent", file)
    with pytest.raises(PluginError, match="offers no score"):
        registry.spec("score", file)
