"""Files that come in by the browser, and what their columns are to be.

A file is sealed while it streams in. Its columns are looked at by the runner, corrected by people,
and then imported by the runner; from that commit on, nothing of this stage is left.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import PureWindowsPath
from typing import Any, Final
from uuid import UUID

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from mindfirl.core.errors import Busy, DataError, SettingError, TooLarge, UnreadableColumn
from mindfirl.core.policy import Actor, check_may
from mindfirl.engine.reading.file_options import FileOptions, FileReading
from mindfirl.engine.reading.open_source import check_ending
from mindfirl.engine.schema.column_profile import ColumnProfile
from mindfirl.engine.schema.proposal import check_database_name, database_name_from
from mindfirl.engine.schema.schema_file import SchemaFile, write_schema
from mindfirl.store.changes import held_project
from mindfirl.store.models import Account, ColumnsDraft, Job, Project, Upload
from mindfirl.store.vault import sealed_uploads

DATABASE: Final = "database"
PAIRS: Final = "pairs"
ANSWERS: Final = "answers"
TRUTH: Final = "truth"
_ONE_AT_A_TIME: Final = (PAIRS, ANSWERS, TRUTH)
"""What a project has one uploaded file of: a newer one takes its place."""
_LONGEST_NAME: Final = 255


def receive(
    *,
    project: Project,
    actor: Actor,
    account: Account | None,
    file_name: str,
    chunks: Iterable[bytes],
    database: str = "",
    purpose: str = DATABASE,
) -> Upload:
    """Seal a file while it streams in; a stream that breaks off leaves nothing behind.

    A database is called like its file unless it is given a name. Scored pairs and known answers
    replace those that wait from before.
    """
    with receiving(
        project=project,
        actor=actor,
        account=account,
        file_name=file_name,
        database=database,
        purpose=purpose,
    ) as coming:
        for chunk in chunks:
            coming.take(chunk)
    return coming.upload


@dataclass(frozen=True, slots=True)
class Coming:
    upload: Upload
    sealing: sealed_uploads.Sealing

    def take(self, chunk: bytes) -> None:
        self.sealing.write(chunk)
        if self.sealing.size > settings.UPLOAD_LIMIT:
            raise TooLarge(settings.UPLOAD_LIMIT)


@contextmanager
def receiving(
    *,
    project: Project,
    actor: Actor,
    account: Account | None,
    file_name: str,
    database: str = "",
    purpose: str = DATABASE,
) -> Iterator[Coming]:
    """Take in a file whose bytes somebody hands on; it is there when the context ends well."""
    check_may(actor, "change data" if purpose == DATABASE else "find pairs")
    called = _plain(file_name)
    check_ending(called)
    upload = Upload(
        project=project,
        by=account,
        purpose=purpose,
        database=_name(database, called) if purpose == DATABASE else "",
        file_name=called,
    )
    _check_name_is_free(upload)
    with sealed_uploads.sealing(upload) as sealing:
        yield Coming(upload, sealing)
        if not sealing.size:
            raise DataError("the file is empty.", "Give a file with a header.", file=called)
        sealing.finish()
        replaced = _record(upload)
    sealed_uploads.remove(project.id, replaced)


def remove(*, project: Project, actor: Actor, upload: UUID) -> None:
    """Take an uploaded file away, unless work on the project may be reading it."""
    check_may(actor, "change data")
    with _waiting_upload(project, upload) as found:
        if found:
            found.delete()
    sealed_uploads.remove(project.id, [upload])


def change_reading(
    *, project: Project, actor: Actor, upload: UUID, database: str, options: FileOptions
) -> None:
    """Say how a file is to be read, and what its database is called; it stays as it was sealed.

    What is read then is another table: whoever confirmed the earlier one has not seen it.
    """
    check_may(actor, "change data")
    with _waiting_upload(project, upload) as found:
        if found is None:
            raise SettingError("This file no longer exists. Reload the page.")
        if options.sheet and options.sheet not in found.reading.get("sheets", ()):
            raise SettingError(
                "No sheet of the workbook has that name. Reload the page, and choose one of its "
                "sheets."
            )
        found.database = _name(database, found.file_name)
        _check_name_is_free(found)
        found.encoding, found.delimiter = options.encoding, options.delimiter
        found.sheet, found.confirmed_by = options.sheet, None
        found.resembles, found.is_another, found.received = "", False, timezone.now()
        found.save()


def say_version(*, project: Project, actor: Actor, upload: UUID, same: bool) -> None:
    """Say that a file is a new version of the database that it resembles, or another database."""
    check_may(actor, "change data")
    with _waiting_upload(project, upload) as found:
        if found is None or not found.resembles:
            raise SettingError("This was already answered. Reload the page.")
        if same:
            found.database, found.confirmed_by = found.resembles, None
            _check_name_is_free(found)
        found.resembles, found.is_another = "", not same
        found.save(update_fields=["database", "confirmed_by", "resembles", "is_another"])


@contextmanager
def _waiting_upload(project: Project, upload: UUID) -> Iterator[Upload | None]:
    """Hold an upload that no work on the project may be reading, until the change is made."""
    with transaction.atomic():
        held_project(project)
        if Job.objects.filter(project=project, state__in=("waiting", "running")).exists():
            raise Busy
        yield Upload.objects.select_for_update().filter(project=project, id=upload).first()


def options_of(upload: Upload) -> FileOptions:
    return FileOptions(upload.encoding, upload.delimiter, upload.sheet)


def keep_reading(upload: Upload, reading: FileReading | None) -> None:
    """Keep how a file was read, so that it can be corrected also where it cannot be read on."""
    kept = asdict(reading) if reading else {}
    Upload.objects.filter(id=upload.id).update(reading=kept)


def uploads_of(project: Project, purpose: str = DATABASE) -> list[Upload]:
    return list(project.uploads.filter(purpose=purpose).order_by("received", "id"))


def forget(taken: Sequence[Upload], *, draft: bool = False) -> None:
    """Forget uploads that became something else, within the commit in which they do."""
    Upload.objects.filter(id__in=[each.id for each in taken]).delete()
    if draft and taken:
        ColumnsDraft.objects.filter(project=taken[0].project_id).delete()


def clear(taken: Sequence[Upload]) -> None:
    """Take the files of forgotten uploads away, after the commit."""
    for each in taken:
        sealed_uploads.remove(each.project_id, [each.id])


def draft_of(project: Project) -> ColumnsDraft:
    found = ColumnsDraft.objects.filter(project=project).first()
    if found is None:
        raise SettingError("The columns are not analysed yet. Upload the files first.")
    return found


def keep_profile(
    *,
    project: Project,
    profiles: Sequence[ColumnProfile],
    schema: SchemaFile | None,
    preview: Mapping[str, Any] | None = None,
    resembled: Mapping[str, str] | None = None,
    also: Callable[[], None],
) -> None:
    """Keep what the columns look like, never a value, and the schema that is proposed, if any."""
    with transaction.atomic():
        held_project(project)
        draft, _ = ColumnsDraft.objects.select_for_update().get_or_create(project=project)
        draft.profile = [asdict(each) for each in profiles]
        draft.schema = write_schema(schema) if schema else ""
        draft.preview, draft.unreadable = dict(preview or {}), []
        for upload in uploads_of(project):
            upload.resembles = (resembled or {}).get(upload.database, "")
            upload.save(update_fields=["resembles"])
        draft.revision += 1
        draft.save()
        also()


def keep_unreadable(project: Project, found: Sequence[UnreadableColumn]) -> None:
    """Keep for which columns an import stopped, so that people can say that they are right."""
    kept = [asdict(each) for each in found]
    ColumnsDraft.objects.filter(project=project).update(unreadable=kept)


def _record(upload: Upload) -> list[UUID]:
    with transaction.atomic():
        sealed_uploads.bind(upload, held_project(upload.project))
        _check_name_is_free(upload)
        earlier = Upload.objects.filter(project=upload.project, purpose=upload.purpose)
        one = upload.purpose in _ONE_AT_A_TIME
        replaced = list(earlier.values_list("id", flat=True)) if one else []
        Upload.objects.filter(id__in=replaced).delete()
        upload.save(force_insert=True)
    return replaced


def _check_name_is_free(upload: Upload) -> None:
    others = Upload.objects.filter(project=upload.project, database=upload.database)
    others = others.exclude(id=upload.id)
    if upload.database and others.exists():
        raise SettingError(
            "A file for a database with that name already exists. Remove that file first, or "
            "choose another name."
        )


def _name(given: str, file_name: str) -> str:
    """Name a database: as it is said, or like its file."""
    if given:
        check_database_name(given, mend="Give it another.")
    return given or database_name_from(PureWindowsPath(file_name).stem)


def _plain(file_name: str) -> str:
    name = "".join(each for each in PureWindowsPath(file_name).name if each.isprintable())
    return name[-_LONGEST_NAME:] or "file"
