"""What stands in the form before anybody has chosen."""

from __future__ import annotations

from collections.abc import Sequence

from mindfirl.engine.schema.choices.choice import DISPLAYED, ColumnChoice, ColumnChoices
from mindfirl.engine.schema.headings import plain
from mindfirl.engine.schema.profile import ColumnProfile
from mindfirl.engine.schema.schema_files.schema_file import SchemaFile


def offered_choices(profiles: Sequence[ColumnProfile], schema: SchemaFile | None) -> ColumnChoices:
    """Offer what a schema says of the columns; without one, what they look like.

    A column that is not imported or not displayed is offered a name and a kind, too, for when
    somebody decides otherwise.
    """
    if schema is None:
        orders = (each.date_order for each in profiles if each.date_order)
        return ColumnChoices(tuple(map(_as_profiled, profiles)), date_order=next(orders, "mdy"))
    settings = schema.schema.settings
    return ColumnChoices(
        tuple(_as_in_schema(each, schema) for each in profiles),
        date_order=settings.date_order,
        latest_year=str(settings.latest_year or ""),
        without_duplicates=schema.without_duplicates & {each.database for each in profiles},
    )


def _as_profiled(profile: ColumnProfile) -> ColumnChoice:
    return ColumnChoice(
        profile.database,
        profile.column,
        profile.role,
        profile.attribute or plain(profile.column),
        profile.kind or "string",
        profile.date_order or "",
    )


def _as_in_schema(profile: ColumnProfile, schema: SchemaFile) -> ColumnChoice:
    database, column = profile.database, profile.column
    kept = next((each for each in schema.sensitive if each.column_in(database) == column), None)
    keeps = str(kept.coarsen or "") if kept else ""
    held = schema.attribute_in(column, database)
    if held:
        order = schema.date_order(held.name, database) or ""
        shown = schema.roles[held.name]
        return ColumnChoice(database, column, shown, held.name, held.kind, order, keeps)
    is_id = schema.id_column(database) == column
    role = "record id" if is_id else "sensitive" if kept else "ignored"
    name = kept.name if kept else plain(column)
    kind = profile.kind if profile.role in DISPLAYED and profile.kind else "string"
    order = profile.date_order or ""
    return ColumnChoice(database, column, role, name, kind, order, keeps)
