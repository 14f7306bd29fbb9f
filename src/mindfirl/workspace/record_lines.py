"""Records followed through the versions on which people worked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from mindfirl.core.lineage import NOWHERE
from mindfirl.engine.exposure import Record
from mindfirl.engine.separation.lineages import Lineages, names_in_both
from mindfirl.store.models import Project, Version
from mindfirl.workspace.carried_votes import lineages_of
from mindfirl.workspace.open_version import open_version


@dataclass(frozen=True, slots=True)
class RecordLines:
    """The lineages of some versions, by their numbers, the newest first.

    Attributes are ``called`` as in the newest of them, whatever their names were before.
    """

    lineages: dict[int, Lineages]
    called: dict[int, dict[str, str]]

    @classmethod
    def of(cls, versions: Iterable[Version]) -> RecordLines:
        ordered = sorted(versions, key=lambda each: -each.number)
        return cls({each.number: lineages_of(each) for each in ordered}, _called(ordered))

    @staticmethod
    def versions_of(project: Project) -> list[Version]:
        """Return the versions on which people worked, and the newest, in which records are now."""
        found = project.versions.filter(assignments__isnull=False).values_list("pk", flat=True)
        newest = project.versions.order_by("-number").values_list("pk", flat=True)[:1]
        versions = project.versions.filter(pk__in=[*found, *newest])
        return list(versions.select_related("lineage", "frozen"))

    def names(self, version: int) -> tuple[str, ...]:
        """Return what the attributes of a version are called, in their order."""
        return tuple(self.called[version].values())

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
                names = zip(self.names(number), flags.tolist(), strict=True)
                return (number, now), frozenset(name for name, changed in names if changed)
        return record, frozenset()

    def found(self, record: Record) -> tuple[Record, frozenset[str], tuple[str, ...]]:
        """Find a record as :meth:`newest` does, with the names of the attributes that it has."""
        return *self.newest(record), self.names(record[0])

    def everywhere(self, record: Record) -> Iterator[Record]:
        """Return a record as it is in each of the versions that have it."""
        (version, position), _ = self.newest(record)
        yield version, position
        for number, lineage in self.lineages[version].earlier.items():
            before = int(lineage.before[position])
            if number in self.lineages and before != NOWHERE:
                yield number, before


def _called(ordered: Sequence[Version]) -> dict[int, dict[str, str]]:
    """Say for each version what its attributes are called in the newest one.

    One that the newest lacks has a name that no schema gives.
    """
    schemas = [open_version(each).schema_file for each in ordered]
    found: dict[int, dict[str, str]] = {}
    for version, schema in zip(ordered, schemas, strict=True):
        newest = schemas[0]
        databases = sorted(schema.named_databases | newest.named_databases) or [""]
        now = {old: new for new, old in names_in_both(schema, newest, databases).items() if old}
        found[version.number] = {name: now.get(name, f"#{name}") for name in schema.schema.names}
    return found
