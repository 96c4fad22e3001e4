import json
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from known import FILES, FOLDER, parse, record, table

from sweepstakes import inference
from sweepstakes.inference import Status, decide, posterior
from sweepstakes.inference.exact.marginals import sum_layouts
from sweepstakes.inference.exact.order import drop_clues
from sweepstakes.inference.exact.scan import scan

KERNELS = (scan, sum_layouts, drop_clues)


@pytest.mark.parametrize("name", FILES)
def test_positions_with_known_answers(name: str) -> None:
    for line in (FOLDER / f"{name}.jsonl").read_text().splitlines():
        entry = json.loads(line)
        noise = None if entry["noise"] is None else table(*entry["noise"])
        answer = posterior(parse(entry["view"]), entry["mines"], noise=noise)
        assert answer.status == Status.OK
        chance = answer.probability[~np.isnan(answer.probability)]
        assert np.allclose(chance, entry["probability"], rtol=0, atol=1e-11)
        assert np.flatnonzero(answer.safe).tolist() == entry["safe"]
        assert np.flatnonzero(answer.mine).tolist() == entry["mine"]
        assert answer.log_layouts == pytest.approx(entry["log_layouts"], abs=2e-9)


@pytest.mark.parametrize("name", ["beginner", "noisy"])
def test_the_known_answers_are_those_of_the_twin(name: str) -> None:
    for line in (FOLDER / f"{name}.jsonl").read_text().splitlines()[:3]:
        entry = json.loads(line)
        model = None if entry["noise"] is None else tuple(entry["noise"])
        again = json.loads(json.dumps(record(parse(entry["view"]), entry["mines"], model)))
        assert again == entry


WITHOUT_COMPILER = """
import warnings

warnings.simplefilter("error")
import numpy as np
from known import FOLDER, parse, table
import json
from sweepstakes.inference import decide, forced, posterior

out = []
for name in ("beginner", "noisy"):
    for line in (FOLDER / f"{name}.jsonl").read_text().splitlines():
        entry = json.loads(line)
        noise = None if entry["noise"] is None else table(*entry["noise"])
        shown = parse(entry["view"])
        answer = posterior(shown, entry["mines"], noise=noise)
        choice = decide(shown, entry["mines"], noise)
        quick = forced(shown, noise=noise)
        tight = posterior(shown, entry["mines"], noise=noise, budget=10)
        out.append(
            [
                np.nan_to_num(answer.probability, nan=-1).tolist(),
                answer.certain.tolist(),
                round(answer.log_layouts, 9),
                choice.safe.tolist(),
                choice.guess,
                quick.safe.tolist(),
                np.nan_to_num(tight.probability, nan=-1).tolist(),
                tight.status,
            ]
        )
big = np.full((12, 40), -1, dtype=np.int8)
big[1::3, 1::3] = 3
out.append(np.nan_to_num(posterior(big, 150).probability, nan=-1).tolist())
print(json.dumps(out))
"""


def test_kernels_say_the_same_without_the_compiler_and_raise_no_warning() -> None:
    said = []
    for disabled in ("0", "1"):
        done = subprocess.run(
            [sys.executable, "-W", "error", "-c", WITHOUT_COMPILER],
            env={**os.environ, "NUMBA_DISABLE_JIT": disabled, "PYTHONPATH": str(Path(__file__).parent)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        said.append(json.loads(done.stdout))
    assert said[0] == said[1]


def test_a_decision_on_a_known_position() -> None:
    entry = json.loads((FOLDER / "expert.jsonl").read_text().splitlines()[0])
    decision = decide(parse(entry["view"]), entry["mines"], stop_at_first_safe=False)
    assert sorted(decision.safe) == entry["safe"]


def test_the_public_names_are_those_listed() -> None:
    public = {
        name
        for name, value in vars(inference).items()
        if getattr(value, "__module__", "").startswith("sweepstakes") and name[0] != "_"
    }
    assert public | {"Weighting"} == set(inference.__all__)


def test_warming_up_compiles_all_that_is_asked_for() -> None:
    inference.warm_up()
    before = [len(kernel.signatures) for kernel in KERNELS]  # type: ignore[attr-defined]
    shown = np.array([[-1, 1, -1, -2]], dtype=np.int8)
    posterior(shown, 2, noise=table("liar", 0.1), budget=1)
    posterior(shown, None, prior=0.3)
    decide(np.frombuffer(shown.tobytes(), dtype=np.int8).reshape(1, 4), 2, trust_flags=False)
    assert before == [len(kernel.signatures) for kernel in KERNELS] == [1] * len(KERNELS)  # type: ignore[attr-defined]
