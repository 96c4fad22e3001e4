"""`latex`: tables for a paper, with booktabs."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping

from sweepstakes import hookimpl
from sweepstakes.report import Report
from sweepstakes.standings import Standings
from sweepstakes.tables import MINUS, Grid, conditions_caption, conditions_grids, standings_grid
from sweepstakes.untrusted.text import clean

_SPECIAL = {
    "\\": r"\textbackslash{}",
    "{": r"\{",
    "}": r"\}",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "%": r"\%",
    "_": r"\_",
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    '"': r"\textquotedbl{}",
    "`": r"\textasciigrave{}",
    "[": "{[}",  # after the end of a line, a bracket would begin the argument for extra space
    "]": "{]}",
    "*": "{*}",  # after the end of a line, an asterisk would forbid a page break
    "–": "--",
    "±": r"$\pm$",
    MINUS: "$-$",
}


class Latex(Report):
    r"""Floating tables for a document that has `\usepackage{booktabs}` and, for \", `\usepackage[T1]{fontenc}`."""

    def text(self, standings: Standings) -> str:
        """Return the table over all conditions, captioned with the footnote, then the ranking score by condition."""
        first = standings.tables[0]
        caption = f"{standings.name}: {first.heading}. {standings.footnote} {standings.on_seed}".rstrip()
        label = f"tab:{re.sub(r'[^A-Za-z0-9.]+', '-', standings.name)}"
        parts = [_float(standings_grid(standings, first), caption, label)]
        if len(standings.tables) > 1:
            caption = f"{standings.name}: {conditions_caption(standings)}."
            for i, grid in enumerate(conditions_grids(standings), 1):
                parts.append(_float(grid, caption, f"{label}-conditions-{i}"))
        return "% needs \\usepackage{booktabs}\n" + "\n".join(parts)


def escape(text: str) -> str:
    """Escape a text for LaTeX, on one line."""
    return re.sub(r'[\\{}$&#%_~^<>|"`\[\]*–±−]', lambda found: _SPECIAL[found.group()], clean(text, 10_000))


def _float(grid: Grid, caption: str, label: str) -> str:
    return "\n".join(_lines(grid, caption, label)) + "\n"


def _lines(grid: Grid, caption: str, label: str) -> Iterator[str]:
    columns = ["r", "l"][2 - grid.left :] + ["r"] * (len(grid.heads) - grid.left)
    yield from (r"\begin{table}", r"\centering", rf"\caption{{{escape(caption)}}}", rf"\label{{{label}}}")
    yield rf"\begin{{tabular}}{{{''.join(columns)}}}"
    yield r"\toprule"
    yield " & ".join(map(escape, grid.heads)) + r" \\"
    yield r"\midrule"
    for line in grid.lines:
        yield " & ".join(map(escape, line)) + r" \\"
    yield from (r"\bottomrule", r"\end{tabular}", r"\end{table}")


@hookimpl
def sweepstakes_reports() -> Mapping[str, Callable[..., Report]]:
    """Offer `latex`."""
    return {"latex": Latex}
