"""Whether some people paid more than others: what was shown of records, by a chosen attribute.

Records go together by the value of a category, or by how common their value of another attribute
is: who has a rare name is easily found. It is counted in the database of the record alone, so that
a database of guesses moves nobody else from one group to another. A group of fewer than ten persons
is not told apart.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any, Final

import numpy as np

from mindfirl.core.display.cells import FREQUENCY_BANDS, VERY_COMMON, frequency_band
from mindfirl.core.population.attribute_index import MISSING
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.values.schema import Schema
from mindfirl.engine import exposure
from mindfirl.store import vault
from mindfirl.store.models import Project, Version
from mindfirl.store.queries.projects import starts_of

LEAST: Final = 10
"""A group of fewer persons is put together with others."""
_BANDS: Final = (*(name for _, name in FREQUENCY_BANDS), VERY_COMMON)


def usual_group(schema: Schema) -> str:
    """Return the attribute that is taken unless another is chosen: a last name, if there is one."""
    names = [last for _, last in schema.swap_groups]
    names += [each.name for each in schema.attributes if each.kind == "string"]
    return (names or list(schema.names))[0]


def groups(
    project: Project,
    rows: Iterable[exposure.ExposedRow],
    indexes: Mapping[int, PopulationIndex],
    attribute: str,
) -> dict[str, Any]:
    """Say what was shown of records by an attribute, in the import versions that have it."""
    having = {number: each for number, each in indexes.items() if attribute in each.schema.names}
    records = exposure.record_exposures(row for row in rows if row.record[0] in having)
    categories = any(
        each.schema.attributes[each.schema.place(attribute)].kind == "category"
        for each in having.values()
    )
    found = exposure.group_exposures(
        records,
        (_values_in if categories else _bands_in)(project, having, attribute),
        _persons_in(project),
        least=LEAST,
    )
    return {
        "attribute": attribute,
        "by": "value" if categories else "frequency",
        "least": LEAST,
        "groups": [asdict(each) for each in (found if categories else sorted(found, key=_order))],
    }


def _values_in(
    _project: Project, having: Mapping[int, PopulationIndex], attribute: str
) -> Callable[[exposure.Record], str]:
    def value(record: exposure.Record) -> str:
        index = having[record[0]]
        return "".join(index.record(record[1])[index.schema.place(attribute)].reveal())

    return value


def _bands_in(
    project: Project, having: Mapping[int, PopulationIndex], attribute: str
) -> Callable[[exposure.Record], str]:
    """Return what says how common a record's value is in its own database."""
    versions = {each.number: each for each in project.versions.filter(number__in=list(having))}
    bands = {
        number: bands_within(index, starts_of(versions[number]), attribute)
        for number, index in having.items()
    }
    return lambda record: bands[record[0]](record[1])


def bands_within(
    index: PopulationIndex, starts: Sequence[int], attribute: str
) -> Callable[[int], str]:
    """Return what says how common a value is among the records from one start to the next."""
    codes = index.columns[index.schema.place(attribute)].codes
    counts = [
        dict(zip(*(each.tolist() for each in np.unique(part, return_counts=True)), strict=True))
        for part in np.split(codes, starts[1:])
    ]

    def band(record: int) -> str:
        code = int(codes[record])
        held = counts[bisect_right(starts, record) - 1][code]
        return "" if code == MISSING else frequency_band(held)

    return band


def _order(group: exposure.GroupExposure) -> int:
    """Order bands from the rarest value on; missing ones and others at the end."""
    return _BANDS.index(group.name) if group.name in _BANDS else len(_BANDS)


def _persons_in(project: Project) -> Callable[[Iterable[exposure.Record]], int]:
    """Return what counts the persons of some records, those of several versions once.

    Where a version is linked, it says who is who; else they are at least as many as the records
    of one database.
    """
    numbers = {each.number: _number_of(project, each) for each in project.versions.all()}

    def persons(records: Iterable[exposure.Record]) -> int:
        known: defaultdict[int, set[tuple[int, int]]] = defaultdict(set)
        for version, record in records:
            known[version].add(numbers[version](record))
        counts = (Counter(part for part, _ in each) for each in known.values())
        return max((max(each.values()) for each in counts), default=0)

    return persons


def _number_of(project: Project, version: Version) -> Callable[[int], tuple[int, int]]:
    """Return what numbers the person of a record, apart for those who cannot be compared."""
    linkage = project.linkages.filter(version=version).order_by("-number").first()
    if linkage is not None:
        person = vault.unseal(linkage.persons, ["person"]).column("person").to_numpy()
        return lambda record: (0, int(person[record]))
    starts = starts_of(version)
    return lambda record: (bisect_right(starts, record), record)
