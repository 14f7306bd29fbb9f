"""How two values of each kind are compared, as data: levels from identical to different.

A condition is written once, in SQL that every engine understands; ``{a}`` and ``{b}`` stand for
the two values, ``{edits}`` for the number of edits between them, ``{longer}`` for the length of the
longer one, ``{other_a}`` and ``{other_b}`` for the values of the attribute with which this one may
be exchanged.

Similarity is the share of a text that must be edited. The Jaro-Winkler similarity would find as
much, but engines disagree on half transpositions, so that a model would weigh differently by where
it runs; and a distance that knows transpositions takes six times as long.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import cycle
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from mindfirl.core.values.schema import Kind, Schema
from mindfirl.engine.schema.headings import (
    is_first_name,
    is_of_address,
    is_personal,
    is_whole_name,
)

_SIGNS: Final = tuple(map(chr, range(1, 128)))


def is_plain(column: pa.ChunkedArray) -> bool:
    return pc.all(pc.string_is_ascii(column)).as_py() is not False


def one_byte_letters(column: pa.ChunkedArray) -> pa.ChunkedArray:
    """Write every letter of a column as one byte; equal letters stay equal.

    DuckDB counts edits by bytes, Spark by letters: from MÜLLER to MULLER it is two edits here and
    one there. So other letters get signs of ASCII that their column does not use. Where there are
    more letters than signs, rare ones share a sign, and few edits are overlooked.
    """
    coded = column.combine_chunks().dictionary_encode()
    values = coded.dictionary.to_pylist()
    signs = str.maketrans(_signs("".join(values)))
    written = pa.array([value.translate(signs) for value in values], pa.string())
    return pa.chunked_array([written.take(coded.indices)])


def _signs(text: str) -> dict[str, str]:
    counts = Counter(text)
    beyond = sorted((-count, letter) for letter, count in counts.items() if not letter.isascii())
    free = [sign for sign in _SIGNS if sign not in counts] or _SIGNS
    return dict(zip((letter for _, letter in beyond), cycle(free), strict=False))


MISSING: Final = "missing"
MISSING_OR_EXCHANGED: Final = "missing, or counted as exchanged"
DIFFERENT: Final = "different"


@dataclass(frozen=True, slots=True)
class Condition:
    name: str
    sql: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """How an attribute is compared: its place, and its levels, the strictest first.

    Values on none of the levels are different; where one is missing, the pair has a level of its
    own. An exchange of two attributes is a level of the first: ``exchanged`` is the second's place.
    The second then says nothing, as if it were missing: ``aside`` is the first's place.
    ``lettered`` says that a column of one-byte letters stands beside the values. A ``whole`` name
    holds the only first name that there is.
    """

    place: int
    attribute: str
    levels: tuple[Condition, ...]
    kind: Kind = "string"
    exchanged: int | None = None
    aside: int | None = None
    lettered: bool = False
    whole: bool = False

    @property
    def is_personal(self) -> bool:
        """Whether relatives in one household differ in the attribute."""
        by_place = self.kind == "date" or self.exchanged is not None
        return by_place or self.whole or is_personal(self.attribute)

    @property
    def is_name(self) -> bool:
        """Whether the attribute is one of those that are exchanged with each other."""
        return self.exchanged is not None or self.aside is not None

    @property
    def moves(self) -> bool:
        """Whether the attribute changes when somebody moves."""
        return self.kind != "category" and is_of_address(self.attribute)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all levels by their numbers: missing is 0, the strictest comes last."""
        nothing = MISSING if self.aside is None else MISSING_OR_EXCHANGED
        return (nothing, DIFFERENT, *(level.name for level in reversed(self.levels)))

    @property
    def exchanges(self) -> tuple[int, ...]:
        """The numbers of the levels on which two attributes are exchanged."""
        return tuple(number for number, name in enumerate(self.names) if name in _EXCHANGES)


_IDENTICAL: Final = Condition("identical", "{a} = {b}")
_BEGINNING: Final = (
    "length({a}) >= {least} and length({b}) >= {least} and "
    "(substr({a}, 1, length({b})) = {b} or substr({b}, 1, length({a})) = {a})"
)
_MUTUAL: Final = Condition("exchanged", "{a} = {other_b} and {b} = {other_a}")
_ONE_SIDED: Final = Condition("one is the other's other name", "{a} = {other_b} or {b} = {other_a}")
_EXCHANGES: Final = (_MUTUAL.name, _ONE_SIDED.name)
_WORDS: Final = "length({a}) > 1 and length({b}) > 1"

_LEVELS: Final[dict[Kind, tuple[Condition, ...]]] = {
    "string": (
        _IDENTICAL,
        Condition("one is the beginning of the other", _BEGINNING.replace("{least}", "3")),
        Condition("very similar", f"{_WORDS} and {{edits}} <= greatest(1, {{longer}} / 5)"),
        _MUTUAL,
        _ONE_SIDED,
        Condition(
            "an initial",
            "(length({a}) = 1 or length({b}) = 1) and substr({a}, 1, 1) = substr({b}, 1, 1)",
        ),
        Condition("similar", f"{_WORDS} and {{edits}} <= {{longer}} / 2.5"),
    ),
    "date": (
        _IDENTICAL,
        Condition("one digit", "length({a}) = length({b}) and {edits} <= 1"),
        Condition(
            "month and day exchanged",
            "substr({a}, 1, 4) = substr({b}, 1, 4) and length({a}) = 10 "
            "and substr({a}, 6, 2) = substr({b}, 9, 2) and substr({a}, 9, 2) = substr({b}, 6, 2)",
        ),
        Condition("the same as far as known", _BEGINNING.replace("{least}", "4")),
        Condition("two digits", "length({a}) = length({b}) and {edits} <= 2"),
    ),
    "fixed": (
        _IDENTICAL,
        Condition("one edit", "{edits} <= 1"),
        _MUTUAL,
        _ONE_SIDED,
        Condition("two edits", "{edits} <= 2"),
    ),
    "category": (_IDENTICAL,),
}


def comparisons_of(schema: Schema) -> tuple[Comparison, ...]:
    seconds = dict(schema.swaps)
    firsts = {second: first for first, second in schema.swaps}
    apart = any(is_first_name(each.name) for each in schema.attributes)
    return tuple(
        Comparison(
            place,
            attribute.name,
            tuple(
                level
                for level in _LEVELS[attribute.kind]
                if level.name not in _EXCHANGES or place in seconds
            ),
            attribute.kind,
            seconds.get(place),
            firsts.get(place),
            whole=not apart and is_whole_name(attribute.name),
        )
        for place, attribute in enumerate(schema.attributes)
    )


def column(place: int) -> str:
    """Return the name that an attribute's column has inside: attribute names may be anything."""
    return f"a{place}"


def letters_column(place: int) -> str:
    return f"letters{place}"


def nothing_sql(comparison: Comparison, others: Mapping[int, Comparison]) -> str:
    """Write when an attribute says nothing: missing on a side, or counted as exchanged."""
    own = column(comparison.place)
    missing = f"{own}_l is null or {own}_r is null"
    if comparison.aside is None:
        return missing
    first = others[comparison.aside]
    names = [level.name for level in first.levels]
    stricter = first.levels[: names.index(_MUTUAL.name)]
    closer = " or ".join(f"({condition_sql(first, level)})" for level in stricter)
    return f"{missing} or (not ({closer}) and ({condition_sql(first, _ONE_SIDED)}))"


def condition_sql(comparison: Comparison, level: Condition) -> str:
    own = column(comparison.place)
    letters = letters_column(comparison.place) if comparison.lettered else own
    other = own if comparison.exchanged is None else column(comparison.exchanged)
    return level.sql.format(
        a=f"{own}_l",
        b=f"{own}_r",
        edits=f"levenshtein({letters}_l, {letters}_r)",
        other_a=f"{other}_l",
        other_b=f"{other}_r",
        longer=f"greatest(length({own}_l), length({own}_r))",
    )
