"""What can be done about a finding: coarsen a column, blank or escape the cells found."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from decimal import Context
from typing import Any, Final

import pyarrow as pa

from mindfirl.core.errors import DataError
from mindfirl.core.values.schema import DATE_ORDERS, DateOrder
from mindfirl.core.values.standardise import read_date
from mindfirl.core.values.telling_columns import is_number
from mindfirl.engine.release.file_check import Secrets, leaking_cells
from mindfirl.engine.release.formulas import escape_formula
from mindfirl.engine.release.table import Release
from mindfirl.engine.schema.contents import possible_orders
from mindfirl.engine.separation.separate import date_part

DATE_WAYS: Final = ("month", "year", "decade")
NUMBER_WAYS: Final = {"2 digits": 2, "1 digit": 1}
CUTS: Final = ("4", "3", "2", "1")
WAYS: Final = (*DATE_WAYS, *NUMBER_WAYS, *CUTS)
"""How a sensitive column can be coarsened: to a part of its dates, to a number of
leading digits, or to its first characters."""

_TEXT: Final = pa.large_string()


def without_columns(made: Release, names: Sequence[str]) -> Release:
    left_out = set(names)
    return replace(
        made,
        table=made.table.drop_columns(
            [name for name in made.table.column_names if name in left_out]
        ),
        coarse=tuple(name for name in made.coarse if name not in left_out),
        sensitive=tuple(name for name in made.sensitive if name not in left_out),
    )


def coarsen_columns(made: Release, ways: Mapping[str, str]) -> Release:
    table = made.table
    for name, way in ways.items():
        if name in made.sensitive:
            table = _mapped(table, name, _coarse_values(table, name, way))
    return replace(made, table=table)


def escaped(made: Release, names: Sequence[str]) -> Release:
    table = made.table
    for name in names:
        if name in table.column_names:
            table = _mapped(table, name, escape_formula)
    return replace(made, table=table)


def blanked(made: Release, names: Sequence[str], secrets: Secrets) -> Release:
    """Empty the cells of columns in which the check would find anything."""
    table = made.table
    for name in names:
        if name in table.column_names:
            leaks = leaking_cells(table, name, secrets)
            cells = table.column(name).to_pylist()
            kept = [None if leak else cell for cell, leak in zip(cells, leaks, strict=True)]
            table = _with(table, name, kept)
    return replace(made, table=table)


def _coarse_values(table: pa.Table, name: str, way: str) -> Callable[[str], str | None]:
    if way in DATE_WAYS:
        order = _date_order(table.column(name).to_pylist())
        return lambda cell: _date_part(cell, way, order)
    if way in NUMBER_WAYS:
        return lambda cell: _rounded(cell, NUMBER_WAYS[way])
    length = int(way)
    cells = [cell for cell in table.column(name).to_pylist() if cell]
    if 2 * sum(len(cell) <= length for cell in cells) > len(cells):
        rule = "Most values would stay complete."
        raise DataError(rule, "Keep fewer characters, or leave it out.", column=name)
    return lambda cell: cell[:length]


def _date_order(cells: Sequence[str | None]) -> DateOrder:
    """Return the order in which most cells are possible dates."""
    possible = Counter(order for cell in set(cells) if cell for order in possible_orders(cell))
    return max(DATE_ORDERS, key=lambda order: possible[order])


def _date_part(cell: str, way: str, order: DateOrder) -> str | None:
    """Keep a part of a date; what is no date, or lacks that part, is emptied."""
    date = read_date(cell, order)
    return date_part(date, way) if date else None


def _rounded(cell: str, digits: int) -> str | None:
    if not is_number(cell):
        return None
    rounded = Context(prec=digits).create_decimal(cell.replace(",", "."))
    return f"{rounded.normalize():f}" if rounded else "0"


def _mapped(table: pa.Table, name: str, change: Callable[[str], str | None]) -> pa.Table:
    known: dict[str, str | None] = {}
    cells: list[str | None] = []
    for cell in table.column(name).to_pylist():
        if cell and cell not in known:
            known[cell] = change(cell)
        cells.append(known[cell] if cell else cell)
    return _with(table, name, cells)


def _with(table: pa.Table, name: str, cells: Sequence[Any]) -> pa.Table:
    place = table.column_names.index(name)
    return table.set_column(place, name, pa.array(cells, _TEXT))
