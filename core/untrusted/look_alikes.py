"""Names that look alike: a Cyrillic letter in the place of a Latin one, a digit in the place of a letter."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable

_LOOK_LIKE = {
    "-": "2d7 2010 2012 2013 2014 2043 2212 2796 2cbb",
    ".": "6f0 a4f8 a60e",
    "2": "1a8 3e9 14bf a645 a6ef a75b",
    "3": "21d 25c 292 437 4e1 2ccd a76b 118ca 16f3b 1d206",
    "4": "13ce 118cf",
    "5": "1bd 118db",
    "6": "431 13ee 2cd3 118d5",
    "7": "104fa 118c6 1d212",
    "8": "223 9ea a6a b03 1031a",
    "9": "9ed a67 b68 d6d 2ccb a76f 118cc 118d6",
    "a": "251 3b1 430 13aa 15c5 237a a4ee 102a0 16f40",
    "b": "185 3b2 432 44c 13cf 13f4 1472 15af 15f7 a4d0 a7b5 10282 102a1 10301",
    "c": "3c3 441 13df 1d04 2ca5 a4da 102a2 10302 1043d 1051c 118e9 118f2 1f74c",
    "d": "501 13a0 13e7 146f 15de 15ea a4d2 a4d3",
    "e": "3b5 435 4bd 13ac 212e 22ff 2d39 a4f0 ab32 10286 118ce",
    "f": "3dd 584 15b4 1e9d a4dd a799 ab35 10287 102a5 10525 118c2 1d213",
    "g": "18d 261 50d 581 13c0 13f3 1d83 a4d6",
    "h": "3b7 43d 4bb 570 13bb 13c2 157c 2c8f a4e7 102cf",
    "j": "29d 3f3 458 13ab 148d a4d9",
    "k": "3ba 43a 13e6 16d5 2c95 a4d7 10518",
    "l": (
        "131 1c0 269 26a 3b9 456 4cf 6f1 13a5 13de 14aa 16c1 2223 2373 23fd 2502 2c93 2cd1 2d4f a4e1 "
        "a4f2 a647 1028a 10309 10320 10443 10526 118c3 118d2 16f16 16f28 1d22a"
    ),
    "m": "3bc 3fb 43c 13b7 15f0 16d6 2c99 a4df 102b0 10311",
    "n": "3bd 578 57c 2c9b a4e0 10513",
    "o": (
        "3bf 43e 585 6f5 966 9e6 a66 ae6 b20 b66 be6 c02 c66 c82 ce6 d02 d20 d66 d82 e50 ed0 101d 1040 "
        "10ff 12d0 1d0f 1d11 2c9f 2d54 3007 a4f3 ab3d 10292 102ab 1042c 104ea 10516 114d0 118c8 118d7 "
        "118e0"
    ),
    "p": "3c1 440 13e2 146d 2374 2ca3 a4d1 10295",
    "q": "51b 563 566 2d55",
    "r": "280 433 13a1 13b1 13d2 1587 1d26 2c85 a4e3 ab47 ab48 104dc 16f35 1d216",
    "s": "455 57f 13d5 13da a4e2 a731 10296 10448 118c1 16f3a",
    "t": "3c4 442 13a2 22a4 27d9 2ca7 a4d4 10297 102b1 10315 118dc 16f0a 1f768",
    "u": "28b 3c5 57d 1200 144c 1d1c 222a 22c3 a4f4 a79f ab4e ab52 104f6 118d8 16f42",
    "v": "475 6f7 13d9 142f 1d20 2228 22c1 2d38 a4e6 a6df 1051d 11706 118c0 16f08 1d20d",
    "w": "26f 461 51d 561 13b3 13d4 1d21 a4ea 1170a 1170e 1170f 118e6 118ef",
    "x": (
        "d7 3c7 445 1541 157d 166d 166e 16b7 2573 292b 292c 2a2f 2cad 2d5d a4eb ab53 10290 102b4 10317 "
        "10322 10527 118ec"
    ),
    "y": "263 28f 3b3 443 4af 10e7 13a9 13bd 1d8c 1eff 2ca9 a4ec ab5a 102b2 118c4 16f43",
    "z": "3b6 13c3 1d22 a4dc 102f5 118c9 118e5",
}
"""Code points of lower-case letters and other signs that look like an ASCII character, from the list of confusables of
Unicode (UTS 39). Those that normalisation replaces are left out, as are full-width letters."""
_ASCII = {int(point, 16): sign for sign, points in _LOOK_LIKE.items() for point in points.split()}
_ASCII |= {ord("0"): "o", ord("1"): "l", ord("i"): "l", ord("|"): "l"}
_PAIRS = (("rn", "m"), ("vv", "w"))


def skeleton(text: str) -> str:
    """Return the text so that two texts which look alike have the same one; only for comparing."""
    text = unicodedata.normalize("NFD", unicodedata.normalize("NFKC", text).casefold())
    text = "".join(sign for sign in text if not unicodedata.combining(sign)).translate(_ASCII)
    for pair, sign in _PAIRS:
        text = text.replace(pair, sign)
    return text.strip()


def look_alike(text: str, names: Iterable[str]) -> str:
    """Return the first of `names` that the text, or a word with letters other than a to z, looks like; else "".

    A text does not count as similar to itself or to a name that differs only in capital letters.
    """
    words = {text, *(word for word in text.replace("(", " ").replace("@", " ").split() if not word.isascii())}
    for name in names:
        if any(word.casefold() != name.casefold() and skeleton(word) == skeleton(name) for word in words):
            return name
    return ""
