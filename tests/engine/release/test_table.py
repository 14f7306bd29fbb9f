"""The linked de-identified table."""

from __future__ import annotations

import random
import secrets
from dataclasses import replace
from io import BytesIO
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis.strategies import lists, sampled_from, tuples

from mindfirl.core.errors import DataError, SettingError
from mindfirl.core.values.column_values import CleanColumn
from mindfirl.engine.reading.open_source import open_table
from mindfirl.engine.release.release_files import FORMS, write
from mindfirl.engine.release.table import (
    OF_PERSONS,
    PERSON,
    Anonymity,
    Part,
    Release,
    anonymity,
    coarse,
    coarse_name,
    coarsenable,
    person_numbers,
    rejoined,
    release,
    ways_to_coarsen,
)
from mindfirl.engine.schema.schema_file import Coarsening
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.engine.separation.separate import PSEUDONYM, RECORD, Separated, separate
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


def test_persons_come_with_their_records_and_certainty() -> None:
    sure = replace(CLINIC, certainty=["single", ">= 0.95", "single"])
    found = made(sure, replace(REGISTER, certainty=["single", ">= 0.95"]))
    assert found.table.column_names[3:5] == ["records", "certainty"]
    told = zip(*(found.table.column(name).to_pylist() for name in OF_PERSONS), strict=True)
    assert sorted(told) == [("1", "single")] * 3 + [("2", ">= 0.95")] * 2
    assert "records" not in made(sure, REGISTER).table.column_names, "of some it is not known"
    named = made(renamed(CLINIC, dx="Records"))
    assert named.sensitive[0] == "Records_", "the name is always taken"


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


def test_two_columns_never_get_one_name() -> None:
    found = made(renamed(CLINIC, dx="Person", note="person_"))
    assert found.sensitive == ("Person_", "person__")


def test_a_part_tells_of_as_many_records_everywhere() -> None:
    for wrong in (
        {"certainty": ["single", "single"]},
        {"linked": ["single", "single"]},
        {"person": np.array([0, 1])},
        {"coarse": pa.table({"born": ["1950"]})},
    ):
        with pytest.raises(AssertionError):
            replace(CLINIC, **wrong)


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


def test_a_person_number_has_two_halves_of_nine_digits_each() -> None:
    drawn = np.array([0, 999_999_999, 10**9 + 7, 2**64 - 1], dtype=np.uint64).tobytes()
    numbers = person_numbers(2, lambda size: drawn[:size]).to_pylist()
    assert numbers == ["P000000000999999999", "P000000007709551615"]
    assert person_numbers(1, lambda size: drawn[:size]).to_pylist() == numbers[:1]


def test_rows_stand_in_the_order_of_the_numbers_that_were_drawn_for_them() -> None:
    drawn = np.array([2**63 + 5, 1, 2**64 - 1, 3, 2], dtype=np.uint64).tobytes()
    dice = random.Random(1)

    def drawing(size: int) -> bytes:
        return drawn if size == len(drawn) else dice.randbytes(size)

    found = release([CLINIC, REGISTER], linked_only=False, randomness=drawing)
    assert found.records.tolist() == [1, 4, 3, 0, 2]


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


SCHEMA = """
record_id = "id"
[[attribute]]
name = "name"
kind = "string"
[[sensitive]]
name = "value"
column = "value"
"""


@pytest.fixture
def apart(tmp_path: Path) -> Separated:
    path = tmp_path / "people.csv"
    lines = [f"i{number},N{number},v{number}" for number in range(300)]
    path.write_text("\n".join(["id,name,value", *lines]), encoding="utf-8")
    schema = parse_schema(SCHEMA, "schema.toml")
    dice = random.Random(3)
    return separate(open_table(str(path)), schema, "people", randomness=dice.randbytes)


def test_every_record_gets_its_own_values_back(apart: Separated) -> None:
    found = rejoined(apart.identity.column(PSEUDONYM), apart.sensitive, apart.joining)
    assert found.column_names == ["value"]
    ids = apart.identity.column(RECORD).to_pylist()
    assert [each.replace("i", "v") for each in ids] == found.column("value").to_pylist()
    assert ids != sorted(ids)


def test_the_order_of_the_joining_table_does_not_matter(apart: Separated) -> None:
    turned = apart.joining.take(pa.array(range(299, -1, -1)))
    one, other = (
        rejoined(apart.identity.column(PSEUDONYM), apart.sensitive, joining)
        for joining in (apart.joining, turned)
    )
    assert one == other


def test_what_does_not_fit_together_is_refused(apart: Separated) -> None:
    pseudonyms = apart.identity.column(PSEUDONYM)
    for wrong in (
        (pseudonyms, apart.sensitive, apart.joining.slice(1)),
        (pseudonyms, apart.sensitive.slice(1), apart.joining),
        (pseudonyms.slice(1), apart.sensitive, apart.joining),
        (apart.sensitive.column(PSEUDONYM), apart.sensitive, apart.joining),
    ):
        with pytest.raises(DataError, match="do not match"):
            rejoined(*wrong)


DATES = CleanColumn(["", "1964-08-09", "1971", "1958-03"], np.array([1, 0, 2, 3, 1]))
CODES = CleanColumn(["", "16408", "22885", "9"], np.array([1, 2, 0, 3, 1]))


@pytest.mark.parametrize(
    ("column", "how", "kept"),
    [
        (DATES, "decade", ["1960s", None, "1970s", "1950s", "1960s"]),
        (DATES, "year", ["1964", None, "1971", "1958", "1964"]),
        (DATES, "month", ["1964-08", None, None, "1958-03", "1964-08"]),
        (CODES, 3, ["164", "228", None, "9", "164"]),
        (CODES, 1, ["1", "2", None, "9", "1"]),
    ],
)
def test_a_part_is_kept(column: CleanColumn, how: Coarsening, kept: list[str | None]) -> None:
    assert coarse("it", column, how).to_pylist() == kept


def test_what_would_leave_most_values_whole_is_refused() -> None:
    short = CleanColumn(["", "123", "1234"], np.array([1, 1, 2]))
    with pytest.raises(DataError, match="column zip: Most values would stay complete") as error:
        coarse("zip", short, 3)
    assert "123" not in str(error.value)
    assert coarse("zip", short, 2).to_pylist() == ["12", "12", "12"]
    assert coarse("zip", CleanColumn([""], np.array([0, 0])), 3).to_pylist() == [None, None]


def test_missing_values_do_not_count_as_shortened() -> None:
    mostly_missing = CleanColumn(["", "123", "4567"], np.array([0, 0, 0, 1, 1, 2]))
    with pytest.raises(DataError, match="Most values would stay complete"):
        coarse("zip", mostly_missing, 3)


def test_half_of_the_values_may_stay_whole() -> None:
    half = CleanColumn(["", "123", "4567"], np.array([0, 1, 2]))
    assert coarse("zip", half, 3).to_pylist() == [None, "123", "456"]


def test_only_quasi_identifiers_that_are_no_categories_can_be() -> None:
    kinds = {"fixed": "zip", "string": "street", "date": "born", "category": "sex"}
    attributes = [
        f'[[attribute]]\nname = "{name}"\nkind = "{kind}"\nrole = "quasi-identifier"'
        for kind, name in kinds.items()
    ]
    schema = parse_schema(
        "\n".join([*attributes, '[[attribute]]\nname = "number"\nkind = "fixed"']), "x"
    )
    assert coarsenable(schema) == {
        "zip": (1, 2, 3, 4),
        "street": (1, 2, 3, 4),
        "born": ("year", "month", "decade"),
    }
    assert ways_to_coarsen("category") == ()
    assert coarse_name("zip", 3) == "zip_3"


Row = tuple[str, str | None, str | None, str | None, str | None]
NAMES = ("person", "year", "zip", "dx", "site")


def found_in(rows: list[Row], coarse: tuple[str, ...] = ("year", "zip")) -> Anonymity | None:
    columns = [pa.array(column, pa.large_string()) for column in zip(*rows, strict=True)]
    table = pa.table(dict(zip(NAMES, columns, strict=True)))
    return anonymity(table, coarse=coarse, sensitive=("dx", "site"))


def test_a_person_with_two_rows_counts_once() -> None:
    rows: list[Row] = [("a", "1950", "123", "C50", None), ("a", "1950", "123", None, "colon")]
    assert found_in(rows) == Anonymity(1, {"dx": 1, "site": 1})
    rows.append(("b", "1950", "123", "I10", None))
    assert found_in(rows) == Anonymity(2, {"dx": 2, "site": 1})


def test_groups_that_share_one_value_stay_two() -> None:
    rows: list[Row] = [
        *((person, "1950", "123", "C50", None) for person in "ab"),
        ("c", "1950", "456", "C50", None),
        ("d", "1960", "123", "C50", None),
        *((person, "1960", "456", "C50", None) for person in "ef"),
    ]
    assert found_in(rows) == Anonymity(1, {"dx": 1})


def test_who_finds_a_person_in_one_row_learns_what_is_in_the_others() -> None:
    rows: list[Row] = [
        ("a", "1950", None, "C50", None),
        ("a", None, None, None, "skin"),
        ("b", "1950", None, "I10", None),
        ("b", None, None, None, "skin"),
        ("c", None, None, None, "colon"),
    ]
    assert found_in(rows) == Anonymity(2, {"dx": 2, "site": 1})


def test_without_coarsened_columns_there_is_nothing_to_count() -> None:
    assert found_in([("a", "1950", "123", "C50", None)], ()) is None


def test_l_is_that_of_the_column_with_the_fewest_values() -> None:
    assert Anonymity(4, {"dx": 3, "site": 2, "stage": 5}).l == 2


def test_where_nobody_has_a_value_nothing_is_learnt() -> None:
    found = found_in([("a", "1950", "123", None, "")])
    assert found == Anonymity(1, {})
    assert found.l is None


values = sampled_from([None, "", "x", "y", "z"])
rows = lists(tuples(sampled_from("abcde"), values, values, values, values), min_size=1, max_size=14)


@given(rows)
def test_k_and_l_are_those_of_the_definition(rows: list[Row]) -> None:
    filled = [tuple(cell or "" for cell in row) for row in rows]
    groups: dict[tuple[str, str], set[str]] = {}
    for person, year, place, *_ in filled:
        groups.setdefault((year, place), set()).add(person)
    fewest = {}
    for column, name in ((3, "dx"), (4, "site")):
        counts = [
            len({row[column] for row in filled if row[0] in persons and row[column]})
            for persons in groups.values()
        ]
        if any(counts):
            fewest[name] = min(filter(None, counts))
    assert found_in(rows) == Anonymity(min(map(len, groups.values())), fewest)
