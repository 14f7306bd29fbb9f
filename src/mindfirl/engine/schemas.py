"""Read a schema file: which columns are displayed, of what kind, and how they are compared."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mindfirl.core.errors import DataError, UnknownName
from mindfirl.core.schema import Attribute, Schema

_SETTINGS: Final = (
    "swap_groups",
    "date_order",
    "date_swap",
    "case",
    "string_limit",
    "fixed_limit",
    "date_limit",
)
_KEYS: Final = ("attribute", "record_id", *_SETTINGS)
_ATTRIBUTE_KEYS: Final = ("name", "kind", "frequency", "column")


@dataclass(frozen=True, slots=True)
class SchemaFile:
    """A schema, the column of the record id, and the column of each attribute."""

    schema: Schema
    record_id: str | None
    columns: dict[str, str | dict[str, str]]

    def column(self, attribute: str, database: str) -> str:
        """Return the column that holds an attribute in a database."""
        column = self.columns[attribute]
        return column if isinstance(column, str) else column.get(database, attribute)


def read_schema(path: Path) -> SchemaFile:
    """Read a schema from a TOML file; ``examples/`` has one that explains itself."""
    content = _content(path)
    _known(content, _KEYS, "key of a schema file")
    attributes = content.get("attribute", [])
    if not _is_list_of_tables(attributes) or not attributes:
        raise _fault(path, "there is no attribute.", "Add at least one [[attribute]].")
    for attribute in attributes:
        _known(attribute, _ATTRIBUTE_KEYS, "key of an attribute")
        if "name" not in attribute or "kind" not in attribute:
            raise _fault(path, "an attribute lacks its name or kind.", "Give it both.")
    record_id = content.get("record_id")
    columns = {each["name"]: each.get("column", each["name"]) for each in attributes}
    if not isinstance(record_id, str | None) or not all(map(_is_column, columns.values())):
        mend = 'Write column = "birth_date", or column = { hospital = "dob", registry = "born" }.'
        raise _fault(path, "a column is not the name of a column.", mend)
    return SchemaFile(_schema(path, attributes, content), record_id, columns)


def _content(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise _fault(path, "there is no such file.", "Check the path.") from None
    except (OSError, UnicodeDecodeError):
        raise _fault(path, "the file cannot be read.", "Save it as UTF-8 text.") from None
    except tomllib.TOMLDecodeError as error:
        line = re.search(r"line (\d+)", str(error))
        rule = f"line {line[1]} is not TOML." if line else "the file is not TOML."
        raise _fault(path, rule, "Compare with examples/people/schema.toml.") from None


def _schema(path: Path, attributes: list[dict[str, Any]], content: Mapping[str, Any]) -> Schema:
    settings = {name: content[name] for name in _SETTINGS if name in content}
    try:
        return Schema(
            [
                Attribute(each["name"], each["kind"], frequency=each.get("frequency", False))
                for each in attributes
            ],
            **settings,
        )
    except TypeError:
        raise _fault(
            path, "a setting has the wrong type.", "See examples/people/schema.toml."
        ) from None


def _known(table: Mapping[str, object], keys: tuple[str, ...], what: str) -> None:
    if not set(table) <= set(keys):
        raise UnknownName(what, keys)


def _is_list_of_tables(value: object) -> bool:
    return isinstance(value, list) and all(isinstance(each, dict) for each in value)


def _is_column(value: object) -> bool:
    names = value.values() if isinstance(value, dict) else [value]
    return all(isinstance(name, str) for name in names)


def _fault(path: Path, rule: str, mend: str) -> DataError:
    return DataError(rule, mend, file=path.name)
