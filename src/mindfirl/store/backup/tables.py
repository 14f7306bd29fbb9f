"""Rows as plain lists, the same for every kind of database, and how far the tables have come."""

from __future__ import annotations

from base64 import b64encode
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from datetime import date, datetime
from typing import Any, Final
from uuid import UUID

from django.core.exceptions import ValidationError
from django.core.management.color import no_style
from django.db import connection, models, transaction
from django.db.migrations.executor import MigrationExecutor
from django.db.migrations.loader import MigrationLoader

from mindfirl.core.errors import BackupBroken, SettingError

_APP: Final = "store"
_PASSING: Final = frozenset({"opensession", "accesslink"})
"""Models whose rows count for the moment alone: nobody stays signed in through a backup, and no
link that was used since works again."""


def recorded() -> list[str]:
    """List the steps that brought the tables to where they are; none where there are no tables."""
    loader = MigrationLoader(connection)
    return sorted(name for app, name in loader.applied_migrations if app == _APP)


def is_behind() -> bool:
    executor = MigrationExecutor(connection)
    return bool(executor.migration_plan(executor.loader.graph.leaf_nodes()))


def is_ahead() -> bool:
    loader = MigrationLoader(connection)
    return bool(set(loader.applied_migrations) - set(loader.disk_migrations))


def models_at(steps: Sequence[str]) -> list[type[models.Model]]:
    state = MigrationLoader(None).project_state(_last(steps))
    return [
        model
        for model in state.apps.get_models(include_auto_created=True)
        if model._meta.app_label == _APP and model._meta.model_name not in _PASSING  # noqa: SLF001  # Django's way
    ]


def take(steps: Sequence[str]) -> None:
    """Make the tables as they were after these steps, in an empty database."""
    MigrationExecutor(connection).migrate(_last(steps))


def _last(steps: Sequence[str]) -> list[tuple[str, str]]:
    """Pick the steps that no other of them builds upon."""
    graph = MigrationLoader(None).graph  # no database is asked, nor made by asking
    nodes = [(_APP, step) for step in steps]
    if not nodes or not set(nodes) <= set(graph.nodes):
        raise SettingError("The backup was made by a newer release. Install that one.")
    within = set(nodes)
    return [
        node
        for node in nodes
        if not any(child.key in within for child in graph.node_map[node].children)
    ]


_BATCH: Final = 500


@contextmanager
def snapshot() -> Iterator[None]:
    """See the database as it is now, whatever others write meanwhile, and without stopping them."""
    if connection.vendor == "sqlite":
        with connection.cursor() as cursor:
            # Not Django's transaction, which would take the place of a writer.
            cursor.execute("BEGIN")
            cursor.execute("SELECT count(*) FROM sqlite_master")  # from here on
            try:
                yield
            finally:
                cursor.execute("ROLLBACK")
        return
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ READ ONLY")
        yield


def rows_of(model: type[models.Model]) -> Iterator[list[Any]]:
    """Give all rows of a model, in the order of their keys, as what JSON can hold."""
    rows = _all(model).order_by("pk").values_list(*columns_of(model))
    for row in rows.iterator(chunk_size=2000):
        yield [_plain(value) for value in row]


def columns_of(model: type[models.Model]) -> list[str]:
    return [field.attname for field in _fields(model)]


def insert(
    model: type[models.Model], columns: Sequence[str], rows: Iterable[Sequence[Any]]
) -> None:
    """Put rows back as they were, made when they were; the model is one of ``models_at``."""
    fields = {field.attname: field for field in _fields(model)}
    for field in fields.values():
        if isinstance(field, models.DateField):
            field.auto_now = field.auto_now_add = False
    if sorted(columns) != sorted(fields):
        raise _misfit()
    try:
        made = [
            model(
                **{
                    name: fields[name].to_python(value)
                    for name, value in zip(columns, row, strict=True)
                }
            )
            for row in rows
        ]
    except (ValueError, TypeError, ValidationError):
        raise _misfit() from None
    _all(model).bulk_create(made, batch_size=_BATCH)


def defer_references() -> None:
    """Let rows of this transaction refer to others that come later."""
    if connection.vendor == "postgresql":
        with connection.cursor() as cursor:
            cursor.execute("SET CONSTRAINTS ALL DEFERRED")  # making tables may have changed that


def check_references(kept: Sequence[type[models.Model]]) -> None:
    """Refuse rows that refer to others that are not there; let counters go on after the last."""
    connection.check_constraints()
    with connection.cursor() as cursor:
        for statement in connection.ops.sequence_reset_sql(no_style(), kept):
            cursor.execute(statement)


def _misfit() -> BackupBroken:
    return BackupBroken("holds rows that do not fit the tables")


def _fields(model: type[models.Model]) -> list[models.Field[Any, Any]]:
    return list(model._meta.concrete_fields)  # noqa: SLF001  # Django's way


def _all(model: type[models.Model]) -> models.Manager[models.Model]:
    return model._base_manager  # noqa: SLF001  # Django's way


def _plain(value: object) -> object:
    if isinstance(value, memoryview | bytes):
        return b64encode(bytes(value)).decode("ascii")
    if isinstance(value, datetime | date):
        return value.isoformat()
    return str(value) if isinstance(value, UUID) else value
