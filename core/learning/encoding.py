"""Encodings: a view as the arrays that a learner takes, the same in environments and in agents."""

from __future__ import annotations

from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from sweepstakes.errors import ParameterError, brief, did_you_mean
from sweepstakes.game.codes import COVERED, DETONATED, FLAG
from sweepstakes.game.view import View

Encoding = Literal["codes", "planes", "dict"]
ENCODINGS: tuple[Encoding, ...] = get_args(Encoding)
PLANES = 11
Codes = npt.NDArray[np.int8]


def check_encoding(encoding: str) -> None:
    """Raise `ParameterError` if there is no such encoding."""
    if encoding not in ENCODINGS:
        raise ParameterError(f"no encoding {brief(encoding)}{did_you_mean(encoding, ENCODINGS)}")


def encode(view: View, encoding: Encoding = "codes", *, flags: bool = False) -> Any:
    """Return the view as an observation, in new arrays.

    - `codes`: int8 [row, col], the codes of `View.shown`: -1 covered, -2 flag, -3 detonated, 0 to 8 a clue, 9 withheld.
    - `planes`: float32 [11, row, col] of 0 and 1: planes 0 to 8 for the clues, 9 for covered cells, 10 for known mines,
      flagged or detonated. A withheld clue is 0 in all of them.
    - `dict`: `board` (the codes), `mask` (the allowed actions, int8 of 0 and 1) and `mines_left` (int32 [1], the mines
      of the board less flags and detonated mines).

    `flags` says whether the actions, and therefore the mask, include flags.
    """
    check_encoding(encoding)
    return encode_codes(view.shown, view.mines, encoding, flags=flags)


def action_mask(view: View, *, flags: bool = False) -> npt.NDArray[np.bool_]:
    """Return which actions a view allows: opening each cell, row by row, and with `flags` flagging each cell."""
    return mask_codes(view.shown, flags=flags)


def encode_codes(shown: Codes, mines: int, encoding: Encoding, *, flags: bool, mask: Any = None) -> Any:
    """Return the observations of games from what their cells show, [..., row, col]; `mask` if it is known already."""
    if encoding == "codes":
        return shown.copy()
    if encoding == "planes":
        planes = np.empty((*shown.shape[:-2], PLANES, *shown.shape[-2:]), np.float32)
        for clue in range(9):
            np.equal(shown, clue, out=planes[..., clue, :, :], casting="unsafe")
        np.equal(shown, COVERED, out=planes[..., 9, :, :], casting="unsafe")
        np.less(shown, COVERED, out=planes[..., 10, :, :], casting="unsafe")
        return planes
    known = ((shown == FLAG) | (shown == DETONATED)).sum((-2, -1))
    allowed = mask_codes(shown, flags=flags) if mask is None else mask
    return {
        "board": shown.copy(),
        "mask": allowed.astype(np.int8),
        "mines_left": np.asarray(mines - known, np.int32)[..., None],
    }


def mask_codes(shown: Codes, *, flags: bool) -> npt.NDArray[np.bool_]:
    """Return the allowed actions of games from what their cells show, [..., row, col], as [..., action]."""
    flat = shown.reshape(*shown.shape[:-2], -1)
    covered: npt.NDArray[np.bool_] = flat == COVERED
    return np.concatenate([covered, covered | (flat == FLAG)], axis=-1) if flags else covered
