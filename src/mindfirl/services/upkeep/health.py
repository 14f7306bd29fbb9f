"""What is wrong with an installation, the leftovers of work that was cut off, and new keys."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Final

from django.apps import apps
from django.conf import settings
from django.db import DatabaseError, connection
from django.utils import timezone

from mindfirl.core.errors import Busy, LedgerBroken, LedgerDiffers, MindfirlError, VaultShredded
from mindfirl.core.ledger.project_events import KeysRotated
from mindfirl.core.policy import COMMAND_LINE
from mindfirl.store import vault
from mindfirl.store.crypto import keys
from mindfirl.store.disk import locked, runner_lives
from mindfirl.store.faults import fault_point
from mindfirl.store.ledger.digests import reseal_digest_key
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import Job, Project, SealedFile, Version
from mindfirl.store.vault import sealed_comments, sealed_uploads
from mindfirl.workspace.commits import commit
from mindfirl.workspace.verification.ledger_verification import verify_or_alarm

_LEAST_SPACE: Final = 1 << 30
_ENOUGH_SPACE: Final = 10 << 30
_LEAST_SHARE: Final = 20
"""Space is short below a 20th of the disk, but not above 10 GiB, and always below 1 GiB."""


@dataclass(frozen=True, slots=True)
class Problem:
    project: str
    words: str
    mended: bool = False


def examine_machine() -> list[Problem]:
    """Look at what surrounds the data: the folders, who may read them, and the space left."""
    folders = (("data", Path(settings.MINDFIRL_HOME)), ("key", Path(settings.MINDFIRL_KEYS)))
    words = [each for name, folder in folders for each in _folder_faults(name, folder)]
    return [Problem("(installation)", each) for each in (*words, *_space_faults())]


def examine(*, mend: bool = True) -> list[Problem]:
    """Look for damaged files, missing keys and leftovers, project by project.

    Leftovers are removed only where all that the database knows is in its place: else it may be
    an older database that does not know its newest files and keys.
    """
    found = [Problem("(database)", words) for words in _database_damage()]
    if found:
        return found
    found += [
        problem
        for project in Project.objects.order_by("name")
        for problem in _examine(project, mend=mend)
    ]
    known = {str(project) for project in Project.objects.values_list("id", flat=True)}
    folders = (Path(settings.MINDFIRL_HOME) / "vault").glob("*")
    unknown = [folder for folder in folders if folder.name not in known]
    if unknown:
        words = (
            f"{len(unknown)} folders of the vault belong to projects that are not in the database."
        )
        found.append(Problem("(no project)", words))
    return found + [Problem("(installation)", words) for words in _work_faults()]


def _folder_faults(name: str, folder: Path) -> Iterator[str]:
    if not folder.is_dir():
        yield f"the {name} folder does not exist. Check MINDFIRL_HOME and MINDFIRL_KEYS."
    elif folder.stat().st_mode & 0o077:
        yield (
            f"other users can read the {name} folder. Remove their permissions: chmod go= "
            f"{name.upper()}FOLDER."
        )


def _space_faults() -> Iterator[str]:
    try:
        disk = shutil.disk_usage(settings.MINDFIRL_HOME)
    except OSError:
        return
    if disk.free < max(_LEAST_SPACE, min(disk.total // _LEAST_SHARE, _ENOUGH_SPACE)):
        yield (
            f"the disk of the data folder is nearly full: {disk.free >> 20:,} MiB are left. "
            f"Free some space before importing more."
        )


def _work_faults() -> Iterator[str]:
    waiting = Job.objects.filter(state__in=["waiting", "running"]).count()
    if waiting and not runner_lives():
        yield f"{waiting} jobs are waiting, but the runner is not running. Run mindfirl serve."
    ahead = timezone.now() + timedelta(hours=1)
    if any(model.objects.filter(created__gt=ahead).exists() for model in (Project, Version, Job)):
        yield (
            "there are jobs with a time in the future: the clock of this machine was set back or "
            "is wrong. Second factors, links and due dates depend on it. Correct the clock."
        )


def _database_damage() -> Iterator[str]:
    words = "it is damaged. Restore it from a backup."
    try:
        if connection.vendor == "sqlite":
            with connection.cursor() as cursor:
                if cursor.execute("PRAGMA integrity_check").fetchall() != [("ok",)]:
                    yield words
        for model in apps.get_app_config("store").get_models():
            for _ in model._default_manager.values_list():  # noqa: SLF001  # Django's way
                pass
    except DatabaseError:
        yield words


def rotate_keys(*, project: Project) -> int:
    with locked(project.id), vault.staging(project.id) as sealed:
        project.refresh_from_db()
        if project.shredded:
            raise VaultShredded
        files = list(vault.kept_files(project.id).select_related("project"))
        for side, name in _key_names(project):
            keys.read_key(project.id, side, name)
        new_keys = {side: keys.create_key(project.id, side) for side, _ in _key_names(project)}
        for file in files:
            sealed.append(vault.reseal(file, new_keys))
        old = [file.name for file in files]
        with commit(ledger=project):  # nobody writes a comment under the old key meanwhile
            Project.objects.select_for_update().get(pk=project.pk)  # nor records an upload
            told = KeysRotated(_digests(files, sealed))
            append(project, actor=COMMAND_LINE.name, events=[told])
            if "identity" in new_keys:
                project.digest_key = reseal_digest_key(project, new_keys["identity"])
                sealed_comments.reseal(project, new_keys["identity"])
                sealed_uploads.reseal(project, new_keys["identity"])
            for file, new in zip(files, sealed, strict=True):
                vault.replace(file, new)
            project.identity_key, project.sensitive_key = (
                new_keys.get(side, "") for side in keys.SIDES
            )
            project.save(update_fields=["identity_key", "sensitive_key", "digest_key"])
        vault.remove(project.id, old)
        keys.destroy(keys.unused_keys(project.id, _used_keys(project)))
    fault_point("before answer")
    return len(old)


def _digests(
    before: Sequence[SealedFile], after: Sequence[SealedFile]
) -> tuple[tuple[str, str], ...]:
    return tuple((one.digest, other.digest) for one, other in zip(before, after, strict=True))


def tidy(*, project: Project) -> None:
    """Remove the leftovers of work on a project that was cut off, as the doctor would.

    That files and keys are there is all that is looked at, so it takes no time.
    """
    with suppress(Busy), locked(project.id):
        project.refresh_from_db()
        if all(path.is_file() for path in _known(project)):
            list(_leftovers(project, mend=True))


def _known(project: Project) -> Iterator[Path]:
    for side, name in _key_names(project):
        yield keys.key_path(project.id, side, name)
    for file in vault.kept_files(project.id):
        yield vault.path_of(project.id, file.name)
    for upload in project.uploads.values_list("id", flat=True):
        yield vault.upload_path(project.id, upload)


def _key_names(project: Project) -> list[tuple[keys.Side, str]]:
    """Name the keys that a project has; the sensitive one is made by its first import."""
    return [(side, name) for side in keys.SIDES if (name := vault.key_name(project, side))]


def _examine(project: Project, *, mend: bool) -> Iterator[Problem]:
    wrong = [Problem(project.name, words) for words in _damage(project)]
    yield from wrong
    try:
        verify_or_alarm(project)
    except (LedgerBroken, LedgerDiffers) as error:
        yield Problem(project.name, str(error))
    if keys.open_to_others(project.id):
        yield Problem(
            project.name,
            "other users can read its keys. Remove their permissions: chmod -R go= KEYFOLDER.",
        )
    try:
        with locked(project.id):
            yield from _leftovers(project, mend=mend and not wrong)
    except Busy:
        words = (
            "other work on it is running, so leftovers were not checked. Run mindfirl doctor again "
            "later."
        )
        yield Problem(project.name, words)


def _damage(project: Project) -> Iterator[str]:
    if project.closed and _key_names(project) and not keys.has_keys(project.id):
        yield (
            "it is closed and all its keys are missing, but their destruction is not recorded. If "
            f"you meant to destroy them, run mindfirl project shred {project.name}; otherwise "
            "restore them."
        )
        return
    checks: list[Callable[[], object]] = [
        *(partial(keys.read_key, project.id, side, name) for side, name in _key_names(project)),
        *(partial(vault.check, file) for file in vault.kept_files(project.id)),
        *(partial(sealed_uploads.check, upload) for upload in project.uploads.order_by("received")),
    ]
    for check in checks:
        try:
            check()
        except MindfirlError as error:
            yield str(error)


def _leftovers(project: Project, *, mend: bool) -> Iterator[Problem]:
    project.refresh_from_db()
    strays, unused = vault.strays(project.id), keys.unused_keys(project.id, _used_keys(project))
    if mend:
        keys.destroy(unused)
        for path in strays:
            path.unlink(missing_ok=True)
    if strays:
        words = f"{len(strays)} files were left by interrupted work."
        yield Problem(project.name, words, mend)
    if unused:
        words = f"{len(unused)} keys are not used."
        yield Problem(project.name, words, mend)


def _used_keys(project: Project) -> set[str]:
    used = {project.identity_key, project.sensitive_key}
    return used | set(project.files.values_list("key", flat=True))
