"""Releases and labels handed over: after the password, and recorded before the first byte leaves.

Nobody gets both a release and the crosswalk to it.
"""

from __future__ import annotations

from dataclasses import dataclass
from io import BytesIO
from typing import Final

from django.http import HttpRequest
from django.utils import timezone

from mindfirl.core.errors import FieldErrors, SettingError
from mindfirl.core.ledger.events import HandedOver
from mindfirl.core.policy import Actor, check_may
from mindfirl.engine.release import FORMS, Form, write
from mindfirl.store import accounts, vault
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import Account, Handover, Project, Release, SealedFile
from mindfirl.store.queries.projects import CROSSWALK, DATA, is_over
from mindfirl.workspace.commits import commit

TYPES: Final[dict[Form, str]] = {
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}

_OVER: Final = "The term of this release is over, or it was deleted. Make another one."


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Handed:
    """A file for somebody: what it is called, of which type it is, and what is in it."""

    name: str
    type: str
    content: BytesIO


def download(
    *,
    request: HttpRequest,
    release: Release,
    actor: Actor,
    account: Account,
    password: str,
    form: Form,
) -> Handed:
    check_may(actor, "download release")
    check_open(release, account)
    check_own_password(request, account, password)
    return _handed(release, actor, account, form)


def take(*, release: Release, actor: Actor, form: Form) -> Handed:
    """Give a release to whoever runs commands on the machine; that is recorded, too."""
    check_may(actor, "download release")
    check_open(release, None)
    return _handed(release, actor, None, form)


def check_open(release: Release, account: Account | None) -> None:
    """Refuse a release that nobody may have (now), or not this person."""
    if release.state == "deleted" or is_over(release, timezone.now()):
        raise SettingError(_OVER)
    if release.state == "blocked":
        raise SettingError(
            "The check of this release found what must not leave. Settle that first, or make "
            "another release."
        )
    if account and release.handovers.filter(account=account, what=CROSSWALK).exists():
        raise SettingError(
            "You have the crosswalk to this release, and nobody may have both. Somebody else can "
            "download it, or you another release."
        )


def data_of(release: Release) -> SealedFile:
    return _file(release.data_id)


def numbers_of(release: Release) -> SealedFile:
    """Return which record has which number in a release that was not deleted meanwhile."""
    return _file(release.numbers_id)


def _file(number: int | None) -> SealedFile:
    found = SealedFile.objects.filter(pk=number).first() if number else None
    if found is None:
        raise SettingError(_OVER)
    return found


def check_own_password(request: HttpRequest, account: Account, password: str) -> None:
    """Refuse who does not know the password of the account; wrong ones count as accounts."""
    if not accounts.check_guess(
        request, username=account.username, evaluate=lambda: account.check_password(password)
    ):
        wrong = "This is not your password. Type the one you sign in with."
        raise FieldErrors({"password": wrong})


def record(
    release: Release, *, actor: Actor, account: Account | None, person: str, what: str
) -> None:
    """Record, within a transaction that holds the ledger, that somebody gets something."""
    now = timezone.now()
    Handover.objects.create(release=release, account=account, what=what, at=now)
    told = HandedOver(release.number, what, person)
    append(release.project, at=now, actor=actor.name, events=[told])


def tell(project: Project, *, actor: Actor, what: str) -> None:
    with commit(ledger=project):
        told = HandedOver(0, what, actor.name)
        append(project, at=timezone.now(), actor=actor.name, events=[told])


def _handed(release: Release, actor: Actor, account: Account | None, form: Form) -> Handed:
    """Open a release and write it; record who gets it, if it may still be had then."""
    if form not in FORMS:
        raise FieldErrors({"form": "Choose CSV or Parquet."})
    content = BytesIO()
    write(vault.unseal(data_of(release)), content, form)
    content.seek(0)
    with commit(ledger=release.project):
        found = Release.objects.select_related("project").get(pk=release.pk)
        check_open(found, account)
        record(found, actor=actor, account=account, person=actor.name, what=DATA)
    name = f"{release.project.name}-release-{release.number}.{form}"
    return Handed(name, TYPES[form], content)
