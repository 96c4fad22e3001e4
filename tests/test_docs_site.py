"""The documentation site shows every picture that its pages name."""

from __future__ import annotations

import subprocess
import sys
from html.parser import HTMLParser
from importlib.util import find_spec
from pathlib import Path
from urllib.parse import unquote, urlsplit

import pytest

ROOT = Path(__file__).parents[1]
NEEDED = ("sphinx", "furo", "myst_parser", "sphinx_copybutton")
pytestmark = [
    pytest.mark.system,
    pytest.mark.skipif(not all(map(find_spec, NEEDED)), reason=f"needs {', '.join(NEEDED)}"),
]


class Shown(HTMLParser):
    """Collects what a page names in `src` and `srcset`, and the themes that images are for."""

    def __init__(self, page: Path) -> None:
        super().__init__()
        self.files: list[str] = []
        self.themes: list[str] = []
        self.feed(page.read_text(encoding="utf-8"))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.files += [found["src"]] if "src" in found else []
        self.files += [part.split()[0] for part in found.get("srcset", "").split(",") if part.strip()]
        self.themes += [word for word in found.get("class", "").split() if tag == "img" and word.startswith("only-")]


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("site")
    build = [sys.executable, "-m", "sphinx", "-q", "-W", "--keep-going", "-c", "docs", ".", str(folder)]
    done = subprocess.run(build, cwd=ROOT, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return folder


def test_every_picture_that_a_page_names_is_on_the_site(site: Path) -> None:
    named = [(page, file) for page in site.rglob("*.html") for file in Shown(page).files]
    own = [(page, unquote(urlsplit(file).path)) for page, file in named if not urlsplit(file).scheme]
    assert sum(file.endswith((".svg", ".png")) for _, file in own) > 300
    missing = [f"{page.relative_to(site)}: {file}" for page, file in own if not (page.parent / file).is_file()]
    assert not missing, "\n".join(missing)


def test_plots_follow_the_theme_of_the_page(site: Path) -> None:
    for name in ("README", "docs/agents", "leaderboards/published/README", "leaderboards/published/density/README"):
        themes = Shown(site / f"{name}.html").themes
        assert themes, name
        assert themes == ["only-light", "only-dark"] * (len(themes) // 2), name


def test_a_plot_with_a_dark_version_is_never_shown_without_it() -> None:
    """A plot has no background of its own: the light one cannot be read on a dark page."""
    for page in [ROOT / "README.md", *ROOT.glob("docs/*.md"), *ROOT.glob("leaderboards/**/*.md")]:
        for line in page.read_text(encoding="utf-8").splitlines():
            for part in line.split("![")[1:]:
                file = page.parent / part.partition("](")[2].partition(")")[0]
                assert not file.with_name(f"{file.stem}-dark{file.suffix}").exists(), f"{page}: {file.name}"
