"""Which persons a release covers, and how far they differ from those of releases handed over.

A person is known by a digest of its records' databases and IDs, so that it is known again after
another import or linkage. Two releases that differ by a few persons tell what these hold.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any, Final

import pyarrow as pa

from mindfirl.services.release.release_choices import Choices, kept_choices
from mindfirl.store import vault
from mindfirl.store.models import Project, Release
from mindfirl.store.queries.projects import DATA

PERSON: Final = "person"
_BYTES: Final = 16

Covered = frozenset[bytes]


@dataclass(frozen=True, slots=True)
class Compared:
    """A release that was handed over: persons that are new against it, missing, and shared."""

    release: Release
    added: int
    removed: int
    shared: int

    @property
    def choices(self) -> Choices:
        return kept_choices(self.release.choices)

    def written(self) -> dict[str, Any]:
        return {"release": self.release.number, "added": self.added, "removed": self.removed}


def covered_persons(records: Iterable[tuple[str, str, str | None]]) -> Covered:
    """Return the digests of persons, of records' databases, IDs and person numbers."""
    persons: defaultdict[str, list[tuple[str, str]]] = defaultdict(list)
    for database, record, number in records:
        if number is not None:
            persons[number].append((database, record))
    return frozenset(map(_digest, persons.values()))


def _digest(records: list[tuple[str, str]]) -> bytes:
    return hashlib.sha256(json.dumps(sorted(records)).encode()).digest()[:_BYTES]


def coverage_table(persons: Covered) -> pa.Table:
    return pa.table({PERSON: pa.array(sorted(persons), pa.binary(_BYTES))})


def handed_over(project: Project, *, but: int = 0) -> list[Release]:
    """Return the releases that somebody has, in their order, deleted ones too."""
    found = project.releases.filter(handovers__what=DATA).exclude(number=but)
    return list(found.select_related("coverage").distinct().order_by("number"))


def compared(project: Project, persons: Covered) -> list[Compared]:
    return [_compared(each, persons) for each in handed_over(project)]


def _compared(release: Release, persons: Covered) -> Compared:
    assert release.coverage
    others = frozenset(vault.unseal(release.coverage).column(PERSON).to_pylist())
    return Compared(release, len(persons - others), len(others - persons), len(persons & others))
