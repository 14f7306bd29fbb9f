"""Small databases, and such as are made of near-copies of one person: a second person confirms."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import UUID

from django.utils import timezone
from numpy.typing import NDArray

from mindfirl.core.errors import DatabaseUnconfirmed, SecondPersonNeeded, SettingError
from mindfirl.core.ledger.events import DatabaseConfirmed
from mindfirl.core.policy import Actor, check_may
from mindfirl.core.values.schema import Schema
from mindfirl.engine.separation.near_copies import is_made_of_near_copies
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import Account, Project, Upload
from mindfirl.workspace.commits import commit, read_reason


def confirm_upload(
    *, project: Project, actor: Actor, account: Account, upload: UUID, reason: str
) -> None:
    """Confirm a database that somebody else has uploaded, with a reason that the ledger keeps."""
    check_may(actor, "confirm data")
    words = read_reason(reason)
    with commit(ledger=project):
        found = Upload.objects.select_for_update().filter(project=project, id=upload).first()
        if found is None:
            raise SettingError("This file is no longer there. Look at the page again.")
        if found.by_id == account.pk:
            raise SecondPersonNeeded("You uploaded this file. Another manager has to confirm it.")
        found.confirmed_by = account
        found.save(update_fields=["confirmed_by"])
        record_confirmation(project, found.database, words, actor=str(account.pk))


def record_confirmation(project: Project, database: str, reason: str, *, actor: str) -> None:
    told = DatabaseConfirmed(database, reason)
    append(project, at=timezone.now(), actor=actor, events=[told])


def doubtful_databases(
    project: Project, codes: Mapping[str, Sequence[NDArray[Any]]], schema: Schema
) -> dict[str, str]:
    """Return why databases need a second person: by name, as a sentence with figures."""
    if project.synthetic:
        return {}
    found = {}
    for name, each in codes.items():
        records = len(each[0])
        if records < project.fewest_records:
            found[name] = f"has {records:,} records, fewer than {project.fewest_records:,}"
        elif is_made_of_near_copies(each, schema):
            found[name] = "has many records that are nearly one person"
    return found


def check_confirmed(doubtful: Mapping[str, str], confirmed: Sequence[str]) -> None:
    for name, why in doubtful.items():
        if name not in confirmed:
            raise DatabaseUnconfirmed(name, why)
