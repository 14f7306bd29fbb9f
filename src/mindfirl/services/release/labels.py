"""Decisions handed over as labels: which records people found to be one person's, and which not.

They name records by their ids, so they identify: who gets them is recorded.
"""

from __future__ import annotations

from collections.abc import Iterator
from io import BytesIO

from django.http import HttpRequest

from mindfirl.core.errors import SettingError
from mindfirl.core.policy import Actor, check_may
from mindfirl.core.review.resolution import resolve
from mindfirl.engine.release.labels import Label, write_labels
from mindfirl.services.release.handover import TYPES, Handed, check_own_password, tell
from mindfirl.store.models import Account, Project, Version
from mindfirl.store.queries.projects import LABELS, current_version
from mindfirl.store.queries.votes import Votes, votes_in
from mindfirl.workspace.open_version import open_version

_SAME, _DIFFERENT, _UNSURE = 1.0, 0.0, 0.5


def export_labels(
    *, request: HttpRequest, project: Project, actor: Actor, account: Account, password: str
) -> Handed:
    check_may(actor, "export labels")
    check_own_password(request, account, password)
    return take_labels(project=project, actor=actor)


def take_labels(*, project: Project, actor: Actor) -> Handed:
    """Give the decisions of a project, in Splink's form, to whoever may have them.

    Pairs that are settled are 1 or 0; those of which people cannot tell, 0.5. On the others there
    is no word yet.
    """
    check_may(actor, "export labels")
    version = current_version(project)
    labels = sorted(_labels(version)) if version else []
    if not version or not labels:
        raise SettingError("Nobody has decided any pair of this project yet.")
    content = BytesIO()
    write_labels(content, open_version(version).record_ids(), labels)
    content.seek(0)
    tell(project, actor=actor, what=LABELS)
    return Handed(f"{project.name}-labels.csv", TYPES["csv"], content)


def labels_of(project: Project) -> int:
    """Count the pairs that labels can be given of."""
    version = current_version(project)
    return sum(1 for _ in _labels(version)) if version else 0


def _labels(version: Version) -> Iterator[Label]:
    for (left, right), votes in votes_in(version).items():
        score = _score(votes)
        if score is not None:
            yield left, right, score


def _score(votes: Votes) -> float | None:
    """Say what people hold of a pair, once all its reviews are there or somebody settled it."""
    if votes.waiting and votes.settled is None:
        return None
    found = resolve(votes.given, votes.rule, settled=votes.settled)
    if found.outcome == "open":
        return _UNSURE if found.why == "cannot tell" else None
    return _SAME if found.outcome == "link" else _DIFFERENT
