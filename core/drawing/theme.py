"""The colours of drawings, light and dark, by name."""

from __future__ import annotations

STEPS = 10
"""Steps of the heat scale on each side of its neutral middle."""

LIGHT = {
    "page": "#ffffff",
    "ink": "#18212f",
    "muted": "#667386",
    "line": "#d3dbe5",
    "covered": "#b9c6d6",
    "open": "#f2f5f8",
    "recent": "#fdf0c4",
    "detonated": "#dc2626",
    "number": "#141a22",
    "flag": "#d0161c",
    "pole": "#18212f",
    "mine": "#18212f",
    "glint": "#ffffff",
    "wrong": "#b91c1c",
    "proof": "#7c3aed",
    "safe": "#12783a",
    "guess": "#b45309",
    "random": "#a21caf",
    "label": "#1d4ed8",
    "badge": "#ffffff",
    "path": "#0072b2",
    "first": "#d55e00",
    "last": "#00805c",
    "n1": "#1d4ed8",
    "n2": "#15803d",
    "n3": "#c01d1d",
    "n4": "#5b21b6",
    "n5": "#92400e",
    "n6": "#0e7490",
    "n7": "#111827",
    "n8": "#475569",
    "withheld": "#667386",
}
DARK = {
    "page": "#10151d",
    "ink": "#e6ebf2",
    "muted": "#9aa8ba",
    "line": "#303c4a",
    "covered": "#4a5b70",
    "open": "#19212c",
    "recent": "#40381a",
    "detonated": "#d93636",
    "number": "#ffffff",
    "flag": "#ff8a7a",
    "pole": "#f1f5f9",
    "mine": "#f1f5f9",
    "glint": "#10151d",
    "wrong": "#ffb4ab",
    "proof": "#c4a1ff",
    "safe": "#5fe08f",
    "guess": "#ffc04d",
    "random": "#f08bff",
    "label": "#8db8ff",
    "badge": "#10151d",
    "path": "#56b4e9",
    "first": "#ff9a4d",
    "last": "#3ddba8",
    "n1": "#82b1ff",
    "n2": "#5fd38d",
    "n3": "#ff8a80",
    "n4": "#c4a1ff",
    "n5": "#f0b27a",
    "n6": "#67d5e6",
    "n7": "#f1f5f9",
    "n8": "#a8b5c6",
    "withheld": "#9aa8ba",
}
_ENDS = {"light": ("#43c47c", "#f2704d"), "dark": ("#12803f", "#c03d1c")}


def _scale(name: str, colours: dict[str, str]) -> dict[str, str]:
    """Return the colours of the heat scale: `s1` to `s10` towards safe, `m1` to `m10` towards a mine."""
    return {
        f"{letter}{step}": mixed(colours["covered"], end, step / STEPS)
        for letter, end in zip("sm", _ENDS[name], strict=True)
        for step in range(1, STEPS + 1)
    }


def mixed(first: str, second: str, share: float) -> str:
    """Return a colour between two."""
    pairs = zip(bytes.fromhex(first[1:]), bytes.fromhex(second[1:]), strict=True)
    return "#" + bytes(round(a + (b - a) * share) for a, b in pairs).hex()


THEMES = {"light": LIGHT | _scale("light", LIGHT), "dark": DARK | _scale("dark", DARK)}
