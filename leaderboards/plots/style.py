"""How pictures look: one colour, marker and dash for each agent, and the same bytes for the same numbers."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from sweepstakes.drawing.agent_looks import COLOURS, agent_looks
from sweepstakes.drawing.picture import Picture
from sweepstakes.drawing.svg import svg_of

if TYPE_CHECKING:
    from matplotlib.figure import Figure

DASHES = ("solid", (0, (5, 2)), (0, (1.5, 1.5)), (0, (6, 2, 1, 2)))
GREY = "#6B6B6B"
RULE = "#D9D9D9"

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
    "figure.facecolor": "white",
    "savefig.facecolor": "white",
    "figure.dpi": 100,
    "savefig.dpi": 150,
    "svg.fonttype": "path",  # text as outlines: the same picture whatever fonts the reader has
    "svg.hashsalt": "sweepstakes",  # the same ids in every file
    "path.simplify": False,
}


class Look(NamedTuple):
    """How an agent is drawn."""

    colour: str
    marker: str
    dash: Any


def looks(agents: Sequence[str]) -> dict[str, Look]:
    """The look of each agent of a tournament, as matplotlib draws it."""
    return {
        agent: Look(COLOURS[look.colour], look.marker, DASHES[look.dash]) for agent, look in agent_looks(agents).items()
    }


def plain(name: str) -> str:
    """A name as matplotlib draws it: dollars in it begin no formula."""
    return name.replace("$", r"\$")


def style() -> AbstractContextManager[None]:
    """Within this, matplotlib draws in our style, whatever the user's own settings."""
    from matplotlib import rc_context, rcParamsDefault

    settings: Any = {
        key: value for key, value in rcParamsDefault.items() if not key.startswith(("backend", "interactive"))
    }
    return rc_context(settings | _RC)


def new_figure(width: float, height: float) -> Figure:
    """A figure in inches that belongs to no window."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    figure = Figure(figsize=(width, height))
    FigureCanvasAgg(figure)
    return figure


def save(figure: Figure | Picture, folder: Path, name: str) -> Path:
    """Write the figure, or the picture of a position, as SVG, without dates and versions in it."""
    folder.mkdir(parents=True, exist_ok=True)
    file = folder / f"{name}.svg"
    if isinstance(figure, Picture):
        file.write_text(svg_of(figure, "auto", 24), encoding="utf-8")
    else:
        figure.savefig(file, metadata={"Date": None, "Creator": None}, bbox_inches="tight", pad_inches=0.12)
    return file
