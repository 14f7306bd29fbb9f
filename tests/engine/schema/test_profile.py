"""What columns hold, without a value; and the schema proposed from it."""

from __future__ import annotations

import random
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.errors import DataError
from mindfirl.engine.reading.open_source import open_table
from mindfirl.engine.schema.column_profile import ColumnProfile
from mindfirl.engine.schema.contents import shape
from mindfirl.engine.schema.headings import MEANINGS, Meaning, content_of, is_personal, meaning
from mindfirl.engine.schema.profile import profile_column, profile_source, profile_table
from mindfirl.synthetic.linked_databases import databases


@pytest.mark.parametrize(
    ("value", "seen"),
    [
        ("Mary", "Aaaa"),
        ("Elisabeth", "Aaaa"),
        ("08/09/1964", "99/99/9999"),
        ("O'Brien-SMITH", "A'Aaaa-AAAA"),
        ("Zoe\u0301 Ünal", "Aaaa Aaaa"),
        ("123456789012345", "9…9"),
        ("x" * 200, "aaa"),
        ("a1" * 200, "a9" * 20 + "…"),
        ("李小龙", "aaa"),
        ("\ue000\ue001", "aa"),
        ("a\nb", "aaa"),
    ],
)
def test_shapes(value: str, seen: str) -> None:
    assert shape(value) == seen


@given(st.text())
def test_a_shape_holds_no_letter_and_no_digit_of_the_value(value: str) -> None:
    assert not [each for each in shape(value) if each.isalnum() and each not in "Aa9"]


@pytest.mark.parametrize(
    ("heading", "expected"),
    [
        ("given_name", Meaning("identifier", "first_name", "string")),
        (" Last Name ", Meaning("identifier", "last_name", "string")),
        ("dateOfBirth", Meaning("quasi-identifier", "birth_date", "date")),
        ("Patient DOB", Meaning("quasi-identifier", "birth_date", "date")),
        ("rec_id", Meaning("record id")),
        ("primary_diagnosis", Meaning("sensitive")),
        ("house number", Meaning("identifier", "street_number", "string")),
        ("age", Meaning("quasi-identifier", "age", "fixed")),
        ("phone_number", Meaning("identifier", "phone", "fixed")),
        ("blocking_number", Meaning("ignored")),
        ("drug_name", Meaning("sensitive")),
        ("disease_name", Meaning("sensitive")),
        ("Medication Name", Meaning("sensitive")),
        ("medications_name", Meaning("sensitive")),
        ("treatment_place", Meaning("sensitive")),
        ("hiv_status_id", Meaning("sensitive")),
        ("HIVStatusID", Meaning("sensitive")),
        ("condition_key", Meaning("sensitive")),
        ("age at diagnosis", Meaning("sensitive")),
        ("block of tests", Meaning("sensitive")),
        ("Vorname", Meaning("identifier", "first_name", "string")),
        ("Nachname", Meaning("identifier", "last_name", "string")),
        ("Geb.-Datum", Meaning("quasi-identifier", "birth_date", "date")),
        ("Geburtsdatum", Meaning("quasi-identifier", "birth_date", "date")),
        ("Geschlecht", Meaning("quasi-identifier", "sex", "category")),
        ("Straße", Meaning("identifier", "street", "string")),
        ("STRASSE", Meaning("identifier", "street", "string")),
        ("Prénom", Meaning("identifier", "first_name", "string")),
        ("PatNr", Meaning("record id")),
        ("Telefon-Nr.", Meaning("identifier", "phone", "fixed")),
        ("NOM", Meaning("identifier", "last_name", "string")),
        ("nom du chien", None),
        ("Imię", Meaning("identifier", "first_name", "string")),
        ("Płeć", Meaning("quasi-identifier", "sex", "category")),
        ("Cognome", Meaning("identifier", "last_name", "string")),
        ("CAP", Meaning("quasi-identifier", "zip", "fixed")),
        ("Código Postal", Meaning("quasi-identifier", "zip", "fixed")),
        ("Teléfono móvil", Meaning("identifier", "phone", "fixed")),
        ("Kjønn", Meaning("quasi-identifier", "sex", "category")),
        ("Fødselsnummer", Meaning("identifier", "number", "fixed")),
        ("Personnummer", Meaning("identifier", "number", "fixed")),
        ("Codice Fiscale", Meaning("identifier", "number", "fixed")),
        ("e-post", Meaning("identifier", "email", "string")),
        ("Data de Nascimento", Meaning("quasi-identifier", "birth_date", "date")),
        ("Data urodzenia", Meaning("quasi-identifier", "birth_date", "date")),
        ("place of birth", Meaning("quasi-identifier", "birth_place", "string")),
        ("Geburtsname", Meaning("identifier", "birth_name", "string")),
        ("Woonplaats", Meaning("quasi-identifier", "city", "string")),
        ("date de décès", Meaning("sensitive")),
        ("Diagnose", Meaning("sensitive")),
        ("whatever", None),
        ("Name, Vorname", Meaning("identifier", "name", "string")),
        ("Vor- und Nachname", Meaning("identifier", "name", "string")),
        ("Last name, first name", Meaning("identifier", "name", "string")),
        ("Apellidos y nombre", Meaning("identifier", "name", "string")),
        ("NAME_FIRST", Meaning("identifier", "first_name", "string")),
        ("Straße und Hausnummer", Meaning("identifier", "street", "string")),
        ("Nom, prénom du père", Meaning("identifier", "nom_prénom_du_père", "string")),
        ("E-Mail-Adresse", Meaning("identifier", "email", "string")),
        ("employer_name", Meaning("identifier", "employer_name", "string")),
        ("Mutter Vorname", Meaning("identifier", "mutter_vorname", "string")),
        ("employer_id", Meaning("record id")),
        ("relationship_to_reference_person", None),
        ("patient_last_name", Meaning("identifier", "last_name", "string")),
        ("mailing_address_street_name", Meaning("identifier", "street", "string")),
        ("email_address", Meaning("identifier", "email", "string")),
        ("LAST_NM", Meaning("identifier", "last_name", "string")),
        ("BIRTH_DT", Meaning("quasi-identifier", "birth_date", "date")),
        ("apellido1", Meaning("identifier", "last_name", "string")),
        ("Apellido 2", Meaning("identifier", "last_name_2", "string")),
        ("segundo_apellido", Meaning("identifier", "last_name_2", "string")),
        ("zip5", Meaning("quasi-identifier", "zip", "fixed")),
        ("Forenames", Meaning("identifier", "first_name", "string")),
        ("Soc Sec No", Meaning("identifier", "number", "fixed")),
        ("M/F", Meaning("quasi-identifier", "sex", "category")),
        ("Gndr", Meaning("quasi-identifier", "sex", "category")),
        ("Race code", Meaning("quasi-identifier", "race", "category")),
        ("NAME2", Meaning("identifier", "name_2", "string")),
        ("id2", None),
        ("dose2", Meaning("sensitive")),
        ("NM_MAE", Meaning("identifier", "nm_mae", "string")),
        ("Họ", Meaning("identifier", "last_name", "string")),
        ("Otchestvo", Meaning("identifier", "middle_name", "string")),
    ],
)
def test_headings(heading: str, expected: Meaning | None) -> None:
    assert meaning(heading) == expected


def test_what_an_attribute_holds_is_known_by_its_name() -> None:
    names = ("zip", "postcode", "mobile", "phone_2", "last_name", "whatever")
    assert [content_of(each) for each in names] == (
        ["postcode", "postcode", "phone", "phone", "text", "text"]
    )


@pytest.mark.parametrize(
    ("name", "personal"),
    [
        ("given_name", True),
        ("Vorname", True),
        ("prénom", True),
        ("imię", True),
        ("nombre", True),
        ("nhs_number", True),
        ("dob", True),
        ("last_name", False),
        ("street_number", False),
        ("phone_number", False),
        ("email", False),
        ("whatever", False),
    ],
)
def test_in_what_relatives_differ_is_known_by_its_name(name: str, *, personal: bool) -> None:
    assert is_personal(name) == personal


def test_every_known_heading_is_written_as_it_is_looked_up() -> None:
    for word, known in MEANINGS.items():
        assert meaning(word) == known


def column(name: str, cells: list[str]) -> ColumnProfile:
    return profile_column(pa.chunked_array([cells], pa.string()), "file", name)


@pytest.mark.parametrize(
    ("cells", "reason"),
    [
        ([str(4_711 + place) for place in range(177)], "nearly unique: it tells people apart"),
        ([f"K{place:06}" for place in range(177)], "looks like a number or code of a person"),
        ([f"Seen on ward {place} once more" for place in range(177)], "free text"),
    ],
)
def test_a_sensitive_column_that_tells_people_apart_is_proposed_as_not_imported(
    cells: list[str], reason: str
) -> None:
    for heading in ("diagnosis", "unheard of"):
        found = column(heading, cells)
        assert found.role == "ignored"
        assert any(warning.startswith(reason) for warning in found.warnings)


def test_of_dates_that_nearly_tell_people_apart_the_month_is_proposed() -> None:
    dates = [f"{2000 + n % 20}-{n % 12 + 1:02}-{n % 28 + 1:02}" for n in range(200)]
    found = column("admitted", dates)
    assert (found.role, found.coarsen) == ("sensitive", "month")
    assert found.warnings == ("dates that nearly tell people apart: the month is kept",)
    assert column("admitted", dates[:20] * 10).coarsen is None


def test_kinds_and_roles_by_content() -> None:
    dice = random.Random(1)
    numbers = [str(dice.randrange(10**8, 10**9)) for _ in range(200)]
    assert column("id", numbers).role == "record id"
    assert column("id", ["1"] * 200).role == "ignored"
    assert column("ssn", numbers).kind == "fixed"
    assert column("unheard of", [number[:2] for number in numbers]).role == "sensitive"
    assert column("unheard of", numbers).kind is None
    assert column("sex", ["F", "M"] * 100).kind == "category"
    assert column("state", [f"place {at}" for at in range(200)]).kind == "string"
    assert column("first name", [""] * 5).role == "ignored"
    dates = [
        f"{dice.randint(13, 28)}.{dice.randint(1, 12):02}.19{dice.randint(30, 99)}"
        for _ in range(99)
    ]
    for heading in ("unheard of", "relapse_on", "date", "treatment date"):
        assert (column(heading, dates).role, column(heading, dates).kind) == ("sensitive", None)
    born = column("day of birth", dates)
    assert (born.role, born.kind, born.date_order) == ("quasi-identifier", "date", "dmy")
    assert born.attribute == "birth_date"
    assert column("day of birth", numbers).role == "ignored"
    packed = column("dob", ["19391110", "19640131", "19649931"] * 40)
    assert (packed.kind, packed.date_order) == ("date", "ymd")
    assert column("dob", ["long ago", "19391110", "never"] * 40).kind == "string"


def test_warnings() -> None:
    assert column("sex", ["F"] * 20).warnings == ("constant: it tells nobody apart",)
    assert column("zip", [f"{at:05}" for at in range(1, 99)]).warnings == (
        "nearly unique: it identifies rather than describes",
    )
    dates = ["01/31/1970"] * 95 + ["31/31/1970"] * 5
    assert column("dob", dates).warnings == ("fewer than 10 values cannot be a date in this order",)
    assert column("notes", ["many words " * 9] * 2 + ["few"]).warnings == (
        "free text: it may name people",
    )
    assert column("notes", ["Spoke to the man himself", "few"]).warnings == (
        "free text: it may name people",
    )
    assert column("zip", ["", ""]).warnings == ("empty",)
    assert column("unheard of", [f"x{at}" for at in range(99)]).warnings == (
        "unknown heading: make sure that it names nobody, or leave it out",
        "nearly unique: it tells people apart in the linked data",
    )
    names = ["NA", "n/a", "Null", "Anna", "Nullo"]
    assert column("name", names).warnings == ("fewer than 10 values will be taken for missing",)
    assert column("ssn", ["999999999", "123456789"]).warnings == (
        "fewer than 10 values will be taken for missing",
    )


def test_warnings_about_dates() -> None:
    days = range(1, 13)
    either = [f"{day:02}/{month:02}/1970" for day in days for month in days] * 2
    assert column("dob", either).warnings == (
        "ambiguous: nothing tells day from month, taken as month/day/year",
    )
    mixed = ["31/12/1970"] * 60 + ["12/31/1970"] * 40
    assert column("dob", mixed).warnings == (
        "40 values cannot be a date in this order",
        "mixed date orders: 40 values can only be read otherwise than as day/month/year",
    )
    short = column("born on", ["31.12.70", "30.11.05", "1.2.03"] * 9)
    assert (short.role, short.kind, short.date_order) == ("quasi-identifier", "date", "dmy")
    assert short.two_digit_years
    assert short.warnings == ("two-digit years: latest_year decides the century",)
    iso = column("dob", ["1970-12-31", "1970-11-30", "1970-02-03 00:00", "1970-05"])
    assert (iso.kind, iso.date_order, iso.warnings) == ("date", None, ())


def test_few_mistakes_leave_a_category_a_category() -> None:
    states = ["vic", "nsw"] * 500 + [f"v{at}" for at in range(50)]
    assert column("state", states).kind == "category"


def test_typed_columns_count_by_their_text() -> None:
    codes = pa.chunked_array([pa.array(["F", " F", None, ""]).dictionary_encode()])
    assert profile_column(codes, "file", "sex").distinct == 1
    numbers = profile_column(pa.chunked_array([[1.0, 2.5, None]]), "file", "cost")
    assert (numbers.filled, numbers.distinct, numbers.shapes) == (2, 2, ())
    broken = pa.chunked_array([pa.array([b"\xff"]).cast(pa.string(), safe=False)])
    with pytest.raises(DataError, match="column x: the column holds text that is not UTF-8"):
        profile_column(broken, "file", "x")


def test_warnings_of_headings_that_promise_too_much() -> None:
    ids = ["1", "2", "2", ""]
    assert column("id", ids).warnings == ("no record id: 1 are missing and 1 repeat others",)
    born = column("dob", ["5 May 1980", "soon", "long ago"] * 9)
    assert born.kind == "string"
    assert born.warnings == ("headed like a date, but few values can be read as one",)


def test_columns_that_are_no_text_are_left_out(tmp_path: Path) -> None:
    table = pa.table({"last_name": ["Ann", "Bea"], "scan": pa.array([b"x", b"y"])})
    pyarrow.parquet.write_table(table, tmp_path / "x.parquet")
    name, scan = profile_source(open_table(str(tmp_path / "x.parquet")), "x")
    assert (name.role, scan.role) == ("identifier", "ignored")
    assert "neither text nor number" in scan.warnings[0]
    pyarrow.parquet.write_table(table[:0], tmp_path / "x.parquet")
    with pytest.raises(DataError, match=r"x\.parquet: there is no record in it"):
        profile_source(open_table(str(tmp_path / "x.parquet")), "x")


def test_a_heading_that_looks_like_its_values(tmp_path: Path) -> None:
    path = tmp_path / "x.csv"
    path.write_text("last_name,Secret48692\nAnn,Secret11111\nBea,Secret22222\n", encoding="utf-8")
    with pytest.raises(DataError, match="header, column 2 of 2: the name looks like") as caught:
        profile_source(open_table(str(path)), "x")
    assert "Secret" not in str(caught.value)


def test_rare_shapes_are_not_shown() -> None:
    cells = ["Mary"] * 50 + ["X-77 secret"] * 3
    assert column("name", cells).shapes == ("Aaaa",)


def test_profiles_hold_no_value() -> None:
    made = databases(500, seed=4)
    values = {
        value
        for row in made.hospital.to_pylist()
        for value in row.values()
        if value and len(value) > 3
    }
    text = repr(profile_table(made.hospital, "hospital"))
    assert not [value for value in values if value in text]


def profiled(**columns: list[str]) -> dict[str, ColumnProfile]:
    return {each.column: each for each in profile_table(pa.table(columns), "people")}


FIRST = [f"{'ABCDEFGHIJKL'[number]}nna" for number in range(12)]
LAST = [f"{'ABCDEFGHIJKL'[number]}erg" for number in range(12)]
MANY = [f"{one}{two}na" for one in "ABCDEFGH" for two in "aeiouxyz"]


@pytest.mark.parametrize(
    ("columns", "attribute"),
    [
        ({"Vorname": FIRST, "Name": LAST}, "last_name"),
        ({"Name": LAST}, "name"),
        ({"Vorname": FIRST, "Nachname": LAST, "Name": LAST}, "name"),
        ({"Vorname": MANY, "Name": [f"{one} BERG" for one in MANY]}, "name"),
    ],
)
def test_a_name_beside_a_first_name_is_the_last_name(
    columns: dict[str, list[str]], attribute: str
) -> None:
    assert profiled(**columns)["Name"].attribute == attribute


@pytest.mark.parametrize("heading", ["Adresse", "contact"])
def test_what_holds_e_mail_addresses_is_e_mail(heading: str) -> None:
    mails = [f"{name}.{number}@post.example" for number, name in enumerate(FIRST)]
    assert profiled(**{heading: mails}, first_name=FIRST)[heading].attribute == "email"
    places = [f"{number} High Street" for number in range(12)]
    assert profiled(**{heading: places}, first_name=FIRST)[heading].attribute != "email"


def test_of_two_numbered_names_the_one_with_fewer_values_is_the_first_name() -> None:
    few, many = FIRST * 4, [f"{one}{two}erg" for one in "ABCDEFGH" for two in "aeiouy"]
    found = profiled(NAME1=many, NAME2=few)
    assert [each.attribute for each in found.values()] == ["last_name", "first_name"]
    assert all("check it" in each.warnings[-1] for each in found.values())
    turned = profiled(NAME1=few, NAME2=many)
    assert [each.attribute for each in turned.values()] == ["first_name", "last_name"]
    beside = profiled(NAME1=many, NAME2=few, first_name=FIRST * 4)
    assert [each.attribute for each in beside.values()] == ["name", "name_2", "first_name"]


@pytest.mark.parametrize(
    ("heading", "values", "others", "role"),
    [
        ("codice", [f"a{number:03}" for number in range(12)], {}, "record id"),
        ("codice", [f"a{number:03}" for number in range(12)], {"id": FIRST}, "ignored"),
        ("codice", [f"a{number // 2:03}" for number in range(12)], {}, "sensitive"),
        ("codice", [f"a {number}" for number in range(12)], {}, "ignored"),
        ("codice", FIRST, {}, "ignored"),
        ("Person Ref", [f"{number:03}" for number in range(12)], {}, "record id"),
        ("Person Ref", [f"{number // 2:03}" for number in range(12)], {}, "sensitive"),
        ("Person", FIRST, {}, "identifier"),
        ("town", [f"a{number:03}" for number in range(12)], {}, "quasi-identifier"),
        ("notes", [f"a{number:03}" for number in range(12)], {}, "ignored"),
    ],
)
def test_a_first_column_of_codes_is_the_record_id(
    heading: str, values: list[str], others: dict[str, list[str]], role: str
) -> None:
    found = profiled(**{heading: values}, first_name=FIRST, **others)
    assert found[heading].role == role
