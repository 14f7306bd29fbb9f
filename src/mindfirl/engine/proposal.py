"""A schema to begin with, written from the profiles of all columns."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import Final

from mindfirl.core.schema import DateOrder, Kind
from mindfirl.engine.profile import ColumnProfile

_SWAPPED: Final = ("first_name", "last_name")


def propose_schema(profiles: Sequence[ColumnProfile]) -> str:
    """Write a schema file for the columns that are proposed to be displayed."""
    attributes: dict[str, list[ColumnProfile]] = {}
    for each in profiles:
        if each.attribute:
            attributes.setdefault(each.attribute, []).append(each)
    lines = ["# Proposed from headings and content: check every line before you use it.", ""]
    ids = {each.database: each.column for each in profiles if each.role == "record id"}
    if len(ids) == len({each.database for each in profiles}):
        lines.append(f"record_id = {_column(ids)}")
    lines += [f'date_order = "{_date_order(profiles)}"', 'case = "upper"']
    if all(name in attributes for name in _SWAPPED):
        lines.append(f"swap_groups = [{json.dumps(list(_SWAPPED))}]")
    for name, columns in attributes.items():
        where = {each.database: each.column for each in columns}
        lines += ["", "[[attribute]]", f"name = {_quoted(name)}", f'kind = "{_kind(columns)}"']
        if set(where.values()) != {name}:
            lines.append(f"column = {_column(where)}")
    return "\n".join([*lines, ""])


def _kind(columns: Sequence[ColumnProfile]) -> Kind:
    """Take the kind on which all databases agree; what differs is a string."""
    kinds = {each.kind for each in columns}
    first = columns[0].kind
    return first if len(kinds) == 1 and first else "string"


def _date_order(profiles: Sequence[ColumnProfile]) -> DateOrder:
    """Take the order of the first date that is not known by its shape."""
    dates = [each for each in profiles if each.date_order]
    for each in dates:
        if not all(shape.startswith("9999-") for shape in each.shapes):
            return each.date_order or "mdy"
    return "mdy"


def _column(where: dict[str, str]) -> str:
    """Write one name for all files, or a name for each."""
    if len(set(where.values())) == 1:
        return _quoted(next(iter(where.values())))
    return (
        "{ " + ", ".join(f"{_quoted(key)} = {_quoted(name)}" for key, name in where.items()) + " }"
    )


def _quoted(text: str) -> str:
    """Write a text as TOML does, which is as JSON does."""
    return json.dumps(text, ensure_ascii=False)
