"""Which persons a release covers, and how far they differ from those of releases handed over.

A person is known by a digest of its records' databases and IDs, so that it is known again after
another import or linkage. Two releases that differ by a few persons tell what these hold, however
many others got or lost a record meanwhile: so persons who come or go whole are counted as well.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from mindfirl.services.release.release_choices import Choices, kept_choices
from mindfirl.store import vault
from mindfirl.store.models import Project, Release
from mindfirl.store.queries.projects import DATA

PERSON: Final = "person"
RECORD: Final = "record"
_BYTES: Final = 16

Covered = Mapping[bytes, bytes]
"""The person of each record: digests, of a person's records and of the record."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A release that was handed over, and how its persons differ from those of another.

    Persons that are added or removed have other records; of those that come or go, no record was
    there before, or none is left. ``shared`` have a record in both.
    """

    release: Release
    added: int
    removed: int
    come: int
    gone: int
    shared: int

    @property
    def choices(self) -> Choices:
        return kept_choices(self.release.choices)

    def written(self) -> dict[str, Any]:
        return {"release": self.release.number} | {side: getattr(self, side) for side in SIDES}


SIDES: Final = ("added", "removed", "come", "gone")
"""The counts of persons of which none may be small."""


def covered_persons(records: Iterable[tuple[str, str, str | None]]) -> Covered:
    """Return digests of persons by record, of records' databases, IDs and person numbers."""
    persons: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for database, record, number in records:
        if number is not None:
            persons[number].append((database, record))
    covered: dict[bytes, bytes] = {}
    for each in persons.values():
        covered.update(dict.fromkeys(map(_digest, each), _digest(sorted(each))))
    return covered


def _digest(named: tuple[str, str] | list[tuple[str, str]]) -> bytes:
    return hashlib.sha256(json.dumps(named).encode()).digest()[:_BYTES]


def coverage_table(covered: Covered) -> pa.Table:
    records = sorted(covered)
    digests = {PERSON: [covered[each] for each in records], RECORD: records}
    return pa.table({name: pa.array(each, pa.binary(_BYTES)) for name, each in digests.items()})


def handed_over(project: Project, *, but: int = 0) -> list[Release]:
    """Return the releases that somebody has, in their order, deleted ones too."""
    found = project.releases.filter(handovers__what=DATA).exclude(number=but)
    return list(found.select_related("coverage").distinct().order_by("number"))


def compared(project: Project, covered: Covered) -> list[Compared]:
    return [_compared(each, covered) for each in handed_over(project)]


def _compared(release: Release, covered: Covered) -> Compared:
    assert release.coverage
    table = vault.unseal(release.coverage)
    before = dict(zip(*(table.column(each).to_pylist() for each in (RECORD, PERSON)), strict=True))
    now, then = set(covered.values()), set(before.values())
    stayed = covered.keys() & before.keys()
    shared, left = {covered[each] for each in stayed}, {before[each] for each in stayed}
    return Compared(
        release=release,
        added=len(now - then),
        removed=len(then - now),
        come=len(now - shared),
        gone=len(then - left),
        shared=len(shared),
    )
