"""The ledger of a project up to a head, read and verified: what a report counts from."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from mindfirl.core.errors import LedgerBroken
from mindfirl.core.ledger import events
from mindfirl.core.ledger.replay import AssignmentBalance, Entry, Head, read, replay
from mindfirl.core.review.opening import REFUSALS
from mindfirl.store.ledger.writer import lines
from mindfirl.store.models import Project

_Event = TypeVar("_Event", bound=events.Event)


@dataclass(frozen=True, slots=True, eq=False)
class LedgerSnapshot:
    head: Head
    entries: Sequence[Entry]
    accounts: Mapping[str, AssignmentBalance]

    def of(self, kind: type[_Event]) -> Iterator[tuple[datetime, _Event]]:
        for entry in self.entries:
            if isinstance(entry.event, kind):
                yield datetime.fromisoformat(entry.at), entry.event


def read_ledger(project: Project, head: Head) -> LedgerSnapshot:
    """Read the ledger of a project up to a head; refuse one that is not intact."""
    kept = list(lines(project, to=head.entries))
    entries = read(kept)
    if Head(len(kept), kept[-1][:64] if kept else Head().digest) != head:
        raise LedgerBroken(len(kept), "it is not the one at which the signed ledger ends")
    return LedgerSnapshot(head, entries, replay(entries))


def refusals(ledger: LedgerSnapshot) -> dict[str, int]:
    found = Counter(event.reason for _, event in ledger.of(events.Refused))
    return {reason: found[reason] for reason in REFUSALS}


def dates(project: Project, ledger: LedgerSnapshot) -> dict[str, Any]:
    given = [at.date().isoformat() for at, _ in ledger.of(events.Dispatched)]
    opened = [at.date().isoformat() for at, _ in ledger.of(events.Opened)]
    return {
        "created": project.created.date().isoformat(),
        "first_given_out": given[0] if given else None,
        "last_given_out": given[-1] if given else None,
        "first_opened": opened[0] if opened else None,
        "last_opened": opened[-1] if opened else None,
        "ends": project.ends.isoformat() if project.ends else None,
        "closed": project.closed.date().isoformat() if project.closed else None,
    }


def releases(ledger: LedgerSnapshot) -> list[dict[str, Any]]:
    settled = Counter[int]()
    for _, event in ledger.of(events.FindingSettled):
        settled[event.release] += event.count
    handed = Counter((event.release, event.what) for _, event in ledger.of(events.HandedOver))
    deleted = {event.release for _, event in ledger.of(events.ReleaseDeleted)}
    return [
        {
            "number": event.release,
            "made": at.date().isoformat(),
            "linkage": event.linkage,
            "rows": event.rows,
            "columns": len(event.columns),
            "found": event.blocked,
            "settled": settled[event.release],
            "data_handed_over": handed[event.release, "data"],
            "crosswalk_handed_over": handed[event.release, "crosswalk"],
            "deleted": event.release in deleted,
        }
        for at, event in ledger.of(events.Released)
    ]


def labels_handed_over(ledger: LedgerSnapshot) -> int:
    return sum(event.what == "labels" for _, event in ledger.of(events.HandedOver))


def explained(ledger: LedgerSnapshot) -> int:
    return sum(1 for _ in ledger.of(events.Explained))
