"""A replay in the terminal: a coloured board that keys move from turn to turn, or plain lines."""

from __future__ import annotations

import os
import select
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from rich.console import Console, Group
from rich.live import Live
from rich.text import Text

from sweepstakes.game.cell import Cell
from sweepstakes.game.codes import COVERED, DETONATED, FLAG, WITHHELD
from sweepstakes.tournaments.replay.replay import Frame, Replay

_COLOURS = {1: "blue", 2: "green", 3: "red", 4: "magenta", 5: "dark_orange", 6: "cyan", 7: "white", 8: "bright_black"}
_WHY = {"proof": "green3", "guess": "gold1", "random": "orchid"}
_CLUE = "reverse"
_FALSE = "bold white on red3"
_FRAME_LINES = 12
"""Lines around the board: title, note, column numbers, the turn and its reasons, the keys."""
_KEYS = {"n": 1, " ": 1, "\r": 1, "\n": 1, "\x1b[C": 1, "\x1b[B": 1, "b": -1, "\x1b[D": -1, "\x1b[A": -1}


def print_replay(replay: Replay, echo: Callable[[str], None]) -> None:
    """Print the whole game as plain lines, and the last position."""
    echo(replay.title)
    if replay.note:
        echo(replay.note)
    for frame in replay.frames:
        echo(frame.headline())
        for line in frame.values():
            echo(f"    {line}")
        for reason in frame.reasons():
            echo(f"    {reason}")
        for line in replay.said[frame.number].lines() if frame.number in replay.said else ():
            echo(f"    {line}")
    if (unused := replay.unused()) is not None:
        echo(f"turn {len(replay.frames)}: not taken")
        for line in unused.lines():
            echo(f"    {line}")
    echo("")
    echo(str(replay.frames[-1].after).partition("\n")[2])
    echo(replay.ending())
    if replay.result.fault:
        echo(replay.result.fault)


def print_log(replay: Replay, echo: Callable[[str], None]) -> None:
    """Print a line for each cell that was flagged or opened, and how the game ended."""
    echo(replay.title)
    for frame in replay.frames:
        for line in frame.log():
            echo(line)
    echo(replay.ending())
    if replay.result.fault:
        echo(replay.result.fault)


def browse(replay: Replay, delay: float) -> None:
    """Show the game in the full terminal; keys: n next, b back, p play, q quit."""
    console = Console()
    place, playing = 0, False
    with _keys() as key, Live(console=console, screen=True, auto_refresh=False) as live:
        while True:
            live.update(render_frame(replay, place, console.width, console.height, playing), refresh=True)
            pressed = key(delay if playing else None)
            last = len(replay.frames) - 1
            if pressed in ("q", "\x1b", "\x03", "\x04"):
                return
            if pressed == "p":
                playing = not playing and place < last
            elif pressed in ("g", "\x1b[H"):
                place, playing = 0, False
            elif pressed in ("G", "\x1b[F"):
                place, playing = last, False
            elif pressed in _KEYS:
                place, playing = min(max(place + _KEYS[pressed], 0), last), False
            elif pressed is None and playing:
                place += 1
                playing = place < last


def render_frame(replay: Replay, place: int, width: int, height: int, playing: bool = False) -> Group:
    """Return one frame, cropped to a terminal of this size."""
    frame = replay.frames[place]
    lines = [Text(replay.title, "bold", overflow="ellipsis", no_wrap=True)]
    if replay.note:
        lines.append(Text(replay.note, "dim", overflow="ellipsis", no_wrap=True))
    lines += _board(frame, width, height)
    lines += [Text(), Text(frame.headline(), f"bold {_WHY[frame.turn.why]}" if frame.turn else "bold")]
    reasons = sorted(frame.reasons(), key=lambda reason: not reason.startswith("FALSE"))
    room = max(height - len(lines) - 5, 1)
    if place in replay.said:
        reasons += replay.said[place].lines(max(room - len(reasons) - 1, 1))
    if place == len(replay.frames) - 1 and (unused := replay.unused()) is not None:
        reasons += [f"turn {place + 1}: not taken", *unused.lines(max(room - len(reasons) - 2, 1))]
    if len(reasons) > room:
        reasons = [*reasons[: room - 1], f"and {len(reasons) - room + 1} more"]
    false = set(frame.false_proofs())
    lines += [Text("  " + each, "bold red" * (each in false), no_wrap=True, overflow="ellipsis") for each in reasons]
    if place == len(replay.frames) - 1:
        lines.append(Text(replay.ending(), "bold"))
        if replay.result.fault:
            lines.append(Text(replay.result.fault, "bold red"))
    legend = Text().append("chosen by: ", "dim")
    for why, colour in _WHY.items():
        legend.append(why, colour).append("  ")
    legend.append("flooded", "on grey30").append("  ").append("proves it", _CLUE)
    if frame.unsound:
        legend.append("  ").append("false proof", _FALSE)
    keys = Text(f"n next  b back  p {'pause' if playing else 'play '}  g first  G last  q quit", "dim")
    keys.append(f"   {place} of {len(replay.frames) - 1}", "dim")
    return Group(*lines, legend, keys)


def _board(frame: Frame, width: int, height: int) -> list[Text]:
    """Return the rows of the board, numbered; of a large board, the part around the cells of the turn."""
    view = frame.after
    cells = frame.cells("open") or frame.cells("flag") or frame.clues()
    centre = cells[0] if cells else Cell(0, 0)
    rows = _window(view.rows, max(height - _FRAME_LINES, 3), centre.row)
    cols = _window(view.cols, max((width - 5) // 2, 3), centre.col)
    touched, clues = set(frame.changed()), set(frame.clues())
    chosen = set(frame.cells("open")) | set(frame.cells("flag"))
    why = _WHY[frame.turn.why] if frame.turn is not None else "grey30"
    lines = [
        Text("     " + "".join(f"{col // 10 if col % 10 == 0 and col else ' ':<2}" for col in cols), "dim"),
        Text("     " + "".join(f"{col % 10:<2}" for col in cols), "dim"),
    ]
    for row in rows:
        line = Text().append(f"{row:>3}  ", "dim")
        for col in cols:
            cell = Cell(row, col)
            mark, style = _mark(int(view.shown[cell]))
            if cell in frame.unsound:
                style = _FALSE
            elif cell in chosen and cell in touched and view.shown[cell] != DETONATED:
                style = f"#000000 on {why}"
            elif cell in clues:
                style = f"{style} {_CLUE}"
            elif cell in touched:
                style = f"{style} on grey30"
            line.append(mark, style).append(" ")
        lines.append(line)
    return lines


def _mark(code: int) -> tuple[str, str]:
    """Return the character and the style of a cell."""
    if code == COVERED:
        return "■", "grey50"
    if code == FLAG:
        return "⚑", "bold yellow"
    if code == DETONATED:
        return "✹", "bold white on red"
    if code == WITHHELD:
        return "?", "bold"
    return ("·", "grey30") if code == 0 else (str(code), f"bold {_COLOURS[code]}")


def _window(length: int, room: int, centre: int) -> range:
    first = min(max(centre - room // 2, 0), max(length - room, 0))
    return range(first, min(first + room, length))


@contextmanager
def _keys() -> Iterator[Callable[[float | None], str | None]]:
    """A function that waits for a key press, at most the seconds of its argument, without waiting for Enter."""
    try:
        import termios
        import tty
    except ImportError:  # Windows: no time limit, so a key cannot stop playing
        import click

        yield lambda seconds: click.getchar()
        return
    stream = sys.stdin.fileno()
    before = termios.tcgetattr(stream)

    def key(seconds: float | None) -> str | None:
        if not select.select([stream], [], [], seconds)[0]:
            return None
        return os.read(stream, 8).decode(errors="replace") or "q"

    try:
        tty.setcbreak(stream)
        yield key
    finally:
        with suppress(termios.error):
            termios.tcsetattr(stream, termios.TCSADRAIN, before)
