"""A comment on a pair: held against all that is open to its writer, sealed, each change kept."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from mindfirl.core.errors import NotOpen, NotYours
from mindfirl.core.ledger.events import Commented
from mindfirl.core.traces.repeats import check_comment, written
from mindfirl.store.ledger.digests import digests_of
from mindfirl.store.ledger.writer import append, locked_head
from mindfirl.store.models import Account, Assignment, Comment
from mindfirl.store.vault.sealed_comments import comments_in, seal, unseal
from mindfirl.workspace.comment_checks import (
    comments_set_aside,
    open_traces,
    shown_rows,
)
from mindfirl.workspace.commits import commit
from mindfirl.workspace.open_version import population_of


def comment(
    *, account: Account, assignment: Assignment, token: str, words: str, now: datetime
) -> None:
    """Keep a comment on a pair, or take it back; repeating it changes nothing."""
    said = written(words)
    mine = assignment
    if mine.account_id != account.pk:
        raise NotYours
    index = population_of(mine)
    with commit():
        ledger = locked_head(mine.project)
        mine.refresh_from_db(fields=["state", "project"])  # and with it the name of the key
        if mine.state != "open":
            raise NotOpen(mine.state)
        pair = mine.pairs.filter(token=token, withdrawn=False).first()
        if pair is None:
            raise NotYours
        last = pair.comments.select_related("pair").order_by("-number").first()
        if said == (unseal(mine.project, [last])[0] if last else ""):
            return
        if said:
            state = mine.open_levels(pair, pair.open_cells.all())
            check_comment(said, shown_rows(index, pair, state), open_traces(mine))
        new = Comment(pair=pair, number=last.number + 1 if last else 1, at=now)
        seal(mine.project, new, said)
        new.save()
        about = (str(mine.pk), pair.number, new.number)
        told = Commented(*about, digests_of(mine.project).comment(about, said, now))
        append(mine.project, at=now, actor=str(account.pk), events=[told], locked=ledger)


def set_aside(*, assignment: Assignment, comments: Mapping[int, str]) -> set[int]:
    """Return the pairs whose comments nobody gets to read until they are rewritten."""
    return comments_set_aside(assignment, comments)


def comments_of(*, assignment: Assignment, numbers: Iterable[int] | None = None) -> dict[int, str]:
    found = comments_in(assignment, numbers)
    return {number: said for number, said in found.items() if said}
