"""A project with everything in it that a ledger tells of, and changes of any of its tables."""

from __future__ import annotations

import json
import random
import secrets
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import Any
from uuid import UUID, uuid4

from django.db.models import Field, Model
from django.utils import timezone

from mindfirl.core.policy import COMMAND_LINE
from mindfirl.core.review.decisions import Decision
from mindfirl.services.dispatch.dispatches import confirm, dispatch_now, propose
from mindfirl.services.labels import import_labels
from mindfirl.services.projects import add_member
from mindfirl.services.release import handover
from mindfirl.services.report import make_report
from mindfirl.services.review.decisions import decide
from mindfirl.services.review.disclosure.commenting import comment
from mindfirl.store import models
from mindfirl.store.ledger.marks import reset_mark
from mindfirl.store.ledger.writer import head_of, lines
from mindfirl.store.models import Account, Assignment, Project
from tests.support.audited import ATTACKS, Lines, first_change, open_some
from tests.support.exported import Linked, _weighed, make_linked, synthetic
from tests.support.forecasts import keep
from tests.support.snapshots import snapshot

VERDICTS = ("surely the same", "probably the same", "probably different", "surely different")


@snapshot
def make_whole(folder: Path) -> Linked:
    """Import, score, plan, review, link and release; then begin a second review."""
    linked = make_linked(folder, synthetic(40))
    release = linked.release()
    handover.take(release=release, actor=COMMAND_LINE, form="csv")
    auditor = Account.objects.create(username="auditor")
    add_member(project=linked.project, actor=linked.actor, account=auditor, role="auditor")
    ids = [table[0].to_pylist() for table in linked.tables.values()]
    # Pairs that nobody had yet
    given = {*linked.decided, *linked.links}
    other = [pair for pair in zip(ids[0], reversed(ids[1]), strict=False) if pair not in given]
    _weighed(linked.project, folder, dict.fromkeys(other[:20], 0))
    review_again(linked)
    _known_answer(linked, folder, other[-1])
    keep(linked.project)
    make_report(project=linked.project, actor=COMMAND_LINE)
    mark_all(linked.project)
    return linked


def _known_answer(linked: Linked, folder: Path, pair: tuple[str, str]) -> None:
    path = folder / "known.csv"
    path.write_text(f"left,right,answer\n{pair[0]},{pair[1]},same\n", encoding="utf-8")
    import_labels(project=linked.project, actor=COMMAND_LINE, path=path, source="a registry")


def review_again(linked: Linked) -> None:
    """Give more pairs out; open some, decide some, change a mind, and comment."""
    proposed = propose(project=linked.project, actor=linked.actor, account=linked.manager)
    confirmed = confirm(dispatch=proposed, actor=linked.actor, account=linked.manager)
    dispatch_now(dispatch=confirmed)
    mine = open_assignment(linked.project)
    dice = random.Random(3)
    open_some(mine, dice, 8)
    for pair in mine.pairs.order_by("number")[:8]:
        about: dict[str, Any] = {"account": mine.account, "assignment": mine, "token": pair.token}
        decide(**about, decision=Decision("surely the same"), now=timezone.now())
        if pair.number % 2:
            decide(**about, decision=Decision("probably different"), now=timezone.now())
        if pair.number % 3 == 0:
            comment(**about, words="Compare again.", now=timezone.now())


def mark_all(project: Project) -> None:
    """Let the key folder know how far the ledger is: in a test, nothing is ever committed."""
    reset_mark(project.pk, head_of(project))


@dataclass(frozen=True)
class Table:
    """A table that matters: what of its rows, and in which words a change is told."""

    model: type[Model]
    columns: tuple[str, ...]
    words: tuple[str, ...]
    may_add: bool = True
    may_delete: bool = True


TABLES = (
    Table(models.OpenCell, ("attribute", "level", "entry"), ("the open cell",)),
    Table(
        models.AssignedPair,
        ("verdict", "reason", "revision", "decided"),
        ("the latest decision", "the decisions of", "the pairs of"),
    ),
    Table(
        models.AssignedPair,
        ("left", "right", "weight", "origin", "ring", "lower", "token", "withdrawn", "explained"),
        ("the pairs of assignment", "pair", "the decisions of"),
    ),
    Table(models.Revision, ("verdict", "reason", "at", "state"), ("decision",)),
    Table(models.Comment, ("sealed", "at", "number"), ("comment",)),
    Table(models.Plan, ("content", "revision"), ("the plan",), may_add=False),
    Table(models.PlannedPerson, ("budget", "share", "role"), ("the plan",)),
    Table(
        models.Scoring,
        ("lower", "upper", "model", "mode", "pairs"),
        ("the thresholds of version", "the pairs of version"),
        may_add=False,
    ),
    Table(
        models.Assignment,
        (
            *("state", "budget", "limit", "spent", "settings", "attributes", "population"),
            *("size", "due", "kind"),
        ),
        ("assignment",),
    ),
    Table(models.Dispatch, ("state", "plan", "kind"), ("dispatch",)),
    Table(models.KnownAnswer, ("left", "right", "same"), ("labels 1",)),
    Table(models.LabelSet, ("source", "pairs"), ("labels",), may_delete=False),
    Table(models.Membership, ("role",), ("the role",)),
    Table(
        models.Project,
        (
            *("managers_may_review", "second_person", "second_factor", "synthetic"),
            *("idle_minutes", "fewest_records", "least_persons", "pass_mark"),
        ),
        ("the set of rules of the project",),
        may_add=False,
        may_delete=False,
    ),
    Table(models.Linkage, ("report",), ("linkage",), may_add=False),
    Table(models.Release, ("choices", "report", "state", "expires"), ("release",), may_add=False),
    Table(models.Handover, ("what",), ("the handovers of release",)),
    Table(
        models.Version, ("schema", "records", "index_digest"), ("import version",), may_add=False
    ),
    Table(
        models.Database,
        ("name", "records", "without_duplicates"),
        ("import version",),
        may_add=False,
    ),
    Table(models.Forecast, ("content", "pairs", "lower"), ("the forecast",), may_add=False),
    Table(models.Report, ("text",), ("report",)),
    Table(models.LedgerHead, ("entries", "digest", "at", "together"), ("entry",), may_add=False),
    Table(
        models.LedgerLine,
        ("kind", "actor", "made_by", "round", "assignment", "pair", "format", "mac"),
        ("entry",),
    ),
)


def edit(table: Table, dice: random.Random) -> bool:
    """Change one column of one row."""
    row, column = _row(table, dice), dice.choice(table.columns)
    before = getattr(row, column)
    after = other_value(before, dice, column)
    table.model.objects.filter(pk=row.pk).update(**{column: after})  # type: ignore[attr-defined]  # a model has them
    return True


NOT_OF_A_PROJECT = {
    *(models.Account, models.SecondFactor, models.RecoveryCode, models.AccessLink),
    *(models.OpenSession, models.Upload, models.ColumnsDraft, models.Job),
}
"""Accounts, and what passes: no ledger tells of them (SECURITY.md says so)."""
WITHOUT_ROWS = {models.Acceptance, models.PersonRegister}
"""What no row of is in the project."""
FREE = {
    models.Project: {
        *("name", "created", "title", "purpose", "legal_basis", "approval", "ends"),
        *("archived", "revision", "sensitive_key"),
    },
    models.Membership: {"since"},
    models.SealedFile: {"name", "size", "key", "sealed_key"},
    models.Database: {"imported"},
    models.Version: {"created"},
    models.LedgerHead: {"together_mac"},
    models.SignedHead: {"occasion"},
    models.LabelSet: {"at", "left_out"},
    models.Linkage: {"created"},
    models.Release: {"created", "deleted"},
    models.Handover: {"at"},
    models.Report: {"created"},
    models.Scoring: {"created", "remarks"},
    models.Forecast: {"created", "scoring"},
    models.Dispatch: {"proposed", "confirmed"},
    models.Assignment: {"shown", "characters", "created", "ended"},
    models.AssignedPair: {"refused", "flagged"},
}
"""What can be changed without a word of the ledger (SECURITY.md says so): what people read, times
that an entry has, names of files and keys (another is refused when it is opened), and marks that
charge, open and decide nothing."""


def columns_of(model: type[Model]) -> list[Field[Any, Any]]:
    """Return what a row of a table says, apart from its own number."""
    return [each for each in model._meta.concrete_fields if not each.primary_key]  # noqa: SLF001  # documented by Django


def change_column(model: type[Model], field: Field[Any, Any], dice: random.Random) -> bool:
    """Say something else in one column of the newest row, where the database lets that be."""
    row = model.objects.order_by("pk").last()  # type: ignore[attr-defined]  # a model has them
    before = getattr(row, field.attname)
    if field.related_model:
        related: Any = field.related_model
        others = related.objects.exclude(pk=before).values_list("pk", flat=True)
        after = others.first()
    elif before is None:
        kind = field.get_internal_type()
        days = {"DateField": date(2999, 1, 1), "DateTimeField": timezone.now()}
        after = days.get(kind, 12_345)
    else:
        after = uuid4() if isinstance(before, UUID) else other_value(before, dice, field.name)
    model.objects.filter(pk=row.pk).update(**{field.attname: after})  # type: ignore[attr-defined]
    return bool(after != before)


def delete(table: Table, dice: random.Random) -> bool:
    """Take a row away, whatever refers to it."""
    if not table.may_delete:
        return False
    row = _row(table, dice)
    queryset = table.model.objects.filter(pk=row.pk)  # type: ignore[attr-defined]  # a model has them
    return bool(queryset._raw_delete(queryset.db))  # noqa: SLF001  # as SQL does


def add(table: Table, dice: random.Random) -> bool:
    """Add a row like another one, with other numbers where there may be only one of each."""
    if not table.may_add:
        return False
    row = _row(table, dice)
    row.pk = uuid4() if isinstance(row.pk, UUID) else None
    row._state.adding = True  # noqa: SLF001  # documented by Django
    for field in table.model._meta.concrete_fields:  # noqa: SLF001  # documented by Django
        if field.name in ("number", "left"):
            setattr(row, field.attname, getattr(row, field.attname) + 1_000)
        if field.name == "token":
            setattr(row, field.attname, secrets.token_urlsafe(16))
    for column in table.columns[:1]:
        setattr(row, column, other_value(getattr(row, column), dice, column))
    row.save(force_insert=True)
    return True


def exchange(table: Table, dice: random.Random) -> bool:
    """Let two rows exchange what they say in one column."""
    column = dice.choice([each for each in table.columns if each != "token"])
    one, other = _row(table, dice), _row(table, dice)
    if getattr(one, column) == getattr(other, column):
        return False
    for row, value in ((one, getattr(other, column)), (other, getattr(one, column))):
        table.model.objects.filter(pk=row.pk).update(**{column: value})  # type: ignore[attr-defined]  # a model has them
    return True


CHANGES: dict[str, Callable[[Table, random.Random], bool]] = {
    "edit": edit,
    "delete": delete,
    "add": add,
    "exchange": exchange,
}


def _row(table: Table, dice: random.Random) -> Any:
    rows = table.model.objects.order_by("pk")  # type: ignore[attr-defined]  # a model has them
    return rows[dice.randrange(rows.count())]


def other_value(value: Any, dice: random.Random, column: str) -> Any:
    """Say something else of the same type."""
    if column == "verdict":
        return dice.choice([each for each in VERDICTS if each != value])
    if column == "together":
        return (value or 0) + dice.randrange(1, 10**9)
    if value is None:
        return timezone.now() if column == "decided" else date(2999, 1, 1)
    for kind, other in _OTHERS.items():
        if isinstance(value, kind):
            return other(value, dice)
    raise AssertionError(column)


def _other_text(value: str, _dice: random.Random) -> str:
    last = "x" if value[-1:] != "x" else "y"
    return f"{value}{last}" if len(value) < 15 else f"{value[:-1]}{last}"


def _other_bytes(value: bytes, _dice: random.Random) -> bytes:
    content = bytes(value)
    return content[:-1] + bytes([content[-1] ^ 1])


_OTHERS: dict[Any, Callable[[Any, random.Random], Any]] = {
    bool: lambda value, _: not value,
    int: lambda value, dice: value - 1 if value > 1 and dice.random() < 0.5 else value + 2,
    float: lambda value, dice: value + dice.choice((-0.5, 0.25, 1e-6)),
    datetime: lambda value, dice: value + timedelta(microseconds=dice.choice((-1, 1, 60_000_000))),
    date: lambda value, _: value + timedelta(days=1),
    bytes: _other_bytes,
    memoryview: _other_bytes,
    dict: lambda value, _: _other_json(value),
    list: lambda value, _: _other_json(value),
    str: _other_text,
}


def _other_json(value: Any) -> Any:
    changed = json.loads(json.dumps(value))
    if isinstance(changed, dict):
        changed["something"] = 1
    else:
        changed.append(["something", "full"])
    return changed


def attack_ledger(project: Project, before: Lines, dice: random.Random, kind: str) -> int | None:
    """Change the ledger itself; return the number of the first entry that is another."""
    ATTACKS[kind](project, before, dice.randrange(len(before)), dice)
    now = list(lines(project))
    return None if now == before else first_change(before, now)


def open_assignment(project: Project) -> Assignment:
    return project.assignments.get(state="open")
