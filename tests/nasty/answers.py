"""Agents with nasty answers and exceptions, each in its own way, in the first turn of every game.

Agents that harm their process are in `agents.py`.
"""

from __future__ import annotations

import itertools
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import numpy as np

import sweepstakes
from sweepstakes import Agent, Cell, IllegalMove, PluginError, Turn, View, hookimpl

HUGE = 10**5000  # str() of it raises
UGLY = "\ud800\x1b[31m\n\x00\u202e|`<script>"


class Odd:
    """An object on which every operation runs a given function."""

    def __init__(self, action: Callable[[], Any]) -> None:
        self.__dict__["action"] = action

    def _do(self, *_: Any) -> Any:
        return self.__dict__["action"]()

    __iter__ = __index__ = __float__ = __bool__ = __len__ = __repr__ = __str__ = __hash__ = _do
    __le__ = __ge__ = __lt__ = __gt__ = __eq__ = __ne__ = __contains__ = __getitem__ = items = keys = _do


class Text(str):
    """A string whose methods are not those of strings."""

    def _do(self, *_: Any) -> Any:
        raise SystemExit("a method of a string")

    __str__ = __repr__ = __format__ = __eq__ = __len__ = __getitem__ = __add__ = split = join = encode = _do  # type: ignore
    __hash__ = str.__hash__


class Liar(type):
    """A metaclass that hides the name of its classes and makes them equal to all others."""

    @property
    def __name__(cls) -> str:  # type: ignore[override]
        raise SystemExit("no name")

    def __eq__(cls, other: object) -> bool:
        return True

    def __hash__(cls) -> int:
        raise KeyboardInterrupt

    def __instancecheck__(cls, other: object) -> bool:
        raise SystemExit("no instances")


class EqualToBool(metaclass=Liar):
    def __bool__(self) -> bool:
        raise GeneratorExit


class Pretender:
    __class__ = Turn  # type: ignore[assignment]


class NoClass:
    @property  # type: ignore[misc]
    def __class__(self) -> Any:
        raise SystemExit("no class")


class MyTurn(Turn):
    def __iter__(self) -> Iterator[Any]:
        raise SystemExit("no parts")


class MyArray(np.ndarray[Any, Any]):
    def __array_finalize__(self, obj: Any) -> None:
        pass

    size = shape = dtype = flags = property(lambda self: 1 / 0)


class Outside(BaseException):
    pass


class NoText(Exception):  # noqa: N818
    def __init__(self, action: Callable[[], Any]) -> None:
        self.action = action

    def __str__(self) -> str:
        return self.action()  # type: ignore[no-any-return]


class Lying(Exception, metaclass=Liar):  # noqa: N818
    """An object whose every part is not what it seems."""

    __traceback__ = property(lambda self: 1 / 0)
    __class__ = property(lambda self: 1 / 0)
    args = property(lambda self: 1 / 0)
    __cause__ = __context__ = property(lambda self: 1 / 0)

    def __format__(self, spec: str) -> str:
        raise KeyboardInterrupt


class Interrupt(KeyboardInterrupt):
    pass


class OddSyntax(SyntaxError):  # noqa: N818
    msg = filename = lineno = text = property(lambda self: 1 / 0)


def throw(error: BaseException | type[BaseException]) -> Any:
    raise error


def yields(*things: Any, then: BaseException | type[BaseException] | None = None) -> Iterator[Any]:
    yield from things
    if then is not None:
        raise then


def nested(depth: int) -> list[Any]:
    inside: list[Any] = []
    for _ in range(depth):
        inside = [inside]
    return inside


def circle() -> list[Any]:
    ring: list[Any] = []
    ring.append(ring)
    return ring


def named(name: Any) -> type[Exception]:
    kind = type("Named", (Exception,), {})
    kind.__name__ = name
    return kind


def in_file(name: str) -> None:
    exec(compile("raise ValueError('from a file')", name, "exec"))


def in_odd_code() -> None:
    def inside() -> None:
        raise ValueError("odd code")

    inside.__code__ = inside.__code__.replace(co_filename=Text(f"{UGLY}/{UGLY}"), co_name=Text(UGLY))
    inside()


def long_way() -> None:
    error = ValueError("a long way")
    trace = None
    for _ in range(200_000):
        trace = types.TracebackType(trace, sys._getframe(), 0, 2**31 - 1)
    raise error.with_traceback(trace)


def in_a_circle() -> None:
    one, two = ValueError("one"), ValueError("two")
    one.__context__, two.__context__ = two, one
    one.__cause__, two.__cause__ = two, one
    raise one


def spoilt_decode_error() -> None:
    error = UnicodeDecodeError("utf-8", b"abc", 0, 1, UGLY)
    error.start, error.end, error.reason = 10**6, -5, UGLY
    raise error


def changed_syntax_error() -> None:
    error = SyntaxError(UGLY)
    error.msg, error.filename, error.lineno = Odd(lambda: 1 / 0), Odd(lambda: 1 / 0), HUGE  # type: ignore[assignment]
    raise error


def recurse() -> None:
    recurse()


async def later(view: View) -> Turn:
    return Turn()


def opens(cells: Any) -> Callable[[View], Any]:
    return lambda view: Turn(open=cells() if isinstance(cells, types.FunctionType) else cells)


def having(**given: Any) -> Callable[[View], Any]:
    return lambda view: Turn(open=[view.covered()[0]], **given)


def raises(error: Any) -> Callable[[View], Any]:
    return lambda view: throw(error() if isinstance(error, types.FunctionType) else error)


ANSWERS: dict[str, Callable[[View], Any]] = {
    "nothing": lambda view: None,
    "number": lambda view: HUGE,
    "generator": lambda view: yields(Turn()),
    "coroutine": later,
    "turn-of-nothing": lambda view: tuple.__new__(Turn, ()),
    "turn-of-six": lambda view: tuple.__new__(Turn, ((),) * 6),
    "turn-of-nine": lambda view: tuple.__new__(Turn, (1,) * 9),
    "turn-of-ones": lambda view: tuple.__new__(Turn, (1,) * 7),
    "turn-of-a-million": lambda view: tuple.__new__(Turn, (HUGE,) * 10**6),
    "own-turn": lambda view: MyTurn(open=[Cell(0, 0)]),
    "pretended-turn": lambda view: Pretender(),
    "no-class": lambda view: NoClass(),
    "class-of-turns": lambda view: Turn,
    "huge-row": opens([(HUGE, 0)]),
    "huge-below": opens([(0, -HUGE)]),
    "beyond-int64": opens([(2**70, 1)]),
    "huge-reason": having(why=HUGE),
    "huge-probability": having(probability=HUGE),
    "huge-fallback": having(fallback=HUGE),
    "huge-in-array": opens(np.array([HUGE], object)),
    "unsigned": opens(np.array([2**64 - 1], np.uint64)),
    "floats": opens(np.array([np.nan, np.inf])),
    "no-dimension": opens(np.array(3)),
    "many-dimensions": opens(np.zeros((1,) * 30, np.int64)),
    "fields": opens(np.zeros(2, [(f"{UGLY}{i}", "i8") for i in range(300)])),
    "dates": opens(np.array(["2020-01-01"], "datetime64[D]")),
    "masked": opens(np.ma.masked_array([99], mask=[True])),
    "own-array": opens(lambda: np.array([99]).view(MyArray)),
    "big-endian": opens(np.array([99], ">u2")),
    "broadcast": opens(np.broadcast_to(np.int64(0), 10**10)),
    "strides": opens(np.lib.stride_tricks.as_strided(np.zeros(1, np.int8), (10**9,), (0,))),
    "many": opens(np.zeros(10**5, np.int64)),
    "endless": opens(lambda: itertools.repeat((0, 0))),
    "endless-cell": opens(lambda: [itertools.count()]),
    "interrupt-in-cells": opens(lambda: yields((0, 0), then=KeyboardInterrupt)),
    "leaving-in-cells": opens(lambda: yields((0, 0), then=SystemExit(UGLY))),
    "closed-in-cells": opens(lambda: yields((0, 0), then=GeneratorExit)),
    "stopped-in-cells": opens(lambda: yields((0, 0), then=StopIteration)),
    "outside-in-cells": opens(lambda: yields((0, 0), then=Outside)),
    "memory-in-cells": opens(lambda: yields((0, 0), then=MemoryError)),
    "circle": opens(circle()),
    "nested": opens(nested(100_000)),
    "odd-cells": opens(lambda: Odd(lambda: throw(Outside))),
    "odd-cell": opens(lambda: [Odd(lambda: throw(KeyboardInterrupt))]),
    "odd-number": opens(lambda: [(Odd(lambda: throw(GeneratorExit)), 0)]),
    "text-for-number": opens(lambda: [(Odd(lambda: "three"), 0)]),
    "huge-for-number": opens(lambda: [(Odd(lambda: HUGE), 0)]),
    "ugly-repr": opens(lambda: Odd(lambda: UGLY)),
    "own-text-as-repr": opens(lambda: Odd(lambda: Text(UGLY))),
    "long-repr": opens(lambda: Odd(lambda: "x" * 10**7)),
    "ugly-reason": having(why=UGLY),
    "own-text-as-reason": having(why=Text(UGLY)),
    "odd-reason": having(why=Odd(lambda: throw(Outside))),
    "equal-to-bool": having(fallback=EqualToBool()),
    "odd-fallback": having(fallback=Odd(lambda: throw(Outside))),
    "odd-probability": having(probability=Odd(lambda: throw(KeyboardInterrupt))),
    "text-for-truth": having(probability=Odd(lambda: Odd(lambda: "yes"))),
    "complex": having(probability=1j),
    "some-probabilities": having(probability=np.array([0.1, 0.2])),
    "no-number": having(probability=float("nan")),
    "odd-evidence": having(evidence=Odd(lambda: throw(KeyboardInterrupt))),
    "evidence-of-one": having(evidence=[Cell(0, 0)]),
    "endless-evidence": having(evidence=Odd(lambda: itertools.repeat((Cell(0, 0), [Cell(0, 0)])))),
    "endless-clues": having(evidence={Cell(0, 0): itertools.repeat(Cell(0, 0))}),
    "huge-evidence": having(evidence={(HUGE, HUGE): [(HUGE, HUGE)]}),
    "evidence-in-a-circle": having(evidence={Cell(0, 0): circle()}),
    # Exceptions.
    "surrogate": raises(ValueError("\ud800")),
    "ugly": raises(ValueError(UGLY * 50)),
    "long": raises(lambda: ValueError("x" * 10**7)),
    "huge-argument": raises(ValueError(HUGE)),
    "ugly-argument": raises(KeyError(UGLY)),
    "own-text": raises(NoText(lambda: Text(UGLY))),
    "no-text": raises(NoText(lambda: HUGE)),
    "leaving-text": raises(NoText(lambda: throw(SystemExit))),
    "outside-text": raises(NoText(lambda: throw(Outside))),
    "recursive-text": raises(NoText(recurse)),
    "lying": raises(lambda: Lying(UGLY)),
    "own-text-as-name": raises(lambda: named(Text("Named"))),
    "long-name": raises(lambda: named("x" * 10**6)),
    "ugly-name": raises(lambda: named("\x1b[31m\n|`<script>")),
    "ugly-file": lambda view: in_file(f"/{UGLY}"),
    "long-file": lambda view: in_file("x" * 10**6),
    "our-file": lambda view: in_file(sweepstakes.__file__),
    "odd-code": lambda view: in_odd_code(),
    "long-way": lambda view: long_way(),
    "in-a-circle": lambda view: in_a_circle(),
    "recursion": lambda view: recurse(),
    "memory": raises(MemoryError(UGLY)),
    "interrupt": raises(KeyboardInterrupt),
    "interrupt-of-words": raises(KeyboardInterrupt("not the user")),
    "own-interrupt": raises(Interrupt),
    "leaving": raises(SystemExit(UGLY)),
    "closed": raises(GeneratorExit),
    "stopped": raises(StopIteration),
    "stopped-later": raises(StopAsyncIteration),
    "outside": raises(Outside(UGLY)),
    "group": raises(ExceptionGroup(UGLY, [ValueError(UGLY)] * 100)),
    "group-of-interrupts": raises(BaseExceptionGroup(UGLY, [KeyboardInterrupt(), SystemExit()])),
    "illegal-move": raises(IllegalMove(UGLY)),
    "plugin-error": raises(PluginError(UGLY)),
    "decode-error": lambda view: spoilt_decode_error(),
    "syntax-error": lambda view: changed_syntax_error(),
    "odd-syntax-error": raises(lambda: OddSyntax(UGLY)),
    "class-of-numbers": lambda view: throw(int),  # type: ignore[arg-type]
}
"""By agent: what it does in its first turn."""


class Crook(Agent):
    """Does the nasty action of its kind."""

    def __init__(self, kind: str) -> None:
        self.act = ANSWERS[kind]  # type: ignore[method-assign,assignment]

    def act(self, view: View) -> Turn:
        raise NotImplementedError


@hookimpl
def sweepstakes_agents() -> Mapping[str, Callable[..., Agent]]:
    return {"crook": Crook}
