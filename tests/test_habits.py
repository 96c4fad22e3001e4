"""What other tools expect of a repository: the citation, the release workflow, the image, the development container."""

from __future__ import annotations

import json
import os
import re
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest
import yaml

ROOT = Path(__file__).parents[1]
VERSION = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]


def read_workflow() -> dict[str, Any]:
    workflow: dict[str, Any] = yaml.safe_load((ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8"))
    return workflow


def test_the_citation_names_this_version() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert citation["version"] == VERSION


@pytest.mark.parametrize(
    ("tag", "code", "said"),
    [
        (f"v{VERSION}", 0, ""),
        (VERSION, 1, f"the tag is {VERSION}, but pyproject.toml has version {VERSION}\n"),
        ("v99.0.0", 1, f"the tag is v99.0.0, but pyproject.toml has version {VERSION}\n"),
    ],
)
def test_a_tag_of_another_version_is_not_released(tag: str, code: int, said: str) -> None:
    (step,) = [step for step in read_workflow()["jobs"]["build"]["steps"] if "TAG" in step.get("env", {})]
    done = subprocess.run(
        ["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]],
        cwd=ROOT,
        env=os.environ | {"TAG": tag},
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (code, said)


def test_only_the_job_that_publishes_may_ask_for_a_token_and_no_password_is_stored() -> None:
    workflow = read_workflow()
    assert workflow["permissions"] == {"contents": "read"}
    jobs = workflow["jobs"]
    assert {name: job.get("permissions") for name, job in jobs.items()} == {
        "build": None,
        "publish": {"id-token": "write"},
    }
    assert not [step for step in jobs["publish"]["steps"] if "run" in step]
    assert "secrets." not in (ROOT / ".github/workflows/release.yml").read_text(encoding="utf-8")


def test_the_release_is_what_the_script_for_releases_has_tried() -> None:
    steps = [step.get("run", "") for step in read_workflow()["jobs"]["build"]["steps"]]
    assert "PYTHON=python bash .ci/release" in steps
    assert (ROOT / ".ci/release").is_file()


def test_the_container_for_editors_installs_extras_that_exist() -> None:
    container = json.loads((ROOT / ".devcontainer/devcontainer.json").read_text(encoding="utf-8"))
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    extras = re.findall(r"\[(\w+)\]", container["postCreateCommand"] + (ROOT / "Dockerfile").read_text("utf-8"))
    assert sorted(extras) == ["dev", "web"]
    assert set(extras) <= set(project["optional-dependencies"])
