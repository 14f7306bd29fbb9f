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

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from itertools import cycle
from math import exp2
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

from mindfirl.core.errors import SettingError
from mindfirl.core.values.schema import Kind, Schema
from mindfirl.engine.scoring.blocking import MODES, Blocking, Mode

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
DIFFERENT: Final = "different"


@dataclass(frozen=True, slots=True)
class Condition:
    name: str
    sql: str


@dataclass(frozen=True, slots=True)
class Comparison:
    """How an attribute is compared: its place, and its levels, the strictest first.

    Values on none of the levels are different; where one is missing, the pair has a level of its
    own. ``exchanged`` is the place of the attribute with which this one may be exchanged, and
    ``lettered`` says that a column of one-byte letters stands beside the values.
    """

    place: int
    attribute: str
    levels: tuple[Condition, ...]
    exchanged: int | None = None
    lettered: bool = False

    @property
    def names(self) -> tuple[str, ...]:
        """The names of all levels by their numbers: missing is 0, the strictest comes last."""
        return (MISSING, DIFFERENT, *(level.name for level in reversed(self.levels)))


_IDENTICAL: Final = Condition("identical", "{a} = {b}")
_BEGINNING: Final = (
    "length({a}) >= {least} and length({b}) >= {least} and "
    "(substr({a}, 1, length({b})) = {b} or substr({b}, 1, length({a})) = {a})"
)
_EXCHANGED: Final = Condition("exchanged with the other name", "{a} = {other_b} or {b} = {other_a}")
_TWO_EDITS: Final = Condition("two edits", "{edits} <= 2")

_LEVELS: Final[dict[Kind, tuple[Condition, ...]]] = {
    "string": (
        _IDENTICAL,
        Condition("one is the beginning of the other", _BEGINNING.replace("{least}", "3")),
        Condition("very similar", "{edits} <= greatest(1, {longer} / 5)"),
        _EXCHANGED,
        Condition("similar", "{edits} <= {longer} / 2.5"),
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
        Condition("close", "length({a}) = length({b}) and {edits} <= 2"),
    ),
    "fixed": (_IDENTICAL, Condition("one edit", "{edits} <= 1"), _EXCHANGED, _TWO_EDITS),
    "category": (_IDENTICAL,),
}


def comparisons_of(schema: Schema) -> tuple[Comparison, ...]:
    others = dict(schema.swaps) | {second: first for first, second in schema.swaps}
    return tuple(
        Comparison(
            place,
            attribute.name,
            tuple(
                level
                for level in _LEVELS[attribute.kind]
                if level is not _EXCHANGED or place in others
            ),
            others.get(place),
        )
        for place, attribute in enumerate(schema.attributes)
    )


def column(place: int) -> str:
    """Return the name that an attribute's column has inside: attribute names may be anything."""
    return f"a{place}"


def letters_column(place: int) -> str:
    return f"letters{place}"


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


@dataclass(frozen=True, slots=True)
class Level:
    """A level of agreement: what it adds to the weight of a pair, and its share among strangers."""

    name: str
    weight: float
    by_chance: float = 1.0

    @property
    def by_match(self) -> float:
        return min(1.0, self.by_chance * exp2(self.weight))


@dataclass(frozen=True, slots=True)
class Model:
    """The levels of each attribute by number (0 is missing), and how the model came about.

    A pair's weight is the prior weight and those of its levels, and for identical values how much
    rarer they are than values of the attribute are by chance. How rare each is, is not kept.
    """

    attributes: Mapping[str, tuple[Level, ...]]
    prior: float
    blocking: Blocking
    mode: Mode
    seed: int
    engine: str

    def to_json(self) -> str:
        return json.dumps(asdict(self), ensure_ascii=False, indent=1)

    @classmethod
    def from_json(cls, text: str) -> Model:
        try:
            read = json.loads(text)
            attributes = {
                name: tuple(Level(**level) for level in levels)
                for name, levels in read.pop("attributes").items()
            }
            rules = read.pop("blocking")
            blocking = Blocking(tuple(map(tuple, rules["rules"])), tuple(rules["comparisons"]))
            model = cls(attributes, blocking=blocking, **read)
        except (AttributeError, KeyError, TypeError, ValueError):
            raise _not_a_model() from None
        if model.mode not in MODES:
            raise _not_a_model()
        return model


def _not_a_model() -> SettingError:
    return SettingError("This is not a model of how pairs are scored. Score the pairs again.")


def explain(model: Model, levels: Mapping[str, int]) -> list[tuple[str, str, float]]:
    """Say what each attribute of a pair adds to its weight: level, and weight to one decimal.

    How rare an identical value is stays out: it would tell something about the value.
    """
    found = []
    for attribute, number in levels.items():
        level = model.attributes[attribute][number]
        found.append((attribute, level.name, round(level.weight, 1)))
    return found
