"""Records followed through the versions on which people worked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mindfirl.core.lineage import NOWHERE
from mindfirl.engine.exposure import Record
from mindfirl.engine.separation.lineages import Lineages
from mindfirl.store.models import Project, Version
from mindfirl.workspace.carried_votes import lineages_of


@dataclass(frozen=True, slots=True)
class RecordLines:
    """The lineages of some versions, by their numbers, the newest first."""

    lineages: dict[int, Lineages]

    @classmethod
    def of(cls, versions: Iterable[Version]) -> RecordLines:
        ordered = sorted(versions, key=lambda each: -each.number)
        return cls({each.number: lineages_of(each) for each in ordered})

    @classmethod
    def of_rounds(cls, project: Project) -> RecordLines:
        found = project.versions.filter(assignments__isnull=False).distinct()
        return cls.of(found.select_related("lineage"))

    def newest(self, record: Record) -> tuple[Record, frozenset[str]]:
        """Find a record in the newest version that has it, and which attributes changed till there.

        Two records of different versions are one if they are the same there.
        """
        version, position = record
        for number, known in self.lineages.items():
            if number <= version:
                break
            lineage = known.earlier.get(version)
            now = NOWHERE if lineage is None else int(lineage.after[position])
            if lineage is not None and now != NOWHERE:
                flags = lineage.changed[now]
                names = zip(known.attributes, flags.tolist(), strict=True)
                return (number, now), frozenset(name for name, changed in names if changed)
        return record, frozenset()

    def everywhere(self, record: Record) -> Iterator[Record]:
        """Return a record as it is in each of the versions that have it."""
        (version, position), _ = self.newest(record)
        yield version, position
        for number, lineage in self.lineages[version].earlier.items():
            before = int(lineage.before[position])
            if number in self.lineages and before != NOWHERE:
                yield number, before
