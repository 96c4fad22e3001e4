"""A plan for another machine contains its files, in places where equal names do not collide."""

from __future__ import annotations

import pickle
import shutil
import sys
from pathlib import Path
from typing import Any

import pytest

from sweepstakes import RunError
from sweepstakes.hosting.describing import read_imports
from sweepstakes.registry.agent_source import AgentSource, OwnFile
from sweepstakes.registry.plugin_source import PluginSource
from sweepstakes.spec import Spec
from sweepstakes.tournaments.config.loading import parse
from sweepstakes.tournaments.plan import Entry, Plan
from sweepstakes.tournaments.resolve.planning import make_plan
from sweepstakes.tournaments.running import packing
from sweepstakes.tournaments.running.workload import Parcel, PlanWorkload


def plan(*sources: AgentSource, boards: Any = "3x3/1") -> Plan:
    """A plan whose agents have these sources; their plugins are not loaded."""
    made, _ = make_plan(parse({"boards": boards, "agents": ["random"], "games": 1}))
    entries = [Entry(str(place), Spec(str(place)), "1", source) for place, source in enumerate(sources)]
    return made._replace(entries=tuple(entries) or made.entries)


def sent(plan: Plan, folder: Path) -> Plan:
    """The plan on another machine."""
    folder.mkdir()
    parcel: Parcel = pickle.loads(pickle.dumps(PlanWorkload(plan).parcel()))
    return parcel.unpack(folder).plan


def write(path: Path, text: str, mode: int = 0o644) -> str:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)
    path.chmod(mode)
    return str(path)


def test_files_of_one_name_stay_apart_and_those_of_an_agent_beside_each_other(tmp_path: Path) -> None:
    sources = []
    for folder in ("a", "b"):
        plugin = PluginSource.of_file(Path(write(tmp_path / folder / "mine.py", f"# {folder}")), read_imports)
        weights = OwnFile.of(write(tmp_path / folder / "data" / "weights.txt", folder))
        sources.append(AgentSource(plugin, "mine", files=(weights,)))
    both = plan(*sources)
    parcel = PlanWorkload(both).parcel()
    for folder in ("a", "b"):
        shutil.rmtree(tmp_path / folder)
    (tmp_path / "node").mkdir()
    there = parcel.unpack(tmp_path / "node").plan
    for folder, entry in zip(("a", "b"), there.entries, strict=True):
        assert entry.source is not None
        assert entry.source.plugin is not None
        file = Path(entry.source.plugin.path)
        assert file.is_relative_to(tmp_path / "node")
        assert file.read_text() == f"# {folder}"
        assert (file.parent / "data" / "weights.txt").read_text() == folder
        assert not entry.source.files[0].has_changed()
        assert entry.source.files[0].path == str(file.parent / "data" / "weights.txt")


def test_a_program_can_be_executed_there_and_an_interpreter_that_is_there_stays(tmp_path: Path) -> None:
    program = write(tmp_path / "a" / "solver", "#!/bin/sh\n", 0o755)
    script = write(tmp_path / "a" / "solver.py", "pass")
    python = str(Path(sys.executable).resolve())
    own = AgentSource(None, words=(program, "--fast"), files=(OwnFile.of(program),))
    by_python = AgentSource(None, words=(python, script, "3"), files=(OwnFile.of(python), OwnFile.of(script)))
    both = plan(own, by_python)
    parcel = PlanWorkload(both).parcel()
    shutil.rmtree(tmp_path / "a")
    (tmp_path / "node").mkdir()
    first, second = (entry.source for entry in parcel.unpack(tmp_path / "node").plan.entries)
    assert first is not None
    assert second is not None
    assert Path(first.words[0]).is_relative_to(tmp_path / "node")
    assert Path(first.words[0]).stat().st_mode & 0o111
    assert first.words[1:] == ("--fast",)
    assert second.words[0] == python
    assert Path(second.words[1]).read_text() == "pass"
    assert second.words[2:] == ("3",)
    assert not any(file.has_changed() for source in (first, second) for file in source.files)


@pytest.mark.parametrize("many", [False, True])
def test_boards_of_files_and_folders_are_the_same_there(tmp_path: Path, many: bool) -> None:
    paths = [write(tmp_path / "a" / f"{name}.txt", "*..\n...\n...\n") for name in "12"]
    path: Any = paths if many else str(tmp_path / "a")
    here = plan(boards={"source": {"file": {"path": path}}, "rows": 3, "cols": 3, "mines": 1})
    there = sent(here, tmp_path / "node")
    assert there.conditions[0].key == here.conditions[0].key
    assert there.conditions[0].source.portable == here.conditions[0].source.portable
    found = there.conditions[0].source.parameters["path"]
    for each in found if many else [found]:
        assert Path(each).is_relative_to(tmp_path / "node")
    PlanWorkload(there).prepare()


def test_a_file_that_has_changed_is_gone_or_is_too_large_stops_the_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = write(tmp_path / "solver", "#!/bin/sh\n", 0o755)
    made = plan(AgentSource(None, words=(program,), files=(OwnFile.of(program),)))
    monkeypatch.setattr(packing, "MAX_BYTES", 5)
    with pytest.raises(RunError, match="no node accepts more"):
        PlanWorkload(made).parcel()
    monkeypatch.undo()
    write(tmp_path / "solver", "#!/bin/sh\necho\n", 0o755)
    with pytest.raises(RunError, match="solver has changed since the run was started"):
        PlanWorkload(made).parcel()
    (tmp_path / "solver").unlink()
    with pytest.raises(RunError, match="solver: cannot be read"):
        PlanWorkload(made).parcel()


def test_a_plan_of_built_in_agents_is_small_and_stays_as_it_is(tmp_path: Path) -> None:
    made = plan()
    assert len(pickle.dumps(PlanWorkload(made).parcel())) < 4000
    assert sent(made, tmp_path / "node") == made
