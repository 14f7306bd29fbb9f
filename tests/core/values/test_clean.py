"""Whole columns to canonical values, with an account."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from mindfirl.core.errors import DataError
from mindfirl.core.values.clean import (
    RULES,
    Placeholders,
    ValueReader,
    clean,
    likely_orders,
    written_order,
)
from mindfirl.core.values.column_values import (
    CleanColumn,
    ColumnFinding,
    RawColumn,
    concatenate_columns,
)
from mindfirl.core.values.schema import CASES, DATE_ORDERS, KINDS, DateOrder, Kind, Settings
from mindfirl.core.values.standardise import standardise

PLAIN = Settings()
UPPER = Settings(case="upper", latest_year=2026)
USUAL = Placeholders()


def column(values: Sequence[object]) -> RawColumn:
    """A raw column with a value of its own for each record."""
    return RawColumn(values, np.arange(len(values)))


def cells(cleaned: CleanColumn) -> list[str]:
    return [cleaned.values[code] for code in cleaned.codes.tolist()]


def rules(cleaned: CleanColumn) -> dict[str, int]:
    return {finding.rule: finding.count for finding in cleaned.findings}


def cleaned_value(raw: object, kind: Kind, settings: Settings = UPPER) -> tuple[str, set[str]]:
    found = clean(column([raw]), kind, settings, USUAL, order="mdy")
    return cells(found)[0], set(rules(found))


@pytest.mark.parametrize(
    ("raw", "kind", "value", "applied"),
    [
        ("MARY", "string", "MARY", set()),
        ("Mary", "string", "MARY", {"case"}),
        (" Mary  Ann", "string", "MARY ANN", {"case", "spaces"}),
        ("ZOE\u0301", "string", "ZOÉ", {"normal form"}),
        ("zoe\u0301 ", "string", "ZOÉ", {"normal form", "case", "spaces"}),
        ("", "string", "", {"empty"}),
        (" \t", "fixed", "", {"empty"}),
        (None, "date", "", {"empty"}),
        (float("nan"), "category", "", {"empty"}),
        (12.0, "fixed", "12", set()),
        ("n/a", "string", "", {"placeholder"}),
        (" Unknown ", "category", "", {"placeholder"}),
        ("--", "date", "", {"placeholder"}),
        ("99999", "fixed", "", {"placeholder"}),
        ("9999", "fixed", "9999", set()),
        ("99999", "string", "99999", set()),
        ("000-00-0000", "fixed", "", {"placeholder"}),
        ("999 99 9999", "fixed", "", {"placeholder"}),
        ("99999x", "fixed", "99999X", {"case"}),
        ("90909", "fixed", "90909", set()),
        ("01/01/1900", "date", "", {"placeholder"}),
        ("99/99/9999", "date", "", {"placeholder"}),
        ("00000000", "date", "", {"placeholder"}),
        ("9999-12-31 00:00:00", "date", "", {"placeholder"}),
        ("1964-08-09", "date", "1964-08-09", set()),
        ("08/09/1964", "date", "1964-08-09", {"date form"}),
        ("08/09/64", "date", "1964-08-09", {"date form", "two-digit year"}),
        ("080964 ", "date", "1964-08-09", {"date form", "two-digit year", "spaces"}),
        ("1964-13-01", "date", "1964-13-01", {"impossible date"}),
        ("31/02/1964", "date", "1964-31-02", {"impossible date", "date form"}),
        ("1964-02-30", "date", "1964-02-30", {"impossible date"}),
        ("0000-01-01", "date", "0000-01-01", {"impossible date"}),
        ("soon", "date", "", {"unreadable"}),
    ],
)
def test_rules(raw: object, kind: Kind, value: str, applied: set[str]) -> None:
    assert cleaned_value(raw, kind) == (value, applied)


def test_case_is_kept_where_it_is_to_be_kept() -> None:
    assert cleaned_value("Mary", "string", PLAIN) == ("Mary", set())
    assert cleaned_value("Null", "string", PLAIN) == ("", {"placeholder"})


def test_a_two_digit_year_is_unreadable_without_a_latest_year() -> None:
    assert cleaned_value("08/09/64", "date", PLAIN) == ("", {"unreadable"})


def test_placeholders_can_be_added_and_exempted() -> None:
    chosen = Placeholders(
        frozenset(["not  known", "02/01/1901"]), frozenset(["na", "01/01/1900", "99999"])
    )
    names = column(["Not known", "NA", "N/A"])
    assert cells(clean(names, "string", PLAIN, chosen, order=None)) == ["", "NA", ""]
    numbers = column(["99999", "999-99", "00000"])
    assert cells(clean(numbers, "fixed", PLAIN, chosen, order=None)) == ["99999", "", ""]
    dates = column(["1901-02-01", "1900-01-01", "9999-12-31", "not known"])
    found = clean(dates, "date", PLAIN, chosen, order="mdy")
    assert cells(found) == ["", "1900-01-01", "", ""]
    assert rules(found) == {"placeholder": 3}


def test_without_placeholders_only_the_empty_text_is_missing() -> None:
    found = clean(column(["NA", "99999", ""]), "fixed", PLAIN, None, order=None)
    assert cells(found) == ["NA", "99999", ""]
    assert rules(found) == {"empty": 1}


def test_a_column_has_its_own_order_of_dates() -> None:
    dates = column(["08/09/1964"])
    assert cells(clean(dates, "date", PLAIN, USUAL, order="dmy")) == ["1964-09-08"]
    assert cells(clean(dates, "date", PLAIN, USUAL, order=None)) == ["1964-08-09"]


def test_findings_name_the_first_rows() -> None:
    codes = np.array([0, 1] * 15 + [2])
    found = clean(RawColumn(["Ann", "ANN", None], codes), "string", UPPER, USUAL, order=None)
    assert found.values == ["", "ANN"]
    assert found.codes.tolist() == [1] * 30 + [0]
    assert found.findings == (
        ColumnFinding("empty", 1, (31,)),
        ColumnFinding("case", 15, (1, 3, 5, 7, 9, 11, 13, 15, 17, 19)),
    )


def test_values_that_no_record_holds_are_not_counted() -> None:
    raw = RawColumn(["Ann", "x" * 20_001, " Bea", None], np.array([0, 0]))
    found = clean(raw, "string", PLAIN, USUAL, order=None)
    assert (cells(found), found.findings) == (["Ann", "Ann"], ())


def test_no_records_and_no_values() -> None:
    for kind in KINDS:
        found = clean(column([]), kind, UPPER, USUAL, order=None)
        assert (found.values, found.codes.tolist(), found.findings) == ([""], [], ())


@pytest.mark.parametrize("wrong", ["x" * 20_001, ["Mary"]])
def test_what_is_no_value_is_refused_with_its_row(wrong: Any) -> None:
    raw = RawColumn(["Ann", wrong], np.array([0, 1, 0, 1]))
    with pytest.raises(DataError, match=r"^row 2: .*\(and 1 more rows of this column\)") as caught:
        clean(raw, "string", PLAIN, USUAL, order=None)
    assert "Mary" not in str(caught.value)


WORDS = st.one_of(
    st.text(max_size=6),
    st.text("aZ9 0-/\n\u00a0\u0301é", max_size=12),
    st.sampled_from(["NA", "n/a", "null", "?", "99999", "000-00-0000", "9 9 9 9 9", "1900-01-01"]),
    st.sampled_from(["08/09/1964", "8.9.64", "080964", "19640809", "31/02/1999", "1964", "x", ""]),
    st.dates().map(str),
    st.sampled_from([None, 5, 99999, 1.5, float("nan")]),
)
COLUMNS = st.lists(WORDS, max_size=12)
SETTINGS = st.builds(
    Settings,
    date_order=st.sampled_from(DATE_ORDERS),
    case=st.sampled_from(CASES),
    latest_year=st.sampled_from([None, 2026]),
)
CHOSEN = st.frozensets(st.one_of(st.text(max_size=4), st.sampled_from(["NA", "01/01/1900", "X"])))
PLACEHOLDERS = st.one_of(st.none(), st.builds(Placeholders, CHOSEN, CHOSEN))
ORDERS = st.sampled_from([None, *DATE_ORDERS])


@given(COLUMNS, st.sampled_from(KINDS), SETTINGS, PLACEHOLDERS, ORDERS)
def test_cleaning_what_is_clean_changes_nothing(
    values: list[object],
    kind: Kind,
    settings: Settings,
    placeholders: Placeholders | None,
    order: DateOrder | None,
) -> None:
    once = clean(column(values), kind, settings, placeholders, order=order)
    twice = clean(column(cells(once)), kind, settings, placeholders, order=order)
    assert cells(twice) == cells(once)
    assert set(rules(twice)) <= {"empty", "impossible date"}
    assert once.values[0] == ""
    assert len(set(once.values)) == len(once.values)


@given(COLUMNS, st.sampled_from(KINDS), SETTINGS, PLACEHOLDERS)
def test_the_bulk_way_is_the_way_value_by_value(
    values: list[object], kind: Kind, settings: Settings, placeholders: Placeholders | None
) -> None:
    reader = ValueReader(kind, settings)
    if placeholders is not None:
        reader = reader.knowing(placeholders)
    texts = [value if isinstance(value, str) else _text(value) for value in values]
    read = [reader.read(text) for text in texts]
    found = clean(column(values), kind, settings, placeholders, order=None)
    assert cells(found) == [value for value, _ in read]
    assert {finding.rule: finding.rows for finding in found.findings} == {
        rule: rows
        for rule in RULES
        if (rows := tuple(row for row, (_, each) in enumerate(read, 1) if rule in each)[:10])
    }
    for text, (value, _) in zip(texts, read, strict=True):
        assert not value or value == standardise(text, kind, settings)


def _text(value: object) -> str:
    return standardise(value, "string", PLAIN)


@pytest.mark.parametrize("values", [["NEW YORK", "YORK", "9"], ["New York", "york", "99999"]])
@pytest.mark.parametrize("odd", [[], [" LEE"], ["LEE "], ["A  B"], ["é"], ["a\nb"], ["\x7f"]])
def test_one_untidy_value_leaves_the_others_alone(values: list[str], odd: list[str]) -> None:
    reader = ValueReader("fixed", UPPER).knowing(USUAL)
    expected = [reader.read(text)[0] for text in [*values, *odd]]
    assert cells(clean(column([*values, *odd]), "fixed", UPPER, USUAL, order=None)) == expected


@pytest.mark.parametrize(
    ("dates", "orders"),
    [
        (["08/09/1964", "08/19/1964"], "mdy"),
        (["08/09/1964", "19/08/1964", " 20/08/1964 "], "dmy"),
        (["19640809", "19641231"], "ymd"),
        (["08/09/1964"], "mdy dmy"),
        (["1964-08-09"], "mdy dmy ymd"),
        (["1964-08-09", "08/09/1964"], "mdy dmy"),
        (["08/13/64", "08/09/64"], "mdy"),
        (["64-08-09"], "ymd"),
        (["Mary", "", "1964"], "mdy dmy ymd"),
        ([], "mdy dmy ymd"),
    ],
)
def test_the_order_of_dates_is_detected(dates: list[str], orders: str) -> None:
    assert likely_orders(column(dates), latest_year=2026) == tuple(orders.split())


def test_the_order_is_that_of_most_records() -> None:
    dates = RawColumn(["13/02/1964", "02/13/1964"], np.array([0, 1, 0]))
    assert likely_orders(dates) == ("dmy",)


@pytest.mark.parametrize("displayed", DATE_ORDERS)
def test_dates_are_read_as_declared_else_as_detected_else_as_displayed(
    displayed: DateOrder,
) -> None:
    settings = Settings(date_order=displayed)
    assert written_order(column(["13/02/1964"]), settings, "mdy") == "mdy"
    assert written_order(column(["13/02/1964"]), settings, None) == "dmy"
    for shaped in (["1964-08-09"], ["1964"], []):
        assert written_order(column(shaped), settings, None) == displayed


def test_dates_of_which_nothing_tells_the_order_are_not_lost() -> None:
    dates = column(["01/02/1950"])
    assert written_order(dates, Settings(date_order="dmy"), None) == "dmy"
    with pytest.raises(DataError, match=r"may be written mdy or dmy, .* Say it by date_order"):
        written_order(dates, Settings(date_order="ymd"), None)


def test_columns_below_each_other_share_their_values() -> None:
    first = CleanColumn(["", "ANN", "BEA"], np.array([1, 2, 0]))
    second = CleanColumn(["", "LEE", "ANN"], np.array([2, 0, 1]))
    both = concatenate_columns([first, second])
    assert both.values == ["", "ANN", "BEA", "LEE"]
    assert cells(both) == cells(first) + cells(second)
    assert cells(concatenate_columns([first])) == cells(first)


def test_nothing_prints_a_value() -> None:
    raw = column(["Xyzzyx"])
    for thing in (raw, clean(raw, "string", PLAIN, USUAL, order=None)):
        assert "Xyzzyx" not in f"{thing!r}{thing}"


def test_a_finding_says_how_often_and_where_to_look() -> None:
    assert ColumnFinding("spaces", 1_200, (1, 2)).words == "1,200 with spaces folded"
    assert (
        ColumnFinding("unreadable", 2, (3, 9)).words == "2 unreadable, read as missing (rows 3, 9)"
    )
    assert ColumnFinding("impossible date", 11, (3, 9)).words.endswith("(rows 3, 9, …)")
    assert "rows" not in ColumnFinding("placeholder", 2, ()).words
