"""Today's migration, divided: what the older release had, and what came later."""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module

from django.db.migrations import AddField, CreateModel
from django.db.migrations.operations.base import Operation

from tests.support.older_release import LATER_FIELDS, LATER_MODELS

_TODAY: list[Operation] = import_module(
    "mindfirl.store.migrations.0001_initial"
).Migration.operations


def older() -> Iterator[Operation]:
    for operation in _TODAY:
        if _model(operation) in LATER_MODELS:
            continue
        if isinstance(operation, CreateModel):
            kept = [each for each in operation.fields if not _is_later(operation, each[0])]
            yield CreateModel(
                operation.name, kept, operation.options, operation.bases, operation.managers
            )
        else:
            yield operation


def later() -> Iterator[Operation]:
    for operation in _TODAY:
        if _model(operation) in LATER_MODELS:
            yield operation
        elif isinstance(operation, CreateModel):
            for name, field in operation.fields:
                if _is_later(operation, name):
                    yield AddField(operation.name, name, field)


def _model(operation: Operation) -> str:
    name: str = getattr(operation, "model_name", "") or getattr(operation, "name")  # noqa: B009
    return name.lower()


def _is_later(operation: CreateModel, field: str) -> bool:
    return (operation.name.lower(), field) in LATER_FIELDS
