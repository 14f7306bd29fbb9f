"""Flags: pairs that somebody marks to come back to. Nobody else sees them."""

from __future__ import annotations

from mindfirl.core.errors import NotOpen, NotYours
from mindfirl.store.models import Account, Assignment
from mindfirl.workspace.commits import commit


def flag(*, account: Account, assignment: Assignment, token: str, on: bool) -> int:
    """Mark a pair, or take the mark away; return the number of the pair."""
    if assignment.account_id != account.pk or "\0" in token:
        raise NotYours
    if assignment.state != "open":
        raise NotOpen(assignment.state)
    with commit():
        row = assignment.pairs.filter(token=token, withdrawn=False).first()
        if row is None:
            raise NotYours
        if row.flagged != on:
            row.flagged = on
            row.save(update_fields=["flagged"])
        return row.number
