"""People whose every character is told apart: one private-use code point a place of their values.

The code points are given to persons before mishaps are put into their second records, so that
identical, edited, transposed, swapped, missing and wholly different cells all occur, and a code
point that turns up anywhere says whose it is, of which attribute, and from which place. Sensitive
values have code points of another block. Dates are digits: they are known by where they stand.
"""

from __future__ import annotations

import random
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from html import unescape
from itertools import chain
from pathlib import Path
from typing import Final
from urllib.parse import unquote_to_bytes

from mindfirl.core.values.schema import Schema
from mindfirl.engine.schema.schema_parser import parse_schema
from tests.support.naive_compare import compare_records

SCHEMA: Final = """
record_id = "id"
date_order = "ymd"
swap_groups = [["first", "last"]]
attribute = [
    { name = "first", kind = "string" },
    { name = "last", kind = "string" },
    { name = "born", kind = "date" },
    { name = "number", kind = "fixed" },
    { name = "town", kind = "category" },
    { name = "sex", kind = "category" },
]
sensitive = [{ name = "diagnosis" }, { name = "notes" }]
"""
ATTRIBUTES: Final = ("first", "last", "born", "number", "town", "sex")
TRACED: Final = ("first", "last", "number", "town")
DATABASES: Final = ("clinic", "register")

_CODE_POINT: Final = re.compile("[\ue000-\uf8ff\U000f0000-\U0010fffd]")
_ESCAPED: Final = re.compile(r"\\u(d[89ab][0-9a-f]{2})\\u(d[c-f][0-9a-f]{2})", re.IGNORECASE)
_ESCAPED_SHORT: Final = re.compile(r"\\u([ef][0-9a-f]{3})", re.IGNORECASE)
_PERCENT: Final = re.compile("%(?:EE|EF|F3|F4)%", re.IGNORECASE)

Row = tuple[str, ...]
Shown = tuple[tuple[str | None, ...], tuple[str | None, ...]]
"""What is open of a cell, place by place, on both rows; nothing where it is hidden."""


def code_points(text: str) -> set[str]:
    """Return the private-use code points of a text, however they are written."""
    found = set(_CODE_POINT.findall(text))
    if "&#" in text:
        found.update(_CODE_POINT.findall(unescape(text)))
    if _PERCENT.search(text):
        found.update(_CODE_POINT.findall(unquote_to_bytes(text).decode("utf-8", "replace")))
    for high, low in _ESCAPED.findall(text):
        pair = (int(high, 16) - 0xD800) * 0x400 + int(low, 16) - 0xDC00
        found.update(_CODE_POINT.findall(chr(0x10000 + pair)))
    found.update(
        each for each in map(_short, _ESCAPED_SHORT.findall(text)) if _CODE_POINT.match(each)
    )
    return found


def _short(digits: str) -> str:
    return chr(int(digits, 16))


@dataclass(frozen=True)
class World:
    """Records by position, the first database's before the second's, and pairs of them."""

    records: tuple[Row, ...]
    secrets: tuple[Row, ...]
    """The sensitive values of each."""
    pairs: tuple[tuple[int, int], ...]

    @property
    def people(self) -> int:
        return len(self.records) // 2

    def write(self, folder: Path) -> dict[str, Path]:
        """Write the databases, the pairs and the schema as files; return the databases' paths."""
        paths = {name: folder / f"{name}.csv" for name in DATABASES}
        for place, (name, path) in enumerate(paths.items()):
            lines = [",".join(("id", *ATTRIBUTES, "diagnosis", "notes"))]
            for number in range(self.people):
                at = place * self.people + number
                lines.append(",".join((f"{name[0]}{number}", *self.records[at], *self.secrets[at])))
            path.write_text("\n".join(lines) + "\n", encoding="utf-8")
        named = ["left,right,weight"]
        named += [f"c{left},r{right - self.people},0" for left, right in self.pairs]
        (folder / "pairs.csv").write_text("\n".join(named) + "\n", encoding="utf-8")
        (folder / "schema.toml").write_text(SCHEMA, encoding="utf-8")
        return paths

    def shown(self, left: int, right: int, levels: dict[str, str], date_swap: str) -> list[Shown]:
        """Say what is open of each cell of a pair at its level, from the definition alone."""
        ours, theirs = self.records[left], self.records[right]
        found = []
        for place, cell in enumerate(_cells(ours, theirs, date_swap)):
            level = levels[ATTRIBUTES[place]]
            values = [_characters(ours[place]), _characters(theirs[place])]
            first, second = (
                tuple(
                    each if level == "full" or (level == "partial" and at in edited) else None
                    for at, each in enumerate(value)
                )
                for value, edited in zip(values, cell, strict=True)
            )
            found.append((first, second))
        return found


def make_world(seed: int, *, people: int, strangers: int) -> World:
    """Make people who are written down twice, and pairs: each with themselves, some with others."""
    dice = random.Random(seed)
    plain = chain(range(0xF0000, 0xFFFFE), range(0x100000, 0x10FFFE))
    alphabet = (chr(number) for number in plain)
    hidden = (chr(number) for number in range(0xE000, 0xF900))

    def word(least: int, most: int) -> str:
        return "".join(next(alphabet) for _ in range(dice.randint(least, most)))

    def born() -> str:
        return f"19{dice.randrange(40, 99)}-{dice.randint(1, 12):02}-{dice.randint(1, 28):02}"

    once = [
        (word(3, 5), word(4, 5), born(), word(5, 5), word(1, 1), dice.choice("FM"))
        for _ in range(people)
    ]
    again = [_again(row, dice, alphabet) for row in once]
    first = [_with_gaps(row, dice) for row in once]
    secrets = tuple(
        ("".join(next(hidden) for _ in range(2)), "".join(next(hidden) for _ in range(3)))
        for _ in range(2 * people)
    )
    pairs = {(number, people + number) for number in range(people)}
    while len(pairs) < people + strangers:
        pairs.add((dice.randrange(people), people + dice.randrange(people)))
    return World((*first, *again), secrets, tuple(sorted(pairs)))


def schema_of(date_swap: str) -> Schema:
    """Return the schema as it displays dates whose month and day are exchanged."""
    return parse_schema(SCHEMA, "schema.toml").schema.displayed(
        date_swap=date_swap,  # type: ignore[arg-type]  # one of two words
        frequency=False,
    )


@cache
def _cells(ours: Row, theirs: Row, date_swap: str) -> list[tuple[frozenset[int], frozenset[int]]]:
    """Return the places that the partial level of each cell shows, on either row."""
    mine, other = ([_characters(value) for value in row] for row in (ours, theirs))
    return [cell.edited for cell in compare_records(schema_of(date_swap), mine, other)]


def _characters(value: str) -> str:
    return value.replace("-", "")


def _with_gaps(row: Row, dice: random.Random) -> Row:
    return tuple("" if dice.random() < 0.04 else value for value in row)  # seldom


def _again(row: Row, dice: random.Random, alphabet: Iterator[str]) -> Row:
    """Write somebody down a second time: each value as it was, or with a mishap."""
    first, last, born, number, town, sex = row
    if dice.random() < 0.15:  # of the names are exchanged
        first, last = last, first
    else:
        first, last = (_mishap(name, dice, alphabet) for name in (first, last))
    return (
        first,
        last,
        _another_day(born, dice),
        _mishap(number, dice, alphabet, longer=False),
        town if dice.random() < 0.7 else next(alphabet),
        sex if dice.random() < 0.8 else "",  # of them
    )


def _mishap(
    value: str, dice: random.Random, alphabet: Iterator[str], *, longer: bool = True
) -> str:
    at = dice.randrange(len(value) - 1)
    new = next(alphabet)
    kinds = [
        value,
        value,
        "",
        value[:at] + new + value[at + 1 :],
        value[:at] + value[at + 1] + value[at] + value[at + 2 :],
        "".join(next(alphabet) for _ in value),
    ]
    if longer:
        kinds += [value[:at] + new + value[at:], value[:at] + value[at + 1 :]]
    return dice.choice(kinds)


def _another_day(born: str, dice: random.Random) -> str:
    year, month, day = born.split("-")
    return dice.choice(
        [
            born,
            "",
            year,
            f"{year}-{month}",
            f"{year}-{day}-{month}",
            f"{year[:2]}{year[3]}{year[2]}-{month}-{day}",
            f"{year}-{month}-{int(day) % 28 + 1:02}",
            f"{int(year) - 11}-{int(month) % 12 + 1:02}-{int(day) % 28 + 1:02}",
        ]
    )
