from __future__ import annotations

import json
import tracemalloc
import zlib
from typing import Any, cast

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from sweepstakes import PRESETS, Board, BoardRef, Cell, Game, Registry, Rules, Turn, play_game
from sweepstakes.game.turn import Named
from sweepstakes.game.turn_codec import MAX_BYTES, pack, read_turns, same, unpack
from sweepstakes.game.turn_log import Log, head_of

FURTHEST = 2**128
numbers = st.integers(0, 40) | st.integers(-(2**63), 2**63 - 1)
far = numbers | st.sampled_from([FURTHEST, -FURTHEST, 2**63, -(2**63) - 1])
lists = (
    st.just(())
    | st.lists(st.builds(Cell, numbers, numbers), max_size=5).map(tuple)
    | st.lists(st.builds(Cell, far, far), max_size=3).map(tuple)
    | st.lists(numbers, max_size=300).map(lambda flat: np.array(flat, np.int64))
)
near = st.builds(Cell, st.integers(0, 999), st.integers(0, 999))
turns = st.builds(
    Turn,
    open=lists,
    flag=lists,
    unflag=lists,
    why=st.sampled_from(["proof", "guess", "random"]),
    probability=st.none() | st.floats(0, 1),
    evidence=st.none() | st.none() | st.dictionaries(near, st.lists(near, max_size=3), max_size=3),
    fallback=st.booleans(),
)


def older(given: list[Turn]) -> bytes:
    """Return packed turns in the old form, which was all JSON."""
    rows = []
    for turn in given:
        plain = [cells.tolist() if isinstance(cells, np.ndarray) else [[*cell] for cell in cells] for cells in turn[:3]]
        chance = None if turn.probability is None else round(turn.probability, 6)
        proofs = None if turn.evidence is None else [[*cell, clues] for cell, clues in turn.evidence.items()]
        rows.append([turn.why, chance, *plain, int(turn.fallback), proofs])
    return zlib.compress(json.dumps(rows, separators=(",", ":")).encode(), 1)


def kept(turn: Turn) -> Turn:
    """Return what remains of a turn after packing, computed in a simple way."""
    lists: list[Any] = [() if len(cells) == 0 else cells for cells in turn[:3]]
    chance = None if turn.probability is None else round(turn.probability, 6)
    opens, flags, unflags = lists
    return Turn(opens, flags, unflags, turn.why, chance, turn.evidence, turn.fallback)


def alike(one: list[Turn], two: list[Turn]) -> bool:
    """Return whether turns are equal, and flat where the others are flat."""
    flat = [[[isinstance(cells, np.ndarray) for cells in turn[:3]] for turn in turns] for turns in (one, two)]
    kinds = [
        [cells.dtype for turn in turns for cells in turn[:3] if isinstance(cells, np.ndarray)] for turns in (one, two)
    ]
    return one == two and flat[0] == flat[1] and kinds[0] == kinds[1]


@given(st.lists(turns, max_size=6))
def test_what_is_unpacked_is_what_was_packed(given: list[Turn]) -> None:
    expected = [kept(turn) for turn in given]
    for packed in (pack(given), older(given)):
        assert alike(unpack(packed), expected)
        assert alike(read_turns(packed), expected)
    assert all(same(turn, back) for turn, back in zip(given, unpack(pack(given)), strict=True))


@given(st.lists(turns, max_size=8))
def test_a_log_holds_the_turns_that_were_taken(given: list[Turn]) -> None:
    log = Log()
    for turn in given:
        if turn.probability is not None:
            log.chances.append(turn.probability)
        opens, flags, unflags = (cast(Named, cells) for cells in turn[:3])
        log.add(opens, flags, unflags, head_of(turn.why, turn.fallback, turn.probability), turn.probability)
    bare = [turn._replace(evidence=None) for turn in given]
    assert log == bare
    assert len(log) == len(given)
    assert pack(log) == pack(bare)


@pytest.mark.parametrize("agent", ["exact", "basic", "random"])
@pytest.mark.parametrize("rules", [Rules(), Rules(on_mine="end", first_click="safe")])
def test_a_game_packs_as_its_turns_do_and_takes_the_same_end(agent: str, rules: Rules) -> None:
    registry = Registry.default()
    source = registry.make("board source", "uniform")
    for number in range(5):
        board_ref = BoardRef.of(source, "uniform", PRESETS["intermediate"], 3, number)
        played = play_game(Game(board_ref, rules), registry.agent(agent), keep_turns=True)
        packed = pack(played.turns or [])
        assert packed == pack(list(played.turns or []))
        again = Game(board_ref, rules)
        for turn in read_turns(packed):
            again.take(turn)
        assert again.result() == played.result


def test_a_log_grows_with_the_game() -> None:
    game = Game(Board.of(40, 40, []), Rules(flood=False))
    game.log = Log()
    taken = [Turn(open=np.arange(cell, cell + 8), why="proof") for cell in range(0, 1600, 8)]
    taken[7:9] = [Turn(open=tuple(Cell(*divmod(cell, 40)) for cell in range(56, 72)))]
    for turn in taken:
        game.take(turn)
    assert game.over
    assert game.log == taken


def test_a_turn_of_a_log_does_not_change_with_the_agents_array() -> None:
    game = Game(Board.of(3, 3, []), Rules(flood=False))
    game.log = Log()
    array = np.array([4])
    game.take(Turn(open=array))
    array[0] = 5
    game.take(Turn(open=array))
    first, second = game.log
    assert (first.open[0], second.open[0]) == (4, 5)


def sound() -> list[bytes]:
    """Packed turns of every form."""
    flat = Turn(open=np.array([3, 470]), flag=np.array([7]), why="guess", probability=0.25, fallback=True)
    cells = Turn(open=(Cell(1, 2),), unflag=(Cell(-5, 10**6),), why="proof")
    far = Turn(open=(Cell(2**100, 0),))
    proven = Turn(open=(Cell(0, 0),), why="proof", evidence={Cell(0, 0): [Cell(1, 1)]})
    many = [Turn(open=np.array([number])) for number in range(300)]
    return [pack(given) for given in ([], [flat], [flat, cells], [cells] * 3, [flat, far], [proven, flat], many)]


@settings(max_examples=600)
@given(st.sampled_from(sound()), st.data())
def test_damaged_turns_are_turns_or_a_sentence(packed: bytes, data: st.DataObject) -> None:
    damaged = bytearray(packed)
    for place in data.draw(st.lists(st.integers(0, len(packed) - 1), max_size=4)):
        damaged[place] = data.draw(st.integers(0, 255))
    cut = data.draw(st.integers(0, len(packed)) | st.just(len(packed)))
    check(bytes(damaged[:cut]) + data.draw(st.binary(max_size=3)))


@settings(max_examples=600)
@given(st.sampled_from([b"", b"\2", b"\3", b"\2BB\1\0\0\0", b"\2HB\2\0\0\0"]), st.binary(max_size=60))
def test_random_bytes_are_turns_or_a_sentence(start: bytes, rest: bytes) -> None:
    check(start + rest)
    if start == b"\3":
        check(start + zlib.compress(rest))
    check(zlib.compress(rest))


def check(data: bytes) -> None:
    """Turns that can be read can be packed and read again; others are a sentence."""
    try:
        found = read_turns(data)
    except ValueError as error:
        sentence = str(error)
    else:
        sentence = "the turns cannot be read: not so"
        assert read_turns(pack(found)) == [kept(turn) for turn in found]
    assert sentence.startswith("the turns cannot be read: ")
    assert len(sentence) < 150


def start(turns: int, widths: bytes = b"BB") -> bytes:
    return widths + turns.to_bytes(4, "little")


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        (b"", "cut off"),
        (None, "subscriptable"),
        ("x", "bytes-like"),
        (b"\2", "requires a buffer"),
        (b"\2" + start(1) + b"\0", "cut off"),
        (b"\2" + start(1) + b"\x08\0\0\0", "cut off"),
        (b"\2" + start(1) + b"\3\0\0\0", "reasons"),
        (b"\2" + start(1) + b"\x80\0\0\0", "reasons"),
        (b"\2" + start(1) + b"\x08\0\0\0" + (10**6 + 1).to_bytes(4, "little"), "probabilities"),
        (b"\2" + start(1) + b"\x10\1\0\0", "more cells"),
        (b"\2" + start(1) + b"\x10\0\0\0\0", "fewer cells"),
        (b"\2" + start(1) + b"\0\1\0\0\0", "more cells"),
        (b"\2" + start(1, b"BH") + b"\x10\1\0\0\0", "0 numbers and 1 bytes"),
        (b"\2" + start(0, b"BQ"), "widths"),
        (b"\2" + start(2**32 - 1), "turns"),
        (b"\3" + zlib.compress(start(0)) + b"!", "followed by 1 bytes"),
        (b"\3" + zlib.compress(start(0))[:-1], "cut off"),
    ],
)
def test_what_is_wrong_with_packed_turns_is_said(data: Any, sentence: str) -> None:
    with pytest.raises(ValueError, match=f"^the turns cannot be read: .*{sentence}"):
        read_turns(data)


@pytest.mark.parametrize(
    "body",
    [bytes(MAX_BYTES + 1), start(4 * 10**6) + bytes(10**6), start(0) + bytes(1 << 24), start(1 << 23)],
    ids=["too long", "too few marks", "too many numbers", "too many turns"],
)
def test_a_few_bytes_do_not_become_much_memory(body: bytes) -> None:
    bomb = b"\3" + zlib.compress(body)
    tracemalloc.start()
    try:
        with pytest.raises(ValueError, match="cannot be read"):
            read_turns(bomb)
        assert tracemalloc.get_traced_memory()[1] < 3 * MAX_BYTES
    finally:
        tracemalloc.stop()
