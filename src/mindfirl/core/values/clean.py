"""A whole raw column to canonical values, with an account of what was done, and to which rows.

Each distinct value is read once, by the rules of :class:`ValueReader`. Most values of most columns
are tidy already: ASCII without odd white space, and nothing that stands for a missing value. Those
are found, and put in capitals, all at once; what is left is read value by value. Cleaning what is
clean changes nothing.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from itertools import compress
from operator import ne
from typing import Any, Final, cast, get_args

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.errors import DataError, or_list
from mindfirl.core.values.column_values import CleanColumn, ColumnFinding, RawColumn, Rule
from mindfirl.core.values.schema import DATE_ORDERS, DateOrder, Kind, Settings
from mindfirl.core.values.standardise import (
    LONGEST,
    fold_spaces,
    is_possible,
    likely_dates,
    read_date,
    read_short_date,
    short_text,
    text_of,
    upper_case,
)

_WORDS: Final = frozenset(
    ["NA", "N/A", "#N/A", "NULL", "NONE", "NAN", "NIL", "UNKNOWN", "-", "--", ".", "?"]
)
_DATES: Final = frozenset(["1900-01-01", "9999-12-31", "9999-99-99", "0000-00-00"])
_NINES, _ZEROS = (rf"{digit}(?:[-./ ]*{digit}){{4,}}" for digit in "90")
_FILLED_UP: Final = re.compile(rf"{_NINES}|{_ZEROS}")
_FILLED_LINES: Final = tuple(re.compile(rf"\n({digits})(?=\n)") for digits in (_NINES, _ZEROS))
"""All nines or all zeros; among lines, one pattern for each digit, which is searched far faster."""


@dataclass(frozen=True, slots=True)
class Placeholders:
    """Texts that stand for a missing value beside the usual ones, and usual ones that do not.

    They are compared in capitals with spaces folded; in a column of dates as the date they are.
    """

    added: frozenset[str] = frozenset()
    exempted: frozenset[str] = frozenset()


def placeholder_key(text: str) -> str:
    """Return what a placeholder is known by: its normal form in capitals, with spaces folded."""
    return upper_case(fold_spaces(unicodedata.normalize("NFC", text)))


@dataclass(frozen=True, slots=True)
class ValueReader:
    """Reads the values of one column, one by one: the rules themselves."""

    kind: Kind
    settings: Settings
    placeholders: frozenset[str] = frozenset()
    exempted: frozenset[str] = frozenset()
    fills_up: bool = False

    @property
    def capitals(self) -> bool:
        """Whether the canonical form is in capitals."""
        return self.kind != "date" and self.settings.case == "upper"

    def knowing(self, given: Placeholders) -> ValueReader:
        """Return the same reader, which also knows the usual and the given placeholders."""
        exempted = frozenset(map(self._key_of, given.exempted))
        usual = _WORDS | _DATES if self.kind == "date" else _WORDS
        known = usual.union(map(self._key_of, given.added)) - exempted
        return replace(self, placeholders=known, exempted=exempted, fills_up=self.kind == "fixed")

    def read(self, text: str) -> tuple[str, list[Rule]]:
        """Return the canonical form of a text, and all rules that were applied."""
        normal = unicodedata.normalize("NFC", text)
        folded = fold_spaces(normal)
        if not folded:
            return "", ["empty"]
        value, rules = self._date(folded) if self.kind == "date" else self._cased(folded)
        if self._stands_for_nothing(upper_case(value or folded)):
            return "", ["placeholder"]
        if not value:
            return "", rules
        changes: dict[Rule, bool] = {"normal form": normal != text, "spaces": folded != normal}
        return value, [*rules, *(rule for rule, applied in changes.items() if applied)]

    def suspects(self, lines: str, capitals: set[str]) -> set[str]:
        """Find, among tidy texts in capitals, also given as lines, all that may not be kept."""
        found = capitals & (self.placeholders | {""})
        if self.fills_up:
            found = found.union(*(pattern.findall(f"\n{lines}\n") for pattern in _FILLED_LINES))
        return found

    def _key_of(self, placeholder: str) -> str:
        key = placeholder_key(placeholder)
        return (self._date(key)[0] if self.kind == "date" else "") or key

    def _stands_for_nothing(self, key: str) -> bool:
        if self.fills_up and key not in self.exempted and _FILLED_UP.fullmatch(key):
            return True
        return key in self.placeholders

    def _date(self, text: str) -> tuple[str, list[Rule]]:
        """Read a date; one that cannot be is kept, one without the shape of a date is not."""
        order, latest = self.settings.date_order, self.settings.latest_year
        rules: list[Rule] = []
        value = read_date(text, order)
        if value is None and latest is not None:
            value = read_short_date(text, order, latest)
            rules += ["two-digit year"]
        if value is None:
            return "", ["unreadable"]
        rules += ["date form"] if value != text else []
        rules += [] if is_possible(value) else ["impossible date"]
        return value, rules

    def _cased(self, text: str) -> tuple[str, list[Rule]]:
        value = upper_case(text) if self.capitals else text
        return value, ["case"] if value != text else []


RULES: Final[tuple[Rule, ...]] = get_args(Rule)
MOST_ROWS: Final = 10

_TIDY: Final = re.compile(r"(?:[!-~]++(?: [!-~]++)*+)?")
"""Printable ASCII without spaces too many: only its case can be other than canonical."""
_SPACES: Final = ("  ", " \n", "\n ")
_ENOUGH_DATES: Final = 10_000
"""This many distinct dates tell in which order they are written."""

Flags = NDArray[np.bool_]


def clean(
    raw: RawColumn,
    kind: Kind,
    settings: Settings,
    placeholders: Placeholders | None,
    *,
    order: DateOrder | None,
) -> CleanColumn:
    """Clean a column; ``order`` is how it writes its dates, by default as they are displayed.

    Without placeholders nothing but an empty text is missing. A value of no readable type, or one
    that is too long, is refused with its row.
    """
    reader = ValueReader(kind, replace(settings, date_order=order or settings.date_order))
    if placeholders is not None:
        reader = reader.knowing(placeholders)
    texts = _texts(raw)
    tidied, careful, all_different = _in_bulk(texts, reader)
    flags = {rule: np.zeros(len(texts), dtype=np.bool_) for rule in RULES}
    if tidied is not texts:
        flags["case"][:] = np.fromiter(map(ne, texts, tidied), np.bool_, len(texts))
        flags["case"][careful] = False
    values = tidied.copy()
    missing = np.zeros(len(texts), dtype=np.bool_)
    for place in careful:
        values[place], rules = reader.read(texts[place])
        missing[place] = not values[place]
        for rule in rules:
            flags[rule][place] = True
    if all_different and missing[careful].all():
        distinct, codes = ["", *compress(values, values)], np.where(missing, 0, np.cumsum(~missing))
    else:
        distinct, codes = _coded(values)
    return CleanColumn(distinct, codes[raw.codes], tuple(_findings(raw.codes, flags)))


def written_order(raw: RawColumn, settings: Settings, declared: DateOrder | None) -> DateOrder:
    """Return the order in which a column writes its dates: declared, or else detected.

    Where several orders do equally well, the dates are taken to be written as they are displayed.
    If that is none of these orders, nothing tells how to read them, and the column is refused.
    """
    if declared is not None:
        return declared
    orders = likely_orders(raw, latest_year=settings.latest_year)
    if len(orders) > 1 and settings.date_order not in orders:
        rule = f"its dates may be written {or_list(orders)}, and nothing tells which."
        raise DataError(rule, "Say it by date_order in the schema.")
    return orders[0] if len(orders) == 1 else settings.date_order


def likely_orders(raw: RawColumn, *, latest_year: int | None = None) -> tuple[DateOrder, ...]:
    """Return the orders in which most records hold a likely date: one, or several alike.

    Where the shape of each date says how it is to be read, these are all orders. Of very many
    distinct dates, some from all over the column are looked at.
    """
    counts = np.bincount(raw.codes, minlength=len(raw.distinct)).tolist()
    places = range(0, len(counts), max(1, len(counts) // _ENOUGH_DATES))
    counted = ((fold_spaces(text_of(raw.distinct[place])), counts[place]) for place in places)
    likely = likely_dates(counted, latest_year=latest_year)
    best = max(likely.values())
    return tuple(order for order in DATE_ORDERS if likely[order] == best)


def _texts(raw: RawColumn) -> list[str]:
    """Turn the distinct values into texts; refuse those that cannot be one, by their first row."""
    texts = list(raw.distinct)
    faults: dict[int, DataError] = {}
    for place, value in enumerate(texts):
        if type(value) is not str or len(value) > LONGEST:
            try:
                texts[place] = short_text(value)
            except DataError as error:
                texts[place], faults[place] = "", error
    flags = np.zeros(len(texts), dtype=np.bool_)
    flags[list(faults)] = True
    rows = _rows(raw.codes, flags)
    if len(rows):
        raise first_fault(faults[int(raw.codes[rows[0]])], int(rows[0]) + 1, len(rows))
    return cast("list[str]", texts)


def first_fault(error: DataError, row: int, count: int) -> DataError:
    """Place the error of the first row that has one, and say how many rows have."""
    more = f" (and {count - 1} more rows of this column)" if count > 1 else ""
    return DataError(f"{error.rule.rstrip('.')}{more}.", error.mend, row=row)


def _in_bulk(texts: list[str], reader: ValueReader) -> tuple[list[str], list[int], bool]:
    """Find the canonical values of tidy texts, all at once.

    Return them with the places of all other texts, which must be read one by one, and whether the
    filled ones are known to be all different.
    """
    if reader.kind == "date":
        return texts, list(range(len(texts))), False
    lines = "\n".join(texts)
    capitals = texts if lines == lines.upper() else list(map(str.upper, texts))
    known = set(capitals)
    suspects = reader.suspects(lines, known)
    careful = np.fromiter(map(suspects.__contains__, capitals), np.bool_, len(texts))
    if not _all_tidy(lines, len(texts)):
        careful |= ~np.fromiter(map(bool, map(_TIDY.fullmatch, texts)), np.bool_, len(texts))
    values = capitals if reader.capitals else texts
    all_different = len(known) - ("" in known) == len(texts) - texts.count("")
    return values, np.flatnonzero(careful).tolist(), all_different


def _all_tidy(lines: str, count: int) -> bool:
    """Say whether this many lines are tidy: what :data:`_TIDY` says of each, and far faster."""
    octets = np.frombuffer(lines.encode("utf-8", "surrogatepass"), dtype=np.uint8)
    if not lines.count("\n") == count - 1 == np.count_nonzero(octets < ord(" ")):
        return False
    if (octets > ord("~")).any():
        return False
    return " " not in lines or not any(spaces in f"\n{lines}\n" for spaces in _SPACES)


def _coded(values: list[str]) -> tuple[list[str], NDArray[np.int64]]:
    known = {"": 0}
    codes = [known.setdefault(value, len(known)) for value in values]
    return list(known), np.array(codes, dtype=np.int64)


def _rows(codes: NDArray[Any], flags: Flags) -> NDArray[np.int64]:
    return np.flatnonzero(flags[codes]) if flags.any() else np.array([], dtype=np.int64)


def _findings(codes: NDArray[Any], flags: Mapping[Rule, Flags]) -> Iterator[ColumnFinding]:
    for rule, applied in flags.items():
        rows = _rows(codes, applied)
        if len(rows):
            yield ColumnFinding(rule, len(rows), tuple((rows[:MOST_ROWS] + 1).tolist()))
