"""Pictures as pixels."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from sweepstakes import Board, PositionError, View
from sweepstakes.drawing.drawing import Drawable, described
from sweepstakes.drawing.position_picture import MARGIN, RULER, position_picture
from sweepstakes.drawing.raster import MAX_PIXELS, figures, gif
from sweepstakes.drawing.theme import THEMES

VIEW = View.parse("3 4 3\n01.F\n12?*\n....")


def pixels(position: Drawable, theme: str = "light", cell: int = 40) -> Image.Image:
    file = io.BytesIO()
    figures([position_picture(described(position))], theme, cell)[0].savefig(file, format="png")
    return Image.open(file).convert("RGB")


def colours_of(image: Image.Image, row: int, col: int) -> set[str]:
    """The colours inside a cell of 40 x 40 pixels."""
    left, top = MARGIN + RULER + 40 * col, MARGIN + RULER + 40 * row
    part = image.crop((left + 3, top + 3, left + 37, top + 37))
    return {"#" + bytes(colour).hex() for _, colour in part.getcolors(10_000) or []}  # type: ignore[arg-type]


@pytest.mark.parametrize("theme", THEMES)
def test_every_cell_has_the_colours_of_what_it_shows(theme: str) -> None:
    image, names = pixels(VIEW, theme), THEMES[theme]
    expected = {
        (0, 0): {"open"},
        (0, 1): {"open", "n1"},
        (0, 2): {"covered"},
        (0, 3): {"covered", "flag", "pole"},
        (1, 1): {"open", "n2"},
        (1, 2): {"open", "withheld"},
        (1, 3): {"detonated", "mine"},
    }
    for (row, col), inside in expected.items():
        found = colours_of(image, row, col)
        assert {names[name] for name in inside} <= found, (row, col)
        if len(inside) == 1:
            assert len(found) == 1, (row, col)


def test_a_picture_is_as_large_as_it_is_asked_to_be_up_to_a_limit() -> None:
    assert pixels(VIEW, cell=24).size == (round(0.6 * (160 + 50)), round(0.6 * (120 + 50)))
    assert max(pixels(Board(1, 1000, bytes(1000))).size) == MAX_PIXELS


def test_an_unknown_theme_is_refused() -> None:
    with pytest.raises(PositionError, match="theme 'auto': unknown"):
        pixels(VIEW, "auto")


def test_the_same_pictures_give_the_same_bytes() -> None:
    pictures = [position_picture(described(view)) for view in (VIEW, View.parse("3 4 3\n....\n....\n...."))]
    assert gif(pictures) == gif(pictures)


def test_a_gif_has_a_frame_for_each_picture_and_stays_longest_at_the_last() -> None:
    views = [VIEW, View.parse("3 4 3\n....\n....\n...."), VIEW]
    captions = ["", "one line", "a caption that is so long that it needs several lines below the board"]
    pictures = [
        position_picture(described(view, caption=caption)) for view, caption in zip(views, captions, strict=True)
    ]
    film = Image.open(io.BytesIO(gif(pictures, seconds=0.25)))
    assert film.n_frames == 3  # type: ignore[attr-defined]
    times = []
    for frame in range(3):
        film.seek(frame)
        times.append(film.info["duration"])
    assert times == [250, 250, 1000]
