"""Columns that can hardly be read: an import stops until somebody says that they are right."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from mindfirl.core.errors import UnreadableColumn, UnreadableColumns
from mindfirl.core.ledger.events import UnreadableAccepted
from mindfirl.core.small_counts import coarse_percentage
from mindfirl.engine.schema.schema_file import SchemaFile
from mindfirl.engine.separation.separate import Separated
from mindfirl.store.ledger.writer import append
from mindfirl.store.models import Project


@dataclass(frozen=True, slots=True)
class AcceptedColumns:
    """Why columns are imported although they can hardly be read: these, or all that there are."""

    reason: str
    columns: frozenset[tuple[str, str]] | None = None
    """By database and name; nothing for all."""

    def covers(self, column: UnreadableColumn) -> bool:
        return self.columns is None or (column.database, column.name) in self.columns


def unreadable_columns(
    database: str, apart: Separated, schema: SchemaFile, hidden: Mapping[str, str]
) -> list[UnreadableColumn]:
    """Name the columns of a database of which more than a fifth cannot be read, each once."""
    found: dict[str, UnreadableColumn] = {}
    counted = [(name, schema.column(name, database), each) for name, each in apart.counts.items()]
    counted += [(name, hidden[name], each) for name, each in apart.coarsened_dates.items()]
    for name, column, each in counted:
        if each.doubtful:
            share = coarse_percentage(each.unreadable, each.filled)
            found.setdefault(column, UnreadableColumn(database, column, name, share))
    return list(found.values())


def check_readable(found: Sequence[UnreadableColumn], accepted: AcceptedColumns | None) -> None:
    if refused := [each for each in found if accepted is None or not accepted.covers(each)]:
        raise UnreadableColumns(refused)


def record_acceptance(
    project: Project, found: Sequence[UnreadableColumn], reason: str, *, actor: str
) -> None:
    """Write into the ledger, within the commit of the import, what was accepted and why."""
    names: defaultdict[str, list[str]] = defaultdict(list)
    for each in found:
        names[each.database].append(each.name)
    told = [UnreadableAccepted(name, tuple(those), reason) for name, those in names.items()]
    append(project, actor=actor, events=told)
