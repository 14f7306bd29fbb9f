"""Comments on pairs, sealed under the identity key of their project.

Each is bound to its project, its pair and its number, so that none can stand in for another. Where
the key is destroyed, the comments are gone with it.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mindfirl.core.errors import CommentBroken, VaultShredded
from mindfirl.store.crypto import sealing
from mindfirl.store.crypto.keys import read_key
from mindfirl.store.hot_path import HAS_COMMENT, row
from mindfirl.store.models import Assignment, Comment, Project

_USE: Final = b"mindfirl comments"


def has_comments(assignment: Assignment) -> bool:
    return row(HAS_COMMENT, assignment.pk) is not None


def commented_on(assignment: Assignment) -> set[int]:
    return {number for number, said in comments_in(assignment).items() if said}


def comments_in(assignment: Assignment, numbers: Iterable[int] | None = None) -> dict[int, str]:
    """Return the latest comment on each pair of an assignment; one taken back is empty."""
    if not has_comments(assignment):
        return {}
    found = Comment.objects.filter(pair__assignment=assignment, pair__withdrawn=False)
    if numbers is not None:
        found = found.filter(pair__number__in=list(numbers))
    ordered = found.select_related("pair").order_by("pair__number", "number")
    latest = {each.pair.number: each for each in ordered}
    return dict(zip(latest, unseal(assignment.project, latest.values()), strict=True))


def seal(project: Project, comment: Comment, words: str) -> None:
    _seal(_key(project, project.identity_key), project, comment, words)


def unseal(project: Project, comments: Iterable[Comment]) -> list[str]:
    """Open comments on pairs of a project; one that was changed or exchanged is refused."""
    listed = list(comments)
    if not listed:
        return []
    key = _key(project, project.identity_key)
    return [_unseal(key, project, comment) for comment in listed]


def reseal(project: Project, key: str) -> None:
    """Seal all comments of a project under another key, in the caller's transaction."""
    found = Comment.objects.filter(pair__assignment__project=project)
    comments = list(found.select_related("pair"))
    if not comments:
        return
    new = _key(project, key)
    for comment, words in zip(comments, unseal(project, comments), strict=True):
        _seal(new, project, comment, words)
    Comment.objects.bulk_update(comments, ["sealed"], batch_size=500)


def _seal(key: bytes, project: Project, comment: Comment, words: str) -> None:
    comment.sealed = sealing.seal(key, words.encode(), bound=_bound(project, comment))


def _unseal(key: bytes, project: Project, comment: Comment) -> str:
    try:
        bound = _bound(project, comment)
        return sealing.unseal(key, bytes(comment.sealed), bound=bound).decode()
    except (sealing.SealBroken, ValueError):
        raise CommentBroken from None


def _bound(project: Project, comment: Comment) -> bytes:
    return f"mindfirl 1 {project.pk} comment {comment.pair.token} {comment.number}".encode()


def _key(project: Project, name: str) -> bytes:
    if not name:
        raise VaultShredded
    return sealing.derive_key(read_key(project.id, "identity", name), _USE)
