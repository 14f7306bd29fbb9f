"""What a drawn cell tells a reader, in numbers: by its marks, by its characters, by its values.

Everything here is read off a drawing, in which what is hidden is not there. So a cell that shows
the same tells the same, whatever it hides. Exchanging the two rows changes nothing. ``marks`` are
there in masked cells, too; ``characters`` where some can be seen; ``values`` where they can be read
whole. How often a date or a number occurs nobody knows, and it is not told.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Final

from rapidfuzz.distance import JaroWinkler

from mindfirl.core.display.alignment import Mark
from mindfirl.core.display.cells import SEPARATOR, Cell, Sign
from mindfirl.core.values.schema import FULL, LEVELS, MASKED, DateOrder, Kind
from mindfirl.planner.reviewer.known_names import is_short_form, sounds_like

MARKS: Final = (
    "relation", "substitutions", "gaps", "transpositions", "exchanged", "shorter", "longer",
    "first edit", "last edit", "differing parts", "year edits", "commoner band", "rarer band",
)  # fmt: skip
CHARACTERS: Final = (
    "next keys", "like sounds", "like shapes", "far letters", "largest step", "junior", "spaces",
    "years apart", "months apart", "days apart",
)  # fmt: skip
VALUES: Final = (
    "commoner", "rarer", "short form", "initials", "common beginning", "alike", "sounds",
    "shared word", "placeholder", "number apart",
)  # fmt: skip
NAMES: Final = ("level", *MARKS, *CHARACTERS, *VALUES)
WIDTH: Final = len(NAMES)
_SEEN: Final = 1 + len(MARKS)
_READ: Final = _SEEN + len(CHARACTERS)
BLOCKS: Final = (slice(0, _SEEN), slice(_SEEN, _READ), slice(_READ, WIDTH))
"""Where the three blocks stand; the first begins with the level."""

UNKNOWN: Final = math.nan
UNREAD: Final = -1

Bands = tuple[int, int]
"""How common the two values are, as far as a person can know: -1 where nobody knows."""

IDENTICAL: Final = 1
_RELATIONS: Final = {"identical": IDENTICAL, "swapped": 2, "different": 3}
_EDITED: Final = 4
_MISSING: Final = (5, 6)
"""One value is missing, or parts of it; both are."""

_KEYS: Final = ("qwertyuiop", "asdfghjkl", "zxcvbnm", "1234567890")
_NEXT: Final = frozenset(frozenset(pair) for row in _KEYS for pair in pairwise(row))
_SOUNDS: Final = ("aeiouy", "bp", "ckq", "dt", "fv", "gj", "mn", "sz", "lr", "uvw")
_SHAPES: Final = ("0o", "1il7", "5s", "8b3", "2z", "6b", "9g", "uv", "69", "38", "17", "56")
_GENERATIONS: Final = frozenset({"JR", "SR", "II", "III", "IV"})

Row = Sequence[Sign]


def sight(
    cell: Cell,
    kind: Kind,
    order: DateOrder,
    *,
    bands: Bands = (UNREAD, UNREAD),
    commonness: Bands = (UNREAD, UNREAD),
) -> list[float]:
    """Return what a drawn cell tells: its level, its marks, its characters, its values.

    ``bands`` are the frequency bands that the cell shows, ``commonness`` is what a person knows of
    the two values once they can be read whole.
    """
    first, second = ([sign for sign in row if not _separates(sign)] for row in cell.rows)
    level, relation = LEVELS.index(cell.level), _relation(cell, first, second)
    if relation != _EDITED and level < FULL:
        level = MASKED
    found = [float(level), *_marks(relation, kind, order, first, second), *_low_high(bands)]
    seen = level > MASKED
    found += _characters(relation, kind, order, first, second) if seen else _NO_CHARACTERS
    found += _values(kind, _text(first), _text(second), commonness) if level == FULL else _NO_VALUES
    return found


def _separates(sign: Sign) -> bool:
    return sign.text == SEPARATOR and not sign.shown


def _text(row: Row) -> str:
    return "".join(sign.text for sign in row).upper()


def _relation(cell: Cell, first: Row, second: Row) -> int:
    if not first or not second:
        return _MISSING[not first and not second]
    if cell.marks == ("missing",):
        return _MISSING[0]
    return _RELATIONS.get(cell.marks[0], _EDITED)


def _low_high(bands: Bands) -> list[float]:
    return [UNKNOWN if band == UNREAD else float(band) for band in (max(bands), min(bands))]


def _marks(relation: int, kind: Kind, order: DateOrder, first: Row, second: Row) -> list[float]:
    sizes = sorted((len(first), len(second)))
    if relation != _EDITED:
        return [relation, 0, 0, 0, 0, *sizes, UNKNOWN, UNKNOWN, UNKNOWN, UNKNOWN]
    ours, theirs = [sign.mark for sign in first], [sign.mark for sign in second]
    edits = [[place for place, mark in enumerate(row) if mark] for row in (ours, theirs)]
    starts = [places[0] for places in edits if places]
    ends = [
        len(row) - 1 - places[-1]
        for row, places in zip((ours, theirs), edits, strict=True)
        if places
    ]
    whole = kind == "date" and sizes == [_WHOLE_DATE, _WHOLE_DATE]
    years, parts = _edited_parts(order, edits[0]) if whole else (UNKNOWN, UNKNOWN)
    return [
        relation,
        ours.count(Mark.SUBSTITUTED),
        ours.count(Mark.GAP) + theirs.count(Mark.GAP),
        ours.count(Mark.TRANSPOSED) // 2,
        float(Mark.EXCHANGED in ours),
        *sizes,
        min(starts),
        min(ends),
        parts,
        years,
    ]


def _edited_parts(order: DateOrder, places: Sequence[int]) -> tuple[float, float]:
    parts = [_part_at(order, place) for place in places]
    return parts.count("y"), len(set(parts))


_WIDTHS: Final = {"y": 4, "m": 2, "d": 2}
_WHOLE_DATE: Final = 8


def _part_at(order: DateOrder, place: int) -> str:
    return "".join(part * _WIDTHS[part] for part in order)[place]


def _characters(
    relation: int, kind: Kind, order: DateOrder, first: Row, second: Row
) -> list[float]:
    apart = _dates_apart(order, first, second) if kind == "date" else _NOT_APART
    if relation != _EDITED:
        return [*_NO_EDITS, *apart]
    pairs = [
        frozenset((one.text.lower(), other.text.lower()))
        for one, other in zip(_marked(first), _marked(second), strict=True)
    ]
    keys = sum(pair in _NEXT for pair in pairs)
    sounds, shapes = (sum(_in_one(pair, groups) for pair in pairs) for groups in (_SOUNDS, _SHAPES))
    known = sum(pair in _NEXT or _in_one(pair, _SOUNDS) or _in_one(pair, _SHAPES) for pair in pairs)
    gaps = "".join(sign.text for row in (first, second) for sign in row if sign.mark == Mark.GAP)
    return [
        keys,
        sounds,
        shapes,
        len(pairs) - known,
        max((_step(pair) for pair in pairs), default=0),
        float(gaps.strip(" .,-").upper() in _GENERATIONS),
        float(bool(gaps) and not gaps.strip(" .,-'")),
        *apart,
    ]


def _marked(row: Row) -> Iterator[Sign]:
    return (sign for sign in row if sign.mark == Mark.SUBSTITUTED)


def _in_one(pair: frozenset[str], groups: Sequence[str]) -> bool:
    return any(all(letter in group for letter in pair) for group in groups)


def _step(pair: frozenset[str]) -> int:
    """Return how far two digits are apart, 0 for letters."""
    if not all(letter.isascii() and letter.isdigit() for letter in pair):
        return 0
    numbers = [int(letter) for letter in pair]
    return max(numbers) - min(numbers)


def _dates_apart(order: DateOrder, first: Row, second: Row) -> list[float]:
    if not len(first) == len(second) == _WHOLE_DATE:
        return _NOT_APART
    found, place = {}, 0
    for part in order:
        rows = (row[place : place + _WIDTHS[part]] for row in (first, second))
        one, other = (_number(row) for row in rows)
        found[part] = float(abs(one - other))
        place += _WIDTHS[part]
    return [found["y"], found["m"], found["d"]]


def _number(row: Row) -> int:
    digits = (sign.text if sign.shown and sign.text.isdecimal() else "0" for sign in row)
    return int("".join(digits))


def _values(kind: Kind, one: str, other: str, commonness: Bands) -> list[float]:
    return [*_low_high(commonness), *_READ_BY_KIND[kind](one, other)]


def _names(one: str, other: str) -> list[float]:
    if not one or not other:
        return _NOTHING_READ
    return [
        float(one != other and is_short_form(one, other)),
        float(one[:1] == other[:1]),
        float(_common_beginning(one, other)),
        JaroWinkler.similarity(one, other),
        float(sounds_like(one, other)),
        float(bool(_words(one) & _words(other))),
        UNKNOWN,
        UNKNOWN,
    ]


def _words(text: str) -> set[str]:
    return set(text.replace("-", " ").split()) - _GENERATIONS


def _numbers(one: str, other: str) -> list[float]:
    if not one or not other:
        return [*_NOTHING_READ[:-2], float(_stands_in(one or other)), UNKNOWN]
    digits = one.isdecimal() and other.isdecimal()
    apart = math.log10(1 + abs(int(one) - int(other))) if digits else UNKNOWN
    stands_in = float(_stands_in(one) or _stands_in(other))
    beginning = float(_common_beginning(one, other))
    alike = JaroWinkler.similarity(one, other)
    return [UNKNOWN, UNKNOWN, beginning, alike, UNKNOWN, UNKNOWN, stands_in, apart]


def _stands_in(number: str) -> bool:
    """Say whether a number is one that stands for an unknown one: 999999999, 123456789."""
    return len(set(number)) <= 1 or "1234567890".startswith(number)


def _days(one: str, other: str) -> list[float]:
    stands_in = any("0101" in (text[:4], text[4:]) for text in (one, other))
    return [*_NOTHING_READ[:-2], float(stands_in), UNKNOWN]


def _categories(_one: str, _other: str) -> list[float]:
    return _NOTHING_READ


def _common_beginning(one: str, other: str) -> int:
    same = 0
    for ours, theirs in zip(one, other, strict=False):
        if ours != theirs:
            break
        same += 1
    return same


_NOT_APART: Final = [UNKNOWN] * 3
_NO_EDITS: Final = [UNKNOWN] * (len(CHARACTERS) - len(_NOT_APART))
_NO_CHARACTERS: Final = [UNKNOWN] * len(CHARACTERS)
_NO_VALUES: Final = [UNKNOWN] * len(VALUES)
_NOTHING_READ: Final = [UNKNOWN] * (len(VALUES) - 2)
_READ_BY_KIND: Final = {"string": _names, "fixed": _numbers, "date": _days, "category": _categories}
