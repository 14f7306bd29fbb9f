"""Reports: made of counts and fixed words alone, with the head of the ledger signed, and kept.

What is kept is the text that is given away, so that it stays when the data are gone.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any, Final

from django.utils import timezone

from mindfirl.core.errors import SettingError
from mindfirl.core.ledger.project_events import Reported
from mindfirl.core.policy import Actor, check_may
from mindfirl.core.progress import Progress, no_progress
from mindfirl.services.report import disclosures, ledger_snapshot, participants
from mindfirl.services.report.groups import groups, usual_group
from mindfirl.services.report.participants import linked
from mindfirl.store.disk import locked
from mindfirl.store.ledger.digests import digests_of
from mindfirl.store.ledger.heads import sign_head
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import Account, Project, Report
from mindfirl.store.queries.entries import assignments_by_number, reviewer_numbers
from mindfirl.store.queries.reviews import decided_in
from mindfirl.workspace.commits import Also, commit, next_number, nothing
from mindfirl.workspace.open_version import current_schema
from mindfirl.workspace.outcomes.group_linkage import newest_linkage_groups

FORMAT: Final = 3
"""Counts up when what stands where in a report is another."""


def make_report(
    *,
    project: Project,
    actor: Actor,
    account: Account | None = None,
    group: str = "",
    progress: Progress = no_progress,
    also: Also = nothing,
) -> Report:
    """Report what was disclosed so far, compared by the attribute ``group``; sign the head."""
    check_may(actor, "audit")
    chosen = checked_group(project, group)
    if project.shredded:
        raise SettingError(
            "A new report is not possible, because the keys of this project were destroyed. Its "
            "last report is kept."
        )
    progress("reading the ledger", 0, 1)
    receipt = sign_head(project, "report")
    ledger = ledger_snapshot.read_ledger(project, receipt.head)
    with locked(project.pk):  # no values are deleted while they are counted
        content = _content(project, ledger, chosen, progress)
    content["ledger"] = {"entries": receipt.entries, "digest": receipt.digest}
    content["signed_head"] = asdict(receipt)
    with commit(ledger=project):
        number = next_number(project.reports)
        made = Report(project=project, number=number, created=timezone.now(), account=account)
        at = made.created.isoformat(timespec="seconds")
        about = {"format": FORMAT, "report": made.number, "made": at}
        made.text = json.dumps({**about, **content}, indent=2, ensure_ascii=False)
        made.save()
        told = Reported(made.number, digests_of(project).report(made))
        append(project, actor=actor.name, events=[told])
        also()
    return made


def newest_report(*, project: Project, actor: Actor) -> Report | None:
    check_may(actor, "see project")
    return project.reports.order_by("-number").first()


def groups_of(*, project: Project, actor: Actor) -> tuple[list[str], str]:
    check_may(actor, "see project")
    schema_file = current_schema(project)
    schema = schema_file.schema if schema_file else None
    return (list(schema.names), usual_group(schema)) if schema else ([], "")


def checked_group(project: Project, group: str) -> str:
    """Return the attribute that was chosen, or the usual one; refuse one that is not there."""
    schema_file = current_schema(project)
    if schema_file is None:
        return ""
    schema = schema_file.schema
    return schema.names[schema.place(group)] if group else usual_group(schema)


def _content(
    project: Project, ledger: ledger_snapshot.LedgerSnapshot, group: str, progress: Progress
) -> dict[str, Any]:
    numbered = assignments_by_number(project)
    numbers = reviewer_numbers(numbered)
    assignments = [each for each in numbered if str(each.pk) in ledger.accounts]
    found = disclosures.disclosed(assignments, ledger, progress)
    rows = [row for each in found.rows.values() for row in each]
    progress("composing the report", 0, 1)
    decided = decided_in(assignments)
    return {
        "project": {
            "name": project.name,
            "title": project.title,
            "purpose": project.purpose,
            "legal_basis": project.legal_basis,
            "approval": project.approval,
            "stable_numbers": project.stable_numbers,
        },
        "dates": ledger_snapshot.dates(project, ledger),
        "linked": linked(project),
        "linkage_groups": newest_linkage_groups(project),
        "roles": participants.roles(project, assignments),
        "terms": participants.terms(assignments),
        "people": disclosures.of_people(
            assignments, ledger, found, numbers=numbers, decided=decided
        ),
        "together": disclosures.together(assignments, ledger, found),
        "project_wide": disclosures.project_wide(project),
        "rounds": disclosures.by_round(assignments, ledger, found),
        "planned": disclosures.planned(project, assignments, ledger, found),
        "attributes": disclosures.by_attribute(found),
        "over_time": participants.over_time(project, found.by_hour),
        "decisions": participants.decisions(project),
        "refused": ledger_snapshot.refusals(ledger),
        "explained": ledger_snapshot.explained(ledger),
        "agreement": participants.agreement(project, numbers),
        "releases": ledger_snapshot.releases(ledger),
        "labels_handed_over": ledger_snapshot.labels_handed_over(ledger),
        "groups": groups(project, rows, found.indexes, group) if rows else None,
    }
