"""Dates that are written in several columns."""

from __future__ import annotations

import pyarrow as pa
import pytest

from mindfirl.engine.schema.column_profile import ColumnProfile
from mindfirl.engine.schema.headings import PartHeading, part_heading
from mindfirl.engine.schema.profile import profile_table

YEARS = [str(1930 + number) for number in range(60)]
MONTHS = [str(number % 12 + 1) for number in range(60)]
DAYS = [f"{number % 28 + 1:02}" for number in range(60)]
DATES = ["-".join(parts) for parts in zip(YEARS, MONTHS, DAYS, strict=True)]


def profiled(**columns: list[str]) -> dict[str, ColumnProfile]:
    return {each.column: each for each in profile_table(pa.table(columns), "file")}


def headed(year: str, month: str, day: str) -> dict[str, ColumnProfile]:
    return profiled(**{year: YEARS, month: MONTHS, day: DAYS})


@pytest.mark.parametrize(
    ("heading", "found"),
    [
        ("birth_year", PartHeading("year", says_birth=True, others=())),
        ("Day of Birth", PartHeading("day", says_birth=True, others=())),
        ("dobMonth", PartHeading("month", says_birth=True, others=())),
        ("Fødselsår", PartHeading("year", says_birth=True, others=())),
        ("mother birth year", PartHeading("year", says_birth=True, others=("mother",))),
        ("month", PartHeading("month", says_birth=False, others=())),
        ("admission_day", PartHeading("day", says_birth=False, others=("admission",))),
        ("birth_date", None),
        ("surname", None),
    ],
)
def test_headings_of_parts(heading: str, found: PartHeading | None) -> None:
    assert part_heading(heading) == found


@pytest.mark.parametrize(
    "headings",
    [
        ("birth_year", "birth_month", "birth_day"),
        ("by", "bm", "bd"),
        ("yob", "mob", "dob"),
        ("Geburtsjahr", "Geburtsmonat", "Geburtstag"),
        ("Geburtsjahr", "Monat", "Tag"),
        ("année de naissance", "mois de naissance", "jour de naissance"),
        ("año_nacimiento", "mes_nacimiento", "dia_nacimiento"),
        ("geboortejaar", "geboortemaand", "geboortedag"),
        ("Anno di nascita", "Mese di nascita", "Giorno di nascita"),
        ("Rok urodzenia", "Miesiąc urodzenia", "Dzień urodzenia"),
        ("ano_nascimento", "mês_nascimento", "dia_nascimento"),
        ("Fødselsår", "Fødselsmåned", "Fødselsdag"),
        ("Födelseår", "Födelsemånad", "Födelsedag"),
    ],
)
def test_a_year_a_month_and_a_day_are_one_date(headings: tuple[str, str, str]) -> None:
    found = headed(*headings)
    assert [found[each].part for each in headings] == ["year", "month", "day"]
    assert {(each.attribute, each.kind) for each in found.values()} == {("birth_date", "date")}
    assert {each.role for each in found.values()} == {"quasi-identifier"}
    assert f"composed of {headings[0]}, {headings[1]} and" in found[headings[0]].warnings[0]


def test_bare_headings_are_taken_for_the_birth_date_with_a_warning() -> None:
    found = headed("year", "month", "day")
    assert found["day"].attribute == "birth_date"
    assert "read as the birth date, although no heading says so: check it" in found["year"].warnings


def test_bare_headings_beside_a_birth_date_stay_what_they_were() -> None:
    found = profiled(dob=DATES, year=YEARS, month=MONTHS, day=DAYS)
    assert found["dob"].kind == "date"
    assert {found[each].role for each in ("year", "month", "day")} == {"sensitive"}


def test_sensitive_dates_stay_sensitive() -> None:
    found = headed("admission_year", "admission_month", "admission_day")
    assert {each.role for each in found.values()} == {"sensitive"}
    assert {each.part for each in found.values()} == {None}


def test_dates_of_something_unknown_are_not_shown() -> None:
    found = headed("reg_year", "reg_month", "reg_day")
    assert {each.role for each in found.values()} == {"sensitive"}


def test_values_that_are_no_months_are_no_month() -> None:
    found = profiled(birth_year=YEARS, birth_month=[f"{n}x" for n in range(60)], birth_day=DAYS)
    assert {each.part for each in found.values()} == {None}


def test_a_second_year_leaves_the_columns_alone() -> None:
    found = profiled(birth_year=YEARS, year_of_birth=YEARS[::-1], birth_month=MONTHS)
    assert {each.part for each in found.values()} == {None}


def test_a_year_of_birth_alone_is_a_date_known_in_part() -> None:
    found = profiled(birth_year=YEARS)["birth_year"]
    assert (found.part, found.attribute, found.kind) == ("year", "birth_date", "date")


def test_years_of_two_digits_are_told() -> None:
    found = profiled(yob=[year[2:] for year in YEARS], mob=MONTHS, dob=DAYS)
    assert found["yob"].two_digit_years
    assert not found["mob"].two_digit_years
    assert any("two-digit years" in each for each in found["yob"].warnings)


def test_placeholders_do_not_hide_a_part() -> None:
    months = ["99", "00", *MONTHS[2:]]
    assert profiled(by=YEARS, bm=months, bd=DAYS)["bm"].part == "month"


def test_parts_of_a_date_that_is_there_whole_are_left_out() -> None:
    found = profiled(dob=DATES, birth_year=YEARS, birth_month=MONTHS, birth_day=DAYS)
    assert found["dob"].attribute == "birth_date"
    parts = [found[each] for each in ("birth_year", "birth_month", "birth_day")]
    assert {each.role for each in parts} == {"ignored"}
    assert {each.warnings for each in parts} == {("left out: dob has the whole date",)}


def test_a_whole_date_that_is_filled_less_often_gives_way_to_its_parts() -> None:
    dates = ["" if place % 3 else each for place, each in enumerate(DATES)]
    found = profiled(dob=dates, birth_year=YEARS, birth_month=MONTHS, birth_day=DAYS)
    assert found["dob"].role == "ignored"
    assert found["birth_month"].part == "month"
    year_alone = profiled(dob=dates, birth_year=YEARS)
    assert year_alone["dob"].role == "quasi-identifier"
    assert year_alone["birth_year"].role == "ignored"


def test_somebody_elses_birth_is_a_date_of_its_own() -> None:
    found = profiled(
        **{"birth year": YEARS, "birth month": MONTHS},
        **{"mother birth year": YEARS[::-1], "mother birth month": MONTHS},
    )
    assert found["birth year"].attribute == "birth_date"
    assert found["mother birth month"].attribute == "mother_birth_date"
