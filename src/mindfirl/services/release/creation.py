"""Releases made: put together, written and checked, then sealed under their own key.

This needs the sensitive key, which the process that serves pages is refused.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import asdict, replace
from datetime import timedelta
from functools import partial
from io import BytesIO
from typing import Any

import numpy as np
import pyarrow as pa
from django.db import DatabaseError, connection
from django.utils import timezone

from mindfirl.core.errors import SettingError
from mindfirl.core.ledger.events import Released
from mindfirl.core.policy import Actor, check_may
from mindfirl.core.progress import Progress, no_progress
from mindfirl.engine.release import file_check, release_files, table, telling
from mindfirl.services.release.assembly import NUMBER, Assembled, assemble
from mindfirl.services.release.coverage import (
    coverage_table,
)
from mindfirl.services.release.release_choices import Choices, kept_choices
from mindfirl.services.release.release_states import barriers, state_of
from mindfirl.services.release.stable_numbers import StableNumbers, stable_numbers
from mindfirl.store import vault
from mindfirl.store.changes import working_on
from mindfirl.store.crypto.keys import create_key, destroy, key_path
from mindfirl.store.faults import fault_point
from mindfirl.store.ledger.digests import digests_of
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import (
    Account,
    Linkage,
    Project,
    Release,
    SealedFile,
)
from mindfirl.store.queries.projects import today
from mindfirl.workspace.commits import Also, commit_files, next_number, nothing
from mindfirl.workspace.outcomes.group_linkage import linkage_groups
from mindfirl.workspace.superseded_values import has_values
from mindfirl.workspace.verification.before_leaving import check_what_decides


def make_release(
    *,
    project: Project,
    actor: Actor,
    account: Account | None = None,
    linkage: Linkage,
    choices: Choices,
    progress: Progress = no_progress,
    also: Also = nothing,
) -> Release:
    """Make a release of a linkage: ready to be downloaded, or blocked by what its check found.

    Its file is sealed under a key of its own; which record has which number in it, under the
    sensitive key. What is searched is what the vault gives back.
    """
    check_may(actor, "make release")
    choices = _with_least_persons(choices, project)
    if not has_values(linkage.version):
        raise SettingError(
            f"Not released: the values of version {linkage.version.number} were deleted, because "
            f"a newer version of the data is linked. Release the newest linkage."
        )
    with working_on(project.id), _own_key(project) as key, vault.staging(project.id) as sealed:
        progress("combining records", 0, 1)
        stable = stable_numbers(linkage, sealed) if project.stable_numbers else None
        found = assemble(linkage, choices, stable.numbers if stable else None)
        data = vault.seal(project, "release", found.made.table, key=key)
        numbers = vault.seal(project, "numbers", pa.table({NUMBER: found.made.numbers}))
        coverage = vault.seal(project, "coverage", coverage_table(found.persons))
        sealed.extend((data, numbers, coverage))
        report = _report(found, checked(data, found.secrets, progress=progress))
        report["second_person"] = project.second_person
        report["linkage_groups"] = linkage_groups(linkage)
        changes = None
        if stable:
            table = stable.changes(found.made.numbers)
            report["numbers"] = stable.counted(table)
            changes = vault.seal(project, "changes", table, key=key)
            sealed.append(changes)
        with commit_files(project, sealed, also, ledger=True):
            check_what_decides(project)
            _check_setting(project, stable)
            made = _kept(linkage, choices, report, account)
            made.data, made.numbers, made.coverage, made.changes = data, numbers, coverage, changes
            if stable and stable.told:
                stable.register.save()
                append(project, actor=actor.name, events=[stable.told])
            made.save()
            _tell(made, actor)
    fault_point("before answer")
    return made


def _with_least_persons(choices: Choices, project: Project) -> Choices:
    """Ask for as many persons as the project does by now, whatever the waiting job says."""
    least = Project.objects.get(pk=project.pk).least_persons
    return replace(choices, least_persons=max(choices.least_persons, least))


def _check_setting(project: Project, stable: StableNumbers | None) -> None:
    """Refuse a release whose numbers are not as the project has them now."""
    if Project.objects.get(pk=project.pk).stable_numbers != (stable is not None):
        raise SettingError(
            "Not released: the setting for person numbers changed meanwhile. Create the release "
            "again."
        )


def checked(
    sealed: SealedFile, secrets: file_check.Secrets, *, progress: Progress = no_progress
) -> list[file_check.Finding]:
    """Write what was sealed in every form in which it can be had, and search what was written."""
    table = vault.unseal(sealed)
    found: dict[tuple[str, str], file_check.Finding] = {}
    for form in release_files.FORMS:
        file = BytesIO()
        release_files.write(table, file, form)
        told = partial(progress, f"searching the {_WORDS[form]} file")
        for each in file_check.check(file, form, secrets, rows=table.num_rows, progress=told):
            before = found.get((each.column, each.kind), each)
            found[each.column, each.kind] = max(before, each, key=lambda one: one.count)
    return list(found.values())


_WORDS = {"csv": "CSV", "parquet": "Parquet"}


@contextmanager
def _own_key(project: Project) -> Iterator[str]:
    """Make the key of a release; take it back where nothing is recorded that it opens."""
    made = create_key(project.id, "release")
    try:
        yield made
    except BaseException:
        with suppress(DatabaseError):  # where it cannot be asked, the key stays for the doctor
            if not connection.in_atomic_block:
                connection.close_if_unusable_or_obsolete()  # what was lost is opened again
            if not SealedFile.objects.filter(project=project, key=made).exists():
                destroy([key_path(project.id, "release", made)])
        raise


def _report(found: Assembled, findings: list[file_check.Finding]) -> dict[str, Any]:
    """Say what is in a release: counts and names of columns, never a value."""
    made = found.made
    revealing = telling.telling_columns(made.table, made.sensitive)
    findings += [
        file_check.Finding(name, kind, cells)
        for name, kinds in revealing.items()
        for kind, cells in kinds
    ]
    return {
        "rows": made.table.num_rows,
        "persons": len(made.table.column(table.PERSON).unique()),
        "columns": made.table.column_names,
        "coarse": list(made.coarse),
        "databases": _counts(made.table.column(table.DATABASE)),
        "linked": _counts(made.table.column(table.LINKED)),
        "compared": [each.written() for each in found.compared],
        "anonymity": _written(found.anonymity),
        "joint": _written(found.joint),
        "findings": [_with_remedies(made, each) for each in findings],
    }


def _written(groups: table.Anonymity | None) -> dict[str, Any] | None:
    return {"k": groups.k, "l": groups.l, "values": groups.values} if groups else None


def _with_remedies(made: table.Release, finding: file_check.Finding) -> dict[str, Any]:
    """Say of a finding how the column could be coarsened, and whether its cells can be blanked."""
    written: dict[str, Any] = asdict(finding)
    if finding.column in made.sensitive:
        written["ways"] = telling.ways_of(telling.value_counts(made.table, finding.column))
    return written


def _counts(column: pa.ChunkedArray) -> dict[str, int]:
    values, counts = np.unique(column.to_numpy(), return_counts=True)
    return dict(zip(map(str, values), counts.tolist(), strict=True))


def _kept(
    linkage: Linkage, choices: Choices, report: dict[str, Any], account: Account | None
) -> Release:
    now = timezone.now()
    return Release(
        project=linkage.project,
        linkage=linkage,
        number=next_number(linkage.project.releases),
        state=state_of(report, choices),
        created=now,
        account=account,
        choices=choices.written(),
        report=report,
        expires=today(now) + timedelta(days=choices.term),
    )


def _tell(made: Release, actor: Actor) -> None:
    digests = digests_of(made.project)
    found = sum(each["count"] for each in made.report["findings"])
    told = Released(
        release=made.number,
        linkage=made.linkage.number,
        rows=made.report["rows"],
        columns=tuple(made.report["columns"]),
        blocked=found + len(barriers(made.report, kept_choices(made.choices))),
        state=made.state,
        digest=digests.release(made),
        files=digests.release_files(made),
        coverage=digests.files(made.coverage),
    )
    append(made.project, at=made.created, actor=actor.name, events=[told])
