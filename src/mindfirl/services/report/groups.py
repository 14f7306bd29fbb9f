"""Whether some people paid more than others: what was shown of records, by a chosen attribute.

Records go together by the value of a category, or by how common their value of another attribute
is: who has a rare name is easily found. A group of fewer than ten persons is not told apart.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Mapping
from dataclasses import asdict
from typing import Any, Final

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
    name = _value_of if categories else _band_of
    found = exposure.group_exposures(
        records,
        lambda record: name(having[record[0]], record[1], attribute),
        _persons_in(project),
        least=LEAST,
    )
    return {
        "attribute": attribute,
        "by": "value" if categories else "frequency",
        "least": LEAST,
        "groups": [asdict(each) for each in (found if categories else sorted(found, key=_order))],
    }


def _value_of(index: PopulationIndex, record: int, attribute: str) -> str:
    return "".join(index.record(record)[index.schema.place(attribute)].reveal())


def _band_of(index: PopulationIndex, record: int, attribute: str) -> str:
    column = index.columns[index.schema.place(attribute)]
    code = int(column.codes[record])
    return "" if code == MISSING else frequency_band(column.count(code))


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
