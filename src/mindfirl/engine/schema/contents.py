"""The values of a column: counted or sampled, their shapes, how they write dates."""

from __future__ import annotations

import re
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Final

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from mindfirl.core.errors import DataError
from mindfirl.core.values.schema import DATE_ORDERS, DateOrder
from mindfirl.core.values.standardise import (
    is_likely,
    is_possible,
    read_date,
    read_short_date,
    text_of,
)
from mindfirl.engine.reading import frames

MOST_VALUES: Final = 20_000
_MOST_COMMON: Final = MOST_VALUES // 2
_SEED: Final = 3


@dataclass(frozen=True, slots=True, repr=False)
class ColumnContents:
    """What a column holds: exact figures, and values with the number of rows that hold each.

    Where there are too many distinct values, the commonest are all there, and of the others a fair
    sample, each of which stands for some that are not: its weight is more than its count.
    """

    rows: int
    filled: int
    distinct: int
    values: list[str]
    counts: list[int]
    weights: list[float]

    @property
    def sampled(self) -> bool:
        return len(self.values) < self.distinct

    def weighted(self) -> Iterator[tuple[str, float]]:
        return zip(self.values, self.weights, strict=True)

    def share(self, chosen: Callable[[str], object]) -> float:
        total = sum(weight for value, weight in self.weighted() if chosen(value))
        return total / self.filled if self.filled else 0.0


def column_contents(cells: pa.ChunkedArray, *, database: str, column: str) -> ColumnContents:
    if pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type):
        values, counts = _text_counts(cells, database, column)
    else:
        values, counts = _typed_counts(cells, database, column)
    filled = pc.not_equal(values, "").to_numpy(zero_copy_only=False)
    places = np.flatnonzero(filled)
    drawn, weights = _drawn(counts[places])
    return ColumnContents(
        rows=len(cells),
        filled=int(counts[places].sum()),
        distinct=len(places),
        values=values.take(pa.array(places[drawn])).to_pylist(),
        counts=counts[places[drawn]].tolist(),
        weights=weights.tolist(),
    )


def _text_counts(
    cells: pa.ChunkedArray, database: str, column: str
) -> tuple[pa.Array, NDArray[np.int64]]:
    """Count texts where they lie, without making each a Python object."""
    try:
        cells.validate(full=True)
    except pa.ArrowInvalid:
        rule, mend = "the column holds text that is not UTF-8.", "Write it again as text."
        raise DataError(rule, mend, file=database, column=column) from None
    trimmed = pc.utf8_trim_whitespace(cells.cast(pa.large_string()).fill_null(""))
    counted = trimmed.value_counts()
    return counted.field("values"), counted.field("counts").to_numpy()


def _typed_counts(
    cells: pa.ChunkedArray, database: str, column: str
) -> tuple[pa.Array, NDArray[np.int64]]:
    raw = frames.raw_column(cells, file=database, column=column)
    counts: Counter[str] = Counter()
    held = np.bincount(raw.codes, minlength=len(raw.distinct)).tolist()
    for value, count in zip(raw.distinct, held, strict=True):
        if count:
            counts[text_of(value).strip()] += count
    return pa.array(list(counts), pa.large_string()), np.array([*counts.values()], dtype=np.int64)


def _drawn(counts: NDArray[np.int64]) -> tuple[NDArray[np.intp], NDArray[np.float64]]:
    """Take all values, or the commonest and a sample of the others that stands for them."""
    if len(counts) <= MOST_VALUES:
        return np.arange(len(counts)), counts.astype(np.float64)
    order = np.argpartition(-counts, _MOST_COMMON)
    common, others = order[:_MOST_COMMON], order[_MOST_COMMON:]
    rng = np.random.default_rng(_SEED)
    some = rng.choice(others, MOST_VALUES - _MOST_COMMON, replace=False)
    factor = counts[others].sum() / counts[some].sum()
    return np.concatenate([common, some]), np.concatenate([counts[common], counts[some] * factor])


LONGEST_SHAPE: Final = 40

_LONG_RUNS: Final = re.compile(r"A{5,}|a{4,}|9{12,}")
_CUT: Final = {"A": "AAAA", "a": "aaa", "9": "9…9"}
_SHOWN: Final = "PSZ"
"""Punctuation, symbols and spaces stand for themselves; all else is a letter or a digit."""


class _Signs(dict[int, str]):
    """The sign of each character, found when it is first met."""

    def __missing__(self, point: int) -> str:
        character = chr(point)
        category = unicodedata.category(character)
        sign = {"N": "9", "Lu": "A"}.get(category if category == "Lu" else category[0], "a")
        self[point] = character if category[0] in _SHOWN else sign
        return self[point]


_SIGNS: Final = _Signs()


def shape(value: str) -> str:
    """Return a value's shape: ``Mary`` is ``Aaaa``, ``08/09/1964`` is ``99/99/9999``."""
    signs = value.translate(_SIGNS)
    cut = _LONG_RUNS.sub(lambda run: _CUT[run[0][0]], signs)
    return cut if len(cut) <= LONGEST_SHAPE else f"{cut[:LONGEST_SHAPE]}…"


_SHORT_YEAR: Final = re.compile(r"([0-9]{1,2})([-/. ])([0-9]{1,2})\2([0-9]{2})")
_PERHAPS: Final = re.compile(
    r"[0-9]{8}|[0-9]{4}[-/. ][0-9]{1,2}(?:[-/. ].*)?"
    r"|[0-9]{1,2}[-/. ](?:[0-9]{1,2}[-/. ])?[0-9]{4}(?: .*)?"
)

_SOME_YEAR: Final = 2099
"""Any will do: what is asked of years of two digits is whether month and day are possible."""


@dataclass(frozen=True, slots=True)
class DateForm:
    """How a column writes its dates; shares are of its filled cells.

    ``order`` is the one in which most values are possible dates, none where the shape of each says
    how it is to be read. ``ambiguous`` says that another order would do as well. ``fits`` is what
    each order can read, ``unclear`` what is another date in another order.
    """

    order: DateOrder | None
    possible: float
    only_otherwise: float
    two_digit_years: bool
    ambiguous: bool
    fits: Mapping[DateOrder, float]
    unclear: float


def date_form(contents: ColumnContents) -> DateForm:
    tally: defaultdict[tuple[DateOrder, ...], float] = defaultdict(float)
    for value, weight in contents.weighted():
        tally[possible_orders(value)] += weight / contents.filled
    dated = sum(share for orders, share in tally.items() if orders)
    fits = {each: sum(n for orders, n in tally.items() if each in orders) for each in DATE_ORDERS}
    best = max(DATE_ORDERS, key=lambda order: fits[order])
    short = any(_SHORT_YEAR.fullmatch(value) for value in contents.values)
    # A date with a long year that is possible in every order has its year first.
    by_shape = not short and set(tally) <= {(), DATE_ORDERS}
    rivals = [
        order
        for order in DATE_ORDERS
        if order != best and all((order in orders) == (best in orders) for orders in tally)
    ]
    return DateForm(
        order=None if by_shape else best,
        possible=fits[best],
        only_otherwise=dated - fits[best],
        two_digit_years=short,
        ambiguous=bool(rivals) and not by_shape,
        fits=fits,
        unclear=0.0 if by_shape else contents.share(_is_unclear),
    )


def _is_unclear(value: str) -> bool:
    orders = possible_orders(value)
    return len(orders) > 1 and len({_day(value, order) for order in orders}) > 1


def _day(value: str, order: DateOrder) -> str | None:
    return read_date(value, order) or read_short_date(value, order, _SOME_YEAR)


def possible_orders(value: str) -> tuple[DateOrder, ...]:
    """Return the orders in which a value is a day, or a month, that there could have been."""
    if _SHORT_YEAR.fullmatch(value):
        return tuple(order for order in DATE_ORDERS if _is_short_date(value, order))
    if not _PERHAPS.fullmatch(value):
        return ()
    return tuple(order for order in DATE_ORDERS if _is_possible(value, order))


def _is_short_date(value: str, order: DateOrder) -> bool:
    canonical = read_short_date(value, order, _SOME_YEAR)
    return canonical is not None and is_possible(canonical)


def _is_possible(value: str, order: DateOrder) -> bool:
    canonical = read_date(value, order)
    return canonical is not None and is_likely(canonical)
