"""Create and find projects, say what they are for, and who is in them."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from datetime import date
from typing import Any, Final
from uuid import uuid4

from django.db import IntegrityError
from django.db.models import Sum
from django.utils import timezone

from mindfirl.core.errors import ChangedMeanwhile, FieldErrors, RoleConflict, SettingError
from mindfirl.core.ledger.events import Event
from mindfirl.core.ledger.project_events import MemberAdded, MemberRemoved, RulesSet
from mindfirl.core.policy import (
    PASS_MARKS,
    REVIEWERS,
    ROLES,
    Actor,
    Role,
    check_may,
    check_may_hold,
)
from mindfirl.core.values.schema import one_of
from mindfirl.store.changes import held_project
from mindfirl.store.crypto.keys import create_key, destroy, unused_keys
from mindfirl.store.ledger.digests import new_digest_key, rules_of
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import Account, Membership, Project, Version
from mindfirl.store.queries.access import roles_in
from mindfirl.store.queries.projects import current_version
from mindfirl.workspace.commits import commit

_NAME: Final = re.compile(r"[A-Za-z0-9][A-Za-z0-9._-]{0,79}")
_LONGEST: Final = {"title": 120, "purpose": 4_000, "legal_basis": 4_000, "approval": 120}
_IDLE_MINUTES: Final = range(1, 61)
LEAST_PERSONS: Final = range(5, 10_001)
"""What can be chosen as the fewest persons of a release; with fewer it would protect nobody."""
_KINDS: Final = {"worker": "review", "adjudicator": "adjudication"}
"""The kind of assignment that each role works on."""


@dataclass(frozen=True, slots=True)
class ProjectChanges:
    """What a manager says about a project; ``ends`` is its last day."""

    title: str = ""
    purpose: str = ""
    legal_basis: str = ""
    approval: str = ""
    ends: date | None = None
    managers_may_review: bool = False
    second_person: bool = False
    second_factor: bool = False
    idle_minutes: int = 5
    fewest_records: int = 50
    least_persons: int = 10
    stable_numbers: bool = False
    pass_mark: int = 0


def create_project(
    *,
    name: str,
    actor: Actor,
    account: Account | None = None,
    changes: ProjectChanges | None = None,
    synthetic: bool = False,
) -> Project:
    """Create an empty project; who creates it manages it. Its sensitive key comes with its data.

    ``synthetic`` declares that its people do not exist. That cannot be changed later.
    """
    check_may(actor, "create project")
    if not _NAME.fullmatch(name):
        raise SettingError(
            "A project's name has 1 to 80 letters, digits, dots, hyphens or underscores, and "
            "begins with a letter or digit."
        )
    said = changes or ProjectChanges()
    if wrong := _wrong_texts(said):
        raise FieldErrors(wrong)
    number = uuid4()
    if Project.objects.filter(name=name).exists():
        raise _taken()
    key = create_key(number, "identity")
    try:
        with commit():
            created = Project.objects.create(
                id=number,
                name=name,
                identity_key=key,
                digest_key=new_digest_key(number, key),
                synthetic=synthetic,
                **asdict(said),
            )
            told: list[Event] = [RulesSet(rules_of(created))]
            if account is not None:
                Membership.objects.create(project=created, account=account, role="manager")
                told.append(MemberAdded(str(account.pk), "manager"))
            append(created, actor=actor.name, events=told)
            return created
    except IntegrityError:
        destroy(unused_keys(number, used=()))
        raise _taken() from None


def change_project(
    *, project: Project, actor: Actor, revision: int, changes: ProjectChanges
) -> Project:
    """Save what a project is for, unless somebody else changed it since it was looked at."""
    check_may(actor, "change project")
    with commit(ledger=project):
        locked = held_project(project)  # its roles stay
        wrong = _wrong_fields(locked, changes)
        lowered = changes.fewest_records < locked.fewest_records
        if lowered and "administrator" not in actor.standings:
            wrong["fewest_records"] = (
                f"Only an administrator can lower this. Enter {locked.fewest_records:,} or more."
            )
        if wrong:
            raise FieldErrors(wrong)
        if locked.revision != revision:
            raise ChangedMeanwhile
        Project.objects.filter(pk=project.pk).update(revision=revision + 1, **asdict(changes))
        changed = Project.objects.get(pk=project.pk)
        if rules_of(changed) != rules_of(locked):
            append(changed, actor=actor.name, events=[RulesSet(rules_of(changed))])
    return changed


def archive(*, project: Project, actor: Actor, archived: bool) -> None:
    """Leave a project out of the list of projects, or list it again."""
    check_may(actor, "archive project")
    Project.objects.filter(pk=project.pk).update(archived=archived)


def add_member(*, project: Project, actor: Actor, account: Account, role: Role) -> None:
    check_may(actor, "manage members")
    one_of("role", role, ROLES)
    with commit(ledger=project):
        locked = held_project(project)
        if not Account.objects.filter(pk=account.pk, is_active=True).exists():
            raise FieldErrors(
                {"account": "This account is disabled. Ask the administrator to enable it."}
            )
        held = roles_in(account, locked)
        try:
            check_may_hold(role, held, managers_may_review=locked.managers_may_review)
        except RoleConflict as error:
            raise FieldErrors({"role": str(error)}) from None
        _made, is_new = Membership.objects.get_or_create(project=locked, account=account, role=role)
        if is_new:
            append(locked, actor=actor.name, events=[MemberAdded(str(account.pk), role)])


def remove_member(*, project: Project, actor: Actor, account: Account, role: Role) -> None:
    check_may(actor, "manage members")
    with commit(ledger=project):
        locked = held_project(project)
        members = locked.memberships.filter(role=role)
        if role == "manager" and not members.exclude(account=account).exists():
            raise SettingError(
                "This is the only manager of the project. Add another manager first."
            )
        open_work = locked.assignments.filter(account=account, state__in=("open", "paused"))
        if role in REVIEWERS and open_work.filter(kind=_KINDS[role]).exists():
            raise SettingError(
                "This person has an unfinished assignment. End it or reassign its pairs first."
            )
        if members.filter(account=account).delete()[0]:
            append(locked, actor=actor.name, events=[MemberRemoved(str(account.pk), role)])


def project_named(name: str) -> Project:
    found = Project.objects.filter(name=name).first()
    if found is None:
        raise SettingError(
            "There is no project with that name. mindfirl project list shows all projects; "
            "mindfirl project create NAME creates one."
        )
    return found


def all_projects() -> list[Project]:
    return list(Project.objects.order_by("name"))


def describe(project: Project) -> dict[str, Any]:
    latest = current_version(project)
    return {
        "name": project.name,
        "created": project.created.isoformat(),
        "closed": project.closed.isoformat() if project.closed else None,
        "shredded": project.shredded.isoformat() if project.shredded else None,
        "version": _described(latest) if latest else None,
    }


def _wrong_fields(project: Project, changes: ProjectChanges) -> dict[str, str]:
    wrong = _wrong_texts(changes)
    if changes.stable_numbers != project.stable_numbers and project.releases.exists():
        wrong["stable_numbers"] = (
            "This can no longer be changed, because the project has a release. Create another "
            "project for the other kind of numbers."
        )
    if not changes.managers_may_review and _managers_review(project):
        wrong["managers_may_review"] = (
            "A person is both manager and reviewer in this project. Remove one of the roles first."
        )
    return wrong


def _wrong_texts(changes: ProjectChanges) -> dict[str, str]:
    wrong = {
        field: f"This has {len(getattr(changes, field)):,} characters. Shorten it to {longest:,}."
        for field, longest in _LONGEST.items()
        if len(getattr(changes, field)) > longest
    }
    for field in _LONGEST:
        if "\0" in getattr(changes, field):
            wrong[field] = "This contains a character that cannot be stored. Type it again."
    if changes.fewest_records < 1:
        wrong["fewest_records"] = "Enter a whole number of records, 1 or more."
    if changes.idle_minutes not in _IDLE_MINUTES:
        wrong["idle_minutes"] = "Enter a whole number of minutes from 1 to 60."
    if changes.least_persons not in LEAST_PERSONS:
        wrong["least_persons"] = "Enter a whole number from 5 to 10,000."
    if changes.pass_mark not in PASS_MARKS:
        wrong["pass_mark"] = f"Enter a whole number from 0 to {PASS_MARKS[-1]}."
    if changes.ends and changes.ends < timezone.localdate():
        wrong["ends"] = "This day is in the past. Enter today or a later day."
    return wrong


def _managers_review(project: Project) -> bool:
    reviewing = project.memberships.filter(role__in=REVIEWERS).values("account")
    return project.memberships.filter(role="manager", account__in=reviewing).exists()


def _described(version: Version) -> dict[str, Any]:
    members = version.members.select_related("database")
    return {
        "number": version.number,
        "created": version.created.isoformat(),
        "records": version.records,
        "index_digest": version.index_digest,
        "size": version.project.files.aggregate(size=Sum("size"))["size"],
        "schema": version.schema,
        "databases": [
            {
                "name": member.database.name,
                "records": member.database.records,
                "imported": member.database.imported.isoformat(),
                "without_duplicates": member.database.without_duplicates,
                "report": member.database.report,
            }
            for member in members
        ],
    }


def _taken() -> SettingError:
    return SettingError("A project with that name already exists. Choose another name.")
