"""The outcome of one step of a check, as text for programs: JSON, and the XML that test servers read."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Literal, NamedTuple
from xml.etree import ElementTree

from sweepstakes.untrusted.text import clean_lines

Status = Literal["passed", "note", "failed", "not tried"]
"""A note counts as passed, but says something that the author of the agent should know."""
_LONGEST = 200
"""Maximum number of lines of a message in a file."""


class StepReport(NamedTuple):
    """The outcome of one step."""

    owner: str
    """The agent; "" for the steps about a file."""
    name: str
    status: Status
    message: str = ""
    fix: str = ""
    """Advice on how to fix it."""
    command: str = ""
    """The command that shows the game in which it happened."""
    trace: str = ""
    printed: str = ""
    """The output of the agent: the first lines if the step passed, otherwise the last ones."""
    kind: str = "agent"
    """The kind of the owner: an agent, a board source, a clue noise, a score or a report."""
    is_cause: bool = False
    """Whether later steps would fail for the same reason and are therefore skipped."""
    cause: str = ""
    """The step that failed before, if this one was not tried because of it."""

    @property
    def passed(self) -> bool:
        """Whether there is nothing to fix."""
        return self.status in ("passed", "note")


def as_json(reports: Iterable[tuple[str, StepReport]]) -> str:
    """Return the reports, each with its target, as a JSON list: an object for each step."""
    left_out = ("is_cause", "cause")
    steps = [
        {"target": target} | {key: value for key, value in report._asdict().items() if key not in left_out}
        for target, report in reports
    ]
    return json.dumps(steps, indent=1)


def as_junit(reports: Iterable[tuple[str, StepReport]]) -> str:
    """Return the reports, each with its target, as JUnit's XML: a test case for each step."""
    suite = ElementTree.Element("testsuite", name="sweepstakes check")
    counts = {"tests": 0, "failures": 0, "skipped": 0}
    for target, report in reports:
        counts["tests"] += 1
        case = ElementTree.SubElement(suite, "testcase", classname=_xml(report.owner or target), name=_xml(report.name))
        if report.status == "failed":
            counts["failures"] += 1
            failure = ElementTree.SubElement(case, "failure", message=_xml(report.message))
            parts = (report.message, f"to do: {report.fix}", report.command, report.trace, report.printed)
            failure.text = _xml("\n".join(part for part in parts if part))
        elif report.status == "not tried":
            counts["skipped"] += 1
            ElementTree.SubElement(case, "skipped", message=_xml(report.message))
        elif report.message:
            ElementTree.SubElement(case, "system-out").text = _xml(report.message)
    suite.attrib.update({key: str(count) for key, count in counts.items()})
    return ElementTree.tostring(suite, encoding="unicode", xml_declaration=True) + "\n"


def _xml(text: str) -> str:
    """Return the text without the characters that XML does not have."""
    return clean_lines(text, _LONGEST)
