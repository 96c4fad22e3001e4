"""Draws the diagrams of the documentation as SVG, which every browser shows without a network and without scripts."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "pictures" / "diagrams"
STYLE = (
    "<style>text{font:13px sans-serif;fill:#1f2937}.c{text-anchor:middle}.s{font-size:12px;fill:#4b5563}"
    ".e{text-anchor:end}.m{font-family:monospace;font-size:12px}"
    ".paper{fill:#fff}.box{fill:#eef2f7;stroke:#7c8aa0}.group{fill:none;stroke:#a3aec0;stroke-dasharray:5 4}"
    ".line{fill:none;stroke:#4b5563;stroke-width:1.3}.head{fill:#4b5563}.life{stroke:#a3aec0}"
    "@media(prefers-color-scheme:dark){text{fill:#e5e7eb}.s{fill:#b6bfcc}.paper{fill:#16191f}.box{fill:#27303d;stroke:#7c8aa0}"
    ".line{stroke:#b6bfcc}.head{fill:#b6bfcc}.life,.group{stroke:#5b6675}}</style>"
)
COLUMNS = {
    "rank": "1 + the number of significantly better agents, so agents can share a rank",
    "agent": "its name with parameters, or the name that the tournament file gives it with as",
    "win %": "the first score, which decides the rank: mean and 95 % interval",
    "win-adjusted %": "a further score: games won, corrected for luck; mean ± 95 % interval",
    "rating": "strength on the scale of chess: 400 points mean odds of 10 to 1; the average is 0",
    "guesses": "mean number of guesses in a game; less is better",
    "turns": "mean number of turns in a game; less is better",
    "faults": "games lost through an error, an illegal move or an exceeded limit",
}
"""The columns of the classic leaderboard, and what each means."""
LETTER = 6.4
"""The width of a letter, in pixels, or a little more."""


class Message(NamedTuple):
    """A step of a sequence: one participant tells another (or itself) something."""

    sender: int
    receiver: int
    text: str


class Loop(NamedTuple):
    """Steps that are repeated."""

    title: str
    steps: tuple[Message | Loop, ...]


class Box(NamedTuple):
    """A box of a flow: its lines of text, and the place of its middle."""

    x: float
    y: float
    lines: tuple[str, ...]
    width: float = 150

    @property
    def height(self) -> float:
        """What its lines need."""
        return 18.0 * len(self.lines) + 14


class Arrow(NamedTuple):
    """An arrow from one box to another, with a label next to its middle."""

    start: str
    end: str
    label: str = ""
    shift: float = 0
    """How far it is moved to the right, or down."""


def svg(title: str, width: float, height: float, parts: list[str]) -> str:
    """The parts on paper."""
    size = f'viewBox="0 0 {width:g} {height:g}" width="{width:g}" height="{height:g}"'
    paper = f'<rect class="paper" width="{width:g}" height="{height:g}" rx="8"/>'
    head = f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img"><title>{escape(title)}</title>'
    return "\n".join([head, STYLE, paper, *parts, "</svg>"]) + "\n"


def sequence(title: str, participants: tuple[str, ...], steps: tuple[Message | Loop, ...]) -> str:
    """Who tells whom what, from the top to the bottom."""
    places = [_first(participants)]
    for i in range(1, len(participants)):
        texts = [step.text for step in _messages(steps) if {step.sender, step.receiver} == {i - 1, i}]
        texts += [step.text for step in _messages(steps) if step.sender == step.receiver == i - 1]
        longest = max((len(text) for text in texts), default=0)
        names = (len(participants[i - 1]) + len(participants[i])) / 2
        places.append(places[-1] + max(150, LETTER * longest + 40, LETTER * names + 40))
    width = places[-1] + _first(participants[::-1])
    drawn: list[str] = []
    bottom = _steps(steps, places, 80.0, 0, drawn)
    lives = [f'<path class="life" d="M{x:g} 50V{bottom:g}"/>' for x in places]
    names_ = [_box(Box(x, 32, (name,), LETTER * len(name) + 24)) for x, name in zip(places, participants, strict=True)]
    return svg(title, round(width), round(bottom + 16), [*lives, *names_, *drawn])


def _first(participants: tuple[str, ...]) -> float:
    return 30 + max(60, LETTER * len(participants[0]) / 2)


def _messages(steps: tuple[Message | Loop, ...]) -> list[Message]:
    return [each for step in steps for each in (_messages(step.steps) if isinstance(step, Loop) else [step])]


def _steps(steps: tuple[Message | Loop, ...], places: list[float], y: float, depth: int, drawn: list[str]) -> float:
    for step in steps:
        if isinstance(step, Loop):
            inner: list[str] = []
            end = _steps(step.steps, places, y + 44, depth + 1, inner)
            used = [place for each in _messages(step.steps) for place in (each.sender, each.receiver)]
            left, right = places[min(used)] - 26 + 8 * depth, places[max(used)] + 26 - 8 * depth
            drawn.append(
                f'<rect class="group" x="{left:g}" y="{y - 4:g}" width="{right - left:g}" height="{end - y:g}" rx="4"/>'
            )
            drawn.append(f'<text class="s" x="{left + 8:g}" y="{y + 12:g}">{escape(step.title)}</text>')
            drawn += inner
            y = end + 22
            continue
        start, end_ = places[step.sender], places[step.receiver]
        if start == end_:
            sign, anchor = (
                (-1, "e") if step.sender == len(places) - 1 else (1, "b")
            )  # the last one has room on the left
            drawn.append(f'<text class="{anchor}" x="{start + 30 * sign:g}" y="{y + 4:g}">{escape(step.text)}</text>')
            loop = f'<path class="line" d="M{start:g} {y - 8:g}h{20 * sign}v16h{-14 * sign}"/>'
            drawn.append(loop + _head(start, y + 8, -sign, 0))
        else:
            drawn.append(f'<text class="c" x="{(start + end_) / 2:g}" y="{y - 6:g}">{escape(step.text)}</text>')
            sign = 1 if end_ > start else -1
            drawn.append(f'<path class="line" d="M{start:g} {y:g}H{end_ - 7 * sign:g}"/>' + _head(end_, y, sign, 0))
        y += 36
    return y - 10


def flow(
    title: str,
    width: float,
    height: float,
    boxes: dict[str, Box],
    arrows: tuple[Arrow, ...],
    groups: tuple[tuple[str, float, float, float, float], ...] = (),
) -> str:
    """Boxes, and arrows between them."""
    parts = [
        f'<rect class="group" x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="6"/>'
        f'<text class="s" x="{x + 10:g}" y="{y + 17:g}">{escape(name)}</text>'
        for name, x, y, w, h in groups
    ]
    parts += [_box(box) for box in boxes.values()]
    parts += [_arrow(boxes[arrow.start], boxes[arrow.end], arrow) for arrow in arrows]
    return svg(title, width, height, parts)


def _arrow(a: Box, b: Box, arrow: Arrow) -> str:
    if abs(a.y - b.y) < (a.height + b.height) / 2:  # side by side
        sign = 1 if b.x > a.x else -1
        y = (a.y + b.y) / 2 + arrow.shift
        start, end = a.x + sign * a.width / 2, b.x - sign * b.width / 2
        line = f'<path class="line" d="M{start:g} {y:g}H{end - 7 * sign:g}"/>' + _head(end, y, sign, 0)
        return line + f'<text class="s c" x="{(start + end) / 2:g}" y="{y - 6:g}">{escape(arrow.label)}</text>'
    sign = 1 if b.y > a.y else -1
    x = (max(a.x - a.width / 2, b.x - b.width / 2) + min(a.x + a.width / 2, b.x + b.width / 2)) / 2 + arrow.shift
    start, end = a.y + sign * a.height / 2, b.y - sign * b.height / 2
    line = f'<path class="line" d="M{x:g} {start:g}V{end - 7 * sign:g}"/>' + _head(x, end, 0, sign)
    return line + f'<text class="s" x="{x + 8:g}" y="{(start + end) / 2 + 3:g}">{escape(arrow.label)}</text>'


def _head(x: float, y: float, right: int, down: int) -> str:
    """The head of an arrow whose tip is at x, y."""
    back = (x - 8 * right, y - 8 * down)
    side = (4 * down, 4 * right)
    return (
        f'<path class="head" d="M{x:g} {y:g}L{back[0] + side[0]:g} {back[1] + side[1]:g}'
        f'L{back[0] - side[0]:g} {back[1] - side[1]:g}z"/>'
    )


def _box(box: Box) -> str:
    left, top = box.x - box.width / 2, box.y - box.height / 2
    rect = f'<rect class="box" x="{left:g}" y="{top:g}" width="{box.width:g}" height="{box.height:g}" rx="5"/>'
    lines = [
        f'<text class="{"c" if i == 0 else "s c"}" x="{box.x:g}" y="{top + 20 + 18 * i:g}">{escape(line)}</text>'
        for i, line in enumerate(box.lines)
    ]
    return rect + "".join(lines)


def table_columns() -> str:
    """The first rows of a published leaderboard, and what each of its columns means."""
    lines = (ROOT / "leaderboards" / "published" / "classic" / "README.md").read_text(encoding="utf-8").splitlines()
    first = next(i for i, line in enumerate(lines) if line.startswith("| rank"))
    header, *rows = [
        [cell.strip() for cell in lines[i].strip("|").split("|")] for i in (first, *range(first + 2, first + 6))
    ]
    assert list(COLUMNS) == header, "the table has other columns"
    widths = [max(len(row[i]) for row in [header, *rows]) for i in range(len(header))]
    places = [24 + 7.3 * (sum(widths[:i]) + 2.4 * i) for i in range(len(header))]
    bottom = 46 + 24 * len(rows)
    parts = [f'<path class="life" d="M16 36H{places[-1] + 70:g}"/>']
    for i, column in enumerate(zip(header, *rows, strict=True)):
        parts += [
            f'<text class="{"m s" if line == 0 else "m"}" x="{places[i]:g}" y="{28 + 24 * line}">{escape(cell)}</text>'
            for line, cell in enumerate(column)
        ]
        y = bottom + 26 * (len(header) - i)
        parts.append(f'<path class="life" fill="none" d="M{places[i] + 4:g} {bottom - 12:g}V{y - 5:g}h10"/>')
        parts.append(f'<text x="{places[i] + 18:g}" y="{y:g}">{escape(COLUMNS[header[i]])}</text>')
    return svg("The columns of a leaderboard", 860, bottom + 26 * len(header) + 18, parts)


def diagrams() -> dict[str, str]:
    """The diagrams by the names of their files."""
    return {
        "data-flow.svg": flow(
            "From a tournament file to tables: data flow",
            760,
            675,
            {
                "yaml": Box(130, 40, ("tournament.yaml",)),
                "model": Box(130, 130, ("Tournament", "the model of the file"), 170),
                "plan": Box(130, 230, ("Plan", "agents × conditions × boards"), 210),
                "executor": Box(130, 330, ("Executor",)),
                "setup": Box(420, 310, ("GameSetup",), 120),
                "game": Box(420, 390, ("Game", "the referee"), 120),
                "agent": Box(665, 390, ("Agent",), 120),
                "writer": Box(420, 490, ("RunWriter",)),
                "sqlite": Box(420, 565, ("games.sqlite",)),
                "run": Box(200, 565, ("StoredRun",), 120),
                "csv": Box(200, 480, ("games.csv.gz", "of a publication"), 130),
                "standings": Box(115, 640, ("Standings → tables, plots, pages",), 210),
                "replay": Box(350, 640, ("Replay → terminal, browser",), 190),
            },
            (
                Arrow("yaml", "model", "config/loading"),
                Arrow("model", "plan", "planning, with the plugins' registry"),
                Arrow("plan", "executor", "chunks of games"),
                Arrow("executor", "setup", "each game"),
                Arrow("setup", "game"),
                Arrow("game", "agent", "View", -8),
                Arrow("agent", "game", "Turn", 14),
                Arrow("game", "writer", "GameResult as a row", 0),
                Arrow("writer", "sqlite"),
                Arrow("sqlite", "run"),
                Arrow("csv", "run"),
                Arrow("run", "standings", "statistics"),
                Arrow("run", "replay", "a stored game"),
            ),
            (("worker process", 335, 265, 170, 165), ("host process (if not built in)", 575, 340, 180, 90)),
        ),
        "table-columns.svg": table_columns(),
        "processes.svg": flow(
            "All kinds of processes, who starts them, and what they exchange",
            850,
            310,
            {
                "main": Box(150, 85, ("main process", "command, supervisor, SQLite;", "or the web server"), 210),
                "server": Box(150, 235, ("server", "forks workers and hosts"), 210),
                "worker": Box(430, 235, ("worker", "referee and built-in agents;", "has the plan"), 200),
                "pool": Box(430, 85, ("worker of the web server", "built-in agents"), 200),
                "host": Box(745, 235, ("host", "one third-party agent,", "Python or a program"), 170),
            },
            (
                Arrow("main", "server", "starts it; requests and leases", -40),
                Arrow("main", "pool", "pickles"),
                Arrow("server", "worker", "forks"),
                Arrow("worker", "host", "frames or lines"),
            ),
            (
                ("trusted: built-in code only", 25, 20, 520, 270),
                ("not trusted: killed by the server", 645, 170, 200, 112),
            ),
        ),
        "worker-processes.svg": sequence(
            "The processes of the executor local",
            ("supervisor (main process)", "server", "worker"),
            (
                Message(1, 1, "imports the built-in plugins, loads compiled kernels"),
                Message(0, 1, "a worker, with its end of a connection"),
                Message(1, 2, "fork"),
                Message(0, 2, "the plan, the limits, the environment"),
                Message(0, 2, "task: agent, condition, boards first..last"),
                Loop(
                    "every 0.1 s, or 2 s if no game has finished",
                    (Message(2, 0, "rows of finished games, or that it is alive"),),
                ),
                Message(0, 1, "kill the worker (it was silent for too long)"),
                Message(1, 0, "the worker died, with its status"),
            ),
        ),
        "host-processes.svg": sequence(
            "The processes of an agent that is not built in",
            ("worker (the referee)", "server", "host (one agent)"),
            (
                Message(0, 1, "a host, with the ends of its pipes"),
                Message(1, 2, "fork"),
                Message(0, 2, "the text of the plugin, the agent's name and parameters"),
                Message(2, 2, "limits its memory, seals itself, imports the plugin"),
                Loop(
                    "every game of the chunk",
                    (
                        Message(0, 2, "a new agent"),
                        Loop(
                            "every turn",
                            (Message(0, 2, "view"), Message(2, 0, "turn, or a fault of the agent")),
                        ),
                    ),
                ),
                Message(0, 1, "kill the host (the chunk is over, or it took too long)"),
                Message(1, 0, "the host died, with its status and processor time"),
            ),
        ),
        "protocol.svg": sequence(
            "The lines between the referee and a program",
            ("referee", "program"),
            (
                Message(0, 1, "sweepstakes 1"),
                Message(1, 0, "ready name=... version=..."),
                Message(0, 1, "option NAME VALUE, for each option that was given"),
                Loop(
                    "every game",
                    (
                        Message(0, 1, "game ROWS COLS MINES ..., under noise 45 lines likelihood"),
                        Loop(
                            "every turn",
                            (
                                Message(0, 1, "turn MARKS, or change CELL=MARK ..."),
                                Message(1, 0, "open ... flag ... why=..., or resign"),
                            ),
                        ),
                        Message(0, 1, "end won, lost, ..."),
                    ),
                ),
                Message(0, 1, "quit"),
            ),
        ),
    }


def generated() -> dict[Path, str]:
    """Return the diagrams by their files."""
    return {FOLDER / name: text for name, text in diagrams().items()}
