"""Raw text to canonical value."""

from __future__ import annotations

import unicodedata
from datetime import date, datetime
from decimal import Decimal
from typing import Any
from uuid import UUID

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.errors import DataError
from mindfirl.core.values.schema import CASES, DATE_ORDERS, Case, DateOrder, Kind, Settings
from mindfirl.core.values.standardise import (
    characters,
    date_parts,
    graphemes,
    is_possible,
    standardise,
)

PLAIN = Settings()


@pytest.mark.parametrize(
    ("raw", "text"),
    [
        ("  Mary \t Ann\u00a0Lee\n", "Mary Ann Lee"),
        ("Zoe\u0301", "Zoé"),
        ("", ""),
        ("   ", ""),
        (None, ""),
        (float("nan"), ""),
        (np.float32("nan"), ""),
        (np.float32(0.1), "0.1"),
        (Decimal("NaN"), ""),
        (np.datetime64("NaT"), ""),
        (pd.NA, ""),
        (pd.NaT, ""),
        (12345, "12345"),
        (np.int64(7), "7"),
        (12345.0, "12345"),
        (1.5, "1.5"),
        (Decimal("10.50"), "10.50"),
        (UUID(int=1), "00000000-0000-0000-0000-000000000001"),
        (True, "True"),
    ],
)
def test_text(raw: object, text: str) -> None:
    assert standardise(raw, "string", PLAIN) == text


@pytest.mark.parametrize(
    "raw", [b"Mary", ["Mary"], {"Mary": 1}, object(), pytest.param(10**5000, id="long")]
)
def test_what_is_no_value_is_refused_by_its_type(raw: object) -> None:
    with pytest.raises(DataError, match="neither a text nor a number nor a date") as caught:
        standardise(raw, "string", PLAIN)
    assert "Mary" not in str(caught.value)


def test_a_value_longer_than_any_real_one_is_refused() -> None:
    with pytest.raises(DataError, match="20,001 characters, more than 20,000"):
        standardise("x" * 20_001, "string", PLAIN)


def test_case() -> None:
    assert standardise("e\u0301\u0323", "string", Settings(case="upper")) == "\u1eb8\u0301"
    assert standardise("Straße", "string", Settings(case="upper")) == "STRASSE"
    assert standardise("Straße", "string", PLAIN) == "Straße"


@given(st.text(), st.sampled_from(["string", "fixed", "category"]), st.sampled_from(CASES))
def test_standardising_twice_is_standardising_once(raw: str, kind: Kind, case: Case) -> None:
    settings = Settings(case=case)
    once = standardise(raw, kind, settings)
    assert standardise(once, kind, settings) == once
    assert unicodedata.is_normalized("NFC", once)


@pytest.mark.parametrize(
    ("raw", "order", "iso"),
    [
        ("08/09/1964", "mdy", "1964-08-09"),
        ("08/09/1964", "dmy", "1964-09-08"),
        ("8.9.1964", "dmy", "1964-09-08"),
        ("8-9-1964", "mdy", "1964-08-09"),
        ("08 09 1964", "mdy", "1964-08-09"),
        ("1964-08-09", "mdy", "1964-08-09"),
        ("1964-08-09", "dmy", "1964-08-09"),
        ("1964/8/9", "ymd", "1964-08-09"),
        ("1964 08 09", "ymd", "1964-08-09"),
        ("1964-08-09T00:00:00Z", "mdy", "1964-08-09"),
        ("1964-08-09 00:00:00.000", "mdy", "1964-08-09"),
        ("19640809", "ymd", "1964-08-09"),
        ("08091964", "mdy", "1964-08-09"),
        ("08091964", "dmy", "1964-09-08"),
        ("13/45/1964", "mdy", "1964-13-45"),
        ("1964", "mdy", "1964"),
        ("1964-08", "dmy", "1964-08"),
        ("08/1964", "mdy", "1964-08"),
        ("8.1964", "ymd", "1964-08"),
        (date(1964, 8, 9), "dmy", "1964-08-09"),
        (datetime(1964, 8, 9, 12, 30), "mdy", "1964-08-09"),
        (np.datetime64("1964-08-09", "ns"), "mdy", "1964-08-09"),
        (pd.Timestamp("1964-08-09"), "dmy", "1964-08-09"),
        ("08/09/1964 00:00:00", "mdy", "1964-08-09"),
        ("", "mdy", ""),
        (None, "mdy", ""),
    ],
)
def test_dates(raw: Any, order: DateOrder, iso: str) -> None:
    settings = Settings(date_order=order)
    assert standardise(raw, "date", settings) == iso
    assert standardise(iso, "date", settings) == iso


@pytest.mark.parametrize(
    "raw",
    [
        "Mary",
        "08/09/64",
        "08/09-1964",
        "1964-8-9-1",
        "08/09/1964 2001",
        "1964-08-09 2001",
        "196408",
        "8/9",
        "٠٨/٠٩/١٩٦٤",
        "3",
    ],
)
@pytest.mark.parametrize("order", DATE_ORDERS)
def test_what_lacks_the_shape_of_a_date_is_refused(raw: str, order: DateOrder) -> None:
    with pytest.raises(DataError, match="does not have the shape of a date") as caught:
        standardise(raw, "date", Settings(date_order=order))
    assert raw not in str(caught.value)


@pytest.mark.parametrize(
    ("raw", "order", "iso"),
    [
        ("04/07/76", "dmy", "1976-07-04"),
        ("04/07/76", "mdy", "1976-04-07"),
        ("4.7.26 10:30", "dmy", "2026-07-04"),
        ("4.7.27", "dmy", "1927-07-04"),
        ("04-07-00", "mdy", "2000-04-07"),
        ("76-07-04", "ymd", "1976-07-04"),
        ("76-7-4T10:30", "ymd", "1976-07-04"),
        ("76-07-04", "mdy", "2004-76-07"),
        ("040776", "dmy", "1976-07-04"),
        ("040776", "mdy", "1976-04-07"),
        ("760704", "ymd", "1976-07-04"),
        ("08/09/1964", "mdy", "1964-08-09"),
    ],
)
def test_years_of_two_digits(raw: str, order: DateOrder, iso: str) -> None:
    settings = Settings(date_order=order, latest_year=2026)
    assert standardise(raw, "date", settings) == iso
    assert standardise(iso, "date", settings) == iso


@pytest.mark.parametrize("raw", ["4/7/6", "4/76", "04/07-76", "0407761", "Mary"])
def test_what_lacks_the_shape_of_a_short_date_is_refused(raw: str) -> None:
    with pytest.raises(DataError, match="does not have the shape of a date"):
        standardise(raw, "date", Settings(latest_year=2026))


def test_early_years_have_four_digits() -> None:
    assert standardise("01/01/99", "date", Settings(latest_year=1050)) == "0999-01-01"


@pytest.mark.parametrize(
    ("day", "possible"),
    [
        ("1964-02-29", True),
        ("1963-02-29", False),
        ("1900-02-29", False),
        ("2000-02-29", True),
        ("1964-04-31", False),
        ("1964-00-01", False),
        ("1964-13", False),
        ("1964-12", True),
        ("1964-12-00", False),
        ("1964", True),
        ("0000", False),
    ],
)
def test_days_that_there_were(day: str, *, possible: bool) -> None:
    assert is_possible(day) is possible


def test_a_year_at_the_end_has_no_order_of_month_and_day_in_ymd() -> None:
    with pytest.raises(DataError, match="year-month-day"):
        standardise("08/09/1964", "date", Settings(date_order="ymd"))


def test_characters() -> None:
    assert characters("1964-08-09", "date", "mdy") == "08091964"
    assert characters("1964-08", "date", "dmy") == "081964"
    assert characters("1964", "date", "mdy") == "1964"
    assert characters("", "date", "mdy") == ""
    assert characters("Hispanic", "category", "mdy") == ("Hispanic",)
    assert characters("F", "category", "mdy") == "F"
    assert characters("", "category", "mdy") == ""
    assert characters("Zoé", "string", "mdy") == "Zoé"
    assert graphemes("x\u0323\u0302y") == ("x\u0323\u0302", "y")
    assert date_parts("1964-08", "dmy") == ("", "08", "1964")
