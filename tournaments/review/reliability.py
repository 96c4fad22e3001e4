"""The reliability diagram: stated mine probabilities against how often the cells were mines."""

from __future__ import annotations

from sweepstakes.review import Audit

SIDE, LEFT, TOP = 260, 46, 12
STYLE = (
    "text{fill:#222}.axis{fill:none;stroke:#767676}.dot{fill:#0072b2;fill-opacity:.75}"
    ".ring{fill:none;stroke:#d55e00;stroke-width:1.6}"
    "@media(prefers-color-scheme:dark){text{fill:#e6ebf2}.axis{stroke:#9aa8ba}.dot{fill:#4aa8e0}.ring{stroke:#ff9a4d}}"
)
"""The colours on light and on dark pages; the background is that of the page."""


def reliability_svg(audit: Audit) -> str:
    """Return the diagram as SVG: a dot for each bin of stated probabilities, on the diagonal if they are right.

    The area of a dot grows with the number of probabilities. A ring marks the mean true probability of the bin, which
    does not depend on the luck of the outcomes.
    """
    bins = [found for found in audit.reliability() if found is not None]
    most = max((found.number for found in bins), default=1)
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {SIDE + LEFT + 14} {SIDE + TOP + 48}" '
        f'width="{SIDE + LEFT + 14}" height="{SIDE + TOP + 48}" role="img" font-family="system-ui,sans-serif" '
        'font-size="11">',
        f"<title>Stated mine probabilities against the share of mines</title><style>{STYLE}</style>",
        f'<path class="axis" d="M{_x(0)} {_y(0)}H{_x(1)}M{_x(0)} {_y(0)}V{_y(1)}"/>',
        f'<path class="axis" d="M{_x(0)} {_y(0)}L{_x(1)} {_y(1)}" stroke-dasharray="4 3"/>',
    ]
    for tick in (0, 0.25, 0.5, 0.75, 1):
        parts.append(f'<text x="{_x(tick)}" y="{_y(0) + 16}" text-anchor="middle">{tick:g}</text>')
        parts.append(f'<text x="{_x(0) - 6}" y="{_y(tick) + 4}" text-anchor="end">{tick:g}</text>')
    middle = _x(0.5)
    parts.append(f'<text x="{middle}" y="{_y(0) + 34}" text-anchor="middle">stated probability</text>')
    parts.append(
        f'<text x="12" y="{_y(0.5)}" text-anchor="middle" transform="rotate(-90 12 {_y(0.5)})">share of mines</text>'
    )
    for found in bins:
        radius = round(2.5 + 7 * (found.number / most) ** 0.5, 1)
        title = (
            f"{found.number:,} probabilities, {found.stated:.3f} on average: {found.mines:.3f} were mines, "
            f"{found.true:.3f} expected"
        )
        parts.append(
            f'<circle cx="{_x(found.stated)}" cy="{_y(found.mines)}" r="{radius}" class="dot">'
            f"<title>{title}</title></circle>"
        )
        ring = f'cx="{_x(found.stated)}" cy="{_y(found.true)}" r="4"'
        parts.append(f'<circle {ring} class="ring"/>')
    return "\n".join([*parts, "</svg>"]) + "\n"


def _x(share: float) -> float:
    return round(LEFT + SIDE * share, 1)


def _y(share: float) -> float:
    return round(TOP + SIDE * (1 - share), 1)
