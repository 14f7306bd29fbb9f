"""Reviews that leave something open: who disagrees, what contradicts, and who settles it."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.utils import timezone

from mindfirl.core.progress import no_progress
from mindfirl.core.review.decisions import Decision
from mindfirl.core.review.plan import Rule
from mindfirl.engine.bands.burden import Bands
from mindfirl.engine.separation.separate import RECORD
from mindfirl.services import resolve
from mindfirl.services.pairs import bring_pairs, set_bands
from mindfirl.services.plan.plans import PersonTyped
from mindfirl.services.review.decisions import decide, submit
from mindfirl.services.review.disclosure.commenting import comment
from mindfirl.store import vault
from mindfirl.store.models import Account, Assignment, Database, Version
from tests.support.reviews import NAMES, Study, account, make_study
from tests.support.snapshots import snapshot

SAME, DIFFERENT = Decision("probably the same"), Decision("surely different")
UNSURE = Decision("cannot tell", "twins")
LINKED = 5
"""The first this many pairs of the file are linked automatically."""


@snapshot
def conflicting(folder: Path, *, names: Sequence[str] = NAMES) -> Study:
    """Two databases of 20, each without duplicates; c0-r0 … c4-r4 automatic, c5-r5 … for people."""
    made = make_study(folder, people=20, pairs=30, names=names)
    Database.objects.update(without_duplicates=True)
    weighed(made, [(n, n, 20 if n < LINKED else 0) for n in range(15)])
    return made


def weighed(study: Study, pairs: Sequence[tuple[int, int, float]]) -> None:
    """Bring pairs by the numbers of their persons in the two databases."""
    path = study.folder / "weighed.csv"
    lines = ["left,right,weight", *(f"c{left},r{right},{weight}" for left, right, weight in pairs)]
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    bring_pairs(project=study.project, path=path, mode=None, progress=no_progress)
    set_bands(project=study.project, bands=Bands(-5, 5))


def at(study: Study, left: int, right: int) -> tuple[int, int]:
    """Return where the records of persons by their numbers in the two databases stand."""
    version = Version.objects.get(project=study.project)
    found = []
    for member, name in zip(version.members.all(), (f"c{left}", f"r{right}"), strict=True):
        ids = vault.unseal(member.database.identity, [RECORD]).column(RECORD).to_pylist()
        found.append(member.first + ids.index(name))
    return found[0], found[1]


def adjudicator(study: Study, name: str = "judge") -> Account:
    return account(name, project=study.project, role="adjudicator")


def give(
    study: Study, *judges: Account, rule: Rule = "unanimous", **changes: Any
) -> list[Assignment]:
    """Give the pairs for people to workers; the plan names adjudicators."""
    people = tuple(PersonTyped(str(each.pk), budget="80") for each in study.workers)
    people += tuple(PersonTyped(str(each.pk), "adjudicator", budget="70") for each in judges)
    study.plan(people=people, rule=rule, **changes)
    study.dispatched()
    return list(Assignment.objects.filter(kind="review").select_related("account"))


def say(mine: Assignment, decision: Decision, *, pair: tuple[int, int] | None = None) -> None:
    found = mine.pairs.all() if pair is None else mine.pairs.filter(left=pair[0], right=pair[1])
    for each in found:
        decide(
            account=mine.account,
            assignment=mine,
            token=each.token,
            decision=decision,
            now=timezone.now(),
        )
        if mine.kind == "adjudication":
            give_reason(mine, each.token)


def give_reason(mine: Assignment, token: str, words: str = "It is plain to see.") -> None:
    """Say why, as whoever settles a conflict must."""
    now = timezone.now()
    comment(account=mine.account, assignment=mine, token=token, words=words, now=now)


def hand_in(mine: Assignment) -> None:
    submit(account=mine.account, assignment=mine, now=timezone.now())


def give_conflicts(study: Study) -> list[Assignment]:
    made = resolve.give_conflicts(project=study.project, actor=study.actor, account=study.manager)
    return list(Assignment.objects.filter(pk__in=[each.pk for each in made]))


def ring(study: Study, *judges: Account) -> None:
    """Let automatic links and people join two records of a database without duplicates."""
    weighed(study, [(0, 0, 20), (0, 1, 0), (2, 2, 20), (3, 3, 0)])
    for each in give(study, *judges, reviews=3):
        say(each, SAME)
        hand_in(each)


def disagree(study: Study, *judges: Account, **changes: Any) -> list[Assignment]:
    """Let one of three say otherwise of every pair; all comment on the pair of the fifth person."""
    reviews = give(study, *judges, reviews=3, **changes)
    left, right = at(study, LINKED, LINKED)
    for place, each in enumerate(reviews):
        say(each, SAME if place else DIFFERENT)
        token = each.pairs.get(left=left, right=right).token
        give_reason(each, token, f"remark {('x', 'z', 'y')[place]}")
        hand_in(each)
    return reviews
