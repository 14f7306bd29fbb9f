"""The linked de-identified table."""

from __future__ import annotations

import random
import secrets
from dataclasses import replace
from io import BytesIO

import numpy as np
import pyarrow as pa
import pytest

from mindfirl.core.errors import SettingError
from mindfirl.engine.release.release_files import FORMS, write
from mindfirl.engine.release.table import PERSON, Part, Release, release
from mindfirl.engine.separation.separate import PSEUDONYM
from tests.conftest import Figure
from tests.support.release_worlds import make_world, renamed


def part(database: str, person: list[int], **columns: list[str | None]) -> Part:
    sizes = np.bincount([*person, 0, 1, 2, 3])
    table = pa.table({name: pa.array(cells, pa.string()) for name, cells in columns.items()})
    ways = ["single" if sizes[each] == 1 else "automatic" for each in person]
    return Part(database, table, np.array(person), ways)  # type: ignore[arg-type]  # two ways


CLINIC = part("clinic", [0, 1, 2], dx=["C50", None, "I10"], note=["x", "y", "z"])
REGISTER = part("register", [3, 1], stage=["II", "IV"], dx=["E11", "C61"])


def made(*parts: Part, linked_only: bool = False) -> Release:
    return release(parts, linked_only=linked_only, randomness=secrets.token_bytes)


def by_person(found: Release) -> dict[int, list[tuple[str | None, ...]]]:
    """Return the rows of each person as they were given, told by which record has which number."""
    given = [0, 1, 2, 3, 1]
    numbers = dict(zip(found.numbers.to_pylist(), given, strict=True))
    rows: dict[int, list[tuple[str | None, ...]]] = {}
    for row in found.table.to_pylist():
        rows.setdefault(numbers[row.pop(PERSON)], []).append(tuple(row.values()))
    return {person: sorted(each, key=str) for person, each in rows.items()}


def test_every_record_stands_once_below_its_person() -> None:
    found = made(CLINIC, REGISTER)
    assert found.table.column_names == ["person", "database", "linked", "dx", "note", "stage"]
    assert by_person(found) == {
        0: [("clinic", "automatic", "C50", "x", None)],
        1: [
            ("clinic", "automatic", None, "y", None),
            ("register", "automatic", "C61", None, "IV"),
        ],
        2: [("clinic", "automatic", "I10", "z", None)],
        3: [("register", "automatic", "E11", None, "II")],
    }


def test_linked_persons_alone_by_choice() -> None:
    found = made(CLINIC, REGISTER, linked_only=True)
    assert set(found.table.column("dx").to_pylist()) == {None, "C61"}
    assert [number is None for number in found.numbers.to_pylist()] == [
        True,
        False,
        True,
        True,
        False,
    ]
    assert sorted(found.records.tolist()) == [1, 4]


def test_without_linked_persons_there_is_nothing_to_release() -> None:
    with pytest.raises(SettingError, match="Link records first, or release all records"):
        made(CLINIC, linked_only=True)


def test_names_of_columns_that_are_taken_get_an_underscore() -> None:
    named = renamed(CLINIC, dx="Person", note="born")
    found = made(replace(named, coarse=pa.table({"born": ["1950", "1960", "1970"]})))
    assert found.table.column_names == ["person", "database", "linked", "born", "Person_", "born_"]
    assert (found.coarse, found.sensitive) == (("born",), ("Person_", "born_"))


def test_pseudonyms_of_the_sensitive_values_stay_behind() -> None:
    numbers = pa.array([b"\xff" * 16] * 3, pa.binary(16))
    found = made(replace(CLINIC, sensitive=CLINIC.sensitive.append_column(PSEUDONYM, numbers)))
    assert found.sensitive == ("dx", "note")


def test_values_of_records_that_are_not_released_do_not_come_along() -> None:
    secret = [f"diagnosis of record {number}" for number in range(3)]
    cells = pa.array(secret).dictionary_encode()
    found = made(replace(CLINIC, sensitive=pa.table({"dx": cells})), REGISTER, linked_only=True)
    for form in FORMS:
        file = BytesIO()
        write(found.table, file, form)
        there = [each.encode() in file.getvalue() for each in secret]
        assert there == [False, True, False]


def test_two_releases_share_no_person_number(figure: Figure) -> None:
    world = make_world(7_700, seed=1)
    found = [set(made(*world.parts).table.column(PERSON).to_pylist()) for _ in range(5)]
    assert len(set.union(*found)) == sum(map(len, found))
    assert {len(number) for each in found for number in each} == {19}
    figure(f"person numbers of 5 releases of {len(found[0]):,} persons: 0 in common")


def test_no_two_persons_get_one_number_even_if_it_is_drawn_twice() -> None:
    dice, calls = random.Random(1), iter(range(9))

    def unlucky(size: int) -> bytes:
        return bytes(size) if next(calls) == 0 else dice.randbytes(size)

    found = release([CLINIC, REGISTER], linked_only=False, randomness=unlucky)
    assert len(set(found.table.column(PERSON).to_pylist())) == 4


def test_the_order_of_rows_says_nothing_about_that_of_records(figure: Figure) -> None:
    world = make_world(7_700, seed=2)
    found = world.released()
    records = found.records.tolist()
    assert sorted(records) == list(range(found.table.num_rows))
    costs = [
        *world.parts[0].sensitive.column("cost").to_pylist(),
        *[None] * world.parts[1].person.size,
    ]
    assert found.table.column("cost").to_pylist() == [costs[record] for record in records]
    correlation = tau(records)
    assert abs(correlation) < 0.03
    figure(
        f"record order and release order, {len(records):,} rows: Kendall's τ = {correlation:.4f}"
    )


def test_the_correlation_is_told() -> None:
    assert [tau(order) for order in ([0, 1, 2], [2, 1, 0], [3, 0, 1, 2])] == [1, -1, 0]


def tau(order: list[int]) -> float:
    """Return Kendall's correlation of an order with the natural one."""
    size = len(order)
    return 1 - 4 * _inversions(order)[1] / (size * (size - 1))


def _inversions(order: list[int]) -> tuple[list[int], int]:
    """Sort by merging, and count the pairs that stand the wrong way round."""
    if len(order) < 2:
        return order, 0
    middle = len(order) // 2
    (left, first), (right, second) = _inversions(order[:middle]), _inversions(order[middle:])
    merged: list[int] = []
    count, place = first + second, 0
    for each in right:
        while place < len(left) and left[place] < each:
            merged.append(left[place])
            place += 1
        count += len(left) - place
        merged.append(each)
    return merged + left[place:], count
