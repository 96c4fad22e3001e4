"""The picture of a position: where each cell, clue, flag, mine, number and mark is painted."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable
from itertools import groupby
from textwrap import wrap

from sweepstakes.drawing import glyphs
from sweepstakes.drawing.drawing import CellLike, Drawing
from sweepstakes.drawing.glyphs import CELL, Glyph, Path, number, placed
from sweepstakes.drawing.heat import HeatMap, heat_map
from sweepstakes.drawing.picture import Layer, Picture, Text, rectangle, segment
from sweepstakes.untrusted.text import clean

MARGIN = 8
RULER = 34
"""Width of the margin with the numbers of rows and columns."""
LINE = 26
"""Distance between two lines of the caption."""
LETTER = 9.6
"""The mean width of a letter of the caption, at its size of 18."""
NARROWEST = 320
"""Minimum width of a picture with a caption."""
EDGE = 17
"""Distance from the centre of a cell to a ring around it."""
LONGEST_LABEL = 8
KINDS = {
    "safe": glyphs.TICK,
    "mine": glyphs.CROSS,
    "false": glyphs.CROSS,
    "guess": glyphs.QUESTION,
    "random": glyphs.DICE,
}
"""The marks that have a sign of their own; any other label is written as it is."""
_COLOURS = {"mine": "wrong", "false": "wrong"} | {kind: kind for kind in ("safe", "guess", "random")}


def position_picture(drawing: Drawing, *, coordinates: bool = True, numbers: bool = True) -> Picture:
    """Return the picture of a position, with or without row and column numbers and the numbers of the heat map."""
    return _Painter(drawing, coordinates, numbers).picture()


class _Painter:
    """Paints one position."""

    def __init__(self, drawing: Drawing, coordinates: bool, numbers: bool) -> None:
        self.drawing = drawing
        self.left = self.top = MARGIN + (RULER if coordinates else 0)
        self.coordinates = coordinates
        self.layers: list[Layer] = []
        self.texts: list[Text] = []
        self.heat = HeatMap({}, {}, None)
        if drawing.heat is not None:
            self.heat = heat_map(drawing.shown, drawing.rows, drawing.cols, drawing.heat)
        self.numbers = self.heat.numbers if numbers else {}

    def picture(self) -> Picture:
        """Return everything from the bottom to the top."""
        drawing = self.drawing
        width = self.left + CELL * drawing.cols + MARGIN
        height = self.top + CELL * drawing.rows + MARGIN
        caption = clean(self._caption(), 2000)
        if caption:
            width = max(width, NARROWEST)
            caption = re.sub(r"\((\d+), (\d+)\)", "(\\1,\u00a0\\2)", caption)  # no line ends within a cell
            lines = wrap(caption, int((width - self.left - MARGIN) / LETTER))
            self.texts += [
                Text(line, self.left, height + 16 + LINE * place, 18, "ink", centred=False)
                for place, line in enumerate(lines)
            ]
            height += LINE * len(lines) + 4
        self._backgrounds()
        self._line()
        self._content()
        self._proofs()
        self._stations()
        self._marks()
        if self.coordinates:
            self._rulers()
        page = Layer("page", 0, [rectangle(0, 0, width, height)])
        return Picture(width, height, [page, *self.layers], self.texts, self._title())

    def _caption(self) -> str:
        if self.drawing.caption is None and self.heat.elsewhere is not None:
            percent = 100 * self.heat.elsewhere
            if 0 < percent < 100:  # only certain cells show 0 or 100
                percent = min(max(percent, 0.1), 99.9)
            return f"mine elsewhere: {percent:.1f} %"
        return self.drawing.caption or ""

    def _add(self, colour: str, width: float, paths: Iterable[Path]) -> None:
        paths = list(paths)
        if paths:
            self.layers.append(Layer(colour, width, paths))

    def _centre(self, cell: CellLike) -> tuple[float, float]:
        row, col = cell
        return self.left + CELL * col + CELL / 2, self.top + CELL * row + CELL / 2

    def _glyphs(self, glyph: Glyph, cells: Iterable[int], scale: float = 1) -> list[Path]:
        """Return a glyph in the middle of each of the cells, which are flat indices."""
        return [path for flat in cells for path in placed(glyph, *self._centre(divmod(flat, self.drawing.cols)), scale)]

    def _backgrounds(self) -> None:
        drawing, heat = self.drawing, self.heat.colours
        rows, cols, shown = drawing.rows, drawing.cols, drawing.shown
        recent = {row * cols + col for row, col in drawing.recent}
        self._add("covered", 0, [rectangle(self.left, self.top, CELL * cols, CELL * rows)])

        def colour(flat: int) -> str:
            mark = shown[flat]
            if mark == "*":
                return "detonated"
            if mark in ".F":
                return heat.get(flat, "")
            return "recent" if flat in recent else "open"

        runs: dict[str, list[Path]] = {}
        for row in range(rows):
            for name, group in groupby(range(row * cols, (row + 1) * cols), colour):
                cells = list(group)
                if name:
                    x, y = self.left + CELL * (cells[0] - row * cols), self.top + CELL * row
                    runs.setdefault(name, []).append(rectangle(x, y, CELL * len(cells), CELL))
        for name in sorted(runs):
            self._add(name, 0, runs[name])
        right, bottom = self.left + CELL * cols, self.top + CELL * rows
        lines = [segment(self.left, y, right, y) for y in range(self.top, bottom + 1, CELL)]
        lines += [segment(x, self.top, x, bottom) for x in range(self.left, right + 1, CELL)]
        self._add("line", 1.5, lines)

    def _content(self) -> None:
        drawing, layout = self.drawing, self.drawing.mines
        cells: dict[str, list[int]] = defaultdict(list)
        for flat, mark in enumerate(drawing.shown):
            cells[mark].append(flat)
        for clue in "12345678":
            self._add(f"n{clue}", 4, self._glyphs(glyphs.DIGITS[clue], cells[clue]))
        self._add("withheld", 4, self._glyphs(glyphs.QUESTION, cells["?"]))
        self._add("pole", 3, self._glyphs(glyphs.POLE, cells["F"]))
        self._add("flag", 0, self._glyphs(glyphs.PENNANT, cells["F"]))
        mines = cells["*"] + ([flat for flat in cells["."] if layout[flat]] if layout is not None else [])
        self._add("mine", 3, self._glyphs(glyphs.SPIKES, mines))
        self._add("mine", 17, self._glyphs(glyphs.DOT, mines))
        self._add("glint", 4, self._glyphs(glyphs.GLINT, mines))
        if layout is not None:
            self._add("wrong", 4, self._glyphs(glyphs.CROSS, (flat for flat in cells["F"] if not layout[flat]), 1.5))
        figures = [
            path
            for flat, text in self.numbers.items()
            for path in number(text, *self._centre(divmod(flat, drawing.cols)), 0.62)
        ]
        self._add("number", 2.6, figures)

    def _proofs(self) -> None:
        proof = self.drawing.proof
        lines, ends = [], []
        for cell, clues in proof.items():
            for clue in clues:
                (x, y), (to_x, to_y) = self._centre(clue), self._centre(cell)
                share = EDGE / (max(abs(to_x - x), abs(to_y - y)) or 2 * EDGE)
                dx, dy = share * (to_x - x), share * (to_y - y)
                lines.append(segment(x + dx, y + dy, to_x - dx, to_y - dy))
                ends.append(segment(to_x - dx, to_y - dy, to_x - dx, to_y - dy))
            if cell not in self.drawing.marks:
                ends += placed(glyphs.DOT, *self._centre(cell))
        clues = sorted({*self.drawing.clues, *(clue for clues in proof.values() for clue in clues)})
        self._add("proof", 3, lines)
        self._add("proof", 3.5, self._rings(clues))
        self._add("proof", 10, ends)

    def _rings(self, cells: Iterable[CellLike]) -> list[Path]:
        return [path for cell in cells for path in placed(glyphs.RING, *self._centre(cell))]

    def _line(self) -> None:
        if len(self.drawing.path) > 1:
            self._add("path", 4, [tuple(self._centre(cell) for cell in self.drawing.path)])

    def _stations(self) -> None:
        """Draw a disc with its number on the path over each of its cells: filled on a mine, else empty."""
        drawing = self.drawing
        centres = [self._centre(cell) for cell in drawing.path]
        for place, (cell, (x, y)) in enumerate(zip(drawing.path, centres, strict=True)):
            flat = cell[0] * drawing.cols + cell[1]
            mine = drawing.shown[flat] in "F*" or (drawing.mines is not None and bool(drawing.mines[flat]))
            last = 0 < place == len(centres) - 1
            glyph, colour = (glyphs.CIRCLE, "path") if place and not last else (glyphs.DIAMOND, "last")
            if not place:
                glyph, colour = glyphs.SQUARE, "first"
            self._add(colour if mine else "page", 0, placed(glyph, x, y))
            self._add(colour, 2.5, placed(glyph, x, y))
            digits = str(place)
            self._add("badge" if mine else "ink", 2.2, number(digits, x, y, (0.75, 0.66, 0.5)[min(len(digits), 3) - 1]))

    def _marks(self) -> None:
        drawing = self.drawing
        kinds: dict[str, list[CellLike]] = {}
        for cell, label in sorted(drawing.marks.items()):
            kinds.setdefault(label if label in KINDS else "", []).append(cell)
        for kind, cells in sorted(kinds.items()):
            colour = _COLOURS.get(kind, "label")
            self._add(colour, 4, self._rings(cells))
            if not kind:
                self.texts += [self._label(cell, clean(drawing.marks[cell], LONGEST_LABEL)) for cell in cells]
                continue
            free = [cell for cell in cells if not self._full(cell)]
            full = [cell for cell in cells if self._full(cell)]
            self._add(colour, 4.5, [path for cell in free for path in placed(KINDS[kind], *self._centre(cell))])
            corners = [(x + 14, y - 14) for x, y in map(self._centre, full)]
            self._add(colour, 18, [((x, y), (x, y)) for x, y in corners])
            self._add("badge", 2.6, [path for x, y in corners for path in placed(KINDS[kind], x, y, 0.5)])

    def _full(self, cell: CellLike) -> bool:
        """Return whether something is drawn in the middle of the cell."""
        row, col = cell
        flat = row * self.drawing.cols + col
        hidden = self.drawing.shown[flat] == "." and flat not in self.numbers
        mine = self.drawing.mines is not None and self.drawing.mines[flat]
        return not (hidden and not mine) and self.drawing.shown[flat] != "0"

    def _label(self, cell: CellLike, label: str) -> Text:
        """Return a label in the middle of a cell, or a small one above whatever is drawn there."""
        x, y = self._centre(cell)
        size = min(20.0, 56 / max(len(label), 1))
        if self._full(cell):
            return Text(label, x, y - 8, min(size, 11), "label", centred=True, bold=True)
        return Text(label, x, y + 0.36 * size, size, "label", centred=True, bold=True)

    def _rulers(self) -> None:
        rows, cols, middle = self.drawing.rows, self.drawing.cols, MARGIN + RULER / 2
        places = [(row, middle, self._centre((row, 0))[1]) for row in range(rows)]
        places += [(col, self._centre((0, col))[0], middle) for col in range(cols)]
        figures = [path for count, x, y in places for path in number(str(count), x, y, 0.55)]
        self._add("muted", 2.2, figures)

    def _title(self) -> str:
        """Describe in words what the picture shows."""
        drawing = self.drawing
        counts = [
            f"{count} {word}"
            for word, count in (
                ("open", sum(mark in "012345678?" for mark in drawing.shown)),
                ("flagged", drawing.shown.count("F")),
                ("detonated", drawing.shown.count("*")),
            )
            if count
        ]
        if drawing.mines is not None:
            counts.append(f"{drawing.mines.count(1)} mines")
        return f"Minesweeper, {drawing.rows} x {drawing.cols}" + (f": {', '.join(counts)}" if counts else "")
