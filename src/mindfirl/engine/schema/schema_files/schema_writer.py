"""Write a schema file as TOML that reads back equal."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import fields
from fractions import Fraction
from typing import Final

from mindfirl.core.values.schema import Attribute, Settings
from mindfirl.engine.schema.schema_files.schema_file import SchemaFile, SensitiveColumn

_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f]")
_BARE: Final = re.compile(r"[A-Za-z0-9_-]+")
_ALWAYS: Final = "date_order"
"""A default that people should see: how dates are shown, and read where nothing else is said."""


def write_schema(schema: SchemaFile, *, remarks: Sequence[str] = ()) -> str:
    lines = [f"# {_CONTROL.sub(' ', remark)}".rstrip() for remark in remarks]
    lines += [""] if lines else []
    lines += _lines(_head(schema))
    for attribute in schema.schema.attributes:
        lines += ["", "[[attribute]]", *_lines(_attribute(schema, attribute))]
    for column in schema.sensitive:
        lines += ["", "[[sensitive]]", *_lines(_sensitive(column))]
    return "\n".join([*lines, ""])


def _head(schema: SchemaFile) -> Iterator[tuple[str, object]]:
    yield "record_id", schema.record_id
    yield "missing", schema.missing
    yield "without_duplicates", schema.without_duplicates
    for setting in fields(Settings):
        value = getattr(schema.schema.settings, setting.name)
        if value != setting.default or setting.name == _ALWAYS:
            yield setting.name, value
    yield "swap_groups", schema.schema.swap_groups


def _attribute(schema: SchemaFile, attribute: Attribute) -> Iterator[tuple[str, object]]:
    name = attribute.name
    yield "name", name
    yield "kind", attribute.kind
    yield "role", schema.roles[name]
    yield "column", _unless_named(schema.columns[name], name)
    yield "date_order", schema.date_orders.get(name)
    yield "frequency", attribute.frequency or None
    if own := schema.placeholders.get(name):
        yield "missing", own.added
        yield "not_missing", own.exempted


def _sensitive(column: SensitiveColumn) -> Iterator[tuple[str, object]]:
    yield "name", column.name
    yield "column", _unless_named(column.column, column.name)
    yield "coarsen", column.coarsen


def _unless_named(column: object, name: str) -> object:
    """Leave out a column that is called as what it holds."""
    return None if column == name else column


def _lines(entries: Iterable[tuple[str, object]]) -> list[str]:
    """Write keys and values; nothing and nothing in a list are left out."""
    return [
        f"{key} = {_toml(value)}"
        for key, value in entries
        if value is not None and value not in ((), frozenset())
    ]


def _toml(value: object) -> str:
    if isinstance(value, Mapping):
        pairs = (f"{_key(key)} = {_toml(each)}" for key, each in value.items())
        return "{ " + ", ".join(pairs) + " }"
    if isinstance(value, frozenset):
        value = tuple(sorted(value))
    if isinstance(value, tuple):
        return f"[{', '.join(_toml(each) for each in value)}]"
    if isinstance(value, Fraction):
        return _share(value)
    # JSON's texts, numbers and truth values are TOML's, but for one control character.
    return json.dumps(value, ensure_ascii=False).replace("\x7f", "\\u007f")


def _key(name: str) -> str:
    return name if _BARE.fullmatch(name) else _toml(name)


def _share(share: Fraction) -> str:
    try:
        decimal = str(float(share))
    except OverflowError:
        return f'"{share}"'
    return decimal if Fraction(decimal) == share else f'"{share}"'
