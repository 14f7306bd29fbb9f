"""A study whose databases come again: some records changed, some gone, some new."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from pathlib import Path
from typing import Final

from mindfirl.core.population.index import PopulationIndex
from mindfirl.engine.reading.open_source import open_table
from mindfirl.engine.schema.schema_parser import parse_schema
from mindfirl.services.data.importing import import_databases
from mindfirl.store.models import Assignment, Project, Version
from mindfirl.store.queries.projects import current_version
from mindfirl.workspace.open_version import open_version
from tests.support.conflicts import hand_in, say
from tests.support.reviews import SCHEMA, Study

_KNOWN: Final[dict[str, list[str]]] = {}
_INDEXES: Final[dict[str, PopulationIndex]] = {}

Edit = Callable[[list[str]], list[str]]


def write_version(
    folder: Path,
    database: str = "clinic",
    *,
    changed: Mapping[str, Edit] | None = None,
    gone: Collection[str] = (),
    new: Collection[str] = (),
) -> Path:
    """Write the next version of a database: records by their IDs, changed or left out, and more."""
    path = folder / f"{database}.csv"
    header, *lines = path.read_text(encoding="utf-8").splitlines()
    kept = [line.split(",") for line in lines if line.split(",")[0] not in gone]
    edits = changed or {}
    rows = [edits[row[0]](row) if row[0] in edits else row for row in kept]
    further = [f"{each},Nora,New,1999-01-01,F" for each in new]
    path.write_text("\n".join([header, *map(",".join, rows), *further]) + "\n", encoding="utf-8")
    return path


def renamed(row: list[str]) -> list[str]:
    """Let somebody marry."""
    return [row[0], row[1], "Married", *row[3:]]


def import_version(project: Project, *paths: Path, start_over: bool = False) -> Version:
    """Import databases again; the IDs and values of the version before are remembered."""
    if before := current_version(project):
        index_of(before)
        ids_of(before)
    sources = {path.stem: open_table(str(path)) for path in paths}
    schema = parse_schema(SCHEMA, "schema.toml")
    return import_databases(project=project, sources=sources, schema=schema, start_over=start_over)


def ids_of(version: Version) -> list[str]:
    """Return the IDs of all records, in the order of their positions.

    They are remembered: the product deletes those of a version that nothing needs any more.
    """
    if version.index_digest not in _KNOWN:
        ids = open_version(version).record_ids().ids
        _KNOWN[version.index_digest] = [each for own in ids.values() for each in own.to_pylist()]
    return _KNOWN[version.index_digest]


def index_of(version: Version) -> PopulationIndex:
    """Return the index of a version; remembered, as the product deletes it."""
    if version.index_digest not in _INDEXES:
        _INDEXES[version.index_digest] = open_version(version).index()
    return _INDEXES[version.index_digest]


def values_of(version: Version) -> dict[str, tuple[str, ...]]:
    """Return the values of all records by their IDs."""
    index = index_of(version)
    return {
        who: tuple("".join(value.reveal()) for value in index.record(place))
        for place, who in enumerate(ids_of(version))
    }


def by_id(version: Version, pairs: Collection[tuple[int, int]]) -> set[frozenset[str]]:
    ids = ids_of(version)
    return {frozenset((ids[left], ids[right])) for left, right in pairs}


def stored(given: Collection[Assignment]) -> list[Assignment]:
    """Return assignments as they are in the database."""
    found = Assignment.objects.filter(pk__in=[each.pk for each in given])
    return list(found.select_related("account", "version", "project"))


def decide_all(given: Collection[Assignment], said: object) -> None:
    """Let everybody say one thing of all their pairs, and hand it in."""
    for mine in stored(given):
        say(mine, said)  # type: ignore[arg-type]  # a decision
        hand_in(mine)


def pairs_of(study: Study, version: Version) -> set[frozenset[str]]:
    """Return the pairs that were given out in a version, by the IDs of their records."""
    rows = study.project.assignments.filter(version=version)
    return by_id(version, set(rows.values_list("pairs__left", "pairs__right")))
