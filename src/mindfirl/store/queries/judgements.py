"""What comparisons with the truth found: the ledger keeps their figures, and nothing else does."""

from __future__ import annotations

from dataclasses import dataclass

from mindfirl.core.ledger.chain import read_one
from mindfirl.core.ledger.project_events import TruthJudged
from mindfirl.store.models import LedgerLine, Project


@dataclass(frozen=True, slots=True)
class KeptJudgement:
    number: int
    at: str
    told: TruthJudged


def truth_judgements(project: Project, version: int | None = None) -> list[KeptJudgement]:
    """Return the judgements of a project, or of one version, newest first."""
    found = []
    lines = LedgerLine.objects.filter(project=project, kind="truth judged").order_by("-number")
    for number, line in lines.values_list("number", "line"):
        entry = read_one(line, number)
        if isinstance(entry.event, TruthJudged) and version in (None, entry.event.version):
            found.append(KeptJudgement(number, entry.at, entry.event))
    return found
