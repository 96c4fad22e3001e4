"""What a model said is kept turn by turn, bounded, and shown next to what was true."""

from __future__ import annotations

import json
import random
import sqlite3
import zlib
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from said import Said
from scripted_endpoint import (
    KEY,
    Endpoint,
    Script,
    in_order,
    open_first_covered,
    says,
    serve_fixture,  # noqa: F401 - the fixture `serve`
    turn_text,
)

from sweepstakes.executor import Fixture
from sweepstakes.game.transcript import MAX_CHARACTERS, MAX_PACKED, MAX_TEXT, pack_transcript, read_transcript
from sweepstakes.tournaments.storage.transcripts import transcript_of
from sweepstakes.tournaments.stored_run import open_run

TOURNAMENT = """
boards: 4x4/3
games: 2
seed: 1
moves: all
executor: serial
rules: {on_mine: end}
agents: [random, {agent: llm, model: m, retries: 0}]
scores: [win]
"""
GAME = 'llm(model="m",retries=0)/1/0'
Serve = Callable[[Script], Endpoint]
Type = Callable[..., Said]


def chatty(number: int, body: dict[str, Any]) -> Callable[[Any], None]:
    """Think aloud, and state 5 % for a corner of an empty board."""
    stated = turn_text(open=[(0, 0)], why="guess", probability=0.05)
    return says(f"<think>corner? \x1b[2J <script>alert(1)</script></think>{stated}")


def play(serve: Serve, sweepstakes: Type, tmp_path: Path, script: Script = chatty, text: str = TOURNAMENT) -> None:
    serve(script)
    (tmp_path / "t.yaml").write_text(text)
    said = sweepstakes("run", "t.yaml", "--out", "run", "--quiet")
    assert said.code == 0, said.err


def test_a_transcript_is_kept_for_each_turn(serve: Serve, sweepstakes: Type, tmp_path: Path) -> None:
    play(serve, sweepstakes, tmp_path, open_first_covered)
    with open_run("run") as run:
        for number in range(2):
            stored = run.find(Fixture(1, 0, number))
            assert stored is not None
            texts = transcript_of(run, stored.fixture)
            assert len(texts) == stored.result.turns
            assert all(json.loads(text)["probability"] == 0.25 for text in texts)
        assert transcript_of(run, Fixture(0, 0, 0)) == []


def test_a_run_without_models_has_no_table_for_transcripts(sweepstakes: Type, tmp_path: Path) -> None:
    (tmp_path / "t.yaml").write_text(TOURNAMENT.replace(", {agent: llm, model: m, retries: 0}", ""))
    assert sweepstakes("run", "t.yaml", "--out", "run", "--quiet").code == 0
    with closing(sqlite3.connect(tmp_path / "run" / "games.sqlite")) as db:
        assert ("transcripts",) not in db.execute("select name from sqlite_master").fetchall()


def test_no_transcript_is_kept_where_no_moves_are(serve: Serve, sweepstakes: Type, tmp_path: Path) -> None:
    play(serve, sweepstakes, tmp_path, open_first_covered, TOURNAMENT.replace("moves: all", "moves: none"))
    with open_run("run") as run:
        assert transcript_of(run, Fixture(1, 0, 0)) == []


@pytest.mark.parametrize("command", ["replay", "review"])
def test_what_was_said_is_shown_next_to_what_was_true(
    serve: Serve, sweepstakes: Type, tmp_path: Path, command: str
) -> None:
    play(serve, sweepstakes, tmp_path)
    said = sweepstakes(command, "run", GAME, *(["--plain"] if command == "replay" else []))
    assert said.code == 0, said.err
    assert "the model said 5 %, it was 19 %" in said.out, said.out
    assert "| <think>corner?" in said.out
    assert "\x1b" not in said.out


def test_watch_plays_a_model_and_shows_what_it_said(serve: Serve, sweepstakes: Type) -> None:
    endpoint = serve(chatty)
    said = sweepstakes(
        "watch", 'llm(model="m",retries=0)', "--board", "4x4/3", "--plain", "--on-mine", "end", "--first-click", "any"
    )
    assert said.code == 0, said.err
    assert "the model said 5 %, it was 19 %" in said.out, said.out
    assert "the engine's own smallest proofs: agent 'llm(model=\"m\",retries=0)' is not repeatable" in said.out
    asked = {json.dumps(request["messages"]) for request in endpoint.requests}
    assert len(asked) == len(endpoint.requests), "no turn is asked for twice"


def test_answers_that_were_not_used_are_shown_with_the_reason(serve: Serve, sweepstakes: Type, tmp_path: Path) -> None:
    play(serve, sweepstakes, tmp_path, in_order(says("I give you nothing"), says("")))
    said = sweepstakes("replay", "run", GAME, "--plain")
    assert "turn 1: not taken" in said.out
    assert "| I give you nothing" in said.out
    assert "| [not used: it had no JSON object of the form asked for]" in said.out
    assert "| [not used: it was empty]" in said.out


def test_merged_runs_keep_their_transcripts(serve: Serve, sweepstakes: Type, tmp_path: Path) -> None:
    serve(open_first_covered)
    (tmp_path / "t.yaml").write_text(TOURNAMENT)
    for shard in ("1/2", "2/2"):
        said = sweepstakes("run", "t.yaml", "--out", f"run{shard[0]}", "--quiet", "--shard", shard)
        assert said.code == 0, said.err
    said = sweepstakes("merge", "run1", "run2", "--out", "run", "--quiet")
    assert said.code == 0, said.err
    with open_run("run") as run:
        assert all(transcript_of(run, Fixture(1, 0, number)) for number in range(2))


def test_a_key_that_the_endpoint_sends_back_is_in_no_file(serve: Serve, sweepstakes: Type, tmp_path: Path) -> None:
    echo = turn_text(open=[(0, 0)], why=KEY)
    play(serve, sweepstakes, tmp_path, in_order(says(f"{KEY} {echo}")))
    said = sweepstakes("replay", "run", GAME, "--plain")
    assert "*** " in said.out
    assert KEY not in said.out
    with open_run("run") as run:
        assert KEY not in "".join(transcript_of(run, Fixture(1, 0, 0)))
    for file in tmp_path.rglob("*"):
        assert not file.is_file() or KEY.encode() not in file.read_bytes(), file


def test_a_damaged_answer_in_the_cache_is_asked_for_again(serve: Serve, sweepstakes: Type, tmp_path: Path) -> None:
    play(serve, sweepstakes, tmp_path, open_first_covered)
    kept = sorted((tmp_path / "cache").rglob("*.json"))
    kept[0].write_bytes(kept[0].read_bytes()[:20])
    said = sweepstakes("run", "t.yaml", "--out", "again", "--quiet")
    assert said.code == 0, said.err
    assert len(kept[0].read_bytes()) > 20


def test_a_site_has_transcripts_only_if_they_are_asked_for(serve: Serve, sweepstakes: Type, tmp_path: Path) -> None:
    play(serve, sweepstakes, tmp_path)
    for name, options in (("without", []), ("with", ["--transcripts"])):
        said = sweepstakes("publish", "run", "--site", name, "--no-engine", *options)
        assert said.code == 0, said.err
    pages = {name: list((tmp_path / name).rglob("*.*")) for name in ("without", "with")}
    assert not any(b"corner?" in file.read_bytes() for file in pages["without"])
    assert "corner?" in (tmp_path / "with" / "static" / "replays-1.js").read_text()
    assert not any(b"<script>alert(1)" in file.read_bytes() for file in pages["with"] if file.suffix == ".html")
    said = sweepstakes("publish", "run", "--to", "public")
    assert said.code == 0, said.err
    assert not any(b"corner?" in file.read_bytes() for file in (tmp_path / "public").rglob("*") if file.is_file())


def test_long_texts_are_bounded() -> None:
    packed = pack_transcript(["a" * 3 * MAX_TEXT, "b"])
    assert packed is not None
    long, short = read_transcript(packed)
    assert short == "b"
    assert len(long) < MAX_TEXT + 100
    assert "40,000 characters are left out" in long
    noise = random.Random(1)
    texts = ["".join(chr(noise.randrange(0x4E00, 0x9FFF)) for _ in range(MAX_TEXT)) for _ in range(70)]
    packed = pack_transcript(texts)
    if packed is not None:
        assert len(packed) <= MAX_PACKED
        assert sum(map(len, read_transcript(packed))) <= MAX_CHARACTERS


def test_no_texts_are_nothing_to_keep() -> None:
    assert pack_transcript([]) is None
    assert pack_transcript(["", ""]) is None


@pytest.mark.parametrize(
    "packed",
    [
        b"",
        b"no zlib",
        zlib.compress(b"[1]"),
        zlib.compress(b"{}"),
        zlib.compress(b"[" * 100_000),
        zlib.compress(b'["' + b"a" * 30_000_000 + b'"]'),
        b"x" * (MAX_PACKED + 1),
        "text",
    ],
)
def test_damaged_transcripts_are_one_line(packed: Any) -> None:
    with pytest.raises(ValueError, match="transcript"):
        read_transcript(packed)


def test_a_damaged_transcript_of_a_run_names_the_game(serve: Serve, sweepstakes: Type, tmp_path: Path) -> None:
    play(serve, sweepstakes, tmp_path)
    with closing(sqlite3.connect(tmp_path / "run" / "games.sqlite")) as db, db:
        db.execute("update transcripts set texts = x'00'")
    said = sweepstakes("replay", "run", GAME, "--plain")
    assert said.code == 2
    assert f"game {GAME}: its transcript is damaged" in said.err
