"""What leaves: releases, crosswalks to them, labels; recorded before the first byte does.

Nobody gets both a release and the crosswalk to it, which needs the sensitive key and is sealed for
one person alone. Where person numbers stay within a project, nobody gets both any release of it and
a crosswalk to any. Labels name records by their ids, so they identify.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator
from dataclasses import dataclass
from io import BytesIO, StringIO
from typing import BinaryIO, Final

from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils import timezone

from mindfirl.core.errors import BackupBroken, FieldErrors, SettingError
from mindfirl.core.ledger.events import HandedOver
from mindfirl.core.policy import Actor, check_may
from mindfirl.engine.release.formulas import escape_formula
from mindfirl.engine.release.release_files import FORMS, Form, Label, write, write_labels
from mindfirl.engine.separation.separate import RECORD
from mindfirl.services.release.assembly import NUMBER
from mindfirl.services.release.coverage import handed_over
from mindfirl.store import vault
from mindfirl.store.accounts import check_own_password
from mindfirl.store.crypto.envelope import Key, Lock, seal, unseal
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import Account, Handover, Project, Release, SealedFile, Version
from mindfirl.store.queries.projects import CROSSWALK, DATA, LABELS, current_version, is_over
from mindfirl.store.queries.votes import Votes, resolution_of
from mindfirl.workspace.carried_votes import votes_in
from mindfirl.workspace.commits import commit
from mindfirl.workspace.open_version import open_version
from mindfirl.workspace.verification.before_leaving import check_what_decides

TYPES: Final[dict[Form, str]] = {
    "csv": "text/csv; charset=utf-8",
    "parquet": "application/vnd.apache.parquet",
}

_OVER: Final = "This release has expired or was deleted. Create another one."


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Handed:
    name: str
    type: str
    content: BytesIO


def _file_name(project: Project, what: str) -> str:
    """Name a file after its project; one about people who do not exist says so, wherever it is."""
    return f"{project.name}-synthetic-{what}" if project.synthetic else f"{project.name}-{what}"


def download(
    *,
    request: HttpRequest,
    release: Release,
    actor: Actor,
    account: Account,
    password: str,
    form: Form | str,
) -> Handed:
    check_may(actor, "download release")
    check_open(release, account)
    check_own_password(request, account, password)
    return _handed(release, actor, account, form)


def take(*, release: Release, actor: Actor, form: Form | str) -> Handed:
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
            "This release is blocked by its check. Settle the findings first, or create another "
            "release."
        )
    check_compared(release)
    if account and _numbered_alike(release).filter(account=account, what=CROSSWALK).exists():
        if release.project.stable_numbers:
            raise SettingError(
                "You have a crosswalk of this project, and its person numbers stay the same. "
                "Nobody can have both. Another person can download the release."
            )
        raise SettingError(
            "You have the crosswalk of this release. Nobody can have both. Another person can "
            "download this release, or you can download another one."
        )


def _numbered_alike(release: Release) -> QuerySet[Handover]:
    """Return what was handed over of all releases in which persons have the same numbers."""
    if release.project.stable_numbers:
        return Handover.objects.filter(release__project=release.project_id)
    return Handover.objects.filter(release=release)


def check_compared(release: Release) -> None:
    """Refuse a release that was made before another one was handed over.

    It was not compared with that one: together they could tell what a few persons hold.
    """
    if release.handovers.filter(what=DATA).exists():
        return
    known = {each["release"] for each in release.report["compared"]}
    others = {each.number for each in handed_over(release.project, but=release.number)}
    if missing := sorted(others - known):
        raise SettingError(
            f"Release {missing[0]} was downloaded after this one was created, so the two were "
            f"never compared. Create this release again."
        )


def _file(number: int | None) -> SealedFile:
    """Return a file of a release that was not deleted meanwhile."""
    found = SealedFile.objects.filter(pk=number).first() if number else None
    if found is None:
        raise SettingError(_OVER)
    return found


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
        check_what_decides(project)
        told = HandedOver(0, what, actor.name)
        append(project, at=timezone.now(), actor=actor.name, events=[told])


CHANGES: Final = "changes"
"""The form in which somebody gets which person numbers of earlier releases merged and split."""


def _handed(release: Release, actor: Actor, account: Account | None, form: Form | str) -> Handed:
    """Open a release and write it; record who gets it, if it may still be had then."""
    of_changes = form == CHANGES and release.changes_id is not None
    written: Form | str = "csv" if of_changes else form
    if written not in FORMS:
        raise FieldErrors({"form": "Choose CSV or Parquet."})
    file = release.changes_id if of_changes else release.data_id
    content = BytesIO()
    write(vault.unseal(_file(file)), content, written)
    content.seek(0)
    with commit(ledger=release.project):
        check_what_decides(release.project)
        found = Release.objects.select_related("project").get(pk=release.pk)
        check_open(found, account)
        record(found, actor=actor, account=account, person=actor.name, what=DATA)
    called = f"release-{release.number}{'-changes' if of_changes else ''}.{written}"
    name = _file_name(release.project, called)
    return Handed(name, TYPES[written], content)


MAGIC: Final = b"mindfirl crosswalk 1\n"
"""How every sealed crosswalk begins."""

HEADER: Final = ("database", "record_id", "person")
_CHUNK: Final = 1 << 20


def give_crosswalk(*, release: Release, actor: Actor, to: Account, lock: Lock) -> Handed:
    """Make the crosswalk to a release for somebody, sealed; record that before it leaves."""
    check_may(actor, "give crosswalk")
    _check_crosswalk(release, to)
    content = BytesIO()
    sealing = seal(content, lock, magic=MAGIC)
    for line in _lines(release):
        sealing.write(line.encode())
    sealing.finish()
    content.seek(0)
    with commit(ledger=release.project):
        check_what_decides(release.project)
        found = Release.objects.select_related("project").get(pk=release.pk)
        _check_crosswalk(found, to)
        record(found, actor=actor, account=to, person=str(to.pk), what=CROSSWALK)
    name = _file_name(release.project, f"release-{release.number}.crosswalk")
    return Handed(name, "application/octet-stream", content)


def open_crosswalk(file: BinaryIO, key: Key) -> Iterator[bytes]:
    try:
        opened = unseal(file, key, magic=MAGIC)
        while piece := opened.read(_CHUNK):
            yield piece
    except BackupBroken as error:
        raise SettingError(f"The crosswalk {error.reason}.") from None


def _check_crosswalk(release: Release, to: Account) -> None:
    check_open(release, None)
    if _numbered_alike(release).filter(account=to, what=DATA).exists():
        if release.project.stable_numbers:
            raise SettingError(
                "This person has downloaded a release of this project, and its person numbers "
                "stay the same. Nobody can have both. Name another person."
            )
        raise SettingError(
            "This person has downloaded this release. Nobody can have both. Name another person, "
            "or create another release."
        )


def _lines(release: Release) -> Iterator[str]:
    yield line_of(HEADER)
    numbers = vault.unseal(_file(release.numbers_id)).column(NUMBER)
    for member in release.linkage.version.members.select_related("database__identity"):
        database = member.database
        ids = vault.unseal(database.identity, [RECORD]).column(RECORD).to_pylist()
        here = numbers.slice(member.first, database.records).to_pylist()
        for record_id, number in zip(ids, here, strict=True):
            if number is not None:
                yield line_of((database.name, record_id, number))


def line_of(cells: tuple[str, ...]) -> str:
    text = StringIO(newline="")
    csv.writer(text).writerow(map(escape_formula, cells))
    return text.getvalue()


_SAME, _DIFFERENT, _UNSURE = 1.0, 0.0, 0.5


def export_labels(
    *, request: HttpRequest, project: Project, actor: Actor, account: Account, password: str
) -> Handed:
    check_may(actor, "export labels")
    check_own_password(request, account, password)
    return take_labels(project=project, actor=actor)


def take_labels(*, project: Project, actor: Actor) -> Handed:
    """Give the decisions of a project, in Splink's form, to whoever may have them.

    Pairs that are settled are 1 or 0; those of which people cannot tell, 0.5. On the others there
    is no word yet.
    """
    check_may(actor, "export labels")
    version = current_version(project)
    labels = sorted(_labels(version)) if version else []
    if not version or not labels:
        raise SettingError("No pairs of this project are decided yet.")
    content = BytesIO()
    write_labels(content, open_version(version).record_ids(), labels)
    content.seek(0)
    tell(project, actor=actor, what=LABELS)
    return Handed(_file_name(project, "labels.csv"), TYPES["csv"], content)


def labels_of(project: Project) -> int:
    version = current_version(project)
    return sum(1 for _ in _labels(version)) if version else 0


def _labels(version: Version) -> Iterator[Label]:
    for (left, right), votes in votes_in(version).items():
        score = _score(votes)
        if score is not None:
            yield left, right, score


def _score(votes: Votes) -> float | None:
    """Say what people hold of a pair, once all its reviews are there or somebody settled it."""
    found = resolution_of(votes)
    if found.outcome == "open":
        return _UNSURE if found.why == "cannot tell" else None
    return _SAME if found.outcome == "link" else _DIFFERENT
