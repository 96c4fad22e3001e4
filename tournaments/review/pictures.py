"""Pictures of the worst decisions."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from pathlib import Path

from sweepstakes.drawing.svg import svg
from sweepstakes.review import Label
from sweepstakes.tournaments.review.agent_review import WorstDecision
from sweepstakes.tournaments.review.wording import what_it_did, what_was_there
from sweepstakes.tournaments.storage.atomic_file import write_text
from sweepstakes.tournaments.storage.database import run_errors
from sweepstakes.untrusted.files import make_folder


def picture(decision: WorstDecision) -> str:
    """Return the position of a decision as SVG: what the agent did, what was better, and the clues that prove it."""
    judgement = decision.judgement
    did = "mine" if judgement.action == "flag" else "random" if judgement.why == "random" else "guess"
    marks = {judgement.cell: did}
    caption = f"{judgement.label}: {what_it_did(judgement)}"
    if decision.best is None or judgement.label is Label.WRONG_FLAG:
        return svg(decision.view, marks=marks, caption=caption)
    marks[decision.best] = "safe"
    proof = {decision.best: list(decision.clues)} if decision.clues else None
    return svg(decision.view, marks=marks, proof=proof, caption=f"{caption}; {what_was_there(decision)}")


def draw_decisions(decisions: Sequence[WorstDecision], folder: str | Path) -> Iterator[Path]:
    """Write a picture of each decision into a folder. Return the files, in that order."""
    with run_errors(Path(folder), "written"):
        make_folder(Path(folder))
    for place, decision in enumerate(decisions, 1):
        name = re.sub(r"[^\w.-]+", "-", f"{place:02}-{decision.judgement.label}-{decision.game}")
        path = Path(folder) / f"{name}-{decision.judgement.turn + 1}.svg"
        write_text(path, picture(decision))
        yield path
