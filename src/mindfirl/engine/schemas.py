"""Read a schema file: which columns are displayed, of what kind, and how they are compared."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

from mindfirl.core.errors import DataError, MindfirlError, listed
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
_SEE: Final = "See examples/people/schema.toml."

_Column = str | dict[str, str]
"""The name of a column in all files, or by file."""


@dataclass(frozen=True, slots=True)
class SchemaFile:
    """A schema, the column of each attribute, and the column of the record id."""

    file: str
    schema: Schema
    record_id: _Column | None
    columns: dict[str, _Column]

    def column(self, attribute: str, database: str) -> str:
        """Return the column that holds an attribute in a database."""
        column = self.columns[attribute]
        return column if isinstance(column, str) else column.get(database, attribute)

    def id_column(self, database: str) -> str | None:
        """Return the column that holds the record id in a database, if there is one."""
        if isinstance(self.record_id, dict):
            return self.record_id.get(database)
        return self.record_id

    @property
    def databases(self) -> set[str]:
        """The databases that are named because their columns have names of their own."""
        columns = [*self.columns.values(), self.record_id]
        return {name for column in columns if isinstance(column, dict) for name in column}


def read_schema(path: Path) -> SchemaFile:
    """Read a schema from a TOML file; ``examples/`` has one that explains itself."""
    content = _content(path)
    _check_keys(path, content, _KEYS, "a key is not known")
    given = content.get("attribute")
    if not isinstance(given, list) or not given or not all(isinstance(one, dict) for one in given):
        raise _fault(path, "there is no attribute.", "Write [[attribute]], with two brackets.")
    attributes = [_attribute(path, number, each) for number, each in enumerate(given, start=1)]
    record_id = content.get("record_id")
    if record_id is not None and not _is_column(record_id):
        raise _fault(path, "record_id is not the name of a column.", _SEE)
    settings = {name: content[name] for name in _SETTINGS if name in content}
    try:
        schema = Schema(attributes, **settings)
    except MindfirlError as error:
        raise _fault(path, str(error), _SEE) from None
    names = [attribute.name for attribute in attributes]
    columns = {name: each.get("column", name) for name, each in zip(names, given, strict=True)}
    return SchemaFile(path.name, schema, record_id, columns)


def _content(path: Path) -> dict[str, Any]:
    try:
        return tomllib.loads(path.read_text(encoding="utf-8-sig"))
    except FileNotFoundError:
        raise _fault(path, "there is no such file.", "Check the path.") from None
    except OSError:
        raise _fault(path, "the file cannot be opened.", "Check that you may read it.") from None
    except UnicodeDecodeError:
        raise _fault(path, "the text is not UTF-8.", "Save it as UTF-8.") from None
    except (ValueError, RecursionError) as error:
        line = re.search(r"line (\d+)", str(error))
        rule = f"line {line[1]} is not TOML." if line else "the file is not TOML."
        raise _fault(path, rule, _SEE) from None


def _attribute(path: Path, number: int, given: Mapping[str, Any]) -> Attribute:
    """Read one attribute; an error says which."""
    label = f"attribute {number}"
    _check_keys(path, given, _ATTRIBUTE_KEYS, f"{label}: a key is not known")
    try:
        if not _is_column(given.get("column", "as the attribute")):
            raise _fault(path, f"{label}: column is not the name of a column.", _SEE)
        return Attribute(
            given.get("name"),  # type: ignore[arg-type]  # Attribute checks it
            given.get("kind"),  # type: ignore[arg-type]
            frequency=given.get("frequency", False),
        )
    except DataError:
        raise
    except MindfirlError as error:
        raise _fault(path, f"{label}: {error}", _SEE) from None


def _check_keys(path: Path, table: Mapping[str, object], keys: tuple[str, ...], rule: str) -> None:
    if set(table) <= set(keys):
        return
    mend = f"Use {listed(keys)}."
    if any(key in _SETTINGS for key in table):
        mend += " Settings stand before the first [[attribute]]."
    raise _fault(path, f"{rule}.", mend)


def _is_column(value: object) -> bool:
    names = list(value.values()) if isinstance(value, dict) else [value]
    return bool(names) and all(isinstance(name, str) and name for name in names)


def _fault(path: Path, rule: str, mend: str) -> DataError:
    return DataError(rule, mend, file=path.name)
