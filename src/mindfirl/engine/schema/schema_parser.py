"""Read a schema file: TOML, with errors that say which rule is broken where."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final, TypeVar

from mindfirl.core.errors import DataError, MindfirlError, or_list
from mindfirl.core.values.clean import Placeholders, placeholder_key
from mindfirl.core.values.composed import DATE_PARTS
from mindfirl.core.values.schema import DATE_ORDERS, Attribute, Schema, one_of
from mindfirl.engine.reading.file_options import FileOptions
from mindfirl.engine.schema.schema_file import (
    ATTRIBUTE_ROLES,
    COARSENINGS,
    SchemaFile,
    SensitiveColumn,
    SourceColumn,
)

SETTINGS: Final = (
    "swap_groups",
    "date_order",
    "date_swap",
    "case",
    "string_limit",
    "fixed_limit",
    "date_limit",
    "latest_year",
)
READING: Final = ("encoding", "delimiter", "sheet")
KEYS: Final = (
    *("attribute", "sensitive", "record_id", "missing", "without_duplicates"),
    *READING,
    *SETTINGS,
)
ATTRIBUTE_KEYS: Final = (
    *("name", "kind", "frequency", "column", "without", "role", "date_order"),
    *("missing", "not_missing"),
)
SENSITIVE_KEYS: Final = ("name", "column", "coarsen")
_SEE: Final = "See examples/people/schema.toml."

_Entry = TypeVar("_Entry")


def read_schema(path: Path) -> SchemaFile:
    """Read a schema from a TOML file; ``examples/`` has one that explains itself."""
    try:
        text = path.read_text(encoding="utf-8-sig")
    except FileNotFoundError:
        raise _fault(path.name, "the file does not exist.", "Check the path.") from None
    except OSError:
        mend = "Check that you may read it."
        raise _fault(path.name, "the file cannot be opened.", mend) from None
    except UnicodeDecodeError:
        raise _fault(path.name, "the text is not UTF-8.", "Save it as UTF-8.") from None
    return parse_schema(text, path.name)


def parse_schema(text: str, file: str) -> SchemaFile:
    content = _content(text, file)
    try:
        return _schema_file(content, file)
    except DataError:
        raise
    except MindfirlError as error:
        raise _fault(file, str(error), _SEE) from None


def _content(text: str, file: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text)
    except (ValueError, RecursionError) as error:
        line = re.search(r"line (\d+)", str(error))
        rule = f"line {line[1]} is not TOML." if line else "the file is not TOML."
        raise _fault(file, rule, _SEE) from None


def _schema_file(content: Mapping[str, Any], file: str) -> SchemaFile:
    _check_keys(content, KEYS, file)
    tables = content.get("attribute", [])
    attributes = _each(tables, "attribute", file, _attribute)
    if not attributes:
        raise _fault(file, "there is no attribute.", "Write [[attribute]], with two brackets.")
    record_id = content.get("record_id")
    if record_id is not None:
        _check_column(record_id, "record_id")
    reading = {name: content[name] for name in READING if name in content}
    for name, given in reading.items():
        _check_reading(given, name)
    schema = Schema(attributes, **{name: content[name] for name in SETTINGS if name in content})
    by_name = dict(zip(schema.names, tables, strict=True))
    return SchemaFile(
        file=file,
        schema=schema,
        record_id=record_id,
        columns={name: _source_column(each.get("column", name)) for name, each in by_name.items()},
        roles={name: each["role"] for name, each in by_name.items() if "role" in each},
        date_orders={
            name: each["date_order"] for name, each in by_name.items() if "date_order" in each
        },
        sensitive=tuple(_each(content.get("sensitive", []), "sensitive", file, _sensitive)),
        missing=_placeholders(content, "missing"),
        placeholders={
            name: Placeholders(_placeholders(each, "missing"), _placeholders(each, "not_missing"))
            for name, each in by_name.items()
            if each.get("missing") or each.get("not_missing")
        },
        without_duplicates=frozenset(_texts(content, "without_duplicates")),
        without={
            name: tuple(each["without"]) for name, each in by_name.items() if each.get("without")
        },
        **reading,
    )


def _each(
    tables: object, label: str, file: str, read: Callable[[Mapping[str, Any]], _Entry]
) -> list[_Entry]:
    if not isinstance(tables, list) or not all(isinstance(table, dict) for table in tables):
        rule = f"there is no {label}, or not as a table."
        raise _fault(file, rule, f"Write [[{label}]], with two brackets.")
    entries = []
    for number, table in enumerate(tables, start=1):
        keys = ATTRIBUTE_KEYS if label == "attribute" else SENSITIVE_KEYS
        _check_keys(table, keys, file, f"{label} {number}: ")
        try:
            entries.append(read(table))
        except DataError as error:
            raise _fault(file, f"{label} {number}: {error.rule}", error.mend) from None
        except MindfirlError as error:
            raise _fault(file, f"{label} {number}: {error}", _SEE) from None
    return entries


def _attribute(given: Mapping[str, Any]) -> Attribute:
    _check_source(given.get("column", "as the attribute"), given.get("kind"))
    attribute = Attribute(
        given.get("name"),  # type: ignore[arg-type]  # Attribute checks it
        given.get("kind"),  # type: ignore[arg-type]
        frequency=given.get("frequency", False),
    )
    one_of("role of an attribute", given.get("role", "identifier"), ATTRIBUTE_ROLES)
    if "date_order" in given:
        if attribute.kind != "date":
            raise DataError("only a date has a date_order.", "Leave it out.")
        _check_orders(given["date_order"])
    if _texts(given, "without") and attribute.kind not in ("string", "fixed"):
        raise DataError("only a string or fixed is compared without other words.", "Leave it out.")
    for key in ("missing", "not_missing"):
        _placeholders(given, key)
    return attribute


def _sensitive(given: Mapping[str, Any]) -> SensitiveColumn:
    name, coarsen = given.get("name"), given.get("coarsen")
    if not isinstance(name, str) or not name:
        raise DataError("a sensitive column needs a name.", _SEE)
    column = given.get("column", name)
    _check_column(column, "column")
    whole = type(coarsen) is int and coarsen > 0
    if coarsen is not None and not whole and coarsen not in COARSENINGS:
        mend = f"Write {or_list(COARSENINGS)}, or how many first characters are kept."
        raise DataError("coarsen is none of what it can be.", mend)
    return SensitiveColumn(name, column, coarsen)


def _check_orders(given: object) -> None:
    orders = list(given.values()) if isinstance(given, dict) else [given]
    for order in orders or [None]:
        one_of("date order", order, DATE_ORDERS)


def _check_source(value: object, kind: object) -> None:
    """Check the columns of an attribute; those of a date may be its year, month and day."""
    names = list(value.values()) if isinstance(value, dict) else [value]
    for name in names or [None]:
        composed = name if isinstance(name, list) and len(name) <= len(DATE_PARTS) else None
        for each in composed or [name]:
            _check_column(each, "column")
        if composed and kind != "date":
            rule = "only a date is composed of several columns."
            raise DataError(rule, "Name one column, or make it a date.")


def _source_column(value: Any) -> SourceColumn:  # noqa: ANN401  # it was checked before
    """Return columns as they are given, the parts of a date as what they are in a schema."""
    if isinstance(value, dict):
        return {key: tuple(each) if isinstance(each, list) else each for key, each in value.items()}
    return tuple(value) if isinstance(value, list) else value


def _check_reading(given: object, option: str) -> None:
    """Check how files are to be read: one option for all, or one for each database."""
    said = list(given.values()) if isinstance(given, dict) else [given]
    for each in said or [None]:
        if not isinstance(each, str) or not each:
            raise DataError(f"{option} is not a text, or a text for each database.", _SEE)
        FileOptions(**{option: each})


def _check_column(value: object, key: str) -> None:
    names = list(value.values()) if isinstance(value, dict) else [value]
    if not names or not all(isinstance(name, str) and name for name in names):
        raise DataError(f"{key} is not the name of a column.", _SEE)


def _placeholders(table: Mapping[str, Any], key: str) -> frozenset[str]:
    return frozenset(placeholder_key(text) for text in _texts(table, key))


def _texts(table: Mapping[str, Any], key: str) -> list[str]:
    texts = table.get(key, [])
    if not isinstance(texts, list) or not all(isinstance(t, str) and t.strip() for t in texts):
        raise DataError(f"{key} is not a list of texts.", f'Write {key} = ["…", "…"].')
    return texts


def _check_keys(
    table: Mapping[str, object], keys: tuple[str, ...], file: str, place: str = ""
) -> None:
    if set(table) <= set(keys):
        return
    mend = f"Use {or_list(keys)}."
    if any(key in SETTINGS for key in table):
        mend += " Settings stand before the first [[attribute]]."
    raise _fault(file, f"{place}a key is not known.", mend)


def _fault(file: str, rule: str, mend: str) -> DataError:
    return DataError(rule, mend, file=file)
