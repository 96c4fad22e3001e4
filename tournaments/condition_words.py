"""Conditions in words: boards, rules and clue noise as tables, pages and plots name them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import prod

from sweepstakes.game.rules import Rules
from sweepstakes.game.setup import EXACT_CLUES, UNIFORM
from sweepstakes.game.size import PRESETS, Size
from sweepstakes.spec import Spec
from sweepstakes.tables import shared_lead

_NOISES = {
    "hidden": "clues withheld",
    "optimistic": "clues too small",
    "cautious": "clues too large",
    "liar": "clues one off",
}
"""What the built-in noises do to a clue with probability `rate`."""


def condition_title(
    name: str, size: Size, density: float | None, source: Spec, rules: Rules | None, noise: Spec | None
) -> str:
    """Return the title of a condition, as in "Expert, safe first click, first mine ends the game".

    `name` is the tournament file's name of the boards. Rules and noise are None if all conditions share them.
    """
    parts = [boards_words(name, size, density)]
    if source.name != UNIFORM.name:
        parts.append(source_words(source))
    if rules is not None:
        parts.append(rules.words)
    if noise is not None:
        parts.append(noise_words([noise]))
    return ", ".join(parts)


def boards_words(name: str, size: Size, density: float | None) -> str:
    """Return the size of boards in words: the name of a standard size, or rows, columns and mines."""
    if name in PRESETS:
        return name.capitalize()
    shape = f"{size.rows}x{size.cols}"
    mines = f"{size.mines:,} mine{'s' * (size.mines != 1)}"
    return f"{shape} with {mines}" if density is None else f"{shape}, mine density {density}"


def source_words(source: Spec) -> str:
    """Return what distinguishes the boards of a source, or the spec itself if the source is not built in."""
    if source.name == "clustered" and set(source.parameters) <= {"group"}:
        return f"mines in groups of {source.parameters.get('group', 4)}"
    if source.name == "no-guess" and not source.parameters:
        return "no guess needed"
    return "mines placed at random" if source == UNIFORM else str(source.portable)


def rules_words(rules: Iterable[Rules]) -> str:
    """Return the rules of several conditions in words; each phrase once if all combinations of them are played."""
    several = list(dict.fromkeys(rules))
    choices = [list(dict.fromkeys(phrases)) for phrases in zip(*(each.phrases for each in several), strict=True)]
    if prod(map(len, choices)) != len(several) or any("" in each and len(each) > 1 for each in choices):
        return "; or ".join(each.words for each in several)
    return ", ".join(_one_of(each) for each in choices if each != [""])


def noise_words(noises: Iterable[Spec]) -> str:
    """Return what noises do to clues, as in "clues withheld with probability 0.05 or 0.1; or exact clues".

    A noise that is not built in is named by its spec.
    """
    rates: dict[str, list[str]] = {}
    for noise in dict.fromkeys(noises):
        kind = noise_kind(noise)
        rates.setdefault(kind, [])
        if "rate" in noise.parameters and kind != str(noise.portable):
            rates[kind].append(str(noise.parameters["rate"]))
    return "; or ".join(f"{kind} with probability {_one_of(each)}" if each else kind for kind, each in rates.items())


def noise_kind(noise: Spec) -> str:
    """Return what a noise does to clues, without the probability."""
    if noise == EXACT_CLUES:
        return "exact clues"
    if noise.name in _NOISES and set(noise.parameters) <= {"rate", "blanks"}:
        return _NOISES[noise.name] + (", also of blanks," if noise.parameters.get("blanks") else "")
    return str(noise.portable)


def _one_of(phrases: Sequence[str]) -> str:
    """Join phrases with commas and "or"; words that begin all of them are not repeated."""
    lead = shared_lead(phrases) if len(phrases) > 1 else ""
    *most, last = (phrase.removeprefix(lead) for phrase in phrases)
    return f"{lead}{', '.join(most)} or {last}" if most else last
