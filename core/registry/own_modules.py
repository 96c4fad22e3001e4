"""A plugin's own modules: those that it imports and that are not installed.

They are found by parsing the code, transitively, and never by importing it. A name is looked up in the standard
library, then in site-packages, then in the folder of the plugin, then in editable installs. `sys.path` is not searched,
since the current folder, or one in PYTHONPATH, may contain other people's agents. Modules are imported from the text
that was parsed, even if the files have changed in the meantime.

A module is the plugin's own if its real path lies inside the real folder of the plugin. A link that leaves this folder
is refused.
"""

from __future__ import annotations

import functools
import hashlib
import importlib.util
import json
import os
import sys
import sysconfig
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from importlib.abc import MetaPathFinder
from importlib.machinery import EXTENSION_SUFFIXES, ExtensionFileLoader, ModuleSpec, PathFinder, SourceFileLoader
from pathlib import Path
from types import CodeType
from typing import Any, NamedTuple

from sweepstakes.errors import PluginError
from sweepstakes.registry.import_statements import Imports, imported_names
from sweepstakes.untrusted.files import collapsed, is_file, is_folder, is_inside, leaves_folder, read_file

PACKAGE = "sweepstakes"
PLUGINS = "sweepstakes.plugins"
MAX_MODULES = 500
"""Maximum number of own modules of a plugin."""
MAX_BYTES = 1 << 24
"""Maximum size of all of them together, and of the file of a plugin, in bytes."""


class OwnModule(NamedTuple):
    """An own module of a plugin, as plain data."""

    name: str
    """Its name in import statements, as in `pkg.helper`."""
    kind: str
    """`module`, `package` (a folder with `__init__.py`), `namespace` (one without), or `extension` (compiled)."""
    path: str
    """The file; of a namespace the folder."""
    text: str = ""
    """The code as it was read, each byte as one character; of an extension the SHA-256 of the file."""

    @property
    def package(self) -> str:
        """The package that relative imports in it start from."""
        return self.name if self.kind == "package" else self.name.rpartition(".")[0]


def own_modules(
    path: Path, text: str, imports: Imports, *, folder: Path | None, name: str = ""
) -> tuple[OwnModule, ...]:
    """Return the own modules of a file with this text.

    They are searched for in `folder`, if it is not None. `name` is the module name of the file if it was placed in
    `sweepstakes.plugins`. If a link leaves the folder, `PluginError` is raised with its name.
    """
    package = name if path.name == "__init__.py" else name.rpartition(".")[0]
    return _Search(folder, imports).all_from(imports(text, package))


def modules_named(names: Iterable[str], imports: Imports) -> tuple[OwnModule, ...]:
    """Return these modules of an installed plugin and the modules they import, unless they are in site-packages.

    The modules of an editable install are not in site-packages. Only here `sys.path` is searched, since the plugin
    itself was found on it.
    """
    return _Search(None, imports, sys.meta_path).all_from(names)


def modules_of_files(files: Sequence[str], folder: Path, imports: Imports) -> tuple[OwnModule, ...]:
    """Return the Python files among `files` and the modules they import. Names are relative to the folder."""
    found: dict[str, OwnModule] = {}
    for file in files:
        path = Path(file).absolute()
        if path.suffix != ".py" or not is_file(path):
            continue
        inside = path.is_relative_to(folder)
        words = list((path.relative_to(folder) if inside else Path(path.name)).with_suffix("").parts)
        kind = "module"
        if words[-1] == "__init__" and len(words) > 1:
            kind = "package"
            words.pop()
        if not all(word.isidentifier() for word in words):
            continue  # a program is read but not imported
        text = _read(path, home_of(path, folder))
        module = OwnModule(".".join(words), kind, str(path), text)
        found[module.name] = module
        for other in own_modules(path, text, imports, folder=folder, name=module.name):
            found.setdefault(other.name, other)
    return tuple(sorted(found.values()))


def home_of(path: Path, folder: Path | None) -> Path:
    """Return the folder in which a file of an agent must really be: the agent's own, or the one in which it is listed.

    A listed file of another folder must really be in that folder. A link in it must not lead to yet another one.
    """
    here = collapsed(path)
    homes = [] if folder is None else [collapsed(folder), Path(os.path.realpath(folder))]
    return next((home for home in homes if home in here.parents), here.parent)


def version_of(modules: Iterable[OwnModule]) -> str:
    """Return a short hash of the names and texts of modules, but not of their paths; "" without modules."""
    parts = sorted([m.name, m.kind, hashlib.sha256(m.text.encode("latin-1")).hexdigest()] for m in modules)
    return hashlib.sha256(json.dumps(parts).encode()).hexdigest()[:12] if parts else ""


def is_installed(path: str) -> bool:
    """Return whether a file belongs to the standard library, to site-packages or to this package, not to a plugin."""
    real = os.path.realpath(path)
    return any(real.startswith(folder + os.sep) for folder in _installed_folders())


@functools.cache
def _installed_folders() -> tuple[str, ...]:
    package = Path(__file__).resolve().parents[1]
    standard = [sysconfig.get_path("stdlib"), sysconfig.get_path("platstdlib"), *_site_folders()]
    plugin_folders = [Path(sys.modules[PLUGINS].__path__[0]).resolve()] if PLUGINS in sys.modules else []
    return tuple(os.path.realpath(path) for path in [*standard, str(package), *map(str, plugin_folders)])


@functools.cache
def _site_folders() -> tuple[str, ...]:
    return tuple(path for path in sys.path if Path(path).name in ("site-packages", "dist-packages"))


@functools.cache
def _is_in_site_packages(name: str) -> bool:
    spec = PathFinder.find_spec(name, _site_folders())
    return spec is not None and spec.origin is not None  # a folder without code hides nothing


@functools.cache
def _editable_folders() -> tuple[Path, ...]:
    """Return the folders of editable installs that files with the ending .pth in site-packages name."""
    folders = []
    for site in map(Path, _site_folders()):
        for file in sorted(site.glob("*.pth")):
            with suppress(OSError, UnicodeDecodeError):
                lines = file.read_text(encoding="utf-8").splitlines()
                folders += [site / line.strip() for line in lines if line.strip() and not line.startswith("import")]
    return tuple(folder for folder in folders if is_folder(folder))


def _editable_finders() -> list[Any]:
    """Return the finders of editable installs, which know the folders of their own packages only."""
    return [
        finder for finder in sys.meta_path if getattr(finder, "__module__", "").startswith(("__editable", "_editable"))
    ]


class _Search:
    def __init__(self, folder: Path | None, imports: Imports, finders: Sequence[Any] | None = None) -> None:
        self._folders = [folder] if folder is not None else []
        self._folders += [each for each in _editable_folders() if folder is None or not is_inside(folder, each)]
        self._imports = imports
        self._finders = _editable_finders() if finders is None else list(finders)
        self._found: dict[str, OwnModule] = {}
        self._seen: set[str] = set()
        self._bytes = 0

    def all_from(self, names: Iterable[str]) -> tuple[OwnModule, ...]:
        """Return the own modules among these names and the own modules that they import."""
        todo = list(names)
        while todo:
            name = todo.pop()
            if name in self._seen:
                continue
            self._seen.add(name)
            for module in self._resolve(name):
                if module.name in self._found:
                    continue
                self._found[module.name] = module
                self._bytes += len(module.text)
                if len(self._found) > MAX_MODULES or self._bytes > MAX_BYTES:
                    most = f"{MAX_MODULES} modules of {MAX_BYTES >> 20} MB together"
                    raise PluginError(f"its own modules exceed {most}: install what it imports")
                if module.kind in ("module", "package"):
                    todo += self._imports(module.text, module.package)
        return tuple(sorted(self._found.values()))

    def _resolve(self, name: str) -> Iterator[OwnModule]:
        """Yield the own modules that an import of a name loads: its packages, and itself if it is a module."""
        words = name.split(".")
        if words[0] == PACKAGE:
            yield from _dropped_in(name)
            return
        home = folder = self._home(words[0])
        for depth in range(1, len(words) + 1):
            module = None
            if home is not None and folder is not None:
                module = _module_in(folder, words[depth - 1], ".".join(words[:depth]), home)
            if module is None:
                return
            yield module
            folder = Path(module.path) if module.kind == "namespace" else Path(module.path).parent
            if module.kind not in ("package", "namespace"):
                return

    def _home(self, name: str) -> Path | None:
        """Return the folder that has a top-level module, or None if the module is installed or does not exist."""
        if not name.isidentifier() or name in sys.stdlib_module_names or name in sys.builtin_module_names:
            return None
        if _is_in_site_packages(name):
            return None
        for folder in self._folders:
            if _module_in(folder, name, name, folder) is not None:
                return folder
        for finder in self._finders:
            if isinstance(finder, _Finder) or not hasattr(finder, "find_spec"):
                continue
            try:
                spec = finder.find_spec(name, None)
            except Exception:  # noqa: BLE001 - a finder of an installed distribution may raise anything
                continue
            if spec is not None:
                origin = spec.origin if spec.has_location else None
                places = [origin] if origin is not None else list(spec.submodule_search_locations or ())
                if not places or is_installed(places[0]):
                    return None
                file = Path(places[0])
                is_package = origin is not None and spec.submodule_search_locations is not None
                return file.parent.parent if is_package else file.parent
        return None


def _module_in(folder: Path, word: str, name: str, home: Path) -> OwnModule | None:
    """Return the module that an import finds in a folder: in this order a package, a compiled module, a file, a
    namespace.

    `PluginError` if it does not really lie inside the folder `home`.
    """
    for link in (folder / word, folder / f"{word}.py"):
        if link.is_symlink() and not is_inside(link, home):  # even if its target does not exist yet
            raise PluginError(leaves_folder(link, home))
    if is_file(file := folder / word / "__init__.py"):
        return OwnModule(name, "package", str(file), _read(file, home))
    for suffix in EXTENSION_SUFFIXES:
        if is_file(file := folder / f"{word}{suffix}"):
            digest = hashlib.sha256(read_file(file, 1 << 30, PluginError, home)).hexdigest()
            return OwnModule(name, "extension", str(file), digest)
    if is_file(file := folder / f"{word}.py"):
        return OwnModule(name, "module", str(file), _read(file, home))
    if is_folder(folder / word):
        if not is_inside(folder / word, home):
            raise PluginError(leaves_folder(folder / word, home))
        if any((folder / word).rglob("*.py")):
            return OwnModule(name, "namespace", str(folder / word))
    return None


def _dropped_in(name: str) -> Iterator[OwnModule]:
    """Yield a module that was dropped into `sweepstakes.plugins`, and is not part of a built-in plugin."""
    words = name.split(".")
    if words[:2] != PLUGINS.split(".") or len(words) < 3 or name in _built_in():
        return
    for home in map(Path, sys.modules[PLUGINS].__path__ if PLUGINS in sys.modules else ()):
        module = _module_in(home.joinpath(*words[2:-1]), words[-1], name, home)
        if module is not None and module.kind != "namespace":
            yield module
            return


@functools.cache
def _built_in() -> frozenset[str]:
    """Return the modules of the built-in plugins, and those in their folders that they import."""
    home = importlib.import_module(PLUGINS)

    todo = [f"{PLUGINS}.{name}" for name in home.BUILT_IN]
    seen: set[str] = set()
    while todo:
        name = todo.pop()
        if name in seen or not name.startswith(f"{PLUGINS}."):
            continue
        seen.add(name)
        path = Path(home.__path__[0]).joinpath(*name.split(".")[2:])
        inside = sorted(path.rglob("*.py")) if path.is_dir() else []
        seen.update(f"{name}.{'.'.join(file.relative_to(path).with_suffix('').parts)}" for file in inside)
        for file in inside or [path.with_suffix(".py")]:
            if is_file(file):
                todo += imported_names(file.read_bytes().decode("latin-1"), name if inside else name.rpartition(".")[0])
                todo.append(name.rpartition(".")[0])
    return frozenset(seen)


def _read(path: Path, home: Path) -> str:
    return read_file(path, MAX_BYTES, PluginError, home).decode("latin-1")


class _Loader(SourceFileLoader):
    """Loads a module from the text that was read, never from a compiled copy."""

    def __init__(self, module: OwnModule) -> None:
        super().__init__(module.name, module.path)
        self._code = module.text.encode("latin-1")

    def get_data(self, path: str) -> bytes:
        return self._code if path == self.path else super().get_data(path)

    def get_code(self, fullname: str) -> CodeType | None:
        code: CodeType = self.source_to_code(self._code, self.path)
        return code


class _Finder(MetaPathFinder):
    """Finds the own modules of the plugins of this process, before any other finder."""

    def __init__(self) -> None:
        self.modules: dict[str, OwnModule] = {}

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        module = self.modules.get(fullname)
        if module is None:
            return None
        if module.kind == "namespace":
            spec = ModuleSpec(fullname, None, is_package=True)
            spec.submodule_search_locations = [module.path]
            return spec
        if module.kind == "extension":
            found = hashlib.sha256(read_file(Path(module.path), 1 << 30, PluginError)).hexdigest()
            if found != module.text:
                raise PluginError(f"the compiled module '{fullname}' has changed since it was read")
            return importlib.util.spec_from_file_location(
                fullname, module.path, loader=ExtensionFileLoader(fullname, module.path)
            )
        folder = [str(Path(module.path).parent)] if module.kind == "package" else None
        return importlib.util.spec_from_file_location(
            fullname, module.path, loader=_Loader(module), submodule_search_locations=folder
        )


_finder = _Finder()


def make_importable(modules: Iterable[OwnModule]) -> None:
    """Let this process import these modules. Raise `PluginError` if another plugin has a module of the same name."""
    for module in modules:
        before = _finder.modules.get(module.name)
        if before == module:
            continue
        loaded = sys.modules.get(module.name)
        if loaded is not None:
            other = before.path if before is not None else str(getattr(loaded, "__file__", None) or "another module")
            if os.path.realpath(other) != os.path.realpath(module.path):
                raise PluginError(
                    f"its module '{module.name}' ({module.path}) has the same name as {other}: rename one"
                )
            if before is not None and before.text != module.text:
                del sys.modules[module.name]  # it has changed since
        _finder.modules[module.name] = module
    if _finder.modules and _finder not in sys.meta_path:
        sys.meta_path.insert(0, _finder)


class ModuleWatch:
    """Notices modules that an agent loads although they are not among its files."""

    def __init__(self, plugin: str, text: str) -> None:
        self._plugin = plugin
        """The file of the plugin; "" if it is an installed module."""
        self._text = text
        self._known = set(sys.modules)
        self.count = len(sys.modules)
        """The number of modules that have been examined. As long as `sys.modules` has the same length, nothing is new.
        """

    def check(self) -> None:
        """Raise `PluginError`, with the line to add, if a loaded module is neither installed nor listed."""
        for name in [name for name in sys.modules if name not in self._known]:
            self._known.add(name)
            if name in _finder.modules or name.partition(".")[0] == PACKAGE:
                continue
            path = getattr(sys.modules[name], "__file__", None)
            if type(path) is str and path != self._plugin and not is_installed(path) and is_file(Path(path)):
                self._known.remove(name)
                raise PluginError(unlisted(name, path))
        self.count = len(sys.modules)

    def missing(self, error: BaseException) -> PluginError | None:
        """Return the error for an import that failed because the module is next to the agent but not listed."""
        name = error.name if isinstance(error, ModuleNotFoundError) else None
        if type(name) is not str or not self._plugin or name in imported_names(self._text, ""):
            return None  # modules in import statements are available, or this agent may not import them
        path = Path(self._plugin).parent.joinpath(*name.split("."))
        for file in (path / "__init__.py", path.with_suffix(".py")):
            if is_file(file):
                return PluginError(unlisted(name, str(file)))
        return None


def unlisted(name: str, path: str) -> str:
    """Return the sentence on a module that is not among an agent's files, with the line that lists it."""
    try:
        here = Path.cwd()
        shown = str(Path(path).relative_to(here)) if Path(path).is_relative_to(here) else path
    except OSError:
        shown = path
    return f"it loads the module '{name}', which is not one of its own files: list it: files: [{shown}]"
