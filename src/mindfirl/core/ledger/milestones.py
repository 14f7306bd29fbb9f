"""What a ledger tells of a project beside its assignments, and in which order that can be."""

from __future__ import annotations

from dataclasses import dataclass, field

from mindfirl.core.ledger.events import (
    Closed,
    ContradictionAccepted,
    FindingSettled,
    HandedOver,
    Linked,
    ProjectEvent,
    Released,
    ReleaseDeleted,
    Shredded,
)


@dataclass(slots=True)
class Milestones:
    """How far a project is: what it accepted, linked and released, and whether it is closed."""

    acceptances: int = 0
    linkages: int = 0
    releases: int = 0
    deleted: set[int] = field(default_factory=set)
    closed: bool = False
    shredded: bool = False

    def follow(self, event: ProjectEvent) -> str:
        """Take the next event; say which rule it breaks, if any.

        Acceptances, linkages and releases are counted from 1. What is done with a release follows
        it, and ends when it is deleted. Nothing new is made in a closed project, and keys are
        destroyed once it is closed.
        """
        if isinstance(event, Closed):
            return self._close(event)
        if isinstance(event, Shredded):
            return self._shred()
        if isinstance(event, FindingSettled | HandedOver | ReleaseDeleted):
            return self._of_release(event)
        return "the project is closed" if self.closed else self._made(event)

    def _close(self, event: Closed) -> str:
        if self.closed or not event.reason:
            return "the project was closed before, or it is not said why"
        self.closed = True
        return ""

    def _shred(self) -> str:
        if self.shredded or not self.closed:
            return "the keys were destroyed before, or the project is not closed"
        self.shredded = True
        return ""

    def _made(self, event: ContradictionAccepted | Linked | Released) -> str:
        if isinstance(event, ContradictionAccepted):
            self.acceptances += 1
            sound = event.acceptance == self.acceptances and bool(event.reason)
            return "" if sound else "the acceptance is not the next one, or it is not said why"
        if isinstance(event, Linked):
            self.linkages += 1
            return "" if event.linkage == self.linkages else "the linkage is not the next one"
        self.releases += 1
        if event.release != self.releases or not 1 <= event.linkage <= self.linkages:
            return "the release is not the next one, or of no linkage"
        return ""

    def _of_release(self, event: FindingSettled | HandedOver | ReleaseDeleted) -> str:
        if isinstance(event, HandedOver) and event.release == 0:
            return ""  # the labels
        if not 1 <= event.release <= self.releases or event.release in self.deleted:
            return "there is no such release, or it was deleted"
        if isinstance(event, ReleaseDeleted):
            self.deleted.add(event.release)
        return ""
