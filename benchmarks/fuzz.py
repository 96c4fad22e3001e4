"""Fuzzes the command line: every command must answer invalid input in one line, in time, without a traceback.

python benchmarks/fuzz.py [--seed N]                    all kinds, each in a process of its own
python benchmarks/fuzz.py --kind yaml [--count N]       one kind: yaml, positions, boards or commands
"""

from __future__ import annotations

import argparse
import faulthandler
import importlib
import io
import json
import os
import signal
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import pairwise
from pathlib import Path
from random import Random
from time import perf_counter
from typing import Any, NamedTuple

import click

from sweepstakes.cli.main import cli, run
from sweepstakes.tournaments.config.loading import PRESETS

COUNTS = {"yaml": 10_000, "positions": 5_000, "boards": 4_000, "commands": 1_000}
SECONDS = 5
"""The time limit of a command."""
STARTING = {"check": 60, "match": 60}
"""The time limits of commands whose other processes have to start and import everything first."""
HEAVY = (
    "sweepstakes.leaderboards.pages.index_page",
    "sweepstakes.leaderboards.publish",
    "sweepstakes.tournaments.running.runner",
    "sweepstakes.web.site.site",
)
"""Modules that take seconds to import."""
MAX_LINE = 500
CODES = (0, 1, 2)


class Case(NamedTuple):
    """A command line, and the file that it names, if it names one."""

    arguments: list[str]
    file: str = ""
    data: bytes = b""


class Answer(NamedTuple):
    """How a command ended, and what is wrong with that; `wrong` is empty if nothing is."""

    code: int | None
    errors: str
    seconds: float
    wrong: str


class _Hung(BaseException):
    pass


# The odd values.

SCALARS = [
    *("0", "-1", "1", "3", "true", "~", "''", "[]", "{}", "x", "é", "\U0001f600", "basic", "uniform", "win", "expert"),
    *(".nan", "-.inf", ".inf", "1.0e+308", "1e400", "1.5", "1_000", "190:20:30", "0o17", "0x1F", "0b11", "1e3"),
    *("2001-01-01", "2001-99-99", "2001-01-01 25:61:61", "!!int abc", "!!bool maybe", "!!float x", "!!null x"),
    *("!!timestamp x", "!!binary x", "!!binary aGVsbG8=", "!!set {a}", "!!omap [a: b]", "!!pairs [a: b]", "!!str"),
    *("!!python/object/apply:os.system [ls]", "!!python/name:os.system", "!x y", "!<tag:z> 3", "!!map []", "!!seq {}"),
    *("&a [*a]", "&a {b: *a}", "*a", "*nope", "{<<: {a: b}}", "{a: 1, a: 2}", "{3: 4}", "{[a]: b}", "{? {a: b} : c}"),
    *("9" * 5000, "0x" + "f" * 5000, str(2**63), str(2**63 - 1), str(-(2**63)), str(2**64), "1" + "0" * 400),
    *('"\\0"', '"a\\0.py"', '"\\ud800"', '"\\e[31mred"', '"\\u202e"', '"\\n\\n"', '"\\x85"', "x" * 1500, "x" * 5000),
    *("[" * 60, "{a: " * 60, "- " * 60, "[" * 40 + "]" * 40, "=", "?", "|", ">", "%", "@", "`", "\t", "\ufeff", "-"),
    *("{from: 1, to: 1.0e+308, step: 1}", "{from: 0, to: 1, step: 1.0e-300}", "{from: .nan, to: 1, step: 0.1}"),
    *("{from: 1.0e+30, to: 1.0e+30, step: 1.0e-5}", "{from: 5, to: 1, step: 1}", "{from: 1, to: 9, step: 0}"),
    *("{from: 0.1, to: 0.5, step: 0.1}", "{from: a, to: b, step: c}", "{from: 1}", "{from: 1, to: 900, step: 1}"),
    *("[1, [2, [3]]]", "{hidden: {rate: 0.5}}", "{hidden: {rate: .nan}}", "{hidden: 3}", "{file: {path: [1]}}"),
    *("{file: {path: /dev/zero}}", '{file: {path: "\\0"}}', "{clustered: {group: 99999999999}}", "{uniform: {}}"),
    *("./nope.py", "/dev/null", "../../x.py", "{agent: basic, as: '" + "y" * 99 + "'}", "{agent: chain, window: -1}"),
]
KEYS = [
    *(
        "name",
        "seed",
        "games",
        "boards",
        "rules",
        "noise",
        "agents",
        "scores",
        "limits",
        "workers",
        "moves",
        "plugins",
        "executor",
    ),
    *("preset", "size", "rows", "cols", "mines", "density", "source", "on_mine", "first_click", "start", "flood"),
    *("turn_seconds", "game_seconds", "memory_mb", "agent", "as", "window", "from", "to", "step", "sead", "<<", "3"),
    *("~", "k" * 3000, "é", '"\\0"', "[a]", "2001-01-01", "=", "!!int x", "&k key", "*k"),
]
WORDS = [
    *("", " ", "-", "--", "x", "é", "\udcff", "\udcff\udcfe", "\x1b[31mred", "\u202e", "a\nb", "\t", "%s", "{}", "~"),
    *("0", "-1", "1", "2", "3", "1.5", "nan", "inf", "-inf", "1e400", "1e9", "9" * 5000, str(2**63), "０", "٣", "+1"),
    *("basic", "random", "exact", "chain(window=6)", "chain(window=nan)", "chain(window=)", "basic(", "basic()", "b(a"),
    *("chain(window=" + "[" * 3000, "chain(window=2001-99-99)", "chain(window=&a [*a])", "hidden(rate=0.25)", "hidden"),
    *(
        "chain(a=1",
        "b=2)",
        "chain@1",
        "chain@",
        "Chain",
        "command:",
        "command:ls -l",
        "chain(window=6)(a=1)",
        "c(a=1,a=2)",
    ),
    *(
        "good.py:good",
        "good.py:godo",
        "good.py:",
        "good.py(a=1)",
        "good.py:good@1",
        "serial",
        "local(workers=1)",
        "x.py(x",
    ),
    *(
        "3x3 at 0.2",
        "basic(scope=last)",
        'basic(scope="last")',
        "basic(scope='last')",
        "{basic: {}}",
        "chain(window=.5)",
    ),
    *("hidden(rate=.nan)", "hidden(rate=NaN)", "hidden(rate=2)", "clustered", "clustered(group=0)", "no-guess", "file"),
    *("beginner", "9x9/10", "3x3@0.2", "0x0/0", "1x1/1", "99999999x99999999", "3x3/99", "3x3@nan", "1000x1001/1", "x3"),
    *("1,2", "1e9,1", "-1,-1", "0,0", "9" * 5000 + ",1", "1", ",", "a,b", "1,2,3", "any", "safe", "opening", "end"),
    *(
        "text",
        "mbf",
        "json",
        "clues",
        "markdown",
        "csv",
        "latex",
        "quick",
        "quik",
        "quick.yaml",
        "win",
        "wins",
        "y" * 300,
    ),
    *(
        "group=4",
        "group",
        "=",
        "group=2001-99-99",
        "group=" + "9" * 5000,
        "group=!!int x",
        "path=/dev/zero",
        "path=[1]",
    ),
    *("/dev/null", "/dev/zero", "/dev/full", "/dev/null/x", "/proc/nope/x", ".", "..", "/", "y/" * 2000, "y" * 5000),
    *("nope", "nope.py", "nope.yaml", "nope.json", "empty.py", "interrupt.py", "leave.py", "syntax.py", "zero.py"),
    *("surrogate.py", "deep.py", "strange.py", "mute.py", "good.py", "folder.py", "pipe.txt", "pipe.yaml", "bytes.txt"),
    *("board.txt", "board.mbf", "board.json", "boards", "position.txt", "small.yaml", "run", "locked", "loop.py"),
]
PLUGINS = {
    "empty": "",
    "interrupt": "raise KeyboardInterrupt",
    "leave": "import sys; sys.exit(3)",
    "syntax": "def f(:",
    "zero": "x = 1\0",
    "surrogate": "raise ValueError('\\ud800\\x1b[31m' + 'x' * 9000)",
    "deep": "def f(): f()\nf()",
    "strange": "class E(BaseException):\n    def __str__(self): raise SystemExit\nraise E",
    "mute": "raise SystemExit",
    "good": "from sweepstakes import Agent, Turn, hookimpl\n"
    "class Good(Agent):\n    def act(self, view): return Turn()\n"
    "@hookimpl\ndef sweepstakes_agents(): return {'good': Good}\n",
}


# The cases.


def yaml_case(rng: Random) -> Case:
    """Return a tournament file: a preset, or a generated one, with a few changes."""
    text = rng.choice([path.read_text() for path in sorted(PRESETS.glob("*.yaml"))])
    if rng.random() < 0.5:
        text = "".join(f"{rng.choice(KEYS)}: {_flow(rng, 3)}\n" for _ in range(rng.randrange(1, 6)))
        if rng.random() < 0.8:
            text = (
                f"boards: {rng.choice(['beginner', _flow(rng, 3)])}\nagents: {rng.choice(['basic', '[basic]'])}\n{text}"
            )
    for _ in range(rng.randrange(4)):
        text = rng.choice(_CHANGES)(rng, text)
    data = text.encode(rng.choice(["utf-8"] * 30 + ["utf-16", "utf-8-sig", "utf-32"]), "surrogatepass")
    if rng.random() < 0.05:
        data = _damaged(rng, data)
    return Case(["run", "case.yaml", "--dry-run", "--quiet", "--out", "out"], "case.yaml", data)


def _flow(rng: Random, deep: int) -> str:
    kind = rng.random()
    if deep == 0 or kind < 0.6:
        return rng.choice(SCALARS)
    if kind < 0.8:
        return f"[{', '.join(_flow(rng, deep - 1) for _ in range(rng.randrange(4)))}]"
    return f"{{{', '.join(f'{rng.choice(KEYS)}: {_flow(rng, deep - 1)}' for _ in range(rng.randrange(4)))}}}"


def _other_value(rng: Random, text: str) -> str:
    lines = text.split("\n")
    at = rng.randrange(len(lines))
    key, colon, _ = lines[at].partition(": ")
    lines[at] = f"{key}{colon or ': '}{_flow(rng, 2)}"
    return "\n".join(lines)


def _other_token(rng: Random, text: str) -> str:
    words = text.split(" ")
    words[rng.randrange(len(words))] = rng.choice(SCALARS + KEYS)
    return " ".join(words)


def _swapped(rng: Random, text: str) -> str:
    words = text.split(" ")
    i, j = rng.randrange(len(words)), rng.randrange(len(words))
    words[i], words[j] = words[j], words[i]
    return " ".join(words)


def _put_in(rng: Random, text: str) -> str:
    at = rng.randrange(len(text) + 1)
    marks = [*SCALARS, *"[]{}:,&*!|>'\"%@`#-?\t\n\\", "\x00", "\x1b", "\u2028", "---\n"]
    return text[:at] + str(rng.choice(marks)) + text[at:]


def _cut(rng: Random, text: str) -> str:
    at = rng.randrange(len(text) + 1)
    return text[:at] + text[at + rng.randrange(30) :]


def _line_again(rng: Random, text: str) -> str:
    lines = text.split("\n")
    lines.insert(rng.randrange(len(lines)), " " * rng.randrange(4) + rng.choice(lines))
    return "\n".join(lines)


def _bomb(rng: Random, text: str) -> str:
    names = "abcdefgh"[: rng.randrange(2, 8)]
    lines = [f"{names[0]}: &{names[0]} [1, 1, 1, 1, 1, 1, 1, 1]"]
    lines += [f"{b}: &{b} [{', '.join([f'*{a}'] * 8)}]" for a, b in pairwise(names)]
    return text + "\n" + "\n".join(lines)


_CHANGES = [_other_value, _other_value, _other_token, _other_token, _swapped, _put_in, _cut, _line_again, _bomb]


def _damaged(rng: Random, data: bytes) -> bytes:
    changed = bytearray(data)
    for _ in range(rng.randrange(1, 6)):
        what = rng.randrange(4)
        at = rng.randrange(len(changed) + 1)
        if what == 0:
            changed[at:at] = bytes([rng.randrange(256)])
        elif what == 1:
            del changed[at : at + rng.randrange(9)]
        elif what == 2 and at < len(changed):
            changed[at] = rng.randrange(256)
        else:
            changed[at:at] = changed[rng.randrange(len(changed) + 1) :][: rng.randrange(50)]
    return bytes(changed)


def position_case(rng: Random) -> Case:
    """Return a position for `solve`, which may be possible, impossible or damaged, and options."""
    rows, cols = rng.choice([(rng.randrange(1, 9), rng.randrange(1, 9)), (16, 30), (1, 40), (rng.randrange(30), 12)])
    marks = rng.choice(["." * 9 + "1", "." * 30 + "012F", ".123", "0", ".F", "...?12", ".*1", "012345678.F*?", ".x1 "])
    lines = ["".join(rng.choice(marks) for _ in range(cols)) for _ in range(rows)]
    mines = rng.choice([rows * cols // 5, rng.randrange(rows * cols + 2), 0, rows * cols])
    if rng.random() < 0.5:
        lines, mines = _truly(rng, rows, cols)
    head = f"{rows} {cols} {mines}"
    if rng.random() < 0.3:
        head += " " + rng.choice(["on_mine=end", "first_click=safe", "start=0,0", "flood=no", "noise=hidden(rate=0.2)"])
    if rng.random() < 0.3:
        head = rng.choice([f"{head} {_word(rng)}", f"{head} noise={_word(rng)}", _word(rng), "", f"{rows} {cols}"])
    text = "\n".join([head, *lines])
    if rng.random() < 0.2:
        text = _put_in(rng, text)
    data = text.encode("utf-8", "surrogatepass")
    if rng.random() < 0.15:
        data = _damaged(rng, data)
    arguments = ["solve", "case.txt"]
    for option, words in (("--mines", ["3"]), ("--noise", ["hidden(rate=0.25)"]), ("--why", ["0,0", "1,1"])):
        if rng.random() < 0.15:
            arguments += [option, rng.choice([*words, _word(rng)])]
    return Case([*arguments, *rng.choice([[], ["--json"]])], "case.txt", data)


def _truly(rng: Random, rows: int, cols: int) -> tuple[list[str], int]:
    """A position that some board has, with true clues, and how many mines it has."""
    density, opened = rng.choice([0, 0.1, 0.2, 0.4]), rng.choice([0.1, 0.5, 0.9])
    cells = [(row, col) for row in range(rows) for col in range(cols)]
    mines = {cell for cell in cells if rng.random() < density}
    lines = [""] * rows
    for row, col in cells:
        around = sum((r, c) in mines for r in range(row - 1, row + 2) for c in range(col - 1, col + 2))
        shown = rng.random() < opened
        lines[row] += (
            (rng.choice("F*") if shown and rng.random() < 0.1 else ".")
            if (row, col) in mines
            else (str(around) if shown else ".")
        )
    return lines, len(mines)


def board_case(rng: Random) -> Case:
    """Return a file for `board`, in one of the formats or in none of them, and the output to ask for."""
    rows, cols = rng.randrange(1, 12), rng.randrange(1, 12)
    mines = [[rng.randrange(rows), rng.randrange(cols)] for _ in range(rng.randrange(10))]
    form = rng.choice(["txt", "mbf", "json"])
    if form == "txt":
        text = "\n".join("".join("*" if [r, c] in mines else "." for c in range(cols)) for r in range(rows))
        data = (_put_in(rng, text) if rng.random() < 0.4 else text).encode("utf-8", "surrogatepass")
    elif form == "mbf":
        unique = sorted({(r, c) for r, c in mines}) if rng.random() < 0.8 else mines
        data = bytes([cols, rows, 0, len(unique)]) + bytes(n for r, c in unique for n in (c, r))
    else:
        odd: list[Any] = [None, "x", -1, 10**30, 1.5, True, [], {}, [1], [1, 2, 3], "\ud800", 999, float("nan")]
        content: dict[str, Any] = {"rows": rows, "cols": cols, "mines": mines}
        if rng.random() < 0.4:
            content[rng.choice(["rows", "cols", "mines", "more"])] = rng.choice(odd)
        if rng.random() < 0.2 and isinstance(content["mines"], list):
            content["mines"] = [*content["mines"], rng.choice(odd)]
        text = json.dumps(content)
        if rng.random() < 0.1:
            text = rng.choice(["[" * 100_000, '{"a":' * 5000, "9" * 5000, '"', "null", text.replace("1", "9" * 5000)])
        data = text.encode()
    if rng.random() < 0.3:
        data = _damaged(rng, data)
    file = f"case.{form if rng.random() < 0.9 else rng.choice(['txt', 'mbf', 'json', 'JSON', 'dat'])}"
    arguments = ["board", file]
    for option, words in (
        ("--format", ["text", "json", "clues"]),
        ("--start", ["0,0", "1,2"]),
        ("--first-click", ["any", "safe", "opening"]),
        ("--number", ["0", "1"]),
        ("--out", ["made.txt", "made.mbf", "made.json"]),
    ):
        if rng.random() < 0.3:
            arguments += [option, rng.choice([*words, *words, _word(rng)])]
    return Case(arguments, file, data)


def _word(rng: Random) -> str:
    return rng.choice(WORDS)


_QUICK = {
    "run": ["--dry-run"],
    "match": ["--max", "1", "--boards", "2x2/1", "--workers", "1", "--quiet"],
    "check": [],
    "serve": ["--port", "99999"],
}
"""The last options of commands that would otherwise keep playing, serve forever or play a whole match."""


def command_case(rng: Random) -> Case:
    """Any command with any of its options, and odd values."""
    with click.Context(cli) as context:
        names = cli.list_commands(context)
        name = rng.choice(names) if rng.random() < 0.97 else _word(rng)
        command = cli.get_command(context, name) if name in names else None
    words = []
    for parameter in command.params if command is not None else []:
        if isinstance(parameter, click.Argument):
            words += [_word(rng)] * (rng.random() < 0.95)
        elif rng.random() < 0.25:
            flag = isinstance(parameter, click.Option) and parameter.is_flag
            words += [rng.choice(parameter.opts)] + ([] if flag else [_value(rng, parameter)])
    if rng.random() < 0.1:
        words.insert(rng.randrange(len(words) + 1), rng.choice([_word(rng), "--nope", "-x", "--help", "--seed"]))
    if name == "check":  # checking whatever is found would take minutes
        words = [word for word in words if not word.startswith(("basic", "random", "exact", "chain", "good"))]
    if name == "publish":
        words = [word for word in words if word != "run"]
    return Case([name, *words, *_QUICK.get(name, [])])


def _value(rng: Random, parameter: click.Parameter) -> str:
    if parameter.name == "count":
        return rng.choice(["0", "1", "2", "-1", "nan", "9" * 30])
    if isinstance(parameter.type, click.Choice) and rng.random() < 0.7:
        return str(rng.choice(list(parameter.type.choices)))
    return _word(rng)


CASES: dict[str, Callable[[Random], Case]] = {
    "yaml": yaml_case,
    "positions": position_case,
    "boards": board_case,
    "commands": command_case,
}


def cases(kind: str, seed: int, count: int) -> Iterator[Case]:
    """`count` cases of a kind, the same for the same seed."""
    rng = Random(f"{kind} {seed}")
    for _ in range(count):
        yield CASES[kind](rng)


# Trying them.


@contextmanager
def folder() -> Iterator[None]:
    """Change into a temporary folder with the files that cases name."""
    before = Path.cwd()
    with tempfile.TemporaryDirectory() as directory:
        os.chdir(directory)
        try:
            _furnish()
            yield
        finally:
            os.chdir(before)


def _furnish() -> None:
    for name, text in PLUGINS.items():
        Path(f"{name}.py").write_text(text)
    for pipe in ("pipe.txt", "pipe.yaml"):
        os.mkfifo(pipe)
    Path("folder.py").mkdir()
    Path("loop.py").symlink_to("loop.py")
    Path("bytes.txt").write_bytes(bytes(range(256)))
    Path("small.yaml").write_text("boards: {size: 3, mines: 1}\nagents: basic\ngames: 1\n")
    Path("position.txt").write_text("1 3 1\n.1.\n")
    Path("boards").mkdir()
    for file in ("board.txt", "boards/0.txt"):
        Path(file).write_text("*..\n...\n")
    Path("board.json").write_text('{"rows": 2, "cols": 2, "mines": [[0, 0]]}')
    Path("board.mbf").write_bytes(bytes([2, 2, 0, 1, 0, 0]))
    Path("locked").mkdir(mode=0)


def attempt(case: Case, seconds: float) -> Answer:
    """Run a case in this process, as the console script would, and check how it ends."""
    if case.file:
        Path(case.file).write_bytes(case.data)
    out, err = (io.TextIOWrapper(io.BytesIO(), encoding="utf-8") for _ in range(2))
    before = sys.stdin, sys.stdout, sys.stderr
    sys.stdin, sys.stdout, sys.stderr = io.TextIOWrapper(io.BytesIO()), out, err
    signal.signal(signal.SIGALRM, _ring)
    signal.setitimer(signal.ITIMER_REAL, seconds)
    begun = perf_counter()
    code, wrong = None, ""
    try:
        code = run(case.arguments)
    except _Hung:
        wrong = f"no answer within {seconds:g} s"
    except BaseException as error:  # noqa: BLE001 - that is what must not happen
        wrong = f"raised {type(error).__name__}: {error}"
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        sys.stdin, sys.stdout, sys.stderr = before
    took = perf_counter() - begun
    err.flush()
    errors = err.buffer.getvalue().decode(errors="replace")
    return Answer(code, errors, took, wrong or _judged(code, errors))


def _ring(number: int, frame: Any) -> None:
    raise _Hung


def _judged(code: int | None, errors: str) -> str:
    lines = [
        line
        for line in errors.split("\n")
        if line and not line.startswith(("compiling the inner loops", "loading the compiled"))
    ]
    if "Traceback" in errors:
        return "a traceback"
    if "internal error" in errors:
        return "an internal error"
    if code not in CODES:
        return f"exit code {code}"
    if any(len(line) > MAX_LINE for line in lines):
        return f"a message of {max(map(len, lines))} characters"
    if code == 2 and (len(lines) != 1 or not lines[0].startswith("sweepstakes: ")):
        return f"{len(lines)} lines instead of one"
    return ""


def _limit(case: Case) -> float:
    return STARTING.get(case.arguments[0], SECONDS)


def minimal(case: Case, wrong: str) -> Case:
    """The case with its file shortened as far as it still fails in the same way."""
    data, part, left = case.data, max(len(case.data) // 2, 1), 100
    while part >= 1 and left > 0 and data and not wrong.startswith("no answer"):
        for at in range(0, len(data), part):
            less = data[:at] + data[at + part :]
            left -= 1
            if attempt(case._replace(data=less), _limit(case)).wrong == wrong:
                data = less
                break
            if left == 0:
                break
        else:
            part //= 2
    return case._replace(data=data)


def try_kind(kind: str, seed: int, count: int, state: Path) -> bool:
    """Run the cases; return whether all passed. The state names the current case, in case this process dies."""
    from sweepstakes.registry.registry import Registry
    from sweepstakes.warm_up import warm_up

    warm_up(quiet=True)
    Registry.default()
    for module in HEAVY:
        importlib.import_module(module)
    codes: Counter[int | None] = Counter()
    longest, slowest, failed = 0, 0.0, 0
    begun = perf_counter()
    with folder():
        for number, case in enumerate(cases(kind, seed, count)):
            state.write_text(f"{number}: {case!r}"[:10_000], errors="replace")
            faulthandler.dump_traceback_later(120, exit=True)
            answer = attempt(case, _limit(case))
            codes[answer.code] += 1
            longest = max(longest, *(len(line) for line in answer.errors.split("\n")))
            if case.arguments[0] not in STARTING:
                slowest = max(slowest, answer.seconds)
            if answer.wrong:
                failed += 1
                faulthandler.cancel_dump_traceback_later()
                small = minimal(case, answer.wrong)
                print(f"{kind} {number}: {answer.wrong}", ascii(small), ascii(answer.errors[-600:]), sep="\n    ")
        faulthandler.cancel_dump_traceback_later()
    told = ", ".join(f"{codes[code]:,} x {code}" for code in sorted(codes, key=str))
    print(
        f"{kind}: {count:,} cases of seed {seed} in {perf_counter() - begun:.0f} s, {failed} failed; exit codes {told};"
    )
    print(f"    longest message {longest} characters, slowest answer {slowest:.2f} s", flush=True)
    return not failed


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--kind", choices=COUNTS)
    parser.add_argument("--count", type=int)
    parser.add_argument("--state", type=Path, help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.state is not None:
        return 0 if try_kind(given.kind, given.seed, given.count or COUNTS[given.kind], given.state) else 1
    well = True
    for kind in [given.kind] if given.kind else COUNTS:
        with tempfile.TemporaryDirectory() as directory:
            state = Path(directory) / "state"
            count = str(given.count or COUNTS[kind])
            command = [sys.executable, __file__, "--kind", kind, "--seed", str(given.seed), "--count", count]
            code = subprocess.run([*command, "--state", str(state)], check=False).returncode
            if code not in (0, 1):
                print(f"{kind}: the process ended with {code} in case {state.read_text() if state.exists() else '-'}")
            well = well and code == 0
    return 0 if well else 1


if __name__ == "__main__":
    sys.exit(main())
