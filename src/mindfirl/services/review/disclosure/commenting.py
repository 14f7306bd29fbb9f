"""A comment on a pair: held against what its writer sees of the pair, sealed, each change kept."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from mindfirl.core.display.cells import Sign, cell
from mindfirl.core.errors import NotOpen, NotYours
from mindfirl.core.ledger.events import Commented
from mindfirl.core.population.index import PopulationIndex
from mindfirl.core.traces.repeats import check_comment, written
from mindfirl.core.values.schema import LEVELS
from mindfirl.services.review.disclosure.opened import open_pair
from mindfirl.store.ledger.digests import digests_of
from mindfirl.store.ledger.writer import append, locked_head
from mindfirl.store.models import Account, AssignedPair, Assignment, Comment
from mindfirl.store.vault.sealed_comments import has_comments, seal, unseal
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
        check_comment(said, _shown(index, mine, pair))
        new = Comment(pair=pair, number=last.number + 1 if last else 1, at=now)
        seal(mine.project, new, said)
        new.save()
        about = (str(mine.pk), pair.number, new.number)
        told = Commented(*about, digests_of(mine.project).comment(about, said, now))
        append(
            mine.project,
            at=now,
            actor=str(account.pk),
            events=[told],
            head=ledger.head,
            together=ledger.together,
        )


def comments_of(*, assignment: Assignment, numbers: Iterable[int] | None = None) -> dict[int, str]:
    if not has_comments(assignment):
        return {}
    found = Comment.objects.filter(pair__assignment=assignment, pair__withdrawn=False)
    if numbers is not None:
        found = found.filter(pair__number__in=list(numbers))
    ordered = found.select_related("pair").order_by("pair__number", "number")
    latest = {each.pair.number: each for each in ordered}
    words = unseal(assignment.project, latest.values())
    return {number: said for number, said in zip(latest, words, strict=True) if said}


def _shown(index: PopulationIndex, mine: Assignment, pair: AssignedPair) -> list[tuple[Sign, ...]]:
    seen = open_pair(index, mine, pair, list(pair.open_cells.all())).view
    return [
        row
        for difference, level in zip(seen.differences, seen.levels, strict=True)
        for row in cell(difference, LEVELS[level]).rows
    ]
