"""A column of a database, cleaned as its schema says."""

from __future__ import annotations

import pyarrow as pa

from mindfirl.core.errors import DataError
from mindfirl.core.values.clean import clean, written_order
from mindfirl.core.values.column_values import CleanColumn
from mindfirl.core.values.schema import DateOrder, Kind
from mindfirl.engine.reading import frames
from mindfirl.engine.schema.schema_files.schema_file import SchemaFile


def cleaned(
    table: pa.Table, column: str, kind: Kind, schema: SchemaFile, *, database: str, file: str
) -> tuple[CleanColumn, DateOrder | None]:
    """Clean a column as being of a kind; say in which order it writes its dates, if it does."""
    attribute = schema.attribute_in(column, database)
    name = attribute.name if attribute else None
    settings, order = schema.schema.settings, None
    try:
        raw = frames.raw_column(table.column(column))
        if kind == "date":
            order = written_order(raw, settings, schema.date_order(name, database))
        return clean(raw, kind, settings, schema.missing_of(name), order=order), order
    except DataError as error:
        raise error.located(file=file, column=column) from None
