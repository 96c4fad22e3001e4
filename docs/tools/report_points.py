"""Draws the points of the fourth report's figure 4 over our curves, for docs/five-systems.md."""

from __future__ import annotations

import tempfile
from pathlib import Path

from claims import estimates
from claims.published import Published

from sweepstakes.leaderboards.plots.style import GREY, INK, add_title, looks, new_figure, save, style

DOCS = Path(__file__).resolve().parents[1]
LEADERBOARD = DOCS.parent / "leaderboards" / "published" / "report-d"
POINTS = {0.2: 0.87, 0.3: 0.80, 0.4: 0.66, 0.5: 0.51, 0.6: 0.35, 0.7: 0.19, 0.8: 0.08}
"""The score of the report's modified algorithm by density, read off its figure 4."""


def generated() -> dict[Path, str]:
    """Return the picture for light and for dark pages, by their files."""
    published = Published(LEADERBOARD)
    densities = sorted((fields.density, label) for label, fields in published.conditions.items())
    with style(), tempfile.TemporaryDirectory() as place:
        figure = new_figure(6.4, 3.9)
        axes = figure.subplots()
        for agent, look in looks(published.agents).items():
            means = [estimates.mean(100 * published.values(agent, label)) for _, label in densities]
            at = [density for density, _ in densities]
            axes.fill_between(at, [m.low for m in means], [m.high for m in means], color=look.colour, alpha=0.18, lw=0)
            line = [m.mean for m in means]
            axes.plot(at, line, color=look.colour, marker=look.marker, ms=4, ls=look.dash, label=agent)
        points = [100 * score for score in POINTS.values()]
        axes.plot(list(POINTS), points, "X", color=INK, ms=8, mec=GREY, label="the report's figure 4")
        axes.set_xlabel("mine density")
        axes.set_ylabel("Mines identified (%)")
        axes.set_ylim(0, 100)
        axes.legend(frameon=False, fontsize=9)
        title = "Mines identified against mine density: the points of report D and our agents"
        add_title(figure, title, "report-d: 10x10; 300 boards for each density; bands are 95 % intervals")
        files = save(figure, Path(place), "report-d-points")
        return {DOCS / "pictures" / file.name: file.read_text(encoding="utf-8") for file in files}
