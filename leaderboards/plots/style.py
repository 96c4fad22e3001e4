"""The style of pictures: a colour, marker and dash for each agent, and equal bytes for equal numbers."""

from __future__ import annotations

import re
from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from textwrap import fill
from typing import TYPE_CHECKING, Any, NamedTuple

from sweepstakes.drawing.agent_looks import COLOURS, DARK_COLOURS, agent_looks
from sweepstakes.drawing.picture import Picture
from sweepstakes.drawing.svg import svg_of
from sweepstakes.leaderboards.plots import cell_map

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DASHES = ("solid", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1, 2)))
INK = "#222222"
GREY = "#6B6B6B"
RULE = "#D9D9D9"
EDGE = "#FFFFFF"
"""The edge of a marker: the colour of the page behind it."""
_DARK = {INK: "#E6EDF3", GREY: "#9DA7B3", RULE: "#3D444D", EDGE: "#0D1117"}
_DARK |= dict(zip(COLOURS, DARK_COLOURS, strict=True)) | cell_map.DARK
"""The colour that replaces each colour on a dark page."""

_RC: dict[str, Any] = {
    "font.family": "DejaVu Sans",  # comes with matplotlib
    "font.size": 10,
    "axes.titlesize": 11,
    "axes.titlelocation": "left",
    "axes.titleweight": "bold",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.edgecolor": GREY,
    "axes.grid": True,
    "axes.axisbelow": True,
    "grid.color": RULE,
    "grid.linewidth": 0.6,
    "figure.facecolor": "none",
    "axes.facecolor": "none",
    "savefig.facecolor": "none",
    "text.color": INK,
    "axes.labelcolor": INK,
    "axes.titlecolor": INK,
    "xtick.color": GREY,
    "ytick.color": GREY,
    "xtick.labelcolor": INK,
    "ytick.labelcolor": INK,
    "figure.dpi": 100,
    "savefig.dpi": 150,
    "svg.fonttype": "path",  # text as outlines: the same picture whatever fonts the reader has
    "svg.hashsalt": "sweepstakes",  # the same ids in every file
    "path.simplify": False,
}


class PlotLook(NamedTuple):
    """The look of an agent in plots."""

    colour: str
    marker: str
    dash: Any


def looks(agents: Sequence[str]) -> dict[str, PlotLook]:
    """Return the look of each agent of a tournament, as matplotlib draws it."""
    return {
        agent: PlotLook(COLOURS[look.colour], look.marker, DASHES[look.dash])
        for agent, look in agent_looks(agents).items()
    }


def plain(name: str) -> str:
    """Escape a name for matplotlib, so that dollar signs do not begin a formula."""
    return name.replace("$", r"\$")


def style() -> AbstractContextManager[None]:
    """Within this context matplotlib draws in our style, whatever the user's own settings are."""
    from matplotlib import rc_context, rcParamsDefault

    settings: Any = {
        key: value for key, value in rcParamsDefault.items() if not key.startswith(("backend", "interactive"))
    }
    return rc_context(settings | _RC)


def new_figure(width: float, height: float) -> Figure:
    """Return a figure that belongs to no window, with its size in inches."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure


def add_title(figure: Figure, title: str, below: str) -> None:
    """Write a title and a line below it above everything, in as many lines as the width needs."""
    box = figure.get_tightbbox()
    width, height = figure.get_size_inches()
    inches = max(box.x1 - box.x0, 5)
    top = box.y1 + 0.12
    for text, size, per_inch, weight, colour in ((below, 9, 15.5, "normal", GREY), (title, 10.5, 11.5, "bold", INK)):
        lines = fill(text, int(per_inch * inches))
        place = box.x0 / width, top / height
        figure.text(*place, plain(lines), va="bottom", fontsize=size, fontweight=weight, color=colour)
        top += 0.05 + size / 72 * 1.25 * (lines.count("\n") + 1)


def save(figure: Figure | Picture, folder: Path, name: str) -> list[Path]:
    """Write the figure, or the picture of a position, as SVG without dates and versions.

    The background is transparent. A figure has a second file for dark pages, NAME-dark.svg; the picture of a position
    has the colours for both in one file.
    """
    folder.mkdir(parents=True, exist_ok=True)
    file, dark = folder / f"{name}.svg", folder / f"{name}-dark.svg"
    if isinstance(figure, Picture):
        file.write_text(svg_of(figure, "auto", 40), encoding="utf-8")
        return [file]
    figure.savefig(
        file, metadata=dict.fromkeys(("Creator", "Date", "Format", "Type")), bbox_inches="tight", pad_inches=0.12
    )
    svg = shortened(file.read_text(encoding="utf-8"))
    file.write_text(svg, encoding="utf-8")
    dark.write_text(_darkened(svg), encoding="utf-8")
    return [file, dark]


def shortened(svg: str) -> str:
    """Return the same picture in fewer bytes: without indentation and empty groups, two decimals in its coordinates.

    Numbers below 1, which may be scales, have four digits. Letters are placed on whole hundredths of their size.
    """

    def rounded(found: re.Match[str]) -> str:
        value = float(found[0])
        return f"{value:.2f}".rstrip("0").rstrip(".") if abs(value) >= 1 else f"{value:.4g}"

    def packed(found: re.Match[str]) -> str:
        return re.sub(r"([A-Za-z]) ", r"\1", re.sub(r"\s*\n\s*", "", found[0]))

    svg = re.sub(r"(?<![\w.#])-?\d+\.\d{3,}", rounded, svg)
    svg = re.sub(r'(?<= d=")[^"]*', packed, svg)
    svg = re.sub('style="[^"]*"', lambda found: found[0].replace(": ", ":").replace("; ", ";"), svg)
    svg = re.sub(r'transform="translate\((-?[\d.]+) 0\)"/>', lambda found: f'x="{float(found[1]):.0f}"/>', svg)
    svg = re.sub("<!--.*?-->|<!DOCTYPE.*?>|<g [^>]*/>", "", svg, flags=re.S)
    svg = re.sub('<g id="[^"]*">', "<g>", svg.replace("DejaVuSans-", "f").replace("xlink:href=", "href="))
    return re.sub(r"\s*\n\s*", "\n", _without_empty_groups(svg))


def _without_empty_groups(svg: str) -> str:
    """Return the picture without groups that have no attributes."""
    kept: list[bool] = []

    def of(found: re.Match[str]) -> str:
        if found[0] == "</g>":
            return "</g>" if kept.pop() else ""
        kept.append(found[0] != "<g>")
        return found[0] if kept[-1] else ""

    return re.sub("<g(?: [^>]*)?>|</g>", of, svg)


def _darkened(svg: str) -> str:
    """Return the same picture in the colours for a dark page."""
    colours = {light.lower(): dark.lower() for light, dark in _DARK.items()}
    return re.sub("#[0-9a-f]{6}", lambda found: colours.get(found[0], found[0]), svg)
