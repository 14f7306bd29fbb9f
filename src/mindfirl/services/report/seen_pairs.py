"""The pairs of assignments as their people saw them, of versions with an index and without."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mindfirl.core.ledger.replay import AssignmentBalance
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.risk.kapr import view_pair
from mindfirl.core.values.schema import Pair
from mindfirl.engine.exposure import (
    ExposedRow,
    Record,
    characters_by_level,
    exposed_rows,
    frozen_characters_by_level,
    frozen_exposed_rows,
)
from mindfirl.store.models import Assignment, Version
from mindfirl.workspace.open_version import frozen_rows, open_version
from mindfirl.workspace.record_lines import RecordLines

Levels = tuple[int, ...]


@dataclass(frozen=True, slots=True, eq=False)
class SeenPair:
    rows: tuple[ExposedRow, ...]
    levels: Levels
    characters: list[tuple[int, ...]]
    """How many characters each attribute shows at each level, and has."""


def seen_pairs(
    mine: Assignment, account: AssignmentBalance, indexes: Indexes, lines: RecordLines
) -> Iterator[tuple[int, SeenPair]]:
    """Give the pairs of an assignment as the ledger tells; of a frozen version as they were."""
    about = (account.terms.kappa, lines.found)
    version, frozen = mine.version.number, frozen_rows(mine.version)
    for number, left, right in _pairs(mine):
        if frozen is not None:
            pair = frozen.of_pair[str(mine.pk), number]
            rows = tuple(frozen_exposed_rows(version, pair, *about))
            yield number, SeenPair(rows, pair[0].levels, frozen_characters_by_level(pair))
        else:
            index = indexes.of(mine)
            view = view_pair(index, Pair(left, right), account.state(number))
            rows = exposed_rows(version, index, view, *about)
            yield number, SeenPair(rows, view.levels, characters_by_level(view))


class Indexes:
    def __init__(self) -> None:
        self._opened: dict[tuple[int, str, bool], PopulationIndex] = {}

    def of(self, mine: Assignment) -> PopulationIndex:
        terms = mine.terms
        key = (mine.version_id, terms.date_swaps, terms.frequency_bands)
        if key not in self._opened:
            self._opened[key] = open_version(mine.version).index(terms)
        return self._opened[key]

    def holding(
        self, versions: Iterable[Version], records: Iterable[Record]
    ) -> dict[int, PopulationIndex]:
        """Return an index of each version in which records are now, where there is one."""
        wanted = {version for version, _ in records}
        opened = {version: index for (version, *_), index in self._opened.items()}
        listed = [each for each in versions if each.number in wanted and each.frozen is None]
        return {
            each.number: opened[each.pk] if each.pk in opened else open_version(each).index()
            for each in listed
        }


def _pairs(mine: Assignment) -> Iterator[tuple[int, int, int]]:
    found = mine.pairs.order_by("number").values_list("number", "left", "right")
    return found.iterator(chunk_size=2000)
