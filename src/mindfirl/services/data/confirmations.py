"""Small databases, and such as are made of near-copies of one person: a second person confirms."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from django.utils import timezone
from numpy.typing import NDArray

from mindfirl.core.errors import DatabaseUnconfirmed, SecondPersonNeeded, SettingError
from mindfirl.core.ledger.events import DatabaseConfirmed
from mindfirl.core.policy import Actor, check_may
from mindfirl.core.values.schema import Schema
from mindfirl.engine.separation.near_copies import is_made_of_near_copies
from mindfirl.store.ledger.writer import append, entries_about_project, written
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
            raise SettingError("This file no longer exists. Reload the page.")
        if found.by_id == account.pk:
            raise SecondPersonNeeded("You uploaded this file. Another manager must confirm it.")
        found.confirmed_by = account
        found.save(update_fields=["confirmed_by"])
        record_confirmation(project, found.database, words, actor=str(account.pk))


def confirmed_databases(project: Project, uploads: Sequence[Upload]) -> list[str]:
    """Name the databases whose confirmation is in the ledger, by whom the file says, since it came.

    Files that wait are in no verification: a name beside one, written into the database, is none.
    """
    waiting = {
        (each.database, str(each.confirmed_by_id)): written(each.received)
        for each in uploads
        if each.confirmed_by_id not in (None, each.by_id)
    }
    told = (
        (entry.event.database, entry.actor)
        for entry in (entries_about_project(project) if waiting else ())
        if isinstance(entry.event, DatabaseConfirmed)
        and entry.at >= waiting.get((entry.event.database, entry.actor), _NEVER)
    )
    return [database for database, _by in dict.fromkeys(told)]


_NEVER: Final = "9999"
"""After every time of an entry."""


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


def check_not_made_alike(
    before: Iterable[tuple[str, Sequence[NDArray[Any]], Schema]],
    now: Mapping[str, Sequence[NDArray[Any]]],
    schema: Schema,
) -> None:
    """Refuse a correction that makes a stored database one of near-copies: nobody confirmed it."""
    for name, codes, earlier in before:
        if is_made_of_near_copies(now[name], schema) and not is_made_of_near_copies(codes, earlier):
            raise SettingError(
                f"With these columns, the database {name} has many records that are nearly one "
                f"person. It could consist of guesses about a few people, so it cannot be "
                f"corrected from stored values. Import its file again with this schema: then "
                f"another manager can confirm it."
            )
