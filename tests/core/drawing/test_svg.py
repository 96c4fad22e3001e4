"""Positions as SVG."""

from __future__ import annotations

import re
import subprocess
import sys
import xml.etree.ElementTree as ET
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sweepstakes import Board, Cell, Game, PositionError, Rules, Turn, View, svg
from sweepstakes.drawing.drawing import Drawable
from sweepstakes.drawing.position_picture import MARGIN, RULER
from sweepstakes.inference import posterior
from sweepstakes.inference.solving import solve
from sweepstakes.tournaments.replay.replay import Replay

VIEW = View.parse("3 4 3\n01.F\n12?*\n....")
BOARD = Board.parse("*..\n...\n..*")


def layers(text: str) -> dict[str, list[tuple[float, float, str]]]:
    """Where the paths of each colour start, and what follows up to the next start."""
    found: dict[str, list[tuple[float, float, str]]] = {}
    for path in ET.fromstring(text).iter("{http://www.w3.org/2000/svg}path"):
        for x, y, rest in re.findall(r"M([\d.]+)[ ]?(-?[\d.]+)([^M]*)", path.attrib["d"]):
            found.setdefault(path.attrib["class"], []).append((float(x), float(y), rest))
    return found


def seen(text: str, rows: int, cols: int) -> str:
    """The position that can be seen in a picture with coordinates: as `View.marks` writes it."""
    offset = MARGIN + RULER
    marks: dict[tuple[int, int], str] = {}

    def cell(x: float, y: float) -> tuple[int, int]:
        return int(y - offset) // 40, int(x - offset) // 40

    found = layers(text)
    for x, y, rest in found.get("open", []):
        width = re.match(r"h([\d.]+)", rest)
        assert width is not None
        row, col = cell(x, y)
        marks |= {(row, col + i): "0" for i in range(int(float(width[1])) // 40)}
    for clue in range(1, 9):
        marks |= {cell(x, y): str(clue) for x, y, _ in found.get(f"n{clue}", [])}
    for name, mark in (("withheld", "?"), ("pole", "F"), ("mine", "*")):
        marks |= {cell(x, y): mark for x, y, _ in found.get(name, [])}
    return "".join(marks.get((row, col), ".") for row in range(rows) for col in range(cols))


positions = st.integers(1, 9).flatmap(
    lambda cols: st.lists(st.text(".F*?012345678", min_size=cols, max_size=cols), min_size=1, max_size=9)
)


@given(rows=positions)
def test_every_cell_of_a_view_can_be_read_from_its_picture(rows: list[str]) -> None:
    view = View.parse("\n".join(rows), mines=0)
    assert seen(svg(view), view.rows, view.cols) == "".join(rows)


@given(rows=positions, mines=st.randoms())
def test_a_board_shows_mines_and_crosses_out_wrong_flags(rows: list[str], mines: Any) -> None:
    view = View.parse("\n".join(rows), mines=0)
    board = Board(view.rows, view.cols, bytes(mines.randrange(2) for _ in view.marks))
    text = svg(view, board=board)
    expected = ["*" if mark == "." and mine else mark for mark, mine in zip(view.marks, board.layout, strict=True)]
    assert seen(text, view.rows, view.cols) == "".join(expected)
    wrong = sum(mark == "F" and not mine for mark, mine in zip(view.marks, board.layout, strict=True))
    assert len(layers(text).get("wrong", [])) == 2 * wrong


def test_a_board_is_drawn_with_its_clues() -> None:
    assert seen(svg(BOARD), 3, 3) == "*10121" + "01*"


def test_a_game_hides_its_mines_until_it_is_over() -> None:
    game = Game(BOARD, Rules(on_mine="end"))
    assert seen(game._repr_svg_(), 3, 3) == "........."
    game.take(Turn(open=[Cell(0, 0)]))
    assert seen(game._repr_svg_(), 3, 3) == "*.......*"


def test_everything_that_has_a_position_shows_itself_in_notebooks() -> None:
    found = posterior(VIEW.shown, 5)
    game = Game(BOARD)
    turns = [Turn(open=[Cell(0, 1)], why="random"), Turn(flag=[Cell(0, 0)])]
    for turn in turns:
        game.take(turn)
    game.take(Turn())
    replay = Replay.of(Game(BOARD), [*turns, Turn()], game.result(), "a game")
    shown: list[Any] = [BOARD, VIEW, game, found, solve(VIEW._replace(mines=5)), replay, *replay.frames]
    for thing in shown:
        assert ET.fromstring(thing._repr_svg_()).tag == "{http://www.w3.org/2000/svg}svg"
        assert thing._repr_svg_() == svg(thing)


def test_the_posterior_draws_the_position_that_it_was_made_from() -> None:
    shown = VIEW.shown.copy()
    found = posterior(shown, 5)
    shown[:] = -1
    assert seen(svg(found), 3, 4) == VIEW.marks


def test_a_frame_marks_the_cells_of_its_turn_by_the_reason() -> None:
    game = Game(BOARD)
    game.take(Turn(open=[Cell(0, 1)], why="guess", probability=0.2))
    game.take(Turn())
    (_, frame, _) = Replay.of(Game(BOARD), [Turn(open=[Cell(0, 1)], why="guess"), Turn()], game.result()).frames
    assert frame.drawing().marks == {(0, 1): "guess"}
    assert frame.drawing().recent == [(0, 1)]
    assert "turn 1: guess: opens (0,\u00a01)" in svg(frame)


def test_a_frame_of_an_illegal_turn_is_drawn() -> None:
    game = Game(BOARD)
    turns = [Turn(open=[Cell(9, 9)])]
    result = Replay.of(Game(BOARD), turns, _lost(game, turns)).frames
    assert ET.fromstring(svg(result[-1])) is not None


def _lost(game: Game, turns: list[Turn]) -> Any:
    from sweepstakes import Ending

    with pytest.raises(Exception, match="not on the board"):
        game.take(turns[0])
    game.forfeit(Ending.ILLEGAL_MOVE, "illegal")
    return game.result()


def test_the_clues_of_a_proof_are_joined_to_the_cell_that_they_prove() -> None:
    both = layers(svg(VIEW, proof={(0, 2): [(0, 1), (1, 1)]}))["proof"]
    alone = layers(svg(VIEW, proof=[(0, 1), (1, 1)]))["proof"]
    assert len(alone) == 2
    assert len(both) == 2 + 2 + 2 + 1  # lines, rings, the ends of the lines, the cell


def test_labels_and_captions_are_text_and_not_markup() -> None:
    text = svg(VIEW, marks={(2, 0): "<&>", (2, 1): "\x1b[31m\x00"}, caption='</text><script>alert("1")</script>')
    words = [element.text for element in ET.fromstring(text).iter("{http://www.w3.org/2000/svg}text")]
    assert "<&>" in words
    assert not [element for element in ET.fromstring(text).iter() if "script" in element.tag]


def test_the_same_position_gives_the_same_bytes_in_every_process() -> None:
    code = (
        "from sweepstakes import View, svg; v = View.parse('2 3 2\\n1..\\n...'); "
        "print(svg(v, heat=[[0, .5, .1]] * 2, proof={(0, 1): [(0, 0)]}, marks={(1, 1): 'guess', (1, 2): 'A'}), end='')"
    )
    made = {
        subprocess.run(
            [sys.executable, "-c", code], env={"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(made) == 1
    assert b"<svg" in made.pop()


def test_auto_follows_the_system_and_the_other_themes_do_not() -> None:
    assert "@media(prefers-color-scheme:dark)" in svg(VIEW)
    assert "@media" not in svg(VIEW, theme="light") + svg(VIEW, theme="dark")
    assert svg(VIEW, theme="light") != svg(VIEW, theme="dark")


def test_pictures_of_two_themes_can_be_part_of_one_page() -> None:
    for theme in ("auto", "light", "dark"):
        text = svg(VIEW, theme=theme)
        style = text.partition("<style>")[2].partition("</style>")[0]
        selectors = re.findall(r"(?:^|[}{])([^{}@]+)\{", style)
        assert selectors
        assert all(selector.strip().startswith(f".sweepstakes-{theme} ") for selector in selectors)
        assert " id=" not in text


def test_coordinates_numbers_and_size_can_be_chosen() -> None:
    heat = np.full((3, 4), 0.25)
    assert "muted" not in layers(svg(VIEW, coordinates=False))
    assert "number" in layers(svg(VIEW, heat=heat))
    assert "number" not in layers(svg(VIEW, heat=heat, numbers=False))
    assert 'width="68" height="68"' in svg(BOARD, cell=20, coordinates=False)


@pytest.mark.parametrize("shape", [(1, 1), (1, 100), (100, 1)])
def test_boards_of_any_shape_are_drawn(shape: tuple[int, int]) -> None:
    board = Board(*shape, bytes(shape[0] * shape[1]))
    assert seen(svg(board), *shape) == "0" * (shape[0] * shape[1])


def test_a_large_board_is_a_small_file() -> None:
    board = Board(100, 100, bytes(i % 5 == 0 for i in range(10_000)))
    assert len(svg(board)) < 600_000


@pytest.mark.parametrize(
    ("position", "options", "expected"),
    [
        ("text", {}, "cannot draw 'text': expected a Board, View"),
        (View, {}, "cannot draw"),
        (VIEW, {"theme": "drak"}, "theme 'drak': unknown .did you mean 'dark'"),
        (VIEW, {"cell": 0}, "cell 0: expected 1 to 1000 pixels"),
        (VIEW, {"cell": "big"}, "cell 'big': expected 1 to 1000 pixels"),
        (VIEW, {"board": BOARD}, "the board is not 3 x 4"),
        (VIEW, {"heat": [1, 2]}, "the heat map has the shape 2: expected 3 x 4"),
        (VIEW, {"heat": "hot"}, "expected a mine probability for each cell"),
        (VIEW, {"heat": np.full((3, 4), 1.5)}, "below 0 or above 1"),
        (VIEW, {"marks": {(3, 0): "safe"}}, r"a mark at \(3, 0\) is not on a board of 3 x 4"),
        (VIEW, {"marks": {"a1": "safe"}}, r"a mark at 'a1': expected \(row, column\)"),
        (VIEW, {"marks": ["safe"]}, "marks .*: expected a mapping"),
        (VIEW, {"proof": {(0, 0): [(9, 9)]}}, "a clue at"),
        (VIEW, {"proof": 3}, "proof 3: expected"),
        (VIEW, {"path": [(0, -1)]}, "the path at"),
    ],
)
def test_what_cannot_be_drawn_is_said_in_one_line(position: Drawable, options: Any, expected: str) -> None:
    with pytest.raises(PositionError, match=expected) as error:
        svg(position, **options)
    assert "\n" not in str(error.value)


def test_a_mine_that_is_very_unlikely_elsewhere_is_not_said_to_be_impossible() -> None:
    view = View.parse("60 60 2\n" + "1" + "." * 59 + ("\n" + "." * 60) * 59)
    assert "mine elsewhere: 0.1 %" in svg(solve(view))
