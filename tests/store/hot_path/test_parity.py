"""SQL that is written by hand finds the rows that the ORM finds, and has the same effects."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.apps import apps
from django.db import models, transaction
from django.db.models import Exists, OuterRef
from django.db.models.functions import Cast
from django.utils import timezone

from mindfirl.core.risk.kapr import Step
from mindfirl.services.review.disclosure.commenting import comment
from mindfirl.services.review.disclosure.opening import open_step, show_pairs
from mindfirl.store import hot_path as sql
from mindfirl.store.hot_path import current_decision, keep_revision, rows, run
from mindfirl.store.models import (
    Account,
    AssignedPair,
    Assignment,
    Comment,
    Dispatch,
    LedgerHead,
    LedgerLine,
    Membership,
    OpenCell,
    Project,
    Revision,
)
from tests.support.reviews import make_given

AT = datetime(2031, 5, 7, 12, 30, 15, 123456, tzinfo=UTC)


@dataclass(frozen=True)
class Given:
    """Two assignments: of the first, pairs are open, decided, withdrawn and commented on."""

    project: Project
    closed: Project
    assignments: list[Assignment]
    accounts: list[Account]
    pair: AssignedPair

    @property
    def keys(self) -> list[Any]:
        """Of assignments: two that exist and one that does not."""
        return [*(each.pk for each in self.assignments), uuid4()]


@pytest.fixture
def given(home: Path, tmp_path: Path) -> Given:
    assert home.exists()
    study = make_given(tmp_path, people=20, pairs=30, budget="100")
    first, second, *_ = Assignment.objects.order_by("account__username")
    pair = first.pairs.get(number=1)
    for step in (Step("last", "full"), Step("first", "full")):
        shown = show_pairs(assignment=first, numbers=[1])[0]
        open_step(
            account=first.account,
            assignment=first,
            token=shown.token,
            step=step,
            seen=shown.state,
            now=timezone.now(),
        )
    comment(
        account=first.account, assignment=first, token=pair.token, words="so so", now=timezone.now()
    )
    with transaction.atomic():
        for number, verdict in ((1, "same"), (2, "different"), (3, "same"), (3, "")):
            latest = current_decision(first, first.pairs.get(number=number).token)
            assert latest
            keep_revision(latest, verdict, "", AT)
    first.pairs.filter(number=2).update(withdrawn=True)
    closed = Project.objects.create(name="closed", closed=AT)
    people = [study.manager, first.account, Account.objects.create(username="nobody")]
    return Given(study.project, closed, [first, second], people, pair)


def project_keys(given: Given) -> list[Any]:
    return [given.project.pk, given.closed.pk, uuid4()]


READS: dict[str, Callable[[Given], Iterable[tuple[tuple[Any, ...], Any]]]] = {
    "FIND_ROLES": lambda given: (
        (
            (project, account.pk),
            Membership.objects.filter(project=project, account=account).values_list("role"),
        )
        for project in project_keys(given)
        for account in given.accounts
    ),
    "IS_CLOSED": lambda given: (
        ((key,), [(1,) for _ in Project.objects.filter(pk=key, closed__isnull=False)])
        for key in project_keys(given)
    ),
    "COUNT_DECIDED": lambda given: (
        (
            (key,),
            [
                (count,)
                for pairs in [AssignedPair.objects.filter(assignment=key, withdrawn=False)]
                for count in [pairs.exclude(verdict="").count()]
            ],
        )
        for key in given.keys
    ),
    "HAS_COMMENT": lambda given: (
        ((key,), [(1,) for _ in Comment.objects.filter(pair__assignment=key)[:1]])
        for key in given.keys
    ),
    "FIND_DECISION": lambda given: (
        (
            (key, pair.token),
            AssignedPair.objects.filter(
                assignment=key, token=pair.token, withdrawn=False
            ).values_list(
                *("id", "number", "revision", "verdict", "reason"),
                *("assignment__project__identity_key", "assignment__project__digest_key"),
                Exists(Comment.objects.filter(pair=OuterRef("pk"))),
                *("assignment__state", "open_cells__attribute", "open_cells__level"),
            ),
        )
        for key in given.keys
        for pair in AssignedPair.objects.all()
    ),
    "FIND_LEDGER_HEAD": lambda given: (
        (
            (key,),
            LedgerHead.objects.filter(project=key).values_list(
                "entries", "digest", "at", "together", "together_mac"
            ),
        )
        for key in project_keys(given)
    ),
    "FIND_LEDGER_LINE": lambda given: (
        (
            (key, number),
            LedgerLine.objects.filter(project=key, number=number).values_list("line"),
        )
        for key in project_keys(given)
        for number in (1, 2, 9_999)
    ),
    "FIND_NEWEST_DISPATCH": lambda given: (
        (
            (key,),
            Dispatch.objects.filter(project=key, state="dispatched")
            .order_by("-number")
            .values_list(Cast("plan", models.TextField()))[:1],
        )
        for key in project_keys(given)
    ),
    "FIND_DIGEST_KEY": lambda given: (
        ((key,), Project.objects.filter(pk=key).values_list("identity_key", "digest_key"))
        for key in project_keys(given)
    ),
}

BESIDE: dict[str, Any] = {
    "mac": "e" * 64,
    "format": 2,
    "kind": "opened",
    "actor": "w1",
    "made_by": "browser",
    "round": 1,
    "assignment": "a1",
    "pair": 3,
}
"""What stands beside the line of an entry."""

WRITES: dict[str, tuple[Callable[[Given], None], Callable[[Given], object]]] = {
    "ADD_REVISION": (
        lambda given: run(
            sql.ADD_REVISION, given.pair.pk, 9, AT, "same", "typo", '{"a": ["full"]}'
        ),
        lambda given: Revision.objects.create(
            pair=given.pair, number=9, at=AT, verdict="same", reason="typo", state={"a": ["full"]}
        ),
    ),
    "SET_DECISION": (
        lambda given: run(sql.SET_DECISION, 9, "same", "typo", AT, given.pair.pk),
        lambda given: AssignedPair.objects.filter(pk=given.pair.pk).update(
            revision=9, verdict="same", reason="typo", decided=AT
        ),
    ),
    "ADD_LEDGER_LINE": (
        lambda given: run(sql.ADD_LEDGER_LINE, given.project.pk, 9_999, "a line", *BESIDE.values()),
        lambda given: LedgerLine.objects.create(
            project=given.project, number=9_999, line="a line", **BESIDE
        ),
    ),
    "MOVE_LEDGER_HEAD": (
        lambda given: run(
            sql.MOVE_LEDGER_HEAD, 9_999, "f" * 64, "then", 7, "m" * 64, given.project.pk
        ),
        lambda given: LedgerHead.objects.filter(project=given.project).update(
            entries=9_999, digest="f" * 64, at="then", together=7, together_mac="m" * 64
        ),
    ),
    "ADD_OPEN_CELL": (
        lambda given: sql.keep_cell(
            OpenCell(pair=given.pair, attribute="born", level="full", entry=9_999)
        ),
        lambda given: OpenCell.objects.create(
            pair=given.pair, attribute="born", level="full", entry=9_999
        ),
    ),
    "SET_REFUSED": (
        lambda given: sql.keep_refused(AssignedPair(pk=given.pair.pk, refused=["full:born"])),
        lambda given: AssignedPair.objects.filter(pk=given.pair.pk).update(refused=["full:born"]),
    ),
    "SET_EXPLAINED": (
        lambda given: sql.keep_explained(given.pair),
        lambda given: AssignedPair.objects.filter(pk=given.pair.pk).update(explained=True),
    ),
    "SET_SPENT": (
        lambda given: sql.keep_spent(Assignment(pk=given.assignments[0].pk, spent=1, shown=2)),
        lambda given: Assignment.objects.filter(pk=given.assignments[0].pk).update(
            spent=1, shown=2
        ),
    ),
}


def test_every_statement_is_compared() -> None:
    statements = {
        name for name, value in vars(sql).items() if name.isupper() and isinstance(value, str)
    }
    assert statements == {*READS, *WRITES, "FIND_PAIR", "FIND_OWN"}


def test_queries_find_what_the_orm_finds(given: Given) -> None:
    for name, cases in READS.items():
        sizes = set()
        for values, expected in cases(given):
            found = rows(getattr(sql, name), *values)
            assert sorted(found, key=repr) == sorted(map(tuple, expected), key=repr), name
            sizes.add(found not in ([], [(0,)]))
        assert sizes == {True, False}, name


def test_statements_change_what_the_orm_changes(given: Given) -> None:
    before = tables()
    for name, (by_hand, by_orm) in WRITES.items():
        assert after(by_hand, given) == after(by_orm, given) != before, name
    assert tables() == before


def test_find_pair_reads_what_the_orm_reads(given: Given) -> None:
    mine = given.assignments[0]
    with transaction.atomic():
        for each in AssignedPair.objects.select_related("assignment"):
            stale = Assignment(pk=mine.pk)
            found = sql.current_pair(stale, each.token)
            foreign = each.assignment_id != mine.pk or each.withdrawn
            assert (found is None) == foreign
            if found is None:
                continue
            pair, opened = found
            assert pair.assignment is stale
            for name in ("pk", "number", "token", "left", "right", "lower"):
                assert getattr(pair, name) == getattr(each, name)
            for name in ("state", "spent", "shown", "characters"):
                assert getattr(stale, name) == getattr(each.assignment, name)
            assert cells(opened) == cells(each.open_cells.order_by("pk"))
        assert cells(given.pair.open_cells.all())
        assert sql.current_pair(mine, "\0") is None
        assert current_decision(mine, "\0") is None


def cells(opened: Iterable[OpenCell]) -> list[tuple[str, str, int]]:
    return [(each.attribute, each.level, each.entry) for each in opened]


def after(change: Callable[[Given], object], given: Given) -> dict[str, list[str]]:
    """Return all tables after a change, which is then undone."""
    with transaction.atomic():
        change(given)
        found = tables()
        transaction.set_rollback(True)
    return found


def tables() -> dict[str, list[str]]:
    """Return all rows of all tables, without the numbers that the database gives them."""
    found = {}
    for model in apps.get_app_config("store").get_models():
        fields = [
            each.attname
            for each in model._meta.concrete_fields  # noqa: SLF001  # documented
            if not isinstance(each, models.AutoField)
        ]
        found[model.__name__] = sorted(map(repr, model._base_manager.values_list(*fields)))  # noqa: SLF001  # documented
    return found
