"""A table whose columns repeat each other, and which writes a date in three of them."""

from __future__ import annotations

from typing import Final

import pyarrow as pa

ROWS: Final = 120
FIRST: Final = [f"Ann{number % 40}" for number in range(ROWS)]
LAST: Final = [f"Bérg{number % 30 + 100}" for number in range(ROWS)]
STREET: Final = [f"{number % 35 + 1} Elm{number % 33} Street" for number in range(ROWS)]
ZIP: Final = [f"{10_000 + 7 * number}" for number in range(ROWS)]
DIAGNOSES: Final = ["flu", "cold", "cough"] * (ROWS // 3)
FLOORS: Final = ["north wing", "attic flat", "rear house"] * (ROWS // 3)


def full_names() -> list[str]:
    pairs = zip(FIRST, LAST, strict=True)
    return [f"{last.upper().replace('É', 'E')}, {first}" for first, last in pairs]


def repeating() -> pa.Table:
    """Columns as files have them: ``address`` says more than street and postcode do."""
    return pa.table(
        {
            "id": [f"r{number}" for number in range(ROWS)],
            "first_name": FIRST,
            "surname": LAST,
            "full name": full_names(),
            "Geburtsjahr": [f"{1950 + number % 50}" for number in range(ROWS)],
            "Geburtsmonat": [f"{number % 12 + 1}.0" for number in range(ROWS)],
            "Geburtstag": [f"{number % 28 + 1}" if number % 9 else "" for number in range(ROWS)],
            "street": STREET,
            "zip": ZIP,
            "whole address": [
                f"{floor}, {street}, {code}"
                for floor, street, code in zip(FLOORS, STREET, ZIP, strict=True)
            ],
            "diagnosis": DIAGNOSES,
        }
    )


def written(table: pa.Table) -> bytes:
    """Write a table as a file that somebody uploads."""
    lines = [table.column_names, *zip(*(column.to_pylist() for column in table), strict=True)]
    return "".join(";".join(cells) + "\n" for cells in lines).encode()
