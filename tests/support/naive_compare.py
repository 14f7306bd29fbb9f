"""How two values differ, written a second time from the definition, for the tests alone.

By brute force: every alignment is listed, and the one that the definition takes is picked.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache

from mindfirl.core.values.schema import Characters, Schema, Settings

RANKS = {"match": 0, "transposition": 1, "substitution": 2, "gap": 3}
Column = tuple[str, int, int]
"""One column of an alignment: what it is, and how many characters it takes of either row."""

Positions = tuple[frozenset[int], frozenset[int]]


@dataclass(frozen=True)
class Cell:
    """A relation, and the positions that the partial level shows on either row."""

    kind: str
    relation: str
    edited: Positions = (frozenset(), frozenset())


@lru_cache(maxsize=100_000)
def all_alignments(ours: Characters, theirs: Characters) -> tuple[tuple[Column, ...], ...]:
    """List every alignment of two values."""
    if not ours and not theirs:
        return ((),)
    found: list[tuple[Column, ...]] = []

    def follow(name: str, down: int, along: int) -> None:
        found.extend(
            ((name, down, along), *rest) for rest in all_alignments(ours[down:], theirs[along:])
        )

    if ours and theirs:
        follow("match" if ours[0] == theirs[0] else "substitution", 1, 1)
        if len(ours) > 1 and ours[0] != ours[1] and ours[:2] == theirs[:2][::-1]:
            follow("transposition", 2, 2)
    if ours:
        follow("gap", 1, 0)
    if theirs:
        follow("gap", 0, 1)
    return tuple(found)


def distance_of(columns: Sequence[Column]) -> int:
    return sum(name != "match" for name, _, _ in columns)


@lru_cache(maxsize=100_000)
def chosen(ours: Characters, theirs: Characters) -> tuple[int, tuple[Column, ...] | None]:
    """Return the least distance, and the alignment that the definition takes, if there is one."""
    alignments = list(all_alignments(ours, theirs))

    def shown(columns: Sequence[Column]) -> int:
        return sum(down + along for name, down, along in columns if name != "match")

    def ranks(columns: Sequence[Column]) -> list[int]:
        return [RANKS[name] for name, _, _ in columns]

    least = min(map(distance_of, alignments))
    alignments = [each for each in alignments if distance_of(each) == least]
    fewest = min(map(shown, alignments))
    alignments = [each for each in alignments if shown(each) == fewest]
    first = min(map(ranks, alignments))
    alignments = [each for each in alignments if ranks(each) == first]
    return least, alignments[0] if len(alignments) == 1 else None


def edited_positions(columns: Sequence[Column]) -> Positions:
    """Return the positions of the characters that are not matched."""
    ours, theirs = set[int](), set[int]()
    i = j = 0
    for name, down, along in columns:
        if name != "match":
            ours.update(range(i, i + down))
            theirs.update(range(j, j + along))
        i, j = i + down, j + along
    return frozenset(ours), frozenset(theirs)


@lru_cache(maxsize=100_000)
def compare(kind: str, ours: Characters, theirs: Characters, settings: Settings) -> Cell:
    """Compare two values, in the order missing, identical, too different, edited."""
    if not ours or not theirs:
        return Cell(kind, "missing")
    if ours == theirs:
        return Cell(kind, "identical")
    if kind == "category":
        return Cell(kind, "different")
    if kind == "date":
        return _compare_dates(str(ours), str(theirs), settings)
    least, columns = chosen(ours, theirs)
    longer = max(len(ours), len(theirs))
    limit = Fraction(settings.fixed_limit if kind == "fixed" else settings.string_limit)
    unequal = kind == "fixed" and len(ours) != len(theirs)
    if unequal or Fraction(least, longer) > limit or columns is None:
        return Cell(kind, "different")
    return Cell(kind, "edited", edited_positions(columns))


def compare_records(
    schema: Schema, ours: Sequence[Characters], theirs: Sequence[Characters]
) -> list[Cell]:
    """Compare two records; a swap group that is crossed is swapped."""
    cells = [
        compare(attribute.kind, mine, other, schema.settings)
        for attribute, mine, other in zip(schema.attributes, ours, theirs, strict=True)
    ]
    for a, b in schema.swaps:
        values = {ours[a], ours[b], theirs[a], theirs[b]}
        if ours[a] == theirs[b] and ours[b] == theirs[a] and len(values) == 2 and "" not in values:
            cells[a] = Cell(cells[a].kind, "swapped")
            cells[b] = Cell(cells[b].kind, "swapped")
    return cells


def _parts(digits: str, order: str) -> dict[str, list[int]]:
    """Return the positions of each part of a date that is there."""
    present = {8: "ymd", 6: "ym", 4: "y"}[len(digits)]
    places = iter(range(8))
    return {
        part: [next(places) for _ in range(4 if part == "y" else 2)]
        for part in order
        if part in present
    }


def _compare_dates(ours: str, theirs: str, settings: Settings) -> Cell:
    mine, other = _parts(ours, settings.date_order), _parts(theirs, settings.date_order)

    def text(digits: str, parts: dict[str, list[int]], part: str) -> str:
        return "".join(digits[at] for at in parts.get(part, []))

    values = {part: (text(ours, mine, part), text(theirs, other, part)) for part in "ymd"}
    (m1, m2), (d1, d2) = values["m"], values["d"]
    exchanged = "" not in (m1, m2, d1, d2) and m1 != d1 and (m1, d1) == (d2, m2)
    differing = [part for part in "ymd" if values[part][0] != values[part][1]]
    if not exchanged and len(differing) >= settings.date_limit:
        return Cell("date", "different")
    shown: tuple[set[int], set[int]] = (set(), set())
    for part in differing:
        first, second = values[part]
        if not first or not second:
            continue
        for at, (x, y) in enumerate(zip(first, second, strict=True)):
            whole_field = exchanged and part != "y" and settings.date_swap == "fields"
            if x != y or whole_field:
                shown[0].add(mine[part][at])
                shown[1].add(other[part][at])
    edited = (frozenset(shown[0]), frozenset(shown[1]))
    return Cell("date", "edited", edited) if shown[0] else Cell("date", "missing")
