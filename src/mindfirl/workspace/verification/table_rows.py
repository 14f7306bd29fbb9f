"""What the tables of a project hold, under the names and in the form in which its ledger tells it.

The names are those of ``core.ledger.expected_rows``; digests are made under the project's key.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from mindfirl.core.errors import CommentBroken
from mindfirl.core.ledger.expected_rows import (
    PROJECT_RULES,
    PROJECT_STATE,
    ExpectedRows,
    cell_row,
    comment_row,
    decision_row,
    finding_row,
    latest_decision_row,
    member_row,
    pair_row,
    proposed_content,
    proposed_row,
    rules_content,
)
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.core.risk.kapr import units_within
from mindfirl.store.ledger.digests import RowDigests, digests_of, rules_of
from mindfirl.store.models import (
    AssignedPair,
    Assignment,
    Comment,
    Forecast,
    OpenCell,
    Plan,
    Project,
    Release,
    Revision,
    Scoring,
)
from mindfirl.store.vault.sealed_comments import unseal
from mindfirl.workspace.verification.ledger_of_pairs import thresholds_of

Content = tuple[str, str]
"""The name of a row, and what it holds."""

_OTHER: Final = "another"
"""What two rows hold that say different things, or one that cannot be read."""


def stored_rows(project: Project, expected: ExpectedRows) -> dict[str, str]:
    """Read all rows that a ledger tells of; files by the digests with which they were recorded."""
    digests = replace(digests_of(project), originals=expected.original_digests)
    return {
        **deciding_rows(project, expected),
        **dict(_assignments(project, digests)),
        **dict(_cells(project)),
        **dict(_decisions(project, digests)),
        **dict(_comments(project, digests)),
    }


def deciding_rows(project: Project, expected: ExpectedRows) -> dict[str, str]:
    """Read the rows of a project that belong to no assignment: rules, roles, plan, releases."""
    digests = replace(digests_of(project), originals=expected.original_digests)
    return {
        **dict(_project(project)),
        **dict(_rules(project, expected)),
        **dict(_pairs_and_plan(project, digests)),
        **dict(_dispatches(project, digests)),
        **dict(_results(project, digests)),
        **dict(_releases(project, digests)),
    }


def rows_without_digests(project: Project) -> dict[str, str]:
    """Read the rows that a ledger tells of in clear words, whatever became of the keys."""
    return dict(_project(project))


def _project(project: Project) -> Iterator[Content]:
    for person, role in project.memberships.values_list("account", "role"):
        yield member_row(str(person), role), "member"
    if project.closed or project.shredded:
        yield PROJECT_STATE, "shredded" if project.shredded else "closed"


def _rules(project: Project, expected: ExpectedRows) -> Iterator[Content]:
    """Give the rules where they are told: every project tells them when it is created."""
    if PROJECT_RULES in expected.contents:
        yield PROJECT_RULES, rules_content(rules_of(project))


def _pairs_and_plan(project: Project, digests: RowDigests) -> Iterator[Content]:
    for version in project.versions.select_related("index"):
        yield f"import version {version.number}", digests.version(version)
    scorings = Scoring.objects.filter(version__project=project)
    for scoring in scorings.select_related("version__prices", "candidates"):
        number = scoring.version.number
        yield f"the pairs of version {number}", digests.scoring(scoring)
        yield f"the thresholds of version {number}", " ".join(thresholds_of(scoring))
    forecasts = Forecast.objects.filter(version__project=project)
    for forecast in forecasts.select_related("version", "adviser", "prospects"):
        name = f"the forecast of version {forecast.version.number}"
        yield name, digests.forecast(forecast)
    for labels in project.label_sets.select_related("version").prefetch_related("answers"):
        yield f"labels {labels.number}", digests.label_set(labels, labels.answers.all())
    for plan in Plan.objects.filter(project=project):
        yield "the plan", digests.plan(plan, plan.people.all())


def _dispatches(project: Project, digests: RowDigests) -> Iterator[Content]:
    for each in project.dispatches.all():
        yield f"dispatch {each.number}", digests.dispatch(each)
        yield f"the state of dispatch {each.number}", each.state
        if each.confirmed_by_id:
            yield f"the confirmation of dispatch {each.number}", str(each.confirmed_by_id)


def _assignments(project: Project, digests: RowDigests) -> Iterator[Content]:
    found = project.assignments.select_related("dispatch", "version", "adviser")
    for each in found.prefetch_related("pairs"):
        mine, pairs = f"assignment {each.pk}", list(each.pairs.all())
        yield mine, digests.terms(each)
        yield f"the pairs of {mine}", digests.pairs(str(each.pk), pairs)
        yield f"the state of {mine}", each.state
        yield f"the budget of {mine}", str(each.budget) if _fits(each) else _OTHER
        yield f"the spending of {mine}", str(each.spent)
        yield f"the due day of {mine}", each.due.isoformat() if each.due else ""
        yield from _marked(each, pairs)
        if each.state == "submitted":
            latest = [
                (pair.number, pair.revision, pair.verdict, pair.reason)
                for pair in pairs
                if not pair.withdrawn
            ]
            yield f"the decisions of {mine}", digests.decisions(str(each.pk), latest)


def _fits(mine: Assignment) -> bool:
    width, kappa = len(mine.attributes), mine.terms.kappa
    return mine.limit == units_within(mine.budget, pairs=mine.size, attributes=width, kappa=kappa)


def _marked(mine: Assignment, pairs: list[AssignedPair]) -> Iterator[Content]:
    for pair in pairs:
        if pair.withdrawn:
            yield pair_row("withdrawn", str(mine.pk), pair.number), "withdrawn"
        if pair.explained:
            yield pair_row("explained", str(mine.pk), pair.number), "explained"


def _cells(project: Project) -> Iterator[Content]:
    found = OpenCell.objects.filter(pair__assignment__project=project)
    fields = ("entry", "pair__assignment_id", "pair__number", "attribute", "level")
    for entry, assignment, pair, attribute, level in found.values_list(*fields):
        yield cell_row(str(assignment), pair, attribute, level), str(entry)


def _decisions(project: Project, digests: RowDigests) -> Iterator[Content]:
    latest: dict[int, tuple[Revision, str]] = {}
    found = Revision.objects.filter(pair__assignment__project=project).select_related("pair")
    for each in found.order_by("pair", "number"):
        about = (str(each.pair.assignment_id), each.pair.number, each.number)
        digest = digests.decision(about, (each.verdict, each.reason), each.at, each.state)
        yield decision_row(*about), digest
        latest[each.pair_id] = each, digest
    for pair in AssignedPair.objects.filter(assignment__project=project):
        revision, digest = latest.get(pair.pk, (None, ""))
        if revision or _says_something(pair):
            content = digest if revision and _is_latest(pair, revision) else _OTHER
            yield latest_decision_row(str(pair.assignment_id), pair.number), content


def _says_something(pair: AssignedPair) -> bool:
    return bool(pair.revision or pair.verdict or pair.reason or pair.decided)


def _is_latest(pair: AssignedPair, revision: Revision) -> bool:
    decided = revision.at if revision.verdict else None
    said = (revision.number, revision.verdict, revision.reason, decided)
    return (pair.revision, pair.verdict, pair.reason, pair.decided) == said


def _comments(project: Project, digests: RowDigests) -> Iterator[Content]:
    found = Comment.objects.filter(pair__assignment__project=project).select_related("pair")
    for each in found:
        about = (str(each.pair.assignment_id), each.pair.number, each.number)
        try:
            (words,) = unseal(project, [each])
            yield comment_row(*about), digests.comment(about, words, each.at)
        except CommentBroken:
            yield comment_row(*about), _OTHER


def _results(project: Project, digests: RowDigests) -> Iterator[Content]:
    for accepted in project.acceptances.select_related("version"):
        yield f"acceptance {accepted.number}", digests.acceptance(accepted)
    for linkage in project.linkages.select_related("version", "persons"):
        yield f"linkage {linkage.number}", digests.linkage(linkage)
    for register in project.registers.select_related("linkage", "numbers", "history"):
        files = digests.files(register.numbers, register.history)
        yield f"the person numbers of linkage {register.linkage.number}", files
    for report in project.reports.all():
        yield f"report {report.number}", digests.report(report)


def _releases(project: Project, digests: RowDigests) -> Iterator[Content]:
    found = project.releases.select_related("linkage", "data", "numbers", "changes", "coverage")
    for each in found.prefetch_related("handovers"):
        yield f"release {each.number}", digests.release(each)
        yield f"the state of release {each.number}", each.state
        if each.data or each.numbers:
            yield f"the files of release {each.number}", digests.release_files(each)
        if each.coverage:
            yield f"the coverage of release {each.number}", digests.files(each.coverage)
        yield from _handovers(each)
        for finding in each.report["findings"]:
            if "proposed" in finding:
                said = finding["proposed"]
                person = said["by"] or COMMAND_LINE.name
                name = proposed_row(each.number, finding["column"], finding["kind"])
                yield name, proposed_content(person, said["reason"])
            if "settled" in finding:
                name = finding_row(each.number, finding["column"], finding["kind"])
                yield name, finding["settled"]["reason"]


def _handovers(release: Release) -> Iterator[Content]:
    given = sorted(release.handovers.all(), key=lambda each: each.pk)
    words = "".join(f"{each.what} {each.account_id or ''};" for each in given)
    if words:
        yield f"the handovers of release {release.number}", words
