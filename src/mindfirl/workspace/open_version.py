"""A version of a project's data, opened: its schema parsed once, the rest where it is asked for."""

from __future__ import annotations

from collections import OrderedDict, defaultdict
from collections.abc import Callable, Hashable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from itertools import product
from threading import Lock
from typing import Final, Generic, TypeVar

from mindfirl.core.errors import IndexDeleted, SettingError, VaultShredded
from mindfirl.core.policy import ASSIGNMENT_STATES
from mindfirl.core.population.arrays import restore_index
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.review.plan import Terms
from mindfirl.core.risk.kapr import View, view_pair
from mindfirl.core.values.schema import DATE_SWAPS, Pair, Schema
from mindfirl.engine.frozen_rows import FrozenRows, read_frozen
from mindfirl.engine.pairs.candidates import Positions
from mindfirl.engine.pairs.record_ids import RecordIds, alone
from mindfirl.engine.schema.schema_file import SchemaFile
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.engine.separation.indexed_databases import index_arrays
from mindfirl.engine.separation.separate import RECORD
from mindfirl.store import vault
from mindfirl.store.models import (
    AssignedPair,
    Assignment,
    Database,
    OpenCell,
    Project,
    Version,
)
from mindfirl.store.queries.projects import current_version, databases_of

T = TypeVar("T")


class SingleFlightCache(Generic[T]):
    """At most ``size`` values, each with the source it was made from; the least recent goes first.

    A value whose source has changed is made again. Threads that ask for a key wait for the one
    that is making its value.
    """

    def __init__(self, *, size: int) -> None:
        self._size = size
        self._values: OrderedDict[Hashable, tuple[tuple[object, ...], T]] = OrderedDict()
        self._making: defaultdict[Hashable, Lock] = defaultdict(Lock)

    def get(self, key: Hashable, source: tuple[object, ...], make: Callable[[], T]) -> T:
        with self._making[key]:
            cached = self._values.pop(key, None)
            value = cached[1] if cached and cached[0] == source else make()
            self._values[key] = (source, value)
        while len(self._values) > self._size:
            with suppress(KeyError):  # another thread was first
                self._values.popitem(last=False)
        return value

    def forget(self, key: Hashable) -> None:
        with self._making[key]:
            self._values.pop(key, None)


_schemas: Final[SingleFlightCache[SchemaFile]] = SingleFlightCache(size=32)


@dataclass(frozen=True, slots=True, eq=False, repr=False)
class OpenVersion:
    """One version of a project's data; files are unsealed only by the method that needs them."""

    version: Version
    schema_file: SchemaFile

    @property
    def schema(self) -> Schema:
        return self.schema_file.schema

    @property
    def databases(self) -> list[Database]:
        return databases_of(self.version)

    @property
    def without_duplicates(self) -> Positions:
        """The number of each record's database if that has no duplicates, else -1."""
        return alone((each.records, each.without_duplicates) for each in self.databases)

    def index(self, terms: Terms | None = None) -> PopulationIndex:
        """Restore the population index as terms display it, or else as the schema says."""
        schema, file = terms.displayed(self.schema) if terms else self.schema, self.version.index
        if not file.digest and not file.project.shredded:
            raise IndexDeleted(self.version.number)
        return restore_index(schema, index_arrays(vault.unseal(file)))

    def record_ids(self) -> RecordIds:
        return RecordIds.of(
            {each.name: vault.unseal(each.identity, [RECORD]) for each in self.databases}
        )


def open_version(version: Version) -> OpenVersion:
    return OpenVersion(version, _schema_file(version.schema))


_frozen: Final[SingleFlightCache[FrozenRows]] = SingleFlightCache(size=4)


def frozen_rows(version: Version) -> FrozenRows | None:
    """Return what is kept of a version whose index is deleted; nothing while that is there."""
    file = version.frozen
    if file is None:
        return None
    return _frozen.get(version.pk, (file.digest,), lambda: read_frozen(vault.unseal(file)))


def open_project(project: Project) -> OpenVersion:
    if project.shredded:
        raise VaultShredded
    version = current_version(project)
    if version is None:
        raise SettingError("Nothing was imported yet. Import the databases first.")
    return open_version(version)


def current_schema(project: Project) -> SchemaFile | None:
    version = current_version(project)
    return _schema_file(version.schema) if version else None


def _schema_file(text: str) -> SchemaFile:
    return _schemas.get(text, (), lambda: parse_schema(text, "the project's schema"))


_indexes: Final = SingleFlightCache[PopulationIndex](size=4)
_UNDER_WAY: Final = [state for state, after in ASSIGNMENT_STATES.items() if after]


def open_view(
    index: PopulationIndex, mine: Assignment, row: AssignedPair, opened: Iterable[OpenCell]
) -> View:
    """Compare a pair of an assignment, with its cells at the levels that they are open to."""
    return view_pair(index, Pair(row.left, row.right), mine.open_levels(row, opened))


def population_of(assignment: Assignment) -> PopulationIndex:
    terms = assignment.terms  # every opening comes here: the version is read where it is needed
    digest = assignment.population or assignment.version.index_digest
    key = (digest, terms.date_swaps, terms.frequency_bands)
    return _indexes.get(key, (), lambda: open_version(assignment.version).index(terms))


def forget_indexes(version: Version) -> None:
    """Drop the indexes of a version, once none of its assignments is under way."""
    if version.assignments.filter(state__in=_UNDER_WAY).exists():
        return
    for date_swap, frequency in product(DATE_SWAPS, (False, True)):
        _indexes.forget((version.index_digest, date_swap, frequency))
