"""Phrases that readers have to parse twice are in no text that users read."""

from __future__ import annotations

import ast
import io
import re
import tokenize
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
PACKAGES = ("core", "leaderboards", "plugins", "tournaments", "web")
PHRASES = (
    "so many",
    "is none",
    "are none",
    "anew",
    "mend",
    "told",
    "whoever",
    "than which",
    "the asked",
    "the given",
    "stands here",
    "stand here",
    "stand in pairs",
    "is no name",
    "is no number",
    "written small",
    "ends so",
    "to count with",
    "what stands",
    "those of others",
    "the house",
    "where to go on",
    "the way of a game",
    "what came of",
    "of them at most",
    "are the processor's",
    "the best of a few",
    "put the whole",
)
"""Phrases with an idiomatic replacement: a parameter's name, "is not valid", "again", "fix", "known"."""
POSITIONAL = "beside"
"""A word that is often used for "besides" or "compared with". Texts of our own say "next to" for a place."""
MAXIMA = re.compile(r"\bMOST_[A-Z]")
"""Names of bounds, which begin with MAX_."""
FOR_MODELS = ROOT / "plugins" / "agents" / "llm" / "prompts.py"
"""The words of prompts: another word may make a model play differently, so these follow no style."""
PAGES = (
    *ROOT.glob("*.md"),
    *(path for path in ROOT.glob("docs/*.md") if path.name != "claims.md"),
    *ROOT.glob("examples/**/*.md"),
    *ROOT.glob("tournaments/presets/*.yaml"),
    *ROOT.glob("leaderboards/published/*/*.md"),
    *ROOT.glob("web/static/*.js"),
)
"""What users read, and the scripts of the pages, except docs/claims.md, which quotes the reports."""


def phrases_in(text: str, *more: str) -> list[str]:
    """Return the phrases of the list, and of `more`, that a text contains as whole words. `beside-a-clue` is a name."""
    words = " ".join(text.split())
    found = [phrase for phrase in (*PHRASES, *more) if re.search(rf"\b{phrase}\b(?!-)", words)]
    return found + MAXIMA.findall(words)


def strings_of(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each string that is no docstring: messages, help and the words of tables."""
    tree = ast.parse(source)
    nodes = list(ast.walk(tree))
    commands = [
        ast.get_docstring(node)
        for node in nodes
        if isinstance(node, ast.FunctionDef)
        if any("click.command" in ast.unparse(decorator) for decorator in node.decorator_list)
    ]
    yield from ((1, help_text) for help_text in commands if help_text)
    skipped = {id(node.value) for node in nodes if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)}
    for node in nodes:
        if isinstance(node, ast.JoinedStr):
            skipped |= {id(part) for part in node.values}
            yield node.lineno, "".join(str(part.value) for part in node.values if isinstance(part, ast.Constant))
    for node in nodes:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in skipped:
            yield node.lineno, node.value


@pytest.mark.parametrize("phrase", [*PHRASES, POSITIONAL, "MOST_FILES"])
def test_each_phrase_is_found(phrase: str) -> None:
    assert phrases_in(f"Here {phrase.replace(' ', chr(10))} is one.", POSITIONAL)
    assert not phrases_in("recommended: almost every one of the manewald, and besides, beside-a-clue", POSITIONAL)


def test_the_strings_of_a_module_are_its_messages_and_its_help() -> None:
    source = '"""Module."""\n@click.command("a")\ndef a(n):\n    """Help."""\n    raise E(f"too {n} many", "x")'
    assert {text for _, text in strings_of(source)} == {"Help.", "too  many", "x", "a"}


@pytest.mark.parametrize("path", sorted(PAGES), ids=lambda path: str(path.relative_to(ROOT)))
def test_texts_read_like_english(path: Path) -> None:
    assert not phrases_in(path.read_text(encoding="utf-8"))


@pytest.mark.parametrize("package", [*PACKAGES, "benchmarks", "examples"])
def test_messages_and_help_read_like_english(package: str) -> None:
    found = {
        f"{path.relative_to(ROOT)}:{line}": phrases
        for path in sorted((ROOT / package).rglob("*.py"))
        if path != FOR_MODELS
        for line, text in strings_of(path.read_text(encoding="utf-8"))
        if (phrases := phrases_in(text, POSITIONAL))
    }
    assert not found


def notes_of(source: str) -> Iterator[tuple[int, str]]:
    """Yield the line and the text of each docstring and each comment."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.lineno, node.value.value
    for token in tokenize.generate_tokens(io.StringIO(source).readline):
        if token.type == tokenize.COMMENT:
            yield token.start[0], token.string


def test_the_notes_of_a_module_are_its_docstrings_and_comments() -> None:
    source = 'A = "x"  # one\n"""Two."""\n\n\ndef f():\n    """Three."""\n    return "y"  # four\n'
    assert {text for _, text in notes_of(source)} == {"# one", "Two.", "Three.", "# four"}


@pytest.mark.parametrize("package", [*PACKAGES, "benchmarks", "docs", "examples", "tests"])
def test_docstrings_and_comments_read_like_english(package: str) -> None:
    found = {
        f"{path.relative_to(ROOT)}:{line}": phrases
        for path in sorted((ROOT / package).rglob("*.py"))
        if path != Path(__file__)
        for line, text in notes_of(path.read_text(encoding="utf-8"))
        if (phrases := phrases_in(text, POSITIONAL))
    }
    assert not found


@pytest.mark.parametrize("package", [*PACKAGES, "benchmarks", "tests"])
def test_no_bound_is_called_most(package: str) -> None:
    name = re.compile(r"\b_?MOST(?:_[A-Z]+)*\b")
    found = {
        f"{path.relative_to(ROOT)}:{token.start[0]}"
        for path in sorted((ROOT / package).rglob("*.py"))
        for token in tokenize.generate_tokens(io.StringIO(path.read_text(encoding="utf-8")).readline)
        if token.type == tokenize.NAME and name.fullmatch(token.string)
    }
    assert not found
