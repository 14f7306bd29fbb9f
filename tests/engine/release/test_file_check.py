"""The check of a written release: what it finds, and that it finds nothing else."""

from __future__ import annotations

import random
from base64 import b64encode
from collections.abc import Callable, Sequence
from io import BytesIO
from typing import Final

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis.strategies import binary, text

from mindfirl.core.errors import DataError
from mindfirl.core.values.column_values import CleanColumn
from mindfirl.core.values.standardise import is_possible
from mindfirl.engine.release.file_check import (
    Finding,
    Identifier,
    Identities,
    Secrets,
    check,
    decoded,
    pseudonyms,
)
from mindfirl.engine.release.formulas import is_formula
from mindfirl.engine.release.release_files import FORMS, Form, contents, write
from mindfirl.engine.release.table import PERSON, Part, release
from tests.conftest import Figure
from tests.support.alphabet import ATTRIBUTES, DATABASES, TRACED, code_points, schema_of
from tests.support.alphabet import make_world as make_traced_world
from tests.support.release_worlds import (
    World,
    checked,
    make_world,
    of_person,
    one_row,
    with_column,
)

LEAKS: Final = 1_000
# fmt: off
ENGLISH: Final = [
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
]
GERMAN: Final = [
    "Januar", "Februar", "März", "April", "Mai", "Juni", "Juli", "August", "September",
    "Oktober", "November", "Dezember",
]
FRENCH: Final = [
    "janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre",
    "octobre", "novembre", "décembre",
]
SPANISH: Final = [
    "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre",
    "octubre", "noviembre", "diciembre",
]
# fmt: on

NAMED: Final[list[Callable[[str], str]]] = [
    lambda name: f"Spoke to {name} on the phone.",
    lambda name: f"spoke to {name.upper()}, who agrees",
    lambda name: f"wife of {name.lower()}",
    lambda name: f"Mr.{name}'s results",
    lambda name: f"{name}/seen",
    lambda name: f"see letter_{name}_2.pdf",
    " ".join,
    lambda name: ".".join(name.upper()),
    lambda name: f"told \N{LEFT DOUBLE QUOTATION MARK}{name}\N{RIGHT DOUBLE QUOTATION MARK}",
    lambda name: name.replace("e", "é").replace("o", "ö"),
]
NUMBERED: Final[list[Callable[[str], str]]] = [
    str,
    lambda digits: str(int(digits)),
    lambda digits: f"{int(digits)}.0",
    lambda digits: f"{int(digits):,}",
    lambda digits: f"No. {digits}; paid",
    lambda digits: f"{digits[:3]}-{digits[3:5]}-{digits[5:]}",
    lambda digits: f"{digits[:3]} {digits[3:]}",
    lambda digits: f"id{digits}x",
    lambda digits: f"({digits})",
]
DATED: Final[list[Callable[[int, int, int], str]]] = [
    lambda y, m, d: f"{y}-{m:02}-{d:02}",
    lambda y, m, d: f"{y}/{m}/{d}",
    lambda y, m, d: f"{d:02}/{m:02}/{y % 100:02}",
    lambda y, m, d: f"{m}/{d}/{y}",
    lambda y, m, d: f"born {d}.{m}.{y}, well",
    lambda y, m, d: f"{y}{m:02}{d:02}",
    lambda y, m, d: f"{d:02}{m:02}{y}",
    lambda y, m, d: f"{d:02}{m:02}{y % 100:02}",
    lambda y, m, d: f"{y}-{m:02}-{d:02} 00:00:00",
    lambda y, m, d: f"{d} {ENGLISH[m - 1]} {y}",
    lambda y, m, d: f"{ENGLISH[m - 1][:3]} {d}th {y}",
    lambda y, m, d: f"{ENGLISH[m - 1]} {d}, {y}",
    lambda y, m, d: f"{d:02}{ENGLISH[m - 1][:3].upper()}{y}",
    lambda y, m, d: f"geb. am {d}. {GERMAN[m - 1]} {y}",
    lambda y, m, d: f"né le {d} {FRENCH[m - 1]} {y}",
    lambda y, m, d: f"el {d} de {SPANISH[m - 1]} de {y}",
]


@pytest.fixture(scope="module")
def world() -> World:
    return make_world(7_700, seed=3)


@pytest.mark.parametrize("form", FORMS)
def test_seeded_leaks_are_all_caught(world: World, form: Form, figure: Figure) -> None:
    found = world.released()
    identities = world.identities(found)
    dice = random.Random(11)
    kinds = {"word": _a_name, "number": _a_number, "date": _a_date}
    cells = {kind: [""] * found.table.num_rows for kind in kinds}
    rows = dice.sample(range(found.table.num_rows), found.table.num_rows)
    persons = found.table.column(PERSON).to_pylist()
    seeded = 0
    for row in rows:
        kind = list(kinds)[seeded % len(kinds)]
        leak = kinds[kind](identities[persons[row]], dice)
        if leak is not None and seeded < LEAKS:
            cells[kind][row] = leak
            seeded += 1
    table = found.table.select(["person", "database", "linked"])
    for kind, column in cells.items():
        table = table.append_column(f"with {kind}", pa.array(column))
    counts = {
        each.column: each.count
        for each in checked(table, identities, form)
        if each.kind in each.column
    }
    assert seeded == LEAKS
    assert sum(counts.values()) == LEAKS
    figure(f"seeded leaks in {form}: {sum(counts.values()):,} of {seeded:,} found, {counts}")


def test_clean_rows_raise_few_alarms(world: World, figure: Figure) -> None:
    found = world.released()
    alarms = checked(found.table, world.identities(found), known=world.ids)
    count = sum(each.count for each in alarms)
    assert found.table.num_rows > 10_000
    assert count < found.table.num_rows * 0.01
    figure(
        f"false alarms on {found.table.num_rows:,} clean rows with {len(found.sensitive)} "
        f"sensitive columns: {count} ({count / found.table.num_rows:.3%})"
    )


def test_values_of_another_record_of_the_person_are_found() -> None:
    columns = [("string", CleanColumn(["", "Miller", "Smith", "Jones"], np.array([1, 2, 3])))]
    numbers = pa.array(["P1", "P1", None])
    identities = Identities(numbers, columns)  # type: ignore[arg-type]  # a kind
    assert {number: identities[number] for number in identities} == (
        {"P1": [("string", "Miller"), ("string", "Smith")]}
    )
    assert len(identities) == 1
    found = [checked(one_row(name), identities) for name in ("Miller", "Smith", "Jones")]
    assert found == [(Finding("notes", "word", 1),)] * 2 + [()]


def test_each_person_has_the_values_of_their_own_records_alone() -> None:
    values = ["", "Miller", "Smith", "Jones", "Brown"]
    columns = [("string", CleanColumn(values, np.array([3, 1, 4, 0, 2])))]
    numbers = pa.array(["P3", "P1", "P3", "P2", "P2"])
    identities = Identities(numbers, columns)  # type: ignore[arg-type]  # a kind
    assert {number: [value for _, value in identities[number]] for number in identities} == {
        "P1": ["Miller"],
        "P2": ["Smith"],
        "P3": ["Jones", "Brown"],
    }


def test_values_of_other_persons_are_not_sought() -> None:
    identities: dict[str, list[Identifier]] = {**of_person(), "P2": [("string", "Miller")]}
    assert checked(one_row("Miller"), identities.items()) == ()


@pytest.mark.parametrize(
    "cell",
    [
        "4d696c6c6572",
        "4D696C6C6572",
        "TWlsbGVy",
        "key=4d696c6c6572;",
        "see TWlsbGVyIQ== there",
        "see TWlsbGVyIQ there",
        "77+9w6nDqU1pbGxlcg",
        "77-9w6nDqU1pbGxlcg",
    ],
)
def test_a_name_in_hexadecimal_digits_or_base_64_is_found(cell: str) -> None:
    person = of_person(("string", "Miller"))
    assert checked(one_row(cell), person.items()) == (Finding("notes", "word", 1),)


@pytest.mark.parametrize(
    ("cell", "readings"),
    [
        ("", []),
        ("abc", []),
        ("4d6a7a", ["Mjz"]),
        ("4d6a7a4d", ["MjzM"]),
        ("TWp6", ["Mjz"]),
        ("TWp6eg==", ["Mjzz"]),
        ("TWp6eg== or NGQ2YTdh", ["Mjzz", "4d6a7a"]),
        ("00010203", []),
        ("ffff", []),
    ],
)
def test_what_is_encoded_is_read_if_it_is_text(cell: str, readings: list[str]) -> None:
    assert list(decoded(cell)) == readings


def test_a_name_of_two_characters_is_found_where_names_are_so_short() -> None:
    person = of_person(("string", "王伟"))
    assert checked(one_row("王伟"), person.items()) == (Finding("notes", "word", 1),)
    assert checked(one_row("王"), person.items()) == ()


@pytest.mark.parametrize("name", ["first name", "First_Name", "FIRSTNAME"])
def test_a_column_that_is_called_like_an_identifying_one_is_found(name: str) -> None:
    assert checked(one_row("x", name), of_person().items()) == (
        (Finding(name, "identifying column", 1),)
    )


@pytest.mark.parametrize(
    "cell", ["=1+1", "+49 30", "-x", "@SUM(A1)", "\t=1", "\r=1", "-3.5+2", "＝1"]
)
def test_a_formula_is_found(cell: str) -> None:
    assert is_formula(cell)
    assert checked(one_row(cell), of_person().items()) == (Finding("notes", "formula", 1),)


@pytest.mark.parametrize(
    "cell", ["-3.5", "+7", "-1,234.56", "-1e-5", "-.5", "-20%", "-", "++", "", "x=1"]
)
def test_a_number_with_a_sign_is_no_formula(cell: str) -> None:
    assert checked(one_row(cell), of_person().items()) == ()


def test_the_name_of_a_column_can_be_a_formula() -> None:
    assert checked(one_row("x", "=x"), of_person().items()) == (Finding("=x", "formula", 1),)


def test_a_pseudonym_is_found_in_any_column() -> None:
    known: list[bytes | str] = ["P1", "P111222", b"\x01" * 16]
    assert checked(one_row("see p111222"), of_person().items(), known=known) == (
        (Finding("notes", "pseudonym", 1),)
    )
    table = one_row("x").set_column(0, PERSON, pa.array(["P111222"]))
    assert checked(table, {"P111222": []}.items(), known=known) == (
        Finding(PERSON, "pseudonym", 1),
    )


@pytest.mark.parametrize("name", ["person", "database", "linked"])
def test_a_value_that_the_release_does_not_have_is_found(name: str) -> None:
    table = one_row("x")
    table = table.set_column(table.column_names.index(name), name, pa.array(["Miller"]))
    assert checked(table, of_person().items()) == (Finding(name, "unexpected value", 1),)


@pytest.mark.parametrize(("name", "sound"), [("records", "12"), ("certainty", "below 0.9")])
def test_records_and_certainty_hold_nothing_else(name: str, sound: str) -> None:
    table = one_row("x").append_column(name, pa.array([sound]))
    assert checked(table, of_person(("fixed", "12")).items()) == ()
    wrong = one_row("x").append_column(name, pa.array(["Miller"]))
    assert checked(wrong, of_person().items()) == (Finding(name, "unexpected value", 1),)


@pytest.mark.parametrize("name", ["person", "database", "linked"])
def test_a_column_that_every_release_has_is_missed(name: str) -> None:
    found = checked(one_row("x").drop_columns([name]), of_person().items())
    assert found == (Finding(name, "unexpected value", 1),)


def test_what_every_release_has_is_told_before_what_is_wrong_in_the_columns_there_are() -> None:
    found = checked(one_row("=x").select(["notes"]), of_person().items())
    missed = tuple(
        Finding(name, "unexpected value", 1) for name in ("person", "database", "linked")
    )
    assert found == (*missed, Finding("notes", "formula", 1))


def test_findings_are_counted_by_column_and_kind_in_the_order_of_the_file() -> None:
    table = pa.concat_tables([one_row("=Miller 12345"), one_row("Miller"), one_row("x")])
    table = table.append_column("later", pa.array(["12345", "", ""]))
    person = of_person(("string", "Miller"), ("fixed", "12345"))
    assert checked(table, person.items()) == (
        Finding("notes", "formula", 1),
        Finding("notes", "number", 1),
        Finding("notes", "word", 2),
        Finding("later", "number", 1),
    )


def test_rows_that_are_lost_are_missed() -> None:
    file = BytesIO()
    write(one_row("x"), file, "csv")
    secrets = Secrets(of_person(), (), ("hospital",), pseudonyms([]))
    with pytest.raises(DataError, match="2 rows were written, and 1 are read back"):
        check(file, "csv", secrets, rows=2)


def test_progress_is_told_in_rows() -> None:
    file, told = BytesIO(), list[tuple[int, int]]()
    write(pa.concat_tables([one_row("x")] * 20_000), file, "csv")
    secrets = Secrets(of_person(), (), ("hospital",), pseudonyms([]))
    check(file, "csv", secrets, rows=20_000, progress=lambda done, of: told.append((done, of)))
    assert told == [(16_384, 20_000), (20_000, 20_000)]


def test_nothing_prints_what_a_file_is_held_against() -> None:
    secrets = Secrets(of_person(("string", "Miller")), (), (), pseudonyms(["Miller"]))
    assert "Miller" not in f"{secrets} {secrets.pseudonyms}".replace("miller", "Miller")


@pytest.mark.parametrize("form", FORMS)
def test_no_identifying_character_is_in_any_written_byte(form: Form, figure: Figure) -> None:
    traced = make_traced_world(5, people=400, strangers=0)
    size = traced.people
    parts = [
        Part(
            name,
            pa.table(
                {
                    column: [traced.secrets[at][place] for at in range(start, start + size)]
                    for place, column in enumerate(("diagnosis", "notes"))
                }
            ),
            np.arange(size),
            ["reviewed"] * size,
        )
        for name, start in zip(DATABASES, (0, size), strict=True)
    ]
    found = release(parts, linked_only=True, randomness=random.Random(1).randbytes)
    file = BytesIO()
    write(found.table, file, form)
    places = [ATTRIBUTES.index(name) for name in TRACED]
    values = {row[place] for row in traced.records for place in places}
    cells = [cell for batch in contents(file, form).batches for column in batch for cell in column]
    identifying = set("".join(values))
    assert sum(value.encode() in file.getvalue() for value in values if len(value) > 2) == 0
    assert not identifying & code_points("".join(cells))
    assert code_points("".join(cells)) == set("".join("".join(row) for row in traced.secrets))
    figure(f"identifying characters in a release as {form}, of {len(identifying):,}: 0")

    kinds = [(place, each.kind) for place, each in enumerate(schema_of("digits").attributes)]
    identities: dict[str, list[Identifier]] = {}
    for number, row in zip(found.numbers.to_pylist(), traced.records, strict=True):
        own = [(kind, row[place]) for place, kind in kinds if row[place]]
        identities.setdefault(number, []).extend(own)
    names = [traced.records[at][1] for at in found.records.tolist()]
    leaks = with_column(found, "leak", names)
    secrets = Secrets(identities, ATTRIBUTES, DATABASES, pseudonyms([]))
    file = BytesIO()
    write(leaks, file, form)
    assert check(file, form, secrets, rows=leaks.num_rows) == (
        (Finding("leak", "word", sum(map(bool, names))),)
    )


def _a_name(person: Sequence[Identifier], dice: random.Random) -> str | None:
    names = [
        word
        for kind, value in person
        if kind == "string"
        for word in value.split()
        if len(word) >= 3
    ]
    return dice.choice(NAMED)(dice.choice(names)) if names else None


def _a_number(person: Sequence[Identifier], dice: random.Random) -> str | None:
    numbers = [
        value
        for kind, value in person
        if kind == "fixed" and value.isdecimal() and int(value) > 999
    ]
    return dice.choice(NUMBERED)(dice.choice(numbers)) if numbers else None


def _a_date(person: Sequence[Identifier], dice: random.Random) -> str | None:
    dates = [
        value
        for kind, value in person
        if kind == "date" and value.count("-") == 2 and is_possible(value)
    ]
    if not dates:
        return None
    year, month, day = map(int, dice.choice(dates).split("-"))
    return dice.choice(DATED)(year, month, day)


NUMBER = bytes.fromhex("00112233445566778899aabbccddeeff")


@pytest.mark.parametrize(
    "text",
    [
        "00112233445566778899aabbccddeeff",
        "see 00112233-4455-6677-8899-AABBCCDDEEFF.",
        "ABEiM0RVZneImaq7zN3u/w==",
        "id=ABEiM0RVZneImaq7zN3u_w",
        "record h0000123",
        "H-0000123",
        "(h0000123)",
        "12345678",
    ],
)
def test_pseudonyms_are_found_where_they_stand_alone(text: str) -> None:
    assert pseudonyms([NUMBER, "H0000123", "12345678", "x1"]).stand_in(text)


@given(binary(min_size=8, max_size=40), text("0123456789abcdef", max_size=9))
def test_a_pseudonym_of_bytes_is_found_however_it_is_written(number: bytes, others: str) -> None:
    known = pseudonyms([number, bytes(9), bytes(16)])
    signs = b64encode(number).decode()
    for form in (signs, signs.translate(str.maketrans("+/", "-_"))):
        assert known.stand_in(form)
        assert known.stand_in(form.rstrip("="))
        assert known.stand_in(f"({form})")
    assert known.stand_in(number.hex())
    assert known.stand_in(f"{others}{number.hex().upper()}{others}")
    assert not pseudonyms([number]).stand_in(number.hex()[1:])
    assert not pseudonyms([number]).stand_in(signs.rstrip("=")[1:])


def test_pseudonyms_shorter_than_eight_bytes_are_refused() -> None:
    assert pseudonyms([bytes(8)]).stand_in("0" * 16)
    with pytest.raises(AssertionError):
        pseudonyms([bytes(7)])


@pytest.mark.parametrize("known", ["12345678", "a123", "Müller1"])
def test_a_text_that_is_long_enough_is_sought_as_a_pseudonym(known: str) -> None:
    assert pseudonyms([known]).stand_in(f"of {known.lower()} there")
    assert not pseudonyms([known]).stand_in(f"of {known.lower()}0 there")


@pytest.mark.parametrize("known", ["1234567", "a12"])
def test_a_text_that_could_be_anything_is_not_sought_as_a_pseudonym(known: str) -> None:
    assert not pseudonyms([known]).stand_in(f"of {known} there")


@pytest.mark.parametrize(
    "text", ["", "x1", "4711", "h00001234", "00112233445566778899aabbccddeef0"]
)
def test_what_is_too_short_or_longer_is_no_pseudonym(text: str) -> None:
    assert not pseudonyms([NUMBER, "h0000123", "4711", "x1"]).stand_in(text)
