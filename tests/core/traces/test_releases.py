"""What is found of a person in a cell, and what is not."""

from __future__ import annotations

import pytest

from mindfirl.core.traces.releases import identifying_traces
from mindfirl.core.traces.repeats import read_text, repeats
from mindfirl.core.traces.thresholds import RELEASES
from mindfirl.core.values.schema import Kind


def holds(kind: Kind, value: str, text: str) -> bool:
    return any(repeats(read_text(text), identifying_traces(kind, value), RELEASES))


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Miller", "spoke to MILLER on the phone"),
        ("Miller", "Mr.Miller's wife"),
        ("Miller", "jmiller64@example.org"),
        ("Miller", "M i l l e r"),
        ("Miller", "M.I.L.L.E.R."),
        ("Miller", "Mil-ler"),
        ("Miller", "Mil\N{SOFT HYPHEN}ler"),
        ("Miller", "Ｍｉｌｌｅｒ"),
        ("Ann", "ann?"),
        ("Ann", "a n n"),
        ("Ann", "(Ann)"),
        ("Ann", "x_Ann_1964"),
        ("Anna-Maria", "called Maria"),
        ("Anna-Maria", "AnnaMaria"),
        ("O'Hara", "OHara"),
        ("O'Hara", "o hara"),
        ("Müller", "Mueller"),
        ("Müller", "Muller"),
        ("Mueller", "Herr Müller"),
        ("Muller", "Mu\N{COMBINING DIAERESIS}ller"),
        ("Strauß", "STRAUSS"),
        ("José", "Jose"),
        ("Łukasz", "lukasz"),
        ("van der Berg", "Frau Berg"),
        ("van der Berg", "vanderberg"),
        ("Van", "Van came"),
        ("Иванов", "пациент ИВАНОВ"),
        ("王小明", "患者王小明来院"),
        ("김민수", "환자 김민수는"),
        ("K1A 0B6", "lives at k1a-0b6 now"),
        ("12 North Street", "moved from North"),
    ],
)
def test_words_are_found_however_they_are_written(value: str, text: str) -> None:
    assert holds("string", value, text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("Ina", "in a week"),
        ("Rosa", "rosacea"),
        ("King", "taking and smoking"),
        ("Ann", "annual"),
        ("Li", "li"),
        ("van der Berg", "an der Hand, van de hand"),
        ("Miller", "mill era"),
        ("Herman", "her manner"),
        ("K1A 0B6", "k1a"),
    ],
)
def test_other_words_are_not_taken_for_them(value: str, text: str) -> None:
    assert not holds("string", value, text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("123456789", "no. 123456789."),
        ("123456789", "123-45-6789"),
        ("123-45-6789", "123 45 6789"),
        ("123-45-6789", "ends in 6789"),
        ("123456789", "1.234.567,89"),
        ("123456789", "x123456789y"),
        ("123456789", "DE00 1234 5678 90"),
        ("001234567", "1234567"),
        ("001234567", "1234567.0"),
        ("00012345", "12345.0"),
        ("12345", "(12345)"),
        ("12345", "12,345"),
        ("12345", "12 345"),
        ("12345", "012345"),
        ("12345", "0000012345"),
        ("12345", "12345-6789"),
        ("12345", "2014/12345"),
        ("12345", "ZIP:12345;"),
        ("12345", "in 12345 Town, 3 floors"),
        ("1234", "١٢٣٤"),
        ("A12345B", "a-12345-b"),
        ("1234567", "99123456799"),
    ],
)
def test_numbers_are_found_whatever_parts_their_digits(value: str, text: str) -> None:
    assert holds("fixed", value, text)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("123", "123"),
        ("1234", "1234.56"),
        ("1234", "12345"),
        ("12345", "12345.67"),
        ("12345", "1.12345"),
        ("2014", "2014-03-05"),
        ("12345", "1234567"),
        ("12345", "123456 and 7"),
        ("123456789", "12345678"),
        ("123456789", "1234 mg, then 56789 ml"),
    ],
)
def test_other_numbers_are_not_taken_for_them(value: str, text: str) -> None:
    assert not holds("fixed", value, text)


@pytest.mark.parametrize(
    "text",
    [
        "1964-08-09",
        "1964-08-09T00:00:00",
        "1964/8/9",
        "9.8.1964",
        "09. 08. 1964",
        "09/08/64",
        "08-09-64",
        "64 08 09",
        "19640809",
        "09081964",
        "9081964",
        "981964",
        "090864",
        "640809",
        "90864",
        "19640809120000",
        "1964-09-08",
        "9 August 1964",
        "9. August 1964",
        "Aug 9th 1964",
        "August 9, 1964",
        "on the 9th of August, 1964",
        "1964 Aug 09",
        "09AUG1964",
        "9-Aug-64",
        "9 août 1964",
        "le 9 aout 1964",
        "9 de agosto de 1964",
        "9 agosto 1964",
        "born 9.8.64 in town",
        "CPR 090864-1234",
        "٠٩/٠٨/١٩٦٤",
    ],
)
def test_dates_are_found_in_any_order_and_form(text: str) -> None:
    assert holds("date", "1964-08-09", text)


@pytest.mark.parametrize(
    ("born", "text"),
    [
        ("1964-03-01", "1. März 1964"),
        ("1964-03-01", "1. Maerz 1964"),
        ("1964-03-01", "1er mars 1964"),
        ("1964-03-01", "1 mrz 64"),
        ("1964-01-31", "31 enero 1964"),
        ("1964-12-31", "31. Dez. 1964"),
        ("1964-12-31", "31 déc. 1964"),
        ("1964-07-31", "31 juil 1964"),
        ("1964-05-31", "31 de mayo del 1964"),
        ("1964-08", "August 1964"),
        ("1964-08", "08/1964"),
        ("1964-08", "since 1964-08-30"),
        ("1964-13-09", "13/09/1964"),
    ],
)
def test_months_are_known_by_their_names(born: str, text: str) -> None:
    assert holds("date", born, text)


@pytest.mark.parametrize(
    ("born", "text"),
    [
        ("1964-08-09", "1964"),
        ("1964-08-09", "1964-08"),
        ("1964-08-09", "August 1964"),
        ("1964-08-09", "9 August"),
        ("1964-08-09", "1964-08-10"),
        ("1964-08-09", "2064-08-09"),
        ("1964-08-09", "9 patients in August, 12 doctors and 40 nurses came until 1964"),
        ("1964", "1964"),
    ],
)
def test_other_dates_are_not_taken_for_it(born: str, text: str) -> None:
    assert not holds("date", born, text)


def test_values_of_categories_are_not_sought() -> None:
    assert not holds("category", "Miller 12345", "Miller 12345")
