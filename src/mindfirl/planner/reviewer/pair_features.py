"""Many pairs at every level at once: what each cell would tell, how it looks, how much it shows.

A state of a pair takes from here, for each of its cells, what stands at the cell's level. Two cells
that look the same have the same appearance: a number made of what can be seen of them alone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray

from mindfirl.core.display.cells import FREQUENCY_BANDS, VERY_COMMON, cell, disclosed_characters
from mindfirl.core.display.compare import Difference
from mindfirl.core.population.attribute_index import MISSING
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.values.schema import FULL, LEVELS, MASKED, Pair
from mindfirl.engine.pairs.candidates import Positions
from mindfirl.planner.reviewer.cell_features import (
    BLOCKS,
    IDENTICAL,
    NAMES,
    UNREAD,
    WIDTH,
    Bands,
    sight,
)

Features = NDArray[np.float32]
Numbers = NDArray[np.int64]
Progress = Callable[[int, int], None]

COMMON_FROM: Final = (6, 21, 101, 501)
"""How common a name is, in steps that a person knows: how often exactly it occurs nobody does."""
_RANKS: Final = 20
_CATEGORIES: Final = 200
"""Of more categories than this nobody knows which are the common ones."""
_EVERY: Final = 256
_BAND_WORDS: Final = (*(word for _, word in FREQUENCY_BANDS), VERY_COMMON)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class Looks:
    """Pairs by pair, attribute and level: what they tell, how they look, how much they show.

    ``appearance`` is that of masked and partial cells; ``coarse`` tells less of it, for cells whose
    like is rare.
    """

    tells: Features
    appearance: Numbers
    coarse: Numbers
    shows: Numbers
    differences: tuple[tuple[Difference, ...], ...]

    def __len__(self) -> int:
        return len(self.tells)

    @property
    def differing(self) -> Numbers:
        """How many characters each cell shows of values that differ: 0 where they are identical."""
        differs = self.tells[:, :, MASKED, NAMES.index("relation")] != IDENTICAL
        return np.where(differs[:, :, None], self.shows, 0)

    def some(self, chosen: Numbers) -> Looks:
        return Looks(
            self.tells[chosen],
            self.appearance[chosen],
            self.coarse[chosen],
            self.shows[chosen],
            tuple(self.differences[number] for number in chosen.tolist()),
        )

    def spread(self, places: Sequence[int], width: int) -> Looks:
        """Return the same pairs with more attributes, of which nothing is told."""
        size = len(self)
        tells = np.full((size, width, *self.tells.shape[2:]), np.nan, dtype=np.float32)
        appearance, coarse = (np.full((size, width, FULL), UNREAD) for _ in range(2))
        shows = np.zeros((size, width, len(LEVELS)), dtype=np.int64)
        for ours, theirs in (
            (tells, self.tells),
            (appearance, self.appearance),
            (coarse, self.coarse),
            (shows, self.shows),
        ):
            ours[:, list(places)] = theirs
        return Looks(tells, appearance, coarse, shows, self.differences)


def state_rows(tells: Features, levels: Numbers) -> Features:
    pairs, attributes = levels.shape
    rows = tells[np.arange(pairs)[:, None], np.arange(attributes)[None], levels]
    return rows.reshape(pairs, attributes * WIDTH)


def look_at(
    index: PopulationIndex,
    left: Positions,
    right: Positions,
    progress: Progress = lambda _done, _steps: None,
) -> Looks:
    size, width = len(left), len(index.columns)
    tells = np.empty((size, width, len(LEVELS), WIDTH), dtype=np.float32)
    shows = np.zeros((size, width, len(LEVELS)), dtype=np.int64)
    reader = CellReader(index)
    differences = []
    for number, records in enumerate(zip(left.tolist(), right.tolist(), strict=True)):
        compared = index.differences(Pair(*records))
        differences.append(compared)
        for place, difference in enumerate(compared):
            for level in range(len(LEVELS)):
                tells[number, place, level] = reader.tells(records, place, difference, level)
                shown = disclosed_characters(difference, level)
                shows[number, place, level] = shown[0][0] + shown[1][0]
        if number % _EVERY == 0:
            progress(number, size)
    progress(size, size)
    return Looks(tells, *appearances(tells), shows, tuple(differences))


class CellReader:
    """Reads drawn cells, with what a person knows of the values that can be read whole.

    Of names and categories people know roughly how common they are. Of dates and numbers nobody
    does: a count of them would tell how many records a person has.
    """

    def __init__(self, index: PopulationIndex) -> None:
        self._index = index
        self._known: dict[tuple[int, int], int] = {}

    def tells(
        self, records: tuple[int, int], place: int, difference: Difference, level: int
    ) -> list[float]:
        read = (UNREAD, UNREAD)
        if level == FULL:
            codes = self._index.columns[place].codes
            read = (
                self._commonness(place, int(codes[records[0]])),
                self._commonness(place, int(codes[records[1]])),
            )
        return sight(
            cell(difference, LEVELS[level]),
            difference.kind,
            self._index.schema.settings.date_order,
            bands=_shown_bands(self._index, records, place),
            commonness=read,
        )

    def _commonness(self, place: int, code: int) -> int:
        if code == MISSING:
            return UNREAD
        found = self._known.get((place, code))
        if found is None:
            found = self._known[place, code] = self._counted(place, code)
        return found

    def _counted(self, place: int, code: int) -> int:
        """Say how common a name is, in coarse steps; how many categories are commoner than one."""
        column, kind = self._index.columns[place], self._index.schema.attributes[place].kind
        if kind == "string":
            return int(np.searchsorted(COMMON_FROM, column.count(code), side="right"))
        if kind != "category" or column.values.size > _CATEGORIES:
            return UNREAD
        own = column.count(code)
        commoner = sum(column.count(other) > own for other in range(1, column.values.size))
        return min(commoner, _RANKS)


def _shown_bands(index: PopulationIndex, records: tuple[int, int], place: int) -> Bands:
    if not index.schema.attributes[place].frequency:
        return (UNREAD, UNREAD)
    words = [index.frequency(record, place) for record in records]
    first, second = (_BAND_WORDS.index(word) if word else UNREAD for word in words)
    return first, second


_CAPS: Final = {
    "relation": 6,
    "substitutions": 2,
    "gaps": 3,
    "transpositions": 1,
    "exchanged": 1,
    "first edit": 1,
    "last edit": 1,
    "differing parts": 3,
    "year edits": 1,
    "commoner band": 3,
    "junior": 1,
    "spaces": 1,
    "far letters": 1,
}
"""What makes two cells look the same, each counted up to this many."""
_YEARS: Final = (1, 2, 10, 11, 18)
_BASE: Final = 8


def appearances(tells: Features) -> tuple[Numbers, Numbers]:
    """Return numbers for how cells look, masked and partial; and for their relations alone."""
    seen = tells[:, :, :FULL]
    fine = np.zeros(seen.shape[:-1], dtype=np.int64)
    for name, cap in _CAPS.items():
        told = np.nan_to_num(seen[..., NAMES.index(name)], nan=-1.0)
        fine = fine * _BASE + 1 + np.minimum(told, cap).astype(np.int64)
    years = np.nan_to_num(seen[..., NAMES.index("years apart")], nan=-1.0)
    fine = fine * _BASE + np.digitize(years, _YEARS)
    relation = np.nan_to_num(seen[..., NAMES.index("relation")], nan=UNREAD)
    return fine, relation.astype(np.int64)


MOST: Final = 24
FEWEST: Final = 10
"""A list that has fewer is filled up with cells that look less alike."""

Key = tuple[int, int, bool, int]
"""An attribute, a level, whether it is fine or coarse, and an appearance."""
Lists = Mapping[Key, Numbers]

_FROM_CHARACTERS: Final = BLOCKS[1].start


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class References:
    """Labelled pairs by which a hidden cell is imagined: of two people, and of one, by appearance.

    What opening a cell will show is imagined as what cells show that look the same now. The lists
    are fixed, so the same view is always imagined in the same way, whatever it hides.
    """

    tells: Features
    lists: tuple[Lists, Lists]

    def like(self, place: int, level: int, fine: int, coarse: int) -> tuple[Numbers, Numbers]:
        different, same = (
            _filled(lists.get((place, level, True, fine)), lists.get((place, level, False, coarse)))
            for lists in self.lists
        )
        return different, same

    def imagined(
        self, now: Features, places: tuple[int, ...], level: int, chosen: Numbers
    ) -> Features:
        """Return a pair as it may be once cells are open: its marks, and what others showed."""
        rows = np.repeat(now[None], len(chosen), axis=0)
        for place in places:
            rows[:, place, 0] = level
            rows[:, place, _FROM_CHARACTERS:] = self.tells[chosen, place, level, _FROM_CHARACTERS:]
        return rows.reshape(len(chosen), now.size)


def references_of(looks: Looks, same: NDArray[np.bool_], *, seed: int) -> References:
    rng = np.random.default_rng(seed)
    found = [dict(_lists(looks, np.flatnonzero(same == kind), rng)) for kind in (False, True)]
    used = np.unique(np.concatenate([*found[0].values(), *found[1].values(), _NONE]))
    different, ours = (
        {key: np.searchsorted(used, numbers) for key, numbers in lists.items()} for lists in found
    )
    return References(looks.tells[used], (different, ours))


_NONE: Final = np.empty(0, dtype=np.int64)


def _lists(
    looks: Looks, numbers: Numbers, rng: np.random.Generator
) -> Iterator[tuple[Key, Numbers]]:
    shuffled = rng.permutation(numbers)
    for place in range(looks.tells.shape[1]):
        for level in range(FULL):
            for fine, appearance in ((True, looks.appearance), (False, looks.coarse)):
                seen = appearance[shuffled, place, level]
                order = np.argsort(seen, kind="stable")
                values, starts = np.unique(seen[order], return_index=True)
                for value, some in zip(
                    values.tolist(), np.split(shuffled[order], starts[1:]), strict=True
                ):
                    yield (place, level, fine, value), some[:MOST]


def _filled(alike: Numbers | None, less: Numbers | None) -> Numbers:
    first = _NONE if alike is None else alike
    if len(first) >= FEWEST or less is None:
        return first
    return np.concatenate((first, less))[:MOST]
