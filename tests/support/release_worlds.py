"""Made-up people in two databases, as a release takes them, with sensitive columns of all kinds."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from io import BytesIO

import numpy as np
import pyarrow as pa

from mindfirl.core.values.clean import Placeholders, clean
from mindfirl.core.values.column_values import CleanColumn, concatenate_columns
from mindfirl.core.values.schema import DateOrder, Kind, Settings
from mindfirl.engine.reading import frames
from mindfirl.engine.release.file_check import (
    Finding,
    Identifier,
    Identities,
    Secrets,
    check,
    pseudonyms,
)
from mindfirl.engine.release.release_files import Form, write
from mindfirl.engine.release.table import PERSON, Part, Release, Way, release
from mindfirl.synthetic.linked_databases import databases

COLUMNS: dict[str, tuple[Kind, str, str]] = {
    "first name": ("string", "first_name", "given_name"),
    "last name": ("string", "last_name", "surname"),
    "born": ("date", "birth_date", "dob"),
    "number": ("fixed", "ssn", "social_security"),
    "zip": ("fixed", "zip", "postcode"),
    "sex": ("category", "sex", "gender"),
    "race": ("category", "race", "ethnicity"),
}
"""The kind of each attribute, and its column in the hospital and in the registry."""

NOTES = """
patient seen today with cough and fever since three days no pain on the left side was told to rest
and drink enough will come again in two weeks for blood tests asks whether the new tablets are safe
has lost some weight sleeps badly works at night smokes less than before father had a stroke mother
is well an x ray of the chest was clear heart sounds normal lungs free of wheeze abdomen soft skin
warm and dry no rash walks without help lives alone since last may needs a letter for the insurance
"""
"""What stands in notes, in any order."""


@dataclass(frozen=True)
class World:
    """What two databases give to a release, and who their records are of."""

    parts: tuple[Part, ...]
    columns: dict[str, tuple[Kind, CleanColumn]]
    ids: tuple[str, ...]

    def released(self, *, linked_only: bool = False) -> Release:
        return release(self.parts, linked_only=linked_only, randomness=random.Random(7).randbytes)

    def identities(self, found: Release) -> Identities:
        return Identities(found.numbers, self.columns.values())


def make_world(persons: int, *, seed: int) -> World:
    """Write this many persons down, with clean sensitive columns: text, dates, numbers, codes."""
    dice = random.Random(seed)
    made = databases(persons, seed=seed)
    tables = (made.hospital, made.registry)
    ids = [table.column(0).to_pylist() for table in tables]
    person = _persons(ids, made.truth)
    sizes = np.bincount(np.concatenate(person))
    hidden = (
        made.hospital.select(["admitted", "diagnosis"])
        .append_column("notes", _made(made.hospital.num_rows, lambda: _note(dice)))
        .append_column(
            "cost", _made(made.hospital.num_rows, lambda: f"{dice.uniform(1, 1e5):.2f}")
        ),
        made.registry.select(["site", "stage", "income"])
        .append_column("seen", _made(made.registry.num_rows, lambda: _short_day(dice)))
        .append_column("pressure", _made(made.registry.num_rows, lambda: _pressure(dice))),
    )
    parts = [
        Part(name, sensitive, each, [_way(size, dice) for size in sizes[each].tolist()])
        for name, sensitive, each in zip(("hospital", "registry"), hidden, person, strict=True)
    ]
    columns = {
        name: (
            kind,
            concatenate_columns(
                [_clean(table, there, kind) for table, there in zip(tables, both, strict=True)]
            ),
        )
        for name, (kind, *both) in COLUMNS.items()
    }
    return World(tuple(parts), columns, (*ids[0], *ids[1]))


def with_column(found: Release, name: str, cells: Sequence[str]) -> pa.Table:
    """Return the table of a release with one more sensitive column."""
    return found.table.append_column(name, pa.array(cells, pa.large_string()))


def checked(
    table: pa.Table,
    identities: Iterable[tuple[str, Iterable[Identifier]]] | Identities,
    form: Form = "csv",
    *,
    known: Iterable[bytes | str] = (),
    columns: Iterable[str] = COLUMNS,
) -> tuple[Finding, ...]:
    """Write a table, and check what was written."""
    file = BytesIO()
    write(table, file, form)
    secrets = Secrets(
        identities if isinstance(identities, Identities) else dict(identities),
        list(columns),
        ("hospital", "registry"),
        pseudonyms(known),
    )
    return check(file, form, secrets, rows=table.num_rows)


def of_person(*values: Identifier) -> dict[str, list[Identifier]]:
    """Return the identities of a release with one person."""
    return {"P1": list(values)}


def one_row(cell: str, name: str = "notes") -> pa.Table:
    """Return a release of one row with one sensitive cell."""
    cells = {PERSON: "P1", "database": "hospital", "linked": "single", name: cell}
    return pa.table({key: pa.array([value]) for key, value in cells.items()})


def renamed(part: Part, **names: str) -> Part:
    """Return a part some of whose sensitive columns are called otherwise."""
    return replace(part, sensitive=part.sensitive.rename_columns(names))


def _persons(ids: Sequence[Sequence[str]], truth: pa.Table) -> list[np.ndarray]:
    """Number the persons: two records that are of one by the truth have one number."""
    first = {record: place for place, record in enumerate(ids[0])}
    second = {record: len(first) + place for place, record in enumerate(ids[1])}
    for row in truth.to_pylist():
        second[row["right"]] = first[row["left"]]
    return [np.array(list(each.values()), dtype=np.int64) for each in (first, second)]


def _clean(table: pa.Table, column: str, kind: Kind) -> CleanColumn:
    raw = frames.raw_column(table.column(column))
    order: DateOrder = "mdy" if column == "birth_date" else "ymd"
    return clean(raw, kind, Settings(), Placeholders(), order=order if kind == "date" else None)


def _way(size: int, dice: random.Random) -> Way:
    return "single" if size == 1 else dice.choice(("automatic", "reviewed"))


def _made(size: int, make: Callable[[], str]) -> pa.Array:
    return pa.array([make() for _ in range(size)], pa.large_string())


def _note(dice: random.Random) -> str:
    words = dice.choices(NOTES.split(), k=dice.randint(5, 40))
    words.insert(dice.randrange(len(words)), str(dice.randrange(100_000)))
    return " ".join(words).capitalize() + "."


def _short_day(dice: random.Random) -> str:
    return f"{dice.randint(1, 28)}.{dice.randint(1, 12)}.{dice.randrange(100):02}"


def _pressure(dice: random.Random) -> str:
    return f"{dice.randint(90, 180)}/{dice.randint(50, 110)}"
